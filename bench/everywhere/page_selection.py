"""The page docs/benchmarks-selection.md: tables of what the store holds. A cell is empty where nothing was run."""
import collections, textwrap

import numpy as np

import contenders
import cost
import known
import noise_tables
import stability

HEAD = """# Which inputs matter: tamis and its rivals

Written by `python3 bench/everywhere` from its results; do not edit. Each method runs on the same tables, rivals on one
core with the settings of their documentation. Test errors are mean squared errors over the variance of the test target,
or shares of wrong classes, of a method's own model fitted on the inputs that it chose.
"""


class Results:
    """The rows of a part by method, in the order of the page: builds of tamis first."""
    def __init__(self, store, part):
        self.rows, self.skipped = collections.defaultdict(list), collections.defaultdict(set)
        for key, r in store.rows.items():
            if key[1] == part and "chosen" in r:
                self.rows[key[0]].append(r)
            elif key[1] == part:
                self.skipped[key[0]].add(r.get("skipped") or "failed: " + r["failed"].rsplit("\n", 1)[-1])
        ours = [m for m in self.rows if m not in contenders.RIVALS]
        self.methods = ours + [m for m in contenders.RIVALS if m in self.rows]

    def of(self, method, **fields):
        place = {"table": 2, "rows": 3, "seed": 4}
        return [r for r in self.rows[method] if all(r["key"][place[k]] == v for k, v in fields.items())]


def label(method):
    return contenders.RIVALS[method][1] if method in contenders.RIVALS else method


def mean(rows, field):
    values = [r[field] for r in rows if r.get(field) is not None]
    return float(np.mean(values)) if values else None


def number(v, form="%.3f"):
    return "" if v is None or v != v else form % v


def line(*cells):
    return "| %s |" % " | ".join(str(c) for c in cells)


def head(*cells):
    return ["", line(*cells), "|" + "---|" * len(cells)]


def prose(text):
    return ["", *textwrap.wrap(text, 119)]


def not_run(results):
    words = ["%s: %s" % (label(m), ", ".join(sorted(v))) for m, v in results.skipped.items()]
    return prose("Not run on some tables: %s." % "; ".join(words)) if words else []


# ---- known answers

def issue_cell(rows):
    if not rows:
        return ""
    exact = "%d of %d" % (sum(r["exact"] for r in rows), len(rows))
    shown = "%s; %.1f + %.1f; %s" % (exact, mean(rows, "right"), mean(rows, "false"), number(mean(rows, "error")))
    everything = mean(rows, "error_all")
    return shown + (" (all: %.3f)" % everything if everything is not None else "")


def issue(r):
    out = ["## Weak effects, interactions, unequal classes"]
    out += prose("Tables of `tamis generate` with 7,000 training and 3,000 test rows (`genes-wide`: 150 and 1,000). "
                 "Each cell: tables on which exactly the right set was chosen; right + false inputs, mean; test error, "
                 "in brackets that of the same kind of model with all inputs. CPU: seconds per table, mean.")
    out += head("", *("%s (%d right)" % (name, len(v[2])) for name, v in known.ISSUE.items()), "CPU s")
    for m in r.methods:
        cells = [issue_cell(r.of(m, table=name)) for name in known.ISSUE]
        out.append(line(label(m), *cells, number(mean(r.rows[m], "seconds"), "%.1f")))
    return out + not_run(r)


def kind_of(name):
    return "n" if "noise" in name else "c" if name.startswith("c_") else "r"


def by_family(rows, field):
    """The mean of a field; families count alike, whatever their number of tables."""
    by = collections.defaultdict(list)
    for r in rows:
        by[r["key"][2]].append(r)
    values = [mean(v, field) for v in by.values()]
    return float(np.mean([v for v in values if v is not None])) if any(v is not None for v in values) else None


def suite_line(m, rows):
    parts = {k: [r for r in rows if kind_of(r["key"][2]) == k] for k in "rcn"}
    cells = [number(by_family(parts[k], field), form) for k in "rc"
             for field, form in (("f1", "%.2f"), ("exact", "%.2f"), ("false", "%.1f"), ("error", "%.3f"))]
    tables = " + ".join(str(len(parts[k])) for k in "rcn")
    nothing = number(mean(parts["n"], "exact"), "%.2f")
    return line(label(m), tables, *cells, nothing, number(mean(rows, "seconds"), "%.1f"))


def sizes(r):
    out = ["## 100 to 10,000 rows"]
    out += prose("Families of `bench/suite_families.py`; at 10,000 rows these and a few more, with noise added (how "
                 "much: `bench/everywhere/known.py`). Tables: regression + classification + noise. All families count "
                 "alike.")
    for rows in sorted({x["key"][3] for m in r.methods for x in r.rows[m]}):
        out += head("N = {:,}".format(rows), "tables", "regression F1", "exact", "false", "error", "classification F1",
                    "exact", "false", "error", "noise: nothing chosen", "CPU s")
        out += [suite_line(m, r.of(m, rows=rows)) for m in r.methods if r.of(m, rows=rows)]
    return out + not_run(r)


# ---- noise, real tables

def noise_cell(rows):
    good = sum(r["exact"] for r in rows)
    return "%d of %d (%.0f %%)" % (good, len(rows), 100 * good / len(rows)) if rows else ""


def noise(r):
    out = ["## Nothing to find"]
    out += prose("Tables in which no input matters, and on how many of them nothing was chosen. Only tamis is told the "
                 "groups of `grouped` and the order of `time`.")
    out += head("", *noise_tables.KINDS)
    for m in r.methods:
        out.append(line(label(m), *(noise_cell(r.of(m, table=kind)) for kind in noise_tables.KINDS)))
    return out + not_run(r)


def real_cell(rows):
    if not rows:
        return ""
    chosen = np.mean([len(r["chosen"]) for r in rows])
    return "%.1f + %.1f; %s" % (chosen - mean(rows, "copies"), mean(rows, "copies"), number(mean(rows, "error")))


def ratio(r, m, name):
    """Test error over that of tuned xgboost on the same splits."""
    pairs = [(mine["error"], x["error"]) for mine in r.of(m, table=name) for x in r.of("xgb-tuned", table=name)
             if mine["key"][4] == x["key"][4] and mine.get("error") is not None]
    top, bottom = (sum(p[k] for p in pairs) for k in (0, 1))
    return top / bottom if bottom else None


def real_summary(r, tables):
    out = head("", "tables", "with no copy chosen", "copies chosen, mean", "error over tuned xgboost (geometric mean)",
               "at most 1.05")
    for m in r.methods:
        mine = [name for name in tables if r.of(m, table=name)]
        ratios = [v for v in (ratio(r, m, name) for name in mine) if v]
        clean = sum(not any(x["copies"] for x in r.of(m, table=name)) for name in mine)
        middle = float(np.exp(np.mean(np.log(ratios)))) if ratios else None
        within = "%d of %d" % (sum(v <= 1.05 for v in ratios), len(ratios)) if ratios else ""
        out.append(line(label(m), len(mine), clean, number(mean(r.rows[m], "copies"), "%.1f"), number(middle, "%.2f"),
                        within))
    return out


def real(r):
    first = [x for m in r.methods for x in r.rows[m]]
    tables = sorted({x["key"][2]: (x["key"][3], x["inputs"]) for x in first}.items(), key=lambda v: v[1])
    out = ["## Real tables and permuted copies"]
    out += prose("Each table has one permuted copy of every input; 30 % of the rows are held out. Cells: chosen inputs "
                 "+ chosen copies; test error. Means over up to three splits; incomplete rows are dropped.")
    out += real_summary(r, [name for name, _ in tables])
    out += head("", "rows", "inputs", *(label(m) for m in r.methods))
    for name, (rows, inputs) in tables:
        out.append(line(name, "{:,}".format(rows), inputs, *(real_cell(r.of(m, table=name)) for m in r.methods)))
    return out + not_run(r)


# ---- seeds, speed

def seeds(r):
    out = ["## The same answer for another seed", *prose("Boston, all 506 rows.")]
    out += head("", "seeds", "inputs in every set", "inputs in some sets only", "ranks that change by more than one")
    for m in r.methods:
        sets = [set(x["chosen"]) for x in r.rows[m]]
        always, ever = set.intersection(*sets), set.union(*sets)
        ranks = np.array([[v or 0 for v in x["ranks"].values()] for x in r.rows[m] if x.get("ranks")])
        moved = int((np.ptp(ranks, axis=0) > 1).sum()) if len(ranks) else ""
        some = ", ".join(stability.names()[k] for k in sorted(ever - always)) or "none"
        out.append(line(m, len(sets), len(always), some, moved))
    return out


def speed(r):
    out = ["## Time and memory", *prose("`tamis select` with all cores; the estimates are those of `--dry-run`, in "
                                        "seconds on one core.")]
    out += head("", "table", "wall s", "aim", "CPU s", "estimate, s", "peak MB", "estimate, MB")
    for m in r.methods:
        for shape, (_, _, aim) in cost.SHAPES.items():
            for x in r.of(m, table=shape):
                cells = [number(x[k], "%.2f") for k in ("seconds", "expected_s")]
                cells += [number(x[k], "%.0f") for k in ("mb", "expected_mb")]
                out.append(line(m, shape, number(x["wall"], "%.2f"), aim, *cells))
    return out + not_run(r)


PARTS = {"issue": issue, "suite": sizes, "noise": noise, "real": real, "seeds": seeds, "speed": speed}


def text(store, parts):
    out = [HEAD] if len(parts) == len(PARTS) else []
    for name in parts:
        results = Results(store, name)
        if results.methods:
            out += PARTS[name](results) + [""]
    return "\n".join(out)
