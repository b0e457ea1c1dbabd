"""The estimators: attributes, tables of all kinds, labels of all types, weights, groups, seeds, copies."""
import pickle
import subprocess
import sys
import unittest
import warnings

import tamis

try:
    import numpy as np
    import pandas as pd
    from sklearn.base import clone
    from sklearn.exceptions import NotFittedError
except ImportError:
    raise unittest.SkipTest("scikit-learn or pandas is missing") from None

from tamis import TamisClassifier, TamisRegressor, TamisSelector

QUICK = dict(method="search", options={"criterion": "knn"})


def numbers(rows=80, columns=6, seed=0):
    """y = x0 + x1^2 and noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.normal(size=rows)


def mixed(rows=120):
    """A DataFrame of many types in which num, cat and txt matter, with missing values."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({
        "num": rng.normal(size=rows), "cat": pd.Categorical(rng.choice(["a", "b", "c"], rows)),
        "txt": rng.choice(["u", "v"], rows), "flag": rng.random(rows) > 0.5, "noise": rng.normal(size=rows),
        "when": pd.date_range("2020-01-01", periods=rows), "whole": pd.array(rng.integers(0, 9, rows), dtype="Int64")})
    y = 2 * frame.num + 3 * (frame.cat == "a") + 1.5 * (frame.txt == "u") + 0.1 * rng.normal(size=rows)
    for row, column in ((3, "num"), (5, "cat"), (7, "txt"), (9, "whole")):
        frame.loc[row, column] = pd.NA if column == "whole" else None
    return frame, y


def quiet(function, *arguments, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tamis.TamisWarning)
        return function(*arguments, **more)


def of_run(value):
    return {key: v for key, v in value.items() if key not in ("seconds", "threads", "command")}


class Attributes(unittest.TestCase):
    def test_they_say_what_the_result_says(self):
        X, y = numbers()
        model = TamisRegressor(outer=3).fit(X, y)
        value = model.result_.value
        self.assertEqual({f"x{i}" for i in model.get_support(indices=True)}, set(value["selected"]))
        self.assertEqual(model.get_support().tolist(), [entry["selected"] for entry in value["inputs"]])
        for i, entry in enumerate(value["inputs"]):
            self.assertEqual(model.feature_importances_[i], entry["importance"] if entry["selected"] else 0)
            self.assertEqual(model.feature_importances_std_[i], entry["importance_se"] if entry["selected"] else 0)
        self.assertEqual(model.path_["criterion"].tolist(), [step["criterion"] for step in value["path"]])
        self.assertEqual(np.flatnonzero(model.path_["chosen"]).tolist(), [value["chosen_step"]])
        self.assertEqual(model.cv_results_["test_error"].tolist(), value["outer"]["errors"])
        self.assertEqual(model.cv_results_["support"].sum(axis=1).tolist(), model.cv_results_["n_features"].tolist())
        self.assertIs(model.model_, model.result_.model)
        self.assertGreater(model.score(X, y), 0.95)

    def test_ranking(self):
        X, y = numbers()
        model = TamisRegressor().fit(X, y)
        rank = model.ranking_
        self.assertTrue(((rank == 1) == model.support_).all())
        others = sorted((entry["rank"], i) for i, entry in enumerate(model.result_.value["inputs"])
                        if not entry["selected"] and entry["rank"] is not None)
        self.assertEqual([rank[i] for _, i in others], list(range(2, 2 + len(others))))

    def test_nothing_selected(self):
        rng = np.random.default_rng(5)
        X, y = rng.normal(size=(40, 4)), rng.normal(size=40)
        model = quiet(TamisRegressor().fit, X, y)
        self.assertFalse(model.support_.any())
        self.assertGreater(model.ranking_.min(), 1)
        self.assertTrue((model.predict(X) == model.predict(X[:1])[0]).all())
        with self.assertWarns(UserWarning):
            self.assertEqual(quiet(TamisSelector().fit, X, y).transform(X).shape, (40, 0))

    def test_folds_only_if_asked_for(self):
        X, y = numbers()
        model = TamisRegressor(outer=2, **QUICK).fit(X, y)
        self.assertEqual(len(model.cv_results_["test_error"]), 2)
        self.assertFalse(hasattr(model.set_params(outer=None).fit(X, y), "cv_results_"))

    def test_before_the_fit(self):
        for ask in (lambda: TamisRegressor().predict([[1.0]]), lambda: TamisClassifier().predict_proba([[1.0]]),
                    lambda: TamisRegressor().get_support(),
                    lambda: TamisSelector().transform(pd.DataFrame({"a": [1]}))):
            self.assertRaises(NotFittedError, ask)

    def test_import_of_tamis_alone(self):
        code = "import sys, tamis; assert not {'sklearn', 'pandas', 'numpy'} & set(sys.modules), 'imported'"
        subprocess.run([sys.executable, "-c", code], check=True)


class SameAnswer(unittest.TestCase):
    def test_as_the_function(self):
        X, y = numbers()
        names = [f"x{i}" for i in range(X.shape[1])]
        for method, options in (("auto", {}), ("sisal", {"sigma2": 10}), ("lars", {})):
            with self.subTest(method=method):
                model = TamisRegressor(method=method, options=options).fit(X, y)
                result = tamis.select(X, y, feature_names=names, method=method, task="regression", impute="median",
                                      threads=1, **options)
                self.assertEqual(of_run(model.result_.value), of_run(result.value))
                self.assertTrue((model.predict(X) == result.model.predict(X)).all())

    def test_for_any_number_of_threads(self):
        X, y = numbers()
        one = TamisRegressor().fit(X, y)
        two = TamisRegressor(n_jobs=2).fit(X, y)
        self.assertEqual((one.result_.value["threads"], two.result_.value["threads"]), (1, 2))
        self.assertTrue((one.predict(X) == two.predict(X)).all())

    def test_seeds(self):
        X, y = numbers()

        def seed(random_state):
            return TamisRegressor(random_state=random_state, **QUICK).fit(X, y).result_.value["seed"]
        self.assertEqual(seed(7), 7)
        self.assertEqual(seed(np.int64(7)), 7)
        self.assertEqual(seed(1), TamisRegressor(**QUICK).fit(X, y).result_.value["seed"])
        self.assertEqual(seed(np.random.RandomState(3)), seed(np.random.RandomState(3)))
        self.assertNotEqual(seed(np.random.RandomState(3)), seed(np.random.RandomState(4)))
        self.assertNotEqual(seed(None), seed(None))


class Tables(unittest.TestCase):
    def test_mixed_columns(self):
        frame, y = mixed()
        model = quiet(TamisRegressor().fit, frame, y)
        self.assertEqual(list(model.feature_names_in_[model.support_]), ["num", "cat", "txt"])
        self.assertEqual(model.result_.value["data"]["rows"], len(frame))
        self.assertTrue(np.isfinite(model.predict(frame)).all())
        with self.assertWarnsRegex(tamis.TamisWarning, "'cat': 120 rows have a label not seen"):
            self.assertTrue(np.isfinite(model.predict(frame.assign(cat="other"))).all())
        self.assertGreater(model.score(frame, y), 0.95)

    def test_columns_of_dates(self):
        frame, y = mixed()
        with self.assertWarnsRegex(tamis.TamisWarning, "'when'") as caught:
            TamisRegressor(**QUICK).fit(frame, y)
        self.assertEqual(caught.filename, __file__)
        y = y + 4 * (frame.when.dt.day_of_week == 6)
        model = quiet(TamisRegressor(options={"dates": "parts"}).fit, frame, y)
        self.assertTrue(model.support_[list(frame.columns).index("when")])
        self.assertEqual(model.predict(frame).shape, (len(frame),))

    def test_output_keeps_the_types(self):
        frame, y = mixed()
        selector = quiet(TamisSelector().fit, frame, y)
        self.assertEqual(selector.transform(frame).shape, (len(frame), 3))
        self.assertIsInstance(selector.transform(frame), np.ndarray)
        made = selector.set_output(transform="pandas").transform(frame)
        pd.testing.assert_frame_equal(made, frame[["num", "cat", "txt"]])
        self.assertEqual(list(selector.get_feature_names_out()), ["num", "cat", "txt"])

    def test_polars(self):
        try:
            import polars
        except ImportError:
            self.skipTest("polars is missing")
        frame, y = mixed()
        frame = frame[["num", "cat", "txt", "noise"]].astype({"cat": object}).dropna()
        y = y[frame.index].to_numpy()
        other = polars.DataFrame({name: frame[name].tolist() for name in frame})
        model = TamisRegressor().fit(other, y)
        self.assertTrue((model.predict(other) == TamisRegressor().fit(frame, y).predict(frame)).all())
        self.assertEqual(TamisSelector().fit(other, y).transform(other).shape, (len(frame), 3))

    def test_fit_and_predict_on_tables_of_different_kinds(self):
        """By scikit-learn's rules: columns by position, with its warning, where only one of the two has names."""
        frame, y = mixed()
        frame = frame[["num", "noise", "flag", "txt"]].fillna({"num": 0, "txt": "u"})
        press = dict(method="search", options={"criterion": "press"})
        makers = {"pandas": lambda f: f, "array": lambda f: f.to_numpy(),
                  "numbered": lambda f: f.set_axis(range(f.shape[1]), axis=1)}
        for module, make in (("polars", lambda m: m.from_dict), ("pyarrow", lambda m: m.table)):
            try:
                convert = make(__import__(module))
            except ImportError:
                continue
            makers[module] = lambda f, convert=convert: convert({name: f[name].tolist() for name in f})
        named = set(makers) - {"array", "numbered"}
        for columns, also in ((["num", "noise", "flag", "txt"], []), (["num", "noise", "flag"], ["array"])):
            X = frame[columns]
            for fitted in ["pandas", "numbered", *(named - {"pandas"}), *also]:
                model = TamisRegressor(**press).fit(makers[fitted](X), y)
                expected = quiet(model.predict, makers[fitted](X)).tolist()
                for kind, make in makers.items():
                    with self.subTest(fitted=fitted, kind=kind), warnings.catch_warnings(record=True) as seen:
                        warnings.simplefilter("always")
                        self.assertEqual(model.predict(make(X)).tolist(), expected)
                    names = [str(w.message) for w in seen if "feature names" in str(w.message)]
                    self.assertEqual(len(names), (fitted in named) != (kind in named), (fitted, kind, names))
        model = TamisRegressor(**press).fit(X, y)
        with self.assertWarnsRegex(UserWarning, "does not have valid feature names"):
            self.assertEqual(model.predict(X.to_numpy(dtype=float)).tolist(), model.predict(X).tolist())
        selector = TamisSelector(**press).fit(X.to_numpy(dtype=float), y)
        for kind in named:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                chosen = selector.transform(makers[kind](X))
            self.assertEqual(chosen.astype(float).tolist(), selector.transform(X.to_numpy(dtype=float)).tolist(), kind)

    def test_names_that_are_not_text(self):
        X, y = numbers()
        model = TamisRegressor().fit(pd.DataFrame(X), y)
        self.assertFalse(hasattr(model, "feature_names_in_"))
        self.assertTrue((model.predict(pd.DataFrame(X)) == TamisRegressor().fit(X, y).predict(X)).all())

    def test_arrays_keep_every_column(self):
        X, y = numbers()
        X[:, 5] = np.arange(len(X))             # looks like row numbers
        model = TamisRegressor(**QUICK).fit(X, y)
        self.assertEqual(len(model.result_.value["inputs"]), 6)
        self.assertTrue((TamisRegressor(**QUICK).fit(np.asfortranarray(X), y).predict(X) == model.predict(X)).all())
        self.assertEqual(TamisRegressor(**QUICK).fit(X > 0, y).predict(X.astype(float) > 0).shape, y.shape)

    def test_missing_and_infinite_values(self):
        X, y = numbers()
        X[4, 0] = np.nan
        model = TamisRegressor().fit(X, y)
        self.assertEqual(model.result_.value["data"]["rows"], len(X))
        self.assertTrue(np.isfinite(model.predict(X)).all())
        model = quiet(TamisRegressor(options={"impute": "none"}).fit, X, y)
        self.assertEqual(np.flatnonzero(np.isnan(model.predict(X))).tolist(), [4])
        classifier = quiet(TamisClassifier(options={"impute": "none"}).fit, X, y > 1)
        self.assertTrue(np.isnan(classifier.predict_proba(X)[4]).all())
        self.assertRaisesRegex(ValueError, "row 4 of X has missing values", classifier.predict, X)
        X[4, 0] = np.inf
        self.assertRaisesRegex(ValueError, "Input X contains infinity", TamisRegressor().fit, X, y)
        self.assertRaisesRegex(ValueError, "infinite", TamisRegressor().fit, pd.DataFrame(X), y)


class Labels(unittest.TestCase):
    def test_of_any_type(self):
        X, y = numbers()
        for low, high in ((False, True), ("?", "NA"), (9, 10), (1.0, 2.0), (" a", "a "), ("", "b"), ("1", "1.0"),
                          (-1, 1)):
            with self.subTest(labels=(low, high)):
                labels = np.array([low, high])[(y > 1).astype(int)]
                model = TamisClassifier().fit(X, labels)
                self.assertEqual(model.classes_.dtype, labels.dtype)
                self.assertEqual(model.classes_.tolist(), sorted([low, high]))
                self.assertEqual(model.predict(X).dtype, labels.dtype)
                self.assertGreater(model.score(X, labels), 0.85)
                probable = model.predict_proba(X).argmax(axis=1)
                self.assertGreater((probable == (labels == model.classes_[1])).mean(), 0.85)

    def test_of_pandas(self):
        X, y = numbers()
        labels = pd.Series(np.where(y > 1, "yes", "no"))
        plain = TamisClassifier().fit(X, labels.to_numpy()).predict(X).tolist()
        for kind in ("category", "string", object):
            self.assertEqual(TamisClassifier().fit(X, labels.astype(kind)).predict(X).tolist(), plain)

    def test_a_class_without_weight(self):
        X, y = numbers()
        labels = np.where(y > 2, "high", np.where(y > 0.5, "mid", "low"))
        model = TamisClassifier().fit(X, labels, sample_weight=(labels != "mid").astype(float))
        self.assertEqual(model.classes_.tolist(), ["high", "low", "mid"])
        self.assertTrue((model.predict_proba(X)[:, 2] == 0).all())
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)

    def test_task_of_a_selector(self):
        X, y = numbers()
        for target, task in ((y, "regression"), (y > 1, "classification"),
                             (np.where(y > 1, "a", "b"), "classification"),
                             ((y > 1).astype(int), "classification"), ((y > 1).astype(float), "classification"),
                             ((20 * y).round().astype(int), "regression")):
            self.assertEqual(TamisSelector().fit(X, target).task_, task)
        self.assertEqual(TamisSelector(method="lars").fit(X, (y > 1).astype(int)).task_, "regression")
        self.assertEqual(TamisSelector(task="regression").fit(X, (y > 1).astype(int)).task_, "regression")
        self.assertRaisesRegex(ValueError, "task is 'both'", TamisSelector(task="both").fit, X, y)

    def test_too_many_classes(self):
        X, y = numbers()
        self.assertRaisesRegex(ValueError, "Only binary classification is supported",
                               TamisClassifier(method="sparse-rbf").fit, X, np.digitize(y, [0, 1]))


class Rows(unittest.TestCase):
    def test_weights_are_repeated_rows(self):
        X, y = numbers(40)
        weight = np.random.default_rng(2).integers(0, 4, size=len(y))
        again = np.repeat(np.arange(len(y)), weight)
        classes = np.where(y > 1, "a", "b")
        for estimator, target in (
                (TamisRegressor(), y), (TamisClassifier(), classes),
                (TamisClassifier(method="fei", options={"starts": 2}), classes),
                (TamisClassifier(method="sparse-rbf", options={"r": 100, "t": 1}), classes)):
            with self.subTest(estimator=estimator):
                weighted = quiet(clone(estimator).fit, X, target, sample_weight=weight)
                repeated = quiet(clone(estimator).fit, X[again], target[again])
                self.assertEqual(weighted.support_.tolist(), repeated.support_.tolist())
                ask = "predict_proba" if hasattr(estimator, "predict_proba") else "predict"
                np.testing.assert_allclose(getattr(weighted, ask)(X), getattr(repeated, ask)(X), rtol=1e-6)

    def test_rows_of_weight_zero_are_absent(self):
        X, y = numbers(40)
        sampler = TamisClassifier(method="rjmcmc", options={"samples": 50, "burn_in": 20, "chains": 1})
        weight = np.arange(40) % 4 > 0
        some = quiet(clone(sampler).fit, X[weight], y[weight] > 1)
        self.assertTrue((quiet(sampler.fit, X, y > 1, sample_weight=weight).predict_proba(X)
                         == some.predict_proba(X)).all())

    def test_groups(self):
        X, y = numbers()
        groups = np.array([f"g{i // 8}" for i in range(len(y))])
        model = TamisRegressor(outer=2).fit(X, y, groups=groups)
        codes = np.unique(groups, return_inverse=True)[1]
        result = tamis.select(X, y, feature_names=[f"x{i}" for i in range(6)], groups=codes, outer=2, impute="median",
                              threads=1)
        self.assertEqual(model.cv_results_["test_error"].tolist(), result.value["outer"]["errors"])
        self.assertNotEqual(model.cv_results_["test_error"].tolist(),
                            TamisRegressor(outer=2).fit(X, y).cv_results_["test_error"].tolist())
        self.assertRaisesRegex(ValueError, "inconsistent numbers of samples", model.fit, X, y, groups=groups[1:])

    def test_targets_and_weights_that_are_wrong(self):
        X, y = numbers()
        self.assertRaisesRegex(ValueError, "NaN", TamisRegressor().fit, X, np.where(y > 1, np.nan, y))
        self.assertRaisesRegex(ValueError, "weight", TamisRegressor().fit, X, y, sample_weight=-np.ones(len(y)))
        self.assertRaisesRegex(ValueError, "minimum of 3", TamisRegressor().fit, pd.DataFrame(X[:2]), y[:2])
        self.assertRaisesRegex(ValueError, "class", TamisClassifier().fit, X, np.ones(len(y), dtype=int))


class Parameters(unittest.TestCase):
    def test_constraints(self):
        frame, y = mixed()
        self.assertEqual(quiet(TamisRegressor(max_inputs=1).fit, frame, y).support_.sum(), 1)
        model = quiet(TamisRegressor(must=["noise", -1]).fit, frame, y)
        self.assertTrue(model.support_[[4, 6]].all())
        self.assertRaisesRegex(ValueError, "no column 7", TamisRegressor(must=[7]).fit, frame, y)

    def test_false_discoveries(self):
        rng = np.random.default_rng(3)
        X = rng.normal(size=(200, 20))
        y = X[:, :12] @ np.ones(12) + rng.normal(size=200)
        model = quiet(TamisSelector(fdr=0.2).fit, X, y)
        self.assertEqual(model.result_.method, "knockoffs")
        self.assertTrue(model.support_[:12].all())

    def test_options_that_have_another_place(self):
        X, y = numbers()
        for name, place in (("seed", "random_state"), ("row-weights", "sample_weight"), ("lags", "tamis.select")):
            self.assertRaisesRegex(ValueError, place, TamisRegressor(options={name: 1}).fit, X, y)
        self.assertRaisesRegex(ValueError, "did you mean 'folds'", TamisRegressor(options={"fold": 1}).fit, X, y)
        self.assertRaises(ValueError, TamisRegressor(method="magic").fit, X, y)
        self.assertRaises(ValueError, TamisRegressor(n_jobs=0).fit, X, y)

    def test_copies(self):
        frame, y = mixed()
        model = quiet(TamisClassifier(outer=2, **QUICK).fit, frame, y > 1)
        again = pickle.loads(pickle.dumps(model))
        self.assertTrue((again.predict_proba(frame) == model.predict_proba(frame)).all())
        self.assertEqual(again.result_.value, model.result_.value)
        self.assertEqual(clone(model).get_params(), model.get_params())
        self.assertFalse(hasattr(clone(model), "model_"))
        self.assertIn("outer=2", repr(model))


if __name__ == "__main__":
    unittest.main()
