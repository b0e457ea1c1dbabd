#!/usr/bin/env python3
"""Two builds of the program, for two processors or C libraries, must choose the same inputs of the shipped tables with
nearly the same errors, and read each other's model files: predictions equal but for rounding.
usage: answers.py path/to/tamis COMMAND...   COMMAND: the other program, perhaps behind an emulator"""
import json, os, subprocess, sys, tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ONE, OTHER = [os.path.abspath(sys.argv[1])], sys.argv[2:]
RUNS = [                                # one for every kind of model
    ("boston", "--method", "sisal", "--sigma2", "20"),
    ("boston", "--method", "lars"),
    ("boston", "--method", "search", "--criterion", "knn", "--max-inputs", "3", "--search", "forward"),
    ("boston", "--method", "search", "--criterion", "delta"),
    ("boston", "--method", "opelm", "--select", "none", "--neurons", "lsg", "--max-neurons", "10"),
    ("boston", "--method", "rrkrr", "--sigma2", "10", "--gamma", "0.1"),
    ("boston", "--method", "sparse-rbf", "--r", "8", "--t", "0.5"),
    ("iris", "--method", "sift"),
    ("iris", "--method", "lssvm", "--sigma2", "10", "--gamma", "1"),
    ("wine", "--method", "fei", "--starts", "1", "--hidden", "3"),
    ("iris", "--method", "rjmcmc", "--samples", "100", "--burn-in", "20", "--chains", "1"),
]


def run(command, *words):
    done = subprocess.run([*command, *words], capture_output=True, text=True, timeout=3600)
    if done.returncode:
        raise AssertionError("%s: %s" % (" ".join([*command, *words]), done.stderr))
    return done.stdout


def near(a, b, tolerance):
    return a == b or abs(a - b) <= tolerance * max(abs(a), abs(b))


def numbers(text):
    return [cell for line in text.splitlines()[1:] for cell in line.split(",")]


def equal_tables(a, b):
    """Texts equal, numbers within 1e-9, or 1e-12 of each other near zero."""
    def same(x, y):
        try:
            return abs(float(x) - float(y)) <= 1e-12 + 1e-9 * abs(float(x))
        except ValueError:
            return x == y
    a, b = numbers(a), numbers(b)
    return len(a) == len(b) and all(map(same, a, b))


def compare(folder, name, *words):
    data = os.path.join(ROOT, "data", name + ".csv")
    models = [os.path.join(folder, m) for m in ("one", "other")]
    one, other = (json.loads(run(c, "select", data, *words, "--json", "--quiet", "--model", m))
                  for c, m in zip((ONE, OTHER), models))
    assert one["selected"] == other["selected"], (words, one["selected"], other["selected"])
    errors = one["error"]["selected"], other["error"]["selected"]
    assert near(*errors, 1e-6), (words, errors)
    for model in models:                # each is read by both
        assert equal_tables(run(ONE, "predict", model, data), run(OTHER, "predict", model, data)), (words, model)
    return abs(errors[0] - errors[1]) / max(errors)


def main():
    failed = 0
    for words in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                print("%s: same inputs, errors differ by %.1g of their value, both read both models"
                      % (" ".join(words), compare(folder, *words)), flush=True)
            except AssertionError as e:
                failed += 1
                print("FAILED: %s: %s" % (" ".join(words), e), flush=True)
    return failed > 0


sys.exit(main())
