#!/usr/bin/env python3
"""--stability: what it selects, refuses, and says. usage: stability.py path/to/tamis [name...]"""
import json, os, random, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, bad, good, main, run, table

IRIS = os.path.join(ROOT, "data", "iris.csv")
SEARCH = ["--method", "search", "--criterion", "knn"]


def made(name="friedman1", rows=120, seed=5):
    good("generate", name, "--rows", str(rows), "--seed", str(seed), "-o", "t.csv")
    return "t.csv"


def selected(*words):
    return json.loads(good("select", *words, "--json", "--quiet"))


def check_set_follows_from_frequencies():
    for words in ([made(), "--method", "lars"], [IRIS, *SEARCH], [made(), "--method", "sisal", "--fast", "--centers", "20"]):
        r = selected(*words, "--stability", "1", "--stability-pairs", "6")
        s = r["stability_selection"]
        sets, tau = s["sets"], s["threshold"]
        share = {i["name"]: sum(i["name"] in x for x in sets) / 12 for i in r["inputs"]}
        assert len(sets) == 12 and s["pairs"] == 6 and s["candidates"] == len(share)
        assert abs(s["q"] - sum(map(len, sets)) / 12) < 1e-9 and abs(s["theta"] - s["q"] / len(share)) < 1e-9
        assert all(abs(i["frequency"] - share[i["name"]]) < 1e-12 for i in r["inputs"])
        assert set(r["selected"]) == {n for n, f in share.items() if tau and f >= tau - 1e-9}, (r["selected"], share, tau)
        assert tau is None or (0.5 < tau <= 1 and s["bounds"]["r_concave"] <= 1)
        assert s["bounds"]["r_concave"] <= s["bounds"]["unimodal"] <= s["bounds"]["nothing"]


def check_weaker_assumptions_ask_for_more():
    t = made(rows=200)
    tau = [selected(t, *SEARCH, "--max-inputs", "2", "--stability", "1", "--stability-pairs", "20", "--no-evidence",
                    "--stability-assume", a)["stability_selection"]["threshold"] for a in ("r-concave", "unimodal", "nothing")]
    assert tau[0] < tau[1] < tau[2], tau


def check_constraints():
    t = made()
    r = selected(t, *SEARCH, "--stability", "1", "--stability-pairs", "5", "--must", "x9")
    assert "x9" in r["selected"] and r["stability_selection"]["candidates"] == 9
    r = selected(t, *SEARCH, "--stability", "5", "--stability-pairs", "5", "--max-inputs", "2")
    assert len(r["selected"]) <= 2 and max(map(len, r["stability_selection"]["sets"])) <= 2
    r = selected(t, *SEARCH, "--stability", "5", "--stability-pairs", "5", "--group-inputs", "x1,x2;x9,x10")
    assert ("x1" in r["selected"]) == ("x2" in r["selected"])


def check_no_threshold_is_said():
    r = selected(made(), "--method", "search", "--stability", "0.005")
    assert r["selected"] == [] and r["stability_selection"]["threshold"] is None
    assert any("too many for any threshold" in n for n in r["notes"]) and any("--max-inputs" in n for n in r["notes"]), r["notes"]
    assert r["model"]["kind"] == "linear"
    assert "no input is stable" in good("select", "t.csv", "--method", "lars", "--stability", "1e-6", "--stability-pairs", "2",
                                        "--quiet")


def check_refused():
    t = made(rows=40)
    bad(2, "--stability and --fdr both", "select", t, "--stability", "1", "--fdr", "0.1")
    bad(2, "--stability and --bootstrap both", "select", t, "--stability", "1", "--bootstrap", "5")
    bad(2, "--stability-pairs needs --stability", "select", t, "--stability-pairs", "5")
    bad(2, "--stability-assume needs --stability", "select", t, "--stability-assume", "nothing")
    bad(2, "lssvm keeps all", "select", t, "--stability", "1", "--method", "lssvm")
    with open("c.csv", "w") as f:
        f.write("input,cost\n" + "".join("x%d,1\n" % i for i in range(1, 11)))
    bad(2, "cannot be combined with --cost", "select", t, "--stability", "1", *SEARCH, "--cost", "c.csv")


def check_model_has_the_stable_inputs():
    t = made(rows=150)
    r = selected(t, *SEARCH, "--stability", "1", "--stability-pairs", "10", "--model", "m", "--holdout", "0.2")
    assert r["selected"] and r["error"]["test"] < r["error"]["test_baseline"]
    good("predict", "m", t)
    inputs = {f["name"] for f in json.loads(good("export", "m", "--to", "json"))["inputs"]}
    assert inputs == set(r["selected"])


def check_outer_validates_the_whole():
    r = selected(made(), "--method", "lars", "--stability", "1", "--stability-pairs", "4", "--outer", "3")
    assert r["error"]["nested"] is not None and len(r["outer"]["sets"]) == 3
    assert all(abs(i["frequency"] - r["stability_selection"]["frequency"][i["name"]]) < 1e-12 for i in r["inputs"])


def check_resumes():
    t, words = made(), ["--method", "lars", "--stability", "1", "--stability-pairs", "4", "--checkpoint", "k"]
    first = selected(t, *words)
    again = selected(t, *words)
    assert os.path.exists("k") and first["stability_selection"]["sets"] == again["stability_selection"]["sets"]
    assert first["selected"] == again["selected"]


def check_series_and_progress():
    good("generate", "friedman1", "--rows", "150", "--seed", "2", "-o", "s.csv")
    r = selected("s.csv", "--method", "lars", "--inputs", "x1,x2", "--lags", "0:2", "--stability", "1", "--stability-pairs", "3")
    assert r["stability_selection"]["candidates"] == len(r["inputs"])
    code, _, err = run("select", "s.csv", "--method", "lars", "--stability", "1", "--stability-pairs", "3", "--verbose",
                       "--no-evidence")
    assert code == 0 and "stability 2 of 6" in err, err


def check_stand_ins_are_named():
    """x1 decides; x2 is x1 and noise. Halves may select x2 for x1, which the bound does not count: a note says so."""
    r = random.Random(7)
    rows = [[r.gauss(0, 1) for _ in range(8)] for _ in range(120)]
    for x in rows:
        x[1] = x[0] + 0.3 * x[1]
    lines = ["%.6f," * 8 % tuple(x) + "%.6f" % (x[0] + 0.5 * x[4] + 0.3 * r.gauss(0, 1)) for x in rows]
    f = table(",".join("x%d" % (i + 1) for i in range(8)) + ",y\n" + "\n".join(lines) + "\n", "alike.csv")
    words = ["--method", "lars", "--stability", "1", "--json", "--quiet"]
    notes = json.loads(good("select", f, *words))["notes"]
    assert any("x1 with x2: 0.9" in n and "stands in" in n for n in notes), notes
    assert not any("stands in" in n for n in json.loads(good("select", f, *words, "--ignore", "x2"))["notes"])


sys.exit(main(globals()))
