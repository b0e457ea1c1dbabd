"""Part `real`: real tables that Debian's packages hold, each with one permuted copy of every input. The copies are one
shuffle of the rows, so that they keep their joint distribution and lose the target; a method that chooses one is wrong.
The test error is that of 30 % of the rows, held out."""
import os, shutil, subprocess

import numpy as np

from files import ROOT
from tables import Table
from trials import Trial

RIVALS = ("xgb-tuned", "lasso", "xgb-mean", "xgb-perm", "hgb-perm", "boruta")
HELD_OUT, MOST_MISSING, LIMIT = 0.3, 0.2, 10                    # LIMIT: of tuned xgboost and tamis, times --limit
KEPT = os.path.join(ROOT, "build", "everywhere-tables")

# name: source (sklearn, statsmodels or a package of R), object, target (log: its logarithm), columns left out
REAL = {
    "boston": ("MASS", "Boston", "medv", ()),
    "diabetes": ("sklearn", "diabetes", "target", ()),
    "concrete": ("modeldata", "concrete", "compressive_strength", ()),
    "cars": ("caret", "cars", "log:Price", ()),
    "ozone": ("mlbench", "Ozone", "V4", ()),
    "cpus": ("MASS", "cpus", "log:perf", ("name", "estperf")),
    "birthwt": ("MASS", "birthwt", "bwt", ("low",)),
    "mpg": ("ggplot2", "mpg", "hwy", ("cty", "model")),
    "quakes": ("datasets", "quakes", "mag", ()),
    "biomass": ("modeldata", "biomass", "HHV", ("sample", "dataset")),
    "sacramento": ("modeldata", "Sacramento", "log:price", ("zip", "city")),
    "schools": ("MASS", "nlschools", "lang", ("class",)),
    "meats": ("modeldata", "meats", "protein", ("water", "fat")),
    "ames": ("modeldata", "ames", "log:Sale_Price", ()),
    "randhie": ("statsmodels", "randhie", "mdvis", ()),
    "diamonds": ("ggplot2", "diamonds", "log:price", ()),
    "iris": ("sklearn", "iris", "target", ()),
    "wine": ("sklearn", "wine", "target", ()),
    "breast-cancer": ("sklearn", "breast_cancer", "target", ()),
    "pima": ("mlbench", "PimaIndiansDiabetes", "diabetes", ()),
    "sonar": ("mlbench", "Sonar", "Class", ()),
    "glass": ("mlbench", "Glass", "Type", ()),
    "ionosphere": ("mlbench", "Ionosphere", "Class", ()),
    "vehicle": ("mlbench", "Vehicle", "Class", ()),
    "votes": ("mlbench", "HouseVotes84", "Class", ("V2", "V16")),
    "dhfr": ("caret", "dhfr", "Y", ()),
    "german-credit": ("caret", "GermanCredit", "Class", ()),
    "attrition": ("modeldata", "attrition", "Attrition", ()),
    "cells": ("modeldata", "cells", "class", ("case",)),
    "digits": ("sklearn", "digits", "target", ()),
    "churn": ("modeldata", "mlc_churn", "churn", ()),
    "spam": ("kernlab", "spam", "type", ()),
    "fair": ("statsmodels", "fair", "affairs", ()),
    "satellite": ("mlbench", "Satellite", "classes", ()),
}
CLASSES = {"glass", "iris", "wine", "breast-cancer", "digits", "fair"}   # whose target is written as a number


def frame_of_python(source, name):
    import pandas as pd
    if source == "sklearn":
        import sklearn.datasets as s
        return getattr(s, "load_" + name)(as_frame=True).frame
    import statsmodels.datasets as s
    d = getattr(s, name).load_pandas().data
    return d.assign(affairs=(d.affairs > 0).astype(int)) if name == "fair" else pd.DataFrame(d)


def export(name):
    """The CSV file of a table, made once; None: the package is missing."""
    source, what, _, _ = REAL[name]
    file = os.path.join(KEPT, name + ".csv")
    os.makedirs(KEPT, exist_ok=True)
    if os.path.exists(file):
        return file
    try:
        if source in ("sklearn", "statsmodels"):
            frame_of_python(source, what).to_csv(file, index=False)
        elif shutil.which("Rscript"):
            code = "data(list = '%s', package = '%s'); write.csv(as.data.frame(%s), '%s', row.names = FALSE)"
            subprocess.run(["Rscript", "--vanilla", "-e", code % (what, source, what, file)], check=True,
                           capture_output=True)
    except (ImportError, subprocess.CalledProcessError):
        return None
    return file if os.path.exists(file) else None


def columns(name, file):
    """Numbers and the indices of levels, which columns are categories, the target, and the number of classes."""
    import pandas as pd
    _, _, target, drop = REAL[name]
    log, target = target.startswith("log:"), target.split(":")[-1]
    t = pd.read_csv(file).drop(columns=list(drop))
    t = t.loc[:, (t.isna().mean() <= MOST_MISSING) & (t.nunique() > 1)].dropna()
    t = t.loc[:, t.nunique() > 1]
    y, t = t[target], t.drop(columns=target)
    classes = 0
    if y.dtype.kind not in "if" or name in CLASSES:
        y = pd.factorize(y, sort=True)[0]
        classes = int(y.max()) + 1
    text = [k for k in range(t.shape[1]) if t.dtypes.iloc[k].kind not in "if"]
    x = np.column_stack([pd.factorize(t.iloc[:, k], sort=True)[0] if k in text else t.iloc[:, k].astype(float)
                         for k in range(t.shape[1])]).astype(float)
    y = np.asarray(y, int if classes else float)
    return x, tuple(text), np.log(y) if log else y, classes


def with_copies(name, file, seed):
    x, categories, y, classes = columns(name, file)
    rng = np.random.default_rng([sum(name.encode()), seed])
    n, d = x.shape
    x = np.hstack([x, x[rng.permutation(n)]])
    order = rng.permutation(n)
    held, rest = order[:int(HELD_OUT * n)], order[int(HELD_OUT * n):]
    both = categories + tuple(k + d for k in categories)
    return Table(x[rest], y[rest], x[held], y[held], 0.0, [], both, classes)


def score(t, chosen):
    d = t.x.shape[1] // 2
    return {"inputs": d, "copies": sum(k >= d for k in chosen)}


def rows_of(file):
    with open(file) as f:
        return sum(1 for _ in f) - 1


def parts(a):
    files = {name: export(name) for name in REAL}
    sizes = {name: rows_of(file) for name, file in files.items() if file}
    names = sorted(sizes, key=sizes.get)
    for seed in range(a.draws or (1 if a.quick else 3)):
        for name in names[:6] if a.quick else names:
            if seed and sizes[name] > 2000 and not a.draws:     # a large test set needs one split only
                continue
            make = lambda name=name, seed=seed: with_copies(name, files[name], seed)
            yield Trial("real", name, sizes[name], seed, make, RIVALS, score, LIMIT)
