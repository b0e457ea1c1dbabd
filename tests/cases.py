#!/usr/bin/env python3
"""Prints the arrays of tests/cases_lssvm.h and tests/cases_sisal.h: known answers of an independent implementation.
    tests/cases.py lssvm lssvm_grid.json rrkrr_greedy.json
    tests/cases.py sisal sisal_tiny.json sisal_ties.json sisal_friedman.json"""
import json
import sys
import textwrap

WIDTH = 120


def put(text, more=1):
    """One initialiser per line of text; long ones continue, indented by `more` further columns."""
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        print(textwrap.fill(line.strip(), WIDTH, initial_indent=" " * indent, subsequent_indent=" " * (indent + more),
                            break_long_words=False, break_on_hyphens=False))


def number(v):
    return "NAN" if v is None else repr(float(v))


def numbers(record, *names):
    return ", ".join(number(record[name]) for name in names)


def array(kind, name, items):
    put("static const %s %s[] = {" % (kind, name))
    put("    " + " ".join(item + "," for item in items), 0)
    put("};")


def doubles(name, items):
    array("double", name, map(number, items))


def sizes(name, items):
    array("size_t", name, map(str, items))


def structs(declaration, rows):
    put("static const struct %s[] = {" % declaration)
    for row in rows:
        put("    {%s}," % row)
    put("};")


def columns(x):
    """A matrix given by rows, column by column."""
    return [row[k] for k in range(len(x[0])) for row in x]


# ---- LS-SVM and RRKRR ----

def lssvm(grid_file, greedy_file):
    g, r = json.load(open(grid_file)), json.load(open(greedy_file))
    assert g["X"] == r["X"] and g["y"] == r["y"] and g["folds"] == r["folds"]
    n, d, folds = len(g["X"]), len(g["X"][0]), g["folds"]
    put("enum { LSSVM_N = %d, LSSVM_D = %d, LSSVM_FOLDS = %d };" % (n, d, len(folds)))
    doubles("lssvm_x", columns(g["X"]))
    doubles("lssvm_y", g["y"])
    sizes("lssvm_fold", [next(f for f, rows in enumerate(folds) if i in rows) for i in range(n)])
    lssvm_machines(g)
    rrkrr_machines(r)


def lssvm_machines(g):
    for k, c in enumerate(g["grid"]):
        doubles("lssvm_beta_%d" % k, c["beta"])
        doubles("lssvm_loo_%d" % k, c["loo_residuals"])
    structs("{ double sigma2, gamma, b, loo, cv, cond; const double *beta, *residual; } lssvm_grid",
            ["%s, lssvm_beta_%d, lssvm_loo_%d" % (numbers(c, "sigma2", "gamma", "b", "loo_mse", "cv_mse", "cond"), k, k)
             for k, c in enumerate(g["grid"])])
    structs("{ size_t input; double cv, sigma2, gamma; } lssvm_path",
            ["%d, %s" % (s["input"], numbers(s, "cv", "sigma2", "gamma")) for s in g["fs"]["path"]])


def rrkrr_machines(r):
    sizes("rrkrr_order", r["order"])
    doubles("rrkrr_mre", r["mre"])
    for k, f in enumerate(r["fits"]):
        doubles("rrkrr_beta_%d" % k, f["beta"])
        doubles("rrkrr_fitted_%d" % k, f["fitted"])
    structs("{ size_t size; double gamma, b, cond; const double *beta, *fitted; } rrkrr_fits",
            ["%d, %s, rrkrr_beta_%d, rrkrr_fitted_%d" % (f["size"], numbers(f, "gamma", "b", "cond_KSS"), k, k)
             for k, f in enumerate(r["fits"])])
    doubles("rrkrr_cv_gamma", r["cv"]["gamma"])
    doubles("rrkrr_cv", r["cv"]["fixed_set"])
    sizes("rrkrr_ill_order", r["ill"]["order"])
    doubles("rrkrr_ill_mre", r["ill"]["mre"])
    structs("{ double tolerance; size_t size; } rrkrr_ill_sizes",
            ["%s, %d" % pair for pair in r["ill"]["size_by_pivot_tol"].items() if pair[0] != "1e-12"])


# ---- sisal and forward selection ----

def sisal(*files):
    rows = [sisal_case(json.load(open(file))) for file in files]
    put("static const struct sisal_case sisal_cases[] = {")
    for row in rows:
        put(row)
    put("};")


def sisal_case(c):
    n, s, fs = c["name"], c["settings"], c["fs"]
    doubles(n + "_x", columns(c["X"]))
    doubles(n + "_y", c["y"])
    sisal_fixed(n, c["fixed_point"])
    golden, scan = sisal_path(n + "_sisal", c["sisal"]), sisal_path(n + "_scan", c["sisal_scan"])
    sizes(n + "_fs_order", fs["order"])
    doubles(n + "_fs_loo_path", fs["loo_path"])
    return "\n".join([
        '    {"%s", %d, %d, %s_x, %s_y, %s, %d, %s, %d, %s_fixed,' % (
            n, c["n"], c["d"], n, n, numbers(s, "sigma2_lo", "sigma2_hi"), s["sigma2_n"],
            numbers(s, "log10gamma_lo", "log10gamma_hi", "golden_tol_log10", "tie_rtol"), len(c["fixed_point"]), n),
        "     {%s}," % golden,
        "     {%s}," % scan,
        "     {%d, %s_fs_order, %s_fs_loo_path, %d, %s}}," % (len(fs["order"]), n, n, fs["best_step"],
                                                              number(fs["best_loo"]))])


def sisal_fixed(n, points):
    parts = ("loo_residuals", "alpha", "relevance")
    for k, f in enumerate(points):
        for part in parts:
            doubles("%s_fixed_%d_%s" % (n, k, part), f[part])
    structs("sisal_fixed %s_fixed" % n,
            [", ".join([numbers(f, "sigma2", "gamma", "loo")] + ["%s_fixed_%d_%s" % (n, k, part) for part in parts])
             for k, f in enumerate(points)])


def sisal_path(name, p):
    for k, s in enumerate(p["steps"]):
        sizes("%s_inputs_%d" % (name, k), s["inputs"])
        doubles("%s_relevance_%d" % (name, k), s["relevance"])
    structs("sisal_step %s_steps" % name, [
        "%d, %s_inputs_%d, %d, %s, %s_relevance_%d, %s, %s, %d" % (
            len(s["inputs"]), name, k, s["sigma2_index"], numbers(s, "sigma2", "gamma", "log10gamma", "loo"), name, k,
            "(size_t)-1" if s["removed"] is None else s["removed"], numbers(s, "margin_removed", "margin_sigma2"),
            s["gamma_at_lower_bound"])
        for k, s in enumerate(p["steps"])])
    sizes(name + "_order", p["order"])
    doubles(name + "_loo_path", p["loo_path"])
    sizes(name + "_best_inputs", p["best_inputs"])
    doubles(name + "_alpha_best", p["alpha_best"])
    return "%d, %s_steps, %s_order, %s_loo_path, %d, %d, %s_best_inputs, %s, %s_alpha_best" % (
        len(p["steps"]), name, name, name, p["best_step"], len(p["best_inputs"]), name,
        numbers(p, "best_loo", "margin_best"), name)


if __name__ == "__main__":
    {"lssvm": lssvm, "sisal": sisal}[sys.argv[1]](*sys.argv[2:])
