#!/usr/bin/env python3
"""Changes of a table that must not change which inputs are chosen: the order of its columns and rows, units of inputs
and target, names of classes, every row twice. MAY lists the exceptions, which docs/invariance.md explains.
usage: metamorphic.py path/to/tamis [name...]     two tables; with TAMIS_LONG=1 ten of each kind"""
import json, os, random, sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import good, main, table

SEEDS = range(1, 11 if os.environ.get("TAMIS_LONG") == "1" else 2)
SPARSE_CLASSES = "sparse-rbf of classes"
LARS_HALVES = ["--method", "lars", "--stability", "1", "--stability-pairs", "10"]
REGRESSION = {                  # name: options; --method is the name where the options do not say
    "sift": [], "sisal": ["--sigma2", "1:100:5"], "forward": ["--sigma2", "1:100:5"], "search": [], "opelm": [],
    "lars": [], "lssvm": ["--select", "forward", "--sigma2", "1:100:4", "--gamma", "1:1000:4"],
    "rrkrr": ["--select", "forward", "--sigma2", "1:100:4", "--gamma", "1:1000:4"],
    "sparse-rbf": ["--r", "4:40:3", "--t", "0.5:2:3", "--folds", "4"],
    "mrmr": ["--method", "search", "--criterion", "mrmr"], "jmi": ["--method", "forward", "--criterion", "jmi"],
    "gamma-test": ["--method", "search", "--criterion", "gamma-test"],
    "mi": ["--method", "search", "--criterion", "mi"], "knn": ["--method", "search", "--criterion", "knn"],
    "knockoffs": ["--fdr", "0.3"], "stability": LARS_HALVES,
}
CLASSIFICATION = {
    "sift": [], "search": ["--criterion", "knn"], "fei": ["--starts", "5"],
    "rjmcmc": ["--samples", "1500", "--burn-in", "500", "--chains", "2", "--temperatures", "4"],
    "lssvm": REGRESSION["lssvm"], "rrkrr": REGRESSION["rrkrr"],
    SPARSE_CLASSES: ["--method", "sparse-rbf", *REGRESSION["sparse-rbf"]],
    "mrmr": REGRESSION["mrmr"], "jmi": REGRESSION["jmi"], "mi": REGRESSION["mi"],
    "knockoffs": ["--fdr", "0.3"],
    "stability": ["--method", "search", "--criterion", "knn", "--stability", "1", "--stability-pairs", "10"],
}
FOLDS = "folds, centres or random numbers are assigned to rows by their place"
MAY = {                         # (change, method): why
    **{("rows", m): FOLDS for m in ("sift", "lars", "lssvm", "rrkrr", "sparse-rbf", SPARSE_CLASSES, "fei",
                                 "rjmcmc")},
    ("columns", SPARSE_CLASSES): "sums in another order round differently: another local optimum",
    **{("twice", m): "rows count twice against the regularisation, and the grid or the training stays" for m in
       ("lssvm", "rrkrr", "fei", "rjmcmc")},
    **{("rows", m): "permutations, knockoffs or halves are drawn by the place of a row" for m in
       ("mrmr", "jmi", "knockoffs", "stability")},
    **{("columns", m): "random numbers are drawn in the order of the columns" for m in ("rjmcmc", "knockoffs", "jmi")},
    **{("input units", m): "a reflected input meets other random numbers" for m in ("rjmcmc", "knockoffs")},
}


# ---- tables and their changes ----

def smooth(x):
    return 3 * x[0] + 2 * x[1] * x[1] - 2 * x[3]


def made(seed, of):
    r = random.Random(seed)
    rows = [[round(r.uniform(-1, 1), 6) for _ in range(5)] for _ in range(60)]
    return [["a", "b", "c", "d", "e", "y"]] + [x + [of(x, r)] for x in rows]


def numbers(seed):
    return made(seed, lambda x, r: round(smooth(x) + 0.3 * r.gauss(0, 1), 6))


def labels(seed):
    return made(seed, lambda x, r: "low" if smooth(x) + 0.2 * r.gauss(0, 1) < 0.6 else "high")


def columns(t):
    order = [3, 0, 4, 2, 1, 5]
    return [[row[i] for i in order] for row in t]


def rows(t):
    rest = t[1:]
    random.Random(3).shuffle(rest)
    return t[:1] + rest


def twice(t):
    return t + t[1:]


def each(t, change):
    """change(column, value) of every cell below the names."""
    return t[:1] + [[change(name, v) for name, v in zip(t[0], row)] for row in t[1:]]


FACTOR = {"a": -4.0, "b": 0.125, "c": 1024.0, "d": -1.0, "e": 2.0 ** -20}       # exact in binary
SAME = {"columns": columns, "rows": rows, "twice": twice,
        "input units": lambda t: each(t, lambda name, v: v * FACTOR.get(name, 1))}
OF_NUMBERS = dict(SAME, **{
    "target units": lambda t: each(t, lambda name, v: v * -512.0 if name == "y" else v),
    "target offset": lambda t: each(t, lambda name, v: v + 1000.0 if name == "y" else v)})
OF_LABELS = dict(SAME, classes=lambda t: each(t, lambda name, v: {"low": "zebra", "high": "ant"}.get(v, v)))


# ---- the test ----

def chosen(name, t, method, words):
    words = words if "--method" in words or "--fdr" in words else ["--method", method, *words]
    file = table("\n".join(",".join(v if isinstance(v, str) else repr(v) for v in row) for row in t) + "\n", name)
    return sorted(json.loads(good("select", file, *words, "--json", "--no-evidence"))["selected"])


def differences(make, changes, methods):
    jobs = []
    with ThreadPoolExecutor(2) as pool:
        for seed in SEEDS:
            for m, words in methods.items():
                base = pool.submit(chosen, "%s-%d.csv" % (m, seed), make(seed), m, words)
                for k, (change, of) in enumerate(changes.items()):
                    if (change, m) not in MAY:
                        name = "%s-%d-%d.csv" % (m, seed, k)
                        jobs.append((m, change, seed, base, pool.submit(chosen, name, of(make(seed)), m, words)))
    return ["%s, %s, seed %d: %s became %s" % (m, change, seed, base.result(), after.result())
            for m, change, seed, base, after in jobs if base.result() != after.result()]


def check_numbers():
    wrong = differences(numbers, OF_NUMBERS, REGRESSION)
    assert not wrong, "\n".join(wrong)


def check_classes():
    wrong = differences(labels, OF_LABELS, CLASSIFICATION)
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    sys.exit(main(globals()))
