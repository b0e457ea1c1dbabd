"""Models."""
from __future__ import annotations

import array
import importlib
import os
from collections.abc import Sequence
from typing import Any, Optional, Union

from . import _core, _table
from ._columns import is_array
from ._errors import UsageError
from ._notes import Note, Notes
from ._options import pairs, without_file_options

Path = Union[str, "os.PathLike[str]"]


def numpy_or_none() -> Any:
    try:
        return importlib.import_module("numpy")
    except ImportError:
        return None


def _matrix(data: bytearray, columns: int) -> Any:
    """Column-major doubles as rows x columns: an array, or lists of rows without NumPy."""
    numpy = numpy_or_none()
    if numpy is not None:
        return numpy.frombuffer(data, dtype=numpy.float64).reshape((-1, columns), order="F")
    values = array.array("d", bytes(data))
    rows = len(values) // columns
    return [[values[i + j * rows] for j in range(columns)] for i in range(rows)]


def _vector(matrix: Any) -> Any:
    return matrix[:, 0] if hasattr(matrix, "ndim") else [row[0] for row in matrix]


def _number(text: str) -> Union[int, float]:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _labels(names: list[str], as_text: bool) -> list[Any]:
    """Class names; as numbers or booleans where all of them are."""
    if not as_text and set(names) <= {"False", "True"}:
        return [name == "True" for name in names]
    try:
        return list(names) if as_text else [_number(name) for name in names]
    except ValueError:
        return list(names)


class Model:
    """A fitted model: it predicts from the columns of its inputs, found by name.

    Made by ``tamis.select``, ``tamis.load`` and ``Model.from_bytes``.

    See Also
    --------
    tamis.load : The model in a file.

    Examples
    --------
    >>> import tamis
    >>> table = tamis.generate("linear", rows=60)
    >>> model = tamis.select(table, "y", method="lars").model
    >>> model
    <tamis.Model linear: y from x1, x2, x3>
    >>> model.kind, model.targets, model.classes, model.levels
    ('linear', ['y'], [], {})
    """

    def __init__(self, core: _core.Model, columns: Sequence[str] = (), text_labels: bool = False) -> None:
        self._core = core
        self._columns = list(columns)           # of the table that it was fitted to; of a file: not known
        self._text_labels = text_labels         # the labels were texts, though they may look like numbers

    @property
    def kind(self) -> str:
        """The kind of model: ``"rbf"``, ``"terms"``, ``"linear"``, ..."""
        return self._core.kind

    @property
    def inputs(self) -> list[str]:
        """The inputs that it predicts from."""
        return self._core.inputs

    @property
    def targets(self) -> list[str]:
        """The names of what it predicts."""
        return self._core.targets

    @property
    def target(self) -> str:
        """The name of what it predicts, the first of several."""
        return self.targets[0]

    @property
    def classes(self) -> list[Any]:
        """The labels of a classifier: texts, or numbers where all labels are; empty: it predicts numbers."""
        return _labels(self._core.classes, self._text_labels)

    @property
    def levels(self) -> dict[str, list[str]]:
        """The levels of each input that is a category."""
        return {name: levels for name, levels in zip(self.inputs, self._core.levels) if levels}

    @property
    def basis_functions(self) -> int:
        """How many basis functions it is a sum of."""
        return self._core.basis_functions

    def __repr__(self) -> str:
        what = f"{len(self.classes)} classes of {self.target}" if self.classes else ", ".join(self.targets)
        names = ", ".join(self.inputs[:8]) + (", ..." if len(self.inputs) > 8 else "")
        return f"<tamis.Model {self.kind}: {what} from {names or 'no inputs'}>"

    # ---- predictions ----

    def predict(self, data: Any, *, interval: Optional[float] = None, feature_names: Optional[Sequence[str]] = None,
                note: Note = None, **options: Any) -> Any:
        """Predict the target of every row.

        Parameters
        ----------
        data : path, DataFrame, dict, array or Arrow stream
            At least the columns of the inputs, found by name. An array without names has the columns of the table that
            the model was fitted to, or the inputs alone in the order of ``inputs``.
        interval : float, optional
            Also the ends of the interval that holds a new value with this probability.
        feature_names : list of str, optional
            Names of the columns of an array.
        note : callable, optional
            Gets each note, of labels that training did not have, say; without it notes become warnings of the class
            TamisWarning.
        **options
            How to read a file, and ``threads``.

        Returns
        -------
        ndarray, or a tuple of three
            Predictions in the units of the target, or labels; rows x targets where there are several. With ``interval``
            predictions, lower ends and upper ends. Where an input is missing and the model does not impute: NaN, or
            None for a label. Lists without NumPy.

        Examples
        --------
        >>> import tamis
        >>> table = tamis.generate("linear", rows=60)
        >>> model = tamis.select(table, "y", method="lars").model
        >>> len(model.predict(table))
        60
        >>> middle, low, high = model.predict(table, interval=0.9)
        >>> bool(low[0] < middle[0] < high[0])
        True
        """
        if interval is not None and self.classes:
            raise UsageError("intervals are for numbers; predict_proba gives the probabilities of classes")
        out = self._run(data, feature_names, note, options)[0]
        if self.classes:
            return self._to_labels(_vector(out))
        if interval is None:
            return _vector(out) if len(self.targets) == 1 else out
        return self._with_interval(out, interval)

    def predict_proba(self, data: Any, *, feature_names: Optional[Sequence[str]] = None, note: Note = None,
                      **options: Any) -> Any:
        """Predict the probability of each class.

        Parameters
        ----------
        data : path, DataFrame, dict, array or Arrow stream
            As for ``predict``.
        feature_names : list of str, optional
            Names of the columns of an array.
        note : callable, optional
            Gets each note, of labels that training did not have, say; without it notes become warnings of the class
            TamisWarning.
        **options
            How to read a file, and ``threads``.

        Returns
        -------
        ndarray
            Rows x classes, in the order of ``classes``; a list of rows without NumPy.

        Examples
        --------
        >>> import tamis
        >>> table = {"x": [k % 2 + k / 100 for k in range(40)], "y": ["no", "yes"] * 20}
        >>> model = tamis.select(table, "y", method="search", criterion="knn").model
        >>> probability = model.predict_proba({"x": [0.1, 1.1]})
        >>> [model.classes[int(row[1] > 0.5)] for row in probability]
        ['no', 'yes']
        """
        if not self.classes:
            raise UsageError(f"the model predicts {self.target} as a number; probabilities are of classes")
        return self._run(data, feature_names, note, options)[1]

    def _run(self, data: Any, feature_names: Optional[Sequence[str]], note: Note,
             options: dict[str, Any]) -> tuple[Any, Any]:
        made = pairs(options)
        if feature_names is None:
            feature_names = self._names_for(data)
        with Notes(note) as notes:
            hooks = None, notes.hook
            table = _table.make(data, made, hooks, feature_names)
            made = made if _table.is_path(data) else without_file_options(made)
            out, scores = _core.model_predict(self._core, table, made, hooks)
        return _matrix(out, len(self.targets)), _matrix(scores, len(self.classes)) if scores is not None else None

    def _names_for(self, data: Any) -> Optional[list[str]]:
        """The names of an array's columns, by their number."""
        if not is_array(data) or data.dtype.names or data.ndim != 2:
            return None
        count, every = data.shape[1], self._columns
        for names in (every, [name for name in every if name not in self.targets], self.inputs):
            if len(names) == count:
                return names
        expected = f"{len(every)}, as in the table that it was fitted to, or " if every else ""
        if not every:
            return None
        raise UsageError(f"the array has {count} columns, and the model needs {expected}{len(self.inputs)}")

    def _to_labels(self, index: Any) -> Any:
        labels = self.classes
        picked = [labels[int(k)] if k == k else None for k in index]
        numpy = numpy_or_none()
        if numpy is None:
            return picked
        return numpy.array(picked, dtype=object if None in picked else None)

    def _with_interval(self, out: Any, level: float) -> tuple[Any, Any, Any]:
        lower, upper = self._core.interval(level)
        if hasattr(out, "ndim"):
            ends = out, out + lower, out + upper
        else:
            ends = out, [[v + e for v, e in zip(row, lower)] for row in out], \
                [[v + e for v, e in zip(row, upper)] for row in out]
        return ends if len(self.targets) > 1 else (_vector(ends[0]), _vector(ends[1]), _vector(ends[2]))

    # ---- files ----

    def save(self, path: Path) -> None:
        """Write the model to a file.

        Parameters
        ----------
        path : path
            The file, which ``tamis.load`` and the command ``tamis predict`` read.

        Examples
        --------
        >>> import tempfile, tamis
        >>> model = tamis.select(tamis.generate("linear", rows=60), "y", method="lars").model
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(folder + "/linear.tamis")
        ...     tamis.load(folder + "/linear.tamis").inputs == model.inputs
        True
        """
        self._core.save(os.fspath(path))

    def to_bytes(self) -> bytes:
        """Pack the model as in a model file.

        Returns
        -------
        bytes
            What ``save`` writes, for ``Model.from_bytes``.

        Examples
        --------
        >>> import tamis
        >>> model = tamis.select(tamis.generate("linear", rows=60), "y", method="lars").model
        >>> tamis.Model.from_bytes(model.to_bytes()).inputs == model.inputs
        True
        """
        return self._core.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """Make the model of the bytes of a model file.

        Parameters
        ----------
        data : bytes
            What ``to_bytes`` gives, or what is in a file of ``save``.

        Returns
        -------
        Model
            The model.

        Examples
        --------
        >>> import tamis
        >>> model = tamis.select(tamis.generate("linear", rows=60), "y", method="lars").model
        >>> tamis.Model.from_bytes(model.to_bytes()).target
        'y'
        """
        return cls(_core.model_from_bytes(data))

    def export_c(self, name: Optional[str] = None) -> str:
        """Write the model as a program in C.

        Parameters
        ----------
        name : str, optional
            Prefix of its functions.

        Returns
        -------
        str
            One C99 file without dependencies.

        Examples
        --------
        >>> import tamis
        >>> model = tamis.select(tamis.generate("linear", rows=60), "y", method="lars").model
        >>> "house_predict" in model.export_c("house")
        True
        """
        return self._core.export(pairs({"to": "c", "name": name}))

    def to_json(self) -> str:
        """Write the model as JSON.

        Returns
        -------
        str
            JSON with every number exact, which ``tamis.load`` reads, too.

        Examples
        --------
        >>> import json, tamis
        >>> model = tamis.select(tamis.generate("linear", rows=60), "y", method="lars").model
        >>> json.loads(model.to_json())["kind"]
        'linear'
        """
        return self._core.export(pairs({"to": "json"}))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.to_bytes(), self._columns, self._text_labels)


def _restore(data: bytes, columns: list[str], text_labels: bool) -> Model:
    return Model(_core.model_from_bytes(data), columns, text_labels)


def load(path: Path) -> Model:
    """Read a model from a file.

    Parameters
    ----------
    path : path
        A file that ``Model.save``, ``tamis select --model`` or ``tamis export --to json`` wrote.

    Returns
    -------
    Model
        The model.

    See Also
    --------
    load_result : The result in a file.

    Examples
    --------
    >>> import tempfile, tamis
    >>> model = tamis.select(tamis.generate("linear", rows=60), "y", method="lars").model
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(folder + "/linear.tamis")
    ...     tamis.load(folder + "/linear.tamis").target
    'y'
    """
    return Model(_core.model_load(os.fspath(path)))
