#!/usr/bin/env python3
"""Table 1 and the inclusion figure of Sykacek (NIPS 1999) with `tamis select --method rjmcmc`: paper, an independent
reference, ours.
usage: bench/rjmcmc_figures.py [DATA [SPLITS [SCALE]]]
DATA: folder with pima_tr.csv, pima_te.csv, wine_recognition.csv, ionosphere.csv (default ../shared/data); SPLITS: of
wine and ionosphere (default 3); SCALE multiplies the samples (default 1). Tables that are missing are skipped with a
message. Prints average inputs / largest number of inputs / accuracy in per cent, then R-hat, effective samples, round
trips of the ladder, processor seconds, inclusion."""
import csv, json, os, random, resource, subprocess, sys, time

from files import ROOT, TAMIS, folder

DATA = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "..", "shared", "data")
SPLITS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
SCALE = float(sys.argv[3]) if len(sys.argv) > 3 else 1
WORK = folder()


def select(train, test, samples, burn_in, *more):
    n, burn = int(samples * SCALE), int(burn_in * SCALE)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.time()
    words = [TAMIS, "select", train, "--test", test, "--method", "rjmcmc", "--samples", str(n), "--burn-in", str(burn),
             "--json", "--quiet", *more]
    out = subprocess.run(words, check=True, capture_output=True, text=True)
    cpu = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return dict(json.loads(out.stdout), cpu=cpu, wall=time.time() - began)


def show(label, r):
    b = r["rjmcmc"]
    rhats, ess = ([i[k] for i in b["inclusion"] if i[k]] for k in ("rhat", "ess"))
    print("%-26s %.2f/%d/%.1f   R-hat of inclusion <= %.3f, of all <= %.3f; ess of inclusion >= %.0f, of "
          "log-likelihood %.0f; %d round trips; converged %s; %.0f core seconds, %.0f s wall clock"
          % (label, b["size"]["mean"], b["size"]["max"], 100 * (1 - r["error"]["test"]), max(rhats), b["worst_rhat"],
             min(ess), b["log_likelihood"]["ess"], b["tempering"]["round_trips"], b["converged"], r["cpu"], r["wall"]))
    inputs = sorted(b["inclusion"], key=lambda i: -i["probability"])[:13]
    print("    " + ", ".join("%s %.2f+-%.2f" % (i["name"], i["probability"], i["mcse"] or 0) for i in inputs))
    accepted = ", ".join("%s %.3f" % m for m in b["acceptance"].items())
    print("    accepted: %s; swaps %s" % (accepted, " ".join("%.2f" % s for s in b["tempering"]["swaps"])), flush=True)


def split(name, n, seed, rows_used=None):
    with open(os.path.join(DATA, name + ".csv")) as f:
        head, *rows = list(csv.reader(f))
    random.Random(seed).shuffle(rows)
    rows = rows[:rows_used]
    files = [os.path.join(WORK, "%s-%d-%s.csv" % (name, seed, part)) for part in ("train", "test")]
    for file, part in zip(files, (rows[:n], rows[n:])):
        with open(file, "w", newline="") as f:
            csv.writer(f).writerows([head] + part)
    return files


def there(*names):
    missing = [n for n in names if not os.path.exists(os.path.join(DATA, n))]
    for n in missing:
        print("skipped: %s is not in %s" % (n, DATA))
    return not missing


if there("pima_tr.csv", "pima_te.csv"):
    print("Pima.tr/te, 3 kernels      paper 4/7/78.9; reference 3.51/7/80.1, glu 1.00, age .94, bmi .55, ped .29, "
          "npreg .28, skin .24, bp .21")
    files = [os.path.join(DATA, name) for name in ("pima_tr.csv", "pima_te.csv")]
    show("  ours", select(*files, 15000, 5000, "--kernels", "3"))
if there("wine_recognition.csv"):
    print("Wine 62/63, 3 kernels      paper 4.4/8/100; reference 5.25/13/100 (84-100 over splits), flavanoids .90, "
          "proline .86, colour .66, alcohol .54")
    for seed in range(1, SPLITS + 1):
        files = split("wine_recognition", 62, seed, 125)
        show("  ours, split %d" % seed, select(*files, 15000, 5000, "--kernels", "3", "--task", "classification"))
if there("ionosphere.csv"):
    print("Ionosphere 175/176, 6      paper 4.3/9/91.5; reference 5.4/17/89.8 (88-91 over splits; R-hat 1.58, not "
          "converged)")
    for seed in range(1, SPLITS + 1):
        files = split("ionosphere", 175, seed)
        show("  ours, split %d" % seed, select(*files, 250000, 12500, "--kernels", "6"))
