#!/usr/bin/python3
"""SISAL-RBF in NumPy, the rival in the speed race: one eigendecomposition per sigma2, all gammas of a scan at once.

    numpy_sisal.py data.csv [--target NAME] [--rows N] [--sigma2 LO HI] [--widths 50] [--gamma LO HI] [--steps K]

Tikka, Hollmen: Selection of important input variables for RBF network using partial derivatives. ESANN 2008.
Prints one line per step (inputs, LOO, sigma2, gamma, the input removed); the last line is JSON: cpu, wall, value,
selected."""
import argparse

import numpy as np

from clock import Clock


def read(path, target, rows):
    with open(path) as f:
        names = [name.strip().strip('"') for name in f.readline().split(",")]
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    at = names.index(target) if target else len(names) - 1
    table = table[:rows] if rows else table
    return np.delete(table, at, axis=1), table[:, at], names[:at] + names[at + 1:]


def standardise(a):
    centred = a - a.mean(axis=0)
    deviation = centred.std(axis=0)
    return centred / np.where(deviation > 0, deviation, 1.0)


class Width:
    """LOO of one sigma2: K K^T + lambda I = G^2 + 1 1^T + lambda I, G = Q diag(g) Q^T, the bias by Sherman-Morrison."""

    def __init__(self, d2, sigma2, y):
        self.g, self.q = np.linalg.eigh(np.exp(-d2 / sigma2))
        self.squares = self.q * self.q
        self.qy, self.qone = self.q.T @ y, self.q.sum(axis=0)

    def solve(self, lam):
        """(K K^T + lambda I)^-1 y and the diagonal of the inverse, one column per lambda."""
        f = 1.0 / (self.g[:, None] ** 2 + lam[None, :])
        by, bone = self.q @ (f * self.qy[:, None]), self.q @ (f * self.qone[:, None])
        scale = 1.0 + (f * self.qone[:, None] ** 2).sum(axis=0)
        x = by - bone * ((f * (self.qone * self.qy)[:, None]).sum(axis=0) / scale)
        return x, self.squares @ f - bone * bone / scale

    def loo(self, t):
        x, diagonal = self.solve(10.0 ** t)
        return ((x / diagonal) ** 2).mean(axis=0)

    def minimise(self, lo, hi):
        points = 35
        for _ in range(3):
            t = np.linspace(lo, hi, points)
            value = self.loo(t)
            k = int(np.argmin(value))
            lo, hi, points = t[max(k - 1, 0)], t[min(k + 1, len(t) - 1)], 16
        if 0 < k < len(t) - 1:                                   # the vertex of the parabola through the best three
            a, b, c = value[k - 1:k + 2]
            vertex = t[k] + 0.5 * (t[1] - t[0]) * (a - c) / (a - 2.0 * b + c) if a - 2.0 * b + c > 0 else t[k]
            refined = self.loo(np.array([vertex]))[0]
            if refined < value[k]:
                return refined, vertex
        return value[k], t[k]

    def weights(self, t):
        x = self.solve(np.array([10.0 ** t]))[0][:, 0]
        return self.q @ (self.g * (self.q.T @ x))


def relevance(x, d2, sigma2, alpha):
    n = len(x)
    k = np.exp(-d2 / sigma2) * alpha
    d = np.sort(np.abs(2.0 / sigma2 * (k @ x - k.sum(axis=1)[:, None] * x)), axis=0)
    high, low = (835 * n + 500) // 1000, max((165 * n + 500) // 1000, 1)
    return np.median(d, axis=0) + d[high - 1] - d[low - 1]


def sisal(x, y, widths, lo, hi, steps):
    inputs = list(range(x.shape[1]))
    if x.size * len(x) < 2e7:
        d2 = ((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2)
    else:
        d2 = sum((c[:, None] - c[None, :]) ** 2 for c in x.T)
    while inputs and steps != 0:
        best = (np.inf,)
        for sigma2 in widths:
            width = Width(d2, sigma2, y)
            value, t = width.minimise(lo, hi)
            if value < best[0]:
                best = value, t, sigma2, width
        value, t, sigma2, width = best
        r = relevance(x[:, inputs], d2, sigma2, width.weights(t))
        removed = inputs[int(np.argmin(r))]
        yield list(inputs), value, sigma2, 10.0 ** t, removed
        inputs.remove(removed)
        column = x[:, removed]
        d2 = np.maximum(d2 - (column[:, None] - column[None, :]) ** 2, 0.0)
        steps -= 1


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("csv")
    p.add_argument("--target")
    p.add_argument("--rows", type=int, default=0, help="the first rows only")
    p.add_argument("--sigma2", type=float, nargs=2, default=(1.0, 500.0))
    p.add_argument("--widths", type=int, default=50)
    p.add_argument("--gamma", type=float, nargs=2, default=(1e-14, 1e3))
    p.add_argument("--steps", type=int, default=-1, help="stop after this many removals")
    a = p.parse_args()
    clock = Clock()
    x, y, names = read(a.csv, a.target, a.rows)
    x, y = standardise(x), standardise(y)
    low, high = np.log10(a.gamma)
    path = list(sisal(x, y, np.geomspace(*a.sigma2, a.widths), low, high, a.steps))
    for inputs, value, sigma2, gamma, removed in path:
        print(f"{len(inputs):4d} inputs  loo {value:.10g}  sigma2 {sigma2:.6g}  gamma {gamma:.4g}  "
              f"removes {names[removed]}")
    best = min(path, key=lambda step: (step[1], len(step[0])))
    clock.report(value=float(best[1]), selected=[names[i] for i in best[0]])


if __name__ == "__main__":
    main()
