"""Parts `issue` and `suite`: tables whose right inputs are known."""
import os, subprocess

import numpy as np

import suite
import suite_families as families
from tables import Table, of_problem
from trials import Trial

ISSUE = {                                               # training rows, test rows, right inputs
    "weak": (7000, 3000, range(10)),
    "inter": (7000, 3000, range(10)),
    "logit-pair": (7000, 3000, range(4)),
    "genes-wide": (150, 1000, range(5)),
}
ISSUE_RIVALS = ("lasso", "xgb-mean", "xgb-perm", "hgb-perm", "boruta", "rfecv", "gp-ard", "lightgbm", "boruta-py",
                "mlxtend", "skglm", "lassonet")
SUITE_RIVALS = ("lasso", "xgb-mean", "xgb-perm", "hgb-perm", "boruta", "gp-ard", "rfecv", "lightgbm")
SLOW = {"boruta", "gp-ard", "rfecv"}


def generated(program, place, name, seed):
    train, test, right = ISSUE[name]
    file = os.path.join(place, "generated.csv")
    words = [program, "generate", name, "--rows", str(train + test), "--seed", str(seed + 1), "-o", file, "--quiet"]
    subprocess.run(words, check=True)
    with open(file) as f:
        cells = np.array([line.strip().split(",") for line in f][1:])
    x, y = cells[:, :-1].astype(float), cells[:, -1]
    classes = 0
    if y[0].isalpha():
        levels, y = np.unique(y, return_inverse=True)
        classes = len(levels)
    y = y if classes else y.astype(float)
    return Table(x[:train], y[:train], x[train:], y[train:], 0.0, [{k} for k in right], (), classes)


def score(t, chosen):
    found, false, missed = suite.counts(chosen, t.groups)
    return {"f1": suite.f1(chosen, t.groups), "exact": int(false == 0 and missed == 0), "right": found, "false": false}


def issue(a):
    for seed in range(a.draws or (2 if a.quick else 10)):
        for name, (train, _, _) in ISSUE.items():
            make = lambda name=name, seed=seed: generated(a.tamis, a.place, name, seed)
            yield Trial("issue", name, train, seed, make, ISSUE_RIVALS, score)


# ---- suite: the families of bench/suite.py, and with 10,000 rows more noise

EXTRA = {                                               # times sd(y); classes: share of the labels drawn anew
    "linear": 5, "additive": 3, "friedman": 4, "interacting": 3, "product": 3, "correlated": 4, "redundant": 3,
    "wide": 4, "unequal": 4, "steps": 4, "skewed": 3, "categories": 3, "drawn": 2, "genes": 3, "decay": 3,
    "threeway": 3, "c_additive": 0.75, "c_linear": 0.75, "c_ring": 0.6, "c_blobs": 0.75, "c_xor": 0.7, "c_wide": 0.7,
    "c_drawn": 0.6, "c_genes": 0.6, "noise": 0, "noise_wide": 0, "c_noise": 0,
}


def genes(rows, rng):
    """Forty inputs with the values 0, 1 and 2; two of the four that matter have no effect alone."""
    x = rng.binomial(2, rng.uniform(0.2, 0.5, 40), (rows + families.TEST_ROWS, 40)).astype(float)
    f = lambda x: x[:, 3] + 0.8 * (x[:, 11] == 1) + 1.2 * (x[:, 20] - x[:, 20].mean()) * (x[:, 31] - x[:, 31].mean())
    return families._regression(rows, x, f, 0.3, [3, 11, 20, 31], rng)


def c_genes(rows, rng):
    p = genes(rows, rng)
    f = np.concatenate([p.y, p.clean + np.sqrt(p.noise) * rng.standard_normal(len(p.clean))])
    x = np.vstack([p.x, p.x_test])
    return families._classification(rows, x, f > np.median(f), [3, 11, 20, 31])


def decay(rows, rng):
    """Eight effects, each 0.8 of the one before, alternately linear and curved."""
    x = rng.standard_normal((rows + families.TEST_ROWS, 40))
    on = range(2, 40, 5)
    f = lambda x: sum(0.8 ** i * (x[:, k] if i % 2 else np.sin(1.5 * x[:, k]) * 1.4) for i, k in enumerate(on))
    return families._regression(rows, x, f, 0.3, on, rng)


def threeway(rows, rng):
    """A product of three inputs and one linear effect."""
    x = rng.uniform(-1, 1, (rows + families.TEST_ROWS, 20))
    return families._regression(rows, x, lambda x: 3 * x[:, 2] * x[:, 8] * x[:, 14] + 0.4 * x[:, 17], 0.2,
                                [2, 8, 14, 17], rng)


NEW = {f.__name__: f for f in (genes, c_genes, decay, threeway)}


def noisier(name, rows, seed):
    """A family with more noise: y + extra sd(y) normal, or a share of the labels drawn anew."""
    rng = np.random.default_rng([rows, seed, sum(name.encode())])
    t = of_problem(NEW[name](rows, rng) if name in NEW else families.make(name, rows, seed))
    if t.classes:
        t.y, t.clean = (families._flip(v, EXTRA[name], t.classes, rng) for v in (t.y, t.clean))
    else:
        sd = EXTRA[name] * t.y.std()
        t.y, t.noise = t.y + sd * rng.standard_normal(rows), t.noise + sd * sd
    return t


def plain(name, rows, seed):
    return of_problem(families.make(name, rows, seed))


def slow_enough(seed, rows):
    return tuple(r for r in SUITE_RIVALS if r not in SLOW or seed < 1 and rows < 1000)


def seeds_of(a, name, rows):
    if rows > 1000:
        return a.draws or (1 if a.quick else 2)
    noise = name in ("noise", "noise_wide", "c_noise")
    return a.draws or (1 if a.quick else 20 if noise and rows < 1000 else 4)


def sizes(a):
    for rows in [100] if a.quick else [100, 300, 1000]:
        for name in families.FAMILIES:
            for seed in range(seeds_of(a, name, rows)):
                make = lambda name=name, rows=rows, seed=seed: plain(name, rows, seed)
                yield Trial("suite", name, rows, seed, make, slow_enough(seed, rows), score)
    for seed in range(seeds_of(a, "", 10000)):
        for name in list(EXTRA)[::6] if a.quick else EXTRA:
            make = lambda name=name, seed=seed: noisier(name, 10000, seed)
            yield Trial("suite", name, 10000, seed, make, slow_enough(seed, 10000), score)
