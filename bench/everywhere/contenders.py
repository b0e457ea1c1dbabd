"""Rivals: functions of a table's Data that give the chosen inputs, predictions of the test rows by the rival's own
model fitted again on these, and, where that says more, predictions by its model of all inputs.

Each runs on one core with the settings of its documentation; the rule for the number of inputs is the usual one and is
named in RIVALS. A rival that cannot take a table raises NotImplementedError with the reason."""
import warnings

import numpy as np

import suite_peers as peers

warnings.filterwarnings("ignore")
FOLDS, REPEATS = 5, 10


class Data:
    """Standardised columns, categories as indicator columns; `owner` is the input of each column."""
    def __init__(self, t):
        self.table, self.classes = t, t.classes
        self.x, self.owner = peers.expanded(t)
        levels = [(k, v) for k in range(t.x.shape[1]) for v in (np.unique(t.x[:, k]) if k in t.categories else [None])]
        part = lambda x: np.column_stack([x[:, k] if v is None else x[:, k] == v for k, v in levels]).astype(float)
        train, sd = part(t.x), part(t.x).std(0)
        self.new = (part(t.x_test) - train.mean(0)) / np.where(sd > 0, sd, 1)
        self.y = np.asarray(t.y, int) if t.classes else (t.y - t.y.mean()) / t.y.std()

    def inputs(self, keep):
        return peers.of(np.asarray(keep), self.owner)

    def columns(self, chosen):
        return np.isin(self.owner, list(chosen))

    def unscaled(self, guess):
        return guess if self.classes else guess * self.table.y.std() + self.table.y.mean()

    def constant(self):
        value = np.bincount(self.y).argmax() if self.classes else 0.0
        return self.unscaled(np.full(len(self.new), value))

    def refit(self, model, chosen):
        """Predictions of the test rows by the model fitted on the chosen inputs."""
        if not chosen:
            return self.constant()
        on = self.columns(chosen)
        return self.unscaled(np.ravel(model.fit(self.x[:, on], self.y).predict(self.new[:, on])))


def limited(d, rows, inputs):
    if len(d.x) > rows or d.x.shape[1] > inputs:
        raise NotImplementedError("more than %d rows or %d columns" % (rows, inputs))


# ---- from Debian

def lasso(d):
    from sklearn.linear_model import LassoCV, LogisticRegressionCV
    if d.classes:
        m = LogisticRegressionCV(Cs=10, penalty="l1", solver="liblinear", cv=FOLDS, random_state=0).fit(d.x, d.y)
    else:
        m = LassoCV(cv=FOLDS, random_state=0).fit(d.x, d.y)
    return d.inputs(np.abs(np.atleast_2d(m.coef_)).max(0) > 1e-8), d.unscaled(m.predict(d.new))


def xgb_model(d):
    import xgboost as xgb
    how = dict(n_estimators=200, max_depth=4, learning_rate=0.08, tree_method="hist", n_jobs=1, random_state=0)
    return xgb.XGBClassifier(**how) if d.classes else xgb.XGBRegressor(**how)


def above_mean(d, model):
    v = model.fit(d.x, d.y).feature_importances_
    chosen = d.inputs(v >= v.mean())
    everything = d.unscaled(model.predict(d.new))
    return chosen, d.refit(model, chosen), everything


def xgb_mean(d):
    return above_mean(d, xgb_model(d))


def permuted(d, model, used):
    """Permutation importance on a quarter of the rows that the model has not seen: above twice its deviation."""
    from sklearn.model_selection import train_test_split
    x, held, y, truth = train_test_split(d.x, d.y, test_size=0.25, random_state=0, stratify=d.y if d.classes else None)
    model.fit(x, y)
    rng, keep, base = np.random.default_rng(0), np.zeros(d.x.shape[1], bool), model.score(held, truth)
    for j in used(model):                               # an input in no split has importance 0
        moved, drop = held.copy(), []
        for _ in range(REPEATS):
            moved[:, j] = rng.permutation(held[:, j])
            drop.append(base - model.score(moved, truth))
        keep[j] = np.mean(drop) > 2 * np.std(drop)
    chosen = d.inputs(keep)
    return chosen, d.refit(model, chosen), d.refit(model, range(d.table.x.shape[1]))


def xgb_perm(d):
    return permuted(d, xgb_model(d), lambda m: np.flatnonzero(m.feature_importances_ > 0))


def splits(model):
    """The columns that a HistGradientBoosting model splits on."""
    nodes = np.concatenate([p.nodes for turn in model._predictors for p in turn])
    return np.unique(nodes["feature_idx"][nodes["is_leaf"] == 0])


def hgb_perm(d):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    make = HistGradientBoostingClassifier if d.classes else HistGradientBoostingRegressor
    return permuted(d, make(learning_rate=0.05, max_iter=400, early_stopping=True, random_state=0), splits)


def xgb_tuned(d):
    """All inputs; depth and rate by cross-validation, number of trees by early stopping in it. Chosen: inputs in any
    split."""
    import xgboost as xgb
    all_rows, best = xgb.DMatrix(d.x, d.y), (np.inf,)
    loss = {"objective": "reg:squarederror", "eval_metric": "rmse"}
    if d.classes == 2:
        loss = {"objective": "binary:logistic", "eval_metric": "logloss"}
    elif d.classes:
        loss = {"objective": "multi:softprob", "eval_metric": "mlogloss", "num_class": d.classes}
    for depth in (2, 4, 6):
        for rate in (0.05, 0.1):
            how = dict(loss, max_depth=depth, eta=rate, tree_method="hist", nthread=1, seed=0)
            cv = xgb.cv(how, all_rows, 1000, FOLDS, stratified=bool(d.classes), early_stopping_rounds=30, seed=0)
            score = cv["test-%s-mean" % loss["eval_metric"]]
            if score.min() < best[0]:
                best = score.min(), how, int(score.values.argmin()) + 1
    m = xgb.train(best[1], all_rows, best[2])
    guess = m.predict(xgb.DMatrix(d.new))
    if d.classes:
        guess = guess.argmax(1) if d.classes > 2 else (guess > 0.5).astype(int)
    used = [int(name[1:]) for name in m.get_score(importance_type="gain")]
    return d.inputs(np.isin(np.arange(d.x.shape[1]), used)), d.unscaled(guess)


def boruta_here(d):
    chosen = peers.boruta(d.table, None)
    return chosen, d.refit(peers.forest(d.table, 300), chosen)


def rfecv(d):
    limited(d, 1000, 100)
    chosen = peers.rfecv(d.table, None)
    return chosen, d.refit(peers.forest(d.table, 300), chosen)


def gp_ard(d):
    limited(d, 300, 100)
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    chosen = peers.gp_ard(d.table, None)
    on = d.columns(chosen)
    k = ConstantKernel(1.0) * RBF(np.full(on.sum(), np.sqrt(on.sum())), (1e-2, 1e3)) + WhiteKernel(0.1)
    y = np.eye(d.classes)[d.y] if d.classes else d.y
    guess = GaussianProcessRegressor(k, random_state=0).fit(d.x[:, on], y).predict(d.new[:, on])
    return chosen, guess.argmax(1) if d.classes else d.unscaled(guess)


# ---- from PyPI

def lightgbm(d):
    import lightgbm as lgb
    how = dict(n_estimators=200, learning_rate=0.08, num_leaves=15, importance_type="gain", n_jobs=1, verbose=-1,
               random_state=0)
    return above_mean(d, lgb.LGBMClassifier(**how) if d.classes else lgb.LGBMRegressor(**how))


def boruta_py(d):
    from boruta import BorutaPy
    forest = peers.forest(d.table).set_params(max_depth=5, n_jobs=1)
    m = BorutaPy(forest, n_estimators="auto", max_iter=50, random_state=0).fit(d.x, d.y)
    chosen = d.inputs(m.support_)
    return chosen, d.refit(peers.forest(d.table, 300), chosen)


def mlxtend(d):
    limited(d, 20000, 60)
    from mlxtend.feature_selection import SequentialFeatureSelector
    from sklearn.linear_model import LinearRegression, LogisticRegression
    m = LogisticRegression(max_iter=1000) if d.classes else LinearRegression()
    s = SequentialFeatureSelector(m, k_features="parsimonious", cv=FOLDS).fit(d.x, d.y)
    chosen = d.inputs(np.isin(np.arange(d.x.shape[1]), s.k_feature_idx_))
    return chosen, d.refit(m, chosen)


def skglm(d):
    """The minimax concave penalty (regression) or L1 (two classes), its strength by cross-validation."""
    from sklearn.model_selection import GridSearchCV
    from skglm import MCPRegression, SparseLogisticRegression
    if d.classes > 2:
        raise NotImplementedError("more than two classes")
    y = d.y if not d.classes else 2.0 * d.y - 1
    top = np.abs(d.x.T @ (y - y.mean())).max() / len(y) / (2 if d.classes else 1)
    m = SparseLogisticRegression() if d.classes else MCPRegression()
    s = GridSearchCV(m, {"alpha": top * np.geomspace(1, 0.01, 20)}, cv=FOLDS).fit(d.x, d.y)
    return d.inputs(np.ravel(s.best_estimator_.coef_) != 0), d.unscaled(s.predict(d.new))


def lassonet(d):
    import torch
    from lassonet import LassoNetClassifierCV, LassoNetRegressorCV
    torch.set_num_threads(1)
    make = LassoNetClassifierCV if d.classes else LassoNetRegressorCV
    m = make(hidden_dims=(32,), cv=FOLDS, random_state=0, torch_seed=0, verbose=0)
    m.fit(d.x.astype(np.float32), d.y if d.classes else d.y.astype(np.float32))
    keep = np.asarray(m.best_selected_)
    return d.inputs(keep), d.unscaled(np.ravel(m.predict(d.new.astype(np.float32))))


RIVALS = {                                              # function, name on the page, modules that it needs
    "lasso": (lasso, "lasso, L1 logistic (scikit-learn, cross-validated)", ("sklearn",)),
    "xgb-mean": (xgb_mean, "xgboost, SelectFromModel (above the mean)", ("sklearn", "xgboost")),
    "xgb-perm": (xgb_perm, "xgboost, permutation importance above 2 deviations", ("sklearn", "xgboost")),
    "xgb-tuned": (xgb_tuned, "xgboost, tuned by cross-validation (all inputs)", ("sklearn", "xgboost")),
    "hgb-perm": (hgb_perm, "HistGradientBoosting, permutation importance above 2 deviations", ("sklearn",)),
    "boruta": (boruta_here, "Boruta (20 rounds, written here)", ("sklearn",)),
    "rfecv": (rfecv, "RFECV, random forest", ("sklearn",)),
    "gp-ard": (gp_ard, "Gaussian process ARD (scikit-learn)", ("sklearn",)),
    "lightgbm": (lightgbm, "LightGBM, gain above the mean", ("lightgbm",)),
    "boruta-py": (boruta_py, "BorutaPy", ("boruta",)),
    "mlxtend": (mlxtend, "mlxtend forward selection, linear model", ("mlxtend",)),
    "skglm": (skglm, "skglm: MCP, L1 logistic (cross-validated)", ("skglm",)),
    "lassonet": (lassonet, "LassoNet (cross-validated)", ("lassonet",)),
}
PYPI = {"lightgbm", "boruta-py", "mlxtend", "skglm", "lassonet"}
