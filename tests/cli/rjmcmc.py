#!/usr/bin/env python3
"""rjmcmc on the command line. usage: rjmcmc.py path/to/tamis"""
import csv, io, json, os, random, signal, subprocess, sys, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import TAMIS, good, run, main


FAST = ["--method", "rjmcmc", "--samples", "300", "--burn-in", "100", "--chains", "2", "--temperatures", "3",
        "--stored", "20"]


def made(name="xor.csv", rows=60, missing=0, seed=1):
    r = random.Random(seed)
    with open(name, "w") as f:
        f.write("a,b,c,class\n")
        for i in range(rows):
            a, b, c = (r.gauss(0, 1) for _ in range(3))
            label = "" if i < missing else "in" if a * b > 0 else "out"
            f.write("%.4f,%.4f,%.4f,%s\n" % (a, b, c, label))
    return name


def check_block_of_the_result():
    r = json.loads(good("select", made(), *FAST, "--json", "--holdout", "0.3"))
    b = r["rjmcmc"]
    assert b["lambda"] == 4 and [i["name"] for i in b["inclusion"]] == ["a", "b", "c"]
    for i in b["inclusion"]:
        assert 0 <= i["probability"] <= 1 and {"mcse", "rhat", "ess", "log_bayes_factor", "chains"} <= set(i)
    assert abs(sum(b["size"]["distribution"]) - 1) < 1e-9 and b["size"]["max"] <= 3
    assert 0 < sum(s["probability"] for s in b["subsets"]) <= 1 + 1e-9
    assert {"birth", "death", "exchange", "drift"} <= set(b["acceptance"])
    assert len(b["tempering"]["heats"]) == 3 and len(b["tempering"]["swaps"]) == 2
    assert [s["lambda"] for s in b["sensitivity"]] == [1, 2, 4, 10] and "median" in b["rule"]
    assert b["converged"] or (b["advice"] and all(i["rank"] is None for i in r["inputs"]))
    assert r["model"]["kind"] == "mixture" and r["model"]["parameters"]["samples"] == 20
    assert abs(r["error"]["test"]) <= 1 and r["error"]["all_inputs"] is None


def check_table_for_people():
    out = good("select", made(), *FAST, "--quiet")
    assert "rjmcmc chose" in out and "nan" not in out, out


def check_predictions_are_probabilities():
    good("select", made(), *FAST, "--model", "m.tamis", "--quiet")
    rows = list(csv.DictReader(io.StringIO(good("predict", "m.tamis", "xor.csv"))))
    assert len(rows) == 60
    for r in rows:
        p = [float(r["probability:in"]), float(r["probability:out"])]
        assert abs(sum(p) - 1) < 1e-9 and min(p) >= 0 and (r["class"] == "in") == (p[0] >= p[1])


def check_rows_without_a_class():
    made("gaps.csv", 60, 20)
    one = json.loads(good("select", "gaps.csv", *FAST, "--json"))
    two = json.loads(good("select", "gaps.csv", *FAST, "--json", "--likelihood", "background"))
    assert one["data"]["rows"] == 40 and one["data"]["rows_dropped"] == 20
    assert two["data"]["rows"] == 60 and two["data"]["rows_dropped"] == 0
    assert any("without a class" in n for n in two["notes"])
    picked = json.loads(good("select", "gaps.csv", *FAST[2:], "--json", "--likelihood", "background"))    # by auto
    assert picked["method"] == "rjmcmc" and picked["data"]["rows"] == 60
    assert picked["inputs"] == two["inputs"]


def check_killed_runs_resume():
    long = ["select", made(), *FAST, "--samples", "6000", "--json", "--quiet"]
    whole = json.loads(good(*long))
    p = subprocess.Popen([TAMIS, *long, "--checkpoint", "c.ckpt"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not os.path.exists("c.ckpt"):
        time.sleep(0.01)
    time.sleep(2.5)
    p.send_signal(signal.SIGKILL)
    p.wait()
    again = json.loads(good(*long, "--checkpoint", "c.ckpt"))
    assert again["rjmcmc"] == whole["rjmcmc"] and again["error"] == whole["error"]


def check_wrong_options():
    for words, says, code in ((["--samples", "10", "--burn-in", "8"], "fewer than 4 samples", 2),
                              (["--kernels", "0"], "kernels", 2), (["--lambda", "0"], "lambda", 2),
                              (["--likelihood", "joint"], "likelihood", 2)):
        got, out, err = run("select", made(), "--method", "rjmcmc", *words)
        assert got == code and says in err and not out, (words, got, err)
    with open("number.csv", "w") as f:
        f.write("a,y\n" + "".join("%d,%d.5\n" % (i, i * i) for i in range(9)))
    assert run("select", "number.csv", "--method", "rjmcmc")[0] == 2


sys.exit(main(globals()))
