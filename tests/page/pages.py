#!/usr/bin/env python3
"""Report pages of every method, opened in Chromium. usage: pages.py path/to/tamis [name...]

Skipped where Chromium, node or playwright-core is not available. Screenshots stay in build/pages."""
import csv, json, os, random, shutil, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, Skip, good, main, shared

HERE = os.path.join(ROOT, "tests", "page")
HOME = os.path.join(ROOT, "build", "pages")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


def browser():
    """The folder with playwright-core, made once; skips where it cannot be made."""
    if not CHROMIUM:
        raise Skip("Chromium is not installed")
    if not shutil.which("node"):
        raise Skip("node is not installed")
    os.makedirs(HOME, exist_ok=True)
    if not os.path.isdir(os.path.join(HOME, "node_modules", "playwright-core")):
        if not shutil.which("npm"):
            raise Skip("npm is not installed")
        shutil.copy(os.path.join(HERE, "package.json"), HOME)
        p = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--no-package-lock"], cwd=HOME,
                           capture_output=True, timeout=300)
        if p.returncode:
            raise Skip("npm could not install playwright-core")
    return HOME


def inspect(*pages):
    home = browser()
    p = subprocess.run(["node", os.path.join(HERE, "check.js"), home, *[os.path.abspath(f) for f in pages]],
                       capture_output=True, timeout=900,
                       env=dict(os.environ, NODE_PATH=os.path.join(home, "node_modules"), CHROMIUM=CHROMIUM))
    out = p.stdout.decode("utf-8", "replace")
    assert p.returncode == 0 and not out.strip(), out + p.stderr.decode("utf-8", "replace")[-500:]


def page(name, data, *options):
    good("select", data, *options, "--quiet", "-o", name + ".json", "--report", name + ".html")
    return name + ".html"


FAST = {
    "rjmcmc": ["--samples", "200", "--burn-in", "100", "--chains", "2", "--temperatures", "3"],
    "sisal": ["--sigma2", "10:300:4"],
    "forward": ["--sigma2", "10:300:4"],
    "sparse-rbf": ["--r", "100:1000:3", "--t", "0.002:0.02:3", "--folds", "3"],
    "lssvm": ["--select", "forward"],
}


def methods():
    parts = json.loads(good("methods", "--json"))
    return [(m["name"], m["task"]) for m in parts if m["kind"] == "method" and m["name"] != "auto"]


def check_pages_of_every_method():
    browser()
    good("generate", "add10", "--rows", "90", "-o", "numbers.csv")
    good("generate", "additive", "--rows", "120", "-o", "labels.csv")
    pages = []
    for m, task in methods():
        kept = [] if m in ("sisal", "lssvm") else ["--holdout", "0.25"]
        data = "labels.csv" if task == "classification" else "numbers.csv"
        pages.append(page(m, data, "--method", m, *FAST.get(m, []), *kept))
    for m, more in (("sift", []), ("lssvm", []), ("forward", ["--criterion", "knn"])):
        pages.append(page(m + "-classes", "labels.csv", "--method", m, *more))
    assert len(pages) >= 14, pages
    inspect(*pages)


def check_model_of_sift():
    """Interactions, a network, and the models in between."""
    browser()
    good("generate", "inter", "--rows", "600", "-o", "pairs.csv")
    pages = [page("pairs", "pairs.csv", "--method", "sift"),
             page("iris", os.path.join(ROOT, "data", "iris.csv"), "--method", "sift")]
    assert " \u00D7 " in open("pairs.html", encoding="utf-8").read()
    for p in pages:
        text = open(p, encoding="utf-8").read()
        assert '<section id="model"' in text and "The path started from" in text and 'id="t-ladder"' in text, p
    inspect(*pages)


HOSTILE = [
    '"quoted" \'both\'', "</script><script>window.hacked=1</script>", "<img src=x onerror=\"window.hacked=2\">",
    "emoji \U0001F600 \u2764", "\u202Eright-to-left \u05D0\u05D1\u05D2", "a&amp;<b>", "]]>-->", "x" * 200,
    "javascript:window.hacked=3", "</svg><style>*{display:none}</style>", "tab\\u003cscript", "back\\slash",
]


def hostile_table(file, labels=False):
    r = random.Random(3)
    kinds = ["<b>yes</b>", "</script>no", "\u202Emaybe\u05D0"]
    with open(file, "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f)
        w.writerow(HOSTILE + ["kind<i>", "</title><script>window.hacked=4</script>"])
        for _ in range(90):
            x = [r.gauss(0, 1) for _ in HOSTILE]
            k = r.choice(kinds)
            y = sum(x[:8]) + (2 if k == kinds[0] else 0) + r.gauss(0, 0.3)
            target = kinds[0 if y < -1 else 1 if y < 1.5 else 2] if labels else "%.5f" % y
            w.writerow(["%.5f" % v for v in x] + [k, target])
    return file


def check_hostile_names_do_nothing():
    browser()
    a, b = hostile_table("<b onclick=x>&'.csv"), hostile_table("labels.csv", True)
    pages = [page("h-" + m, a, "--method", m, *FAST.get(m, []), "--holdout", "0.2")
             for m in ("sift", "lars", "opelm", "sisal")]
    pages += [page("h-" + m, b, "--method", m, *FAST.get(m, [])) for m in ("fei", "rjmcmc")]
    for p in pages:
        text = open(p, encoding="utf-8").read()
        body = text[:text.index('id="result"')]
        assert "<img" not in text and "<script>window" not in text and text.count("</script>") == 2, p
        assert "onerror=\"" not in body and "<b onclick" not in text, p
    inspect(*pages)


def compared(name, error, inputs, r):
    return {"method": name, "error": {"mean": error, "sd": 0.02},
            "errors": [error + r.gauss(0, 0.02) for _ in range(5)],
            "inputs": {"mean": 4.4, "min": 4, "max": 6}, "stability": 0.7, "stability_low": 0.5, "stability_high": 0.9,
            "frequency": {n: r.random() for n in inputs}, "seconds": 1.5}


def check_comparison():
    browser()
    names = ["x%d" % i for i in range(1, 6)] + HOSTILE[:5]
    r = random.Random(2)
    methods = [compared(m, e, names, r) for m, e in (("sisal", 0.1), ("lars", 0.3), ("<u>", 0.2))]
    result = {"tamis": "0.1.0", "format": 1, "command": ["compare", "a b.csv", "it's"],
              "data": {"file": "a b.csv", "rows": 100, "inputs": 10, "target": "y", "task": "regression"},
              "outer": {"folds": 5, "repeats": 2}, "methods": methods + [{"method": "failed", "error": None}],
              "better": [{"a": "sisal", "b": "lars", "p": 0.001}, {"a": "sisal", "b": "<u>", "p": 0.2}], "seconds": 3}
    json.dump(result, open("compare.json", "w"))
    good("report", "compare.json", "-o", "compare.html")
    inspect("compare.html")


def check_spectra():
    browser()
    inspect(page("wine", shared("wine_spectra.csv"), "--method", "lars", "--holdout", "0.3"))


sys.exit(main(globals()))
