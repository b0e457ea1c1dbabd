#!/usr/bin/env python3
"""sparse-rbf on the command line. usage: sparse_rbf.py path/to/tamis [name...]"""
import json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import bad, good, run, main


def made(name, rows, seed, *more):
    file = "%s-%d.csv" % (name, seed)
    good("generate", name, "--rows", str(rows), "--seed", str(seed), "-o", file, *more)
    return file


QUICK = ["--method", "sparse-rbf", "--r", "3:12:3", "--t", "2:8:3", "--folds", "4"]


def check_result_and_surface():
    train, test = made("tikka1d", 60, 1), made("tikka1d", 200, 2)
    r = json.loads(good("select", train, *QUICK, "--test", test, "--json", "--quiet"))
    b = r["sparse-rbf"]
    assert r["selected"] == ["x1"] and r["error"]["criterion"] == "cv" and r["path"] == [], r
    assert r["model"]["kind"] == "sparse-rbf", r
    assert r["error"]["selected"] < r["error"]["all_inputs"] and r["error"]["test"] < r["error"]["test_all_inputs"]
    assert len(b["weights"]) == 5 and b["weights"][1:] == [0, 0, 0, 0] and 0 < b["weights"][0] <= b["t"] * (1 + 1e-12)
    s = b["surface"]
    assert len(s["r"]) == len(s["t"]) == 3
    assert all(len(row) == 3 for k in ("error", "inputs", "basis_functions") for row in s[k])
    assert min(min(row) for row in s["error"]) == r["error"]["selected"]
    assert b["basis_functions"] == r["model"]["basis_functions"] > 0 and b["gap"] < 1e-6 and b["solver"] == "projection"


def check_auto_ranges_are_narrowed():
    """Twice, to 4 by 4 values; once for a grid of a given size, or if the other range is given, which is kept."""
    words = ["select", made("add10", 50, 1), "--method", "sparse-rbf", "--folds", "3", "--centers", "8", "--no-prune",
             "--no-evidence", "--json"]
    def axes(*more):
        b = json.loads(good(*words, *more))["sparse-rbf"]["surface"]
        assert len(b["error"]) == len(b["t"]) and all(len(row) == len(b["r"]) for row in b["error"]), b
        return [(len(v), v[-1] / v[0]) for v in (b["r"], b["t"])]
    def near(found, wanted): assert all(n == m and abs(f / w - 1) < 1e-9 for (n, f), (m, w) in zip(found, wanted)), found
    step_r, step_t = 1000 ** (1 / 6), 15000 ** (1 / 7)
    near(axes(), [(4, step_r), (4, step_t)])
    near(axes("--grid-size", "3"), [(3, step_r ** 2), (3, step_t ** 2)])
    near(axes("--r", "2:20:3"), [(3, 10), (10, step_t ** 2)])


def check_table_and_one_point():
    file = made("tikka1d", 40, 3)
    out = good("select", file, "--method", "sparse-rbf", "--r", "6", "--t", "4")
    assert "sparse-rbf chose" in out and "training" in out and "nan" not in out, out
    r = json.loads(good("select", file, "--method", "sparse-rbf", "--r", "6", "--t", "4", "--json"))
    assert r["sparse-rbf"]["surface"] is None and r["error"]["criterion"] == "training"
    assert r["error"]["all_inputs"] is None
    for solver in ("direct", "alternating"):
        r = json.loads(good("select", file, "--method", "sparse-rbf", "--r", "6", "--t", "4", "--solver", solver,
                            "--json"))
        assert "x1" in r["selected"] and r["sparse-rbf"]["solver"] == solver and r["sparse-rbf"]["gap"] is None


def check_model_predicts():
    file, fresh = made("tikka1d", 60, 4), made("tikka1d", 50, 5)
    chosen = json.loads(good("select", file, *QUICK, "--model", "m", "--json"))["selected"]
    first = good("predict", "m", fresh).splitlines()
    assert len(first) == 51
    with open("one.csv", "w") as f:                         # only the inputs of the model are needed
        f.write("\n".join(",".join(row) for row in (chosen, ["0.5"] * len(chosen), ["-1"] * len(chosen))) + "\n")
    assert len(good("predict", "m", "one.csv").splitlines()) == 3


def check_two_classes():
    file = made("xor", 100, 1)
    r = json.loads(good("select", file, "--method", "sparse-rbf", "--r", "10:300:3", "--t", "0.3:3:3", "--folds", "5",
                        "--json"))
    assert r["data"]["task"] == "classification" and {"x1", "x2"} <= set(r["selected"]), r["error"]
    assert r["error"]["selected"] < 0.25, r["error"]


def check_noise_is_said():
    said = 0
    for seed in range(1, 6):
        r = json.loads(good("select", made("noise", 60, seed), "--method", "sparse-rbf", "--r", "1:30:4", "--t",
                            "0.05:3:4", "--folds", "5", "--json"))
        said += not r["selected"] or any("chance" in n for n in r["notes"])
    assert said >= 4, said


def check_bad_requests():
    file = made("tikka1d", 30, 1)
    for words in (["--r", "0"], ["--r", "-1"], ["--t", "0:3:4"], ["--t", "nan"], ["--r", "5:2:3"],
                  ["--solver", "newton"], ["--folds", "1"], ["--drop-below", "2"]):
        bad(2, "--" + words[0][2:], "select", file, "--method", "sparse-rbf", *words)
    bad(1, "memory|needs", "select", file, "--method", "sparse-rbf", "--memory", "1k")
    r = json.loads(good("select", file, "--method", "lars", "--checkpoint", "c", "--json"))
    assert "lars keeps no checkpoint: c was not written" in r["notes"], r["notes"]
    assert not os.path.exists("c")
    assert "memory: about" in good("select", file, "--method", "sparse-rbf", "--dry-run")


def check_checkpoint_is_resumed():
    words = ["select", made("tikka1d", 30, 1), "--method", "sparse-rbf", "--r", "2:50:2", "--t", "1:4:2",
             "--folds", "3", "--json"]
    whole = json.loads(good(*words))
    first, second = (json.loads(good(*words, "--checkpoint", "c.ckpt")) for _ in range(2))
    assert any("resumed from c.ckpt" in n for n in second["notes"]), second["notes"]
    assert whole["path"] == first["path"] == second["path"] and whole["error"] == second["error"]
    bad(2, "another run", *words, "--seed", "7", "--checkpoint", "c.ckpt")


sys.exit(main(globals()))
