#!/usr/bin/env python3
"""Every JSON document of the command line against schema/*.schema.json: each method, each optional block, and every
field that a schema describes at least once. usage: schema.py path/to/tamis [name...]"""
import csv, json, math, os, random, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, Skip, good, main, run, table

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMA = os.path.join(ROOT, "schema")
NAMES = ("result", "comparison", "describe", "clean", "methods")


def schema(name):
    if not jsonschema:
        raise Skip("the Python package jsonschema is missing")
    with open(os.path.join(SCHEMA, name + ".schema.json"), encoding="utf-8") as f:
        return json.load(f)


# ---- validation, and which parts of a schema a document reaches ----

class Checker:
    def __init__(self, name):
        self.root = schema(name)
        self.found = set()
        self.branch = {}

    def errors(self, value):
        found = jsonschema.Draft202012Validator(self.root).iter_errors(value)
        return ["/".join(map(str, e.absolute_path)) + ": " + e.message[:200] for e in found]

    def at(self, place):
        node = self.root
        for step in place:
            node = node[step]
        return node

    def fits(self, place, value):
        if place not in self.branch:
            self.branch[place] = jsonschema.Draft202012Validator(dict(self.at(place), **{"$defs": self.root["$defs"]}))
        return self.branch[place].is_valid(value)

    def visit(self, value, place=()):
        """Marks the properties that the value has, wherever the schema describes them."""
        node = self.at(place)
        if "$ref" in node:
            self.visit(value, tuple(node["$ref"].split("/")[1:]))
        for k in range(len(node.get("oneOf", []))):
            if self.fits(place + ("oneOf", k), value):
                self.visit(value, place + ("oneOf", k))
        if isinstance(value, list) and "items" in node:
            for x in value:
                self.visit(x, place + ("items",))
        if isinstance(value, dict):
            self.visit_fields(value, node, place)

    def visit_fields(self, value, node, place):
        for key, x in value.items():
            if key in node.get("properties", {}):
                self.found.add(place + ("properties", key))
                self.visit(x, place + ("properties", key))
            elif isinstance(node.get("additionalProperties"), dict):
                self.visit(x, place + ("additionalProperties",))

    def properties(self, place=()):
        """Every place where the schema describes a field."""
        node = self.at(place)
        parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, x in parts:
            if key == "properties":
                for name in x:
                    yield place + (key, name)
                    yield from self.properties(place + (key, name))
            else:
                yield from self.properties(place + (key,))

    def unseen(self):
        return sorted("/".join(map(str, p)) for p in set(self.properties()) - self.found)

    def documents(self, outputs):
        """Validates {label: document}, then asks for every field."""
        wrong = ["%s: %s" % (label, e) for label, value in outputs.items() for e in self.errors(value)]
        assert not wrong, "\n".join(wrong[:20])
        for value in outputs.values():
            self.visit(value)
        assert not self.unseen(), "described but in no document: " + ", ".join(self.unseen())


# ---- tables ----

def write(file, head, rows):
    with open(file, "w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows([head] + rows)
    return file


def made(name, rows, seed=1):
    file = "%s%d-%d.csv" % (name, rows, seed)
    return good("generate", name, "--rows", str(rows), "--seed", str(seed), "-o", file) or file


def mixed(classes):
    """A category, a constant column, missing values, duplicates, a number."""
    r, rows = random.Random(1), []
    for i in range(70):
        colour, x, z = r.choice(["red", "green", "blue"]), r.gauss(0, 1), r.gauss(0, 1)
        y = 2 * (colour == "red") + x + 0.1 * r.gauss(0, 1)
        target = ("high" if y > 0.5 else "low") if classes else y
        rows.append([colour, "%.4f" % x, "" if i % 10 == 3 else "%.4f" % z, 7, target])
    return write("mixed%d.csv" % classes, ["colour", "x", "z", "same", "y"], rows + rows[:2])


def spectra():
    r, rows = random.Random(2), []
    for _ in range(50):
        a, b = r.gauss(0, 1), r.gauss(0, 1)
        curve = [a * math.exp(-((k - 10) / 5) ** 2) + b * math.exp(-((k - 22) / 6) ** 2) for k in range(30)]
        rows.append([v + 0.01 * r.gauss(0, 1) for v in curve] + [a + 0.05 * r.gauss(0, 1)])
    return write("spectra.csv", ["w%d" % (900 + 2 * k) for k in range(30)] + ["y"], rows)


def hourly():
    r, rows = random.Random(4), []
    for i in list(range(40)) + list(range(50, 90)):
        rows.append(["2024-05-%02dT%02d:00" % (1 + i // 24, i % 24), math.sin(i * math.pi / 2) + 0.1 * r.gauss(0, 1)])
    return write("hourly.csv", ["when", "y"], rows)


def wide_classes(inputs=22):
    r, rows = random.Random(3), []
    for i in range(60):
        rows.append([r.gauss(2 * (i % 2) if k < 2 else 0, 1) for k in range(inputs)] + ["ab"[i % 2]])
    return write("wide.csv", ["v%d" % k for k in range(inputs)] + ["kind"], rows)


def prices():
    return write("prices.csv", ["input", "cost"], [["x%d" % k, k] for k in range(1, 11)])


# ---- what is run ----

# Cheap options by method, and by method and task; a method that is not here runs with its defaults.
CHEAP = {"knockoffs": ["--fdr", "0.3", "--fdr-draws", "2"],
         "rjmcmc": ["--samples", "60", "--burn-in", "20", "--chains", "2", "--temperatures", "3"],
         "forward": ["--max-inputs", "2"], "sisal": ["--sigma2", "5:50:2"], "fei": ["--starts", "3"],
         "sparse-rbf": ["--r", "5:20:2", "--t", "0.5:2:2", "--folds", "3"],
         "lssvm": ["--sigma2", "2:20:2"], "rrkrr": ["--sigma2", "2:20:2"]}
CHEAP_IN = {("forward", "classification"): ["--criterion", "knn"], ("search", "classification"): ["--criterion", "knn"]}


def method_runs(regression, classification):
    """Every method there is, for its tasks."""
    for m in json.loads(good("methods", "--json")):
        for task, file in (("regression", regression), ("classification", classification)):
            if m["kind"] == "method" and m["task"] in (task, "both"):
                yield [file, "--method", m["name"], *CHEAP.get(m["name"], []), *CHEAP_IN.get((m["name"], task), [])]


def option_runs(regression, classification):
    """Every optional part of a result."""
    test, noise, wide = made("friedman1", 30, 2), made("noise", 60), wide_classes()
    mixed_r, mixed_c = mixed(0), mixed(1)
    knn, rjmcmc = ["--method", "search", "--criterion", "knn"], ["--method", "rjmcmc", *CHEAP["rjmcmc"]]
    two = ["--target", "y,x9"]
    return [
        [regression, *knn, "--outer", "3", "--bootstrap", "3"],
        [regression, *knn, "--outer", "2", "--repeats", "2", "--no-evidence"],
        [classification, *knn, "--bootstrap", "2"],
        [regression, "--method", "lars", "--stability", "1", "--stability-pairs", "10"],
        [classification, *knn, "--stability", "0.001", "--stability-pairs", "2"],
        [regression, *knn, "--select-rule", "se", "--must", "x7"],
        [classification, *knn, "--select-rule", "stable"],
        [regression, *knn, "--cost", prices(), "--budget", "9"],
        [regression, *knn, "--cost", prices(), "--group-inputs", "x1,x2;x3,x4"],
        [regression, *knn, "--row-weights", "x10"],
        [regression, "--holdout", "0.25"],
        [regression, "--test", test],
        [regression, "--method", "lars", "--test", test, "--no-standardize"],
        [regression, "--method", "search", "--scaling"],
        [regression, "--method", "search", "--criterion", "mi"],
        [regression, "--method", "lars", "--test-inputs", "x1,x7", "--test-draws", "19"],
        [regression, "--method", "opelm", "--criterion", "knn", "--must", "x1"],
        [regression, "--method", "opelm", "--criterion", "press", "--search", "forward", *two],
        [regression, "--method", "search", *two],
        [regression, "--method", "sisal", "--sigma2", "5:50:2", *two],
        [regression, "--method", "opelm", "--criterion", "none", *two],
        [regression, "--method", "lars", *two],
        [hourly(), "--method", "lars", "--lags", "1:2", "--season", "4h", "--holdout", "0.3", "--outer", "2"],
        [regression, "--method", "sisal", *CHEAP["sisal"], "--drop-fraction", "0.4", "--drop-until", "2"],
        [regression, "--method", "sparse-rbf", "--r", "10", "--t", "1"],
        [regression, "--method", "sparse-rbf", "--r", "10", "--t", "1", "--solver", "alternating"],
        [regression, "--method", "lssvm", "--criterion", "loo-lssvm", "--sigma2", "2:20:2"],
        [regression, "--method", "lssvm", "--select", "forward", "--sigma2", "5", "--gamma", "10"],
        [regression, "--method", "lars", "--as-published"],
        [noise], [noise, *knn, "--select-rule", "se"], [noise, "--method", "lars"],
        [mixed_r], [mixed_r, "--impute", "median"], [mixed_r, "--method", "lars", "--impute", "knn"],
        [mixed_r, "--method", "sift", "--final", "linear"], [mixed_r, "--method", "sift", "--must", "z"],
        [made("inter", 400)], [made("weak", 1600)], [made("genes-wide", 40)], [regression, "--groups", "x10"],
        [mixed_c], [mixed_c, "--method", "fei", "--starts", "2", "--hidden", "4"], [mixed_c, *rjmcmc],
        [mixed_c, *rjmcmc, "--likelihood", "background"],
        [wide, "--method", "fei", "--starts", "2", "--hidden", "4"], [wide, *rjmcmc],
        [os.path.join(ROOT, "data", "iris.csv"), "--method", "fei", "--starts", "2", "--holdout", "0.2"],
        [os.path.join(ROOT, "data", "iris.csv")],
        [spectra(), "--method", "lars"],
        [dated(), "--method", "lars"],
    ]


def output(words):
    code, out, err = run(*words, "--json", "--quiet", "--threads", "1")
    assert code == 0, (words, code, err)
    return " ".join(words), json.loads(out)


def outputs(commands):
    with ThreadPoolExecutor(2) as pool:
        return dict(pool.map(output, commands))


def dated():
    """Dates, and units under the header."""
    return write("dated.csv", ["day", "a", "b", "y"], [["", "mm", "mm", "K"]] + [
        ["2024-01-%02d" % i, i % 5, i % 5, i % 3 + i / 50] for i in range(1, 29)])


# ---- checks ----

def check_schemas_are_valid():
    for name in NAMES:
        one = schema(name)
        jsonschema.Draft202012Validator.check_schema(one)


def check_results():
    checker, regression, classification = Checker("result"), made("friedman1", 60), made("xor", 70)
    runs = list(method_runs(regression, classification)) + option_runs(regression, classification)
    found = outputs(["select", *r] for r in runs)
    blocks = {p[-1] for p in checker.properties() if len(p) == 2} & {r["method"] for r in found.values()}
    for label, r in found.items():
        assert not [b for b in blocks if b in r and b != r["method"]], label
    assert {b for r in found.values() for b in blocks if b in r} == blocks, blocks
    checker.documents(found)
    assert any(not r["selected"] for r in found.values())


def check_comparisons():
    regression, classification, mixed_c = made("friedman1", 60), made("xor", 70), mixed(1)
    found = outputs([
        ["compare", regression, "--methods", "lars,search:criterion=knn,opelm", "--outer", "3", "--repeats", "2"],
        ["compare", hourly(), "--methods", "lars", "--outer", "2", "--lags", "1:2", "--season", "4h"],
        ["compare", classification, "--methods", "search:criterion=knn,lars,lssvm:sigma2=5:gamma=10", "--outer", "2"],
        ["compare", regression, "--methods", "lars,rrkrr", "--outer", "2", "--memory", "100k"],     # rrkrr needs more
        ["compare", regression, "--methods", "lars", "--outer", "2", "--row-weights", "x10"],
        ["compare", dated(), "--methods", "lars,search:criterion=knn", "--outer", "2"],
        ["compare", mixed_c, "--methods", "search:criterion=knn,sift", "--outer", "2", "--no-evidence"]])
    assert any("failed" in m for c in found.values() for m in c["methods"])
    Checker("comparison").documents(found)


def check_other_commands():
    mixed_r = mixed(0)
    iris = os.path.join(ROOT, "data", "iris.csv")
    for command, words in (("describe", [[mixed_r], [iris], [dated()]]), ("clean", [[mixed_r], [iris, "--target", "Species"]]),
                           ("methods", [[]])):
        found = {" ".join(w): json.loads(good(command, *w, "--json")) for w in words}
        Checker(command).documents(found)


def check_schema_refuses():
    """Unknown fields, wrong types and missing fields are found, at every depth."""
    checker = Checker("result")
    words = ["select", made("friedman1", 40), "--method", "search", "--criterion", "knn", "--outer", "2"]
    text = json.dumps(output(words)[1])
    assert not checker.errors(json.loads(text))

    def refused(change):
        value = json.loads(text)
        change(value)
        assert checker.errors(value)
    refused(lambda r: r.update(more=1))
    refused(lambda r: r.pop("selected"))
    refused(lambda r: r["outer"].update(more=1))
    refused(lambda r: r["outer"].pop("sets"))
    refused(lambda r: r["outer"]["error"].update(mean="0.5"))
    refused(lambda r: r["inputs"][0].update(rank=1.5))
    refused(lambda r: r["model"].update(kind="rbf"))
    refused(lambda r: r["model"]["parameters"].update(sigma2=1))
    refused(lambda r: r["evidence"]["audit"]["column"][0].update(more=None))
    refused(lambda r: r["search"].pop("value"))


def check_page_is_current():
    words = [sys.executable, "-B", os.path.join(SCHEMA, "page.py"), "--check"]
    p = subprocess.run(words, capture_output=True, text=True)
    assert p.returncode == 0, p.stdout + p.stderr


sys.exit(main(globals()))
