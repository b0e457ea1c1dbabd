#!/usr/bin/env python3
"""Prediction intervals: columns of predictions, what results say, what is refused. usage: intervals.py path/to/tamis
[name...]"""
import csv, io, json, os, struct, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, bad, good, main, run, table

BOSTON = os.path.join(ROOT, "data", "boston.csv")


def made(name, rows, seed, file):
    good("generate", name, "--rows", str(rows), "--seed", str(seed), "-o", file)
    return file


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def check_columns():
    f = made("friedman1", 150, 1, "f.csv")
    r = json.loads(good("select", f, "--model", "m", "--json", "--quiet"))
    plain, wide = rows_of(good("predict", "m", f)), rows_of(good("predict", "m", f, "--interval", "0.9"))
    assert list(wide[0]) == ["y", "lower", "upper"]
    level = [q for q in r["intervals"]["levels"] if q["level"] == 0.9][0]
    for a, b in zip(plain, wide):
        assert a["y"] == b["y"]
        assert abs(float(b["lower"]) - float(b["y"]) - level["lower"]) < 1e-9
        assert abs(float(b["upper"]) - float(b["y"]) - level["upper"]) < 1e-9
    narrow = rows_of(good("predict", "m", f, "--interval", "0.5"))
    assert all(float(n["upper"]) - float(n["lower"]) < float(w["upper"]) - float(w["lower"])
               for n, w in zip(narrow, wide))
    lines = open(f).read().splitlines()
    table("\n".join([lines[0], "," + lines[1].split(",", 1)[1], *lines[2:4]]) + "\n", "gap.csv")
    gap = rows_of(good("predict", "m", "gap.csv", "--interval", "0.9"))
    assert len(gap) == 3 and (gap[0]["lower"] == "") == (gap[0]["y"] == "")


def check_array():
    f = made("friedman1", 80, 1, "f.csv")
    good("select", f, "--model", "m", "--quiet", "--method", "lars")
    code, out, err = run("predict", "m", f, "--interval", "0.8", "-o", "p.npy")
    raw = open("p.npy", "rb").read()
    assert code == 0 and b"(80, 3)" in raw and "then lower and upper" in err, err
    cells = struct.unpack("<240d", raw[-240 * 8:])
    rows = rows_of(good("predict", "m", f, "--interval", "0.8"))
    assert list(cells) == [float(v) for q in rows for v in q.values()]


def check_several_targets():
    f = made("friedman1", 80, 1, "f.csv")
    r = json.loads(good("select", f, "--target", "y,x9", "--method", "lars", "--model", "m", "--quiet", "--json"))
    rows = rows_of(good("predict", "m", f, "--interval", "0.9"))
    assert list(rows[0]) == ["y", "x9", "lower:y", "upper:y", "lower:x9", "upper:x9"]
    assert "lower" not in r["intervals"]["levels"][0]
    good("export", "m", "--to", "json", "-o", "m.json")
    assert good("predict", "m", f, "--interval", "0.9") == good("predict", "m.json", f, "--interval", "0.9")


def check_coverage_is_that_of_the_rows():
    f, t = made("friedman1", 150, 1, "f.csv"), made("friedman1", 400, 2, "t.csv")
    r = json.loads(good("select", f, "--test", t, "--model", "m", "--json", "--quiet"))
    rows, truth = rows_of(good("predict", "m", t, "--interval", "0.8")), rows_of(open(t).read())
    held = sum(float(a["lower"]) <= float(b["y"]) <= float(a["upper"]) for a, b in zip(rows, truth)) / len(truth)
    level = [q for q in r["intervals"]["levels"] if q["level"] == 0.8][0]
    assert abs(held - level["test_coverage"]) < 1e-9 and 0.6 < held < 0.95, (held, level)
    assert 0.7 < level["coverage"] < 0.9, level


def check_refusals():
    f = made("friedman1", 30, 1, "f.csv")
    good("select", f, "--model", "m", "--quiet", "--method", "lars")
    bad(2, "--interval: an interval of level 0.99 needs 199 held-out rows, but the model has 30", "predict", "m", f,
        "--interval", "0.99")
    bad(2, "--interval", "predict", "m", f, "--interval", "1.5")
    good("select", f, "--model", "plain", "--quiet", "--method", "lars", "--no-evidence")
    bad(2, "no residuals of held-out rows", "predict", "plain", f, "--interval", "0.9")
    c = table("a,y\n" + "".join("%d,%s\n" % (i, "uv"[i > 20]) for i in range(40)))
    good("select", c, "--model", "c", "--quiet")
    bad(2, "intervals are for numbers", "predict", "c", c, "--interval", "0.9")


def check_series():
    good("generate", "friedman1", "--rows", "5", "-o", "x.csv")
    values, x = [], 0.3
    for i in range(120):
        x = 3.7 * x * (1 - x)
        values.append(x)
    f = table("y\n" + "".join("%.6f\n" % v for v in values))
    r = json.loads(good("select", f, "--lags", "1:3", "--model", "m", "--json", "--quiet"))
    rows = rows_of(good("predict", "m", f, "--interval", "0.8"))
    assert r["intervals"]["rows"] == 117 and rows[0]["lower"] == "" and float(rows[9]["lower"]) < float(rows[9]["upper"])


def check_page():
    good("select", BOSTON, "--method", "lars", "--report", "r.html", "--quiet", "-o", "r.json")
    page = open("r.html", encoding="utf-8").read()
    assert "t-intervals" in page and "prediction interval" in page


sys.exit(main(globals()))
