#!/usr/bin/env python3
"""Importances against brute force with the saved model. usage: importance.py path/to/tamis [name...]"""
import csv, json, math, os, random, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, good, main, table

METHODS = {"regression": ["sift", "sisal", "search", "lars", "opelm", "lssvm"], "classification": ["sift", "fei", "lssvm"]}


def selected(*words):
    return json.loads(good("select", *words, "--json", "--quiet"))


def by_name(r):
    return {i["name"]: i for i in r["inputs"]}


def predictions(name):
    return [row[next(iter(row))] for row in csv.DictReader(good("predict", "m", name).splitlines())]


def losses(rows, target, classes, scale, name):
    out = predictions(name)
    assert len(out) == len(rows)
    return [float(p != r[target]) if classes else ((float(p) - float(r[target])) / scale) ** 2 for p, r in zip(out, rows)]


def all_pairs(rows, target, classes, scale, column):
    """Mean growth of the loss of row i with the value of row j, over all pairs; one row of the file per pair."""
    n, head = len(rows), list(rows[0])
    base = losses(rows, target, classes, scale, "test.csv")
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    moved = [dict(rows[i], **{column: rows[j][column]}) for i, j in pairs]
    with open("moved.csv", "w", newline="") as f:
        w = csv.DictWriter(f, head)
        w.writeheader()
        w.writerows(moved)
    growth = losses(moved, target, classes, scale, "moved.csv")
    return sum(g - base[i] for g, (i, j) in zip(growth, pairs)) / len(pairs)


def split(rows, test):
    """The first `test` rows to test.csv, the others to train.csv."""
    for name, part in (("test.csv", rows[:test]), ("train.csv", rows[test:])):
        with open(name, "w", newline="") as f:
            w = csv.DictWriter(f, list(rows[0]))
            w.writeheader()
            w.writerows(part)
    return rows[:test]


def against_brute_force(rows, target, task):
    test = split(rows, 20)
    for method in METHODS[task]:
        r = selected("train.csv", "--target", target, "--task", task, "--method", method, "--test", "test.csv", "--model", "m")
        known = by_name(r)
        for name in r["selected"][:3]:
            want = all_pairs(test, target, task == "classification", r["error"].get("target_scale"), name)
            assert math.isclose(known[name]["importance"], want, rel_tol=1e-8, abs_tol=1e-9), (method, name, known[name], want)
            assert known[name]["importance_se"] >= 0


def check_regression_against_predict():
    good("generate", "friedman1", "--rows", "120", "-o", "t.csv")
    against_brute_force(list(csv.DictReader(open("t.csv"))), "y", "regression")


def check_classes_against_predict():
    rows = list(csv.DictReader(open(os.path.join(ROOT, "data", "iris.csv"))))
    against_brute_force(rows[::7] + [r for i, r in enumerate(rows) if i % 7], "Species", "classification")


def check_folds_tell_inputs_from_noise():
    good("generate", "friedman1", "--rows", "200", "-o", "t.csv")
    for method in ("sift", "sisal", "search"):
        for how in ("permute", "drop"):
            r = selected("t.csv", "--method", method, "--importance", how, "--threads", "1")
            known = by_name(r)
            for name in ("x1", "x2", "x4"):
                i = known[name]
                assert i["importance"] > 3 * i["importance_se"] > 0, (method, how, i)
            assert known["x4"]["importance"] > known["x3"]["importance"] if known["x3"]["selected"] else True


def check_the_only_input_can_be_dropped():
    r = random.Random(1)
    rows = [[r.uniform(-1, 1) for _ in range(3)] for _ in range(90)]
    file = table("a,b,c,y\n" + "".join("%f,%f,%f,%s\n" % (*x, "low" if x[0] < 0.1 else "high") for x in rows), "one.csv")
    for method in ("sift", "fei", "lssvm"):
        one = by_name(selected(file, "--inputs", "a", "--method", method, "--importance", "drop"))["a"]
        assert one["selected"] and one["importance"] > 0.2, (method, one)


def check_none_and_unknown():
    good("generate", "friedman1", "--rows", "60", "-o", "t.csv")
    for words in (["--importance", "none"], ["--no-evidence"]):
        r = selected("t.csv", "--method", "search", *words)
        assert all(i["importance"] is None and i["importance_se"] is None for i in r["inputs"])
    text = good("select", "t.csv", "--method", "search", "--importance", "none", "--quiet")
    assert "rank  input" in text and "importance" not in text
    text = good("select", "t.csv", "--method", "search", "--quiet")
    assert "importance" in text and "\u00b1" in text


def check_errors_have_a_standard_error():
    """Of all rows by the models of the folds: near the spread of leave-one-out losses over the root of the rows."""
    good("generate", "friedman1", "--rows", "100", "-o", "t.csv")
    for method in ("sift", "sisal", "forward", "lars", "lssvm", "rrkrr", "opelm"):
        e = selected("t.csv", "--method", method, *(["--sigma2", "5:200:4"] if method in ("sisal", "forward") else []))["error"]
        assert 0 < e["selected_se"] < e["selected"], (method, e)
    assert "selected_se" not in selected("t.csv", "--method", "search")["error"]       # a Delta Test is no mean loss


def relevance_part(method):
    with open(os.path.join(ROOT, "docs", "methods", method + ".md"), encoding="utf-8") as f:
        return f.read().partition("\n## Relevance\n")[2].partition("\n## ")[0]


def check_relevance_has_its_name_and_formula():
    """Every method's page explains its measure under the name that the result, the table and the page head it with."""
    parts = json.loads(good("methods", "--json"))
    criteria = {p["name"]: p["relevance_name"] for p in parts if p["kind"] == "criterion"}
    methods = {p["name"]: p["relevance_name"] for p in parts if p["kind"] == "method" and p["name"] != "auto"}
    standard = {"sisal": "loo-rbf", "forward": "loo-rbf", "lssvm": "cv-lssvm", "rrkrr": "cv-rrkrr"}
    for method, name in methods.items():
        names = {name} if name else {criteria[standard[method]]} if method in standard else set(criteria.values())
        assert all("`%s`" % n in relevance_part(method) for n in names), (method, names)
    good("generate", "add10", "--rows", "60", "-o", "t.csv")
    for words, name in ((["lars"], methods["lars"]), (["search"], criteria["delta"]),
                        (["search", "--criterion", "knn", "--stability", "1", "--stability-pairs", "5"], criteria["knn"])):
        text = good("select", "t.csv", "--method", *words, "-o", "r.json", "--report", "r.html", "--quiet")
        with open("r.json", encoding="utf-8") as f:
            assert json.load(f)["relevance_name"] == name
        with open("r.html", encoding="utf-8") as f:
            assert '<th scope="col" class="r">%s</th>' % name in f.read()
        assert name in next(line for line in text.splitlines() if line.startswith("  input")), text


if __name__ == "__main__":
    sys.exit(main(globals()))
