"""Validation on the command line: nested errors, hold-outs without leaks, groups, costs, comparisons."""
import csv, json, os, random, sys
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
from harness import *


def made(name="friedman1", rows=80, seed=1, file="made.csv"):
    good("generate", name, "--rows", str(rows), "--seed", str(seed), "-o", file)
    return file


def result(*words):
    return json.loads(good(*words, "--json", "--quiet"))


def read(file):
    with open(file) as f:
        rows = list(csv.reader(f))
    return rows[0], rows[1:]


def write(file, head, rows):
    with open(file, "w") as f:
        csv.writer(f, lineterminator="\n").writerows([head] + rows)
    return file


def check_nested_error_is_the_headline():
    f = made()
    r = result("select", f, "--method", "search", "--outer", "4", "--repeats", "2")
    o = r["outer"]
    assert len(o["errors"]) == len(o["sets"]) == 8 and o["folds"] == 4 and o["repeats"] == 2
    assert abs(sum(o["errors"]) / 8 - o["error"]["mean"]) < 1e-12
    assert 0 < r["error"]["nested"] < 1.2 * o["error"]["mean"]
    assert all(0 <= i["frequency"] <= 1 for i in r["inputs"])
    assert r["error"]["nested_se"] > 0 and o["inputs"]["min"] <= o["inputs"]["mean"] <= o["inputs"]["max"]
    text = good("select", f, "--method", "search", "--outer", "4")
    assert text.index("\n  nested, 4 folds") < text.index("\n  Delta Test  "), text
    plain = result("select", f, "--method", "search")
    assert plain["selected"] == r["selected"] and plain["path"] == r["path"] and "outer" not in plain


METHODS = ["sift", "sisal", "search", "lars", "opelm", "lssvm", "rrkrr"]


def check_no_leak_from_held_out_rows():
    """Poisoned rows: whatever held-out rows contain, what is learnt from the other rows stays the same to the bit."""
    for method in METHODS:
        f = made(rows=60)
        more = ["--sigma2", "1:100:3"] if method in ("sisal", "lssvm", "rrkrr") else []
        words = ["--method", method, "--holdout", "0.25", *more]
        clean = result("select", f, *words)
        head, rows = read(f)
        held = held_out(len(rows), 0.25)
        poisoned = [([str(float(v) * 1e6 + 777) for v in r] if i in held else r) for i, r in enumerate(rows)]
        bad_rows = result("select", write("poisoned.csv", head, poisoned), *words)
        for i in bad_rows["inputs"] + clean["inputs"]:          # measured on the rows held out
            del i["importance"], i["importance_se"]
        for key in ("selected", "path", "inputs", "model"):
            assert bad_rows.get(key) == clean.get(key), (method, key)
        assert bad_rows["error"]["selected"] == clean["error"]["selected"], method
        assert bad_rows["error"]["test"] != clean["error"]["test"], method
        # this test can fail: poison in a training row changes the result
        seen = next(i for i in range(len(rows)) if i not in held)
        poisoned = [([str(float(v) * 3 + 1) for v in r] if i == seen else r) for i, r in enumerate(rows)]
        other = result("select", write("poisoned2.csv", head, poisoned), *words)
        assert other["path"] != clean["path"] or other["error"]["selected"] != clean["error"]["selected"], method


def held_out(rows, share, seed=1):
    """The held-out rows: changing their target leaves no trace in training. Found with the fastest method."""
    lines = [[str(i % 7), str(i % 5), str(i)] for i in range(rows)]
    base = result("select", write("probe.csv", ["a", "b", "y"], lines), "--method", "lars", "--holdout", str(share),
                  "--seed", str(seed))
    held = set()
    for i in range(rows):
        changed = [r[:2] + [str(float(r[2]) + (1000 if k == i else 0))] for k, r in enumerate(lines)]
        r = result("select", write("probe2.csv", ["a", "b", "y"], changed), "--method", "lars", "--holdout", str(share),
                   "--seed", str(seed))
        if r["path"] == base["path"] and r["error"]["selected"] == base["error"]["selected"]:
            held.add(i)
    assert len(held) == round(share * rows), held
    return held


def check_no_leak_in_outer_folds():
    """Poison in one row changes every trial that learns from it; the one that holds it out keeps set and criterion."""
    f = made(rows=60)
    head, rows = read(f)
    for method in ("search", "sift", "sisal"):
        more = ["--sigma2", "1:100:3"] if method == "sisal" else []
        a = result("select", f, "--method", method, "--outer", "5", *more)["outer"]
        poisoned = [list(r) for r in rows]
        poisoned[17] = [str(float(v) * 1000 + 55) for v in poisoned[17]]
        b = result("select", write("poisoned.csv", head, poisoned), "--method", method, "--outer", "5", *more)["outer"]
        same = [k for k in range(5) if a["criteria"][k] == b["criteria"][k] and a["sets"][k] == b["sets"][k]]
        assert len(same) == 1, (method, a["criteria"], b["criteria"])
        assert a["errors"][same[0]] != b["errors"][same[0]]


def check_groups():
    f = made(rows=90)
    head, rows = read(f)
    g = write("g.csv", head[:-1] + ["batch", head[-1]],
              [r[:-1] + ["b%d" % (i // 6), r[-1]] for i, r in enumerate(rows)])
    r = result("select", g, "--method", "search", "--groups", "batch", "--outer", "5", "--holdout", "0.2")
    assert "batch" not in [i["name"] for i in r["inputs"]]
    assert r["data"]["test_rows"] % 6 == 0 and r["data"]["test_rows"] > 0
    bad(2, "groups", "select", g, "--method", "search", "--groups", "batch", "--outer", "40")
    bad(2, "no such column", "select", g, "--groups", "nowhere")
    bad(2, "both define the folds", "select", g, "--groups", "batch", "--blocks")
    # each row twice, with a trace of noise: folds that separate the copies would give an error near zero
    twice = write("twice.csv", head[:-1] + ["who", head[-1]],
                  [[repr(float(r[0]) + k * 1e-9)] + r[1:-1] + [str(i), r[-1]]
                   for i, r in enumerate(rows) for k in (0, 1)])
    knn = ["select", twice, "--method", "search", "--criterion", "knn", "--outer", "5"]
    apart = result(*knn, "--ignore", "who")["error"]["nested"]
    together = result(*knn, "--groups", "who")["error"]["nested"]
    assert apart < 0.6 * together, (apart, together)


def check_equal_rows():
    """Copies of rows never lie on both sides of a split, unless chance explains them or the order decides."""
    head, rows = read(made(rows=90))
    twice = write("twice.csv", head, [r for r in rows for _ in (0, 1)])
    knn = ["--method", "search", "--criterion", "knn", "--outer", "5"]
    together = result("select", twice, *knn)
    assert together["data"]["repeated_rows"] == 90
    note = "90 rows repeat an earlier row exactly; equal rows stay in the same fold"
    assert together["notes"].count(note) == 1, together["notes"]
    apart = result("select", twice, *knn, "--blocks", "--inputs", "x1,x2,x3,x4,x5")
    assert apart["data"]["repeated_rows"] is None and note not in apart["notes"]
    near = write("near.csv", head, [[repr(float(r[0]) + k * 1e-9)] + r[1:] for r in rows for k in (0, 1)])
    assert result("select", near, *knn)["error"]["nested"] < 0.75 * together["error"]["nested"]
    held = result("select", twice, "--method", "lars", "--holdout", "0.3")
    assert held["data"]["test_rows"] % 2 == 0 and held["data"]["repeated_rows"] == held["data"]["rows"] / 2
    assert "90 duplicate rows" in good("describe", twice)
    once = write("once.csv", head, rows + rows[:1])
    assert "1 row repeats an earlier row exactly" in "".join(result("select", once, "--method", "lars")["notes"])
    plain = result("select", made(rows=90), "--method", "lars")
    assert plain["data"]["repeated_rows"] == 0 and not any("repeat" in n for n in plain["notes"])
    bits = write("bits.csv", ["a", "b", "c", "y"],
                 [[str(random.Random(4 * i + k).randint(0, 1)) for k in range(3)] + ["ny"[i * i % 3 % 2]]
                  for i in range(80)])
    r = result("select", bits, "--method", "search", "--criterion", "knn", "--outer", "10")
    assert r["data"]["repeated_rows"] > 60 and r["outer"]["folds"] == 10 and not any("repeat" in n for n in r["notes"])
    same = write("same.csv", ["a", "b", "y"], [["1", "2", "3"]] * 12)
    bad(3, "nothing to predict", "select", same)
    bad(3, "nothing to predict", "select", same, "--holdout", "0.2")
    few = write("few.csv", head, rows[:7] * 6)
    r = result("compare", few, "--methods", "lars,search", "--outer", "10")
    assert r["outer"]["folds"] == 7 and len(r["methods"][0]["errors"]) == 7
    assert any("7 folds instead of 10" in n for n in r["notes"]), r["notes"]


def check_equal_rows_keep_folds_stratified():
    """Iris has one repeated row; every outer fold still has as many rows of each class as any other."""
    r = result("select", shared("iris.csv"), "--method", "search", "--criterion", "knn", "--outer", "10")
    assert r["data"]["repeated_rows"] == 1
    assert all(abs(e * 15 - round(e * 15)) < 1e-9 for e in r["outer"]["errors"])        # ten folds of 15 rows


def check_blocks():
    f = made(rows=60)
    r = result("select", f, "--method", "lars", "--blocks", "--holdout", "0.25")
    head, rows = read(f)
    rows[-1] = ["9e5"] * len(head)
    late = result("select", write("late.csv", head, rows), "--method", "lars", "--blocks", "--holdout", "0.25")
    assert late["path"] == r["path"]
    bad(2, "only one way", "select", f, "--method", "lars", "--blocks", "--outer", "3", "--repeats", "2")


def check_bootstrap():
    r = result("select", made(rows=120), "--method", "search", "--bootstrap", "10")
    b = r["bootstrap"]
    assert b["resamples"] == 10 and len(b["sets"]) == 10 and b["frequency"]["x4"] == 1
    assert b["frequency"]["x4"] > b["frequency"]["x9"]


def check_rules():
    f = made(rows=100)
    r = result("select", f, "--method", "sisal", "--sigma2", "1:100:3", "--select-rule", "se")
    s = r["select_rule"]
    assert s["rule"] == "se" and len(s["sizes"]) == 11 and len(r["selected"]) == s["size"]
    best = min(s["sizes"], key=lambda p: p["error"])
    assert s["size"] <= best["size"]
    noise = write("noise.csv", ["a", "b", "c", "y"],
                  [["%.6f" % random.Random(9 * i + k).gauss(0, 1) for k in range(4)] for i in range(80)])
    none = result("select", noise, "--method", "sisal", "--sigma2", "1:100:3", "--select-rule", "se")
    assert none["selected"] == [] and any("no input helps" in n for n in none["notes"]), none["selected"]
    bad(2, "select-rule", "select", f, "--method", "search", "--scaling", "--select-rule", "se")


def check_must_and_input_groups():
    f = made(rows=60)
    r = result("select", f, "--method", "search", "--must", "x9")
    assert "x9" in r["selected"]
    r = result("select", f, "--method", "search", "--group-inputs", "x1,x2;x9*,x8")
    chosen = set(r["selected"])
    assert ("x1" in chosen) == ("x2" in chosen) and ("x9" in chosen) == ("x8" in chosen)
    bad(2, "unknown input", "select", f, "--method", "search", "--must", "nope")
    bad(2, "unknown input", "select", f, "--method", "search", "--group-inputs", "x1,nope")
    bad(2, "two groups", "select", f, "--method", "search", "--group-inputs", "x1,x2;x2,x3")
    bad(2, "does not belong", "select", f, "--method", "lars", "--must", "x1")


def check_max_inputs():
    f = made(rows=60)
    for search in ("forward", "backward", "forward-backward", "exhaustive"):
        words = ["select", f, "--method", "search", "--search", search, "--criterion", "press"]
        r = result(*words, "--max-inputs", "2")
        assert 0 < len(r["selected"]) <= 2 < len(result(*words)["selected"]) and r["options"]["max-inputs"] == "2"
    r = result("select", f, "--method", "sisal", "--sigma2", "1:100:3", "--select-rule", "se", "--max-inputs", "2")
    assert len(r["selected"]) <= 2 and [s["size"] for s in r["select_rule"]["sizes"]] == [0, 1, 2]
    bad(2, "--must keeps 3 inputs", "select", f, "--method", "search", "--must", "x1,x2,x3", "--max-inputs", "2")
    bad(2, "--select forward", "select", f, "--method", "lssvm", "--max-inputs", "2")


def check_costs():
    f = made(rows=100)
    cost = {"x%d" % i: i for i in range(1, 11)}
    c = table("input,cost\n" + "".join("%s,%d\n" % p for p in cost.items()) + "other,5\n", "cost.csv")
    best = result("select", f, "--method", "search", "--search", "exhaustive", "--cost", c, "--budget", "8")
    for search in ("forward", "backward", "forward-backward"):
        r = result("select", f, "--method", "search", "--search", search, "--cost", c, "--budget", "8")
        assert sum(cost[n] for n in r["selected"]) == r["cost"]["chosen"] <= 8
        assert r["error"]["selected"] >= best["error"]["selected"] - 1e-12
        front = r["cost"]["frontier"]
        assert all(a["cost"] < b["cost"] and a["criterion"] > b["criterion"] for a, b in zip(front, front[1:]))
    bad(2, "--cost FILE", "select", f, "--method", "search", "--budget", "3")
    bad(3, "no cost for input", "select", f, "--method", "search", "--cost", table("input,cost\nx1,1\n", "c2.csv"))
    bad(3, "columns 'input'", "select", f, "--method", "search", "--cost", table("a,b\nx1,1\n", "c3.csv"))
    bad(3, "number of at least 0", "select", f, "--method", "search", "--cost",
        table("input,cost\nx1,-1\n", "c4.csv"))


def check_compare():
    f = made(rows=80)
    good("compare", f, "--methods", "lars,search,opelm", "--outer", "3", "-o", "c.json")
    r = json.load(open("c.json"))
    assert [m["method"] for m in r["methods"]] == ["lars", "search", "opelm"]
    assert r["outer"] == {"folds": 3, "repeats": 1}
    for m in r["methods"]:
        assert len(m["errors"]) == 3 and set(m["frequency"]) == {"x%d" % i for i in range(1, 11)}
        assert m["inputs"]["min"] <= m["inputs"]["max"]
    assert len(r["better"]) == 3 and all(0 <= b["p"] <= b["p_adjusted"] <= 1 for b in r["better"])
    text = good("compare", f, "--methods", "lars,search")
    assert "stability" in text and "search" in text
    bad(2, "unknown method", "compare", f, "--methods", "nope")
    bad(2, "none of the methods compared", "compare", f, "--methods", "lars", "--sigma2", "3")
    bad(2, "does not apply", "compare", f, "--methods", "lars", "--holdout", "0.2")


def check_compare_of_classes():
    r = result("compare", shared("iris.csv"), "--methods", "search:criterion=knn,fei", "--outer", "3")
    assert r["data"]["task"] == "classification" and r["methods"][0]["error"]["mean"] < 0.15


sys.exit(main(globals()))
