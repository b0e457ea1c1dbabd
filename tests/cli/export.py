#!/usr/bin/env python3
"""Models as C and as JSON: every kind. usage: export.py path/to/tamis [name...]"""
import csv, io, json, math, os, random, shutil, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import Skip, bad, good, main, run, table

STRICT = ["-O2", "-Wall", "-Wextra", "-Werror", "-pedantic"]
ROWS = 1000

DRIVER = r"""
#include "%s"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    static char word[64];
    double x[NAME_INPUTS + 1], out[NAME_OUTPUTS];
    for (;;) {
        int i, k;
        for (i = 0; i < NAME_INPUTS; i++) {
            if (scanf("%%63s", word) != 1) return 0;
            x[i] = strcmp(word, "NA") ? strtod(word, NULL) : NAN;
        }
        if (!NAME_INPUTS && scanf("%%63s", word) != 1) return 0;
        k = NAME_predict_all(x, out);
        printf("%%d %%.17g", k, NAME_predict(x));
        for (i = 0; i < NAME_OUTPUTS; i++) printf(" %%.17g", out[i]);
#ifdef LEVEL
        {
            double low[NAME_OUTPUTS], high[NAME_OUTPUTS];
            k = NAME_interval(x, LEVEL, low, high);
            printf(" %%d", k);
            for (i = 0; i < NAME_OUTPUTS; i++) printf(" %%.17g %%.17g", low[i], high[i]);
        }
#endif
        printf("\n");
    }
}
"""


# ---- tables: numbers, and two categories; targets that are numbers, two labels, three labels ----

def rows(n, seed, gaps=0.0):
    r = random.Random(seed)
    for _ in range(n):
        x = [r.gauss(0, 1) * s + m for s, m in ((1, 0), (3, 50), (0.01, -2), (1e4, 1e5))]
        z = [(x[0]), (x[1] - 50) / 3, (x[2] + 2) * 100]
        a, b = r.choice(["red", "green", "blue, light"]), r.choice("pq")
        y = math.sin(z[0]) + z[1] * z[2] + 2 * (a == "red") + 0.1 * r.gauss(0, 1)
        two = "yes" if z[0] * z[1] > 0 else "no"
        three = "low" if y < -0.5 else "mid" if y < 1.5 else 'hi"gh'
        hide = lambda v: "" if r.random() < gaps else v
        yield [hide("%.17g" % v) for v in x] + [hide(a), hide(b), "%.17g" % y, "%.17g" % (3 * z[0] - z[2]), two, three]


NAMES = ["x1", "x2", "small", "big", "colour", "side", "y", "y2", "two", "three"]


def made(n, seed, name, gaps=0.0):
    with open(name, "w", newline="") as f:
        csv.writer(f).writerows([NAMES] + list(rows(n, seed, gaps)))
    return name


def fit(model, target, words, gaps=0.0):
    made(80, 1, "train.csv", gaps)
    drop = ",".join(n for n in NAMES[6:] if n not in target.split(","))
    good("select", "train.csv", "--target", target, "--ignore", drop, *words, "--quiet", "--model", model)


# ---- comparing ----

def inputs_of(model):
    return json.loads(good("export", model, "--to", "json"))["inputs"]


def encoded(model, data):
    """What the C code takes: numbers, levels as their index, 'NA' for missing, an earlier row's value for a lag."""
    features, lines = inputs_of(model), list(csv.DictReader(open(data)))
    out = []
    for n in range(len(lines)):
        row = []
        for f in features:
            back = n - f.get("lag", 0)
            v = lines[back][f.get("column", f["name"])] if back >= 0 else ""
            if v and f["levels"]:
                v = str(f["levels"].index(v)) if v in f["levels"] else "-1"
            row.append(v or "NA")
        out.append(" ".join(row) or "none")
    return out


def compiled(model, data, compiler=("gcc", "-std=c99"), level=None):
    good("export", model, "--to", "c", "--name", "a_model", "-o", "m.c")
    table((DRIVER % "m.c").replace("NAME", "a_model"), "driver.c")
    defined = ["-DLEVEL=" + level] if level else []
    subprocess.run([*compiler, *STRICT, *defined, "-o", "driver", "driver.c", "-lm"], check=True)
    p = subprocess.run(["./driver"], input="\n".join(encoded(model, data)).encode(), capture_output=True, check=True)
    return [[float(v) for v in line.split()] for line in p.stdout.decode().splitlines()]


SAME_BITS = ("rbf", "lssvm", "rrkrr", "sparse-rbf", "terms")    # every rounding is the same; the others within 1e-12


def near(a, b, unit, room):
    return (a != a and b != b) or abs(a - b) <= room * max(abs(b), unit)


def agree(model, data):
    """The C code predicts what tamis predict does; it compiles as C99 and as C++, and its own test passes."""
    j = json.loads(good("export", model, "--to", "json"))
    wanted = list(csv.reader(io.StringIO(good("predict", model, data))))[1:]
    got = compiled(model, data)
    assert len(wanted) == len(got), (len(wanted), len(got))
    classes, units, room = j["classes"], [t["scale"] for t in j["targets"]], 0 if j["kind"] in SAME_BITS else 1e-12
    for w, g in zip(wanted, got):
        missing = w[0] in ("", "NA")
        if classes:
            assert missing == (g[0] == -1) and (missing or (w[0] == classes[int(g[0])] and g[0] == g[1])), (w, g)
        for k, v in enumerate(w[1:] if classes else w):
            want = float("nan") if v in ("", "NA") else float(v)
            assert near(g[2 + k], want, 1 if classes else units[k], room), (w, g)
        assert classes or g[1] == g[2] or (g[1] != g[1] and g[2] != g[2])
    for compiler in (["gcc", "-std=c99"], ["g++", "-x", "c++"]):
        subprocess.run([*compiler, *STRICT, "-DTEST", "m.c", "-o", "self", "-lm"], check=True)
        p = subprocess.run(["./self"], capture_output=True)
        assert p.returncode == 0 and b" 0 wrong" in p.stdout, p


def intervals_agree(model, data, targets, level):
    """The ends of NAME_interval are those of tamis predict --interval, bit for bit."""
    wanted = list(csv.reader(io.StringIO(good("predict", model, data, "--interval", level))))[1:]
    got = compiled(model, data, level=level)
    assert len(wanted) == len(got)
    for w, g in zip(wanted, got):
        missing = w[0] in ("", "NA")
        assert g[2 + targets] == (-1 if missing else 0)
        for v, e in zip(w[targets:], g[3 + targets:]):
            assert e != e if missing else e == float(v), (w, g)


def round_trip(model, data):
    good("export", model, "--to", "json", "-o", "m.json")
    assert good("export", "m.json", "--to", "json") == open("m.json").read()
    assert good("export", "m.json", "--to", "c") == good("export", model, "--to", "c")
    assert good("predict", "m.json", data) == good("predict", model, data)


def both(target, words, gaps=0.0, kind=None):
    fit("m", target, words, gaps)
    made(ROWS, 2, "new.csv", 0.02)
    if kind:
        assert json.loads(good("export", "m"))["kind"] == kind
    agree("m", "new.csv")
    round_trip("m", "new.csv")


GRID = ["--sigma2", "1:100:5"]
LSSVM = GRID + ["--gamma", "1:1e4:5"]


def check_rbf():
    both("y", ["--method", "sisal", *GRID], kind="rbf")
    both("y,y2", ["--method", "sisal", *GRID], kind="rbf")
    both("y", ["--method", "sift"])


def check_lssvm_and_rrkrr():
    both("y", ["--method", "lssvm", *LSSVM], kind="lssvm")
    both("three", ["--method", "lssvm", *LSSVM], kind="lssvm")
    both("y", ["--method", "rrkrr", "--max-basis", "20", *LSSVM], kind="rrkrr")
    both("three", ["--method", "rrkrr", "--max-basis", "20", *LSSVM], kind="rrkrr")


def check_rbf_classifier():
    both("three", ["--method", "fei", "--hidden", "6", "--starts", "2"], kind="rbf-classifier")


def check_sparse_rbf():
    both("y", ["--method", "sparse-rbf", "--r", "40", "--t", "1"], kind="sparse-rbf")
    both("two", ["--method", "sparse-rbf", "--r", "40", "--t", "1"], kind="sparse-rbf")


def check_elm():
    for neurons in ("l", "ls", "lg", "lsg"):
        both("y", ["--method", "opelm", "--select", "none", "--neurons", neurons, "--max-neurons", "30"], kind="elm")
    both("y,y2", ["--method", "opelm", "--select", "none", "--neurons", "lsg", "--max-neurons", "30"], kind="elm")


def check_linear():
    both("y", ["--method", "lars"], kind="linear")
    both("y,y2", ["--method", "lars"], kind="linear")


def check_intervals():
    made(ROWS, 2, "new.csv", 0.02)
    for target, words, gaps in (("y", ["--method", "sisal", *GRID], 0), ("y,y2", ["--method", "sisal", *GRID], 0),
                                ("y", ["--method", "lssvm", "--impute", "median", *LSSVM], 0.1)):
        fit("m", target, words, gaps)
        for level in ("0.9", "0.5", "0.001"):
            intervals_agree("m", "new.csv", target.count(",") + 1, level)
    for level in ("0.999", "0", "1", "-1", "(0.0/0.0)"):        # 80 residuals are too few; no levels
        assert all(g[3] in (-1, -2) and g[4] != g[4] for g in compiled("m", "new.csv", level=level))
    fit("m", "y", ["--method", "sisal", "--no-evidence", *GRID])
    assert "interval" not in good("export", "m", "--to", "c")
    fit("m", "three", ["--method", "lssvm", *LSSVM])
    assert "interval" not in good("export", "m", "--to", "c")


def check_knn():
    both("y", ["--method", "search", "--criterion", "knn", "--search", "forward"], kind="knn")
    both("three", ["--method", "search", "--criterion", "knn", "--search", "forward"], kind="knn")
    both("y,y2", ["--method", "search", "--criterion", "knn", "--search", "forward"], kind="knn")
    for target in ("y", "three"):
        both(target, ["--method", "search", "--criterion", "knn", "--search", "forward", "--row-weights", "x2"],
             kind="knn")


def check_mixture():
    fit("m", "two",
        ["--method", "rjmcmc", "--inputs", "x1,x2,small", "--samples", "200", "--burn-in", "100", "--chains", "2"])
    made(ROWS, 2, "new.csv", 0.02)
    agree("m", "new.csv")
    round_trip("m", "new.csv")


def check_imputing():
    both("y", ["--method", "lssvm", "--impute", "median", *LSSVM], gaps=0.1)
    both("y", ["--method", "lssvm", "--impute", "knn", "--impute-neighbors", "3", *LSSVM], gaps=0.1)
    both("two", ["--method", "lssvm", "--impute", "knn", *LSSVM], gaps=0.1)


def check_lags():
    r = random.Random(5)
    x, y = [0.0, 0.0], [0.0, 0.0]
    for _ in range(400):
        x.append(r.gauss(0, 1))
        y.append(0.5 * y[-1] + x[-2] + 0.1 * r.gauss(0, 1))
    f = table("t,y\n" + "".join("%.17g,%.17g\n" % p for p in zip(x, y)), "series.csv")
    good("select", f, "--method", "lars", "--lags", "1:4", "--target", "y", "--quiet", "--model", "m")
    agree("m", f)
    round_trip("m", f)
    assert "rows back" in open("m.c").read()


def check_no_inputs():
    r = random.Random(1)
    f = table("a,b,y\n" + "".join("%g,%g,%g\n" % (r.random(), r.random(), r.random()) for _ in range(40)))
    for words in (["lars"], ["search", "--criterion", "knn", "--search", "forward"]):
        good("select", f, "--method", *words, "--inputs", "a", "--quiet", "--model", "m")
        agree("m", f)
        round_trip("m", f)
    good("generate", "add10", "--rows", "8", "-o", "few.csv")
    good("select", "few.csv", "--method", "lars", "--target", "y,x5", "--lags", "1:2", "--impute", "knn",
         "--impute-neighbors", "2", "--quiet", "--model", "m")
    assert inputs_of("m") == []
    round_trip("m", "few.csv")
    compiled("m", "few.csv")


# ---- names ----

HOSTILE = ['a "quoted" name', "*/ int main(void) { return 1; } /*", "back\\slash ??/", "comma, semicolon;",
           "\u202eright to left\u2066", "\u00fcml\u00e4ut", "tab\there", "</script>", "%s%n", "@"]


def hostile(encode):
    r = random.Random(3)
    with open("h.csv", "wb") as f:
        text = io.StringIO()
        w = csv.writer(text)
        w.writerow(HOSTILE + ["y"])
        for _ in range(60):
            x = [r.gauss(0, 1) for _ in HOSTILE[1:]]
            w.writerow([r.choice(HOSTILE)] + x + [sum(x)])
        f.write(encode(text.getvalue()))
    good("select", "h.csv", "--method", "lars", "--quiet", "--model", "m")


def check_hostile_names():
    hostile(lambda s: s.encode())
    agree("m", "h.csv")
    round_trip("m", "h.csv")


def check_names_that_are_not_utf8():
    """They are read as Windows-1252, so that every model can be exported."""
    t = table(b"h\xf6he,b,y\n" + b"".join(b"%d,%d,%d\n" % (i * i % 11, i % 5, i * 7 % 13) for i in range(30)))
    good("select", t, "--method", "lssvm", "--model", "m", "--quiet")
    good("export", "m", "--to", "json", "-o", "m.json")
    assert good("predict", "m", t, "--quiet") == good("predict", "m.json", t, "--quiet")


def check_two_models_link():
    fit("m", "y", ["--method", "lars"])
    good("export", "m", "--to", "c", "--name", "first", "-o", "first.c")
    good("export", "m", "--to", "c", "--name", "second", "-o", "second.c")
    table("double first_predict(const double *x); double second_predict(const double *x);\n"
          "int main(void) { double x[10] = {0}; return first_predict(x) != second_predict(x); }\n", "both.c")
    subprocess.run(["gcc", "-std=c99", *STRICT, "-o", "linked", "both.c", "first.c", "second.c", "-lm"], check=True)
    assert subprocess.run(["./linked"]).returncode == 0


# ---- errors ----

def check_refusals():
    fit("m", "y", ["--method", "lars"])
    bad(2, "--name", "export", "m", "--to", "c", "--name", "9lives")
    bad(2, "--name", "export", "m", "--to", "c", "--name", "a b")
    bad(2, "one of c|json|one of", "export", "m", "--to", "fortran")
    bad(3, "cannot be read", "export", "nothing.model")
    bad(3, "not a tamis model", "export", "train.csv")
    bad(2, "needs MODEL", "export")


def check_malformed_json():
    fit("m", "y", ["--method", "lssvm", "--impute", "knn", *LSSVM], gaps=0.1)
    text = good("export", "m", "--to", "json")
    j = json.loads(text)
    for cut in (1, 10, len(text) // 2, len(text) - 3):
        bad(3, "cut.json: line .*not valid JSON", "predict", table(text[:cut], "cut.json"), "train.csv")
    bad(3, "is not a tamis model", "predict", table('{"tamis": "0.1.0", "format": 1}', "r.json"), "train.csv")
    bad(3, "format 9", "predict", table(text.replace('"tamis-model": 1', '"tamis-model": 9'), "f.json"), "train.csv")
    bad(3, "does not know", "predict", table(text.replace('"lssvm"', '"svm"'), "k.json"), "train.csv")

    def without(*path):
        k = json.loads(text)
        at = k
        for p in path[:-1]:
            at = at[p]
        del at[path[-1]]
        return k

    def changed(value, *path):
        k = json.loads(text)
        at = k
        for p in path[:-1]:
            at = at[p]
        at[path[-1]] = value
        return k

    broken = [without("targets"), without("inputs"), without("body"), without("impute"), without("series"),
              without("body", "alpha"), without("inputs", 0, "mean"),
              without("targets", 0, "scale"), changed([], "targets"), changed(-1, "targets", 0, "scale"),
              changed("x", "targets", 0, "mean"),
              changed(j["body"]["alpha"][:-1], "body", "alpha"),
              changed([None] * len(j["body"]["alpha"]), "body", "alpha"), changed(-1, "body", "centres"),
              changed(10 ** 18, "body", "centres"), changed(0, "body", "sigma2"), changed(1.5, "body", "centres"),
              changed("p", "inputs"), changed([1], "inputs"),
              changed("mode", "impute", "how"), changed(10 ** 12, "impute", "donors"),
              changed(0, "impute", "neighbours"), changed([], "impute", "fill"),
              changed(["a", "b"], "classes"), changed(True, "series"), changed(["one", "two"], "inputs", 0, "levels"),
              changed(5, "inputs", 0, "name")]
    for k in broken:
        bad(3, "b.json: .", "predict", table(json.dumps(k), "b.json"), "train.csv")
    bad(3, "not valid JSON", "predict", table('{"tamis-model": 1, "tamis-model": 1}', "d.json"), "train.csv")
    bad(3, "not valid JSON", "predict", table("{" * 100000, "deep.json"), "train.csv")
    huge = text.replace('"sigma2": ', '"sigma2": 1e999, "old": ')
    bad(3, "not valid JSON", "predict", table(huge, "i.json"), "train.csv")


if not (shutil.which("gcc") and shutil.which("g++")):
    def skipped():
        raise Skip("gcc or g++ is not installed")
    for name in [n for n in globals() if n.startswith("check_") and n != "check_malformed_json"]:
        globals()[name] = skipped
sys.exit(main(globals()))
