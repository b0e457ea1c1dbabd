"""Results and models as objects: fields, text, pages, figures, files, pickles."""
import json
import os
import pickle
import shutil
import subprocess
import unittest
import warnings

import pandas

import tamis
from common import Case, program, shipped

warnings.simplefilter("ignore", tamis.TamisWarning)


class Results(Case):
    @classmethod
    def setUpClass(cls):
        cls.boston = tamis.select(shipped("boston"), method="lars", holdout=0.2, outer=3)
        cls.iris = tamis.select(shipped("iris"), method="search", criterion="knn")

    def test_fields(self):
        r = self.boston
        self.assertEqual(r.selected, r.value["selected"])
        self.assertEqual(r.inputs["name"].tolist(), [row["name"] for row in r.value["inputs"]])
        self.assertEqual(r.inputs.loc[r.inputs["selected"], "name"].size, len(r.selected))
        self.assertEqual(r.path["chosen"].tolist().index(True), r.value["chosen_step"])
        self.assertEqual(r.error["test"], r.value["error"]["test"])
        self.assertEqual(r.folds["error"].tolist(), r.value["outer"]["errors"])
        self.assertEqual(r.folds["selected"].tolist(), r.value["outer"]["sets"])
        self.assertEqual((r.method, r.notes), ("lars", r.value["notes"]))
        self.assertTrue(self.iris.folds.empty)

    def test_text(self):
        for result in (self.boston, self.iris):
            text = repr(result)
            self.assertLess(max(map(len, text.split("\n"))), 100)
            for name in result.selected:
                self.assertIn(name, text)
            self.assertEqual((str(result), result.summary), (text, text))
        self.assertIn("test rows", repr(self.boston))
        self.assertIn("no input helps", tamis.select(tamis.generate("noise", rows=60), "y", method="search",
                                                     criterion="knn", select_rule="se").summary)

    def test_pages_and_figures(self):
        with open("r.json", "w") as f:
            f.write(self.boston.to_json())
        self.boston.report("page.html")
        program("report", "r.json", "-o", "same.html")
        with open("page.html") as one, open("same.html") as two:
            self.assertEqual(one.read(), two.read())
        self.assertTrue(self.boston.figure("path").lstrip().startswith("<svg"))
        self.assertIn("rooms per house", self.boston.figure("importance", labels={"rm": "rooms per house"}))
        with self.assertRaises(tamis.UsageError):
            self.boston.figure("nothing")
        shown = self.boston._repr_html_()
        self.assertTrue(shown.startswith("<iframe") and "lstat" in shown and "&lt;script" not in shown)
        self.assertLess(len(shown), 60000)

    def test_files(self):
        self.boston.save("r.json")
        again = tamis.load_result("r.json")
        self.assertEqual((again.value, again.model, repr(again)), (self.boston.value, None, repr(self.boston)))
        program("select", shipped("iris"), "--method", "lssvm", "-o", "cli.json", "--quiet", "--sigma2", "1:100:2",
                "--gamma", "1:100:2")
        self.assertEqual(tamis.load_result("cli.json").method, "lssvm")
        for text in ("[1]", "{", "{}"):
            with open("bad.json", "w") as f:
                f.write(text)
            with self.assertRaisesRegex(tamis.DataError, "bad.json"):
                tamis.load_result("bad.json")

    def test_pickle(self):
        for result in (self.boston, self.iris):
            again = pickle.loads(pickle.dumps(result))
            self.assertEqual((again.to_json(), again.value), (result.to_json(), result.value))
            data = shipped(result.value["data"]["file"].split(os.sep)[-1][:-4])
            self.assertEqual(again.model.predict(data).tolist(), result.model.predict(data).tolist())
        labels = pandas.Series(["1", "2"] * 20)
        table = {"x": [k % 2 + k / 100 for k in range(40)]}
        model = tamis.select(table, labels, method="search", criterion="knn").model
        self.assertEqual(pickle.loads(pickle.dumps(model)).classes, ["1", "2"])

    def test_comparison(self):
        c = tamis.compare(shipped("boston"), methods=["lars", "search:criterion=knn"], outer=3)
        self.assertEqual(c.methods["method"].tolist(), ["lars", "search:criterion=knn"])
        self.assertEqual(len(c.better), 1)
        self.assertIn("search:criterion=knn", repr(c))
        c.save("c.json")
        self.assertEqual(tamis.load_result("c.json").value, pickle.loads(pickle.dumps(c)).value)
        c.report("c.html")
        self.assertTrue(c.figure("methods").lstrip().startswith("<svg") and c._repr_html_().startswith("<iframe"))

    def test_plots(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not installed")
        matplotlib.use("agg")
        import matplotlib.pyplot as plt
        for result in (self.boston, self.iris):
            axes = [result.plot_path(), result.plot_importance(plt.figure().gca(), most=5)]
            self.assertEqual(len(axes[1].get_yticklabels()), min(5, result.inputs["importance"].count()))
            self.assertTrue(all(ax.get_xlabel() for ax in axes))
            panels = result.plot_profiles()
            self.assertEqual(panels.flat[0].get_xlabel(), result.value["evidence"]["profiles"][0]["input"])
            one = result.plot_profiles(plt.figure().gca(), inputs=result.selected[:1])
            self.assertEqual(one.get_xlabel(), result.selected[0])
            plt.close("all")


class Models(Case):
    @classmethod
    def setUpClass(cls):
        cls.model = tamis.select(shipped("boston"), method="lars").model
        cls.table = pandas.read_csv(shipped("boston"))

    def test_fields(self):
        m = self.model
        self.assertEqual((m.kind, m.target, m.targets, m.classes), ("linear", "medv", ["medv"], []))
        self.assertEqual(m.basis_functions, len(m.inputs))
        self.assertIn("medv from crim", repr(m))
        wine = tamis.select({"c": list("abc") * 20, "y": [1.0, 2.0, 4.0] * 20, "n": [k % 7 for k in range(60)]}, "y",
                            method="search", criterion="knn").model
        self.assertEqual(wine.levels.get("c"), ["a", "b", "c"])

    def test_intervals(self):
        middle, low, high = self.model.predict(self.table, interval=0.9)
        inside = ((low <= self.table["medv"]) & (self.table["medv"] <= high)).mean()
        self.assertTrue((middle == self.model.predict(self.table)).all() and 0.85 < inside < 0.95, inside)
        with open("m", "wb") as f:
            f.write(self.model.to_bytes())
        rows = program("predict", "m", shipped("boston"), "--interval", "0.9").split("\n")[1].split(",")
        self.assertEqual(list(map(float, rows)), [middle[0], low[0], high[0]])
        with self.assertRaises(tamis.UsageError):
            self.model.predict(self.table, interval=2)
        with self.assertRaises(tamis.UsageError):
            self.model.predict_proba(self.table)

    def test_missing_inputs(self):
        table = self.table.head(3).copy()
        table.loc[1, "rm"] = None
        self.assertEqual([v == v for v in self.model.predict(table)], [True, False, True])
        iris = pandas.read_csv(shipped("iris"))
        model = tamis.select(iris, method="search", criterion="knn").model
        iris.loc[0, model.inputs[0]] = None
        self.assertEqual(model.predict(iris.head(2)).tolist(), [None, "setosa"])
        with self.assertRaises(tamis.UsageError):
            model.predict(iris, interval=0.9)

    def test_files(self):
        self.model.save("boston.model")
        expected = self.model.predict(self.table).tolist()
        self.assertEqual(tamis.load("boston.model").predict(self.table).tolist(), expected)
        with open("boston.json", "w") as f:
            f.write(self.model.to_json())
        json.loads(self.model.to_json())
        self.assertEqual(tamis.load("boston.json").predict(self.table).tolist(), expected)
        for data in (b"", b"nothing", self.model.to_bytes()[:-9]):
            with self.assertRaises(tamis.DataError):
                tamis.Model.from_bytes(data)
        with self.assertRaises(RuntimeError):
            self.model.save("/nowhere/m")

    def test_export_c(self):
        with open("boston.c", "w") as f:
            f.write(self.model.export_c("boston"))
        compiler = shutil.which("cc")
        if not compiler:
            self.skipTest("there is no C compiler")
        subprocess.run([compiler, "-DTEST", "boston.c", "-lm", "-o", "t"], check=True)
        subprocess.run(["./t"], check=True, capture_output=True)


class Catalogue(Case):
    def test_lists(self):
        parts = json.loads(program("methods", "--json"))
        self.assertEqual(tamis.methods("all"), parts)
        self.assertEqual([m["name"] for m in tamis.methods("search")],
                         [p["name"] for p in parts if p["kind"] == "search"])
        rows = {o["name"]: o for o in tamis.options()}
        self.assertEqual(rows["max_inputs"]["type"], "count")
        self.assertTrue(all(o["help"] and "-" not in o["name"] for o in tamis.options()))

    def test_ways_to_write_an_option(self):
        import numpy
        from tamis._options import pairs, words
        made = pairs({"sigma2": (1, 500, 7), "must": ["a", "b,c"], "max_inputs": numpy.int64(3), "holdout": 0.25,
                      "fast": True, "standardize": numpy.bool_(False), "method": "sisal", "seed": None})
        self.assertEqual(made, [("sigma2", "1:500:7"), ("must", ["a", "b,c"]), ("max-inputs", "3"),
                                ("holdout", "0.25"), ("fast", True), ("standardize", False), ("method", "sisal")])
        self.assertEqual(words(made)[:4] + words(made)[-3:],
                         ["--sigma2", "1:500:7", "--must", 'a,"b,c"', "--no-standardize", "--method", "sisal"])


if __name__ == "__main__":
    unittest.main()
