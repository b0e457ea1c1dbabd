#!/usr/bin/env python3
"""Probabilities of tamis beside those of scikit-learn on the same folds: 5-fold cross-validation, R times, of a logistic
regression and of an RBF support vector machine with Platt's calibration (all inputs, standardised, default settings), and
of tamis: sift, the default, which selects inputs, and lssvm on all inputs. "On sift's inputs": the same peers with the inputs
that sift chose in the same fold, so that what is left is the models. usage: probabilities.py path/to/tamis [repeats] [table...]
Needs Debian's python3-sklearn (run it with /usr/bin/python3). docs/probabilities.md has its table."""
import csv, json, math, os, subprocess, sys, tempfile
import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

TAMIS = os.path.abspath(sys.argv[1])
REPEATS = int(sys.argv[2]) if len(sys.argv) > 2 else 2
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
OWN = {"tamis, sift": [], "tamis, sift --select-rule best": ["--select-rule", "best"],
       "tamis, lssvm": ["--method", "lssvm"]}
PEERS = {"logistic regression": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
         "SVC, calibrated": lambda: make_pipeline(StandardScaler(), CalibratedClassifierCV(SVC(), cv=5)),
         "class shares": None}
ON_INPUTS = ", on sift's inputs"
NARROW = {k + ON_INPUTS: PEERS[k] for k in PEERS if PEERS[k]}


def read(name):
    with open(os.path.join(DATA, name + ".csv")) as f:
        rows = list(csv.reader(f))
    return rows[0], rows[1:]


def by_tamis(words, head, rows, learn, held, names, folder):
    for part, which in (("learn", learn), ("held", held)):
        with open(os.path.join(folder, part + ".csv"), "w", newline="") as f:
            csv.writer(f).writerows([head] + [rows[i] for i in which])
    model, held_file = os.path.join(folder, "m"), os.path.join(folder, "held.csv")
    subprocess.run([TAMIS, "select", os.path.join(folder, "learn.csv"), "--model", model, "--quiet", "--threads", "1",
                    "--task", "classification", "-o", os.path.join(folder, "r.json"), *words], check=True, capture_output=True)
    out = subprocess.run([TAMIS, "predict", model, held_file], check=True, capture_output=True, text=True).stdout
    return np.array([[float(q["probability:" + n]) for n in names] for q in csv.DictReader(out.splitlines())])


def chosen_by_sift(head, folder):
    with open(os.path.join(folder, "r.json")) as f:
        return [head.index(n) for n in json.load(f)["selected"]]


def by_peer(make, x, y, learn, held, classes):
    if not make:
        return np.tile(np.bincount(y[learn], minlength=classes) / len(learn), (len(held), 1))
    return make().fit(x[learn], y[learn]).predict_proba(x[held])


def folds_of(name):
    head, rows = read(name)
    names, y = np.unique([r[-1] for r in rows], return_inverse=True)
    x = np.array([[float(v) for v in r[:-1]] for r in rows])
    p = {k: np.zeros((REPEATS, len(y), len(names))) for k in [*OWN, *PEERS, *NARROW]}
    with tempfile.TemporaryDirectory() as folder:
        for r in range(REPEATS):
            for learn, held in StratifiedKFold(5, shuffle=True, random_state=r).split(x, y):
                for k, words in OWN.items():
                    p[k][r, held] = by_tamis(words, head, rows, learn, held, names, folder)
                    if not words:
                        kept = chosen_by_sift(head, folder)
                for k, make in PEERS.items():
                    p[k][r, held] = by_peer(make, x, y, learn, held, len(names))
                for k, make in NARROW.items():
                    p[k][r, held] = by_peer(make if kept else None, x[:, kept], y, learn, held, len(names))
    return y, p


def row_losses(y, p):
    """Mean over repeats of the log loss of each row."""
    return -np.log(np.clip(p[:, np.arange(len(y)), y], 1e-15, 1)).mean(0)


def reliability(y, p):
    """Mean distance of observed shares from probabilities, in tenths, by rows (expected calibration error)."""
    q, hit = p.reshape(-1), (y[None, :, None] == np.arange(p.shape[2])).repeat(len(p), 0).reshape(-1)
    tenth = np.minimum((q * 10).astype(int), 9)
    return sum(abs(q[tenth == b].sum() - hit[tenth == b].sum()) for b in range(10)) / len(q)


def main():
    print("| table | probabilities of | log loss | less sift | Brier | error | AUC | calibration error |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for name in sys.argv[3:] or ("iris", "pima", "wine", "ionosphere"):
        y, p = folds_of(name)
        own = row_losses(y, p["tamis, sift"])
        for k, q in p.items():
            loss = row_losses(y, q)
            more = loss - own
            se = more.std(ddof=1) / math.sqrt(len(y))
            brier = ((q - np.eye(q.shape[2])[y][None]) ** 2).sum(2).mean()
            auc = np.mean([[roc_auc_score(y == c, r[:, c]) for c in range(q.shape[2])] for r in q])
            print("| %s | %s | %.3f | %s | %.3f | %.3f | %.3f | %.3f |" % (
                name, k, loss.mean(), "" if k == "tamis, sift" else "%+.3f ± %.3f" % (more.mean(), se), brier,
                (q.argmax(2) != y[None]).mean(), auc, reliability(y, q)), flush=True)


if __name__ == "__main__":
    main()
