"""Tables of the library from what Python programs have: paths, data frames, arrays, dicts, Arrow streams."""
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union

from . import _core
from ._columns import Column, column, is_array, is_pandas, loaded
from ._errors import DataError, UsageError
from ._options import Pairs

Hooks = Any
NAME = "table"                  # what messages and results call a table that has no file


def is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


def make(data: Any, options: Pairs, hooks: Hooks, feature_names: Optional[Sequence[str]] = None) -> _core.Table:
    """The table; options: how to read a file, and 'categorical'."""
    if is_path(data):
        if feature_names is not None:
            raise UsageError("feature_names is for arrays; a file has its own names")
        return _core.table_read(os.fsdecode(data), options, hooks)
    table = _of_memory(data, hooks, feature_names)
    _core.table_categorise(table, [(name, value) for name, value in options if name == "categorical"])
    return table


def _of_memory(data: Any, hooks: Hooks, feature_names: Optional[Sequence[str]]) -> _core.Table:
    if is_stream(data):
        return _core.table_arrow(data.__arrow_c_stream__(None), hooks)          # polars 1.3 has no default
    every = named(data, feature_names)
    if not every:
        raise DataError("the table has no columns")
    columns = [column(name, values) for name, values in every]
    return _core.table_columns(NAME, _rows(columns), columns, hooks)


def is_stream(data: Any) -> bool:
    """Whether the data come by Arrow's interface."""
    return hasattr(data, "__arrow_c_stream__") and not _has_frame(data) and not is_pandas(data)


def _rows(columns: list[Column]) -> int:
    lengths = [len(values) for _, values, *_ in columns]
    for (name, *_), n in zip(columns, lengths):
        if n != lengths[0]:
            raise DataError(f"column '{name:.60}' has {n} values, and column '{columns[0][0]:.60}' has {lengths[0]}")
    return lengths[0]


def _has_frame(data: Any) -> bool:
    pandas = loaded("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def _given(names: Optional[Sequence[Any]], columns: int) -> list[str]:
    """The names of the columns of an array."""
    if names is None:
        return [f"x{j + 1}" for j in range(columns)]
    made = [str(name) for name in names]
    if len(made) != columns:
        raise UsageError(f"feature_names has {len(made)} names, and the table {columns} columns")
    return made


def named(data: Any, feature_names: Optional[Sequence[str]]) -> list[tuple[str, Any]]:
    if _has_frame(data):
        names = list(data.columns) if feature_names is None else feature_names
        return list(zip(_given(names, data.shape[1]), (data.iloc[:, j] for j in range(data.shape[1]))))
    if isinstance(data, Mapping):
        return _of_dict(data)
    if is_pandas(data):
        return [(str(data.name) if getattr(data, "name", None) is not None else _given(feature_names, 1)[0], data)]
    if hasattr(data, "tocsc") and hasattr(data, "toarray"):                     # SciPy's
        raise DataError("sparse matrices are not understood; give data.toarray()")
    if not is_array(data) and hasattr(data, "__array__"):
        import numpy
        data = numpy.asarray(data)
    return _of_array(data, feature_names) if is_array(data) else _of_rows(data, feature_names)


def _is_single(value: Any) -> bool:
    return isinstance(value, (str, bytes)) or not (isinstance(value, Iterable) or hasattr(value, "__array__")) or \
        getattr(value, "ndim", 1) == 0


def _of_dict(data: Mapping[Any, Any]) -> list[tuple[str, Any]]:
    """A dict of columns, or of the values of one row."""
    single = [name for name, values in data.items() if _is_single(values)]
    if len(single) == len(data):
        return [(str(name), [value]) for name, value in data.items()]
    if single:
        raise DataError(f"column '{str(single[0]):.60}' is a single value; give a list with one value per row")
    return [(str(name), values) for name, values in data.items()]


def _of_array(data: Any, feature_names: Optional[Sequence[str]]) -> list[tuple[str, Any]]:
    if data.dtype.names:
        return [(name, data[name]) for name in data.dtype.names]
    if data.ndim == 1:
        return [(_given(feature_names, 1)[0], data)]
    if data.ndim != 2:
        raise DataError(f"the array has {data.ndim} dimensions; rows and columns are needed")
    return list(zip(_given(feature_names, data.shape[1]), (data[:, j] for j in range(data.shape[1]))))


def _of_rows(data: Any, feature_names: Optional[Sequence[str]]) -> list[tuple[str, Any]]:
    """A list of rows, each a list of values or a dict."""
    if not isinstance(data, Iterable):
        raise UsageError(f"data of type {type(data).__name__} are not understood; give a path, a data frame, a dict of "
                         "columns or an array")
    rows: list[Any] = list(data)
    if rows and all(isinstance(row, Mapping) for row in rows):
        return [(str(name), [row.get(name) for row in rows]) for name in rows[0]]
    if not all(isinstance(row, Iterable) and not isinstance(row, (str, bytes)) for row in rows):
        raise DataError("the rows of the table must be lists of values")
    rows = [list(row) for row in rows]
    if len({len(row) for row in rows}) != 1:
        raise DataError("the rows of the table differ in length, or there are none")
    columns = list(zip(*rows))
    return list(zip(_given(feature_names, len(columns)), columns))


# ---- columns beside the table ----

def free_name(table: _core.Table, wanted: Union[str, None], otherwise: str) -> str:
    """A name that no column has."""
    name, taken = wanted or otherwise, set(table.names)
    while name in taken:
        name += "_"
    return name


def add(table: _core.Table, values: Any, otherwise: str, hooks: Hooks, category: bool = False) -> str:
    """Adds a column; its name is that of the values, if they have one."""
    own = getattr(values, "name", None)
    name = free_name(table, str(own) if own is not None and is_pandas(values) else None, otherwise)
    add_as(table, values, name, hooks, category, otherwise)
    return name


def add_as(table: _core.Table, values: Any, name: str, hooks: Hooks, category: bool, what: str = "y") -> None:
    """Adds a column of that name; category: its numbers are labels."""
    made = column(name, values)
    if len(made[1]) != table.rows:
        raise DataError(f"{what} has {len(made[1])} values, and the table {table.rows} rows")
    _core.table_add(table, made, hooks)
    if category:
        _core.table_categorise(table, [("categorical", [name])])
