"""The functions of the package."""
from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Optional, Union

from . import _core, _frames, _progress, _table
from ._columns import is_array, is_pandas
from ._errors import DataError, UsageError
from ._model import Model
from ._notes import Note, Notes
from ._options import Pairs, pairs, without_file_options, words
from ._progress import Progress
from ._result import Comparison, Result


class _Run(Notes):
    """What one call of the library needs: options, callbacks, and the notes that become warnings."""

    def __init__(self, options: dict[str, Any], progress: Progress, note: Note) -> None:
        super().__init__(note)
        self.given: Pairs = pairs(options)
        self.options: Pairs = list(self.given)
        self.targets: list[str] = []            # names of the target's columns
        tick, self.close = _progress.hook(progress)
        self.hooks = tick, self.hook

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.close()
        super().__exit__(kind, error, trace)

    def name(self, option: str, value: Union[str, list[str]]) -> None:
        self.options.append((option, value))


# ---- tables with the columns that came as arrays ----

def _is_name(value: Any) -> bool:
    return isinstance(value, (str, int)) or (is_array(value) and value.ndim == 0)


def _are_names(value: Any, table: _core.Table) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and set(map(type, value)) <= {str} and \
        set(value) <= set(table.names)


def _several(values: Any) -> Optional[list[Any]]:
    """The columns of a target of several; None: it is one column."""
    if getattr(values, "ndim", 1) != 2:
        return None
    if is_array(values):
        return [values[:, j] for j in range(values.shape[1])]
    return [values.iloc[:, j] for j in range(values.shape[1])]


def _target_add(table: _core.Table, target: Any, run: _Run) -> list[str]:
    """Adds the target's columns, under the names of the target if it has been added to another table; their names."""
    category = ("task", "classification") in run.options
    columns = _several(target) or [target]
    if not run.targets:
        names = ["y"] if len(columns) == 1 else [f"y{j + 1}" for j in range(len(columns))]
        return [_table.add(table, v, name, run.hooks, category) for v, name in zip(columns, names)]
    if len(columns) != len(run.targets):
        raise UsageError(f"test: y has {len(columns)} columns, and there are {len(run.targets)} targets")
    for values, name in zip(columns, run.targets):
        if name in table.names:
            raise UsageError(f"test=(X, y): X has the target, too, as column '{name}'; give X alone, or drop it there")
        _table.add_as(table, values, name, run.hooks, category)
    return run.targets


def _columns_named(table: _core.Table, target: Any) -> list[str]:
    """The columns that are named as a target: by names, by a name or by a 1-based number; none of patterns and lists in
    one text, which the library reads."""
    if not _is_name(target):
        return list(target)
    name, every = str(target), table.names
    if name in every:
        return [name]
    return [every[int(name) - 1]] if name.isdigit() and 0 < int(name) <= len(every) else []


def _target_set(table: _core.Table, target: Any, run: _Run) -> bool:
    """Names the target in the options; whether columns were added for it."""
    if target is None:
        run.targets = table.names[-1:]
        return False
    named = _is_name(target) or _are_names(target, table)
    run.targets = _columns_named(table, target) if named else _target_add(table, target, run)
    run.name("target", str(target) if _is_name(target) else run.targets)
    return not named


def _extras_add(table: _core.Table, extras: dict[str, Any], run: _Run) -> bool:
    """Columns for the options that name one; whether an array came."""
    arrays = False
    for option, value in extras.items():
        if value is None:
            continue
        if not isinstance(value, str):
            value, arrays = _table.add(table, value, option, run.hooks), True
        run.name(option, value)
    return arrays


def _is_text(target: Any) -> bool:
    """Whether labels are texts, although they may look like numbers."""
    if is_pandas(target):
        target = target.dropna().tolist()
    elif is_array(target):
        target = target.ravel().tolist()
    return not _is_name(target) and target is not None and any(isinstance(v, str) for v in target)


def _command(name: str, data: Any, run: _Run, arrays: bool) -> list[str]:
    """The same on the command line, where there is such a command."""
    return [name, str(data), *words(run.options)] if _table.is_path(data) and not arrays else []


def _prepare(data: Any, target: Any, feature_names: Optional[Sequence[str]], extras: dict[str, Any],
             run: _Run) -> tuple[_core.Table, list[str], bool]:
    """The table, the names of its own columns, and whether columns were added."""
    table = _table.make(data, run.options, run.hooks, feature_names)
    own = table.names
    if not _table.is_path(data):
        run.options = without_file_options(run.options)
    arrays = _extras_add(table, extras, run)
    target = own[-1] if target is None and arrays else target
    return table, own, _target_set(table, target, run) or arrays


def _test_table(test: Any, names: Optional[Sequence[str]], run: _Run) -> Optional[_core.Table]:
    """The rows of test, their target under the name that it has in the data."""
    if test is None:
        return None
    x, y = test if isinstance(test, tuple) else (test, None)
    options = [(name, value) for name, value in run.given if name == "categorical"]
    table = _table.make(x, run.options if _table.is_path(x) else [], run.hooks, None if _table.is_path(x) else names)
    if y is not None:
        _target_add(table, y, run)
    for name in run.targets:
        if name not in table.names:
            raise DataError(f"test has no column '{name:.60}', the target; rename its column, or give test=(X, y)")
    if not _table.is_path(x):
        _core.table_categorise(table, options)
    return table


# ---- selection ----

def select(data: Any, target: Any = None, *, test: Any = None, feature_names: Optional[Sequence[str]] = None,
           groups: Any = None, row_weights: Any = None, time: Any = None, progress: Progress = None, note: Note = None,
           **options: Any) -> Result:
    """Find the inputs that matter, and fit a model that uses only them.

    Parameters
    ----------
    data : path, DataFrame, dict, array or Arrow stream
        The table: a file in any format that the command line reads, a pandas DataFrame, a dict of columns, a NumPy
        array, a list of rows, or anything with ``__arrow_c_stream__`` (polars, pyarrow).
    target : str, int, list of str or array, optional
        The column to predict by name or 1-based number (default: the last), several names, or the values themselves:
        ``select(X, y)``.
    test : like data, or (X, y), optional
        Rows that are used once, at the end, to measure the error. A table has the target under its name in the data;
        the name of y does not matter.
    feature_names : list of str, optional
        Names of the columns of an array (default: x1, x2, ...).
    groups, row_weights, time : str or array, optional
        Rows that belong together, what each row counts, when it was measured: the name of a column, or the values.
    progress : bool or callable, optional
        True draws a bar; a function gets (what, done, total).
    note : callable, optional
        Gets each note of the run; without it notes become warnings of the class TamisWarning.
    **options
        Those of the command line with underscores: ``method="sisal"``, ``max_inputs=5``, ``holdout=0.2``,
        ``must=["age", "sex"]``; ``tamis.options()`` lists them.

    Returns
    -------
    Result
        The inputs, the error, the model and all that explains them.

    See Also
    --------
    compare : Several methods on the same outer folds.
    describe : What ``select`` would do with each column.

    Examples
    --------
    >>> import tamis
    >>> table = tamis.generate("add10", rows=120)
    >>> result = tamis.select(table, "y", method="sisal", sigma2=(1, 500, 7), threads=1)
    >>> sorted(result.selected)
    ['x1', 'x2', 'x3', 'x4', 'x5']
    """
    with _Run(options, progress, note) as run:
        extras = {"groups": groups, "row-weights": row_weights, "time": time}
        table, own, arrays = _prepare(data, target, feature_names, extras, run)
        rows = _test_table(test, feature_names, run)
        text, model = _core.select(table, rows, run.options, _command("select", data, run, arrays or test is not None),
                                   run.hooks)
        return Result(text, Model(model, own, _is_text(target)) if model is not None else None)


def compare(data: Any, target: Any = None, *, feature_names: Optional[Sequence[str]] = None, groups: Any = None,
            row_weights: Any = None, time: Any = None, progress: Progress = None, note: Note = None,
            **options: Any) -> Comparison:
    """Compare methods by nested validation on the same folds.

    Parameters
    ----------
    data : path, DataFrame, dict, array or Arrow stream
        The table, as for ``select``.
    target : str, int, list of str or array, optional
        The column to predict, as for ``select``.
    feature_names : list of str, optional
        Names of the columns of an array (default: x1, x2, ...).
    groups, row_weights, time : str or array, optional
        Rows that belong together, what each row counts, when it was measured: the name of a column, or the values.
    progress : bool or callable, optional
        True draws a bar; a function gets (what, done, total).
    note : callable, optional
        Gets each note of the run; without it notes become warnings of the class TamisWarning.
    **options
        ``methods`` (names, with options after colons), ``outer`` (folds), and the options of ``select``.

    Returns
    -------
    Comparison
        Error, number of inputs and stability of each method, and the p-values of their differences.

    See Also
    --------
    select : One method.

    Examples
    --------
    >>> import tamis
    >>> table = tamis.generate("linear", rows=60)
    >>> c = tamis.compare(table, "y", methods=["lars", "search:criterion=knn"], outer=3, threads=1)
    >>> [m["method"] for m in c.value["methods"]]
    ['lars', 'search:criterion=knn']
    """
    with _Run(options, progress, note) as run:
        extras = {"groups": groups, "row-weights": row_weights, "time": time}
        table, _, arrays = _prepare(data, target, feature_names, extras, run)
        return Comparison(_core.compare(table, run.options, _command("compare", data, run, arrays), run.hooks))


# ---- tables ----

def describe(data: Any, target: Any = None, *, feature_names: Optional[Sequence[str]] = None, note: Note = None,
             **options: Any) -> dict[str, Any]:
    """Summarise the columns: types, roles, missing values, ranges, duplicates.

    Parameters
    ----------
    data : path, DataFrame, dict, array or Arrow stream
        The table, as for ``select``.
    target : str, int, list of str or array, optional
        The column to predict, as for ``select``.
    feature_names : list of str, optional
        Names of the columns of an array (default: x1, x2, ...).
    note : callable, optional
        Gets each note of the run; without it notes become warnings of the class TamisWarning.
    **options
        How the columns are read and which roles they get, as for ``select``.

    Returns
    -------
    dict
        ``rows``, ``duplicate_rows`` and ``columns``, one dict per column, whose ``role`` says what ``select`` would do
        with it.

    Examples
    --------
    >>> import tamis
    >>> found = tamis.describe({"a": [1.5, 2.5, None, 4.0], "b": ["x", "y", "x", "y"], "y": [1.0, 2.0, 3.0, 5.0]})
    >>> [(column["name"], column["type"], column["missing"]) for column in found["columns"]]
    [('a', 'number', 1), ('b', 'category', 0), ('y', 'number', 0)]
    """
    with _Run(options, None, note) as run:
        table, _, _ = _prepare(data, target, feature_names, {}, run)
        value: dict[str, Any] = json.loads(_core.table_describe(table, run.options, run.hooks))
        return value


def clean(data: Any, target: Any = None, *, feature_names: Optional[Sequence[str]] = None, note: Note = None,
          **options: Any) -> tuple[Any, dict[str, Any]]:
    """Drop columns and rows until no value is missing.

    Parameters
    ----------
    data : path, DataFrame, dict, array or Arrow stream
        The table, as for ``select``.
    target : str, int, list of str or array, optional
        The column to predict, as for ``select``.
    feature_names : list of str, optional
        Names of the columns of an array (default: x1, x2, ...).
    note : callable, optional
        Gets each note of the run; without it notes become warnings of the class TamisWarning.
    **options
        How the columns are read and which roles they get, as for ``select``.

    Returns
    -------
    table : DataFrame or dict
        What is left, its values and their types unchanged: of a data frame (pandas, polars, pyarrow) one of its kind
        with its index, of other data a pandas DataFrame, or a dict of columns where pandas is not installed.
    report : dict
        Its size, and the trade-off between rows and columns.

    Examples
    --------
    >>> import tamis
    >>> table, report = tamis.clean({"a": [1.0, None, 3.0], "b": [1.0, 2.0, 3.0], "y": [0.5, 1.0, 2.0]})
    >>> len(table["y"])
    3
    """
    with _Run(options, None, note) as run:
        data = _frames.lasting(data)
        table, own, _ = _prepare(data, target, feature_names, {}, run)
        left, report = _core.table_clean(table, run.options, run.hooks)
        return _remainder(data, target, feature_names, table, own, left), json.loads(report)


def _remainder(data: Any, target: Any, feature_names: Optional[Sequence[str]], table: _core.Table, own: list[str],
               left: _core.Table) -> Any:
    """What clean left of the data, and of a target beside them."""
    if _table.is_path(data):
        return _frames.of_table(left)
    names, rows = set(left.names), left.cleaned
    columns = [j for j, name in enumerate(own) if name in names]
    beside = dict(zip(table.names[len(own):], _several(target) or [target]))
    frame = _frames.part(data, rows, columns, beside)
    if frame is not None or _table.is_stream(data):
        return _frames.of_table(left) if frame is None else frame
    every = _table.named(data, feature_names)
    some = {every[j][0]: every[j][1] for j in columns} | beside
    return _frames.made({name: _frames.taken(values, rows) for name, values in some.items()})


def generate(name: str, **options: Any) -> Any:
    """Draw a table whose relevant inputs are known.

    Parameters
    ----------
    name : str
        What is drawn; ``tamis.methods("generator")`` lists the names.
    **options
        ``rows``, ``useless`` (inputs that do not matter), ``noise``, ``seed``.

    Returns
    -------
    DataFrame or dict of lists
        The table; a dict where pandas is not installed.

    Examples
    --------
    >>> import tamis
    >>> list(tamis.generate("friedman1", rows=10, useless=2))
    ['x1', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7', 'y']
    """
    with _Run(options, None, None) as run:
        return _frames.of_table(_core.table_generate(name, run.options, run.hooks))


# ---- what there is ----

def methods(kind: str = "method") -> list[dict[str, Any]]:
    """List what there is, with summary, paper, task and options.

    Parameters
    ----------
    kind : str, default="method"
        ``"method"``, ``"criterion"``, ``"search"``, ``"generator"``, ``"figure"``, ``"format"``, or ``"all"``.

    Returns
    -------
    list of dict
        One dict per part.

    Examples
    --------
    >>> import tamis
    >>> {"sift", "sisal", "lars"} <= {part["name"] for part in tamis.methods()}
    True
    """
    return [part for part in json.loads(_core.parts()) if kind in ("all", part["kind"])]


def options() -> list[dict[str, Any]]:
    """List every option of ``select`` and the other functions.

    Returns
    -------
    list of dict
        Name (as a keyword), type, default, choices, help, and what the option belongs to.

    Examples
    --------
    >>> import tamis
    >>> {"holdout", "max_inputs", "must"} <= {option["name"] for option in tamis.options()}
    True
    """
    return [{**row, "name": row["name"].replace("-", "_")} for row in _core.options()]
