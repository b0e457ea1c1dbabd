"""Results as text for a terminal."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

SHOWN = 20


def _number(value: Optional[float], width: int = 10) -> str:
    return ("-" if value is None else f"{value:.4g}").rjust(width)


def _with_se(value: Optional[float], se: Optional[float]) -> str:
    return _number(value) + ("" if value is None or se is None else f" ± {se:.2g}")


def _head(value: Mapping[str, Any]) -> str:
    data = value["data"]
    return (f"{data['file']}: {data['rows']} rows, {data['inputs']} inputs, target {data['target']} "
            f"({data['task']})")


def _inputs(value: Mapping[str, Any]) -> list[str]:
    """The selected inputs, the most important first."""
    by_name = {row["name"]: row for row in value["inputs"]}
    rows = [by_name[name] for name in value["selected"]]
    rows.sort(key=lambda row: -(row.get("importance") or 0))
    if not rows:
        return ["  no input helps"]
    width = max(5, *(len(row["name"]) for row in rows[:SHOWN]))
    relevance = value.get("relevance_name", "relevance")
    lines = [f"  {'input'.ljust(width)}  {'importance'.ljust(22)} {relevance.rjust(9)}"]
    for row in rows[:SHOWN]:
        important = _with_se(row.get("importance"), row.get("importance_se"))
        lines.append(f"  {row['name'].ljust(width)}  {important.ljust(22)} "
                     f"{_number(row.get('relevance'), max(9, len(relevance)))}")
    if len(rows) > SHOWN:
        lines.append(f"  and {len(rows) - SHOWN} more")
    return lines


def _errors(value: Mapping[str, Any]) -> list[str]:
    error = value["error"]
    rows = [("nested validation", "nested_all_inputs", "nested", "nested_se"),
            (error["label"], "all_inputs", "selected", "selected_se"),
            (f"{value['data'].get('test_rows', 0)} test rows", "test_all_inputs", "test", "")]
    classes = value["data"]["task"] == "classification"
    lines = [f"  {'error'.ljust(30)} all inputs    chosen"]
    lines += [f"  {what.ljust(30)} {_number(error.get(every))}{_with_se(error[chosen], error.get(se))}"
              for what, every, chosen, se in rows if error.get(chosen) is not None]
    if error.get("baseline") is not None:
        what = "predicting the majority class" if classes else "predicting the mean"
        lines.append(f"  {what.ljust(30)} {' ' * 10}{_number(error['baseline'])}")
    return [*lines, f"  ({error['units']})"]


def of_result(value: Mapping[str, Any]) -> str:
    count = f"{len(value['selected'])} of {len(value['inputs'])} inputs"
    lines = [_head(value), f"{value['method']} chose {count}", "", *_inputs(value), "", *_errors(value)]
    model = value.get("model")
    if model and value["selected"]:
        lines += ["", f"  model: {model['kind']}, {model['basis_functions']} basis functions"]
    return "\n".join(lines)


def of_comparison(value: Mapping[str, Any]) -> str:
    outer = value["outer"]
    width = max(6, *(len(m["method"]) for m in value["methods"]))
    lines = [_head(value), f"{outer['folds']} outer folds" + (f", drawn {outer['repeats']} times"
                                                              if outer["repeats"] > 1 else ""), "",
             f"  {'method'.ljust(width)}      error        sd    inputs  stability"]
    for m in value["methods"]:
        if m.get("failed"):
            lines.append(f"  {m['method'].ljust(width)}  failed: {m['failed']}")
            continue
        lines.append(f"  {m['method'].ljust(width)} {_number(m['error']['mean'])}{_number(m['error'].get('sd'))}"
                     f"{_number(m['inputs']['mean'])} {_number(m.get('stability'))}")
    return "\n".join([*lines, f"  ({value['units']})"])
