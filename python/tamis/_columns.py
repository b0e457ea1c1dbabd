"""One column: numbers as buffers, categories as codes with levels, texts as lists, dates as numbers with their unit.

Nothing is copied that the library can read where it lies. What is missing: None, NaN, NaT, pandas.NA. Booleans are
categories, as they are in a file."""
from __future__ import annotations

import array
import datetime
import decimal
import numbers
import sys
from collections.abc import Sequence
from typing import Any, Optional

from ._errors import DataError

# name, values (a buffer, or a list of str and None), levels, missing (bytes), units per day of a date or 0
Column = tuple[str, Any, Optional[list[str]], Any, float]

_BOOLEANS = ["False", "True"]
_PER_DAY = {"D": 1.0, "h": 24.0, "m": 1440.0, "s": 86400.0, "ms": 86400e3, "us": 86400e6, "ns": 86400e9}
_EPOCH = datetime.datetime(1970, 1, 1)
_MISSING = ("NoneType", "NAType", "NaTType")


def loaded(name: str) -> Any:
    """A module if the program has imported it: without it, no object can be its own."""
    return sys.modules.get(name)


def is_array(values: Any) -> bool:
    numpy = loaded("numpy")
    return numpy is not None and isinstance(values, numpy.ndarray)


def is_pandas(values: Any) -> bool:
    pandas = loaded("pandas")
    if pandas is None:
        return False
    return isinstance(values, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray))


def column(name: str, values: Any) -> Column:
    """The column of that name."""
    if is_pandas(values):
        return _of_pandas(name, values)
    if is_array(values):
        return _of_numpy(name, values)
    if hasattr(values, "__array__"):
        import numpy
        return _of_numpy(name, numpy.asarray(values))
    if isinstance(values, (array.array, memoryview)):
        return name, values, None, None, 0.0
    return _of_objects(name, list(values))


# ---- Python's own objects ----

def _is_missing(value: Any) -> bool:
    return type(value).__name__ in _MISSING or (isinstance(value, float) and value != value)


def _all(kinds: Sequence[type], of: Any) -> bool:
    return all(issubclass(k, of) or (bool in of and k.__name__ in ("bool_", "bool")) for k in kinds)


def _seconds(value: Any) -> float:
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if value.tzinfo is not None:
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return float((value - _EPOCH).total_seconds())


def _of_objects(name: str, values: list[Any]) -> Column:
    kinds = [k for k in set(map(type, values)) if k.__name__ not in _MISSING]
    nan = float("nan")
    if kinds and _all(kinds, (bool,)):
        codes = array.array("b", (-1 if _is_missing(v) else bool(v) for v in values))
        return name, codes, _BOOLEANS, None, 0.0
    if _all(kinds, (numbers.Real, decimal.Decimal)):
        return name, array.array("d", (nan if _is_missing(v) else float(v) for v in values)), None, None, 0.0
    if _all(kinds, (datetime.date,)):                   # and datetime.datetime, pandas.Timestamp
        return name, array.array("d", (nan if _is_missing(v) else _seconds(v) for v in values)), None, None, 86400.0
    for kind in kinds:
        if issubclass(kind, (list, tuple, dict, set, complex)):
            raise DataError(f"column '{name:.60}' has values of type {kind.__name__}; numbers, texts, booleans and "
                            "dates are understood")
    return name, [None if _is_missing(v) else _label(v) for v in values], None, None, 0.0


def _label(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


# ---- NumPy ----

def _of_numpy(name: str, values: Any) -> Column:
    import numpy
    if values.ndim != 1:
        raise DataError(f"column '{name:.60}' has {values.ndim} dimensions; one is needed")
    if values.strides == (0,):                          # one value for all rows, as from broadcast_to
        values = values.copy()
    kind = values.dtype.kind
    if kind == "M":
        return _of_dates(name, values)
    if kind == "m":
        return name, values / numpy.timedelta64(1, "s"), None, None, 0.0
    if kind == "b":
        return name, values.view(numpy.uint8), _BOOLEANS, None, 0.0
    if kind in "US":
        return name, [_label(v) for v in values.tolist()], None, None, 0.0
    if kind not in "fiu":
        return _of_objects(name, values.tolist())
    if not values.dtype.isnative or (kind == "f" and values.dtype.itemsize not in (4, 8)):
        values = values.astype(numpy.float64)
    return name, values, None, None, 0.0


def _of_dates(name: str, values: Any) -> Column:
    import numpy
    unit, count = numpy.datetime_data(values.dtype)
    if unit not in _PER_DAY or count != 1 or not values.dtype.isnative:
        unit = unit if unit in _PER_DAY else "D" if unit in ("W", "M", "Y", "generic") else "ns"
        values = values.astype(f"datetime64[{unit}]")
    return name, values.view(numpy.int64), None, None, _PER_DAY[unit]


# ---- pandas ----

def _of_pandas(name: str, values: Any) -> Column:
    import pandas
    series = values if isinstance(values, pandas.Series) else pandas.Series(values)
    kind = series.dtype
    if isinstance(kind, pandas.CategoricalDtype):
        return name, series.cat.codes.to_numpy(), [_label(v) for v in series.cat.categories], None, 0.0
    if isinstance(kind, pandas.SparseDtype):
        return _of_pandas(name, series.sparse.to_dense())
    if isinstance(kind, pandas.PeriodDtype):
        return _of_pandas(name, series.dt.to_timestamp())
    if getattr(kind, "tz", None) is not None:
        return _of_numpy(name, series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    if not pandas.api.types.is_extension_array_dtype(kind):
        return _of_numpy(name, series.to_numpy())
    return _of_extension(name, series)


def _of_extension(name: str, series: Any) -> Column:
    """Arrays of pandas that can hold NA."""
    kind = getattr(series.dtype, "kind", "O")
    if kind == "b":
        mask = series.isna().to_numpy().tobytes()
        return name, series.fillna(False).to_numpy(dtype="uint8"), _BOOLEANS, mask, 0.0
    if kind in "fiu":
        return name, series.to_numpy(dtype="float64", na_value=float("nan")), None, None, 0.0
    if kind == "M":
        return _of_numpy(name, series.to_numpy(dtype="datetime64[ns]"))
    return _of_objects(name, series.astype(object).tolist())
