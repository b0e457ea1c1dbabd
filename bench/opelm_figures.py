#!/usr/bin/env python3
"""The figures of Mateo & Lendasse (2008), Tables 1, 2 and 4, with `tamis select`: paper, an independent reference, ours.
usage: bench/opelm_figures.py [DATA]     DATA: folder with anthrokids_1019x53.csv (default ../shared/data)
LOO (PRESS) / test error / neurons, mean squared errors of the standardised target, as mean +- sd over 20 splits of 713 and 306 rows.
One child of the 1019 has weight 0, a missing target: in the paper's split it must lie in the test rows (it alone adds about .011 to the
test error), so ours are given for splits with it among the test rows, and the test error also without it."""
import csv, json, os, random, statistics, subprocess, sys, tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
TAMIS = os.path.join(ROOT, "build", "tamis")
DATA = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "..", "shared", "data")
WORK = tempfile.mkdtemp(prefix="tamis-")
SPLITS = 20

# Table 1: the paper's name (with our column where it differs), its LARS rank
TABLE1 = {"STATURE": 12, "ERECT SITTING HEIGHT": 7, "BUTTOCK-KNEE LENGTH": 10, "SHOULDER BREADTH": 4, "UPPER ARM CIRCUMFERENCE": 5,
          "ELBOW-HAND LENGTH": 8, "CHEST CIRCUMFERENCE": 1, "WAIST CIRCUMFERENCE": 6, "HIP CIRCUMFERENCE": 3, "UPPER THIGH CIRCUMFERENCE": 11,
          "CALF CIRCUMFERENCE": 2, "FOOT LENGTH": 9}
# Table 3: factors of the inputs that scaling adds
TABLE3 = {"FOREARM CIRCUMFERENCE": 0.5, "SHOULDER-ELBOW LENGTH": 0.4, "LOWER FACE HEIGHT": 0.2, "HAND BREADTH": 0.1,
          "MAXIMUM FIST CIRCUMFERENCE": 0.1, "BIRTH ORDER": 0.1}
# Tables 2 and 4: inputs, neurons, paper, reference
TABLES = [("53", "ls", ".0221/.0354/88", ""), ("53", "lg", ".0060/.0167/118", ".0053/.0179/105"), ("53", "lsg", ".0069/.0169/143", ""),
          ("12", "ls", ".0110/.0214/47", ".0108/.0228/47"), ("12", "lg", ".0060/.0170/17", ".0057/.0183/17"), ("12", "lsg", ".0062/.0173/22", ""),
          ("18 scaled", "ls", ".0106/.0210/68", ""), ("18 scaled", "lg", ".0058/.0168/17", ".0055/.0179/20"), ("18 scaled", "lsg", ".0058/.0166/17", "")]


def tamis(*words):
    return subprocess.run([TAMIS, *words], check=True, capture_output=True, text=True).stdout


def select(train, test, *more):
    return json.loads(tamis("select", train, "--test", test, "--json", "--quiet", *more))


def splits():
    rows = list(csv.reader(open(os.path.join(DATA, "anthrokids_1019x53.csv"))))
    head, rows = rows[0], rows[1:]
    odd = [r for r in rows if float(r[-1]) == 0]
    rest = [r for r in rows if float(r[-1]) != 0]
    for seed in range(SPLITS):
        random.Random(seed).shuffle(rest)
        files = []
        for part, chosen in (("train", rest[:713]), ("test", rest[713:] + odd), ("clean", rest[713:])):
            files.append(os.path.join(WORK, "%s-%d.csv" % (part, seed)))
            with open(files[-1], "w", newline="") as f:
                csv.writer(f).writerows([head] + chosen)
        yield files


def spread(v, digits=4):
    return ("%%.%df+-%%.%df" % (digits, digits) % (statistics.mean(v), statistics.stdev(v))).replace("0.", ".")


def spearman(a, b):
    n = len(a)
    return 1 - 6 * sum((x - y) ** 2 for x, y in zip(a, b)) / (n * (n * n - 1))


def words(inputs):
    if inputs == "53":
        return []
    if inputs == "12":
        return ["--inputs", ",".join(TABLE1)]
    return ["--inputs", ",".join(list(TABLE1) + list(TABLE3)), "--factors", ",".join("%s=%g" % f for f in TABLE3.items())]


def table1(files):
    ranks = []
    for train, test, _ in files:
        order = json.loads(tamis("select", train, "--method", "lars", "--inputs", ",".join(TABLE1), "--json", "--quiet"))["lars"]["order"]
        ranks.append([order.index(name) + 1 for name in TABLE1])
    print("Table 1: LARS rank of the paper's 12 inputs; ours as median over %d splits (least-most)" % SPLITS)
    for i, (name, rank) in enumerate(TABLE1.items()):
        column = sorted(r[i] for r in ranks)
        print("  %-28s paper %2d   ours %4.1f (%d-%d)" % (name, rank, statistics.median(column), column[0], column[-1]))
    rho = [spearman(list(TABLE1.values()), r) for r in ranks]
    print("  Spearman against the paper: reference .988; ours %.3f+-%.3f over splits, best %.3f\n" % (statistics.mean(rho), statistics.stdev(rho), max(rho)))


def tables(files):
    print("Tables 2 and 4: LOO / test / neurons")
    print("  %-14s %-20s %-18s %-44s %s" % ("inputs", "paper", "reference", "ours", "test without the weight-0 row"))
    for inputs, neurons, paper, reference in TABLES:
        loo, test, clean, count = [], [], [], []
        for seed, (train, whole, part) in enumerate(files):
            more = ["--method", "opelm", "--select", "none", "--neurons", neurons, "--seed", str(seed + 1), *words(inputs)]
            r, s = select(train, whole, *more), select(train, part, *more)
            loo.append(r["error"]["selected"]), test.append(r["error"]["test"]), clean.append(s["error"]["test"]), count.append(r["opelm"]["neurons"])
        print("  %-14s %-20s %-18s %-44s %s" % (inputs + " " + neurons.upper(), paper, reference, "%s / %s / %.0f+-%.0f" % (
            spread(loo), spread(test), statistics.mean(count), statistics.stdev(count)), spread(clean)), flush=True)


def by_delta(files, label, paper, more):
    delta, loo, test, clean, count, size, often = [], [], [], [], [], [], {}
    for seed, (train, whole, part) in enumerate(files):
        words = ["--method", "opelm", "--neurons", "lg", "--seed", str(seed + 1), *more]
        r, s = select(train, whole, *words), select(train, part, *words)
        delta.append(r["opelm"]["delta"]), loo.append(r["error"]["selected"]), test.append(r["error"]["test"]), clean.append(s["error"]["test"])
        count.append(r["opelm"]["neurons"]), size.append(len(r["selected"]))
        for name in r["selected"]:
            often[name] = often.get(name, 0) + 1
    print("\n%s: %s" % (label, paper))
    print("  ours DT %s (%.4f-%.4f), %d-%d inputs; LG %s / %s / %.0f, test without the weight-0 row %s" % (
        spread(delta), min(delta), max(delta), min(size), max(size), spread(loo), spread(test), statistics.mean(count), spread(clean)))
    print("  most often: " + ", ".join("%s %d" % f for f in sorted(often.items(), key=lambda f: -f[1])[:8]), flush=True)


def chosen_by_delta(files):
    by_delta(files, "chosen by the Delta Test, forward-backward from the empty set", "paper DT .0070, 12 inputs; reference .0066-.0083, 3-14", [])
    by_delta(files, "and scaled", "paper DT .0064, 18 inputs; reference .00625", ["--scaling"])


def main():
    if not os.path.exists(os.path.join(DATA, "anthrokids_1019x53.csv")):
        print("skipped: %s/anthrokids_1019x53.csv is not there" % DATA)
        return
    files = list(splits())
    table1(files)
    tables(files)
    chosen_by_delta(files)


main()
