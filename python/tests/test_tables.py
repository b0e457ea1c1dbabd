"""Tables of every kind: the same columns, roles and answers, wherever the data lie."""
import array
import datetime
import decimal
import json
import random
import unittest
import warnings

import numpy
import pandas

import arrow_stream
import tamis
from common import Case, python, shipped, program, without_file

warnings.simplefilter("ignore", tamis.TamisWarning)


def kinds(rows=40):
    """One column of each kind that pandas has."""
    r, start = numpy.random.default_rng(1), "2020-01-01"
    table = pandas.DataFrame({
        "number": r.normal(size=rows), "i1": r.integers(-5, 5, rows).astype("int8"),
        "u8": r.integers(0, 9, rows).astype("uint64"), "f4": (r.integers(0, 100, rows) / 4).astype("float32"),
        "category": pandas.Categorical(r.choice(list("abc"), rows), categories=list("cbaz")),
        "text": r.choice(["red", "green", None], rows), "flag": r.random(rows) < .5,
        "flag_na": pandas.array(r.choice([True, False, None], rows), dtype="boolean"),
        "int_na": pandas.array(r.choice([1, 2, None], rows), dtype="Int64"),
        "float_na": pandas.array(r.choice([1.5, 2, None], rows), dtype="Float64"),
        "string": pandas.array(r.choice(["u", "v", None], rows), dtype="string"),
        "day": pandas.date_range(start, periods=rows),
        "zone": pandas.date_range(start, periods=rows, freq="h", tz="Europe/Paris"),
        "nat": pandas.Series(pandas.date_range(start, periods=rows)).where(r.random(rows) < .8),
        "date": [datetime.date(2020, 1, 1) + datetime.timedelta(days=k) for k in range(rows)],
        "id": range(rows), "y": r.normal(size=rows)})
    table.loc[3, "number"] = numpy.nan
    return table


class Kinds(Case):
    def test_pandas_as_the_command_line_sees_it(self):
        table = kinds()
        table.to_csv("kinds.csv", index=False)
        expected = json.loads(program("describe", "kinds.csv", "--json", "--quiet"))
        self.assertEqual(tamis.describe(table)["columns"], expected["columns"])

    def test_the_answer_of_mixed_columns(self):
        table = kinds()
        table["y"] = table["number"].fillna(0) + 3 * (table["category"] == "b") + 2 * table["flag"]
        table.to_csv("kinds.csv", index=False)
        words = ["--method", "search", "--criterion", "knn", "--max-inputs", "3", "--impute", "median"]
        expected = json.loads(program("select", "kinds.csv", "--json", "--quiet", "--model", "m", *words))
        result = tamis.select(table, "y", method="search", criterion="knn", max_inputs=3, impute="median")
        self.assertEqual(without_file(result.value), without_file(expected))
        self.assertEqual(result.model.predict(table).tolist(), tamis.load("m").predict("kinds.csv").tolist())

    def test_python_objects(self):
        """Lists without NumPy give what pandas gives."""
        table = kinds()
        lists = {name: [None if v is pandas.NA or v is pandas.NaT else v for v in table[name].astype(object).tolist()]
                 for name in table}
        self.assertEqual(tamis.describe(lists)["columns"], tamis.describe(table)["columns"])
        records = [dict(zip(lists, row)) for row in zip(*lists.values())]
        self.assertEqual(tamis.describe(records)["columns"], tamis.describe(table)["columns"])
        d = tamis.describe({"a": [decimal.Decimal("1.5"), 2, 3.0, None], "b": [b"x", "y", "x", float("nan")],
                            "c": array.array("f", [1, 2, 3, 4]), "d": range(4)})["columns"]
        self.assertEqual([c["type"] for c in d], ["number", "category", "number", "number"])
        self.assertEqual([c["missing"] for c in d], [1, 1, 0, 0])

    def test_numpy_kinds(self):
        base = numpy.arange(12) % 5
        for kind in "bhilqBHILQ":
            d = tamis.describe({"a": base.astype(kind), "y": base})["columns"][0]
            self.assertEqual((d["type"], d["min"], d["max"], d["distinct"]), ("number", 0, 4, 5), kind)
        for kind in ("f2", "f4", "f8", "g", ">f8", ">i4", "<i2"):
            d = tamis.describe({"a": base.astype(kind)[::-1], "y": base})["columns"][0]
            self.assertEqual((d["min"], d["max"], d["distinct"]), (0, 4, 5), kind)
        start = numpy.datetime64("2021-03-01")
        days = start + numpy.arange(12)
        for unit in ("D", "h", "m", "s", "ms", "us", "ns"):
            d = tamis.describe({"t": days.astype(f"M8[{unit}]"), "y": base})["columns"][0]
            self.assertEqual((d["type"], d["first"], d["last"]), ("date", "2021-03-01", "2021-03-12"), unit)
        months = numpy.array(["2021-03", "NaT", "2021-05"] * 4, dtype="M8[M]")
        d = tamis.describe({"t": months, "y": base})["columns"][0]
        self.assertEqual((d["first"], d["last"], d["missing"]), ("2021-03-01", "2021-05-01", 4))
        for texts in (numpy.array(["a", "b", "c"] * 4), numpy.array([b"a", b"b", b"c"] * 4)):
            self.assertEqual(tamis.describe({"a": texts, "y": base})["columns"][0]["levels"], ["a", "b", "c"])
        record = numpy.array(list(zip(base, days.astype(str))), dtype=[("n", "i4"), ("s", "U10")])
        self.assertEqual([c["name"] for c in tamis.describe(record)["columns"]], ["n", "s"])

    def test_other_arrays_of_pandas(self):
        base = numpy.array([0.0, 1.0, 0.0, 2.0])
        d = tamis.describe({"sparse": pandas.Series(pandas.arrays.SparseArray(base)), "index": pandas.Index(range(4)),
                            "month": pandas.period_range("2020-01", periods=4, freq="M"),
                            "part": pandas.cut(base, 3), "past": pandas.to_timedelta(base, unit="s")})["columns"]
        self.assertEqual([c["type"] for c in d], ["number", "number", "date", "category", "number"])
        self.assertEqual((d[0]["max"], d[2]["first"], d[4]["max"]), (2, "2020-01-01", 2))

    def test_categories_of_numbers(self):
        values = [3.0, 1.0, None, 2.5] * 3
        d = tamis.describe({"a": values, "y": range(12)}, categorical=["a"])["columns"][0]
        self.assertEqual((d["type"], d["levels"], d["missing"]), ("category", ["1", "2.5", "3"], 3))
        d = tamis.describe(pandas.DataFrame({"a": values, "b": 1, "y": range(12)}), categorical="a:b")["columns"]
        self.assertEqual([c["type"] for c in d], ["category", "category", "number"])
        with self.assertRaisesRegex(tamis.UsageError, "categorical z: table has no such column"):
            tamis.describe({"a": values, "y": range(12)}, categorical=["z"])


class Arrays(Case):
    def setUp(self):
        super().setUp()
        self.table = pandas.read_csv(shipped("boston"), float_precision="round_trip")
        self.expected = tamis.select(self.table, "medv", method="lars")

    def test_either_order_and_lists(self):
        x, y = self.table.drop(columns="medv").to_numpy(), self.table["medv"]
        names = list(self.table.columns[:-1])
        for data in (x, numpy.asfortranarray(x), x[::-1][::-1], x.tolist(), x.astype(object),
                     numpy.repeat(x, 2, axis=1)[:, ::2]):
            for target in (y, y.to_numpy(), y.tolist(), y.to_numpy()[:, None]):
                result = tamis.select(data, target, feature_names=names, method="lars")
                self.assertEqual(result.selected, self.expected.selected)
                self.assertEqual(result.error, self.expected.error)

    def test_one_value_for_all_rows(self):
        rows = 50
        x = {"a": numpy.arange(rows) % 7.0, "one": numpy.broadcast_to(2.5, rows), "yes": numpy.broadcast_to(True, rows)}
        description = tamis.describe(x | {"day": numpy.broadcast_to(numpy.datetime64("2026-11-19"), rows)})
        for column in description["columns"][1:]:
            self.assertEqual(column["distinct"], 1, column["name"])
        with self.assertRaisesRegex(ValueError, "column 'one': its rows share one value"):
            tamis.describe(x | {"one": memoryview(x["one"])})

    def test_dict_and_names(self):
        columns = {name: self.table[name].to_numpy() for name in self.table}
        for data, target in ((columns, "medv"), (columns, 14), (columns, None), (self.table, ["medv"])):
            self.assertEqual(tamis.select(data, target, method="lars").error, self.expected.error)

    def test_predictions_find_their_columns(self):
        model = self.expected.model
        expected = model.predict(self.table)
        x = self.table.drop(columns="medv")
        for data in (x, x[x.columns[::-1]], self.table[model.inputs], x.to_numpy(), self.table.to_numpy(),
                     self.table[model.inputs].to_numpy()):
            self.assertEqual(model.predict(data).tolist(), expected.tolist())
        loaded = tamis.Model.from_bytes(model.to_bytes())
        self.assertEqual(loaded.predict(self.table[model.inputs].to_numpy()).tolist(), expected.tolist())
        self.assertEqual(loaded.predict(x.to_numpy(), feature_names=list(x)).tolist(), expected.tolist())
        with self.assertRaisesRegex(tamis.UsageError, "3 columns.*needs 14"):
            model.predict(numpy.zeros((2, 3)))
        with self.assertRaisesRegex(tamis.DataError, "missing"):
            model.predict(self.table[["rm"]])

    def test_one_row(self):
        model = self.expected.model
        expected = model.predict(self.table)[:1].tolist()
        row = self.table.iloc[0]
        for data in (row.to_dict(), dict(row), row.to_frame().T, [row.to_dict()], self.table[:1]):
            self.assertEqual(model.predict(data).tolist(), expected)
        day = tamis.describe({"t": "red", "d": datetime.date(2020, 1, 2), "b": True, "n": None})
        self.assertEqual([c["type"] for c in day["columns"]], ["category", "date", "category", "number"])
        with self.assertRaisesRegex(tamis.DataError, "column 'rm' is a single value; give a list"):
            model.predict({"lstat": [1, 2], "rm": 5})

    def test_several_targets(self):
        y = self.table[["medv", "rm"]]
        x = self.table.drop(columns=["medv", "rm"])
        by_name = tamis.select(self.table, ["medv", "rm"], method="search", criterion="press", max_inputs=2)
        for target in (y, y.to_numpy()):
            result = tamis.select(x, target, method="search", criterion="press", max_inputs=2)
            self.assertEqual(result.selected, by_name.selected)
            self.assertEqual(result.model.predict(x).shape, (len(x), 2))
        self.assertEqual(by_name.model.targets, ["medv", "rm"])

    def test_groups_weights_and_test_rows(self):
        weights, groups = numpy.arange(len(self.table)) % 3, numpy.arange(len(self.table)) // 8
        table = self.table.assign(w=weights, g=groups)
        expected = tamis.select(table, "medv", row_weights="w", groups="g", method="lars")
        result = tamis.select(self.table, "medv", row_weights=weights, groups=groups, method="lars")
        self.assertEqual((result.selected, result.error), (expected.selected, expected.error))
        x, y = self.table.drop(columns="medv"), self.table["medv"]
        a = tamis.select(self.table[:400], "medv", test=self.table[400:], method="lars")
        b = tamis.select(x[:400], y[:400], test=(x[400:], y[400:]), method="lars")
        c = tamis.select(x[:400].to_numpy(), y[:400].to_numpy(), test=(x[400:].to_numpy(), y[400:].to_numpy()),
                         feature_names=list(x), method="lars")
        self.assertEqual(a.error, b.error)
        self.assertEqual(a.error, c.error)
        self.assertGreater(a.error["test"], 0)

    def test_target_of_test_rows(self):
        """A table has it under its name; the name of y in (X, y) does not matter."""
        table = self.table.assign(chas=self.table["chas"].astype(int))
        x, y, fit, rest = table.drop(columns="medv"), table["medv"], slice(0, 400), slice(400, None)
        small = dict(method="search", criterion="press", max_inputs=3, categorical=["chas"])
        expected = tamis.select(table[fit], "medv", test=table[rest], **small).error
        other = y.rename("price")
        for data, target, test in (
                (table, "medv", (x[rest], y[rest])), (table, None, (x[rest], other[rest])),
                (table, 14, (x[rest], y[rest].tolist())), (table, ["medv"], (x[rest], other[rest])),
                (x, y[fit], (x[rest], other[rest])), (x, other[fit], (x[rest], y[rest].to_numpy())),
                (x, y[fit], table[rest]), (x, table[["medv"]][fit], (x[rest], other[rest].to_frame())),
                (table, None, table[rest][table.columns[::-1]])):
            self.assertEqual(tamis.select(data[fit], target, test=test, **small).error, expected)
        for error, says, target, test in (
                (tamis.DataError, "test has no column 'medv', the target; rename", None, x[rest]),
                (tamis.DataError, "test has no column 'medv'", "medv", table[rest].rename(columns={"medv": "price"})),
                (tamis.UsageError, "X has the target, too, as column 'medv'", "medv", (table[rest], y[rest])),
                (tamis.UsageError, "y has 2 columns, and there are 1", "medv", (x[rest], table[["medv", "rm"]])),
                (tamis.DataError, "y has 3 values, and the table 106 rows", "medv", (x[rest], [1, 2, 3]))):
            with self.assertRaisesRegex(error, says):
                tamis.select(table[fit], target, test=test, **small)

    def test_values_beside_a_table_are_not_its_target(self):
        weights = numpy.arange(len(self.table)) % 3
        expected = tamis.select(self.table, "medv", row_weights=weights, method="lars")
        self.assertEqual(tamis.select(self.table, row_weights=weights, method="lars").error, expected.error)

    def test_labels(self):
        iris = pandas.read_csv(shipped("iris"))
        x, y = iris.iloc[:, :4], iris["Species"]
        small = dict(method="search", criterion="knn", max_inputs=2)
        for target, classes in ((y, ["setosa", "versicolor", "virginica"]), (y == "setosa", [False, True]),
                                (y.map({"setosa": "1", "versicolor": "2", "virginica": "10"}), ["1", "2", "10"])):
            model = tamis.select(x, target, **small).model
            self.assertEqual(model.classes, classes)
            self.assertGreater((model.predict(x) == target.to_numpy()).mean(), 0.9)
        codes = y.astype("category").cat.codes
        model = tamis.select(x, codes, task="classification", **small).model
        self.assertEqual(model.classes, [0, 1, 2])
        self.assertGreater((model.predict(x) == codes.to_numpy()).mean(), 0.9)
        self.assertEqual(tamis.select(x, codes, task="regression", **small).model.classes, [])


class Streams(Case):
    def table(self, rows=30):
        r = random.Random(1)
        return {"a": [r.gauss(0, 1) for _ in range(rows)], "n": [r.choice([1, 2, None]) for _ in range(rows)],
                "t": [r.choice(["red", "green", None]) for _ in range(rows)], "y": [r.gauss(0, 1) for _ in range(rows)]}

    def test_hand_made_stream(self):
        columns = self.table()
        stream = arrow_stream.Table(columns)
        self.assertEqual(tamis.describe(stream)["columns"], tamis.describe(columns)["columns"])
        self.assertEqual(stream.released, 1)
        a = tamis.select(stream, "y", method="lars", impute="median")
        self.assertEqual(a.error, tamis.select(columns, "y", method="lars", impute="median").error)

    def test_options_that_name_columns(self):
        """They mean the same in a stream as in a dict."""
        columns = self.table() | {"code": [k % 4 for k in range(30)], "g": [k // 5 for k in range(30)]}
        stream = arrow_stream.Table(columns)
        for options in ({"categorical": ["code", "n"]}, {"ignore": ["a"]}, {"inputs": "a,code"}, {"groups": "g"},
                        {"row_weights": "code"}, {"categorical": "c*", "target": "code"}):
            expected, found = (tamis.describe(data, **options) for data in (columns, stream))
            self.assertEqual(found["columns"], expected["columns"], options)
        kept = tamis.describe(stream, categorical=["code"])["columns"][4]
        self.assertEqual((kept["type"], kept["levels"]), ("category", ["0", "1", "2", "3"]))

    def test_pyarrow_and_polars(self):
        columns, seen = self.table() | {"b": [k % 3 == 0 for k in range(29)] + [None]}, 0
        for name, make in (("pyarrow", lambda m: m.table(columns)), ("polars", lambda m: m.DataFrame(columns))):
            try:
                table = make(__import__(name))
            except ImportError:
                continue
            if hasattr(table, "__arrow_c_stream__"):
                seen += 1
                self.assertEqual(tamis.describe(table)["columns"], tamis.describe(columns)["columns"])
        if not seen:
            self.skipTest("neither pyarrow nor polars is installed")

    def test_without_numpy(self):
        """Lists in, lists out, where neither NumPy nor pandas can be imported."""
        done = python("""
import sys
sys.modules["numpy"] = sys.modules["pandas"] = None
import tamis
table = tamis.generate("linear", rows=60)
r = tamis.select(table, "y", method="lars", threads=1)
p = r.model.predict(table)
low, high = r.model.predict(table, interval=0.8)[1:]
assert type(table) is dict and type(p) is list and len(p) == 60 and all(a < b < c for a, b, c in zip(low, p, high))
assert type(r.inputs) is list and r.inputs[0]["name"] == "x1"
rows = [list(row) for row in zip(*table.values())]
names = list(table)
assert tamis.select(rows, "y", feature_names=names, method="lars", threads=1).error == r.error
labels = ["low" if y < 0 else "high" for y in table.pop("y")]
c = tamis.select(table, labels, method="search", criterion="knn", threads=1).model
assert set(c.predict(table)) == {"low", "high"} and abs(sum(c.predict_proba(table)[0]) - 1) < 1e-12
print("fine")
""")
        self.assertEqual((done.stdout, done.returncode), ("fine\n", 0), done.stderr)


class Wrong(Case):
    def test_sentences(self):
        x = numpy.zeros((3, 2))
        for error, says, call in [
                (tamis.DataError, "4 values, and the table 3 rows", lambda: tamis.select(x, [1, 2, 3, 4])),
                (tamis.DataError, "column 'b' has 2 values", lambda: tamis.select({"a": [1, 2, 3], "b": [1, 2]})),
                (tamis.DataError, "3 dimensions", lambda: tamis.select(numpy.zeros((2, 2, 2)))),
                (tamis.DataError, "type list", lambda: tamis.select({"a": [[1], [2]], "y": [1, 2]})),
                (tamis.DataError, "complex", lambda: tamis.select({"a": [1j, 2], "y": [1, 2]})),
                (tamis.DataError, "infinite", lambda: tamis.select({"a": [1, float("inf")], "y": [1, 2]})),
                (tamis.DataError, "both named 'a'", lambda: tamis.describe(pandas.DataFrame(x, columns=["a", "a"]))),
                (tamis.DataError, "differ in length", lambda: tamis.select([[1, 2], [1]])),
                (tamis.DataError, "no such file", lambda: tamis.select("nowhere.csv")),
                (tamis.UsageError, "2 columns", lambda: tamis.select(x, feature_names=["a"])),
                (tamis.UsageError, "type int", lambda: tamis.select(3)),
                (tamis.UsageError, "reads? a file", lambda: tamis.select(x, delimiter=";")),
                (tamis.UsageError, "did you mean 'max_inputs'", lambda: tamis.select(x, max_input=3)),
                (tamis.UsageError, "column|target", lambda: tamis.select(x, "nothing")),
                (tamis.UsageError, "expected", lambda: tamis.select(x, max_inputs="many")),
                (tamis.UsageError, "not a flag", lambda: tamis.select(x, max_inputs=True))]:
            with self.subTest(says), self.assertRaisesRegex(error, says) as caught:
                call()
            self.assertIsInstance(caught.exception, ValueError)
        self.assertTrue(issubclass(tamis.OutOfMemory, MemoryError) and issubclass(tamis.NumericError, RuntimeError))

    def test_out_of_memory(self):
        with self.assertRaisesRegex(MemoryError, "MB|GB"):
            tamis.select(tamis.generate("linear", rows=3000), "y", method="lssvm", memory="1MB")


if __name__ == "__main__":
    unittest.main()
