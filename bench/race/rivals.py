#!/usr/bin/python3
"""What Python users would use instead, in the usual way: scikit-learn and xgboost. One program per process.

    rivals.py NAME train.csv [test.csv] [key=value ...]

The last line is JSON: cpu and wall without the start of the interpreter and the imports, and where applicable selected,
value (its own criterion) and test (mean squared error of the test rows over the variance of the training target)."""
import os, sys

import numpy as np
from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_selection import RFECV, SelectFromModel, SequentialFeatureSelector
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.svm import SVR

from clock import Clock

CORES = int(os.environ.get("TAMIS_CORES", os.cpu_count()))
WORDS = dict(w.split("=", 1) for w in sys.argv[2:] if "=" in w)
FOLDS = KFold(int(WORDS.get("folds", 5)), shuffle=True, random_state=1)


def grid_of(count, first="gamma", second="alpha"):
    lo, hi = (float(v) for v in WORDS.get("sigma2", "1:1e4").split(":"))
    weakest, strongest = (float(v) for v in WORDS.get("gamma", "0.1:1e4").split(":"))
    weights = np.geomspace(weakest, strongest, count)
    return {first: 1 / np.geomspace(lo, hi, count), second: 1 / weights if second == "alpha" else weights}


def search(model, grid):
    return GridSearchCV(model, grid, scoring="neg_mean_squared_error", cv=FOLDS, n_jobs=CORES)


def kernel_ridge(x, y):
    s = search(KernelRidge(kernel="rbf"), grid_of(int(WORDS.get("grid", 8)))).fit(x, y)
    return s.best_estimator_, None, -s.best_score_


def svr(x, y):
    s = search(SVR(), grid_of(int(WORDS.get("grid", 8)), "gamma", "C")).fit(x, y)
    return s.best_estimator_, None, -s.best_score_


def sfs(x, y):
    """The grid on all inputs, forward selection while the mean error over folds falls by 0.01, the grid on the
    selected."""
    model = search(KernelRidge(kernel="rbf"), grid_of(8)).fit(x, y).best_estimator_
    chooser = SequentialFeatureSelector(model, n_features_to_select="auto", tol=0.01, scoring="neg_mean_squared_error",
                                        cv=FOLDS, n_jobs=CORES)
    keep = chooser.fit(x, y).get_support()
    return search(KernelRidge(kernel="rbf"), grid_of(8)).fit(x[:, keep], y).best_estimator_, keep, None


def rfecv(x, y):
    forest = RandomForestRegressor(100, random_state=1)
    chooser = RFECV(forest, cv=FOLDS, scoring="neg_mean_squared_error", n_jobs=CORES).fit(x, y)
    return chooser.estimator_, chooser.get_support(), None


def gp_ard(x, y):
    """Selected: inverse length scales of at least a twentieth of the largest."""
    kernel = ConstantKernel(1.0) * RBF(np.ones(x.shape[1]), (1e-2, 1e4)) + WhiteKernel(0.1)
    gp = GaussianProcessRegressor(kernel, random_state=1).fit(x, y)
    inverse = 1 / gp.kernel_.k1.k2.length_scale
    keep = inverse >= 0.05 * inverse.max()
    return gp, keep, None


def xgb(x, y):
    """Selected as by SelectFromModel: importance of at least the mean; then fitted again on these."""
    from xgboost import XGBRegressor
    model = XGBRegressor(n_estimators=200, learning_rate=0.1, max_depth=4, n_jobs=CORES, random_state=1)
    keep = SelectFromModel(model).fit(x, y).get_support()
    return clone(model).fit(x[:, keep], y), keep, None


def sfs_knn(x, y):
    """Forward selection of `steps` inputs by the cross-validated error of the nearest neighbour: the closest relative
    of the Delta Test."""
    chooser = SequentialFeatureSelector(KNeighborsRegressor(1), n_features_to_select=int(WORDS["steps"]),
                                        scoring="neg_mean_squared_error", cv=FOLDS, n_jobs=CORES)
    return None, chooser.fit(x, y).get_support(), None


PROGRAMS = {"kernel-ridge": kernel_ridge, "svr": svr, "sfs": sfs, "rfecv": rfecv, "gp-ard": gp_ard, "xgboost": xgb,
            "sfs-knn": sfs_knn}


def read(path):
    with open(path) as f:
        names = [name.strip('"') for name in f.readline().strip().split(",")]
    return names[:-1], np.loadtxt(path, delimiter=",", skiprows=1)


def main():
    files = [w for w in sys.argv[2:] if "=" not in w]
    if sys.argv[1] == "xgboost":
        import xgboost                                                      # imports are not timed
    if sys.argv[1] not in ("gp-ard", "xgboost"):
        Parallel(n_jobs=CORES)(delayed(clone)(KernelRidge()) for _ in range(2 * CORES))      # start the workers
    clock = Clock()
    names, train = read(files[0])
    mean, scale = train.mean(0), train.std(0)
    scale[scale == 0] = 1
    z = (train - mean) / scale
    model, keep, value = PROGRAMS[sys.argv[1]](z[:, :-1], z[:, -1])
    get_reusable_executor().shutdown(wait=True)
    more = {} if value is None else {"value": float(value)}
    if keep is not None:
        more["selected"] = [n for n, k in zip(names, keep) if k]
    if len(files) > 1:
        test = (read(files[1])[1] - mean) / scale
        x = test[:, :-1] if keep is None or model.n_features_in_ == len(names) else test[:, :-1][:, keep]
        more["test"] = float(((model.predict(x) - test[:, -1]) ** 2).mean())
    clock.report(**more)


main()
