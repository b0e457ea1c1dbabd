#!/usr/bin/env python3
"""The figures of Mateo & Lendasse (2008) for the Delta Test, Tables 1 and 3, with `tamis select --method search`: paper, an independent
reference, ours; known answers; and how time grows with the rows.
usage: bench/delta_figures.py [figures] [known] [speed] [growth] [DATA-FOLDER]     (default: figures known speed)
Data: anthrokids_1019x53.csv in ../shared/data or the folder named; what is not there is skipped by name. Seconds are those of the whole call."""
import collections, csv, json, os, random, resource, statistics, subprocess, sys, tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
TAMIS = os.path.join(ROOT, "build", "tamis")
WORK = tempfile.mkdtemp(prefix="tamis-")
PARTS = [a for a in sys.argv[1:] if a in ("figures", "known", "speed", "growth")] or ["figures", "known", "speed"]
DATA = next((a for a in sys.argv[1:] if os.path.isdir(a)), os.path.join(ROOT, "..", "shared", "data"))
FILE = os.path.join(DATA, "anthrokids_1019x53.csv")
PAPER = ["STATURE", "ERECT SITTING HEIGHT", "BUTTOCK-KNEE LENGTH", "SHOULDER BREADTH", "UPPER ARM CIRCUMFERENCE", "ELBOW-HAND LENGTH", "CHEST CIRCUMFERENCE",
         "WAIST CIRCUMFERENCE", "HIP CIRCUMFERENCE", "UPPER THIGH CIRCUMFERENCE", "CALF CIRCUMFERENCE", "FOOT LENGTH"]


def select(file, *more):
    out = subprocess.run([TAMIS, "select", file, "--method", "search", "--json", "--quiet", *more], check=True, capture_output=True, text=True).stdout
    return json.loads(out)


def spread(v):
    return "%.4f +- %.4f (%.4f-%.4f)" % (statistics.mean(v), statistics.stdev(v), min(v), max(v))


def stability(sets, inputs):
    """Nogueira, Sechidis & Brown (2018): 1 the same set every time, 0 no better than chance."""
    m, d = len(sets), len(inputs)
    p = [sum(i in s for s in sets) / m for i in inputs]
    k = sum(p)
    return 1 - sum(m / (m - 1) * q * (1 - q) for q in p) / d / (k / d * (1 - k / d))


def figures():
    if not os.path.exists(FILE):
        print("Tables 1 and 3: skipped, %s is not there" % FILE)
        return
    table = list(csv.reader(open(FILE)))
    target = table[0].index("WEIGHT")
    plain, scaled = [], []
    for seed in range(1, 21):
        rows = table[1:]
        random.Random(seed).shuffle(rows)
        train, test = (os.path.join(WORK, "anthro-%s.csv" % p) for p in ("train", "test"))
        for f, part in ((train, rows[:713]), (test, rows[713:])):
            csv.writer(open(f, "w", newline="")).writerows([table[0]] + part)
        plain.append(select(train, "--target", table[0][target], "--test", test))
        scaled.append(select(train, "--target", table[0][target], "--test", test, "--scaling"))
    sizes = [len(r["selected"]) for r in plain]
    print("anthrokids 713/306, 20 splits    paper                   reference                        ours")
    print("  DT, forward-backward           .0070 (best of several) .0066-.0083                      %s, best %.4f" % (spread([r["search"]["value"] for r in plain]), min(r["search"]["value"] for r in plain)))
    print("  variables                      12                      3-14                             %d-%d, mean %.1f" % (min(sizes), max(sizes), statistics.mean(sizes)))
    print("  DT after scaling               .0070 -> .0064          .00667 -> .00625                 %s, ratio %.3f" % (
        spread([r["search"]["value"] for r in scaled]), statistics.mean(r["search"]["value"] / r["search"]["unscaled"] for r in scaled)))
    print("  variables after scaling        18                                                       %d-%d" % (min(len(r["selected"]) for r in scaled), max(len(r["selected"]) for r in scaled)))
    print("  1-to-20-NN test error          -                       -                                %s; with scaling %s" % (spread([r["error"]["test"] for r in plain]), spread([r["error"]["test"] for r in scaled])))
    print("  seconds                        281.63; scaling 1495.95 -                                %.2f; %.2f (median of the whole call)" % (statistics.median(r["seconds"] for r in plain), statistics.median(r["seconds"] for r in scaled)))
    count = collections.Counter(i for r in plain for i in r["selected"])
    names = [i["name"] for i in plain[0]["inputs"]]
    print("  stability of the set (Nogueira) %.2f; of the paper's 12 variables, found on average: %.1f" % (stability([set(r["selected"]) for r in plain], names), statistics.mean(sum(p in r["selected"] for p in PAPER) for r in plain)))
    print("  most frequent: " + ", ".join("%s %d/20" % (n.capitalize(), c) for n, c in count.most_common(8)))


def known():
    friedman = wide = product = empty = 0
    file = os.path.join(WORK, "known.csv")
    for seed in range(1, 13):
        subprocess.run([TAMIS, "generate", "friedman1", "--rows", "300", "--seed", str(seed), "-o", file], check=True)
        friedman += sorted(select(file)["selected"]) == ["x1", "x2", "x3", "x4", "x5"]
        subprocess.run([TAMIS, "generate", "interaction", "--rows", "300", "--seed", str(seed), "-o", file], check=True)
        product += sorted(select(file, "--start", "full")["selected"]) == ["x1", "x2"]
        empty += sorted(select(file)["selected"]) == ["x1", "x2"]
        if seed <= 5:
            subprocess.run([TAMIS, "generate", "friedman1", "--rows", "1000", "--useless", "45", "--seed", str(seed), "-o", file], check=True)
            wide += sorted(select(file)["selected"]) == ["x1", "x2", "x3", "x4", "x5"]
    print("known answers                                    reference  ours")
    print("  Friedman 5 of 10, N = 300, from empty          12 of 12   %d of 12" % friedman)
    print("  Friedman 5 of 50, N = 1000, from empty         5 of 5     %d of 5" % wide)
    print("  product of two inputs, N = 300, from full      12 of 12   %d of 12" % product)
    print("  product of two inputs, N = 300, from empty     5 of 12    %d of 12" % empty)


def timed(*words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = select(*words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def speed():
    if not os.path.exists(FILE):
        print("speed on 1019 x 53: skipped, %s is not there" % FILE)
        return
    runs = [timed(FILE, "--target", "WEIGHT", *more) for more in ([], ["--threads", "1"]) for _ in range(5)]
    for name, part in (("all cores", runs[:5]), ("one core", runs[5:])):
        r, cpu = min(part, key=lambda p: p[0]["seconds"])
        print("1019 x 53, forward-backward, %s: %.3f s for search, relevances, all inputs and model (%.3f s of processor time with reading); the paper's search: 281.63 s" % (name, r["seconds"], cpu))


def growth():
    print("Friedman 5 of 20, forward-backward from empty\n        N   seconds   processor   N log N ratio   chosen")
    last = None
    for n in (1000, 10000, 100000, 1000000):
        file = os.path.join(WORK, "growth.csv")
        subprocess.run([TAMIS, "generate", "friedman1", "--rows", str(n), "--useless", "15", "--seed", "1", "-o", file], check=True)
        r, cpu = timed(file, "--memory", "4G")
        print("%9d %9.2f %11.2f %15s   %s" % (n, r["seconds"], cpu, "" if last is None else "%.1f" % (cpu / last), " ".join(r["selected"])), flush=True)
        last = cpu
        os.remove(file)


for part in PARTS:
    globals()[part]()
