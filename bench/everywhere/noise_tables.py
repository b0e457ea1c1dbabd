"""Part `noise`: tables in which no input matters, of eight kinds; the right answer is the empty set.

Every second ten tables of a kind have classes. Tables have 100 to 500 rows, one in ten
1,000; those of 1,000 inputs at most 200."""
import numpy as np

from known import score
from tables import Table
from trials import Trial

ROWS = (100, 200, 300, 100, 500, 150, 200, 400, 300, 1000)      # of table i: ROWS[i % 10]
RIVALS = ("lasso", "xgb-perm", "boruta")
RIVAL_TABLES = 10                                               # of each kind


def classes_of(y, shares):
    """Classes of these shares, in the order of y."""
    return np.searchsorted(np.quantile(y, np.cumsum(shares)[:-1]), y, side="left")


def target(rng, rows, classify):
    return rng.integers(0, 2, rows) if classify else rng.standard_normal(rows)


def chain(rng, rows, d, r):
    """Normal inputs; neighbours correlate by r."""
    z = rng.standard_normal((rows, d))
    for k in range(1, d):
        z[:, k] = r * z[:, k - 1] + np.sqrt(1 - r * r) * z[:, k]
    return z


def heavy(rng, rows, classify):
    x = rng.standard_t(2, (rows, 20))
    return dict(x=x, y=target(rng, rows, True) if classify else rng.standard_t(2, rows))


def correlated(rng, rows, classify):
    return dict(x=chain(rng, rows, 30, 0.9), y=target(rng, rows, classify))


def discrete(rng, rows, classify):
    """Counts, 0/1 columns, grades and categories; the target is a count."""
    x = np.column_stack([rng.binomial(2, 0.3, (rows, 10)), rng.poisson(1.5, (rows, 5)), rng.integers(0, 2, (rows, 5)),
                         rng.integers(0, 6, (rows, 4))]).astype(float)
    y = target(rng, rows, True) if classify else rng.poisson(2.0, rows).astype(float)
    return dict(x=x, y=y, categories=(20, 21))


def unequal(rng, rows, classify):
    """Two classes of 92 and 8 %, or three of 80, 13 and 7 %; skewed inputs."""
    x = np.exp(rng.standard_normal((rows, 20)))
    return dict(x=x, y=classes_of(rng.random(rows), (0.8, 0.13, 0.07) if classify else (0.92, 0.08)))


def wide(rng, rows, classify):
    return dict(x=rng.standard_normal((rows, 1000)), y=target(rng, rows, classify))


def members(rng, rows, most):
    """Each row's group, of groups of one to `most` rows."""
    sizes = rng.integers(1, most + 1, rows)
    return np.repeat(np.arange(rows), sizes)[:rows]


def grouped(rng, rows, classify):
    """Groups of one to six nearly equal rows with one target; tamis is told the groups."""
    g = members(rng, rows, 6)
    x = rng.standard_normal((rows, 15))[g] + 0.05 * rng.standard_normal((rows, 15))
    return dict(x=x, y=target(rng, rows, classify)[g], group=g, words=("--groups", "g"))


def duplicated(rng, rows, classify):
    """Each row up to four times, exactly equal, in random order; tamis is told nothing."""
    g = rng.permutation(members(rng, rows, 4))
    return dict(x=rng.standard_normal((rows, 15))[g], y=target(rng, rows, classify)[g])


def ar1(rng, rows, d, r):
    z = rng.standard_normal((rows, d))
    for i in range(1, rows):
        z[i] = r * z[i - 1] + np.sqrt(1 - r * r) * z[i]
    return z


def time(rng, rows, classify):
    """Inputs and target are AR(1) series (.9); tamis is told that rows are ordered."""
    y = ar1(rng, rows, 1, 0.9)[:, 0]
    return dict(x=ar1(rng, rows, 12, 0.9), y=(y > np.median(y)).astype(int) if classify else y, words=("--blocks",))


KINDS = {f.__name__: f for f in (heavy, correlated, discrete, unequal, wide, grouped, duplicated, time)}


def rows_of(kind, i):
    return min(ROWS[i % len(ROWS)], 200 if kind == "wide" else 1000)


def table(kind, i):
    rng = np.random.default_rng([sum(kind.encode()), i])
    part = KINDS[kind](rng, rows_of(kind, i), i // len(ROWS) % 2 == 1)
    classes = len(np.unique(part["y"])) if part["y"].dtype.kind == "i" else 0
    d = part["x"].shape[1]
    return Table(x_test=np.empty((0, d)), clean=np.empty(0), noise=1.0, groups=[], classes=classes, **part)


def parts(a):
    for i in range(a.draws or (3 if a.quick else 200)):
        for kind in KINDS:
            make = lambda kind=kind, i=i: table(kind, i)
            yield Trial("noise", kind, rows_of(kind, i), i, make, RIVALS if i < RIVAL_TABLES else (), score)
