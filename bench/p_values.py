#!/usr/bin/env python3
"""Whether the p-values of --test-inputs are uniform for inputs without effect, and how often they find the others.

    python3 bench/p_values.py [TABLES] [FAMILY ...]

For each family of tables with known answers: the number of null p-values, the distance of Kolmogorov and Smirnov from the
uniform law with its p-value, the share at most 0.05 and 0.01, and the share of effects found at 0.05, beside that of the t-test
in the linear model of all inputs (regression). Needs numpy. docs/p-values.md shows the output."""
import json, math, os, subprocess, sys, tempfile
import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TAMIS = os.environ.get("TAMIS", os.path.join(ROOT, "build", "tamis"))


def ar1(r, n, d, rho=0.5):
    x = r.normal(size=(n, d))
    for j in range(1, d):
        x[:, j] = rho * x[:, j - 1] + math.sqrt(1 - rho * rho) * x[:, j]
    return x


def uniform(x):
    return 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def linear(r):
    x = ar1(r, 300, 30)
    return x, 0.25 * (x[:, 0] - x[:, 6] + x[:, 12] - x[:, 18] + x[:, 24]) + r.normal(size=300), [0, 6, 12, 18, 24]


def friedman(r):
    x = uniform(ar1(r, 300, 15))
    f = 10 * np.sin(math.pi * x[:, 0] * x[:, 3]) + 20 * (x[:, 6] - 0.5) ** 2 + 10 * x[:, 9] + 5 * x[:, 12]
    return x, f + 4 * r.normal(size=300), [0, 3, 6, 9, 12]


def steps(r):
    """Inputs of two, three and five values; an effect, a square and a product."""
    x = ar1(r, 300, 20)
    for j in range(20):
        cuts = ([0.2], [-0.5, 0.5], [-1, -0.3, 0.3, 1])[j % 3]
        x[:, j] = np.searchsorted(cuts, x[:, j])
    y = 0.4 * x[:, 0] + 0.5 * (x[:, 5] - 2) ** 2 / 2 + 0.4 * (x[:, 10] - 1) * (x[:, 14] - 2) + r.normal(size=300)
    return x, y, [0, 5, 10, 14]


def square(r):
    """Every null input has a neighbour, correlated by 0.8, whose square has an effect."""
    x = ar1(r, 300, 12, 0)
    x[:, 1::2] = 0.8 * x[:, 0::2] + 0.6 * x[:, 1::2]
    return x, (x[:, 0::2][:, :3] ** 2).sum(1) * 0.35 + r.normal(size=300), [0, 2, 4]


def wide(r):
    x = ar1(r, 200, 150)
    return x, 0.4 * x[:, [10, 50, 90, 130]].sum(1) + r.normal(size=200), [10, 50, 90, 130]


def classes(r):
    x = ar1(r, 400, 20)
    f = 0.7 * x[:, 0] + 0.6 * (x[:, 8] ** 2 - 1) + 0.8 * x[:, 15]
    return x, np.where(r.uniform(size=400) < 1 / (1 + np.exp(-f)), "a", "b"), [0, 8, 15]


FAMILIES = {"linear": linear, "friedman": friedman, "steps": steps, "square": square, "wide": wide, "classes": classes,
            "weights": friedman}


def weights(name, r, y):
    """Of family `weights`: they spread by a factor of ten and depend on the target. Others have none."""
    return np.exp(0.5 * r.normal(size=len(y)) + 0.3 * (y - y.mean()) / y.std()) if name == "weights" else None


def p_values(x, y, w, seed, folder):
    file = os.path.join(folder, "table.csv")
    with open(file, "w") as f:
        f.write(",".join("x%d" % (j + 1) for j in range(x.shape[1])) + ("" if w is None else ",w") + ",y\n")
        for i, (row, t) in enumerate(zip(x, y)):
            f.write(",".join("%.9g" % v for v in row) + ("" if w is None else ",%.9g" % w[i]) + ",%s\n" % t)
    quick = ["--method", "forward", "--criterion", "mrmr", "--permutations", "0", "--max-inputs", "1"]
    out = subprocess.run([TAMIS, "select", file, *quick, "--no-evidence", "--test-inputs", "x*", "--test-draws", "1000",
                          "--seed", str(seed), "--json", "--quiet",
                          *([] if w is None else ["--row-weights", "w"])], stdout=subprocess.PIPE, check=True).stdout
    return np.array([t["p"] for t in json.loads(out)["tests"]["inputs"]])


def t_test(x, y):
    """Two-sided p-values in the linear model of all inputs."""
    n, d = x.shape
    a = np.c_[np.ones(n), x]
    b, *_ = np.linalg.lstsq(a, y, rcond=None)
    free = n - d - 1
    se = np.sqrt(((y - a @ b) ** 2).sum() / free * np.diag(np.linalg.inv(a.T @ a)))[1:]
    t = b[1:] / se
    z = t * (1 - 1 / (4 * free)) / np.sqrt(1 + t * t / (2 * free))
    return np.array([math.erfc(abs(v) / math.sqrt(2)) for v in z])


def kolmogorov(p):
    p, n = np.sort(p), len(p)
    d = max((np.arange(1, n + 1) / n - p).max(), (p - np.arange(n) / n).max())
    s = (math.sqrt(n) + 0.12 + 0.11 / math.sqrt(n)) * d
    return d, min(1, 2 * sum((-1) ** (k - 1) * math.exp(-2 * k * k * s * s) for k in range(1, 101)))


def family(name, tables):
    null, found, other = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for s in range(tables):
            r = np.random.default_rng(1000 + s)
            x, y, true = FAMILIES[name](r)
            p, effect = p_values(x, y, weights(name, r, y), s + 1, folder), np.isin(np.arange(x.shape[1]), true)
            null += list(p[~effect])
            found += list(p[effect] <= 0.05)
            if y.dtype.kind == "f":
                other += list(t_test(x, y)[effect] <= 0.05)
    d, p = kolmogorov(np.array(null))
    null = np.array(null)
    print("| %s | %d | %.3f | %.3f | %.3f | %.3f | %.2f | %s |" % (
        name, len(null), d, p, (null <= 0.05).mean(), (null <= 0.01).mean(), np.mean(found),
        "%.2f" % np.mean(other) if other else ""), flush=True)


if __name__ == "__main__":
    print("| family | null inputs | distance | its p | at most .05 | at most .01 | effects found | t-test |\n|---|---|---|---|---|---|---|---|")
    for name in sys.argv[2:] or FAMILIES:
        family(name, int(sys.argv[1]) if len(sys.argv) > 1 else 20)
