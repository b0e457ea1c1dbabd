"""The estimators in the tools of scikit-learn: pipelines, searches, ensembles, calibration, other processes."""
import contextlib
import os
import unittest
import warnings

import tamis

try:
    import joblib
    import numpy as np
    from sklearn.base import clone
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import StackingRegressor
    from sklearn.feature_selection import SelectFromModel
    from sklearn.inspection import permutation_importance
    from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_predict, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
except ImportError:
    raise unittest.SkipTest("scikit-learn is missing") from None

from tamis import TamisClassifier, TamisRegressor, TamisSelector

from test_estimators import QUICK, mixed, numbers, quiet


def setUpModule():
    # Other processes import the package from the same folder.
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join([os.path.dirname(os.path.dirname(tamis.__file__)), *filter(None, paths)])


def answer(seed):
    """A small fit, for other processes."""
    X, y = numbers(seed=seed)
    return TamisRegressor(**QUICK).fit(X, y).predict(X)


class Pipelines(unittest.TestCase):
    def test_selector_before_a_model(self):
        X, y = numbers()
        pipe = make_pipeline(StandardScaler(), TamisSelector(), LinearRegression()).fit(X, y)
        self.assertEqual(pipe[-1].n_features_in_, pipe[1].get_support().sum())
        self.assertEqual(list(pipe[:-1].get_feature_names_out()), ["x0", "x1"])

    def test_after_a_column_transformer(self):
        frame, y = mixed()
        frame = frame.dropna().drop(columns="when")
        encode = ColumnTransformer([("labels", OneHotEncoder(sparse_output=False), ["cat", "txt"]),
                                    ("scale", StandardScaler(), ["num"])])
        pipe = make_pipeline(encode, TamisRegressor()).fit(frame, y[frame.index])
        self.assertGreater(pipe.score(frame, y[frame.index]), 0.95)
        pipe = make_pipeline(encode.set_output(transform="pandas"), TamisSelector()).fit(frame, y[frame.index])
        self.assertIn("scale__num", pipe.get_feature_names_out())

    def test_categories_pass_through(self):
        frame, y = mixed()
        encode = ColumnTransformer([("scale", StandardScaler(), ["num", "noise"])], remainder="passthrough",
                                   verbose_feature_names_out=False).set_output(transform="pandas")
        pipe = quiet(make_pipeline(encode, TamisRegressor()).fit, frame, y)
        names = pipe[-1].feature_names_in_[pipe[-1].support_]
        self.assertEqual(set(names), {"num", "cat", "txt"})

    def test_inside_a_column_transformer(self):
        frame, y = mixed()
        parts = ColumnTransformer([("keep", TamisSelector(), ["num", "noise", "flag"])]).set_output(transform="pandas")
        self.assertEqual(list(quiet(parts.fit_transform, frame, y).columns), ["keep__num"])

    def test_weights_and_groups_through_a_pipeline(self):
        X, y = numbers()
        weight, groups = np.arange(len(y)) % 3, np.arange(len(y)) // 8
        pipe = make_pipeline(StandardScaler(), TamisRegressor(outer=2))
        pipe.fit(X, y, tamisregressor__sample_weight=weight, tamisregressor__groups=groups)
        self.assertEqual(pipe[-1].result_.value["data"]["weight_sum"], weight.sum())

    def test_importances_for_another_selector(self):
        X, y = numbers()
        chosen = SelectFromModel(TamisRegressor(), threshold=0.1).fit(X, y)
        self.assertEqual(chosen.get_support(indices=True).tolist(), [0, 1])


class Validation(unittest.TestCase):
    def test_grid_search(self):
        X, y = numbers()
        grid = {"max_inputs": [1, 2], "method": ["search", "forward"]}
        estimator = TamisRegressor(options={"criterion": "knn"})
        two = GridSearchCV(estimator, grid, cv=3, n_jobs=2, error_score="raise").fit(X, y)
        one = GridSearchCV(estimator, grid, cv=3, error_score="raise").fit(X, y)
        self.assertEqual(two.best_params_["max_inputs"], 2)
        self.assertEqual(two.cv_results_["mean_test_score"].tolist(), one.cv_results_["mean_test_score"].tolist())

    def test_groups(self):
        X, y = numbers()
        groups = np.arange(len(y)) // 8
        scores = cross_val_score(TamisRegressor(), X, y, groups=groups, cv=GroupKFold(4), error_score="raise")
        self.assertEqual(len(scores), 4)
        self.assertGreater(scores.min(), 0.8)
        by_hand = [clone(TamisRegressor()).fit(X[a], y[a]).score(X[b], y[b])
                   for a, b in GroupKFold(4).split(X, y, groups)]
        self.assertEqual(scores.tolist(), by_hand)

    def test_probabilities_of_rows_not_seen(self):
        X, y = numbers()
        made = cross_val_predict(TamisClassifier(), X, np.where(y > 1, "a", "b"), cv=3, method="predict_proba")
        self.assertGreater(((made[:, 0] > 0.5) == (y > 1)).mean(), 0.85)

    def test_permutation_importance(self):
        frame, y = mixed()
        model = quiet(TamisRegressor().fit, frame, y)
        found = permutation_importance(model, frame, y, n_repeats=3, random_state=0).importances_mean
        self.assertTrue(((found != 0) == model.support_).all())


class Ensembles(unittest.TestCase):
    def test_stacking(self):
        X, y = numbers()
        stack = StackingRegressor([("tamis", TamisRegressor()), ("ridge", Ridge())], cv=3).fit(X, y)
        self.assertGreater(stack.score(X, y), 0.95)

    def test_calibration(self):
        X, y = numbers()
        labels = np.where(y > 1, "a", "b")
        for method in ("sigmoid", "isotonic"):
            model = CalibratedClassifierCV(TamisClassifier(), method=method, cv=3).fit(X, labels)
            np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
            self.assertGreater(model.score(X, labels), 0.85)

    def test_after_selection(self):
        X, y = numbers()
        pipe = make_pipeline(TamisSelector(task="classification", max_inputs=1), LogisticRegression())
        self.assertEqual(pipe.fit(X, y > 1)[0].transform(X).shape[1], 1)


class Processes(unittest.TestCase):
    def setUp(self):
        self.alone = [answer(seed) for seed in range(4)]

    def agree(self, made):
        for a, b in zip(made, self.alone):
            self.assertTrue((a == b).all())

    def test_joblib(self):
        for backend in ("loky", "multiprocessing", "threading"):
            with self.subTest(backend=backend):
                self.agree(joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(answer)(s) for s in range(4)))

    def test_a_fitted_model_elsewhere(self):
        X, y = numbers()
        model = TamisRegressor(**QUICK).fit(X, y)
        made = joblib.Parallel(n_jobs=2)(joblib.delayed(model.predict)(X[i::2]) for i in range(2))
        self.assertTrue(all((a == model.predict(X[i::2])).all() for i, a in enumerate(made)))

    def test_dask(self):
        try:
            from dask.distributed import Client, LocalCluster
        except ImportError:
            self.skipTest("dask.distributed is missing")
        X, y = numbers()
        grid = GridSearchCV(TamisRegressor(**QUICK), {"max_inputs": [1, 2]}, cv=2, error_score="raise")
        expected = clone(grid).fit(X, y).cv_results_["mean_test_score"].tolist()
        with contextlib.ExitStack() as stack:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            cluster = stack.enter_context(LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None))
            stack.enter_context(Client(cluster))
            stack.enter_context(joblib.parallel_backend("dask"))
            self.assertEqual(grid.fit(X, y).cv_results_["mean_test_score"].tolist(), expected)


if __name__ == "__main__":
    unittest.main()
