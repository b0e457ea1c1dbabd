#!/usr/bin/env python3
"""The reference of the Python package: usage python.py > python.md (for Sphinx with myst-parser, autodoc and napoleon).
What is public is what tamis.__all__ lists."""
import inspect

import tamis

HEAD = """# The Python package

What `help(tamis.select)` prints, for everything in the package; [Python](../python.md) is the introduction,
[estimators](../estimators.md) says how they fit into scikit-learn.
"""
SECTIONS = (("Functions", inspect.isfunction),
            ("Results and models", lambda thing: thing in (tamis.Result, tamis.Comparison, tamis.Model)),
            ("Estimators", lambda thing: inspect.isclass(thing) and thing.__name__.startswith("Tamis") and
             not issubclass(thing, BaseException)),
            ("Errors and warnings", lambda thing: inspect.isclass(thing) and issubclass(thing, BaseException)))


def own(thing):
    """The public members of a class that are tamis's: scikit-learn documents its own."""
    def module(member):
        return str(getattr(getattr(member, "fget", member), "__module__", ""))
    return [name for name, member in inspect.getmembers(thing)
            if not name.startswith("_") and module(member).startswith("tamis")]


def entry(name, thing):
    if inspect.isfunction(thing):
        return ".. autofunction:: tamis.%s" % name
    lines = [".. autoclass:: tamis.%s" % name]
    if issubclass(thing, BaseException):
        lines.append("   :show-inheritance:")
    elif own(thing):
        lines.append("   :members: " + ", ".join(own(thing)))
    return "\n".join(lines)


def reference():
    parts = [HEAD]
    public = {name: getattr(tamis, name) for name in tamis.__all__}
    for title, belongs in SECTIONS:
        entries = [entry(name, thing) for name, thing in public.items() if belongs(thing)]
        parts.append("## %s\n\n```{eval-rst}\n%s\n```\n" % (title, "\n\n".join(entries)))
    return "\n".join(parts)


if __name__ == "__main__":
    print(reference())
