#!/usr/bin/env python3
"""The three solvers for the problem of Tikka (Neurocomputing 2009) with `tamis select --method sparse-rbf`: the errors
they reach and the time they take.
usage: bench/sparse_rbf_solvers.py [solvers] [speed] [large]     (default: solvers speed)
For the tables and figures of the paper see make reproduce. Times are for one thread; only ratios within a run are
meaningful."""
import json, os, random, statistics, subprocess, sys, time

from files import TAMIS, folder

WORK = folder()
SOLVERS = ("projection", "direct", "alternating")


def generate(name, rows, seed, *more):
    file = os.path.join(WORK, "%s-%d-%d-%s.csv" % (name, rows, seed, "-".join(more)))
    if not os.path.exists(file):
        words = ["generate", name, "--rows", str(rows), "--seed", str(seed), "-o", file, *more]
        subprocess.run([TAMIS, *words], check=True)
    return file


def select(train, *more, test=None):
    words = [TAMIS, "select", train, "--method", "sparse-rbf", "--json", "--quiet", *more]
    words += ["--test", test] if test else []
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


PROBLEMS = (("tikka1d", 100, "5.95", "4.67", (1, 2, 3)), ("tikka10", 250, "380", "0.13", (1, 2, 3, 4, 5, 6)))


def solvers():
    print("Three solvers for one problem, at the paper's (r, t): E, inputs with w > .01 max w, basis functions, "
          "seconds; no cross-validation, no pruning")
    for name, rows, r, t, seeds in PROBLEMS:
        for seed in seeds:
            line = []
            for solver in SOLVERS:
                x = select(generate(name, rows, seed), "--r", r, "--t", t, "--solver", solver, "--threads", "1",
                           "--drop-below", "0")
                b = x["sparse-rbf"]
                clear = sum(w > 0.01 * max(b["weights"]) for w in b["weights"])
                values = solver, b["training_error"], clear, b["basis_functions"], x["seconds"]
                line.append("%s %.4f %2d %3d %6.2f s" % values)
            print("  %-8s seed %d   %s" % (name, seed, "   ".join(line)), flush=True)


def speed():
    print("Full 20 x 20 grid, 10 folds, example 2 with N = 250, one thread")
    grid = [10 * 100 ** (i / 19) for i in range(20)], [0.05 * 100 ** (i / 19) for i in range(20)]
    whole = select(generate("tikka10", 250, 1), "--r", "10:1000:20", "--t", "0.05:5:20", "--threads", "1",
                   "--no-prune")["seconds"]
    chooser, spent = random.Random(4), []
    for _ in range(12):
        r, t = chooser.choice(grid[0]), chooser.choice(grid[1])
        x = select(generate("tikka10", 225, 1), "--r", repr(r), "--t", repr(t), "--solver", "direct", "--threads", "1")
        spent.append(x["seconds"])
    direct = statistics.mean(spent) * 4000
    print("  projection %.1f s; direct %.2f s per fit (mean of 12 points), %.0f s for 4000; projection takes 1/%.0f of "
          "that (target: 1/30)" % (whole, statistics.mean(spent), direct, direct / whole))


def large():
    for rows, useless in ((20000, 5), (200, 4995)):
        began = time.time()
        train, test = (generate("friedman1", n, seed, "--useless", str(useless)) for n, seed in ((rows, 1), (2000, 2)))
        x = select(train, "--memory", "4G", test=test)
        print("%d rows, %d inputs: %d selected, first %s; cv %.4f, test %.4f; %d basis functions; %.0f s\n  %s"
              % (rows, useless + 5, len(x["selected"]), " ".join(x["selected"][:6]), x["error"]["selected"],
                 x["error"]["test"], x["sparse-rbf"]["basis_functions"], time.time() - began, "\n  ".join(x["notes"])),
              flush=True)


for part in sys.argv[1:] or ("solvers", "speed"):
    globals()[part]()
