#!/usr/bin/env python3
"""Lays out the schemas and writes the tables of docs/result.md from them.
usage: python3 schema/page.py [--check]     --check: change nothing, fail if a file is not current
Definitions that comparison.schema.json shares with result.schema.json are copied from there, so that each file can be
used alone."""
import json, os, sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "docs", "result.md")
NAMES = ("result", "comparison", "describe", "clean", "methods")
WIDTH = 118
MARK = "<!-- The rest of this page is written by schema/page.py. -->\n"


# ---- layout ----

def layout(v, indent=0, before=0):
    """JSON on one line if it fits, otherwise one line per member."""
    line = json.dumps(v, ensure_ascii=False)
    if before + indent + len(line) <= WIDTH or not isinstance(v, (dict, list)) or not v:
        return line
    inner = " " * (indent + 2)
    if isinstance(v, dict):
        parts = ["%s: %s" % (json.dumps(k), layout(x, indent + 2, len(k) + 5)) for k, x in v.items()]
    else:
        parts = [layout(x, indent + 2, 1) for x in v]
    open_, close = "{}" if isinstance(v, dict) else "[]"
    return "%s\n%s%s\n%s%s" % (open_, inner, (",\n" + inner).join(parts), " " * indent, close)


# ---- tables ----

def kind(s):
    """What a reader expects to find: 'number or null', 'list of text', a link to another table."""
    if "$ref" in s:
        name = s["$ref"].rsplit("/", 1)[1]
        plain = {"names": "list of text", "numbers": "list of numbers", "matrix": "list of lists of numbers",
                 "share": "number"}
        return plain.get(name) or "[%s](#%s)" % (name.replace("_", "-"), anchor(name))
    if "oneOf" in s:
        return " or ".join(kind(x) for x in s["oneOf"])
    if "enum" in s:
        return " or ".join("`%s`" % json.dumps(x).strip('"') for x in s["enum"])
    if "const" in s:
        return "`%s`" % json.dumps(s["const"])
    if s["type"] == "array" and "items" in s:
        item = kind(s["items"])
        return "list of " + {"record": "records", "text": "text", "list of text": "lists of text"}.get(item, item)
    types = s["type"] if isinstance(s["type"], list) else [s["type"]]
    words = {"string": "text", "object": "record", "array": "list", "boolean": "true or false"}
    return " or ".join(words.get(t, t) for t in types)


def anchor(name):
    return name.replace("_", "-")


def rows(properties, required, defs, prefix=""):
    """(name, type, always present, meaning) of every field, records and lists of records taken apart."""
    for name, s in properties.items():
        meaning = s.get("description") or defs[s["$ref"].rsplit("/", 1)[1]]["description"]
        yield prefix + name, kind(s), name in required, meaning
        inner, more = (s["items"], "[]") if s.get("type") == "array" else (s, "")
        if "properties" in inner:
            yield from rows(inner["properties"], inner.get("required", []), defs, "%s%s%s." % (prefix, name, more))


def table(s, defs):
    lines = ["| field | type | meaning |", "|---|---|---|"]
    cells = [["`%s`" % name if always else "`%s`, *optional*" % name, type_, meaning]
             for name, type_, always, meaning in rows(s["properties"], s.get("required", []), defs)]
    if s.get("additionalProperties"):
        other = s["additionalProperties"]
        cells.append(["any other name", kind(other), other["description"]])
    lines += ["| %s |" % " | ".join(c.replace("|", "\\|") for c in line) for line in cells]
    return "\n".join(lines) + "\n"


def section(title, s, defs, level=3):
    also = "It also has the fields of [trials](#trials).\n\n" if s.get("$ref") else ""
    about = s.get("description", "")
    return "%s %s\n\n%s%s%s" % ("#" * level, title, about + "\n\n" if about else "", also, table(s, defs))


def tables(schema):
    first, own, methods = schema["result"], schema["comparison"], schema["methods"]
    defs, more = first["$defs"], own["$defs"]
    parts = [section("The result of `tamis select`", first, defs, 2)]
    parts += [section(anchor(n), s, defs) for n, s in defs.items() if "properties" in s]
    parts.append(section("The result of `tamis compare`", own, more, 2))
    parts += [section(anchor(n), s, more) for n, s in more.items() if n not in defs]
    parts += [section("`tamis %s --json`" % n, schema[n], {}, 2) for n in ("describe", "clean")]
    list_ = dict(methods["items"], description=methods["description"] + " A list of records:")
    parts.append(section("`tamis methods --json`", list_, {}, 2))
    return "\n".join(parts)


# ---- files ----

def path(name):
    return os.path.join(HERE, name + ".schema.json")


def text_of(file):
    with open(file, encoding="utf-8") as f:
        return f.read()


def wanted():
    """{file: its text as it should be}"""
    schema = {n: json.loads(text_of(path(n))) for n in NAMES}
    mine, shared = schema["comparison"]["$defs"], schema["result"]["$defs"]
    for name in mine:
        mine[name] = shared.get(name, mine[name])
    files = {path(n): layout(s) + "\n" for n, s in schema.items()}
    files[PAGE] = text_of(PAGE).split(MARK)[0] + MARK + "\n" + tables(schema)
    return files


def main():
    old = [(file, text) for file, text in wanted().items() if text_of(file) != text]
    if "--check" in sys.argv:
        for file, _ in old:
            print("%s is not current: run python3 schema/page.py" % os.path.relpath(file))
        return old != []
    for file, text in old:
        with open(file, "w", encoding="utf-8") as f:
            f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
