#!/usr/bin/env python3
"""Row weights: a row of weight w is w rows, of weight 0 none. usage: weights.py path/to/tamis [name...]

Every method with the flag `weights` of `tamis methods --json` is tried, and every criterion with it under `search`."""
import json, math, os, random, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import bad, good, main, table

ROWS, CLOSE = 60, 1e-9
# What makes a method short enough for a test; methods that are not here run as they are.
SHORT = {
    "sift": [], "knockoffs": [], "opelm": ["--max-neurons", "12"], "fei": ["--hidden", "3", "--starts", "2"],
    "sisal": ["--sigma2", "1:50:4"],
    "lssvm": ["--sigma2", "1:50:4", "--gamma", "1:100:3", "--select", "forward"],
    "rrkrr": ["--sigma2", "1:50:4", "--gamma", "1:100:3"], "sparse-rbf": ["--r", "20:200:2", "--t", "0.1:1:2"],
    "rjmcmc": ["--samples", "200", "--burn-in", "50", "--chains", "2"],
}
CRITERIA = {"loo-rbf": ["--sigma2", "1:50:4"], "cv-lssvm": ["--sigma2", "1:50:4", "--gamma", "1:100:3"],
            "loo-lssvm": ["--sigma2", "1:50:4", "--gamma", "1:100:3"],
            "cv-rrkrr": ["--sigma2", "1:50:4", "--gamma", "1:100:3"]}
# What describes the file rather than the answer.
ABOUT_FILE = {"command", "data", "notes", "seconds", "threads", "picked", "file", "audit", "versions"}


def parts(kind):
    all_parts = json.loads(good("methods", "--json"))
    return [p for p in all_parts if p["kind"] == kind and p["weights"] and p["name"] != "auto"]


def runs(task):
    """(words, what it is) of every method and criterion with weights that does the task."""
    fits = lambda p: p["task"] in (task, "both", None)
    for m in parts("method"):
        if fits(m) and m["name"] not in ("search", "forward"):
            yield ["--method", m["name"], *SHORT.get(m["name"], [])]
    for i, c in enumerate(parts("criterion")):
        if fits(c):
            yield ["--method", ("search", "forward")[i % 2], "--criterion", c["name"], *CRITERIA.get(c["name"], [])]


def rows_of(task, seed=3):
    """[a, b, c, d, y] with y from a and b, and a weight for each: 0, 1, 2 or 3."""
    r = random.Random(seed)
    rows = []
    for _ in range(ROWS):
        x = [round(r.gauss(0, 1), 6) for _ in range(4)]
        y = math.sin(2 * x[0]) + x[1] + r.gauss(0, 0.2)
        rows.append(x + [round(y, 6) if task == "regression" else "yes" if y > 0 else "no"])
    return rows, [r.randrange(4) for _ in rows]


def written(name, rows, weights=None):
    """A table with or without a column of weights, which is the third."""
    lines = ["a,b,%sc,d,y" % ("w," if weights else "")]
    for i, row in enumerate(rows):
        cells = [str(x) for x in row]
        if weights:
            cells.insert(2, str(weights[i]))
        lines.append(",".join(cells))
    return table("\n".join(lines) + "\n", name)


def repeated(rows, weights):
    return [row for row, w in zip(rows, weights) for _ in range(w)]


def result(t, words, *more):
    return json.loads(good("select", t, *words, *more, "--json", "--quiet", "--threads", "1"))


def answer(r):
    """The result without what describes the file."""
    if isinstance(r, dict):
        return {k: answer(v) for k, v in r.items() if k not in ABOUT_FILE}
    return [answer(v) for v in r] if isinstance(r, list) else r


def differ(a, b, where="", close=CLOSE):
    """Where two values differ by more than rounding; None: nowhere."""
    if isinstance(a, dict) and isinstance(b, dict):
        keys = [k for k in a if k not in b] + [k for k in b if k not in a]
        if keys:
            return where + str(keys)
        return next((d for k in a if (d := differ(a[k], b[k], where + "/" + k, close))), None)
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return "%s: %d and %d" % (where, len(a), len(b))
        return next((d for i in range(len(a)) if (d := differ(a[i], b[i], "%s/%d" % (where, i), close))), None)
    numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (a, b))
    same = math.isclose(a, b, rel_tol=close, abs_tol=close) if numbers else a == b
    return None if same else "%s: %r and %r" % (where, a, b)


def unseen(r):
    return {k: v for k, v in r["evidence"].get("unseen", {}).items() if k != "rows"}


def check_as_repeated_rows():
    for task in ("regression", "classification"):
        rows, weights = rows_of(task)
        w, p = written("w.csv", rows, weights), written("p.csv", repeated(rows, weights))
        for words in runs(task):
            one, other = result(w, words, "--row-weights", "w"), result(p, words)
            assert one["selected"] == other["selected"], (words, one["selected"], other["selected"])
            where = differ(one["error"], other["error"]) or differ(one["path"], other["path"]) or differ(
                one["inputs"], other["inputs"], close=1e-7) or differ(
                unseen(one), unseen(other), close=1e-5)
            assert where is None, (words, where)


def check_tests_as_repeated_rows():
    """p-values of --test-inputs; weight 0 is an absent row, weight 1 none."""
    for task in ("regression", "classification"):
        rows, weights = rows_of(task)
        words = ["--method", "search", "--criterion", "knn", "--test-inputs", "a,b,c,d", "--test-draws", "99"]
        w, p = written("w.csv", rows, weights), written("p.csv", repeated(rows, weights))
        one, other = result(w, words, "--row-weights", "w")["tests"], result(p, words)["tests"]
        assert differ(one, other) is None, (task, differ(one, other))
        kept = [(row, x) for row, x in zip(rows, weights) if x]
        assert one == result(written("k.csv", *zip(*kept)), words, "--row-weights", "w")["tests"], task
        ones = written("w.csv", rows, [1] * ROWS)
        assert result(ones, words, "--row-weights", "w")["tests"] == result(written("p.csv", rows), words)["tests"], task


def check_validation_as_repeated_rows():
    """Hold-outs, outer folds, resamples and rules."""
    rows, weights = rows_of("regression")
    w, p = written("w.csv", rows, weights), written("p.csv", repeated(rows, weights))
    words = ["--method", "search", "--criterion", "loo-rbf", "--sigma2", "1:50:4"]
    for more in (["--holdout", "0.3"], ["--outer", "3", "--repeats", "2"], ["--bootstrap", "3"],
                 ["--select-rule", "se"], ["--select-rule", "stable", "--importance", "drop"], ["--impute", "median"]):
        one, other = result(w, words, "--row-weights", "w", *more), result(p, words, *more)
        assert one["selected"] == other["selected"], (more, one["selected"], other["selected"])
        for key in ("error", "path", "inputs", "select_rule", "outer", "bootstrap"):
            where = differ(one.get(key), other.get(key), close=1e-7)
            assert where is None, (more, key, where)


def check_weight_zero_is_absent():
    for task in ("regression", "classification"):
        rows, weights = rows_of(task)
        rows[7][4], weights[7] = ("maybe", 0) if task == "classification" else (rows[7][4], 0)
        kept = [(row, x) for row, x in zip(rows, weights) if x]
        w, p = written("w.csv", rows, weights), written("p.csv", *zip(*kept))
        for words in runs(task):
            for more in ([], ["--holdout", "0.3"]) if words[1] in ("lars", "search") else ([],):
                one, other = (answer(result(t, words, "--row-weights", "w", *more)) for t in (w, p))
                assert one == other, (words, more, differ(one, other, close=0))


def check_weight_one_is_none():
    for task in ("regression", "classification"):
        rows, _ = rows_of(task)
        w, p = written("w.csv", rows, [1] * ROWS), written("p.csv", rows)
        for words in runs(task):
            one, other = answer(result(w, words, "--row-weights", "w")), answer(result(p, words))
            assert one == other, (words, differ(one, other, close=0))


def check_fractions():
    """Weights that are not whole run, and what they scale by matters little where no regularisation hides in it."""
    for task in ("regression", "classification"):
        rows, _ = rows_of(task)
        r = random.Random(5)
        t = written("w.csv", rows, [round(r.uniform(0.2, 2), 3) for _ in rows])
        for words in runs(task):
            one = result(t, words, "--row-weights", "w")
            assert 0 < one["data"]["effective_rows"] < ROWS and one["data"]["row_weights"] == "w", words


def check_compare():
    rows, weights = rows_of("regression")
    w, p = written("w.csv", rows, weights), written("p.csv", repeated(rows, weights))
    names = "lars,search:criterion=delta"
    one, other = (json.loads(good("compare", t, "--methods", names, *more, "--json", "--quiet", "--threads", "1"))
                  for t, more in ((w, ["--row-weights", "w"]), (p, [])))
    for a, b in zip(one["methods"], other["methods"]):
        assert differ(a["error"], b["error"]) is None and a["sets"] == b["sets"], (a["error"], b["error"])
    assert differ(one["better"], other["better"], close=1e-7) is None


def check_series():
    """A row of weight 0 is not learnt from, but is still an earlier value of others."""
    r = random.Random(1)
    y = [r.gauss(0, 1)]
    while len(y) < 80:
        y.append(0.7 * y[-1] + r.gauss(0, 0.3))
    t = table("w,y\n" + "".join("%d,%r\n" % (i % 5 > 0, v) for i, v in enumerate(y)), "s.csv")
    words = ["--method", "search", "--criterion", "press", "--lags", "1:3", "--row-weights", "w"]
    one = result(t, words)
    assert one["data"]["rows"] == len([i for i in range(3, 80) if i % 5]) and "y[t-1]" in one["selected"], one["data"]


def check_roles():
    rows, weights = rows_of("regression")
    t = written("w.csv", rows, weights)
    found = json.loads(good("describe", t, "--row-weights", "w", "--json"))
    assert {c["name"]: c["role"] for c in found["columns"]}["w"] == "weight"
    r = result(t, ["--method", "lars", "--row-weights", "w"])
    assert [i["name"] for i in r["inputs"]] == ["a", "b", "c", "d"]


def check_sentences():
    rows, weights = rows_of("regression")
    t = written("w.csv", rows, weights)
    bad(2, "did you mean", "select", t, "--row-weights", "ww")
    bad(2, "is the target", "select", t, "--row-weights", "w", "--target", "w")
    bad(2, "also an input", "select", t, "--row-weights", "w", "--inputs", "a,w")
    for cell, word in (("-1", "is -1 in row 3"), ("", "missing in row 3"), ("x", "whose other values are numbers")):
        some = list(weights)
        some[2] = cell
        bad(3, word, "select", written("v.csv", rows, some), "--row-weights", "w")
    bad(3, "all weights", "select", written("v.csv", rows, [0] * ROWS), "--row-weights", "w")
    for m in json.loads(good("methods", "--json")):
        if m["kind"] == "method" and not m["weights"]:
            task = ["--task", "classification"] if m["task"] == "classification" else []
            bad(2, "does not take --row-weights; these methods do:", "select", t, "--row-weights", "w", "--method",
                m["name"], *task)


sys.exit(main(globals()))
