"""Shared by the tests of the package: the program to compare with, tables, and a run in another process."""
from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from typing import Any

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
TAMIS = os.path.abspath(os.environ.get("TAMIS", os.path.join(ROOT, "build", "tamis")))
LONG = bool(os.environ.get("TAMIS_LONG"))


def shipped(name: str) -> str:
    return os.path.join(ROOT, "data", name + ".csv")


def program(*words: str) -> str:
    """What the command line prints."""
    done = subprocess.run([TAMIS, *words], capture_output=True, text=True, timeout=3000 if LONG else 300)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def python(code: str, *words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Another interpreter with the same package."""
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=300, **more)


def without_run(value: dict[str, Any]) -> dict[str, Any]:
    """A result but for the clock, the number of threads and what was typed."""
    return {key: v for key, v in value.items() if key not in ("seconds", "threads", "command")}


def without_file(value: dict[str, Any]) -> dict[str, Any]:
    """A result but for the run and the file."""
    made = json.loads(json.dumps(without_run(value)))
    file = made["data"].pop("file")
    made["notes"] = [note.removeprefix(f"{file}: ") for note in made.get("notes", ())]
    made.get("evidence", {}).pop("file", None)
    return dict(made)


class Case(unittest.TestCase):
    """Each test has an empty folder of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="tamis-")
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def some_rows(self, name: str, rows: int) -> str:
        """A shipped table with so many of its rows, evenly spaced."""
        with open(shipped(name), newline="") as f:
            head, *body = csv.reader(f)
        step = max(1, len(body) // rows)
        with open(name + ".csv", "w", newline="") as f:
            csv.writer(f).writerows([head, *body[::step][:rows]])
        return name + ".csv"
