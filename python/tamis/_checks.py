"""What scikit-learn wants checked before a fit, for every release from 1.2 on.

A table with named columns (pandas, polars) goes to tamis as it is, so that categories, texts, dates and missing
values keep their meaning; anything else becomes an array of numbers by scikit-learn's own rules and messages.
"""
from __future__ import annotations

import functools
import numbers
from collections.abc import Mapping
from typing import Any, Optional

import numpy as np
import numpy.typing as npt
from sklearn.utils import assert_all_finite, check_array, check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight

from ._columns import loaded
from ._frames import pandas_or_none
from ._functions import methods

Array = npt.NDArray[Any]

try:
    from sklearn.utils.validation import validate_data
except ImportError:                     # before 1.6
    def validate_data(estimator: Any, X: Any, *, reset: bool, skip_check_array: bool = False,
                      ensure_all_finite: Any = True, **check: Any) -> Any:
        if not skip_check_array:
            return estimator._validate_data(X, reset=reset, force_all_finite=ensure_all_finite, **check)
        estimator._check_feature_names(X, reset=reset)
        estimator._check_n_features(X, reset=reset)
        return X

LEAST_ROWS = 3                          # fewer are an error of the library, too
MOST_CLASSES = 20                       # whole numbers with more values than this are measurements, not classes


@functools.lru_cache(maxsize=None)
def _rows_of_methods() -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in methods()}


def method_row(name: str) -> Mapping[str, Any]:
    """What the library says of a method; nothing where there is no such method, which the fit will say."""
    return _rows_of_methods().get(name, {"task": "both", "two_classes": False})


def is_frame(X: Any) -> bool:
    """Whether X is a table with named columns: a pandas or polars DataFrame."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def known(X: Any) -> Any:
    """X, but tables of pyarrow, which scikit-learn does not know, as a DataFrame."""
    arrow = loaded("pyarrow")
    return X.to_pandas() if arrow is not None and isinstance(X, (arrow.Table, arrow.RecordBatch)) else X


def columns(X: Any, positions: Any) -> Any:
    """Some columns of a DataFrame, as a DataFrame."""
    return X.iloc[:, positions] if hasattr(X, "iloc") else X[:, [int(j) for j in positions]]


def _check_size(estimator: Any, X: Any, least_rows: int) -> None:
    for axis, least, what in ((0, least_rows, "sample"), (1, 1, "feature")):
        if X.shape[axis] < least:
            raise ValueError(f"Found array with {X.shape[axis]} {what}(s) (shape={X.shape}) while a minimum of "
                             f"{least} is required by {type(estimator).__name__}.")


def names_of(estimator: Any) -> list[str]:
    """The names of the columns that the estimator was fitted on; x0, x1, ... where they have none."""
    given = getattr(estimator, "feature_names_in_", None)
    return [f"x{i}" for i in range(estimator.n_features_in_)] if given is None else list(given)


def _of_names(X: Any, values: bool) -> Any:
    """A DataFrame whose names scikit-learn sees, without values if it wants none: some releases overlook polars'."""
    pandas = pandas_or_none()
    if pandas is None or not is_frame(X) or hasattr(X, "iloc"):
        return X
    return pandas.DataFrame(np.asarray(X) if values else None, columns=list(X.columns))


def _renamed(estimator: Any, X: Any) -> Any:
    """A DataFrame under the names of the fit; scikit-learn lets differ what has no names, such as numbered columns."""
    names = names_of(estimator)
    if list(X.columns) == names:
        return X
    return X.set_axis(names, axis=1) if hasattr(X, "set_axis") else X.rename(dict(zip(X.columns, names)))


def inputs(estimator: Any, X: Any, *, fit: bool) -> Any:
    """X as tamis takes it, its columns checked against those of the fit (or remembered, if this is the fit). After a
    fit on an array X is one of numbers; after a fit on a DataFrame an array has its columns by position."""
    least_rows = LEAST_ROWS if fit else 1
    X = known(X)
    if fit:
        estimator._of_frame = is_frame(X)
    of_frame = getattr(estimator, "_of_frame", hasattr(estimator, "feature_names_in_"))
    if not of_frame or not is_frame(X):
        kinds = {"dtype": None} if of_frame else {}             # texts and dates, too
        X = validate_data(estimator, _of_names(X, True), reset=fit, ensure_all_finite="allow-nan",
                          ensure_min_samples=least_rows, **kinds)
        return X.astype(np.float64) if X.dtype.kind == "b" else X
    validate_data(estimator, _of_names(X, False), reset=fit, skip_check_array=True)
    _check_size(estimator, X, least_rows)
    return _renamed(estimator, X)


def levels_as(values: Array, levels: Optional[list[str]]) -> Any:
    """A column of an array for an input of the model; numbers for one of booleans become booleans."""
    if not levels or not set(levels) <= {"False", "True"} or values.dtype.kind not in "fiu":
        return values
    return [None if v != v else bool(v) for v in values]


def _target(estimator: Any, X: Any, y: Any) -> Array:
    if y is None:
        raise ValueError(f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is "
                         "None.")
    column: Array = column_or_1d(y, warn=True)
    check_consistent_length(X, column)
    return column


def measurements(estimator: Any, X: Any, y: Any) -> Array:
    """The target of a regression, as numbers."""
    numbers_: Array = check_array(_target(estimator, X, y), ensure_2d=False, dtype=np.float64, input_name="y")
    return numbers_


def labels(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> tuple[Array, Array]:
    """The classes of the target, and the name of the class of each row."""
    y = _target(estimator, X, y)
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    classes, index = np.unique(y, return_inverse=True)
    seen = index if sample_weight is None else index[weights(sample_weight, X) > 0]
    if len(np.unique(seen)) > 2 and method_row(estimator.method)["two_classes"]:
        raise ValueError("Only binary classification is supported. The type of the target is multiclass, and method "
                         f"{estimator.method} takes two classes.")
    if len(np.unique(seen)) < 2:
        raise ValueError(f"{type(estimator).__name__} needs rows of at least 2 classes, but y has only one class"
                         + (" among the rows with a weight." if len(classes) > 1 else "."))
    return classes, class_names(classes)[index]


def class_names(classes: Array) -> Array:
    """What results and reports call the classes: their labels as text, or numbers where these are not distinct."""
    names = [str(label) for label in classes]
    distinct = len({name.strip() for name in names} - {""}) == len(names)
    return np.array(names if distinct else [str(i) for i in range(len(names))], dtype=object)


def task(estimator: Any, X: Any, y: Any) -> str:
    """The task of a selector: as its parameter says, or what y looks like."""
    given: str = estimator.task
    if given in ("regression", "classification"):
        return given
    if given != "auto":
        raise ValueError(f"task is {given!r}; use 'auto', 'regression' or 'classification'")
    y = _target(estimator, X, y)
    only: str = method_row(estimator.method)["task"]
    if only != "both":
        return only
    if type_of_target(y) not in ("binary", "multiclass"):
        return "regression"
    return "classification" if y.dtype.kind not in "iuf" or len(np.unique(y)) <= MOST_CLASSES else "regression"


def weights(sample_weight: Any, X: Any) -> Any:
    """Weights of the rows, or None."""
    return None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)


def groups(given: Any, X: Any) -> Optional[Array]:
    """The index of the group of each row, or None."""
    if given is None:
        return None
    given = column_or_1d(given)
    check_consistent_length(X, given)
    index: Array = np.unique(given, return_inverse=True)[1]
    return index


def seed(random_state: Any) -> int:
    """A seed of tamis: a whole number as it is, else one drawn from NumPy's generator."""
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def threads(n_jobs: Optional[int]) -> int:
    """Threads by scikit-learn's convention: None is one, -1 all, -2 all but one."""
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning; use None for one thread, -1 for all cores")
    if n_jobs > 0:
        return int(n_jobs)
    import joblib
    cores: int = joblib.cpu_count()
    return max(1, cores + 1 + int(n_jobs))
