"""Tables that are given back: what the library has made or read, and the user's own data without some rows and columns.

Values keep their types: no number, text or date is written out and guessed again."""
from __future__ import annotations

import datetime
import importlib
from collections.abc import Iterator, Mapping
from typing import Any, Optional

from . import _core
from ._columns import is_array, is_pandas, loaded

_EPOCH = datetime.datetime(1970, 1, 1)
_DAY = 86400e6                  # in microseconds


def pandas_or_none() -> Any:
    try:
        return importlib.import_module("pandas")
    except ImportError:
        return None


def made(columns: dict[str, Any]) -> Any:
    """A DataFrame where pandas is installed, else the columns."""
    pandas = pandas_or_none()
    return columns if pandas is None else pandas.DataFrame(columns)


# ---- tables of the library ----

def of_table(table: _core.Table) -> Any:
    """Numbers as doubles, categories as texts, dates as datetimes; of times of day without a date, times."""
    return made({name: _values(memoryview(data).cast("d"), levels, is_date)
                 for name, data, levels, is_date in _core.table_values(table)})


def _values(data: Any, levels: Optional[list[str]], is_date: bool) -> Any:
    pandas = pandas_or_none()
    if levels is not None:
        return [levels[int(v)] if v == v else None for v in data]
    if not is_date:
        return data.tolist() if pandas is None else importlib.import_module("numpy").array(data)
    dates = [None if v != v else _EPOCH + datetime.timedelta(microseconds=round(v * _DAY)) for v in data]
    if all(v is None or v.date() == _EPOCH.date() for v in dates):
        return [v and v.time() for v in dates]
    if pandas is None:
        return dates
    try:
        return pandas.to_datetime(dates)
    except pandas.errors.OutOfBoundsDatetime:
        return pandas.Series(dates, dtype=object)


# ---- the user's own data ----

def lasting(data: Any) -> Any:
    """The data, with what can be gone through only once as lists."""
    if isinstance(data, Mapping):
        return {name: list(values) if isinstance(values, Iterator) else values for name, values in data.items()}
    return list(data) if isinstance(data, Iterator) else data


def taken(values: Any, rows: list[int]) -> Any:
    """Some values of a column, without its index."""
    if is_pandas(values):
        some = values.take(rows)
        return some.array if hasattr(some, "array") else some
    if hasattr(values, "__array__") and not is_array(values):
        values = importlib.import_module("numpy").asarray(values)
    return values[rows] if is_array(values) else [values[i] for i in rows]


def _of_pandas(data: Any, rows: list[int], columns: list[int], beside: dict[str, Any]) -> Any:
    left = data.iloc[rows, columns].copy()
    for name, values in beside.items():
        left[name] = values
    return left


def _of_polars(data: Any, rows: list[int], columns: list[int], beside: dict[str, Any]) -> Any:
    polars = loaded("polars")
    return data[rows].select(data.columns[j] for j in columns).with_columns(
        polars.Series(name, list(values)) for name, values in beside.items())


def _of_arrow(data: Any, rows: list[int], columns: list[int], beside: dict[str, Any]) -> Any:
    left = data.take(rows).select(columns)
    for name, values in beside.items():
        left = left.append_column(name, [list(values)])
    return left


_FRAMES = (("pandas", "DataFrame", _of_pandas), ("polars", "DataFrame", _of_polars), ("pyarrow", "Table", _of_arrow))


def part(data: Any, rows: list[int], columns: list[int], beside: dict[str, Any]) -> Any:
    """Rows and columns of a data frame by their numbers, and the columns beside them; None of other data."""
    for module, kind, take in _FRAMES:
        if loaded(module) is not None and isinstance(data, getattr(loaded(module), kind)):
            return take(data, rows, columns, {name: taken(values, rows) for name, values in beside.items()})
    return None
