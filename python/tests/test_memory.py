"""Memory: arrays are borrowed, nothing leaks, references come back."""
import gc
import sys
import unittest
import warnings
import weakref

import numpy

import tamis
from common import LONG, Case, python
from tamis import _core, _table

warnings.simplefilter("ignore", tamis.TamisWarning)


def resident():
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


class Array(numpy.ndarray):
    """An array that can be watched."""


class Memory(Case):
    def test_columns_are_borrowed(self):
        """A table of a Fortran-ordered array takes no memory of its own, and keeps the array alive."""
        x = numpy.zeros((200_000, 20), order="F") + numpy.arange(20)
        before = resident()
        table = _table.make(x, [], None)
        self.assertLess(resident() - before, x.nbytes / 4)
        watched = weakref.ref(x)
        del x
        gc.collect()
        self.assertIsNotNone(watched())
        d = _core.table_describe(table, None, None)
        self.assertIn('"max": 19', d)
        del table
        gc.collect()
        self.assertIsNone(watched())

    def test_references_come_back(self):
        x = numpy.random.default_rng(1).normal(size=(60, 4))
        y = x[:, 0] + 0.1 * x[:, 1]
        names, calls = ["a", "b", "c", "d"], []
        tick = calls.append

        def use():
            result = tamis.select(x, y, feature_names=names, method="lars", threads=1, progress=lambda *all: tick(1),
                                  note=tick)
            result.model.predict(x)
            for wrong in (lambda: tamis.select(x, y[:5]), lambda: tamis.select(x, y, method="nothing"),
                          lambda: tamis.select(x, y, holdout=7)):
                self.assertRaises(ValueError, wrong)

        use()
        gc.collect()
        watched = [x, y, names, tick, None, tamis.UsageError]
        before = [sys.getrefcount(o) for o in watched if o is not None]
        for _ in range(5):
            use()
        gc.collect()
        self.assertEqual([sys.getrefcount(o) for o in watched if o is not None], before)

    def test_fits_do_not_leak(self):
        """Many small fits; what failed on the way is freed too."""
        fits = 10_000 if LONG else 400
        done = python(f"""
import gc, numpy, tamis, warnings
warnings.simplefilter("ignore")
def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096
x = numpy.random.default_rng(1).normal(size=(40, 3))
y, labels = x[:, 0] + x[:, 1], ["low", "high"] * 20
def fit(k):
    r = tamis.select(x, y, method="lars", threads=1, seed=k)
    r.model.predict(x), r.value, tamis.Model.from_bytes(r.model.to_bytes())
    if k % 10 == 0:
        tamis.select(x, labels, method="search", criterion="knn", threads=1).model.predict_proba(x)
        try: tamis.select(x, y, method="nothing")
        except ValueError: pass
def stop(*all): raise KeyError
for k in range(100): fit(k)
gc.collect(); before = resident()
for k in range({fits}): fit(k)
for k in range(20):
    try: tamis.select(x, y, method="sisal", sigma2="1:500:3", progress=stop)
    except KeyError: pass
gc.collect(); print((resident() - before) / 1e6)
""")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(float(done.stdout), 8, "MB grown")


if __name__ == "__main__":
    unittest.main()
