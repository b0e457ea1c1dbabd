"""What the estimators for scikit-learn have in common: parameters, the run, and its result as arrays by column."""
from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Optional, TypeVar, Union

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

import tamis

from . import _checks
from ._checks import Array

Class = TypeVar("Class")
Self = TypeVar("Self", bound="Base")
Position = Mapping[str, int]           # of each column, by its name

_PARAMETERS = """\
method : str, default="auto"
    How inputs are selected; ``tamis.methods()`` lists the methods and their options.
max_inputs : int, default=None
    Select at most so many inputs. None: any number.
must : list of str or int, default=None
    Columns that are always selected, by name or position.
fdr : float, default=None
    Bound on the false discovery rate of the selected inputs (knockoffs), between 0 and 1.
outer : int, default=None
    Folds of a nested validation: the whole run is repeated without each of them and measured there; see
    ``cv_results_``.
random_state : int, RandomState instance or None, default=1
    Seed of every random choice. The default is that of the command line, so that fits can be repeated; None takes
    a new seed from NumPy's generator in each fit.
n_jobs : int, default=None
    Threads. None: one; -1: all cores. Results do not depend on it.
options : dict, default=None
    Further options of the method, named as on the command line with underscores: ``{"select_rule": "se"}``."""

_ATTRIBUTES = """\
support_ : ndarray of bool, shape (n_features,)
    The selected columns.
ranking_ : ndarray of int, shape (n_features,)
    1 for the selected columns; the others follow from 2 on, the most relevant first. Columns that the method does
    not rank share the last place.
feature_importances_ : ndarray of shape (n_features,)
    Growth of the error on held-out rows when the column is permuted; 0 for columns that are not selected, NaN where
    it was not measured.
feature_importances_std_ : ndarray of shape (n_features,)
    Standard errors of ``feature_importances_``.
path_ : dict of ndarrays
    The sets that the search passed through: ``n_features``, ``changed``, ``criterion``, ``chosen``, one entry per
    step. Empty for a method without a path.
cv_results_ : dict of ndarrays
    Only with ``outer``; one entry per outer fold: ``test_error``, ``test_error_all_inputs``, ``criterion``,
    ``n_features``, and ``support``, a row of flags per fold.
result_ : tamis.Result
    All that tamis reports.
model_ : tamis.Model
    The fitted model.
n_features_in_ : int
    Columns seen in the fit.
feature_names_in_ : ndarray of str
    Their names; only where they have names."""

_FIT = """\
Select the inputs and fit the model.

Parameters
----------
X : DataFrame or array-like of shape (n_samples, n_features)
    A DataFrame may have categories, texts, dates and missing values; an array has numbers, and NaN where a
    value is missing.
y : array-like of shape (n_samples,)
    The target.
sample_weight : array-like of shape (n_samples,), default=None
    A row of weight 2 counts as two rows, of weight 0 as none.
groups : array-like of shape (n_samples,), default=None
    Rows of the same group stay together in every fold that tamis makes.

Returns
-------
self : object
    The fitted estimator."""

_ROWS = """\
X : DataFrame or array-like of shape (n_samples, n_features)
    Rows, with the columns of the fit."""

_COMMON = {"PARAMETERS": _PARAMETERS, "ATTRIBUTES": _ATTRIBUTES, "FIT": _FIT, "ROWS": _ROWS}

# Options that have another place here, and where.
_ELSEWHERE = {
    "method": "the parameter method", "max_inputs": "the parameter max_inputs", "must": "the parameter must",
    "fdr": "the parameter fdr", "outer": "the parameter outer", "seed": "the parameter random_state",
    "threads": "the parameter n_jobs", "row_weights": "fit(..., sample_weight=...)", "groups": "fit(..., groups=...)",
    "task": "TamisRegressor, TamisClassifier or TamisSelector(task=...)", "target": "the argument y of fit",
    "lags": "tamis.select: estimators take their rows as independent",
}


def _filled(text: str) -> str:
    """A docstring, with a line that is one of the words replaced by what the estimators have in common."""
    return "\n".join(_COMMON.get(line, line) for line in inspect.cleandoc(text).split("\n"))


def documented(cls: type[Class]) -> type[Class]:
    """Fill in what the estimators have in common, which is written once."""
    for member in (cls, *vars(cls).values()):
        if callable(member) and member.__doc__:
            member.__doc__ = _filled(member.__doc__)
    return cls


class Tags:
    """What scikit-learn asks of an estimator before a fit. First of the bases, so that it has the last word."""

    method: str
    fdr: Optional[float]

    def _given_task(self) -> str:
        raise NotImplementedError

    def _two_classes(self) -> bool:
        return self._given_task() != "regression" and bool(_checks.method_row(self.method)["two_classes"])

    def _more_tags(self) -> dict[str, Any]:                     # before 1.6
        return {"allow_nan": True, "requires_y": True, "binary_only": self._two_classes(),
                "poor_score": self.fdr is not None}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()                       # type: ignore[misc]    # of the bases that follow
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        if self._two_classes():
            from sklearn.utils import ClassifierTags
            tags.classifier_tags = ClassifierTags(multi_class=False)
        for part in (tags.classifier_tags, tags.regressor_tags):
            if part is not None:
                part.poor_score = self.fdr is not None          # a bound on false discoveries may leave nothing
        return tags


class Base(BaseEstimator):
    """What the estimators have in common."""

    def __init__(self, *, method: str = "auto", max_inputs: Optional[int] = None,
                 must: Optional[Sequence[Union[str, int]]] = None, fdr: Optional[float] = None,
                 outer: Optional[int] = None, random_state: Any = 1, n_jobs: Optional[int] = None,
                 options: Optional[Mapping[str, Any]] = None) -> None:
        self.method = method
        self.max_inputs = max_inputs
        self.must = must
        self.fdr = fdr
        self.outer = outer
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.options = options

    def _options(self, names: list[str], frame: bool) -> dict[str, Any]:
        """The options of tamis.select; missing values are filled in unless the user says otherwise."""
        further = dict(self.options or {})
        for name in further:
            if name.replace("-", "_") in _ELSEWHERE:
                raise ValueError(f"options: {name!r} has another place here: use {_ELSEWHERE[name.replace('-', '_')]}")
        own = {"impute": "median", "method": self.method, "max_inputs": self.max_inputs, "fdr": self.fdr,
               "outer": self.outer, "must": None if self.must is None else [_name(c, names) for c in self.must]}
        if not frame:
            own["keep"] = ["x*"]        # columns of an array are inputs, also where they look like row numbers
        return {**{name: value for name, value in own.items() if value is not None}, **further}

    def _run(self: Self, X: Any, y: Any, sample_weight: Any, groups: Any, task: str) -> Self:
        names = _checks.names_of(self)
        frame = _checks.is_frame(X)
        self.result_ = tamis.select(
            X, y, feature_names=names, row_weights=_checks.weights(sample_weight, X),
            groups=_checks.groups(groups, X), task=task, threads=_checks.threads(self.n_jobs),
            seed=_checks.seed(self.random_state), **self._options(names, frame))
        self.model_ = self.result_.model
        self._describe({name: j for j, name in enumerate(names)})
        return self

    def _describe(self, position: Position) -> None:
        """The attributes that scikit-learn's users look for, from the result."""
        value = self.result_.value
        self.support_ = _support(value["selected"], position)
        self.ranking_ = _ranking(value["inputs"], self.support_, position)
        self.feature_importances_ = _by_column(value["inputs"], "importance", position)
        self.feature_importances_std_ = _by_column(value["inputs"], "importance_se", position)
        self.path_ = _path(value)
        if "outer" in value:
            self.cv_results_ = _folds(value["outer"], position)
        elif hasattr(self, "cv_results_"):              # of an earlier fit
            del self.cv_results_

    def _rows(self, X: Any) -> Any:
        """The columns of X that the model uses; at least one, which says how many rows there are."""
        check_is_fitted(self)
        X = _checks.inputs(self, X, fit=False)
        names = _checks.names_of(self)
        position = {name: j for j, name in enumerate(names)}
        used = sorted({_column(name, position) for name in self._model().inputs}) or [0]
        if _checks.is_frame(X):
            return _checks.columns(X, used)
        levels = self._model().levels
        return {names[j]: _checks.levels_as(X[:, j], levels.get(names[j])) for j in used}

    def _model(self) -> tamis.Model:
        if self.model_ is None:
            raise RuntimeError("the run gave no model")
        return self.model_

    def _predicted(self, X: Any) -> Any:
        rows = self._rows(X)            # first: it says whether there is a fit
        return self._model().predict(rows, threads=_checks.threads(self.n_jobs))

    def get_support(self, indices: bool = False) -> Array:
        """The selected columns, as flags or as positions.

        Parameters
        ----------
        indices : bool, default=False
            Return positions instead of flags.

        Returns
        -------
        support : ndarray
            One flag per column, or the positions of the selected ones.

        Examples
        --------
        >>> from sklearn.datasets import make_friedman1
        >>> from tamis import TamisRegressor
        >>> X, y = make_friedman1(n_samples=200, n_features=8, random_state=0)
        >>> TamisRegressor().fit(X, y).get_support()
        array([ True,  True,  True,  True,  True, False, False, False])
        """
        check_is_fitted(self)
        support: Array = self.support_
        return np.flatnonzero(support) if indices else support


def _name(column: Union[str, int], names: list[str]) -> str:
    """The name of a column that is given by name or position."""
    if isinstance(column, str):
        return column
    if not -len(names) <= column < len(names):
        raise ValueError(f"must: there is no column {column}; X has {len(names)} columns")
    return names[column]


def _column(name: str, position: Position) -> int:
    """The column of an input: its own, or that of the date that it is a part of (when.weekday)."""
    return position[name if name in position else name.rpartition(".")[0]]


def _support(selected: Sequence[str], position: Position) -> Array:
    support = np.zeros(len(position), dtype=bool)
    support[[_column(name, position) for name in selected]] = True
    return support


def _by_column(inputs: Sequence[Mapping[str, Any]], field: str, position: Position) -> Array:
    """A number of each column: that of its input, the sum over the parts of a date; 0 where it is not selected."""
    out = np.zeros(len(position))
    for entry in inputs:
        if entry["selected"]:
            out[_column(entry["name"], position)] += np.nan if entry[field] is None else entry[field]
    return out


def _ranking(inputs: Sequence[Mapping[str, Any]], support: Array, position: Position) -> Array:
    rank = np.full(len(position), np.inf)
    for entry in inputs:
        if entry["rank"] is not None:
            column = _column(entry["name"], position)
            rank[column] = min(rank[column], entry["rank"])
    rank[support] = 0
    places: Array = np.unique(rank, return_inverse=True)[1] + (1 if support.any() else 2)
    return places


def _path(value: Mapping[str, Any]) -> dict[str, Array]:
    steps = value["path"]
    return {
        "n_features": np.array([step["size"] for step in steps], dtype=int),
        "changed": np.array([step["changed"] for step in steps], dtype=object),
        "criterion": np.array([step["criterion"] for step in steps], dtype=float),
        "chosen": np.arange(len(steps)) == value.get("chosen_step", -1),
    }


def _folds(outer: Mapping[str, Any], position: Position) -> dict[str, Array]:
    return {
        "test_error": np.array(outer["errors"], dtype=float),
        "test_error_all_inputs": np.array(outer["errors_all_inputs"], dtype=float),
        "criterion": np.array(outer["criteria"], dtype=float),
        "n_features": np.array([len(chosen) for chosen in outer["sets"]]),
        "support": np.array([_support(chosen, position) for chosen in outer["sets"]]),
    }
