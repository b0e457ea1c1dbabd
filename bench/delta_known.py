#!/usr/bin/env python3
"""The Delta Test search on tables with known answers, its speed on anthrokids, and how time grows with the rows.
usage: bench/delta_known.py [known] [speed] [growth] [DATA-FOLDER]     (default: known speed)
For the tables of Mateo & Lendasse (2008) see make reproduce. Data: anthrokids_1019x53.csv in ../shared/data or in the
folder given. Seconds are those of the whole call."""
import json, os, resource, subprocess, sys

from files import ROOT, TAMIS, folder

WORK = folder()
PARTS = [a for a in sys.argv[1:] if a in ("known", "speed", "growth")] or ["known", "speed"]
DATA = next((a for a in sys.argv[1:] if os.path.isdir(a)), os.path.join(ROOT, "..", "shared", "data"))
FILE = os.path.join(DATA, "anthrokids_1019x53.csv")


def select(file, *more):
    words = [TAMIS, "select", file, "--method", "search", "--json", "--quiet", *more]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def generate(file, name, rows, seed, *more):
    words = ["--rows", str(rows), *more, "--seed", str(seed), "-o", file]
    subprocess.run([TAMIS, "generate", name, *words], check=True)


def known():
    friedman = wide = product = empty = 0
    file = os.path.join(WORK, "known.csv")
    for seed in range(1, 13):
        generate(file, "friedman1", 300, seed)
        friedman += sorted(select(file)["selected"]) == ["x1", "x2", "x3", "x4", "x5"]
        generate(file, "interaction", 300, seed)
        product += sorted(select(file, "--start", "full")["selected"]) == ["x1", "x2"]
        empty += sorted(select(file)["selected"]) == ["x1", "x2"]
        if seed <= 5:
            generate(file, "friedman1", 1000, seed, "--useless", "45")
            wide += sorted(select(file)["selected"]) == ["x1", "x2", "x3", "x4", "x5"]
    print("known answers                                    reference  ours")
    print("  Friedman 5 of 10, N = 300, from empty          12 of 12   %d of 12" % friedman)
    print("  Friedman 5 of 50, N = 1000, from empty         5 of 5     %d of 5" % wide)
    print("  product of two inputs, N = 300, from full      12 of 12   %d of 12" % product)
    print("  product of two inputs, N = 300, from empty     5 of 12    %d of 12" % empty)


def timed(*words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = select(*words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def speed():
    if not os.path.exists(FILE):
        print("speed on 1019 x 53: skipped, %s is missing" % FILE)
        return
    runs = [timed(FILE, "--target", "WEIGHT", *more) for more in ([], ["--threads", "1"]) for _ in range(5)]
    for name, part in (("all cores", runs[:5]), ("one core", runs[5:])):
        r, cpu = min(part, key=lambda p: p[0]["seconds"])
        print("1019 x 53, forward-backward, %s: %.3f s for search, relevances, all inputs and model (%.3f s of "
              "processor time including reading); the paper's search: 281.63 s" % (name, r["seconds"], cpu))


def growth():
    print("Friedman 5 of 20, forward-backward from empty\n        N   seconds   processor   N log N ratio   selected")
    last = None
    for n in (1000, 10000, 100000, 1000000):
        file = os.path.join(WORK, "growth.csv")
        generate(file, "friedman1", n, 1, "--useless", "15")
        r, cpu = timed(file, "--memory", "4G")
        ratio = "" if last is None else "%.1f" % (cpu / last)
        chosen = " ".join(r["selected"])
        print("%9d %9.2f %11.2f %15s   %s" % (n, r["seconds"], cpu, ratio, chosen), flush=True)
        last = cpu
        os.remove(file)


for part in PARTS:
    globals()[part]()
