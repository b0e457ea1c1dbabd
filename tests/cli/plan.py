#!/usr/bin/env python3
"""Before and during a run: what can fail is checked first, estimates do not run, progress never falls."""
import os, re, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, bad, good, main, run

IRIS, BOSTON = (os.path.join(ROOT, "data", name) for name in ("iris.csv", "boston.csv"))


def check_outputs_first():
    """The estimate of a run whose output cannot be written is refused too: nothing has run."""
    words = ("select", BOSTON, "--dry-run")
    for option in "output", "model", "report", "checkpoint":
        bad(1, "--%s: no/such/f: cannot be written" % option, *words, "--" + option, "no/such/f")
    bad(1, "Is a directory", *words, "--output", ".")
    bad(2, "--output and --model both name f", *words, "--output", "f", "--model", "f")
    os.symlink(IRIS, "iris.csv")
    bad(2, "would overwrite", "select", "iris.csv", "-o", "iris.csv")
    bad(1, "--output: no/such/f: cannot be written", "compare", BOSTON, "--dry-run", "--output", "no/such/f")


def seconds(text):
    return float(re.search(r"time: about (\S+) s", text).group(1))


def check_estimates():
    """Folds, repeats and resamples count; a comparison is estimated, not run."""
    flops = seconds(good("select", BOSTON, "--method", "sisal", "--dry-run"))
    assert flops > 0
    for words in (("--outer", "20", "--repeats", "20"), ("--bootstrap", "500"), ("--stability", "1")):
        assert seconds(good("select", BOSTON, "--method", "sisal", "--dry-run", *words)) > 10 * flops
    text = good("compare", BOSTON, "--repeats", "100", "--dry-run")
    assert "5 folds, 100 repeats" in text and "not for regression: fei" in text and seconds(text) > 0


def shares(text):
    return [int(m) for m in re.findall(r"(\d+) %", text)]


def check_progress_never_falls():
    for words in (("--outer", "2", "--bootstrap", "2"), ("--outer", "2", "--stability", "1", "--stability-pairs", "2"),
                  ("--method", "fei"),
                  ("--method", "rjmcmc", "--samples", "2000", "--burn-in", "500"),
                  ("--method", "lssvm", "--select", "forward", "--select-rule", "se", "--outer", "2")):
        code, _, err = run("select", IRIS, *words, "--progress", "always", "--no-evidence")
        got = shares(err.split("note:")[0])
        assert code == 0 and got and got == sorted(got) and got[-1] == 100, (words, got, err)


def check_verbose():
    code, out, err = run("select", IRIS, "--outer", "3", "--verbose")
    assert code == 0 and "outer 2 of 3" in err and "\r" not in err and shares(err) == sorted(shares(err)), err
    assert "%" not in run("select", IRIS)[2] and "%" not in run("select", IRIS, "--verbose", "--quiet")[2]
    err = run("compare", IRIS, "--methods", "search:criterion=knn,sift", "--verbose")[2]
    assert shares(err) == sorted(shares(err)) and "sift 5 of 5" in err, err


sys.exit(main(globals()))
