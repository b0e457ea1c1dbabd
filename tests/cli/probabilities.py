#!/usr/bin/env python3
"""Probabilities of classes: what predictions, results and exported models say. usage: probabilities.py path/to/tamis
[name...]"""
import csv, io, json, math, os, random, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, bad, good, main, run, table

METHODS = {"sift": [], "search": ["--criterion", "knn"], "lssvm": ["--sigma2", "2:20:2"], "fei": ["--starts", "2"],
           "rjmcmc": ["--samples", "60", "--burn-in", "20", "--chains", "1", "--temperatures", "2"]}


def made(rows=90, classes=3, seed=1, rare=0, file="classes.csv"):
    r, lines = random.Random(seed), []
    for i in range(rows):
        k = (0 if r.random() > rare else 1) if rare else i % classes
        x = [r.gauss(0, 1) for _ in range(4)]
        x[0] += 1.5 * k
        x[2] -= k == 1
        lines.append(",".join("%.4f" % v for v in x) + ",%s" % "low,mid,high".split(",")[k])
    return table("a,b,c,d,kind\n" + "\n".join(lines) + "\n", file)


def predicted(model, data):
    rows = list(csv.DictReader(io.StringIO(good("predict", model, data))))
    p = [{k[12:]: float(v) for k, v in q.items() if k.startswith("probability:")} for q in rows]
    return [q["kind"] for q in rows], p


def classes_of(file):
    return [q["kind"] for q in csv.DictReader(open(file))]


def check_every_method_gives_probabilities():
    f = made(classes=2)
    for method, words in METHODS.items():
        r = json.loads(good("select", f, "--method", method, *words, "--model", "m", "--json", "--quiet"))
        called, p = predicted("m", f)
        for k, q in zip(called, p):
            assert all(0 < v < 1 for v in q.values()) and abs(sum(q.values()) - 1) < 1e-12, (method, q)
            assert q[k] == max(q.values()), (method, k, q)
        e = r["error"]
        assert 0 < e["log_loss"] < e["baseline_log_loss"] + 0.2, (method, e)
        assert 0 <= e["brier"] <= 2 and 0 <= e["auc"] <= 1 and 0 <= e["balanced_accuracy"] <= 1, e
        assert abs(e["baseline_log_loss"] - math.log(2)) < 1e-3 and e["baseline_auc"] == 0.5, e


def check_measures_on_test_rows():
    f, t = made(), made(120, seed=2, file="test.csv")
    r = json.loads(good("select", f, "--test", t, "--model", "m", "--json", "--quiet"))
    called, p = predicted("m", t)
    truth = classes_of(t)
    names = sorted(set(truth))
    wrong = sum(a != b for a, b in zip(called, truth)) / len(truth)
    loss = -sum(math.log(q[k]) for q, k in zip(p, truth)) / len(truth)
    brier = sum(sum((q[n] - (n == k)) ** 2 for n in names) for q, k in zip(p, truth)) / len(truth)
    recall = [sum(a == b == n for a, b in zip(called, truth)) / truth.count(n) for n in names]
    auc = []
    for n in names:
        own, other = [q[n] for q, k in zip(p, truth) if k == n], [q[n] for q, k in zip(p, truth) if k != n]
        auc.append(sum((x > y) + (x == y) / 2 for x in own for y in other) / len(own) / len(other))
    e = r["error"]
    m = r["probabilities"]["measured"][1]
    assert m["kind"] == "test" and m["rows"] == 120
    for got, want in ((e["test"], wrong), (m["error"], wrong), (e["test_log_loss"], loss), (e["test_brier"], brier),
                      (e["test_balanced_accuracy"], sum(recall) / 3), (e["test_auc"], sum(auc) / 3)):
        assert abs(got - want) < 1e-9, (got, want)
    for c in m["classes"]:
        assert abs(c["auc"] - auc[names.index(c["name"])]) < 1e-9
    count = {n: truth.count(n) for n in names}
    for c, row in zip(m["classes"], m["confusion"]):
        assert sum(row) == count[c["name"]]


def check_error_confusion_and_probabilities_agree():
    r = json.loads(good("select", made(), "--json", "--quiet"))
    m = r["probabilities"]["measured"][0]
    wrong = sum(x for i, row in enumerate(m["confusion"]) for j, x in enumerate(row) if i != j)
    assert m["kind"] == "fold" and abs(wrong / m["rows"] - m["error"]) < 1e-12
    assert abs(m["error"] - r["error"]["selected"]) < 1e-9
    assert m["confusion"] == r["evidence"]["unseen"]["confusion"]
    assert r["probabilities"]["calibration"] in ("held-out", "none")
    assert abs(sum(b["rows"] for b in m["reliability"]) - 3 * m["rows"]) < 1e-9


def check_without_held_out_rows():
    f = made(90)
    code, out, err = run("select", f, "--no-evidence", "--method", "search", "--criterion", "knn", "--json", "--model",
                         "m")
    r = json.loads(out)
    assert code == 0 and r["probabilities"] == {"measured": [], "calibration": "training"}, r["probabilities"]
    assert r["error"]["log_loss"] is None and any("too sure" in n for n in r["notes"])
    assert all(abs(sum(q.values()) - 1) < 1e-12 for q in predicted("m", f)[1])


def check_class_shares_without_inputs():
    r = random.Random(3)
    lines = ["%.4f,%.4f,%s" % (r.gauss(0, 1), r.gauss(0, 1), "xy"[r.random() < 0.3]) for _ in range(60)]
    q = json.loads(good("select", table("a,b,kind\n" + "\n".join(lines) + "\n", "noise.csv"), "--json", "--quiet"))
    share = [sum(line[-1] == c for line in lines) / 60 for c in "xy"]
    assert q["selected"] == []
    assert abs(q["error"]["log_loss"] + sum(p * math.log(p) for p in share)) < 1e-3


def check_export():
    f = made(60, 2)
    for method in ("sift", "search", "rjmcmc"):
        good("select", f, "--method", method, *METHODS[method], "--model", "m", "--quiet")
        good("export", "m", "--to", "json", "-o", "m.json")
        assert good("predict", "m", f) == good("predict", "m.json", f)
        good("export", "m", "--to", "c", "--name", "f", "-o", "m.c")
        assert "probability of class" in open("m.c").read()
        subprocess.run(["cc", "-std=c99", "-Wall", "-Werror", "-DTEST", "m.c", "-o", "m.out", "-lm"], check=True)
        subprocess.run(["./m.out"], check=True, stdout=subprocess.DEVNULL)


def check_older_json_models_give_scores():
    f = made()
    good("select", f, "--model", "m", "--quiet")
    model = json.loads(good("export", "m", "--to", "json"))
    del model["calibration"]
    json.dump(model, open("old.json", "w"))
    rows = list(csv.DictReader(io.StringIO(good("predict", "old.json", f))))
    assert set(rows[0]) == {"kind", "score:low", "score:mid", "score:high"}
    assert [q["kind"] for q in rows] == predicted("m", f)[0]
    model["calibration"] = {"log": False, "unit": 1, "floor": 0.5, "slope": [1, 1, 1, 0, 0, -1]}
    json.dump(model, open("damaged.json", "w"))
    bad(3, "damaged", "predict", "damaged.json", f)


def check_loss():
    f = made(150, rare=0.1)
    knn = ["--method", "search", "--criterion", "knn", "--json", "--quiet"]
    for loss in ("error", "balanced-error", "log-loss", "brier"):
        r = json.loads(good("select", f, *knn, "--select-rule", "se", "--loss", loss))
        assert r["select_rule"]["loss"] == loss and r["select_rule"]["units"]
        if loss == "balanced-error":
            assert abs(r["select_rule"]["sizes"][0]["error"] - 0.5) < 1e-9
    r = json.loads(good("select", f, *knn, "--select-rule", "se"))
    assert r["select_rule"]["loss"] == "log-loss"
    for loss in ("error", "balanced-error", "log-loss", "brier"):
        assert json.loads(good("select", f, "--loss", loss, "--json", "--quiet"))["options"]["loss"] == loss
    bad(2, "add --select-rule se", "select", f, *knn, "--loss", "log-loss")
    bad(2, "--loss does not belong to method fei", "select", f, "--method", "fei", "--loss", "error")
    bad(2, "is a number", "select", os.path.join(ROOT, "data", "boston.csv"), "--loss", "error")


def check_loss_of_sift():
    """x0 moves the probability of a class between 0.6 and 0.95: no row changes sides, so only probabilities show it."""
    r = random.Random(4)
    rows = [[r.choice((-1, 1)), r.gauss(0, 1), r.gauss(0, 1)] for _ in range(400)]
    lines = ["%g,%.6f,%.6f,%s" % (*x, "yes" if r.random() < (0.95 if x[0] > 0 else 0.6) else "no") for x in rows]
    f = table("x0,x1,x2,kind\n" + "\n".join(lines) + "\n", "sides.csv")
    chosen, behind = {}, {}
    for loss in ("error", "log-loss", "brier"):
        a = [json.loads(good("select", f, "--loss", loss, "--threads", t, "--json", "--quiet")) for t in "12"]
        assert a[0]["sift"] == a[1]["sift"]
        chosen[loss], behind[loss] = a[0]["selected"], a[0]["sift"]["over_empty"][-2]
    assert chosen == {"error": [], "log-loss": ["x0"], "brier": ["x0"]}, chosen
    assert behind["error"] <= 0 and behind["log-loss"] > 4 and behind["brier"] > 4, behind
    three = made(120)
    whole = json.loads(good("select", three, "--loss", "log-loss", "--json", "--quiet", "--checkpoint", "c"))
    again = json.loads(good("select", three, "--loss", "log-loss", "--json", "--quiet", "--checkpoint", "c"))
    assert whole["sift"] == again["sift"] and whole["selected"] == again["selected"]


def check_page():
    good("select", made(), "--report", "r.html", "--quiet", "-o", "r.json")
    page = open("r.html", encoding="utf-8").read()
    for words in ("t-measures", "log loss", "Brier score", "balanced accuracy", "class shares"):
        assert words in page, words
    good("report", "r.json", "--plot", "p.svg", "--plot-what", "reliability")


sys.exit(main(globals()))
