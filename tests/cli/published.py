#!/usr/bin/env python3
"""--as-published: each method's paper as a table of settings. usage: published.py path/to/tamis [name...]"""
import json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import bad, good, main

# What makes each method short, besides its paper's settings.
SHORT = {"sisal": ["--sigma2", "1:500:5"], "forward": ["--sigma2", "1:500:4"], "search": [], "opelm": [],
         "lars": [], "lssvm": ["--sigma2", "1:1e4:4", "--gamma", "1:1e4:4"],
         "rrkrr": ["--sigma2", "1:1e4:4", "--gamma", "1:1e4:4"], "sparse-rbf": ["--r", "6", "--t", "2"],
         "fei": ["--hidden", "8", "--folds", "2"], "rjmcmc": ["--samples", "300", "--burn-in", "100"]}
CLASSES = "fei", "rjmcmc"


def presets():
    """{method: {option: value}} of every method of the catalogue."""
    return {m["name"]: {s["option"]: s["value"] for s in m["as_published"]}
            for m in json.loads(good("methods", "--json")) if m["kind"] == "method"}


def result(method, *more):
    data = "classes.csv" if method in CLASSES else "t.csv"
    return json.loads(good("select", data, "--method", method, "--seed", "2", "--threads", "1", "--no-evidence",
                           "--json", "--quiet", *more))


def tables():
    good("generate", "add10", "--rows", "60", "-o", "t.csv")
    good("generate", "additive", "--rows", "80", "-o", "classes.csv")


def numbers(r):
    return {k: r[k] for k in ("selected", "path", "error", "model", r["method"]) if k in r}


def check_every_preset_runs():
    tables()
    for method, preset in presets().items():
        if not preset:
            continue
        r = result(method, "--as-published", *SHORT[method])
        shown = r["as_published"]
        given = {SHORT[method][i][2:]: SHORT[method][i + 1] for i in range(0, len(SHORT[method]), 2)}
        assert shown == {**preset, **{k: v for k, v in given.items() if k in preset}}, (method, shown)
        by_hand = [w for k, v in shown.items() for w in (["--" + k, v] if v not in ("yes", "no") else
                                                         ["--" + k] if v == "yes" else ["--no-" + k])]
        same = result(method, *by_hand, *[w for w in SHORT[method]])
        assert numbers(same) == numbers(r), method
        assert "as_published" not in same


def check_it_differs_from_the_default():
    tables()
    for method in ("lars", "fei", "rjmcmc", "sparse-rbf", "sisal"):
        plain, paper = (numbers(result(method, *SHORT[method], *more)) for more in ([], ["--as-published"]))
        assert plain != paper, method


def check_given_options_win():
    tables()
    r = result("search", "--as-published", "--ties", "mean")
    assert r["as_published"]["ties"] == "mean" and r["options"]["ties"] == "mean"
    r = result("search", "--as-published", "--criterion", "knn")       # the ties of the Delta Test go with it
    assert "ties" not in r["as_published"] and r["search"]["criterion"] == "knn"
    assert "as_published" not in result("search", "--no-as-published")


def check_methods_without_a_paper_refuse():
    tables()
    lacking = [m for m, preset in presets().items() if not preset]
    assert lacking == ["auto", "sift", "knockoffs"], lacking
    for method in lacking:
        bad(2, "method %s is not from a paper's tables; name one of sisal, " % method, "select", "t.csv", "--method",
            method, "--as-published")
    bad(2, "method auto is not", "select", "t.csv", "--as-published")
    bad(2, "unknown method", "select", "t.csv", "--method", "sisl", "--as-published")
    bad(2, "--kernels does not belong to method sisal", "select", "t.csv", "--method", "sisal", "--as-published",
        "--kernels", "3")


def check_comparison():
    tables()
    c = json.loads(good("compare", "t.csv", "--methods", "sift,lars,search", "--as-published", "--outer", "3", "--json",
                        "--quiet"))
    assert [m["method"] for m in c["methods"]] == ["lars", "search"], c["methods"]
    assert {m["method"]: m["inputs"]["min"] for m in c["methods"]}["lars"] == 10         # all that join


sys.exit(main(globals()))
