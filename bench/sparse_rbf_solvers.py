#!/usr/bin/env python3
"""The three solvers of Tikka (Neurocomputing 2009) with `tamis select --method sparse-rbf`: what they reach and how long they take.
usage: bench/sparse_rbf_solvers.py [solvers] [speed] [large]     (default: solvers speed)
The tables and figures of the paper: make reproduce. Times are of one thread, and only their ratios within a run mean anything."""
import json, os, random, statistics, subprocess, sys, time

from files import TAMIS, folder

WORK = folder()
SOLVERS = ("projection", "direct", "alternating")


def generate(name, rows, seed, *more):
    file = os.path.join(WORK, "%s-%d-%d-%s.csv" % (name, rows, seed, "-".join(more)))
    if not os.path.exists(file):
        subprocess.run([TAMIS, "generate", name, "--rows", str(rows), "--seed", str(seed), "-o", file, *more], check=True)
    return file


def select(train, *more, test=None):
    words = [TAMIS, "select", train, "--method", "sparse-rbf", "--json", "--quiet", *more] + (["--test", test] if test else [])
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def solvers():
    print("Three solvers of one problem, at the paper's (r, t): E, inputs with w > .01 max w, basis functions, seconds; no cross-validation, no pruning")
    for name, rows, r, t, seeds in (("tikka1d", 100, "5.95", "4.67", (1, 2, 3)), ("tikka10", 250, "380", "0.13", (1, 2, 3, 4, 5, 6))):
        for seed in seeds:
            line = []
            for solver in SOLVERS:
                x = select(generate(name, rows, seed), "--r", r, "--t", t, "--solver", solver, "--threads", "1", "--keep", "0")
                b = x["sparse-rbf"]
                clear = sum(w > 0.01 * max(b["weights"]) for w in b["weights"])
                line.append("%s %.4f %2d %3d %6.2f s" % (solver, b["training_error"], clear, b["basis_functions"], x["seconds"]))
            print("  %-8s seed %d   %s" % (name, seed, "   ".join(line)), flush=True)


def speed():
    print("Full 20 x 20 grid, 10 folds, example 2 with N = 250, one thread")
    grid = [10 * 100 ** (i / 19) for i in range(20)], [0.05 * 100 ** (i / 19) for i in range(20)]
    whole = select(generate("tikka10", 250, 1), "--r", "10:1000:20", "--t", "0.05:5:20", "--threads", "1", "--no-prune")["seconds"]
    chooser, spent = random.Random(4), []
    for _ in range(12):
        r, t = chooser.choice(grid[0]), chooser.choice(grid[1])
        spent.append(select(generate("tikka10", 225, 1), "--r", repr(r), "--t", repr(t), "--solver", "direct", "--threads", "1")["seconds"])
    direct = statistics.mean(spent) * 4000
    print("  projection %.1f s; direct %.2f s a fit on average of 12 points, %.0f s for 4000: 1/%.0f of it (wanted: 1/30)" % (whole, statistics.mean(spent), direct, direct / whole))


def large():
    for rows, useless in ((20000, 5), (200, 4995)):
        began = time.time()
        x = select(generate("friedman1", rows, 1, "--useless", str(useless)), "--memory", "4G", test=generate("friedman1", 2000, 2, "--useless", str(useless)))
        print("%d rows, %d inputs: %d chosen, first %s; cv %.4f, test %.4f; %d basis functions; %.0f s\n  %s" % (rows, useless + 5, len(x["selected"]), " ".join(x["selected"][:6]), x["error"]["selected"],
              x["error"]["test"], x["sparse-rbf"]["basis_functions"], time.time() - began, "\n  ".join(x["notes"])), flush=True)


for part in sys.argv[1:] or ("solvers", "speed"):
    globals()[part]()
