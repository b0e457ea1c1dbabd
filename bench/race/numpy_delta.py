#!/usr/bin/python3
"""Selection by the Delta Test in vectorised NumPy: the same algorithm as `tamis select --method search` without its
shortcuts.

    numpy_delta.py data.csv STEPS       forward to STEPS inputs
    numpy_delta.py data.csv             forward-backward: the best addition or removal, as long as the value falls

Squared distances are kept for the current set (rows in blocks that stay in cache); each candidate adds its term, and
sets without an input are summed anew, since rounding would be left if its term were subtracted. The last line is JSON:
cpu, wall, path, value."""
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


def squares(x, inputs):
    """N x N squared distances; None without inputs."""
    total = None
    for c in inputs:
        term = x[c][:, None] - x[c][None, :]
        np.multiply(term, term, out=term)
        total = term if total is None else np.add(total, term, out=total)
    return total


def without(x, y, chosen):
    """The Delta Test of the set without each of its inputs."""
    values = []
    for c in chosen:
        *rest, last = (k for k in chosen if k != c)
        values.append(step(x, y, squares(x, rest), [last])[0])
    return np.array(values)


def forward_backward(x, y):
    chosen, value = [], y.var(ddof=1)
    while True:
        candidates = [c for c in range(len(x)) if c not in chosen]
        toggled = candidates + chosen if len(chosen) > 1 else candidates
        values = step(x, y, squares(x, chosen), candidates)
        if len(chosen) > 1:
            values = np.concatenate([values, without(x, y, chosen)])
        best = toggled[int(values.argmin())]
        if values.min() >= value:
            return chosen, value
        value = float(values.min())
        chosen = [c for c in chosen if c != best] if best in chosen else chosen + [best]


def main():
    clock = Clock()
    with open(sys.argv[1]) as f:
        names = f.readline().strip().split(",")
    table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
    table = (table - table.mean(0)) / table.std(0)
    x, y = np.ascontiguousarray(table[:, :-1].T), table[:, -1]
    chosen, value = forward(x, y, int(sys.argv[2])) if len(sys.argv) > 2 else forward_backward(x, y)
    clock.report(path=[names[c] for c in chosen], value=value)


main()
