#!/usr/bin/env python3
"""Coverage of 90 % prediction intervals on rows that neither selection nor fit saw: R random splits of real tables (70 %
of the rows to learn from), R fresh pairs of tables from the generators. usage: intervals.py path/to/tamis [repeats]
[table...]. Boston is shipped; diabetes comes with Debian's python3-sklearn and is left out without it (run with
/usr/bin/python3). docs/intervals.md has its table."""
import csv, math, os, random, subprocess, sys, tempfile

TAMIS = os.path.abspath(sys.argv[1])
REPEATS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
LEVEL = 0.9
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
MADE = {"friedman1": 200, "add10": 300, "inter": 400, "weak": 300}


def tamis(*words):
    return subprocess.run([TAMIS, *words], check=True, capture_output=True, text=True).stdout


def boston():
    with open(os.path.join(DATA, "boston.csv")) as f:
        rows = list(csv.reader(f))
    return rows[0], rows[1:]


def diabetes():
    from sklearn.datasets import load_diabetes
    d = load_diabetes()
    return list(d.feature_names) + ["y"], [list(x) + [y] for x, y in zip(d.data.tolist(), d.target.tolist())]


def write(file, head, rows):
    with open(file, "w", newline="") as f:
        csv.writer(f).writerows([head] + rows)


def split(read, seed):
    head, rows = read()
    random.Random(seed).shuffle(rows)
    n = int(0.7 * len(rows))
    write("learn.csv", head, rows[:n])
    write("test.csv", head, rows[n:])
    return n


def made(name, rows, seed):
    tamis("generate", name, "--rows", str(rows), "--seed", str(2 * seed + 1), "-o", "learn.csv")
    tamis("generate", name, "--rows", "500", "--seed", str(2 * seed + 2), "-o", "test.csv")
    return rows


def coverage():
    """Share of test rows inside, and mean width over the standard deviation of their targets."""
    tamis("select", "learn.csv", "--model", "m", "--quiet", "--threads", "1", "-o", "r.json")
    head = open("test.csv").readline().strip().split(",")
    truth = [float(q[head[-1].strip('"')]) for q in csv.DictReader(open("test.csv"))]
    got = list(csv.DictReader(tamis("predict", "m", "test.csv", "--interval", str(LEVEL)).splitlines()))
    inside = sum(float(g["lower"]) <= t <= float(g["upper"]) for g, t in zip(got, truth)) / len(truth)
    mean = sum(truth) / len(truth)
    sd = math.sqrt(sum((t - mean) ** 2 for t in truth) / len(truth))
    return inside, (float(got[0]["upper"]) - float(got[0]["lower"])) / sd


def main():
    makers = {"boston": lambda r: split(boston, r), "diabetes": lambda r: split(diabetes, r)}
    makers.update({k: (lambda r, k=k, n=n: made(k, n, r)) for k, n in MADE.items()})
    try:
        diabetes()
    except ImportError:
        del makers["diabetes"]
    makers = {k: makers[k] for k in sys.argv[3:] or makers}
    print("| table | rows to learn from | coverage, %d splits | sd over splits | width / sd of the target |" % REPEATS)
    print("|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, make in makers.items():
            n, got = 0, []
            for r in range(REPEATS):
                n = make(r)
                got.append(coverage())
            c = [g[0] for g in got]
            mean = sum(c) / len(c)
            sd = math.sqrt(sum((x - mean) ** 2 for x in c) / (len(c) - 1)) if len(c) > 1 else float("nan")
            print("| %s | %d | %.1f %% ± %.1f | %.1f %% | %.2f |" % (
                name, n, 100 * mean, 100 * sd / math.sqrt(len(c)), 100 * sd, sum(g[1] for g in got) / len(got)),
                flush=True)


if __name__ == "__main__":
    main()
