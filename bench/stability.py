#!/usr/bin/env python3
"""Does --stability keep its bound, and what does it find? Tables with known answers (bench_stability.c), and a table of
results.

usage: bench/stability.py [--method lars] [--options "name=value ..."] [--tables 50] [--rows 300] [--inputs 60] [--true 8]
                          [--pairs 50] [--families A,B] [--targets A,B] [--program build/bench/bench_stability]
                          [--again 0] [--results build/stability.txt] [--print]
Finished tables are kept in --results, one per line: a stopped run resumes. --print only prints what is there. Runs at
nice 10 on one core; with lars a table takes about 0.4 s of an idle core. false: mean number of inputs without effect in
the stable set, with its standard error; power: mean share of the true inputs in it; none: share of the tables where no
threshold keeps the bound. --again R: the method also runs on R halves of other rows with the same effects, which tells
whose selection probability is low, and a last number, low: the mean number of false inputs in the stable set that the
bound is about."""
import argparse, math, os, subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FAMILIES = ["independent", "ar5", "ar9", "blocks", "discrete"]
ASSUMPTIONS, BOUNDS = ("r-concave", "unimodal", "nothing"), (0.5, 1, 2)


def runs(a):
    families, targets = a.families.split(","), a.targets.split(",")
    return [(f, t) for t in targets for f in families if t != "noise" or f in ("ar5", "discrete")]


def read(path):
    """{(method, options, family, target, sizes): {table: numbers}}"""
    kept = {}
    if os.path.exists(path):
        for line in open(path):
            *key, number, rest = line.rstrip("\n").split("\t")
            kept.setdefault(tuple(key), {})[int(number)] = list(map(float, rest.split()))
    return kept


def compute(a, key):
    kept = read(a.results)
    for table in range(a.tables):
        for family, target in runs(a):
            if table in kept.get(key(family, target), {}):
                continue
            words = [a.program, family, target, str(a.rows), str(a.inputs), str(a.true), str(a.pairs), str(table),
                     str(table + 1), *(["again=%d" % a.again] if a.again else []), "method=" + a.method,
                     *a.options.split()]
            out = subprocess.run(["nice", "-n", "10", *words], check=True, capture_output=True, text=True).stdout
            with open(a.results, "a") as f:
                number, rest = out.strip().split(" ", 1)
                f.write("\t".join([*key(family, target), number, rest]) + "\n")


def mean(v):
    m = sum(v) / len(v)
    return m, math.sqrt(sum((x - m) ** 2 for x in v) / max(1, len(v) - 1) / len(v))


def show(a, key):
    kept, over = read(a.results), []
    numbers = 4 if a.again else 3
    heads = "%s: false, power, none" + (", low" if a.again else "")
    print("| inputs, target | tables | q | Q | " + " | ".join(heads % s for s in ASSUMPTIONS) + " |")
    print("|---|---|---|---|" + "---|" * len(ASSUMPTIONS))
    for family, target in runs(a):
        tables = list(kept.get(key(family, target), {}).values())
        for b, bound in enumerate(BOUNDS if tables else ()):
            cells = []
            for s, assumption in enumerate(ASSUMPTIONS):
                at = 1 + numbers * (len(BOUNDS) * s + b)
                wrong, se = mean([t[at + 2] for t in tables])
                over += ["%s %s %g %s" % (family, target, bound, assumption)] if wrong > bound + 2 * se else []
                power = "" if target == "noise" else ", %.2f" % mean([t[at + 1] / a.true for t in tables])[0]
                low = ", %.2f ± %.2f" % mean([t[at + 3] for t in tables]) if a.again else ""
                cells.append("%.2f ± %.2f%s, %.2f%s" % (wrong, se, power, mean([t[at] == 0 for t in tables])[0], low))
            print("| %s, %s | %d | %.1f | %g | %s |" % (family, target, len(tables), mean([t[0] for t in tables])[0], bound,
                                                      " | ".join(cells)))
    print("\nmean number of false inputs above Q + 2 standard errors:", "; ".join(over) or "nowhere")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--method", default="lars")
    p.add_argument("--options", default="")
    p.add_argument("--families", default=",".join(FAMILIES))
    p.add_argument("--targets", default="linear,mixed,noise")
    for name, default in (("tables", 50), ("rows", 300), ("inputs", 60), ("true", 8), ("pairs", 50), ("again", 0)):
        p.add_argument("--" + name, type=int, default=default)
    p.add_argument("--program", default=os.path.join(ROOT, "build", "bench", "bench_stability"))
    p.add_argument("--results", default=os.path.join(ROOT, "build", "stability.txt"))
    p.add_argument("--print", action="store_true", dest="only_print")
    a = p.parse_args()
    sizes = "%d,%d,%d,%d" % (a.rows, a.inputs, a.true, a.pairs) + (",again %d" % a.again if a.again else "")
    key = lambda family, target: (a.method, a.options, family, target, sizes)
    if not a.only_print:
        compute(a, key)
    show(a, key)


if __name__ == "__main__":
    main()
