#!/usr/bin/env python3
"""LS-SVM over 20 x 20 values of (sigma2, gamma) with 10 folds on 400 rows of Boston: `tamis select --method lssvm` against scikit-learn's
GridSearchCV(KernelRidge), both on all cores, both with the same BLAS kernels, in turns; then forward selection.
usage: /usr/bin/python3 bench/lssvm_speed.py [ROUNDS]          needs numpy and scikit-learn
KernelRidge has no bias; it gets the target centred. Its alpha is 1 / gamma, its gamma 1 / sigma2."""
import csv, json, os, random, subprocess, sys, tempfile, time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
TAMIS = os.path.join(ROOT, "build", "tamis")
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
KERNELS = subprocess.run([TAMIS, "--version"], capture_output=True, text=True).stdout.split("OpenBLAS with ")[1].split()[0]
if os.environ.get("OPENBLAS_CORETYPE", "").lower() != KERNELS.lower():
    os.environ["OPENBLAS_CORETYPE"] = KERNELS
    os.execv(sys.executable, [sys.executable] + sys.argv)
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"         # a process a core, as GridSearchCV shares out its work

import numpy
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, KFold

table = list(csv.reader(open(os.path.join(ROOT, "data", "boston.csv"))))
rows = table[1:]
random.Random(1).shuffle(rows)
train = os.path.join(tempfile.mkdtemp(prefix="tamis-"), "train.csv")
with open(train, "w", newline="") as f:
    csv.writer(f).writerows([table[0]] + rows[:400])
z = numpy.array(rows[:400], float)
z = (z - z.mean(0)) / z.std(0)
grid = {"gamma": 1 / numpy.geomspace(1, 1e4, 20), "alpha": 1 / numpy.geomspace(0.1, 1e4, 20)}


def ours(*more):
    began = time.time()
    out = subprocess.run([TAMIS, "select", train, "--method", "lssvm", "--json", "--quiet", *more], check=True, capture_output=True, text=True)
    return time.time() - began, json.loads(out.stdout)["error"]["selected"]


def rival():
    began = time.time()
    search = GridSearchCV(KernelRidge(kernel="rbf"), grid, scoring="neg_mean_squared_error", cv=KFold(10, shuffle=True, random_state=1), n_jobs=os.cpu_count(), refit=False)
    search.fit(z[:, :-1], z[:, -1])
    return time.time() - began, -search.best_score_


ratios = []
for k in range(ROUNDS):
    (a, error), (b, other) = ours("--sigma2", "1:1e4:20", "--gamma", "0.1:1e4:20"), rival()
    ratios.append(b / a)
    print("round %d: tamis %.2f s (cv %.4f, start of the program and JSON counted), GridSearchCV %.1f s (cv %.4f): ratio %.0f" % (k + 1, a, error, b, other, b / a), flush=True)
print("ratio: median %.0f, least %.0f (at least 20 wanted); kernels %s, %d cores" % (sorted(ratios)[len(ratios) // 2], min(ratios), KERNELS, os.cpu_count()))
for words in ([], ["--exact"]):
    seconds, error = ours("--select", "forward", "--sigma2", "1:1e4:20", "--gamma", "0.1:1e4:20", *words)
    print("forward selection%s: %.1f s, cv %.4f (under 60 s wanted)" % (" --exact" if words else "", seconds, error), flush=True)
