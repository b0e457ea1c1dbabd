"""Options by keyword: the rows of the library, with underscores for dashes."""
from __future__ import annotations

import difflib
import functools
import os
from collections.abc import Iterable, Mapping
from typing import Any, Union

from . import _core
from ._errors import UsageError

Value = Union[str, bool, list[str]]
Pairs = list[tuple[str, Value]]


@functools.cache
def known() -> dict[str, dict[str, Any]]:
    """The option rows by name; of several rows with one name, the first."""
    rows: dict[str, dict[str, Any]] = {}
    for row in _core.options():
        rows.setdefault(row["name"], row)
        if row["alias"]:
            rows.setdefault(row["alias"], row)
    return rows


def _row(name: str) -> dict[str, Any]:
    row = known().get(name)
    if row is None:
        near = difflib.get_close_matches(name, known(), 1, 0.7)
        advice = f"did you mean '{near[0].replace('-', '_')}'?" if near else "tamis.options() lists the options"
        raise UsageError(f"unknown option '{name.replace('-', '_')}'; {advice}")
    return row


def _text(value: Any) -> str:
    if hasattr(value, "item") and not hasattr(value, "__len__"):       # a NumPy scalar
        value = value.item()
    return repr(value) if isinstance(value, float) else str(value)


def _value(row: Mapping[str, Any], value: Any) -> Value:
    if isinstance(value, (bool, str)):
        return value
    if row["type"] == "flag" and type(value).__name__ in ("bool_", "bool"):     # NumPy's
        return bool(value)
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, Iterable) and getattr(value, "ndim", 1) > 0:
        words = [_text(v) for v in value]
        return ":".join(words) if row["type"] in ("grid", "range") else words
    return _text(value)


def pairs(options: Mapping[str, Any]) -> Pairs:
    """(name, value) as the library takes them. None: the default."""
    made: Pairs = []
    for key, value in options.items():
        name = key.replace("_", "-")
        row = _row(name)
        if value is not None:
            made.append((name, _value(row, value)))
    return made


def without_file_options(made: Pairs) -> Pairs:
    """For a table in memory: 'categorical' has been applied to it, and the other options that say how to read a file
    are refused."""
    for name, _ in made:
        if known()[name]["part"] == "data" and name != "categorical":
            raise UsageError(f"option '{name.replace('-', '_')}' says how to read a file; change the table in memory "
                             "instead")
    return [(name, value) for name, value in made if name != "categorical"]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if not name or name[0] == '"' or "," in name else name


def words(made: Pairs) -> list[str]:
    """The same on the command line."""
    line: list[str] = []
    for name, value in made:
        if isinstance(value, bool):
            line.append(f"--{name}" if value else f"--no-{name}")
        else:
            line += [f"--{name}", value if isinstance(value, str) else ",".join(map(_quoted, value))]
    return line
