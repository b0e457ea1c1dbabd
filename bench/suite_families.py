"""Tables with known answers: families of regression and classification problems.

A family is a function (rows, rng) -> Problem. `groups` are the right inputs: sets of which any one member will do (a
single member except for neighbouring wavelengths); `clean` is the target without noise on the test rows, `noise` the
variance of what cannot be predicted."""
import dataclasses

import numpy as np

TEST_ROWS = 1000


@dataclasses.dataclass
class Problem:
    x: np.ndarray                       # rows x columns; a category is the index of its level
    y: np.ndarray
    x_test: np.ndarray
    clean: np.ndarray                   # test rows: the target without noise (regression) or the class
    noise: float
    groups: list
    categories: tuple = ()              # columns that are categories
    classes: int = 0


def _regression(rows, x, f, noise, groups, rng, draw=None, categories=()):
    clean = f(x)
    scale = np.std(clean[rows:])
    sd = noise * scale
    e = (draw or rng.standard_normal)(rows)
    right = [set(np.atleast_1d(g).tolist()) for g in groups]
    return Problem(x[:rows], clean[:rows] + sd * e, x[rows:], clean[rows:], sd * sd, right, categories)


def _classification(rows, x, classes, groups, categories=()):
    c = np.asarray(classes, int)
    return Problem(x[:rows], c[:rows], x[rows:], c[rows:], 0, [{g} for g in groups], categories, int(c.max()) + 1)


def _uniform(rows, d, rng):
    return rng.uniform(-1, 1, (rows + TEST_ROWS, d))


def _chain(rows, d, r, rng):
    """Gaussian inputs, neighbours correlated by r."""
    z = rng.standard_normal((rows + TEST_ROWS, d))
    for i in range(1, d):
        z[:, i] = r * z[:, i - 1] + np.sqrt(1 - r * r) * z[:, i]
    return z


# ---- regression

def linear(rows, rng):
    x = rng.standard_normal((rows + TEST_ROWS, 20))
    w = np.array([1, -0.9, 0.8, 0.7, -0.6])
    return _regression(rows, x, lambda x: x[:, [0, 4, 8, 12, 16]] @ w, 0.5, [0, 4, 8, 12, 16], rng)


def additive(rows, rng):
    x = _uniform(rows, 20, rng)
    f = lambda x: np.sin(3 * x[:, 1]) + 1.2 * x[:, 5] ** 2 + np.abs(x[:, 9]) + x[:, 14]
    return _regression(rows, x, f, 0.3, [1, 5, 9, 14], rng)


def _friedman4(x):
    return 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3]


def friedman(rows, rng):
    x = rng.uniform(0, 1, (rows + TEST_ROWS, 20))
    return _regression(rows, x, lambda x: _friedman4(x) + 5 * x[:, 4], 0.2, range(5), rng)


def noisy(rows, rng):
    x = rng.uniform(0, 1, (rows + TEST_ROWS, 15))
    return _regression(rows, x, _friedman4, 1.0, range(4), rng)


def rough(rows, rng):
    x = _uniform(rows, 10, rng)
    return _regression(rows, x, lambda x: np.sin(6 * x[:, 3]) + np.cos(5 * x[:, 7]), 0.2, [3, 7], rng)


def interacting(rows, rng):
    x = _uniform(rows, 15, rng)
    f = lambda x: np.exp(x[:, 2] + x[:, 6]) + 2 * np.sin(2 * x[:, 6] * x[:, 10])
    return _regression(rows, x, f, 0.2, [2, 6, 10], rng)


def product(rows, rng):
    x = _uniform(rows, 12, rng)
    return _regression(rows, x, lambda x: x[:, 4] * x[:, 8], 0.2, [4, 8], rng)


def correlated(rows, rng):
    x = _chain(rows, 20, 0.7, rng)
    f = lambda x: np.tanh(x[:, 2]) + 0.5 * x[:, 7] ** 2 + 0.8 * x[:, 12] + np.sin(x[:, 17])
    return _regression(rows, x, f, 0.3, [2, 7, 12, 17], rng)


def redundant(rows, rng):
    x = rng.standard_normal((rows + TEST_ROWS, 16))
    x[:, 8:12] = x[:, 0:4] + 0.3 * rng.standard_normal((rows + TEST_ROWS, 4))
    f = lambda x: np.sin(1.5 * x[:, 0]) + 0.6 * x[:, 1] ** 2 + x[:, 2]
    return _regression(rows, x, f, 0.2, [0, 1, 2], rng)


def heavy_tails(rows, rng):
    x = _uniform(rows, 15, rng)
    f = lambda x: np.sin(3 * x[:, 1]) + x[:, 6] * x[:, 11] + x[:, 6]
    return _regression(rows, x, f, 0.25, [1, 6, 11], rng, lambda n: rng.standard_t(2, n))


def wide(rows, rng):
    x = rng.standard_normal((rows + TEST_ROWS, 80))
    f = lambda x: x[:, 10] + 0.7 * x[:, 30] ** 2 + np.sin(2 * x[:, 50])
    return _regression(rows, x, f, 0.25, [10, 30, 50], rng)


def sparse(rows, rng):
    x = _uniform(rows, 200, rng)
    return _regression(rows, x, lambda x: 2 * x[:, 20] + np.exp(x[:, 90]), 0.3, [20, 90], rng)


def spectra(rows, rng):
    """Forty wavelengths, smooth curves of six bands; the target depends on three of the bands, at their peaks."""
    n, grid = rows + TEST_ROWS, np.arange(40)
    top = np.array([3, 10, 17, 24, 31, 37])
    amount = rng.gamma(4, 0.25, (n, 6))
    x = amount @ np.exp(-0.5 * ((grid - top[:, None]) / 1.8) ** 2) + 0.02 * rng.standard_normal((n, 40))
    f = lambda x: x[:, 10] * x[:, 24] + np.sqrt(np.abs(x[:, 31]))
    return _regression(rows, x, f, 0.15, [range(8, 13), range(22, 27), range(29, 34)], rng)


def unequal(rows, rng):
    x = _uniform(rows, 15, rng)
    f = lambda x: 2 * np.sin(2 * x[:, 0]) + 1.0 * x[:, 5] ** 2 + 0.5 * x[:, 10]
    return _regression(rows, x, f, 0.2, [0, 5, 10], rng)


def steps(rows, rng):
    x = _uniform(rows, 15, rng)
    f = lambda x: (x[:, 2] > 0) + 1.0 * (x[:, 7] > 0.2) * (x[:, 12] < 0.3)
    return _regression(rows, x, f, 0.25, [2, 7, 12], rng)


def skewed(rows, rng):
    x = np.exp(rng.standard_normal((rows + TEST_ROWS, 15)))
    f = lambda x: np.log(x[:, 3]) + np.log1p(x[:, 6]) * np.log1p(x[:, 9])
    return _regression(rows, x, f, 0.3, [3, 6, 9], rng)


def categories(rows, rng):
    x = _uniform(rows, 12, rng)
    for k in (0, 4, 8):
        x[:, k] = rng.integers(0, 4, len(x))
    effect = np.array([0, 1.0, -1.0, 0.5])
    f = lambda x: effect[x[:, 0].astype(int)] + np.sin(3 * x[:, 6]) * (1 + 0.5 * (x[:, 0] > 1))
    return _regression(rows, x, f, 0.25, [0, 6], rng, None, (0, 4, 8))


def _drawn(rows, rng):
    """Inputs and a function drawn at random: number of inputs, which matter, shapes, pairs, correlation."""
    d = int(rng.choice([8, 15, 30]))
    k = int(rng.integers(1, 6))
    x = _chain(rows, d, float(rng.choice([0, 0.5])), rng)
    shapes = [lambda v: v, lambda v: 0.7 * v * v, lambda v: np.sin(2 * v), lambda v: np.abs(v) * 1.6,
              lambda v: np.tanh(3 * v), lambda v: 0.6 * np.exp(0.7 * v)]
    on = rng.permutation(d)[:k].tolist()
    parts = [rng.uniform(0.6, 1.4) * shapes[rng.integers(len(shapes))](x[:, i]) for i in on]
    f = sum(parts)
    if k > 1 and rng.random() < 0.7:
        f = f + rng.uniform(0.6, 1.2) * x[:, on[0]] * np.tanh(x[:, on[1]])
    return x, f, on


def drawn(rows, rng):
    x, f, on = _drawn(rows, rng)
    return _regression(rows, x, lambda x: f, float(rng.choice([0.1, 0.3, 0.6, 0.9])), on, rng)


def drawn_again(rows, rng):
    return drawn(rows, rng)


def noise(rows, rng):
    x = rng.standard_normal((rows + TEST_ROWS, 20))
    p = _regression(rows, x, lambda x: x[:, 0], 1, [], rng)
    p.y = rng.standard_normal(rows)
    p.clean, p.noise = np.zeros(TEST_ROWS), 1.0
    return p


def noise_wide(rows, rng):
    x = _chain(rows, 60, 0.5, rng)
    p = _regression(rows, x, lambda x: x[:, 0], 1, [], rng)
    p.y = rng.standard_t(4, rows)
    p.clean, p.noise = np.zeros(TEST_ROWS), 2.0
    return p


# ---- classification

def _flip(c, rate, classes, rng):
    wrong = rng.random(len(c)) < rate
    return np.where(wrong, rng.integers(0, classes, len(c)), c)


def c_additive(rows, rng):
    x = rng.standard_normal((rows + TEST_ROWS, 15))
    f = np.sin(1.5 * x[:, 1]) * 2 + x[:, 5] ** 2 - 1 + 1.2 * x[:, 9]
    return _classification(rows, x, rng.random(len(x)) < 1 / (1 + np.exp(-3 * f)), [1, 5, 9])


def c_linear(rows, rng):
    x = _chain(rows, 20, 0.5, rng)
    f = x[:, 3] - x[:, 9] + 0.8 * x[:, 15]
    return _classification(rows, x, rng.random(len(x)) < 1 / (1 + np.exp(-4 * f)), [3, 9, 15])


def c_xor(rows, rng):
    x = _uniform(rows, 10, rng)
    return _classification(rows, x, _flip((x[:, 2] * x[:, 6] > 0).astype(int), 0.05, 2, rng), [2, 6])


def c_ring(rows, rng):
    x = rng.standard_normal((rows + TEST_ROWS, 15))
    outside = (np.sum(x[:, [1, 4, 8]] ** 2, 1) > 2.37).astype(int)
    return _classification(rows, x, _flip(outside, 0.04, 2, rng), [1, 4, 8])


def c_blobs(rows, rng):
    n = rows + TEST_ROWS
    c = rng.integers(0, 3, n)
    centre = np.array([[0, 0, 0, 0], [1.8, 0, 1.8, 0], [0, 1.8, 0, 1.8]])
    x = rng.standard_normal((n, 20))
    x[:, [2, 7, 12, 17]] += centre[c]
    return _classification(rows, x, c, [2, 7, 12, 17])


def c_checks(rows, rng):
    x = _uniform(rows, 8, rng)
    c = (np.floor(1.5 * (x[:, 1] + 1)) + np.floor(1.5 * (x[:, 5] + 1))).astype(int) % 2
    return _classification(rows, x, _flip(c, 0.04, 2, rng), [1, 5])


def c_wide(rows, rng):
    x = rng.standard_normal((rows + TEST_ROWS, 60))
    f = 1.5 * x[:, 5] + x[:, 25] ** 2 - 1 + x[:, 45]
    return _classification(rows, x, rng.random(len(x)) < 1 / (1 + np.exp(-4 * f)), [5, 25, 45])


def c_drawn(rows, rng):
    x, f, on = _drawn(rows, rng)
    f = (f - f.mean()) / f.std() + float(rng.choice([0.1, 0.3, 0.5])) * rng.logistic(size=len(f)) / 1.8
    cut = np.quantile(f, [1 / 3, 2 / 3]) if rng.random() < 0.4 else [np.quantile(f, rng.uniform(0.35, 0.65))]
    return _classification(rows, x, np.searchsorted(cut, f), on)


def c_noise(rows, rng):
    x = rng.standard_normal((rows + TEST_ROWS, 20))
    return _classification(rows, x, rng.integers(0, 2, len(x)), [])


REGRESSION = [linear, additive, friedman, noisy, rough, interacting, product, correlated, redundant, heavy_tails, wide,
              sparse, spectra, unequal, steps, skewed, categories, drawn, drawn_again]
CLASSIFICATION = [c_additive, c_linear, c_xor, c_ring, c_blobs, c_checks, c_wide, c_drawn]
NOISE = [noise, noise_wide, c_noise]
FAMILIES = {f.__name__: f for f in REGRESSION + CLASSIFICATION + NOISE}


def make(name, rows, seed):
    key = [sum(ord(c) * 31 ** i for i, c in enumerate(name)) % 2 ** 32, rows, seed]
    return FAMILIES[name](rows, np.random.default_rng(key))
