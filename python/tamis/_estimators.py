"""Estimators for scikit-learn: a selector, a regressor and a classifier over :func:`tamis.select`."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from . import _checks
from ._checks import Array
from ._estimator_base import Base, Tags, documented

__all__ = ["TamisClassifier", "TamisRegressor", "TamisSelector"]


@documented
class TamisRegressor(Tags, RegressorMixin, Base):
    """Predict a number from the inputs that matter, which are found in the fit.

    Parameters
    ----------
    PARAMETERS

    Attributes
    ----------
    ATTRIBUTES

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from tamis import TamisRegressor
    >>> X, y = make_friedman1(n_samples=200, n_features=8, random_state=0)
    >>> model = TamisRegressor().fit(X, y)
    >>> model.get_support(indices=True)
    array([0, 1, 2, 3, 4])
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    def _given_task(self) -> str:
        return "regression"

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> TamisRegressor:
        """
        FIT

        Examples
        --------
        >>> from sklearn.datasets import make_friedman1
        >>> from tamis import TamisRegressor
        >>> X, y = make_friedman1(n_samples=60, random_state=0)
        >>> TamisRegressor(method="lars").fit(X, y, sample_weight=[1, 2] * 30)
        TamisRegressor(method='lars')
        """
        X = _checks.inputs(self, X, fit=True)
        y = _checks.measurements(self, X, y)
        return self._run(X, y, sample_weight, groups, self._given_task())

    def predict(self, X: Any) -> Array:
        """Predict the target.

        Parameters
        ----------
        ROWS

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The predictions; NaN where an input is missing and ``options`` say ``{"impute": "none"}``.

        Examples
        --------
        >>> from sklearn.datasets import make_friedman1
        >>> from tamis import TamisRegressor
        >>> X, y = make_friedman1(n_samples=60, random_state=0)
        >>> TamisRegressor(method="lars").fit(X, y).predict(X[:2]).shape
        (2,)
        """
        made: Array = self._predicted(X)
        return made


@documented
class TamisClassifier(Tags, ClassifierMixin, Base):
    """Predict a class and its probability from the inputs that matter, which are found in the fit.

    Parameters
    ----------
    PARAMETERS

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, as they are in y, sorted.
    ATTRIBUTES

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from tamis import TamisClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = TamisClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    def _given_task(self) -> str:
        return "classification"

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> TamisClassifier:
        """
        FIT

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from tamis import TamisClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> int(TamisClassifier(max_inputs=1).fit(X, y).get_support().sum())
        1
        """
        X = _checks.inputs(self, X, fit=True)
        self.classes_, names = _checks.labels(self, X, y, sample_weight)
        return self._run(X, names, sample_weight, groups, self._given_task())

    def _index(self, names: Iterable[Any]) -> Array:
        """The place in classes_ of each name of a class; None, for which there is none, is an error."""
        place = {name: i for i, name in enumerate(_checks.class_names(self.classes_))}
        found = np.array([place.get(name, -1) for name in names], dtype=int)
        if (found < 0).any():
            raise ValueError(f"row {(found < 0).argmax()} of X has missing values, which the model does not fill in; "
                             'fit it with options={"impute": "median"}')
        return found

    def predict(self, X: Any) -> Array:
        """Predict the class.

        Parameters
        ----------
        ROWS

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The most probable classes.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from tamis import TamisClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> TamisClassifier(max_inputs=1).fit(X, y).predict(X[:2])
        array([0, 0])
        """
        index = self._index(self._predicted(X))         # first: it says if there was no fit
        classes: Array = self.classes_[index]
        return classes

    def predict_proba(self, X: Any) -> Array:
        """Predict the probability of each class.

        Parameters
        ----------
        ROWS

        Returns
        -------
        probability : ndarray of shape (n_samples, n_classes)
            Probabilities in the order of ``classes_``; 0 for a class that had no weight in the fit, NaN where an input
            is missing and ``options`` say ``{"impute": "none"}``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from tamis import TamisClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> TamisClassifier(max_inputs=1).fit(X, y).predict_proba(X).shape
        (150, 3)
        """
        rows = self._rows(X)
        model = self._model()
        score = model.predict_proba(rows, threads=_checks.threads(self.n_jobs))
        probability = np.zeros((len(score), len(self.classes_)))
        probability[:, self._index(model.classes)] = score
        return probability


@documented
class TamisSelector(Tags, SelectorMixin, Base):
    """Keep the inputs that matter.

    Parameters
    ----------
    task : {"auto", "regression", "classification"}, default="auto"
        What y is. With "auto", texts, flags and whole numbers with at most 20 different values are classes, other
        numbers are not.
    PARAMETERS

    Attributes
    ----------
    task_ : str
        The task of the fit.
    ATTRIBUTES

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from tamis import TamisSelector
    >>> X, y = make_friedman1(n_samples=200, n_features=8, random_state=0)
    >>> TamisSelector().fit_transform(X, y).shape
    (200, 5)
    """

    def __init__(self, *, task: str = "auto", method: str = "auto", max_inputs: Optional[int] = None,
                 must: Optional[Sequence[Union[str, int]]] = None, fdr: Optional[float] = None,
                 outer: Optional[int] = None, random_state: Any = 1, n_jobs: Optional[int] = None,
                 options: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(method=method, max_inputs=max_inputs, must=must, fdr=fdr, outer=outer,
                         random_state=random_state, n_jobs=n_jobs, options=options)
        self.task = task

    def _given_task(self) -> str:
        return self.task

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> TamisSelector:
        """
        FIT

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from tamis import TamisSelector
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> TamisSelector(max_inputs=1).fit(X, y).task_
        'classification'
        """
        X = _checks.inputs(self, X, fit=True)
        self.task_ = _checks.task(self, X, y)
        if self.task_ == "classification":
            y = _checks.labels(self, X, y, sample_weight)[1]
        else:
            y = _checks.measurements(self, X, y)
        return self._run(X, y, sample_weight, groups, self.task_)

    def _get_support_mask(self) -> Array:
        check_is_fitted(self)
        support: Array = self.support_
        return support

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the selected columns.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns; None: those of the fit, or x0, x1, ...

        Returns
        -------
        names : ndarray of str
            The names of the selected columns.

        Examples
        --------
        >>> from sklearn.datasets import make_friedman1
        >>> from tamis import TamisSelector
        >>> X, y = make_friedman1(n_samples=200, n_features=8, random_state=0)
        >>> TamisSelector().fit(X, y).get_feature_names_out()
        array(['x0', 'x1', 'x2', 'x3', 'x4'], dtype=object)
        """
        check_is_fitted(self)
        names: Array = super().get_feature_names_out(input_features)
        return names

    def transform(self, X: Any) -> Any:
        """Keep the selected columns.

        Parameters
        ----------
        ROWS

        Returns
        -------
        X : ndarray of shape (n_samples, n_selected)
            The selected columns; a DataFrame whose columns keep their types after ``set_output(transform="pandas")``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from tamis import TamisSelector
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> selector = TamisSelector(max_inputs=1).set_output(transform="pandas")
        >>> selector.fit(X, y).transform(X).shape
        (150, 1)
        """
        X = _checks.known(X)
        if not _checks.is_frame(X) or not self.get_support().any():
            return super().transform(X)
        _checks.inputs(self, X, fit=False)
        chosen = _checks.columns(X, self.get_support(indices=True))
        return np.asarray(chosen) if _get_output_config("transform", self)["dense"] == "default" else chosen
