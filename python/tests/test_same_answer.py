"""The same answer to the last digit as the command line, for every shipped table and every method: on some rows of
each, and under TAMIS_LONG on all of them, from tables of every kind, and in comparisons of all methods."""
import csv
import io
import json
import unittest
import warnings

import pandas

import arrow_stream
import tamis
from common import LONG, Case, program, shipped, without_file, without_run

TABLES = {"boston": 60, "wine": 60, "pima": 60, "iris": 50, "ionosphere": 50}
if LONG:
    TABLES = dict.fromkeys(TABLES, 10_000)
SMALL = {
    "auto": {"splits": 1, "rule_folds": 3},
    "sift": {"splits": 1, "rule_folds": 3},
    "sisal": {"sigma2": "1:500:4"},
    "forward": {"criterion": "knn", "max_inputs": 3},
    "lssvm": {"sigma2": "1:100:3", "gamma": "1:100:3", "folds": 3},
    "rrkrr": {"sigma2": "1:100:3", "gamma": "1:100:3", "folds": 3},
    "fei": {"hidden": 6, "starts": 1, "folds": 3, "sizes": 2},
    "sparse-rbf": {"r": 10, "t": 0.2, "folds": 3},
    "lars": {"folds": 3},
    "opelm": {"max_neurons": 12},
    "search": {"criterion": "knn", "max_inputs": 3},
    "rjmcmc": {"samples": 60, "burn_in": 20, "chains": 2},
    "knockoffs": {"fdr": 0.3, "fdr_draws": 2},
}
SHARED = {"sigma2": "1:100:3", "folds": 3}                             # of methods that are compared
TWO_CLASSES = [("iris", "sparse-rbf"), ("wine", "sparse-rbf")]         # the method takes no more


def methods_for(name):
    """The methods that a table can be given to."""
    task = "regression" if name == "boston" else "classification"
    return [m["name"] for m in tamis.methods()
            if m["task"] in (task, "both") and (name, m["name"]) not in TWO_CLASSES]


def with_settings(method):
    """A method with its own small settings, as compare takes it: of a range, which has colons, the upper end."""
    own = {k: str(v).split(":")[1] if ":" in str(v) else v for k, v in SMALL[method].items() if k not in SHARED}
    return ":".join([method, *(f"{name.replace('_', '-')}={value}" for name, value in own.items())])


def words(options):
    return [w for name, value in options.items() for w in ("--" + name.replace("_", "-"), str(value))]


def quiet(function, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tamis.TamisWarning)
        return function(*args, **options)


def others(table):
    """The same table in other kinds."""
    yield "dict", {name: table[name].to_numpy() for name in table}
    yield "records", table.to_dict("records")
    yield "Arrow stream", arrow_stream.Table({name: table[name].tolist() for name in table}, 64)
    for module, make in (("polars", lambda m: m.from_dict), ("pyarrow", lambda m: m.table)):
        try:
            yield module, make(__import__(module))({name: table[name].tolist() for name in table})
        except ImportError:
            pass


class SameAnswer(Case):
    def same(self, name, method):
        """A path, a DataFrame and the program; then their models."""
        file, options = self.some_rows(name, TABLES[name]), {"method": method, **SMALL[method]}
        expected = json.loads(program("select", file, "--json", "--quiet", "--model", "m", *words(options)))
        result = quiet(tamis.select, file, **options)
        self.assertEqual(without_run(result.value), without_run(expected))
        self.assertEqual(result.value["command"], ["select", file, *words(options)])
        table = pandas.read_csv(file, float_precision="round_trip")
        again = quiet(tamis.select, table, table.columns[-1], **options)
        self.assertEqual(without_file(again.value), without_file(expected))
        self.same_predictions(file, table, again.model)
        for kind, data in others(table) if LONG else ():
            more = quiet(tamis.select, data, table.columns[-1], **options)
            self.assertEqual(without_file(more.value), without_file(expected), kind)
            self.assertEqual(more.model.predict(data).tolist(), again.model.predict(table).tolist(), kind)

    def same_predictions(self, file, table, model):
        head, *rows = csv.reader(io.StringIO(program("predict", "m", file, "--quiet")))
        predicted = model.predict(table)
        if model.classes:
            self.assertEqual([row[0] for row in rows], list(map(str, predicted)))
            self.assertEqual([list(map(float, row[1:])) for row in rows], model.predict_proba(table).tolist())
        else:
            self.assertEqual([float(row[0]) for row in rows], predicted.tolist())
        self.assertEqual(tamis.load("m").predict(file).tolist(), predicted.tolist())

    def test_every_method_has_settings(self):
        self.assertEqual(sorted(SMALL), sorted(m["name"] for m in tamis.methods()))

    def same_comparison(self, name, **options):
        file = self.some_rows(name, TABLES[name])
        expected = json.loads(program("compare", file, "--json", "--quiet", *words(options)))
        for data in (file, pandas.read_csv(file, float_precision="round_trip")):
            value = quiet(tamis.compare, data, **options).value
            for one in (value, expected):
                for m in one["methods"]:
                    m.pop("seconds", None)
            self.assertEqual(without_file(value), without_file(expected))

    def test_compare(self):
        self.same_comparison("boston", methods="lars,search:criterion=knn", outer=3, folds=3)
        self.same_comparison("iris", methods="search:criterion=knn,lssvm", outer=3, folds=3)

    @unittest.skipUnless(LONG, "takes minutes; set TAMIS_LONG")
    def test_compare_all_methods(self):
        for name in TABLES:
            with self.subTest(name):
                self.same_comparison(name, methods=",".join(map(with_settings, methods_for(name))), outer=3, **SHARED)

    def test_describe_clean_and_generate(self):
        for name in TABLES:
            expected = json.loads(program("describe", shipped(name), "--json", "--quiet"))
            value = quiet(tamis.describe, pandas.read_csv(shipped(name), float_precision="round_trip"))
            self.assertEqual(value["columns"], expected["columns"])
        made = tamis.generate("friedman1", rows=20, seed=3, useless=2)
        with open("g.csv", "w") as f:
            f.write(program("generate", "friedman1", "--rows", "20", "--seed", "3", "--useless", "2"))
        expected = pandas.read_csv("g.csv", float_precision="round_trip")
        pandas.testing.assert_frame_equal(made, expected, check_exact=True)
        with open("holes.csv", "w") as f:
            f.write("a,b,y\n1,,1\n2,,2\n3,4,3\n,5,4\n")
        left, report = quiet(tamis.clean, "holes.csv", "y")
        self.assertEqual(report, json.loads(program("clean", "holes.csv", "--target", "y", "--json", "--quiet")))
        self.assertEqual(left.columns.tolist(), report["kept"] + ["y"] if "y" not in report["kept"] else report["kept"])


def add(name, method):
    setattr(SameAnswer, f"test_{name}_{method.replace('-', '_')}", lambda self: self.same(name, method))


for _name in TABLES:
    for _method in methods_for(_name):
        add(_name, _method)

if __name__ == "__main__":
    unittest.main()
