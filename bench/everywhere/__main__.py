"""Which inputs matter, from 50 rows to a million: tamis and its rivals on known answers, noise and real tables.

usage: python3 bench/everywhere [--part NAME,...] [--quick] [--table] [--methods A,B] [--tables A,B] [--rows N,...]
                                [--draws N] [--tamis PROGRAM] [--label NAME] [--again NAME] [--limit S] [-o PAGE.md]
Parts: issue, suite, noise, real, seeds, speed. Results are kept in build/everywhere.jsonl, one per line: a stopped run
resumes, and only missing results are computed (--again NAME: forget a method first, of the parts named). --methods: of
`tamis` and the rivals (default: all; `rivals`: all but tamis). --label stores the results of tamis under another name.
--table prints the tables of what there is and runs nothing. A run of all parts writes docs/benchmarks-selection.md.
--limit: processor seconds per run of a rival (default 120). --quick: a few small tables of each part, results in
build/everywhere_quick.jsonl.

Rivals come from Debian (tools/setup bench) and, if it exists, from the environment build/venv:
    /usr/bin/python3 -m venv build/venv && build/venv/bin/pip install lightgbm boruta mlxtend skglm lassonet
Those that are missing are skipped by name."""
import argparse, os, shutil, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
DEBIAN = "/usr/bin/python3"
try:
    import sklearn                                      # some other Python: Debian's has the packages
except ImportError:
    if os.path.exists(DEBIAN) and os.path.realpath(sys.executable) != os.path.realpath(DEBIAN):
        os.execv(DEBIAN, [DEBIAN, HERE, *sys.argv[1:]])
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import contenders, cost, known, noise_tables, page_selection, real_tables, stability, suite, trials
from files import ROOT

PARTS = {"issue": known.issue, "suite": known.sizes, "noise": noise_tables.parts, "real": real_tables.parts,
         "seeds": stability.parts, "speed": cost.parts}


def say(began, text):
    print("[%5d s] %s" % (time.time() - began, text), file=sys.stderr, flush=True)


def methods_of(a, trial):
    wanted = a.methods or ["tamis", "rivals"]
    rivals = [r for r in trial.rivals if "rivals" in wanted or r in wanted]
    return (["tamis"] if "tamis" in wanted else []) + rivals


def run(a, trial, method, t):
    if trial.alone:
        return trial.alone()
    if method == "tamis":
        return trials.tamis(t, a.tamis, a.place, a.limit * trial.limit, *trial.words)
    return trials.rival(t, method, a.place, a.limit * (trial.limit if method == "xgb-tuned" else 1))


def run_trial(a, store, trial, began, gone):
    """The methods that the store lacks; a table is made only if one of them does."""
    key = lambda m: (a.label if m == "tamis" else m, trial.part, trial.table, trial.rows, trial.seed)
    t = None
    for m in methods_of(a, trial):
        if key(m) in store.rows or m in gone:
            continue
        t = t or trial.make and trial.make()
        r = run(a, trial, m, t)
        if "missing" in r:
            gone.add(m)
            say(began, "skipped: %s (%s)" % (m, r["missing"]))
            continue
        if "chosen" in r and trial.score:
            r.update(trial.score(t, r["chosen"]))
        store.add(dict(r, key=key(m)))
        words = r.get("skipped") or r.get("failed") or "%d chosen, %.1f s" % (len(r["chosen"]), r["seconds"])
        say(began, "%s %s %d/%d %s: %s" % (trial.part, trial.table, trial.rows, trial.seed, m, words))


def wanted(a, trial):
    return (not a.tables or trial.table in a.tables) and (not a.rows or trial.rows in a.rows)


def arguments():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = lambda text: [v for v in text.split(",") if v]
    a.add_argument("--part", type=names, default=[])
    for name in ("--methods", "--tables"):
        a.add_argument(name, type=names, default=[])
    a.add_argument("--rows", type=lambda text: [int(v) for v in names(text)], default=[])
    a.add_argument("--quick", action="store_true")
    a.add_argument("--table", action="store_true")
    a.add_argument("--draws", type=int, default=0)
    a.add_argument("--tamis", type=os.path.abspath, default=os.path.join(ROOT, "build", "tamis"))
    a.add_argument("--label", default="tamis")
    a.add_argument("--again", default=None)
    a.add_argument("--limit", type=float, default=120)
    a.add_argument("-o", dest="page", default=os.path.join(ROOT, "docs", "benchmarks-selection.md"))
    a.add_argument("--results", default=None)
    a = a.parse_args()
    a.results = a.results or os.path.join(ROOT, "build", "everywhere%s.jsonl" % ("_quick" if a.quick else ""))
    return a


def forget(store, method, parts):
    kept = {k: r for k, r in store.rows.items() if k[0] != method or k[1] not in parts}
    store.rows = kept
    store.rewrite()


def main():
    a = arguments()
    parts = a.part or list(PARTS)
    os.makedirs(os.path.dirname(a.results), exist_ok=True)
    store = suite.Store(a.results)
    if a.again:
        forget(store, a.again, parts)
    began, gone = time.time(), set()
    if not a.table:
        a.place = tempfile.mkdtemp(prefix="tamis-everywhere-")
        for part in parts:
            for trial in PARTS[part](a):
                if wanted(a, trial):
                    run_trial(a, store, trial, began, gone)
        shutil.rmtree(a.place)
    text = page_selection.text(store, parts)
    if a.table or a.part or a.quick:
        print(text)
    else:
        with open(a.page, "w") as f:
            f.write(text)
    return 0


sys.exit(main())
