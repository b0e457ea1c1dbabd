"""What clean and generate give back: the user's own values, of their own types."""
import datetime
import json
import unittest
import warnings

import numpy
import pandas

import tamis
from common import Case, program, python

warnings.simplefilter("ignore", tamis.TamisWarning)

FILE = """id,when,at,lab,x,y
1,2020-01-02,10:15,007,1,1
2,2020-01-03,11:15,010,,2
3,2020-02-03,12:15,y,3,3
4,2020-02-07,13:15,,3.5,4
5,2020-02-08,14:15,z,2,5
6,2020-02-08,15:15,001,2,5
"""


def table():
    """Labels that look like numbers, spaces and missing values, and a column that goes."""
    return pandas.DataFrame({
        "lab": ["007", "010", " y", "NA", "1e3", "0x1"], "gone": [1, None, None, None, None, 6.0],
        "rank": pandas.Categorical(list("abacbc"), categories=list("cbaz"), ordered=True),
        "n": pandas.array([1, 2, None, 4, 5, 6], dtype="Int64"), "small": numpy.arange(6, dtype="int8"),
        "day": pandas.date_range("2020-01-01", periods=6, tz="Europe/Paris"), "yes": [True, False] * 3,
        "y": numpy.arange(6) / 3}, index=list("pqrstu"))


class Clean(Case):
    def test_of_a_frame(self):
        data = table()
        expected = data.drop(columns="gone").drop(index="r")
        left, report = tamis.clean(data, "y", samples_per_step=1)
        pandas.testing.assert_frame_equal(left, expected, check_exact=True)
        self.assertEqual(report["kept"], list(expected))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            left["more"] = 1                        # it is a frame of its own
        self.assertEqual(list(data), list(table()))

    def test_target_beside_the_data(self):
        data = table()
        expected = data.drop(columns="gone").drop(index="r")
        for target in (data["y"], data["y"].to_numpy(), data["y"].tolist()):
            left, _ = tamis.clean(data.drop(columns="y"), target, samples_per_step=1)
            pandas.testing.assert_frame_equal(left, expected, check_exact=True)
        left, _ = tamis.clean(data[["small", "gone"]].to_numpy(), data["lab"], feature_names=["a", "b"],
                              samples_per_step=0)
        self.assertEqual({name: left[name].tolist() for name in left},
                         {"a": [0, 1, 2, 3, 4, 5], "lab": data["lab"].tolist()})

    def test_of_columns_and_rows(self):
        data = table()
        columns = {"lab": data["lab"].tolist(), "gone": data["gone"].to_numpy(), "rank": data["rank"],
                   "small": iter(range(6)), "y": data["y"].to_numpy()}
        left, _ = tamis.clean(columns, "y", samples_per_step=0)
        expected = data[["lab", "rank", "small", "y"]].reset_index(drop=True).astype({"small": "int64"})
        pandas.testing.assert_frame_equal(left, expected, check_exact=True)
        rows = [[1, "007"], [None, "NA"], [3, " 1"]]
        left, _ = tamis.clean(iter(rows), feature_names=["a", "b"], samples_per_step=0)
        self.assertEqual(left["b"].tolist(), ["007", "NA", " 1"])

    def test_of_other_frames(self):
        columns = {"lab": ["007", " y", "NA"], "gone": [None, 2.0, None], "n": [1, 2, 3]}
        seen = 0
        for name, make in (("pyarrow", lambda m: m.table(columns)), ("polars", lambda m: m.DataFrame(columns))):
            try:
                data = make(__import__(name))
            except ImportError:
                continue
            if hasattr(data, "__arrow_c_stream__"):
                seen += 1
                left, _ = tamis.clean(data, samples_per_step=0)
                self.assertTrue(left.equals(data.select(["lab", "n"])), left)
                left, _ = tamis.clean(data, [3.5, 2.5, 1.5], samples_per_step=0)
                self.assertEqual((type(left), left["y"].to_pandas().tolist()), (type(data), [3.5, 2.5, 1.5]))
        if not seen:
            self.skipTest("neither pyarrow nor polars is installed")

    def test_of_a_file(self):
        with open("t.csv", "w") as f:
            f.write(FILE)
        left, report = tamis.clean("t.csv", samples_per_step=1, categorical="lab")
        self.assertEqual(report["kept"], ["id", "when", "at", "lab", "y"])
        self.assertEqual(left["lab"].tolist(), ["007", "010", "y", "z", "001"])
        self.assertEqual(left["when"].tolist()[0], pandas.Timestamp("2020-01-02"))
        self.assertEqual(left["at"].tolist()[1], datetime.time(11, 15))
        program("clean", "t.csv", "--samples-per-step", "1", "--categorical", "lab", "-o", "left.csv", "--quiet")
        self.assertEqual(tamis.describe("left.csv", categorical="lab")["columns"], tamis.describe(left)["columns"])

    def test_without_pandas(self):
        with open("t.csv", "w") as f:
            f.write(FILE)
        done = python("""
import sys
sys.modules["numpy"] = sys.modules["pandas"] = None
import datetime, json, tamis
left, _ = tamis.clean({"a": ["007", "NA", "1"], "b": [1, None, None], "c": [1, 2, 3]}, samples_per_step=0)
assert left == {"a": ["007", "NA", "1"], "c": [1, 2, 3]}, left
left, _ = tamis.clean("t.csv", samples_per_step=1, categorical="lab")
assert left["lab"] == ["007", "010", "y", "z", "001"] and left["when"][0] == datetime.datetime(2020, 1, 2), left
print(json.dumps(tamis.generate("linear", rows=5)))
""")
        self.assertEqual(done.returncode, 0, done.stderr)
        made = tamis.generate("linear", rows=5)
        self.assertEqual(json.loads(done.stdout), {name: made[name].tolist() for name in made})


if __name__ == "__main__":
    unittest.main()
