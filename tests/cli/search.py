#!/usr/bin/env python3
"""Method search on the command line. usage: search.py path/to/tamis [name...]"""
import csv, json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import bad, good, table, main


def made(name, rows=120, seed=1):
    file = "%s-%d.csv" % (name, seed)
    good("generate", name, "--rows", str(rows), "--seed", str(seed), "-o", file)
    return file


def search(file, *more):
    return json.loads(good("select", file, "--method", "search", "--json", *more))


def check_the_block_and_the_path():
    r = search(made("add10", 300))
    assert sorted(r["selected"]) == ["x1", "x2", "x3", "x4", "x5"] and r["method"] == "search"
    assert r["search"]["criterion"] == "delta" and r["search"]["search"] == "forward-backward"
    assert r["search"]["value"] == r["error"]["selected"]
    assert "scaling" not in r["search"] and r["error"]["criterion"] == "delta" and r["model"]["kind"] == "knn"
    assert r["model"]["parameters"]["k"] >= 1
    assert r["path"][0]["changed"] is None and r["path"][0]["size"] == 0
    assert [s["criterion"] for s in r["path"]] == sorted((s["criterion"] for s in r["path"]), reverse=True)
    chosen = [i for i in r["inputs"] if i["selected"]]
    assert [i["name"] for i in sorted(chosen, key=lambda i: -i["relevance"])] == r["selected"]


def check_scaling():
    r = search(made("add10", 150), "--scaling")
    w = r["search"]["scaling"]
    assert len(w) == 10 and all(0 <= v <= 1 for v in w) and r["search"]["value"] < r["search"]["unscaled"]
    assert sorted(r["selected"]) == sorted(i["name"] for i, v in zip(r["inputs"], w) if v > 0)


def check_information_is_shown_as_people_know_it():
    r = search(made("xor", 300), "--criterion", "mi", "--start", "full")
    assert sorted(r["selected"]) == ["x1", "x2"] and r["search"]["value"] > 0.3
    assert r["error"]["selected"] == -r["search"]["value"] and "nats" in r["error"]["units"]


def check_predict():
    f = made("additive", 200)
    good("select", f, "--method", "search", "--criterion", "knn", "--model", "m.tamis")
    rows = list(csv.DictReader(good("predict", "m.tamis", f).splitlines()))
    assert len(rows) == 200
    truth = [r["y"] for r in csv.DictReader(open(f))]
    key = next(k for k in rows[0] if rows[0][k] in ("a", "b"))
    assert sum(r[key] == t for r, t in zip(rows, truth)) > 160


def check_nothing_helps():
    for seed in range(1, 20):
        r = search(made("noise", 60, seed), "--criterion", "knn", "--neighbors", "20", "--inputs", "x1,x2")
        if not r["selected"]:
            out = good("select", "noise-%d.csv" % seed, "--method", "search", "--criterion", "knn", "--neighbors", "20",
                       "--inputs", "x1,x2", "--model", "none.tamis")
            assert "no input helps" in out
            assert len(good("predict", "none.tamis", "noise-%d.csv" % seed).splitlines()) == 61
            return
    assert False, "every table of noise had something chosen"


def check_refusals():
    f = made("add10")
    bad(2, "unknown search", "select", f, "--method", "search", "--search", "magic")
    bad(2, "2\\^10 sets", "select", f, "--method", "search", "--search", "exhaustive", "--exhaustive-limit", "9")
    bad(2, "has no weights", "select", f, "--method", "search", "--criterion", "loo-rbf", "--scaling")
    bad(2, "--start", "select", f, "--method", "search", "--start", "x1,nobody")
    bad(2, "criterion delta is for regression", "select", made("xor"), "--method", "search")
    bad(2, "--neighbors", "select", f, "--method", "search", "--criterion", "knn", "--neighbors", "0")


sys.exit(main(globals()))
