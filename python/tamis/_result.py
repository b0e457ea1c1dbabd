"""Results of selections and comparisons."""
from __future__ import annotations

import html
import importlib
import json
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _core, _plots, _summary
from ._errors import DataError, UsageError
from ._model import Model

if TYPE_CHECKING:
    import matplotlib.axes

Path = Union[str, "os.PathLike[str]"]


def frame(rows: list[dict[str, Any]]) -> Any:
    """A DataFrame where pandas is installed, else the rows."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def _labels(labels: Optional[Mapping[str, str]]) -> list[str]:
    return [f"{name}={text}" for name, text in (labels or {}).items()]


class _Page:
    """What the JSON of a run gives: values, the page and its figures."""

    def __init__(self, text: str) -> None:
        self._json = text
        self._value: Optional[dict[str, Any]] = None

    @property
    def value(self) -> dict[str, Any]:
        """All of it, as in the JSON of the command line (docs/result.md)."""
        if self._value is None:
            self._value = json.loads(self._json)
        return self._value

    @property
    def notes(self) -> list[str]:
        """Remarks on the run."""
        return list(self.value.get("notes", ()))

    def to_json(self) -> str:
        """The text that ``tamis select -o`` writes."""
        return self._json

    def save(self, path: Path) -> None:
        """Writes the JSON to a file, from which ``load_result`` and ``tamis report`` read it."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(self._json)

    def report(self, path: Path, *, labels: Optional[Mapping[str, str]] = None) -> None:
        """Writes the result as one self-contained HTML page; labels: what figures call columns."""
        page = _core.report(self._json, None, _labels(labels))
        with open(path, "w", encoding="utf-8") as f:
            f.write(page)

    def figure(self, name: str = "auto", *, labels: Optional[Mapping[str, str]] = None) -> str:
        """One figure as SVG text; ``tamis.methods("figure")`` lists the names."""
        return _core.report(self._json, name, _labels(labels))

    def _repr_html_(self) -> str:
        first = html.escape(first_screen(_core.report(self._json, None, [])), quote=True)
        return ('<iframe sandbox="" style="width:100%;height:26em;border:1px solid #8884" title="tamis" '
                f'srcdoc="{first}"></iframe>')

    def __str__(self) -> str:
        return repr(self)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_value": None}


def first_screen(page: str) -> str:
    """The page up to the end of its first section, without scripts."""
    end = page.find("</section>")
    head = page[:end] + "</section></main></body></html>" if end >= 0 else page
    return re.sub(r"<script\b.*?</script>", "", head, flags=re.S)


class Result(_Page):
    """What ``tamis.select`` found.

    Attributes
    ----------
    selected : list of str
        The inputs of the answer, the most relevant first.
    model : Model or None
        The fitted model; None in a result that was read from JSON.
    value : dict
        The whole result.
    """

    model: Optional[Model]

    def __init__(self, text: str, model: Optional[Model] = None) -> None:
        super().__init__(text)
        self.model = model

    @property
    def selected(self) -> list[str]:
        return list(self.value["selected"])

    @property
    def method(self) -> str:
        return str(self.value["method"])

    @property
    def inputs(self) -> Any:
        """Every candidate with its relevance, rank and importance: a DataFrame, or dicts without pandas."""
        return frame(self.value["inputs"])

    @property
    def path(self) -> Any:
        """The sets that the search passed through: a DataFrame, or dicts without pandas."""
        chosen = self.value.get("chosen_step")
        return frame([{**step, "chosen": k == chosen} for k, step in enumerate(self.value["path"])])

    @property
    def error(self) -> dict[str, Any]:
        return dict(self.value["error"])

    @property
    def folds(self) -> Any:
        """What each outer fold (or else each resample) chose, and its error: a DataFrame, or dicts without pandas."""
        kind = "outer" if "outer" in self.value else "bootstrap"
        block = self.value.get(kind, {})
        errors, everything = block.get("errors", ()), block.get("errors_all_inputs", ())
        return frame([{"kind": kind, "selected": chosen, "error": errors[k] if k < len(errors) else None,
                       "all_inputs": everything[k] if k < len(everything) else None}
                      for k, chosen in enumerate(block.get("sets", ()))])

    @property
    def summary(self) -> str:
        """The answer as text."""
        return _summary.of_result(self.value)

    def __repr__(self) -> str:
        return self.summary

    def plot_path(self, ax: Optional[matplotlib.axes.Axes] = None) -> matplotlib.axes.Axes:
        """The criterion along the path, with the chosen step (needs matplotlib)."""
        return _plots.path(self.value, ax)

    def plot_importance(self, ax: Optional[matplotlib.axes.Axes] = None, most: int = 20) -> matplotlib.axes.Axes:
        """Importance of the inputs with one standard error, or else their relevance (needs matplotlib)."""
        return _plots.importance(self.value, ax, most)

    def plot_profiles(self, ax: Any = None, inputs: Optional[list[str]] = None) -> Any:
        """How the prediction changes with each input: one Axes per input (needs matplotlib)."""
        return _plots.profiles(self.value, ax, inputs)


class Comparison(_Page):
    """What ``tamis.compare`` found: methods on the same outer folds."""

    @property
    def methods(self) -> Any:
        """One row per method: a DataFrame, or dicts without pandas."""
        rows = []
        for m in self.value["methods"]:
            error, inputs = m.get("error") or {}, m.get("inputs") or {}
            rows.append({"method": m["method"], "error": error.get("mean"), "sd": error.get("sd"),
                         "all_inputs": error.get("all_inputs"), "inputs": inputs.get("mean"),
                         "stability": m.get("stability"), "seconds": m.get("seconds"), "failed": m.get("failed")})
        return frame(rows)

    @property
    def better(self) -> Any:
        """Pairs of methods with the p-values of their difference: a DataFrame, or dicts without pandas."""
        return frame(self.value["better"])

    def __repr__(self) -> str:
        return _summary.of_comparison(self.value)


def load_result(path: Path) -> Union[Result, Comparison]:
    """The result that ``Result.save`` or ``tamis select -o`` wrote, without its model."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    try:
        value = json.loads(text)
    except ValueError as e:
        raise DataError(f"{os.fspath(path)}: not JSON: {e}") from None
    if not isinstance(value, dict) or "tamis" not in value:
        raise DataError(f"{os.fspath(path)}: not a result of tamis")
    return Comparison(text) if "methods" in value and "selected" not in value else Result(text)
