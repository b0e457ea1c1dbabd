#!/usr/bin/env python3
"""Does --fdr keep its bound, and what does it find? Tables with known answers (bench_fdr.c), and a table of results.

usage: bench/fdr.py [--tables 200] [--rows 300] [--inputs 60] [--true 25] [--draws 10] [--program build/bench/bench_fdr]
                    [--results build/fdr.txt] [--classes] [--print]
--classes: targets of two and three classes, with 1000 rows unless --rows says otherwise. Finished tables are kept in --results, one per line: a stopped run resumes. --print only prints what is there. Runs at
nice 10 on one core; a table takes about 0.2 s of an idle core. FDP: mean share of false inputs among the selected, with
its standard error; power: mean share of the true inputs selected."""
import argparse, math, os, subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FAMILIES = ["independent", "ar5", "ar9", "blocks", "discrete"]
RUNS = [(f, t) for t in ("linear", "mixed") for f in FAMILIES] + [(f, "noise") for f in ("ar5", "discrete")]
CLASS_RUNS = [(f, t) for t in ("two", "three") for f in ("independent", "ar5", "discrete")]
BOUNDS, STATISTICS = (0.1, 0.2), ("additive", "linear", "linear, one draw")
BATCH = 10


def read(path):
    """{(family, target, sizes): {table: counts}}"""
    kept = {}
    if os.path.exists(path):
        for line in open(path):
            family, target, sizes, number, *counts = line.split()
            kept.setdefault((family, target, sizes), {})[int(number)] = list(map(int, counts))
    return kept


def compute(a, runs, kept, sizes):
    for first in range(0, a.tables, BATCH):
        for family, target in runs:
            if first in kept.get((family, target, sizes), {}):
                continue
            words = [a.program, family, target, *sizes.split(","), str(first), str(min(first + BATCH, a.tables))]
            out = subprocess.run(["nice", "-n", "10", *words], check=True, capture_output=True, text=True).stdout
            with open(a.results, "a") as f:
                f.writelines("%s %s %s %s\n" % (family, target, sizes, line) for line in out.splitlines())


def mean(v):
    m = sum(v) / len(v)
    return m, math.sqrt(sum((x - m) ** 2 for x in v) / max(1, len(v) - 1) / len(v))


def row(tables, true, q, s):
    at = 2 * (len(STATISTICS) * q + s)
    pairs = [(c[at], c[at + 1]) for c in tables]
    fdp, se = mean([wrong / max(1, right + wrong) for right, wrong in pairs])
    power = mean([right / true for right, wrong in pairs])[0]
    return fdp, se, power, sum(right + wrong == 0 for right, wrong in pairs) / len(pairs)


def show(runs, kept, sizes, true):
    print("| inputs, target | tables | Q | " + " | ".join("%s: FDP, power" % s for s in STATISTICS) + " |")
    print("|---|---|---|" + "---|" * len(STATISTICS))
    over = []
    for family, target in runs:
        tables = list(kept.get((family, target, sizes), {}).values())
        for q, bound in enumerate(BOUNDS if tables else ()):
            cells = []
            for s in range(len(STATISTICS)):
                fdp, se, power, empty = row(tables, true, q, s)
                over += ["%s %s %g %s" % (family, target, bound, STATISTICS[s])] if fdp > bound + 2 * se else []
                found = "nothing in %.2f" % empty if target == "noise" else "%.2f" % power
                cells.append("%.3f ± %.3f, %s" % (fdp, se, found))
            print("| %s, %s | %d | %g | %s |" % (family, target, len(tables), bound, " | ".join(cells)))
    print("\nmean FDP above Q + 2 standard errors:", "; ".join(over) or "nowhere")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tables", type=int, default=200)
    for name, default in (("rows", None), ("inputs", 60), ("true", 25), ("draws", 10)):
        p.add_argument("--" + name, type=int, default=default)
    p.add_argument("--program", default=os.path.join(ROOT, "build", "bench", "bench_fdr"))
    p.add_argument("--results", default=os.path.join(ROOT, "build", "fdr.txt"))
    p.add_argument("--classes", action="store_true")
    p.add_argument("--print", action="store_true", dest="only_print")
    a = p.parse_args()
    runs = CLASS_RUNS if a.classes else RUNS
    sizes = "%d,%d,%d,%d" % (a.rows or (1000 if a.classes else 300), a.inputs, a.true, a.draws)
    if not a.only_print:
        compute(a, runs, read(a.results), sizes)
    show(runs, read(a.results), sizes, a.true)


if __name__ == "__main__":
    main()
