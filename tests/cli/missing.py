#!/usr/bin/env python3
"""clean, imputation, lags, several targets, lars and opelm on the command line.
usage: missing.py path/to/tamis [name...]"""
import csv, json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import bad, good, run, shared, table, main


def check_clean():
    t = table("a,b,c,y\n1,,x,1\n2,,y,2\n3,4,,3\n5,6,x,\n")
    out = good("clean", t, "--samples-per-step", "1", "-o", "left.csv")
    assert "rows per step" in out, out
    assert open("left.csv").read() == "a,c\n2,y\n5,x\n", open("left.csv").read()
    assert good("clean", t, "--target", "y", "--samples-per-step", "0", "-o", "-") == "a,y\n1,1\n2,2\n3,3\n5,\n"
    d = json.loads(good("clean", t, "--json"))
    assert d["rows"] * d["columns"] == max(r["rows"] * r["columns"] for r in d["tradeoff"]), d
    assert len(d["tradeoff"]) == 5, d
    t = table("day,a,y\n2020-01-02,1,1\n2020-01-03,,2\n2020-02-03 10:15,,3\n")
    assert good("clean", t, "--samples-per-step", "0", "-o", "-") == \
        "day,y\n2020-01-02,1\n2020-01-03,2\n2020-02-03 10:15,3\n"
    bad(3, "cleaning leaves", "clean", t, "--min-rows", "10")
    bad(2, "no such column", "clean", t, "--target", "q")
    bad(2, "unknown option --method", "clean", t, "--method", "lars")
    assert "Cleaning" in good("clean", "--help")


def check_clean_of_the_paper():
    f = shared("anthrokids.csv")
    for more in (["--samples-per-step", "43"], ["--min-rows", "1000"]):
        d = json.loads(good("clean", f, "--missing", "0", "--target", "WEIGHT", "--json", *more))
        assert (d["rows"], d["columns"], d["samples_per_step"], len(d["kept"])) == (1019, 54, 43, 55), d
    out = good("clean", f, "--missing", "0", "--target", "WEIGHT", "--samples-per-step", "43", "-o", "small.csv")
    assert "1019 rows, 54 columns" in out and "constant columns: 1" in out, out
    names = next(csv.reader(open("small.csv")))
    want = next(csv.reader(open(shared("anthrokids_1019x53.csv"))))
    assert set(names) - set(want) == {"MEASUREMENT SET TP"} and not set(want) - set(names), set(names) ^ set(want)


def check_impute():
    rows = "".join("%d,%s,%d\n" % (i, "" if i % 3 == 0 else i * i % 11, 3 * i + i % 5) for i in range(40))
    t = table("x,z,y\n" + rows)
    r = json.loads(good("select", t, "--method", "lars", "--json"))
    assert r["data"]["rows"] == 26 and r["data"]["rows_dropped"] == 14
    for how in ("median", "knn"):
        r = json.loads(good("select", t, "--method", "lars", "--impute", how, "--json", "--model", "m"))
        assert r["data"]["rows"] == 40 and r["data"]["rows_dropped"] == 0
        out = good("predict", "m", table("x,z\n5,\n,3\n,\n", "p.csv")).split()
        assert len(out) == 4 and all(float(v) for v in out[1:]), out
    bad(2, "none.median.knn", "select", t, "--impute", "mean")


def check_series():
    y = [1.0, 2.0]
    while len(y) < 80:
        y.append(1.5 * y[-1] - 0.9 * y[-2] + (len(y) * 7919 % 13 - 6) / 20)
    t = table("t,y\n" + "".join("%d,%.6f\n" % (i, v) for i, v in enumerate(y)))
    r = json.loads(good("select", t, "--method", "lars", "--lags", "1:5", "--ignore", "t", "--holdout", "0.2", "--json",
                        "--model", "m"))
    assert [i["name"] for i in r["inputs"]] == ["y[t-%d]" % k for k in range(1, 6)]
    assert {"y[t-1]", "y[t-2]"} <= set(r["selected"]) and r["data"]["test_rows"] == 15, r
    ask = table("y\n" + "".join("%.6f\n" % v for v in y[-6:]) + "NA\n", "ask.csv")
    out = good("predict", "m", ask).split("\n")[1:]
    assert out[0] == "NA" and abs(float(out[6]) - (1.5 * y[-1] - 0.9 * y[-2])) < 0.5, out
    r = json.loads(good("select", t, "--method", "lars", "--lags", "1:5", "--horizon", "3", "--ignore", "t", "--json"))
    assert r["inputs"][0]["name"] == "y[t-3]" and r["inputs"][4]["name"] == "y[t-7]"
    bad(2, "needs --lags", "select", t, "--horizon", "3")
    bad(2, "FROM:TO", "select", t, "--lags", "5:1")


def check_lars_and_opelm():
    good("generate", "friedman1", "--rows", "150", "--seed", "2", "-o", "f.csv")
    r = json.loads(good("select", "f.csv", "--method", "lars", "--json"))
    b = r["lars"]
    assert len(b["order"]) == 10 and [len(c) for c in b["coefficients"]] == list(range(11))
    assert len(b["correlation"]) == 11
    assert r["selected"] == b["order"][:len(r["selected"])] and r["model"]["kind"] == "linear"
    assert all(p > q for p, q in zip(b["correlation"], b["correlation"][1:]))
    out = good("select", "f.csv", "--method", "opelm", "--select", "none", "--holdout", "0.3", "-o", "r.json",
               "--model", "m")
    r = json.load(open("r.json"))
    assert r["model"]["kind"] == "elm" and r["model"]["basis_functions"] == r["opelm"]["neurons"], r
    assert r["opelm"]["press"] == r["error"]["selected"], r
    assert r["opelm"]["lars"] == r["selected"] and len(r["selected"]) == 10 and r["opelm"]["delta"] is None
    assert "PRESS" in out
    r = json.loads(good("select", "f.csv", "--method", "forward", "--criterion", "press", "--max-inputs", "6",
                        "--max-neurons", "40", "--json"))
    assert {"x1", "x2", "x4"} <= set(r["selected"]) and r["path"][0]["parameters"]["neurons"] >= 1, r["selected"]


def check_several_targets():
    good("generate", "friedman1", "--rows", "120", "--seed", "2", "-o", "f.csv")
    for more in (["lars"], ["opelm", "--select", "none"], ["opelm"], ["search"], ["sisal", "--sigma2", "5:50:2"]):
        r = json.loads(good("select", "f.csv", "--target", "y,x5", "--method", *more, "--json", "--model", "m"))
        assert r["data"]["target"] == "y,x5" and r["data"]["inputs"] == 9
        out = good("predict", "m", "f.csv").split("\n")
        assert out[0] == "y,x5" and len(out[1].split(",")) == 2 and len(out) == 122
    bad(2, "predicts one target", "select", "f.csv", "--target", "y,x5", "--method", "sparse-rbf")
    bad(2, "criterion jmi scores one target", "select", "f.csv", "--target", "y,x5", "--method", "search", "--criterion", "jmi")


def check_printed_notes():
    t = table("x,z,y\n" + "".join("%d,,%d\n" % (i, i * i % 7) for i in range(9)))
    bad(3, "'z' is empty", "select", t, "--method", "lars")
    code, out, err = run("select", t, "--method", "lars", "--impute", "median")
    assert code == 0 and "missing in all training rows" in err, err


sys.exit(main(globals()))
