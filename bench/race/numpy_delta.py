#!/usr/bin/python3
"""Forward selection by the Delta Test in vectorised NumPy: the same algorithm as `tamis select --method search --search
forward` without its shortcuts.

    numpy_delta.py data.csv STEPS

Squared distances are kept for the current set (rows in blocks that stay in cache); each candidate adds its term. The
last line is JSON: cpu, wall, path."""
import sys

import numpy as np

from clock import Clock


def step(x, y, base, candidates, block=64):
    """The Delta Test of the set behind `base` (N x N squared distances, or None) with each candidate added."""
    n = len(y)
    total = np.zeros(len(candidates))
    scratch = np.empty((block, n), np.float64)
    for a in range(0, n, block):
        b = min(a + block, n)
        own = np.arange(b - a), np.arange(a, b)
        for k, c in enumerate(candidates):
            d = scratch[: b - a]
            np.subtract(x[c, a:b, None], x[c, None, :], out=d)
            np.multiply(d, d, out=d)
            if base is not None:
                d += base[a:b]
            d[own] = np.inf
            total[k] += ((y[a:b] - y[d.argmin(1)]) ** 2).sum()
    return total / (2 * n)


def forward(x, y, steps):
    chosen, base, value = [], None, 0.0
    for _ in range(steps):
        candidates = [c for c in range(len(x)) if c not in chosen]
        values = step(x, y, base, candidates)
        best, value = candidates[int(values.argmin())], float(values.min())
        term = (x[best][:, None] - x[best][None, :]) ** 2
        base = term if base is None else np.add(base, term, out=base)
        chosen.append(best)
    return chosen, value


def main():
    clock = Clock()
    with open(sys.argv[1]) as f:
        names = f.readline().strip().split(",")
    table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
    table = (table - table.mean(0)) / table.std(0)
    chosen, value = forward(np.ascontiguousarray(table[:, :-1].T), table[:, -1], int(sys.argv[2]))
    clock.report(path=[names[c] for c in chosen], value=value)


main()
