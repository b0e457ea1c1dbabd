"""Runs inside a program: Ctrl-C, callbacks, warnings, threads, forks."""
import concurrent.futures
import contextlib
import io
import multiprocessing
import os
import signal
import threading
import unittest
import warnings

import tamis
from common import Case, python, without_run

LONG_RUN = dict(method="sisal", sigma2="1:500:30", threads=2)


def answer(seed):
    """A small run, for other threads and processes."""
    table = tamis.generate("friedman1", rows=60, seed=seed)
    result = tamis.select(table, "y", method="search", criterion="knn", threads=2)
    return result.selected, result.error["selected"], result.model.predict(table).tolist()


class Stops(Case):
    def setUp(self):
        """SIGINT is ignored in jobs of the background; here it must arrive."""
        super().setUp()
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))

    def interrupted(self, **options):
        """A run that Ctrl-C meets after its first progress."""
        started = threading.Event()

        def press():
            started.wait(60)
            os.kill(os.getpid(), signal.SIGINT)

        other = threading.Thread(target=press)
        other.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                tamis.select(tamis.generate("add10", rows=400, seed=2), "y",
                             progress=lambda what, done, total: started.set() if done > 0 else None, **options)
        finally:
            started.set()
            other.join()

    def test_ctrl_c_keeps_the_checkpoint(self):
        options = dict(LONG_RUN, sigma2="1:500:12", checkpoint="run.ckpt")
        self.interrupted(**options)
        self.assertGreater(os.path.getsize("run.ckpt"), 0)
        table = tamis.generate("add10", rows=400, seed=2)
        seen = []
        resumed = tamis.select(table, "y", note=seen.append, **options)
        self.assertTrue(any("resum" in note for note in seen), seen)
        whole = tamis.select(table, "y", **dict(options, checkpoint=None))
        self.assertEqual(resumed.selected, whole.selected)
        self.assertEqual(resumed.error, whole.error)

    def test_ctrl_c_in_a_program(self):
        """The traceback and the exit that users of Python expect."""
        done = python("""
import os, signal, threading, tamis
signal.signal(signal.SIGINT, signal.default_int_handler)
table = tamis.generate("add10", rows=1500)
begun = lambda what, done, total: done > 0 and started.set()
started = threading.Event()
threading.Thread(target=lambda: (started.wait(), os.kill(os.getpid(), signal.SIGINT)), daemon=True).start()
tamis.select(table, "y", method="sisal", sigma2="1:500:50", progress=begun)
""")
        self.assertEqual(done.returncode, -signal.SIGINT, done.stderr)
        self.assertIn("KeyboardInterrupt", done.stderr)

    def test_an_exception_in_a_callback_stops_the_run(self):
        table = tamis.generate("add10", rows=400)
        calls = []

        def fails(what, done, total):
            calls.append(what)
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            tamis.select(table, "y", progress=fails, **LONG_RUN)
        self.assertEqual(len(calls), 1)

        def refuses(sentence):
            raise LookupError(sentence)

        with self.assertRaisesRegex(LookupError, "dropped|missing"):
            tamis.select({"a": [1.0, None] * 20, "y": list(range(40))}, "y", method="lars", note=refuses)


class Callbacks(Case):
    def test_progress(self):
        seen = []
        tamis.select(tamis.generate("add10", rows=100), "y", method="sisal", sigma2="1:500:5",
                     progress=lambda *all: seen.append(all))
        self.assertTrue(seen)
        for what, done, total in seen:
            self.assertTrue(isinstance(what, str) and 0 <= done <= total, (what, done, total))

    def test_bars(self):
        from tamis import _progress
        for bar in (_progress._Plain(), _progress.bar()):
            drawn = io.StringIO()
            with contextlib.redirect_stderr(drawn):
                for k in range(5):
                    bar("searching", k, 4)
                bar.close()
            self.assertTrue("searching" in drawn.getvalue() or type(bar).__name__ == "_Tqdm", drawn.getvalue())
        drawn = io.StringIO()
        with contextlib.redirect_stderr(drawn):
            tamis.select(tamis.generate("linear", rows=60), "y", method="lars", progress=True)

    def test_notes_are_warnings(self):
        holes = {"a": [1.0, None, 2.0, 5.0] * 10, "b": list(range(40)), "y": [k % 7 for k in range(40)]}
        with self.assertWarnsRegex(tamis.TamisWarning, "dropped|missing") as caught:
            result = tamis.select(holes, "y", method="lars")
        self.assertEqual(caught.filename, __file__)
        self.assertTrue(result.notes)
        seen = []
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tamis.select(holes, "y", method="lars", note=seen.append)
        self.assertEqual(seen, result.notes)

    def test_notes_of_predictions_are_warnings(self):
        table = {"c": list("aabb") * 10, "b": list(range(40)), "y": [k % 4 // 2 + k / 100 for k in range(40)]}
        model = tamis.select(table, "y", method="search", criterion="press").model
        new, says = table | {"c": ["z"] * 40}, "'c': 40 rows have a label not seen"
        with self.assertWarnsRegex(tamis.TamisWarning, says) as caught:
            expected = model.predict(new)
        self.assertEqual(caught.filename, __file__)
        seen = []
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(list(model.predict(new, note=seen.append)), list(expected))
            model.predict(table)
        self.assertRegex(" ".join(seen), says)
        labels = tamis.select(table | {"y": list("uuvv") * 10}, "y", method="search", criterion="knn").model
        with self.assertWarnsRegex(tamis.TamisWarning, says):
            labels.predict_proba(new)

    def test_a_callback_may_call_the_library(self):
        inner = []
        table = tamis.generate("linear", rows=60)
        tamis.select(table, "y", method="sisal", sigma2="1:500:3",
                     progress=lambda *all: inner.append(tamis.describe(table)["rows"]) if not inner else None)
        self.assertEqual(inner, [60])


class Processes(Case):
    def test_threads_at_once(self):
        alone = [answer(seed) for seed in range(4)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            self.assertEqual(list(pool.map(answer, range(4))), alone)

    def test_other_threads_run_meanwhile(self):
        """The GIL is free while the library runs: a thread counts on."""
        count, stop = [0], threading.Event()

        def counts():
            while not stop.is_set():
                count[0] += 1

        other = threading.Thread(target=counts)
        seen = []
        other.start()
        tamis.select(tamis.generate("add10", rows=200), "y", method="sisal", sigma2="1:500:8",
                     progress=lambda *all: seen.append(count[0]))
        stop.set()
        other.join()
        self.assertGreater(seen[-1], seen[0])

    def test_processes(self):
        expected = answer(1)                            # the library has had threads in this process
        for kind in ("fork", "spawn"):
            with multiprocessing.get_context(kind).Pool(2) as pool:
                self.assertEqual(pool.map(answer, [1, 1]), [expected, expected], kind)

    def test_the_same_for_any_number_of_threads(self):
        table = tamis.generate("friedman1", rows=60)
        values = [tamis.select(table, "y", method="sisal", sigma2="1:500:4", threads=t).value for t in (1, 2, 3)]
        self.assertEqual(without_run(values[0]), without_run(values[1]))
        self.assertEqual(without_run(values[0]), without_run(values[2]))


if __name__ == "__main__":
    unittest.main()
