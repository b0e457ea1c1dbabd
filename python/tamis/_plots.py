"""Figures with matplotlib."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from ._errors import UsageError


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt
    return plt.gca()


def path(value: Mapping[str, Any], ax: Any) -> Any:
    """The criterion over the size of the set; a ring at the chosen step."""
    steps = [(step["size"], step["criterion"]) for step in value["path"] if step["criterion"] is not None]
    if not steps:
        raise UsageError(f"{value['method']} has no path")
    ax = _axes(ax)
    ax.plot([s for s, _ in steps], [c for _, c in steps], marker="o", markersize=3)
    chosen = value.get("chosen_step")
    if chosen is not None and value["path"][chosen]["criterion"] is not None:
        at = value["path"][chosen]
        ax.plot([at["size"]], [at["criterion"]], marker="o", markersize=11, fillstyle="none", color="tab:red")
    ax.set_xlabel("inputs")
    ax.set_ylabel(value["error"]["label"])
    return ax


def importance(value: Mapping[str, Any], ax: Any, most: int) -> Any:
    """Bars, the largest above; selected inputs darker."""
    key = "importance" if any(row.get("importance") is not None for row in value["inputs"]) else "relevance"
    rows = [row for row in value["inputs"] if row.get(key) is not None]
    if not rows:
        raise UsageError(f"{value['method']} has no importances")
    rows = sorted(rows, key=lambda row: float(row[key]))[-most:]
    ax = _axes(ax)
    ax.barh([row["name"] for row in rows], [row[key] for row in rows],
            xerr=[row.get("importance_se") or 0 for row in rows] if key == "importance" else None,
            color=["tab:blue" if row["selected"] else "lightsteelblue" for row in rows])
    ax.set_xlabel("increase of the error without the input" if key == "importance" else key)
    return ax


def _profile(one: Mapping[str, Any], ax: Any, target: str, classes: Sequence[str]) -> None:
    """Of numbers: some rows, and the median row above them; of classes: the probability of each."""
    x = one.get("x") or one.get("levels")
    for line in one.get("rows", ()):
        ax.plot(x, line, color="lightsteelblue", linewidth=0.7)
    if one.get("scores"):
        for line, label in zip(one["scores"], classes):
            ax.plot(x, line, label=label)
        ax.legend(title=target, fontsize="small")
    else:
        ax.plot(x, one["median"][0])
    ax.set_xlabel(one["input"])
    ax.set_ylabel("probability" if one.get("scores") else target)


def profiles(value: Mapping[str, Any], ax: Any, inputs: Optional[list[str]]) -> Any:
    """One panel per input."""
    evidence = value.get("evidence", {})
    every = [p for p in evidence.get("profiles", ()) if inputs is None or p["input"] in inputs]
    if not every:
        raise UsageError("the result has no profiles of these inputs")
    if ax is None:
        import matplotlib.pyplot as plt
        columns = min(3, len(every))
        rows = -(-len(every) // columns)
        ax = plt.subplots(rows, columns, figsize=(4 * columns, 3 * rows), squeeze=False, layout="constrained")[1]
    flat = list(ax.flat) if hasattr(ax, "flat") else [ax]
    for one, panel in zip(every, flat):
        _profile(one, panel, value["data"]["target"], evidence.get("classes", ()))
    for panel in flat[len(every):]:
        panel.set_visible(False)
    return ax
