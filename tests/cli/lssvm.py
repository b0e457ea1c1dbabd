#!/usr/bin/env python3
"""lssvm and rrkrr on the command line. usage: lssvm.py path/to/tamis [name...]"""
import csv, json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import DATA, Skip, bad, good, shared, main


GRID = ["--sigma2", "1:300:5", "--gamma", "1:1e4:5"]


def made(rows=60):
    good("generate", "add10", "--rows", str(rows), "--seed", "1", "-o", "made.csv")
    return "made.csv"


def check_block_and_surface():
    r = json.loads(good("select", made(), "--method", "lssvm", *GRID, "--json", "--quiet"))
    block, surface = r["lssvm"], r["lssvm"]["surface"]
    assert len(r["selected"]) == 10 and len(r["path"]) == 1 and r["model"]["kind"] == "lssvm"
    assert r["model"]["basis_functions"] == 60
    assert len(surface["sigma2"]) == len(surface["gamma"]) == 5 and all(len(row) == 5 for row in surface["error"])
    least = min(min(row) for row in surface["error"])
    i, k = next((i, k) for i in range(5) for k in range(5) if surface["error"][i][k] == least)
    assert least == block["cv_error"] == r["error"]["selected"] and surface["sigma2"][i] == block["sigma2"]
    assert surface["gamma"][k] == block["gamma"]


def check_grids_are_found_from_the_data():
    units = json.loads(good("select", made(150), "--method", "lssvm", "--no-standardize", "--json", "--quiet"))
    scaled = list(csv.reader(open("made.csv")))
    with open("scaled.csv", "w", newline="") as f:
        csv.writer(f).writerows([scaled[0]]
                                + [[str(1000 * float(v)) for v in row[:-1]] + row[-1:] for row in scaled[1:]])
    other = json.loads(good("select", "scaled.csv", "--method", "lssvm", "--no-standardize", "--json", "--quiet"))
    assert abs(units["error"]["selected"] / other["error"]["selected"] - 1) < 1e-6
    assert abs(other["lssvm"]["sigma2"] / units["lssvm"]["sigma2"] / 1e6 - 1) < 1e-6
    for name in ("sigma2", "gamma"):
        grid = units["lssvm"]["surface"][name]
        assert len(grid) == 20 and grid[0] < units["lssvm"][name] < grid[-1], name


def check_sparse_rrkrr_block():
    r = json.loads(good("select", made(), "--method", "rrkrr", "--select", "forward", "--pivot-tolerance", "1e-2",
                        *GRID, "--json", "--quiet"))
    assert "lssvm" not in r and r["rrkrr"]["basis_functions"] == r["model"]["basis_functions"] < 60
    assert len(r["path"]) == 10
    assert r["model"]["kind"] == "rrkrr" and r["rrkrr"]["cv_error"] == r["error"]["selected"]
    assert any("LS-SVM" in n for n in r["notes"])
    most = json.loads(good("select", "made.csv", "--method", "rrkrr", "--max-basis", "7", *GRID, "--json", "--quiet"))
    assert most["model"]["basis_functions"] == 7


def check_classes_predict_from_a_file():
    file = os.path.join(DATA, "iris.csv")
    if not os.path.exists(file):
        raise Skip("no iris.csv in ../shared/data")
    for words in (["lssvm"], ["lssvm", "--select", "forward"], ["rrkrr", "--pivot-tolerance", "1e-3"],
                  ["rrkrr", "--candidates", "40"]):
        r = json.loads(good("select", file, "--method", *words, "--model", "iris.model", "--holdout", "0.2", "--json",
                            "--quiet"))
        assert r["error"]["selected"] < 0.08 and r["error"]["test"] < 0.15, (words, r["error"])
        lines = good("predict", "iris.model", file).splitlines()
        truth = [row["Species"] for row in csv.DictReader(open(file))]
        assert len(lines) == 151 and sum(t in l for t, l in zip(truth, lines[1:])) > 140, words


def check_refusals():
    file = made(4000)
    bad(1, "rrkrr --candidates", "select", file, "--method", "lssvm", "--memory", "100M")
    bad(1, "--candidates", "select", file, "--method", "rrkrr", "--memory", "100M")
    bad(2, "one of none", "select", file, "--method", "lssvm", "--select", "backward")
    bad(2, "does not belong", "select", file, "--method", "lssvm", "--centers", "5")
    bad(2, "pivot-tolerance", "select", file, "--method", "rrkrr", "--pivot-tolerance", "0")
    bad(2, "folds", "select", file, "--method", "lssvm", "--folds", "1")
    out = json.loads(good("select", file, "--method", "rrkrr", "--candidates", "50", *GRID, "--folds", "3", "--json",
                          "--quiet", "--memory", "100M"))
    assert any("drawn at random" in n for n in out["notes"])


sys.exit(main(globals()))
