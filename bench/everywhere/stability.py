"""Part `seeds`: Boston under ten seeds: which inputs are chosen, and their ranks."""
import os

import numpy as np

from files import ROOT
from tables import Table
from trials import Trial


def cells():
    with open(os.path.join(ROOT, "data", "boston.csv")) as f:
        return [line.strip().replace('"', "").split(",") for line in f]


def names():
    return cells()[0][:-1]


def boston():
    v = np.array(cells()[1:], float)
    return Table(v[:, :-1], v[:, -1], np.empty((0, v.shape[1] - 1)), np.empty(0), 0.0, [])


def parts(a):
    for seed in range(a.draws or (2 if a.quick else 10)):
        yield Trial("seeds", "Boston", 506, seed, boston, (), lambda t, chosen: {}, words=("--seed", str(seed + 1)))
