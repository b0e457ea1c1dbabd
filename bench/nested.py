"""Is the nested error unbiased? Over many simulated tables: the nested error, the error of the final model on 10,000
fresh rows, and the criterion of the selected set. usage: bench/nested.py [tables] [rows] [outer folds] [tamis]
Prints for each method the three means and, with standard errors, the mean differences from the fresh rows of the nested
error, of the plain mean over outer folds (whose models learn from fewer rows) and of the criterion (its optimism).
Finished runs are kept in build/nested.jsonl and not repeated."""
import json, math, os, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLES = int(sys.argv[1]) if len(sys.argv) > 1 else 200
ROWS = int(sys.argv[2]) if len(sys.argv) > 2 else 150
FOLDS = int(sys.argv[3]) if len(sys.argv) > 3 else 10
TAMIS = sys.argv[4] if len(sys.argv) > 4 else os.path.join(ROOT, "build", "tamis")
KEPT = os.path.join(ROOT, "build", "nested.jsonl")
METHODS = {
    "sift": ["--method", "sift"],
    "sisal": ["--method", "sisal", "--sigma2", "2:200:6"],
    "search": ["--method", "search", "--criterion", "knn"],
}


def run(*words):
    return subprocess.run([TAMIS, *words], check=True, capture_output=True, text=True).stdout


def one(method, seed, kept):
    key = "%s %d %d %d" % (method, ROWS, FOLDS, seed)
    if key not in kept:
        table, fresh = (os.path.join(ROOT, "build", "nested-%s-%d.csv" % (what, os.getpid()))
                        for what in ("table", "fresh"))
        run("generate", "friedman1", "--rows", str(ROWS), "--seed", str(seed), "-o", table)
        run("generate", "friedman1", "--rows", "10000", "--seed", str(100000 + seed), "-o", fresh)
        words = ["--test", fresh, "--outer", str(FOLDS), "--no-evidence", "--json", "--quiet", *METHODS[method]]
        r = json.loads(run("select", table, *words))
        e = r["error"]
        kept[key] = [e["nested"], e["test"], e["selected"], r["outer"]["error"]["mean"]]
        os.remove(table)
        os.remove(fresh)
        with open(KEPT, "a") as f:
            f.write(json.dumps([key, kept[key]]) + "\n")
    return kept[key]


def mean(v):
    return sum(v) / len(v)


def error(v):
    m = mean(v)
    return math.sqrt(sum((x - m) ** 2 for x in v) / (len(v) - 1) / len(v))


def main():
    kept = dict(json.loads(line) for line in open(KEPT)) if os.path.exists(KEPT) else {}
    print("%d tables of %d rows (friedman1, 5 of 10 inputs), %d outer folds; mean squared errors of the standardised "
          "target" % (TABLES, ROWS, FOLDS))
    head = "method", "criterion", "nested", "fresh", "nested - fresh", "plain folds", "criterion"
    print("%-8s %9s %9s %9s   %-17s  %-17s  %s" % head)
    for method in METHODS:
        v = [one(method, seed, kept) for seed in range(1, TABLES + 1)]
        nested, fresh, own, plain = zip(*v)
        gaps = [[a - b for a, b in zip(what, fresh)] for what in (nested, plain, own)]
        within = "within" if abs(mean(gaps[0])) <= 2 * error(gaps[0]) else "beyond"
        print("%-8s %9.4f %9.4f %9.4f  " % (method, mean(own), mean(nested), mean(fresh)),
              "  ".join("%+.4f +- %.4f" % (mean(g), error(g)) for g in gaps),
              " (%s 2 standard errors)" % within, flush=True)


main()
