#!/usr/bin/python3
"""OP-ELM in vectorised NumPy, its ranking by scikit-learn's lars_path: the same steps as `tamis select --method opelm
--criterion none`.

    numpy_opelm.py data.csv NEURONS

Linear neurons, and Gaussian ones on random rows, ranked by LARS. One QR factorisation gives the leave-one-out errors of
all prefixes of the ranking: with Q's columns in that order, residuals y - cumsum(Q (Q'y)) over 1 - cumsum(Q^2). The
last line is JSON: cpu, wall, value, neurons."""
import sys

import numpy as np
from sklearn.linear_model import lars_path_gram

from clock import Clock


def hidden(x, neurons, random):
    """[x, exp(-|x - c|^2 / w)], widths between the 0.2 and 0.8 quantiles of the distances; standardised columns."""
    square, centres = (x * x).sum(1), random.choice(len(x), neurons, replace=False)
    d2 = np.maximum(square[:, None] + square[None, centres] - 2 * x @ x[centres].T, 0)
    h = np.hstack([x, np.exp(-d2 / random.uniform(*np.quantile(d2, (0.2, 0.8)), neurons))])
    h -= h.mean(0)
    return h / h.std(0)


def press(h, y):
    """The leave-one-out error for every number of columns, with a constant."""
    q = np.linalg.qr(np.hstack([np.ones((len(y), 1)), h]))[0]
    residual = y[:, None] - np.cumsum(q * (q.T @ y), axis=1)
    return ((residual / np.maximum(1 - np.cumsum(q * q, axis=1), 1e-12)) ** 2).mean(0)


def main():
    clock = Clock()
    table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
    table = (table - table.mean(0)) / table.std(0)
    x, y = table[:, :-1], table[:, -1]
    h = hidden(x, int(sys.argv[2]), np.random.RandomState(1))
    order = lars_path_gram(h.T @ y, h.T @ h, n_samples=len(y), method="lar", return_path=False)[1]
    errors = press(h[:, order], y)
    clock.report(value=float(errors.min()), neurons=int(errors.argmin()))


main()
