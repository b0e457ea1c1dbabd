#!/usr/bin/python3
"""LS-SVM over a grid of (sigma2, gamma) with exact K-fold errors in vectorised NumPy: the same algebra as
`tamis select --method lssvm`, one eigendecomposition per width.

    numpy_lssvm.py data.csv SIGMA2-LO SIGMA2-HI WIDTHS GAMMA-LO GAMMA-HI GAMMAS FOLDS

With A = K + I / gamma, s = 1' A^-1 1 and P = A^-1 - A^-1 1 1' A^-1 / s, the residuals of the rows F, held out together,
are P_FF^-1 (P y)_F. The last line is JSON: cpu, wall, value."""
import sys

import numpy as np

from clock import Clock


def width(k, y, gammas, folds):
    """The K-fold error at each gamma."""
    g, q = np.linalg.eigh(k)
    qy, qone = q.T @ y, q.sum(axis=0)
    errors = np.zeros(len(gammas))
    for i, gamma in enumerate(gammas):
        f = 1.0 / (np.maximum(g, 0.0) + 1.0 / gamma)
        one, py = q @ (f * qone), q @ (f * qy)
        s = one.sum()
        py -= one * (py.sum() / s)
        for rows in folds:
            part = q[rows]
            block = (part * f) @ part.T - np.outer(one[rows], one[rows]) / s
            errors[i] += (np.linalg.solve(block, py[rows]) ** 2).sum()
    return errors / len(y)


def main():
    clock = Clock()
    low, high, widths, first, last, gammas, folds = map(float, sys.argv[2:9])
    table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
    table = (table - table.mean(0)) / table.std(0)
    x, y = table[:, :-1], table[:, -1]
    square = (x * x).sum(1)
    d2 = np.maximum(square[:, None] + square[None, :] - 2 * x @ x.T, 0)
    parts = np.array_split(np.random.RandomState(1).permutation(len(y)), int(folds))
    grid = np.geomspace(first, last, int(gammas))
    best = min(width(np.exp(-d2 / s), y, grid, parts).min() for s in np.geomspace(low, high, int(widths)))
    clock.report(value=float(best))


main()
