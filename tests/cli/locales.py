"""Whatever the library makes is the same in a host that has set a locale with a decimal comma."""
import difflib, json, os, re, subprocess, sys
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
from harness import *

LIBRARY = os.path.join(os.path.dirname(TAMIS), "libtamis.so")
# What makes a method short, or fit for both tasks; a method without a row here is run as it is.
SHORT = {"forward": {"criterion": "knn"}, "search": {"criterion": "knn"},
         "rjmcmc": {"samples": "60", "burn-in": "20", "chains": "2"}, "fei": {"starts": "2"},
         "sparse-rbf": {"r": "5:50:2", "t": "0.1:1:2"}, "opelm": {"max-neurons": "10"}, "sift": {"folds": "3"}}


def comma_locale():
    """LOCPATH and the name of a locale with a decimal comma."""
    for name in subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split():
        if name.lower().replace("-", "") in ("de_de.utf8", "fr_fr.utf8"):
            return {}, name
    folder = os.path.abspath("locales")
    os.makedirs(folder, exist_ok=True)
    try:
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder + "/de_DE.UTF-8"], capture_output=True)
    except FileNotFoundError:
        raise Skip("no locale with a decimal comma, and no localedef to make one")
    if not os.path.isdir(folder + "/de_DE.UTF-8"):
        raise Skip("no locale with a decimal comma, and localedef has no sources (package locales)")
    return {"LOCPATH": folder}, "de_DE.UTF-8"


def jobs():
    """A table for regression and one for classification, each with the methods for it."""
    good("generate", "friedman1", "--rows", "60", "--seed", "3", "-o", "numbers.csv")
    lines = open("numbers.csv").read().split("\n")[1:-1]
    rows = [l.split(",") for l in lines]
    table("a,b,c,class\n" + "".join("%s,%s,%s,%s\n" % (*r[:3], "high" if float(r[-1]) > 14 else "low") for r in rows),
          "classes.csv")
    methods = [m for m in json.loads(good("methods", "--json")) if m["kind"] == "method"]
    of = lambda task: [(m["name"], SHORT.get(m["name"], {})) for m in methods if m["task"] in (task, "both")]
    return [("numbers.csv", "regression", of("regression")), ("classes.csv", "classification", of("classification"))]


def host(work, how, env, name):
    script = os.path.join(os.path.dirname(__file__), "..", "lib", "host.py")
    p = subprocess.run([sys.executable, os.path.abspath(script), LIBRARY, how, name], input=json.dumps(work).encode(),
                       capture_output=True, env=dict(os.environ, **env), timeout=600)
    assert p.returncode == 0, p.stderr.decode()[-2000:]
    return json.loads(p.stdout)


def check_every_text_in_a_comma_locale():
    env, name = comma_locale()
    work = jobs()
    plain = host(work, "none", env, name)
    assert len(plain) > 60 and "1.5" in plain["--holdout 1.5"], len(plain)
    for how in "setlocale", "uselocale":
        other = host(work, how, env, name)
        assert other.keys() == plain.keys()
        for k in plain:
            differ = [l for l in difflib.unified_diff(plain[k].split("\n"), other[k].split("\n"), n=0, lineterm="")]
            assert not differ, (how, k, [d[:200] for d in differ[3:5]])


def check_one_way_to_format():
    """The library formats and parses numbers in src/base/format.c and number.c alone."""
    call = re.compile(r"(?<![\w\"])(v?s?n?f?printf|v?[sf]?scanf|strto(?:d|f|ld)|atof)\s*\(")
    for folder, _, files in os.walk(os.path.join(ROOT, "src")):
        for f in files:
            if f.endswith((".c", ".h")) and f != "format.c":
                for line in open(os.path.join(folder, f)):
                    m = call.search(re.sub(r'"(\\.|[^"])*"', '""', line))
                    assert not m, (f, line)


sys.exit(main(globals()))
