"""Estimators for scikit-learn: a selector, a regressor and a classifier over :func:`tamis.select`."""
import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from . import _checks
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
    """

    _task = "regression"

    def fit(self, X, y, sample_weight=None, groups=None):
        X = _checks.inputs(self, X, fit=True)
        y = _checks.measurements(self, X, y)
        return self._run(X, y, sample_weight, groups, self._task)

    def predict(self, X):
        """Predict the target.

        Parameters
        ----------
        ROWS

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The predictions; NaN where an input is missing and ``options`` say ``{"impute": "none"}``.
        """
        return self._predicted(X)


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

    _task = "classification"

    def fit(self, X, y, sample_weight=None, groups=None):
        X = _checks.inputs(self, X, fit=True)
        self.classes_, names = _checks.labels(self, X, y, sample_weight)
        return self._run(X, names, sample_weight, groups, self._task)

    def _index(self, names):
        """The place in classes_ of each name of a class; None, for which there is none, is an error."""
        place = {name: i for i, name in enumerate(_checks.class_names(self.classes_))}
        found = np.array([place.get(name, -1) for name in names], dtype=int)
        if (found < 0).any():
            raise ValueError(f"row {(found < 0).argmax()} of X has missing values, which the model does not fill in; "
                             'fit it with options={"impute": "median"}')
        return found

    def predict(self, X):
        """Predict the class.

        Parameters
        ----------
        ROWS

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The most probable classes.
        """
        names = self._predicted(X)
        return self.classes_[self._index(names)]

    def predict_proba(self, X):
        """Predict the probability of each class.

        Parameters
        ----------
        ROWS

        Returns
        -------
        probability : ndarray of shape (n_samples, n_classes)
            Probabilities in the order of ``classes_``; 0 for a class that had no weight in the fit, NaN where an input
            is missing and ``options`` say ``{"impute": "none"}``.
        """
        rows = self._rows(X)
        score = self.model_.predict_proba(rows, threads=_checks.threads(self.n_jobs))
        probability = np.zeros((len(score), len(self.classes_)))
        probability[:, self._index(self.model_.classes)] = score
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

    def __init__(self, *, task="auto", method="auto", max_inputs=None, must=None, fdr=None, outer=None, random_state=1,
                 n_jobs=None, options=None):
        super().__init__(method=method, max_inputs=max_inputs, must=must, fdr=fdr, outer=outer,
                         random_state=random_state, n_jobs=n_jobs, options=options)
        self.task = task

    @property
    def _task(self):
        return self.task

    def fit(self, X, y, sample_weight=None, groups=None):
        X = _checks.inputs(self, X, fit=True)
        self.task_ = _checks.task(self, X, y)
        if self.task_ == "classification":
            y = _checks.labels(self, X, y, sample_weight)[1]
        else:
            y = _checks.measurements(self, X, y)
        return self._run(X, y, sample_weight, groups, self.task_)

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def get_feature_names_out(self, input_features=None):
        """The names of the selected columns.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns; None: those of the fit, or x0, x1, ...

        Returns
        -------
        names : ndarray of str
            The names of the selected columns.
        """
        check_is_fitted(self)
        return super().get_feature_names_out(input_features)

    def transform(self, X):
        """Keep the selected columns.

        Parameters
        ----------
        ROWS

        Returns
        -------
        X : ndarray of shape (n_samples, n_selected)
            The selected columns; a DataFrame whose columns keep their types after ``set_output(transform="pandas")``.
        """
        if not _checks.is_frame(X) or not self.get_support().any():
            return super().transform(X)
        chosen = _checks.columns(_checks.inputs(self, X, fit=False), self.get_support(indices=True))
        return np.asarray(chosen) if _get_output_config("transform", self)["dense"] == "default" else chosen
