#!/usr/bin/env python3
"""Extreme tables through every method: a result that the schema describes, with finite numbers and inputs that may be
chosen, or one sentence and exit status 1, 2 or 3, within a minute.
usage: adversarial.py path/to/tamis [name...]     a bounded sample; with TAMIS_LONG=1 every table and method"""
import json, math, os, random, sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, main, run

try:
    import jsonschema
except ImportError:
    jsonschema = None

LONG = os.environ.get("TAMIS_LONG") == "1"
LIMIT = 60                      # seconds of the processor
EACH = 200                      # pairs of a table and a method in the bounded sample


# ---- tables: name -> (columns, rows), the target last ----

def numbers(seed, n, d):
    r = random.Random(seed)
    return [[r.gauss(0, 1) for _ in range(d)] for _ in range(n)]


def smooth(x):
    return math.sin(2 * x[0]) + x[1 % len(x)]


def regression(seed=1, n=40, d=4, of=smooth, noise=0.1):
    r = random.Random(seed + 1000)
    return [x + [of(x) + noise * r.gauss(0, 1)] for x in numbers(seed, n, d)]


def scaled(rows, inputs=1.0, target=1.0, offset=0.0, target_offset=0.0):
    return [[v * inputs + offset for v in row[:-1]] + [row[-1] * target + target_offset] for row in rows]


def with_target(rows, target):
    return [row[:-1] + [target(i, row)] for i, row in enumerate(rows)]


def with_input(rows, value):
    return [[value(i, row)] + row[1:] for i, row in enumerate(rows)]


def classes(k, n, seed=3, d=4):
    return with_target(regression(seed, n, d), lambda i, row: "c%d" % ((i + (row[0] > 0)) % k))


def holes(rows, share, seed=5):
    r = random.Random(seed)
    return [["" if r.random() < share else v for v in row[:-1]] + row[-1:] for row in rows]


def tables():
    base = regression()
    cauchy = random.Random(9)
    t = {
        # scales and offsets
        "huge": scaled(base, 1e300, 1e300),
        "huge-inputs": scaled(base, 1e300),
        "huge-target": scaled(base, 1, 1e300),
        "largest": scaled(base, 4e307, 4e307),
        "tiny": scaled(base, 1e-300, 1e-300),
        "tiny-inputs": scaled(base, 1e-300),
        "tiny-target": scaled(base, 1, 1e-300),
        "subnormal": scaled(base, 1e-310, 1e-310),
        "subnormal-inputs": scaled(base, 1e-310),
        "subnormal-target": scaled(base, 1, 1e-310),
        "smallest": with_input(base, lambda i, row: 5e-324 * (i % 3)),
        "mixed-scales": [[row[0] * 1e300, row[1] * 1e-300, row[2] * 1e12, row[3], row[4]] for row in base],
        "offset": scaled(base, 1, 1, 1e12),
        "offset-target": scaled(base, 1, 1, 0, 1e12),
        "offset-both": scaled(base, 1e-3, 1e-3, 1e12, 1e12),
        "offset-1e15": scaled(base, 1, 1, 1e15, 1e15),
        "last-digits": [[1 + v * 2e-16 for v in row[:-1]] + row[-1:] for row in base],
        # few rows, many inputs
        "one-row": base[:1], "two-rows": base[:2], "three-rows": base[:3], "four-rows": base[:4],
        "five-rows": base[:5], "one-input": [[row[0], row[-1]] for row in base],
        "wide": regression(2, 12, 120), "wider": regression(2, 4, 200),
        "no-rows": [],
        "three-rows-class": with_target(base[:3], lambda i, row: "ab"[i % 2]),
        "four-rows-class": with_target(base[:4], lambda i, row: "ab"[i % 2]),
        # copies, ties, constants
        "copied-rows": base[:8] * 5,
        "same-row": base[:1] * 20,
        "copied-columns": [[row[0]] * 6 + row[-1:] for row in base],
        "negated-columns": [[row[0], -row[0], 2 * row[0], row[1], row[-1]] for row in base],
        "collinear": [[row[0], row[1], row[0] + row[1], row[0] - row[1], row[-1]] for row in base],
        "constants": [[7, row[1], 0, row[3], -1e9, row[-1]] for row in base],
        "all-constant": [[1, 2, 3, row[-1]] for row in base],
        "binary": [[int(v > 0) for v in row[:-1]] + row[-1:] for row in base],
        "binary-noise": with_target([[int(v > 0) for v in row[:-1]] + [0] for row in base],
                                    lambda i, row: cauchy.gauss(0, 1)),
        "grid": [[round(v) for v in row[:-1]] + [round(row[-1])] for row in base],
        "equal-inputs": [[1 + (i == 0), 2, 3, row[-1]] for i, row in enumerate(base)],
        "target-is-input": [row[:-1] + [row[0]] for row in base],
        "alternating": [[(-1) ** i, i, (-1) ** i * i, (-1) ** i * 3.5] for i in range(40)],
        "counters": [[i, i * i, 40 - i, i % 7] for i in range(40)],
        # targets
        "constant-target": with_target(base, lambda i, row: 3.25),
        "one-row-differs": with_target(base, lambda i, row: 3.25 + (i == 11)),
        "one-row-differs-slightly": with_target(base, lambda i, row: 3.25 + 1e-9 * (i == 11)),
        "one-row-differs-class": with_target(base, lambda i, row: "ab"[i == 11]),
        "two-rows-differ": with_target(base, lambda i, row: (i == 11) - (i == 12)),
        "rounded-constant": with_target(base, lambda i, row: 0.1 + 0.2 if i % 2 else 0.3),
        "outlier": with_target(base, lambda i, row: 1e15 if i == 5 else row[-1]),
        "outlier-input": with_input(base, lambda i, row: 1e15 if i == 5 else row[0]),
        "outliers-everywhere": [[v * 1e15 if (i + j) % 11 == 0 else v for j, v in enumerate(row)]
                                for i, row in enumerate(base)],
        "heavy-tails": [[math.tan(math.pi * (cauchy.random() - 0.5)) for _ in range(5)] for _ in range(40)],
        "exponential": [[math.exp(20 * v) for v in row] for row in base],
        # classes
        "classes-2": classes(2, 40), "classes-20": classes(20, 80), "classes-100": classes(100, 300),
        "classes-500": classes(500, 1500), "single-members": with_target(base, lambda i, row: "c%d" % i),
        "one-single-member": with_target(base, lambda i, row: "ab"[i % 2] if i else "lone"),
        "integer-classes": with_target(base, lambda i, row: i % 3),
        "one-class": with_target(base, lambda i, row: "a"),
        "wide-classes": with_target(regression(2, 12, 120), lambda i, row: "ab"[i % 2]),
        "huge-classes": with_target(scaled(base, 1e300), lambda i, row: "ab"[row[0] > 0]),
        "tiny-classes": with_target(scaled(base, 1e-310), lambda i, row: "ab"[row[0] > 0]),
        # categories
        "level-per-row": with_input(base, lambda i, row: "l%d" % i),
        "one-level": with_input(base, lambda i, row: "l"),
        "two-levels": with_input(base, lambda i, row: "l%d" % (row[0] > 0)),
        "level-per-row-class": with_target(with_input(base, lambda i, row: "l%d" % i), lambda i, row: "ab"[i % 2]),
        # missing values
        "holes": holes(regression(n=120), 0.05), "mostly-missing": holes(base, 0.9),
        "all-missing": [["", "", "", "", row[-1]] for row in base],
        "missing-column": with_input(base, lambda i, row: ""),
        "missing-target": with_target(base, lambda i, row: "" if i % 2 else row[-1]),
    }
    return t


METHODS = {
    "sift": [], "sisal": ["--sigma2", "1:100:5"], "forward": ["--sigma2", "1:100:5"],
    "search": [], "opelm": [], "lars": [], "lssvm": ["--select", "forward"], "rrkrr": [],
    "sparse-rbf": ["--folds", "3"], "fei": ["--starts", "3", "--epochs", "20"],
    "rjmcmc": ["--samples", "60", "--burn-in", "30", "--chains", "2", "--temperatures", "2"],
    "knockoffs": ["--fdr", "0.5", "--fdr-draws", "2"],
}


# ---- one run ----

def text(rows):
    d = len(rows[0]) - 1 if rows else 3
    lines = [",".join(["x%d" % (i + 1) for i in range(d)] + ["y"])]
    return "\n".join(lines + [",".join(v if isinstance(v, str) else repr(v) for v in row) for row in rows]) + "\n"


def finite(value):
    if isinstance(value, dict):
        return all(finite(v) for v in value.values())
    if isinstance(value, list):
        return all(finite(v) for v in value)
    return not isinstance(value, float) or math.isfinite(value)


def refuse(word):
    raise ValueError(word)


def faults_of_result(out, validator):
    try:
        result = json.loads(out, parse_constant=refuse)
    except ValueError as e:
        return "not JSON: %s" % e
    candidates = {i["name"] for i in result["inputs"] if not i.get("constant")}
    if not finite(result):
        return "a number is not finite"
    if not set(result["selected"]) <= candidates:
        return "selected %s of %s" % (result["selected"], sorted(candidates))
    errors = [e.message[:200] for e in validator.iter_errors(result)] if validator else []
    return "schema: " + errors[0] if errors else None


def fault(name, method, more, validator):
    """None, or what is wrong with the run of a method on a table."""
    code, out, err = run("select", name + ".csv", "--method", method, "--json", "--threads", "1", *METHODS[method],
                         *more, timeout=30 * LIMIT, processor=LIMIT)
    if code == 130:
        return "%d s were not enough" % LIMIT
    if code == 0:
        return faults_of_result(out, validator)
    if code not in (1, 2, 3):
        return "exit status %d: %s" % (code, err[-200:])
    sentences = [line for line in err.splitlines() if line.startswith("tamis: ")]
    if len(sentences) != 1 or out:
        return "exit status %d with %r" % (code, err[-300:])
    return None


def pairs():
    every = [(t, m) for t in tables() for m in METHODS]
    if LONG:
        return every
    names = list(tables())
    small = [(t, m) for t, m in every if t not in ("classes-100", "classes-500", "wide", "level-per-row")]
    chosen = random.Random(7).sample(small, EACH)
    return chosen + [(t, "search") for t in names if t not in ("classes-100", "classes-500")]


def check_extreme_tables():
    validator = None
    if jsonschema:
        with open(os.path.join(ROOT, "schema", "result.schema.json"), encoding="utf-8") as f:
            validator = jsonschema.Draft202012Validator(json.load(f))
    for name, rows in tables().items():
        with open(name + ".csv", "w", encoding="utf-8") as f:
            f.write(text(rows))
    wrong = []
    with ThreadPoolExecutor(2) as pool:
        found = [(t, m, pool.submit(fault, t, m, ["--no-evidence"] if not LONG else [], validator)) for t, m in pairs()]
        wrong = ["%s on %s: %s" % (m, t, f.result()) for t, m, f in found if f.result()]
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    sys.exit(main(globals()))
