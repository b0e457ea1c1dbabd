"""Results of selections and comparisons."""
from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _core, _plots, _summary
from ._errors import DataError, UsageError
from ._frames import pandas_or_none
from ._model import Model

if TYPE_CHECKING:
    import matplotlib.axes

Path = Union[str, "os.PathLike[str]"]


def frame(rows: list[dict[str, Any]]) -> Any:
    """A DataFrame where pandas is installed, else the rows."""
    pandas = pandas_or_none()
    return rows if pandas is None else pandas.DataFrame(rows)


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
        """Give the whole result as JSON.

        Returns
        -------
        str
            The text that ``tamis select -o`` or ``tamis compare -o`` writes.

        Examples
        --------
        >>> import json, tamis
        >>> result = tamis.select(tamis.generate("linear", rows=60), "y", method="lars")
        >>> json.loads(result.to_json())["method"]
        'lars'
        """
        return self._json

    def save(self, path: Path) -> None:
        """Write the JSON to a file.

        Parameters
        ----------
        path : path
            The file, which ``load_result`` and the command ``tamis report`` read.

        Examples
        --------
        >>> import tempfile, tamis
        >>> result = tamis.select(tamis.generate("linear", rows=60), "y", method="lars")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result.save(folder + "/linear.json")
        ...     tamis.load_result(folder + "/linear.json").selected == result.selected
        True
        """
        with open(path, "w", encoding="utf-8") as f:
            f.write(self._json)

    def report(self, path: Path, *, labels: Optional[Mapping[str, str]] = None) -> None:
        """Write the result as one self-contained HTML page.

        Parameters
        ----------
        path : path
            The file.
        labels : dict of str, optional
            What figures call columns.

        Examples
        --------
        >>> import os, tempfile, tamis
        >>> result = tamis.select(tamis.generate("linear", rows=60), "y", method="lars")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result.report(folder + "/linear.html", labels={"x1": "width in mm"})
        ...     os.listdir(folder)
        ['linear.html']
        """
        page = _core.report(self._json, None, _labels(labels))
        with open(path, "w", encoding="utf-8") as f:
            f.write(page)

    def figure(self, name: str = "auto", *, labels: Optional[Mapping[str, str]] = None) -> str:
        """Draw one figure of the page.

        Parameters
        ----------
        name : str, default="auto"
            Which one; ``tamis.methods("figure")`` lists the names.
        labels : dict of str, optional
            What the figure calls columns.

        Returns
        -------
        str
            SVG.

        Examples
        --------
        >>> import tamis
        >>> result = tamis.select(tamis.generate("linear", rows=60), "y", method="lars")
        >>> result.figure("path").lstrip()[:4]
        '<svg'
        """
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

    Printed, it is the answer as text; a notebook shows the first screen of its page.

    Parameters
    ----------
    text : str
        The result as JSON.
    model : Model, optional
        The fitted model.

    Attributes
    ----------
    model : Model or None
        The fitted model; None in a result that was read from JSON.

    See Also
    --------
    tamis.load_result : The result in a file.

    Examples
    --------
    >>> import tamis
    >>> table = tamis.generate("friedman1", rows=100, useless=3)
    >>> result = tamis.select(table, "y", method="lars", outer=3)
    >>> sorted(result.selected)[:3]
    ['x1', 'x2', 'x4']
    >>> len(result.inputs), len(result.folds), result.method
    (8, 3, 'lars')
    >>> bool(result.error["selected"] < result.error["baseline"])
    True
    """

    model: Optional[Model]

    def __init__(self, text: str, model: Optional[Model] = None) -> None:
        super().__init__(text)
        self.model = model

    @property
    def selected(self) -> list[str]:
        """The inputs of the answer, the most relevant first."""
        return list(self.value["selected"])

    @property
    def method(self) -> str:
        """The method that chose them; of ``auto``, the one that it took."""
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
        """Errors of the answer, with all inputs and of the best constant (docs/result.md says what each is)."""
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
        """Draw the criterion along the path, with the chosen step.

        Needs matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default the current axes of pyplot.

        Returns
        -------
        matplotlib.axes.Axes
            The axes that were drawn on.

        Examples
        --------
        >>> import matplotlib.figure, tamis
        >>> result = tamis.select(tamis.generate("linear", rows=60), "y", method="lars")
        >>> ax = result.plot_path(matplotlib.figure.Figure().subplots())
        >>> ax.get_xlabel()
        'inputs'
        """
        drawn: matplotlib.axes.Axes = _plots.path(self.value, ax)
        return drawn

    def plot_importance(self, ax: Optional[matplotlib.axes.Axes] = None, most: int = 20) -> matplotlib.axes.Axes:
        """Draw the importance of the inputs with one standard error, or else their relevance.

        Needs matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default the current axes of pyplot.
        most : int, default=20
            How many inputs to draw, the largest.

        Returns
        -------
        matplotlib.axes.Axes
            The axes that were drawn on.

        Examples
        --------
        >>> import matplotlib.figure, tamis
        >>> result = tamis.select(tamis.generate("linear", rows=60), "y", method="lars")
        >>> ax = result.plot_importance(matplotlib.figure.Figure().subplots(), most=5)
        >>> ax.get_xlabel()
        'increase of the error without the input'
        """
        drawn: matplotlib.axes.Axes = _plots.importance(self.value, ax, most)
        return drawn

    def plot_profiles(self, ax: Any = None, inputs: Optional[list[str]] = None) -> Any:
        """Draw how the prediction changes with each input.

        Needs matplotlib.

        Parameters
        ----------
        ax : Axes or array of Axes, optional
            Where to draw, one of several axes per input; by default in a new figure.
        inputs : list of str, optional
            Of which inputs; by default of all that have profiles.

        Returns
        -------
        Axes or ndarray of Axes
            What was drawn on: one of the axes per input.

        Examples
        --------
        >>> import matplotlib.figure, tamis
        >>> result = tamis.select(tamis.generate("linear", rows=60), "y", method="lars")
        >>> ax = result.plot_profiles(matplotlib.figure.Figure().subplots(), inputs=result.selected[:1])
        >>> ax.get_xlabel()
        'x1'
        """
        return _plots.profiles(self.value, ax, inputs)


class Comparison(_Page):
    """What ``tamis.compare`` found: methods on the same outer folds.

    Printed, it is the answer as text; a notebook shows the first screen of its page.

    Parameters
    ----------
    text : str
        The result as JSON.

    Examples
    --------
    >>> import tamis
    >>> table = tamis.generate("linear", rows=60)
    >>> comparison = tamis.compare(table, "y", methods=["lars", "search:criterion=knn"], outer=3)
    >>> len(comparison.methods), len(comparison.better)
    (2, 1)
    """

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
    """Read a result from a file.

    Parameters
    ----------
    path : path
        A file that ``Result.save``, ``Comparison.save`` or ``tamis select -o`` wrote.

    Returns
    -------
    Result or Comparison
        The result, without its model.

    See Also
    --------
    load : The model in a file.

    Examples
    --------
    >>> import tempfile, tamis
    >>> result = tamis.select(tamis.generate("linear", rows=60), "y", method="lars")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.save(folder + "/linear.json")
    ...     tamis.load_result(folder + "/linear.json").method
    'lars'
    """
    with open(path, encoding="utf-8") as f:
        text = f.read()
    try:
        value = json.loads(text)
    except ValueError as e:
        raise DataError(f"{os.fspath(path)}: not JSON: {e}") from None
    if not isinstance(value, dict) or "tamis" not in value:
        raise DataError(f"{os.fspath(path)}: not a result of tamis")
    return Comparison(text) if "methods" in value and "selected" not in value else Result(text)
