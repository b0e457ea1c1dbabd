#!/usr/bin/python3
"""Which inputs matter: tamis and its peers on tables with known answers.

usage: bench/suite.py [--quick] [--methods A,B] [--families A,B] [--rows 100,300,1000] [--seeds 4] [--slow-seeds 2]
                      [--noise-seeds 20] [--again A] [--label NAME] [--results FILE] [--table] [--detail METHOD]
Results are kept in build/suite.jsonl, one per line: a stopped run resumes, and only missing results are computed
(--again A: forget method A first). --table and --detail only print what is available (tables: regression +
classification + noise; a method with few of them is not yet comparable). --label stores the runs of sift under another
name. --quick: N = 100, one seed, the fast methods."""
import argparse, collections, json, os, resource, shutil, sys, tempfile, time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite_families as families
import suite_peers as peers

REFERENCE_ROWS = 300                                    # rows that the reference model learns from


# ---- scores

def counts(chosen, groups):
    """Found, false, missed: one member of each group is right, further ones are false."""
    found = sum(1 for g in groups if g & set(chosen))
    return found, len(chosen) - found, len(groups) - found


def f1(chosen, groups):
    found, false, missed = counts(chosen, groups)
    return 1.0 if not chosen and not groups else 2 * found / (2 * found + false + missed) if found else 0.0


def kernel(a, b, width):
    d = (a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * a @ b.T
    return np.exp(-np.maximum(d, 0) / width)


def reference_columns(p, chosen):
    x, t = [], []
    for k in sorted(chosen):
        if k in p.categories:
            for v in np.unique(p.x[:, k]):
                x.append(p.x[:, k] == v), t.append(p.x_test[:, k] == v)
        else:
            m, s = p.x[:, k].mean(), p.x[:, k].std() or 1
            x.append((p.x[:, k] - m) / s), t.append((p.x_test[:, k] - m) / s)
    return np.column_stack(x).astype(float)[:REFERENCE_ROWS], np.column_stack(t).astype(float)


def reference_error(p, chosen):
    """Error on the test rows of one good model that sees only these inputs: kernel ridge, width and ridge by
    leave-one-out."""
    y = np.eye(p.classes)[p.y] if p.classes else p.y[:, None].astype(float)
    y = y[:REFERENCE_ROWS]
    if not p.classes:                                   # outliers pulled in, for all methods alike
        middle = np.median(y)
        spread = 1.4826 * np.median(np.abs(y - middle)) or 1
        y = np.clip(y, middle - 5 * spread, middle + 5 * spread)
    mean = y.mean(0)
    best, guess = np.inf, np.tile(mean, (len(p.x_test), 1))
    if chosen:
        x, t = reference_columns(p, chosen)
        for width in x.shape[1] * np.geomspace(0.5, 100, 6):
            value, q = np.linalg.eigh(kernel(x, x, width))
            z = q.T @ (y - mean)
            for ridge in np.geomspace(1e-3, 10, 9):
                shrink = 1 / (np.maximum(value, 0) + ridge)
                alpha = q @ (shrink[:, None] * z)
                loo = np.mean((alpha / ((q * q) @ shrink)[:, None]) ** 2)
                if loo < best:
                    best, keep = loo, (width, alpha)
        guess = kernel(t, x, keep[0]) @ keep[1] + mean
    if p.classes:
        return float(np.mean(guess.argmax(1) != p.clean))
    return float(np.mean((guess[:, 0] - p.clean) ** 2) + p.noise)


# ---- runs

def cpu():
    a, b = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return a.ru_utime + a.ru_stime + b.ru_utime + b.ru_stime


class Store:
    def __init__(self, file):
        self.file, self.rows = file, {}
        if os.path.exists(file):
            for line in open(file):
                try:
                    r = json.loads(line)
                except ValueError:
                    continue                            # a line cut off when the run was stopped
                self.rows[tuple(r["key"])] = r

    def add(self, r):
        self.rows[tuple(r["key"])] = r
        with open(self.file, "a") as f:
            f.write(json.dumps(r) + "\n")

    def forget(self, method):
        self.rows = {k: r for k, r in self.rows.items() if k[0] != method}
        self.rewrite()

    def rewrite(self):
        with open(self.file + ".new", "w") as f:
            f.writelines(json.dumps(r) + "\n" for r in self.rows.values())
        os.replace(self.file + ".new", self.file)


def right_error(store, family, rows, seed, p):
    key = ("true", family, rows, seed)
    if key not in store.rows:
        right = [min(g, key=lambda k: abs(k - np.median(list(g)))) for g in p.groups]
        store.add({"key": key, "error": reference_error(p, right)})
    return store.rows[key]["error"]


def run_one(store, label, method, family, rows, seed, folder):
    p = families.make(family, rows, seed)
    begin = cpu()
    try:
        chosen = peers.PEERS[method][0](p, folder)
    except NotImplementedError:
        store.add({"key": (label, family, rows, seed), "skipped": True})
        return
    took = cpu() - begin
    error = reference_error(p, chosen) / right_error(store, family, rows, seed, p)
    found, false, missed = counts(chosen, p.groups)
    store.add({"key": (label, family, rows, seed), "chosen": chosen, "f1": f1(chosen, p.groups),
               "exact": int(false == 0 and missed == 0), "false": false, "ratio": error, "seconds": took})


def seeds_of(a, method, family, rows):
    """How many tables of a family."""
    noise = family in families.NOISE
    if method in peers.SLOW:
        seeds = a.slow_seeds
    else:
        seeds = a.noise_seeds if noise else a.seeds
    return min(seeds, 4) if noise and rows > 300 else seeds


def wanted(a):
    for rows in a.rows:
        for method in a.methods:
            for name, f in families.FAMILIES.items():
                if a.families and name not in a.families or name.startswith("c_") and method in peers.REGRESSION_ONLY:
                    continue
                for seed in range(seeds_of(a, method, f, rows)):
                    yield method, name, rows, seed


# ---- tables

def mean(v):
    return sum(v) / len(v) if v else float("nan")


def cell(rows):
    """F1, exact, error ratio (geometric mean), seconds; families have equal weight whatever their number of tables."""
    by = collections.defaultdict(list)
    for r in rows:
        by[r["key"][1]].append(r)
    one = lambda name: mean([mean([r[name] for r in v]) for v in by.values()])
    logs = [mean([np.log(r["ratio"]) for r in v]) for v in by.values()]
    ratio = np.exp(mean(logs)) if by else float("nan")
    return one("f1"), one("exact"), ratio, one("seconds")


HEAD = """
| N = %d | tables | regression F1 | exact | error | classification F1 | exact | error | noise: nothing chosen \
| false inputs | CPU s |
|---|---|---|---|---|---|---|---|---|---|---|"""


def method_line(m, mine):
    r, c, n = cell(mine["r"]), cell(mine["c"]), mine["n"]
    nothing, false = mean([x["exact"] for x in n]), mean([x["false"] for x in n])
    took = mean([x["seconds"] for k in "rc" for x in mine[k]])
    values = " | ".join("%.2f" % v if v == v else "" for v in (*r[:3], *c[:3], nothing, false, took))
    tables = " + ".join(str(len(mine[k])) for k in "rcn")
    return "| %s | %s | %s |" % (peers.PEERS.get(m, (0, m))[1], tables, values)


def table(store, sizes, only):
    done = [r for r in store.rows.values() if "f1" in r and (not only or r["key"][1] in only)]
    tasks = (("r", families.REGRESSION), ("c", families.CLASSIFICATION), ("n", families.NOISE))
    task = {f.__name__: k for k, v in tasks for f in v}
    order = [m for m in dict.fromkeys([*peers.PEERS, *(r["key"][0] for r in done)])]
    for rows in sizes:
        here = [r for r in done if r["key"][2] == rows]
        if not here:
            continue
        print(HEAD % rows)
        for m in order:
            mine = {k: [r for r in here if r["key"][0] == m and task.get(r["key"][1]) == k] for k in "rcn"}
            if any(mine.values()):
                print(method_line(m, mine), flush=True)


def detail(store, sizes, methods):
    for rows in sizes:
        print("\nN = %d: F1 (exact) [error]%s" % (rows, "".join("%22s" % m for m in methods)))
        for name in families.FAMILIES:
            line = "%-14s" % name
            for m in methods:
                mine = [r for r in store.rows.values() if tuple(r["key"][:3]) == (m, name, rows) and "f1" in r]
                _, exact, ratio, took = cell(mine)
                values = mean([r["f1"] for r in mine]), exact, ratio, len(mine)
                line += "   %.2f (%.2f) [%.2f] %2d" % values if mine else " " * 22
            print(line)


def arguments():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = lambda text: [v for v in text.split(",") if v]
    a.add_argument("--quick", action="store_true")
    a.add_argument("--methods", type=names, default=list(peers.PEERS))
    a.add_argument("--families", type=names, default=[])
    a.add_argument("--rows", type=lambda t: [int(v) for v in t.split(",")], default=[100, 300, 1000])
    a.add_argument("--seeds", type=int, default=4)
    a.add_argument("--slow-seeds", type=int, default=2)
    a.add_argument("--noise-seeds", type=int, default=20)
    a.add_argument("--again", default=None)
    a.add_argument("--label", default=None)
    a.add_argument("--results", default=os.path.join(peers.ROOT, "build", "suite.jsonl"))
    a.add_argument("--table", action="store_true")
    a.add_argument("--detail", type=names, default=[])
    a = a.parse_args()
    if a.quick:
        a.rows, a.seeds, a.slow_seeds, a.noise_seeds = [100], 1, 0, 3
        a.results = os.path.join(peers.ROOT, "build", "suite_quick.jsonl")
    return a


def main():
    a = arguments()
    store = Store(a.results)
    if a.again:
        store.forget(a.again)
    folder = tempfile.mkdtemp(prefix="tamis-suite-")
    begin = time.time()
    if not a.table and not a.detail:
        for method, family, rows, seed in wanted(a):
            label = a.label if a.label and method == "sift" else method
            if (label, family, rows, seed) in store.rows:
                continue
            try:
                run_one(store, label, method, family, rows, seed, folder)
            except Exception as e:                      # a peer that is not installed, or fails, costs one line
                print("%s on %s, %d rows, seed %d: %s" % (method, family, rows, seed, str(e)[-200:]),
                      file=sys.stderr, flush=True)
        print("# %.0f s" % (time.time() - begin), file=sys.stderr)
    shutil.rmtree(folder)
    if a.detail:
        detail(store, a.rows, a.detail)
    else:
        table(store, a.rows, a.families)
    return 0


if __name__ == "__main__":
    sys.exit(main())
