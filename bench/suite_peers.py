"""Selection by tamis and by methods that Debian ships: functions (problem, folder) -> list of inputs. Each runs on one
core with the settings of its documentation; where a method has no rule of its own for the number of inputs, the usual
one is used and named in the table."""
import csv, json, os, subprocess, warnings

import numpy as np

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
TAMIS = os.environ.get("TAMIS", os.path.join(ROOT, "build", "tamis"))
TREES, MOST_GP_ROWS = 100, 300
warnings.filterwarnings("ignore")


def write_csv(p, file):
    names = ["x%d" % (i + 1) for i in range(p.x.shape[1])]
    with open(file, "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(names + ["y"])
        for row, y in zip(p.x, p.y):
            cells = ["l%d" % v if k in p.categories else "%.17g" % v for k, v in enumerate(row)]
            w.writerow(cells + ["c%d" % y if p.classes else "%.17g" % y])


def tamis(method, *more):
    def run(p, folder):
        file = os.path.join(folder, "table.csv")
        write_csv(p, file)
        words = ["select", file, "--target", "y", "--method", method, "--threads", "1", "--json", "--quiet", *more]
        out = subprocess.run([TAMIS, *words], capture_output=True, text=True)
        if out.returncode:
            raise RuntimeError(out.stderr.strip())
        return [int(name[1:]) - 1 for name in json.loads(out.stdout)["selected"]]
    return run


def expanded(p):
    """Standardised columns, categories as indicator columns, and the input of each column."""
    columns, owner = [], []
    for k in range(p.x.shape[1]):
        parts = [p.x[:, k] == v for v in np.unique(p.x[:, k])] if k in p.categories else [p.x[:, k]]
        columns += parts
        owner += [k] * len(parts)
    x = np.column_stack(columns).astype(float)
    sd = x.std(0)
    return (x - x.mean(0)) / np.where(sd > 0, sd, 1), np.array(owner)


def of(columns, owner):
    return sorted(set(owner[np.asarray(columns)].tolist()))


def target(p):
    return p.y if p.classes else (p.y - p.y.mean()) / p.y.std()


def lasso(p, folder):
    from sklearn.linear_model import LassoCV, LogisticRegressionCV
    x, owner = expanded(p)
    if p.classes:
        m = LogisticRegressionCV(Cs=10, penalty="l1", solver="liblinear", cv=5, random_state=0).fit(x, p.y)
        return of(np.abs(m.coef_).max(0) > 1e-8, owner)
    return of(np.abs(LassoCV(cv=5, random_state=0).fit(x, target(p)).coef_) > 1e-8, owner)


def r_script(text):
    def run(p, folder):
        x, owner = expanded(p)
        file = os.path.join(folder, "table.csv")
        np.savetxt(file, np.column_stack([x, p.y]), delimiter=",")
        code = ("t <- as.matrix(read.csv('%s', header = FALSE)); x <- t[, -ncol(t)]; y <- t[, ncol(t)]; classes <- %d; "
                "set.seed(1); %s; cat(which(on))" % (file, p.classes, text))
        out = subprocess.run(["Rscript", "--vanilla", "-e", code], capture_output=True, text=True, check=True).stdout
        return of([int(v) - 1 for v in out.split()], owner) if out.split() else []
    return run


glmnet = r_script("suppressMessages(library(glmnet)); f <- if (classes == 0) 'gaussian' else 'multinomial'; "
                  "m <- cv.glmnet(x, if (classes) factor(y) else y, family = f);"
                  "b <- coef(m, s = 'lambda.1se'); if (classes == 0) b <- list(b); "
                  "on <- Reduce(`|`, lapply(b, function(v) as.vector(v)[-1] != 0))")
ranger = r_script("suppressMessages(library(ranger)); d <- data.frame(x); d$target <- if (classes) factor(y) else y;"
                  "m <- ranger(target ~ ., d, importance = 'permutation', num.trees = 500, num.threads = 1, seed = 1);"
                  "v <- importance_pvalues(m, 'altmann', formula = target ~ ., data = d, num.permutations = 30, "
                  "num.threads = 1); on <- v[, 2] < 0.04")


def forest(p, trees=TREES):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    if p.classes:
        return RandomForestClassifier(trees, random_state=0)
    return RandomForestRegressor(trees, max_features=1 / 3, random_state=0)


def forest_mean(p, folder):
    from sklearn.feature_selection import SelectFromModel
    x, owner = expanded(p)
    return of(SelectFromModel(forest(p, 300), threshold="mean").fit(x, target(p)).get_support(), owner)


def rfecv(p, folder):
    from sklearn.feature_selection import RFECV
    x, owner = expanded(p)
    m = RFECV(forest(p, 50), step=1 if x.shape[1] <= 25 else 0.1, cv=3).fit(x, target(p))
    return of(m.support_, owner)


def boruta(p, folder, rounds=20):
    """Shadow inputs: an input is kept when it beats the best shuffled copy in significantly more rounds than half."""
    from scipy.stats import binom
    rng = np.random.default_rng(0)
    x, owner = expanded(p)
    hits = np.zeros(x.shape[1])
    for turn in range(rounds):
        shadow = np.column_stack([rng.permutation(c) for c in x.T])
        m = forest(p).set_params(random_state=turn).fit(np.hstack([x, shadow]), target(p)).feature_importances_
        hits += m[:x.shape[1]] > m[x.shape[1]:].max()
    return of(binom.sf(hits - 1, rounds, 0.5) < 0.05 / x.shape[1], owner)


def sequential(p, folder):
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.svm import SVC
    x, owner = expanded(p)
    if len(x) > 500 or x.shape[1] > 60:                  # its time grows as rows^3 inputs^2
        raise NotImplementedError("too slow")
    m = SVC(gamma=0.3) if p.classes else KernelRidge(kernel="rbf", gamma=0.3, alpha=0.1)
    s = SequentialFeatureSelector(m, n_features_to_select="auto", tol=0.01, cv=5).fit(x, target(p))
    return of(s.get_support(), owner)


def gp_ard(p, folder):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    x, owner = expanded(p)
    if x.shape[1] > 100:
        raise NotImplementedError("too slow")
    x = x[:MOST_GP_ROWS]
    y = target(p)[:MOST_GP_ROWS]
    if p.classes:
        y = 2.0 * (y == 0) - 1
    k = ConstantKernel(1.0) * RBF(np.full(x.shape[1], np.sqrt(x.shape[1])), (1e-2, 1e3)) + WhiteKernel(0.1)
    m = GaussianProcessRegressor(k, random_state=0).fit(x, y)
    weight = 1 / m.kernel_.k1.k2.length_scale
    return of(weight > 0.1 * weight.max(), owner)


def xgboost(p, folder):
    import xgboost as xgb
    x, owner = expanded(p)
    how = dict(n_estimators=100, max_depth=4, learning_rate=0.1, n_jobs=1, random_state=0)
    m = (xgb.XGBClassifier(**how) if p.classes else xgb.XGBRegressor(**how)).fit(x, target(p))
    return of(m.feature_importances_ > m.feature_importances_.mean(), owner)


def mutual(p, folder):
    from sklearn.feature_selection import mutual_info_classif, mutual_info_regression
    x, owner = expanded(p)
    f = mutual_info_classif if p.classes else mutual_info_regression
    rng = np.random.default_rng(0)
    bar = max(f(x, rng.permutation(target(p)), random_state=0).max() for _ in range(5))
    return of(f(x, target(p), random_state=0) > bar, owner)


PEERS = {
    "sift": (tamis("sift"), "tamis sift"),
    "sisal": (tamis("sisal"), "tamis sisal, as in its paper"),
    "delta": (tamis("search", "--criterion", "delta", "--search", "forward-backward"),
              "tamis search: Delta Test, forward-backward"),
    "lasso": (lasso, "lasso (scikit-learn, least error)"),
    "glmnet": (glmnet, "lasso (glmnet, one standard error)"),
    "mutual": (mutual, "mutual information above that of shuffled targets"),
    "forest": (forest_mean, "random forest, above the mean"),
    "ranger": (ranger, "ranger, permutation p < 0.04"),
    "rfecv": (rfecv, "RFECV, random forest"),
    "boruta": (boruta, "Boruta (20 rounds, written here)"),
    "sequential": (sequential, "SequentialFeatureSelector, kernel ridge or SVM"),
    "gp-ard": (gp_ard, "Gaussian process ARD (scikit-learn)"),
    "xgboost": (xgboost, "xgboost, above the mean"),
}
SLOW = {"rfecv", "boruta", "sequential", "gp-ard", "ranger"}
REGRESSION_ONLY = {"sisal", "delta"}
