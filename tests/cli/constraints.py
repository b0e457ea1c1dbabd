#!/usr/bin/env python3
"""Constraints on what may be chosen, in the default method and in others; which methods a comparison runs."""
import json, os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, bad, good, main, run, table

IRIS, BOSTON = (os.path.join(ROOT, "data", name) for name in ("iris.csv", "boston.csv"))
TASKS = ((IRIS, "Sepal.Width", "Petal.Length"), (BOSTON, "zn", "rm"))


def result(*words):
    r = json.loads(good("select", *words, "--json", "--no-evidence", "--splits", "1"))
    assert r["method"] == "sift", r["method"]
    return r


def costs(file, dear):
    with open(file) as f:
        inputs = f.readline().strip().split(",")[:-1]
    return inputs, table("input,cost\n" + "".join("%s,%d\n" % (i, 9 if i in dear else 1) for i in inputs), "cost.csv")


def check_must():
    for file, weak, _ in TASKS:
        r = result(file, "--must", weak)
        assert weak in r["selected"]
        if file == IRIS:
            assert len(r["selected"]) < 4, r["selected"]


def check_max_inputs():
    for file, _, _ in TASKS:
        for most in (1, 2):
            assert 1 <= len(result(file, "--max-inputs", str(most))["selected"]) <= most


def check_group_inputs():
    """As text and as a file, the same answer: both of a group or none."""
    for file, weak, strong in TASKS:
        r = result(file, "--group-inputs", "%s,%s" % (weak, strong))
        assert (weak in r["selected"]) == (strong in r["selected"])
        groups = table("input,group\n%s,a\n%s,a\nother,b\n" % (weak, strong), "groups.csv")
        assert result(file, "--group-inputs", groups)["selected"] == r["selected"]
    bad(3, "'input' and 'group'", "select", IRIS, "--group-inputs", table("a,b\nx,1\n", "g.csv"))


def check_cost_and_budget():
    for file, _, strong in TASKS:
        inputs, f = costs(file, [strong])
        r = result(file, "--cost", f)
        assert r["cost"]["all"] == len(inputs) + 8
        r = result(file, "--cost", f, "--budget", "8")
        assert strong not in r["selected"] and r["cost"]["chosen"] <= 8 and r["selected"]
    inputs, f = costs(BOSTON, ["lstat", "rm"])          # the two best cost more than the budget
    r = result(BOSTON, "--cost", f, "--budget", "8")
    assert len(r["selected"]) >= 3 and not {"lstat", "rm"} & set(r["selected"]), r["selected"]
    bad(2, "--cost FILE", "select", IRIS, "--budget", "3")


def check_select_rule():
    sizes = [len(result(BOSTON, "--select-rule", rule)["selected"]) for rule in ("se", "best")]
    assert sizes[0] <= sizes[1], sizes
    assert len(result(IRIS, "--select-rule", "stable")["selected"]) >= 1


def check_all_at_once():
    _, f = costs(BOSTON, ["rm"])
    r = result(BOSTON, "--must", "zn", "--max-inputs", "3", "--cost", f, "--budget", "4", "--group-inputs", "lstat,age")
    s = r["selected"]
    assert "zn" in s and len(s) <= 3 and "rm" not in s and ("lstat" in s) == ("age" in s), s


def check_auto_never_picks_what_does_not_select():
    bad(2, "these methods have it: lssvm", "select", IRIS, "--sigma2", "1:10:3")
    good("generate", "add10", "--rows", "30", "-o", "several.csv")
    bad(2, "knockoffs, which is not for 2 targets", "select", "several.csv", "--target", "y,x1", "--fdr", "0.2")
    bad(2, "opelm, which is not for classification", "select", IRIS, "--neurons", "l")
    text = good("select", BOSTON, "--neurons", "l", "--no-evidence")
    assert "auto: opelm" in text and "because it has the options given" in text


def check_methods_that_cannot():
    for method, option in (("lars", "must"), ("sparse-rbf", "max-inputs"), ("fei", "group-inputs")):
        file = IRIS if method == "fei" else BOSTON
        bad(2, "--%s does not belong to method %s; these methods have it: sift" % (option, method), "select", file,
            "--method", method, "--" + option, "2")
    bad(2, "takes two classes, but the target 'Species' has 3; use one of sift", "select", IRIS, "--method", "sparse-rbf")
    bad(2, "keeps all 13 inputs", "select", BOSTON, "--method", "lssvm", "--sigma2", "9", "--gamma", "9",
        "--max-inputs", "2")


def check_compare_lists_what_cannot():
    r = json.loads(good("compare", IRIS, "--methods", "sisal,search:criterion=knn,sparse-rbf,search", "--json"))
    assert [m["method"] for m in r["methods"]] == ["search:criterion=knn"]
    assert {(m["method"], m["why"]) for m in r["not_for"]} == {
        ("sisal", "not for classification"), ("sparse-rbf", "not for 3 classes"), ("search", "not for classification")}
    text = good("compare", IRIS, "--methods", "sisal,search:criterion=knn,sparse-rbf")
    assert "not for 3 classes: sparse-rbf" in text and "not for classification: sisal" in text
    bad(2, "not for classification", "compare", IRIS, "--methods", "sisal,lars")


def check_compare_that_fails():
    code, out, err = run("compare", BOSTON, "--methods", "rrkrr,lssvm", "--memory", "20k", "-o", "c.json")
    assert code == 1 and "every method failed" in err and not out and not os.path.exists("c.json"), (code, err)
    r = json.loads(good("compare", BOSTON, "--methods", "rrkrr,lars", "--memory", "2M", "--json", "--no-evidence"))
    assert "failed" in r["methods"][0] and r["methods"][1]["error"]["mean"] < 1


def check_what_folds_can_tell():
    words = ("compare", BOSTON, "--methods", "lars,search", "--no-evidence")
    text = good(*words)
    assert "5 folds cannot tell" in text and "--repeats 10" in text and "0.062" in text
    few = json.loads(good(*words, "--json"))["resolution"]
    many = json.loads(good(*words, "--repeats", "10", "--json"))["resolution"]
    assert few["smallest_p"] == 1 / 16 and many["smallest_p"] < 1e-14
    assert abs(few["needed_sd"] - 2.776445 * (1 / 5 + 1 / 4) ** 0.5) < 1e-2
    assert abs(many["needed_sd"] - few["needed_sd_repeated"]) < 1e-2 and many["needed_sd"] < few["needed_sd"]
    assert "cannot tell" not in good(*words, "--repeats", "10")


def check_baseline():
    """Of the mean or the majority class, on the rows of the error and on the test rows."""
    for file, methods in ((BOSTON, ("sift", "lars", "opelm", "search")), (IRIS, ("sift", "fei"))):
        for method in methods:
            e = json.loads(good("select", file, "--method", method, "--holdout", "0.3", "--json", "--no-evidence"))["error"]
            least = 0.5 if file == BOSTON else 0.6
            assert e["baseline"] > e["selected"] and least < e["baseline"] < 1.01, (method, e)
            assert e["test_baseline"] > e["test"] and least < e["test_baseline"] < 1.7, (method, e)
    e = json.loads(good("select", BOSTON, "--method", "search", "--criterion", "mi", "--json"))["error"]
    assert "baseline" not in e                          # a mutual information is not an error


sys.exit(main(globals()))
