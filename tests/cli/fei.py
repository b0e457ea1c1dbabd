#!/usr/bin/env python3
"""Method fei on the command line. usage: fei.py path/to/tamis [name...]"""
import csv, io, json, os, random, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import bad, good, run, shared, main


def made(inputs=6, rows=120, seed=1, file="made.csv", labels=("low", 'mid, "dle"', "high")):
    """A table of three classes with these labels; the first two inputs depend on the class."""
    r = random.Random(seed)
    with open(file, "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["x%d" % (i + 1) for i in range(inputs)] + ["kind"])
        for _ in range(rows):
            k = r.randrange(3)
            x = [r.gauss(0, 1) for _ in range(inputs)]
            x[0] += 3 * (k - 1)
            x[1] += 2.5 * (k == 1)
            w.writerow(["%.6g" % v for v in x] + [labels[k]])
    return file


def by_rank(result):
    return [i["name"] for i in sorted(result["inputs"], key=lambda i: i["rank"])]


def check_table_and_json():
    f = made()
    out = good("select", f, "--method", "fei")
    assert "fei chose" in out and "share of rows misclassified" in out and "  cross-validated error  " in out, out
    r = json.loads(good("select", f, "--method", "fei", "--json"))
    b = r["fei"]
    assert r["error"]["criterion"] == "cv" and r["data"]["task"] == "classification"
    assert r["model"]["kind"] == "rbf-classifier"
    assert len(r["model"]["parameters"]["sigma"]) == r["model"]["basis_functions"]
    assert {"x1", "x2"} >= set(r["selected"][:2]) and "one standard error" in b["rule"] and b["hidden"] > 3
    assert [s["size"] for s in r["path"]] == list(range(7)) and r["path"][0]["changed"] is None
    k = r["chosen_step"]
    best = min(s["criterion"] for s in r["path"])
    limit = best + [s for s in r["path"] if s["criterion"] == best][0]["parameters"]["se"]
    assert r["path"][k]["criterion"] <= limit + 1e-9 and all(s["criterion"] > limit for s in r["path"][:k])
    assert len(b["subsets"]) == 2 ** 6 - 2 and set(b["rank_agreement"]) == {"x%d" % i for i in range(1, 7)}
    assert all(0 <= v <= 1 for v in b["rank_agreement"].values())
    by_size = {}
    for s in b["subsets"]:
        by_size.setdefault(len(s["inputs"]), []).append(s)
    for sets in by_size.values():
        assert [s["rank"] for s in sets] == list(range(1, len(sets) + 1))
        assert all(a["fei2"] >= c["fei2"] for a, c in zip(sets, sets[1:]))
    assert sorted(s["overall_rank"] for s in b["subsets"]) == list(range(1, 63))
    singles = {s["inputs"][0]: s["fei2"] for s in by_size[1]}
    assert all(abs(singles[n] - v) < 1e-12 for n, v in b["single_fei2"].items())
    assert sorted(b["mean_rank"], key=b["mean_rank"].get) == by_rank(r)


def check_ranks_follow_the_index():
    f = made()
    a, c = (json.loads(good("select", f, "--method", "fei", "--index", i, "--starts", "1", "--hidden", "9", "--json"))
            for i in ("fei", "fei2"))
    for r, name in ((a, "fei"), (c, "fei2")):
        single = r["fei"]["single_" + name]
        assert sorted(single, key=single.get, reverse=True) == by_rank(r)
    assert a["fei"]["baseline"] == c["fei"]["baseline"] and a["fei"]["single_fei2"] == c["fei"]["single_fei2"]


def check_more_than_twenty_inputs():
    r = json.loads(good("select", made(30), "--method", "fei", "--sizes", "4", "--json"))
    sets = r["fei"]["subsets"]
    assert [len(s["inputs"]) for s in sets] == [1, 2, 3, 4] and all(s["bound"] >= s["mean"] * (1 - 1e-9) for s in sets)
    assert sets[0]["proved"] and set(sets[1]["inputs"]) == {"x1", "x2"}
    r = json.loads(good("select", made(14), "--method", "fei", "--list", "2", "--hidden", "8", "--json"))
    assert len(r["fei"]["subsets"]) == 2 * 13 and r["fei"]["growth"] == []


def check_predictions():
    f, t = made(), made(rows=400, seed=9, file="test.csv")
    r = json.loads(good("select", f, "--method", "fei", "--test", t, "--model", "m.tamis", "--json"))
    rows = list(csv.DictReader(io.StringIO(good("predict", "m.tamis", t))))
    truth = [q["kind"] for q in csv.DictReader(open(t))]
    assert set(rows[0]) == {"kind", "probability:low", 'probability:mid, "dle"', "probability:high"}, rows[0]
    for q in rows:
        scores = {k[12:]: float(v) for k, v in q.items() if k.startswith("probability:")}
        assert q["kind"] == max(scores, key=scores.get)
    wrong = sum(q["kind"] != k for q, k in zip(rows, truth)) / len(truth)
    assert abs(wrong - r["error"]["test"]) < 1e-12 and r["error"]["test"] < 0.2
    assert r["error"]["test_all_inputs"] is not None
    h = json.loads(good("select", f, "--method", "fei", "--holdout", "0.25", "--json"))
    assert 28 <= h["data"]["test_rows"] <= 32 and h["error"]["test"] is not None


def check_nothing_helps():
    r = random.Random(5)
    with open("noise.csv", "w") as f:
        f.write("a,b,c,y\n"
                + "".join("%.4f,%.4f,%.4f,%s\n" % (r.random(), r.random(), r.random(), r.choice("pqq"))
                          for _ in range(90)))
    q = json.loads(good("select", "noise.csv", "--method", "fei", "--model", "m.tamis", "--json"))
    assert q["selected"] == [] and "most frequent class" in q["notes"][-1]
    assert "no input helps" in good("select", "noise.csv", "--method", "fei")
    assert {row["y"] for row in csv.DictReader(io.StringIO(good("predict", "m.tamis", "noise.csv")))} == {"q"}


def check_bad_requests():
    f = made()
    bad(2, "need more than 3 hidden nodes", "select", f, "--method", "fei", "--hidden", "3")
    bad(2, "is for classification", "select", f, "--method", "fei", "--ignore", "kind", "--target", "x1")
    bad(2, "--sigma2 does not belong", "select", f, "--method", "fei", "--sigma2", "3")
    bad(3, "too few for 121 hidden nodes", "select", f, "--method", "fei", "--hidden", "121")
    assert "memory" in good("select", f, "--method", "fei", "--dry-run")


def check_numeric_labels():
    rows = list(csv.reader(open(made(labels=("1", "2", "3")))))
    r = json.loads(good("select", "made.csv", "--method", "fei", "--task", "classification", "--json"))
    assert r["data"]["task"] == "classification" and len(rows) == 121 and r["error"]["selected"] < 0.2


def check_iris_is_table_1():
    paper = {"1": 11, "2": 9, "3": 4, "4": 8, "12": 13, "13": 5, "14": 12, "23": 6, "24": 10, "34": 2, "123": 7,
             "124": 14, "134": 1, "234": 3}
    r = json.loads(good("select", shared("iris.csv"), "--method", "fei", "--no-standardize", "--hidden", "8",
                        "--weights", "ls", "--starts", "200", "--json"))
    names = [i["name"] for i in r["inputs"]]
    ours = {"".join(str(names.index(n) + 1) for n in s["inputs"]): s["overall_rank"] for s in r["fei"]["subsets"]}
    assert ours == paper, ours
    assert [names.index(n) + 1 for n in by_rank(r)] == [3, 4, 2, 1]
    assert min(r["fei"]["rank_agreement"].values()) >= 0.85 and set(r["selected"]) <= {"Petal.Length", "Petal.Width"}


def check_vowel_is_table_2():
    for index in ("fei", "fei2"):
        r = json.loads(good("select", shared("telugu_vowel.csv"), "--task", "classification", "--method", "fei",
                            "--no-standardize", "--hidden", "12", "--weights", "ls",
                            "--index", index, "--folds", "2", "--json"))
        assert r["fei"]["rank_agreement"] == {"F1": 1, "F2": 1, "F3": 1}
        assert [i["rank"] for i in r["inputs"]] == [2, 1, 3]
        order = [s["inputs"] for s in sorted(r["fei"]["subsets"], key=lambda s: s["overall_rank"])]
        assert order[:2] == [["F1", "F2"], ["F2"]] or index == "fei2", order


sys.exit(main(globals()))
