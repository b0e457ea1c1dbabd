#!/usr/bin/env python3
"""Sunspots and Santa Fe A with lags: the selected lags and the one-step error on the last rows, against a linear
autoregression of the same data (least squares on all lags, and on those that LARS keeps).
usage: bench/series_figures.py [DATA]
DATA: folder with sunspots_year.csv and santafe_A_1100.csv (default ../shared/data)
Errors are mean squared errors divided by the variance of the training target; within: cross-validated for the linear
models, leave-one-out for the others."""
import json, os, subprocess, sys

from files import ROOT, TAMIS, folder

DATA = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "..", "shared", "data")
SMALL = {"sisal": ["--sigma2", "1:5000:25"], "forward": ["--sigma2", "1:5000:25"]}
LASER = {"sisal": ["--sigma2", "1:500:10"],
         "forward": ["--sigma2", "1:500:6", "--centers", "200", "--max-inputs", "8"]}
# file, rows, target, columns to ignore, lags, share held out, description, options by method
SERIES = [("sunspots_year.csv", 256, "sunspots", "t,year", "1:12", 35 / 244,
           "1700-1955; test on 1921-1955, the usual split in the literature", SMALL),
          ("sunspots_year.csv", 289, "sunspots", "t,year", "1:12", 69 / 277,
           "1700-1988; test on 1920-1988, with cycles higher than any before", SMALL),
          ("santafe_A_1100.csv", 1100, "laser", "t", "1:12", 100 / 1088,
           "laser; 988 training rows, tested on the competition's 100", LASER)]


def select(file, *more):
    words = [TAMIS, "select", file, "--json", "--quiet", *more]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def lags(r):
    return " ".join(str(k) for k in sorted(int(name.split("[t-")[1][:-1]) for name in r["selected"]))


def show(label, inside, test, chosen):
    print("  %-26s %9.4f %9.4f   %s" % (label, inside, test, chosen), flush=True)


def series(file, rows, target, ignore, span, holdout, about, more):
    path = os.path.join(DATA, file)
    if not os.path.exists(path):
        print("skipped: %s is missing" % path)
        return
    short = os.path.join(folder(), file)
    with open(path) as f, open(short, "w") as g:
        g.writelines(f.readlines()[:rows + 1])
    common = [short, "--target", target, "--ignore", ignore, "--lags", span, "--holdout", "%.17g" % holdout]
    print("%s (%s), lags %s\n  %-26s %9s %9s   %s" % (target, about, span, "", "within", "test", "lags"))
    r = select(*common, "--method", "lars")
    show("linear AR, all lags", r["error"]["all_inputs"], r["error"]["test_all_inputs"], span)
    show("linear AR, lars", r["error"]["selected"], r["error"]["test"], lags(r))
    for method in ("sisal", "forward"):
        r = select(*common, "--method", method, *more[method])
        show("%s, all lags" % method, r["error"]["all_inputs"], r["error"]["test_all_inputs"], span)
        show("%s (%.0f s)" % (method, r["seconds"]), r["error"]["selected"], r["error"]["test"], lags(r))
    r = select(*common, "--method", "opelm", "--criterion", "press", "--search", "forward")
    show("opelm, all lags", r["error"]["all_inputs"], r["error"]["test_all_inputs"], span)
    show("opelm, forward on press", r["error"]["selected"], r["error"]["test"], lags(r))
    print()


for one in SERIES:
    series(*one)
