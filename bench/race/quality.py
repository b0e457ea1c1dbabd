"""Which inputs are found, and how good are the predictions, on tables with known answers and on Boston, with processor
time. Small on purpose."""
import math, statistics

from speed import boston, median_range

TABLES = [("friedman1", 250, []), ("friedman1", 250, ["--useless", "25"]), ("interaction", 250, []),
          ("linear", 100, []), ("tikka1d", 200, []), ("noise", 250, [])]
TEST_ROWS, DRAWS = 1000, 2
RELEVANT = {"friedman1": 5, "interaction": 2, "linear": 3, "tikka1d": 1, "noise": 0}

OURS = [("tamis auto", ["--method", "auto"]),
        ("tamis sisal", ["--method", "sisal", "--sigma2", "1:500:20"]),
        ("tamis search (Delta Test)", ["--method", "search"]),
        ("tamis lars", ["--method", "lars"]),
        ("tamis sparse-rbf", ["--method", "sparse-rbf"])]
# name, package that it needs, key in rivals.py or rivals.R
RIVALS = [("scikit-learn SequentialFeatureSelector(KernelRidge)", "sklearn", "sfs"),
          ("scikit-learn RFECV(random forest)", "sklearn", "rfecv"),
          ("scikit-learn GaussianProcess with ARD", "sklearn", "gp-ard"),
          ("scikit-learn GridSearchCV(KernelRidge), no selection", "sklearn", "kernel-ridge"),
          ("xgboost, SelectFromModel", "xgboost", "xgboost"),
          ("R caret rfe (random forest)", "randomForest", "caret-rfe"),
          ("R ranger, permutation p-values", "ranger", "ranger"),
          ("R glmnet, lambda.1se", "glmnet", "glmnet"),
          ("R kernlab svmRadial via caret, no selection", "kernlab", "kernlab")]
THROUGH_CARET = ("randomForest", "kernlab")
QUICK = ("tamis auto", "tamis search (Delta Test)", "scikit-learn SequentialFeatureSelector(KernelRidge)",
         "scikit-learn GaussianProcess with ARD", "xgboost, SelectFromModel", "R glmnet, lambda.1se")


def tables(lab, quick):
    """(label, train, test, relevant inputs or None)"""
    chosen = [TABLES[0], TABLES[-1]] if quick else TABLES
    for name, rows, more in chosen:
        for seed in range(1, 2 if quick else 1 + DRAWS):
            with open(lab.generate(name, rows + TEST_ROWS, seed, *more)) as f:
                lines = f.readlines()
            inputs = len(lines[0].split(",")) - 1
            train, test = lab.split("%s-%d-%d" % (name, inputs, seed), lines, rows)
            right = {"x%d" % (i + 1) for i in range(RELEVANT[name])}
            yield "%s, %d inputs, %d rows" % (name, inputs, rows), train, test, right
    yield "Boston, 13 inputs, 400 rows", *boston(lab, 400), None


def programs(lab, quick):
    for name, words in OURS:
        yield name, lambda train, test, words=words: lab.tamis(train, "--test", test, *words)
    for name, needs, key in RIVALS:
        if not lab.has[needs] or needs in THROUGH_CARET and not lab.has["caret"]:
            continue
        if name.startswith("R "):
            yield name, lambda train, test, key=key: lab.r(key, train, test)
        else:
            yield name, lambda train, test, key=key: lab.python("rivals.py", key, train, test)


def f1(found, truth):
    if not truth:
        return 1.0 if not found else 0.0
    hits = len(found & truth)
    return 2 * hits / (len(found) + len(truth))


def measure(run, truth):
    """One program on one table."""
    out = run["out"]
    test = out["test"] if "test" in out else out["error"]["test"]
    selects = out.get("selected") is not None
    found = set(out["selected"]) if selects else None
    known = selects and truth is not None
    return {"cpu": run["cpu"], "rss": run["rss"], "test": test, "inputs": len(found) if selects else None,
            "f1": f1(found, truth) if known else None, "exact": found == truth if known else None}


def summary(name, mine, theirs):
    """Means over tables, and the ratios to tamis auto on the same tables."""
    both = [(mine[k], theirs[k]) for k in theirs if k in mine]
    f1s = [t["f1"] for _, t in both if t["f1"] is not None]
    errors = [math.log(t["test"] / m["test"]) for m, t in both if t["test"] and m["test"]]
    boston_of = [t for k, t in theirs.items() if k[0].startswith("Boston")]
    return {"name": name, "tables": len(both), "f1": statistics.mean(f1s) if f1s else None,
            "exact": sum(1 for _, t in both if t["exact"]), "known": len(f1s),
            "error": math.exp(statistics.mean(errors)) if errors else None,
            "cpu": median_range([t["cpu"] / m["cpu"] for m, t in both]), "mb": max(t["rss"] for _, t in both),
            "boston": (boston_of[0]["test"], boston_of[0]["inputs"]) if boston_of else None}


def verdicts(rows):
    """Each rival against tamis auto, with margins: 0.05 for F1, 10 % for the error, 50 % for the time."""
    mine = rows[0]
    for row in rows[1:]:
        words = []
        if row["f1"] is not None:
            gap = row["f1"] - mine["f1"]
            words.append("F1 " + ("lower" if gap < -0.05 else "higher" if gap > 0.05 else "similar"))
        if row["error"]:
            error = row["error"]
            words.append("error " + ("higher" if error > 1.1 else "lower" if error < 1 / 1.1 else "similar"))
        time = row["cpu"]["median"]
        words.append("time " + ("longer" if time > 1.5 else "shorter" if time < 1 / 1.5 else "similar"))
        row["verdict"] = ", ".join(words)
    mine["verdict"] = "the baseline"


def run(lab, quick):
    results, cells, where = {}, {}, list(tables(lab, quick))
    for name, go in programs(lab, quick):
        if quick and name not in QUICK:
            continue
        lab.say("quality: " + name)
        for k, (label, train, test, truth) in enumerate(where):
            r = go(train, test)
            if r and r["out"]:
                results.setdefault(name, {})[(label, k)] = one = measure(r, truth)
                cells.setdefault(label, {}).setdefault(name, []).append(one)
    rows = [summary(name, results["tamis auto"], found) for name, found in results.items()]
    verdicts(rows)
    return {"rows": rows, "cells": cells, "labels": list(dict.fromkeys(w[0] for w in where))}
