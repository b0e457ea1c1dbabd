#!/usr/bin/env python3
"""The figures of Tikka & Hollmen (ESANN 2008), Table 2, with `tamis select`: paper, an independent reference, ours.
usage: bench/sisal_figures.py [DATA]     DATA: folder with wine_spectra.csv (default ../shared/data); rows without data are skipped by name
LOO error / test error (MSE of the standardised target) / number of inputs; ours as mean +- sd over draws or splits."""
import csv, json, os, random, statistics, subprocess, sys, tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
TAMIS = os.path.join(ROOT, "build", "tamis")
DATA = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "..", "shared", "data")
WORK = tempfile.mkdtemp(prefix="tamis-")


def select(train, test, *more):
    out = subprocess.run([TAMIS, "select", train, "--test", test, "--json", "--quiet", *more], check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


def spread(values):
    return "%.4f" % values[0] if len(values) == 1 else "%.3f+-%.3f" % (statistics.mean(values), statistics.stdev(values))


def counts(values):
    return str(values[0]) if min(values) == max(values) else "%d-%d" % (min(values), max(values))


def show(label, paper, reference, results, all_inputs=False):
    e = [r["error"] for r in results]
    n = [r["data"]["inputs"] if all_inputs else len(r["selected"]) for r in results]
    ours = "%s / %s / %s" % (spread([x["all_inputs" if all_inputs else "selected"] for x in e]), spread([x["test_all_inputs" if all_inputs else "test"] for x in e]), counts(n))
    print("%-22s %-20s %-32s %s" % (label, paper, reference, ours), flush=True)


def split(rows, head, n, name):
    files = [os.path.join(WORK, name + part) for part in ("-train.csv", "-test.csv")]
    for file, part in zip(files, (rows[:n], rows[n:])):
        with open(file, "w", newline="") as f:
            csv.writer(f).writerows([head] + part)
    return files


def add10():
    rows = []
    for seed in range(1, 21):
        train, test = (os.path.join(WORK, "add10-%s.csv" % p) for p in ("train", "test"))
        subprocess.run([TAMIS, "generate", "add10", "--rows", "250", "--seed", str(seed), "-o", train], check=True)
        subprocess.run([TAMIS, "generate", "add10", "--rows", "9542", "--seed", str(1000 + seed), "-o", test], check=True)
        rows.append((select(train, test, "--method", "sisal", "--sigma2", "1:500:50"), train, test))
    right = sum(sorted(r["selected"]) == ["x1", "x2", "x3", "x4", "x5"] for r, _, _ in rows)
    show("Add10, all", ".170/.164/10", ".151+-.012/.149+-.008", [r for r, _, _ in rows], True)
    show("Add10, SISAL", ".069/.060/5", ".057+-.004/.058+-.004/5", [r for r, _, _ in rows])
    forward = []
    for seed in range(1, 6):
        train, test = (os.path.join(WORK, "add10-%s.csv" % p) for p in ("train", "test"))
        subprocess.run([TAMIS, "generate", "add10", "--rows", "250", "--seed", str(seed), "-o", train], check=True)
        subprocess.run([TAMIS, "generate", "add10", "--rows", "9542", "--seed", str(1000 + seed), "-o", test], check=True)
        forward.append(select(train, test, "--method", "forward", "--sigma2", "1:500:50"))
    show("Add10, forward", ".069/.060/5", ".057/.058/5", forward)
    print("Add10: SISAL chose exactly the five true inputs in %d of %d draws (at least 19 wanted)" % (right, len(rows)))


def boston():
    table = list(csv.reader(open(os.path.join(ROOT, "data", "boston.csv"))))
    sisal, forward = [], []
    for seed in range(1, 6):
        rows = table[1:]
        random.Random(seed).shuffle(rows)
        train, test = split(rows, table[0], 400, "boston")
        sisal.append(select(train, test, "--method", "sisal", "--sigma2", "1:500:50"))
        if seed <= 3:
            forward.append(select(train, test, "--method", "forward", "--sigma2", "1:500:50"))
    show("Boston 400/106, all", ".110/.148/13", ".111+-.013/.146+-.046", sisal, True)
    show("Boston, SISAL", ".104/.133/9", ".106+-.008/.113+-.025/9-12", sisal)
    show("Boston, forward", ".093/.127/10", ".096-.106/.106-.206/10-12", forward)


def wine():
    file = os.path.join(DATA, "wine_spectra.csv")
    if not os.path.exists(file):
        print("Wine spectra: skipped, %s is not there" % file)
        return
    table = list(csv.reader(open(file)))
    train, test = split(table[1:], table[0], 94, "wine")
    grid = ["--sigma2", "5:1e6:50", "--gamma", "1e-8:1e3"]
    sisal = [select(train, test, "--method", "sisal", *grid)]
    show("Wine 94/30, all", ".004/.014/256", ".0041/.0136", sisal, True)
    show("Wine, SISAL", ".002/.004/39", ".0015/.0042/37", sisal)
    deep = [select(train, test, "--method", "sisal", "--sigma2", "5:1e6:50", "--gamma", "1e-12:1e3")]
    show("Wine, gamma >= 1e-12", "", "16 inputs", deep)
    forward = [select(train, test, "--method", "forward", "--max-inputs", "64", *grid)]
    show("Wine, forward to 64", ".001/.003/36", ".0011/.0027/45", forward)


print("%-22s %-20s %-32s %s" % ("LOO / test / inputs", "paper", "reference", "ours"))
add10()
boston()
wine()
