"""tamis: which inputs matter, how certain is that, and the smallest accurate model that uses only them.

    import tamis
    result = tamis.select("boston.csv", target="medv", holdout=0.2)
    print(result)
    result.model.predict("new.csv")

Functions: select, compare, describe, clean, generate, load, load_result, methods, options. Estimators of scikit-learn:
TamisSelector, TamisRegressor, TamisClassifier.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._core import version as __version__
from ._errors import DataError, NumericError, OutOfMemory, SystemFailure, TamisError, TamisWarning, UsageError
from ._functions import clean, compare, describe, generate, methods, options, select
from ._model import Model, load
from ._result import Comparison, Result, load_result

if TYPE_CHECKING:
    from ._estimators import TamisClassifier, TamisRegressor, TamisSelector

_ESTIMATORS = ("TamisClassifier", "TamisRegressor", "TamisSelector")

__all__ = ["Comparison", "DataError", "Model", "NumericError", "OutOfMemory", "Result", "SystemFailure",
           "TamisClassifier", "TamisError", "TamisRegressor", "TamisSelector", "TamisWarning", "UsageError",
           "__version__", "clean", "compare", "describe", "generate", "load", "load_result", "methods", "options",
           "select"]


def __getattr__(name: str) -> Any:
    """The estimators, which import scikit-learn."""
    if name in _ESTIMATORS:
        import importlib
        return getattr(importlib.import_module("tamis._estimators"), name)
    raise AttributeError(f"module 'tamis' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *_ESTIMATORS])
