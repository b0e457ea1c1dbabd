#!/usr/bin/env python3
"""knockpy and hidimstat on the tables of bench/fdr.py: false discoveries and power, beside those of --fdr.

usage: bench/fdr_peers.py [--tables 20] [--only FAMILY:TARGET,...] [--program build/bench/bench_fdr]
Needs knockpy, hidimstat and pandas from PyPI; without them it says so and exits with 0. knockpy: Gaussian knockoffs
(MVR) with its shrunk covariance and lasso coefficients, one draw, knockoff+. hidimstat: its Gaussian knockoffs and
LassoCV, one draw."""
import argparse, contextlib, io, math, os, subprocess, sys, warnings

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
try:
    import numpy as np, pandas as pd
    from knockpy.knockoff_filter import KnockoffFilter
    from hidimstat import ModelXKnockoff
except ImportError as missing:
    print("skipped: %s" % missing)
    sys.exit(0)
sys.path.insert(0, os.path.join(ROOT, "bench"))
from fdr import BOUNDS, RUNS, mean


def table(a, family, target, number):
    words = [a.program, family, target, "300", "60", "25", "0", str(number), str(number + 1)]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    t = pd.read_csv(io.StringIO(text))
    true = np.array([name.endswith("*") for name in t.columns[:-1]])
    return t.to_numpy()[:, :-1], t["y"].to_numpy(), true


def knockpy(x, y, seed):
    np.random.seed(seed)
    f = KnockoffFilter(ksampler="gaussian", fstat="lasso", knockoff_kwargs={"method": "mvr"})
    sets = [np.asarray(f.forward(x, y, fdr=BOUNDS[0], shrinkage="ledoitwolf")) > 0]
    return sets + [np.asarray(f.make_selections(f.W, q)) > 0 for q in BOUNDS[1:]]


def hidimstat(x, y, seed):
    """Version 0.4.0 makes a negative penalty of some tables and stops: nothing is selected there."""
    try:
        f = ModelXKnockoff(random_state=seed).fit(x, y)
    except ValueError:
        return [np.zeros(x.shape[1], bool) for _ in BOUNDS]
    f.importance()
    return [np.asarray(f.fdr_selection(fdr=q)) != 0 for q in BOUNDS]


PEERS = {"knockpy": knockpy, "hidimstat": hidimstat}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tables", type=int, default=20)
    p.add_argument("--only", default=",".join(map(":".join, RUNS)), help="family:target,...")
    p.add_argument("--program", default=os.path.join(ROOT, "build", "bench", "bench_fdr"))
    a = p.parse_args()
    warnings.simplefilter("ignore")
    print("| inputs, target | tables | Q | " + " | ".join("%s: FDP, power" % s for s in PEERS) + " |")
    print("|---|---|---|" + "---|" * len(PEERS))
    for family, target in (pair.split(":") for pair in a.only.split(",")):
        found = {(name, q): [] for name in PEERS for q in BOUNDS}
        for number in range(a.tables):
            x, y, true = table(a, family, target, number)
            for name, peer in PEERS.items():
                with contextlib.redirect_stdout(io.StringIO()):
                    sets = peer(x, y, number)
                for q, s in zip(BOUNDS, sets):
                    found[name, q].append(((s & ~true).sum() / max(1, s.sum()), (s & true).sum() / max(1, true.sum())))
        for q in BOUNDS:
            cells = []
            for name in PEERS:
                wrong, right = zip(*found[name, q])
                what = "nothing in %.2f" % (1 - mean(wrong)[0]) if target == "noise" else "%.2f" % mean(right)[0]
                cells.append("%.3f ± %.3f, %s" % (*mean(wrong), what))
            print("| %s, %s | %d | %g | %s |" % (family, target, a.tables, q, " | ".join(cells)), flush=True)


if __name__ == "__main__":
    main()
