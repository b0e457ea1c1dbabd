"""Races at the same task: tamis and its rivals take turns, round after round, so that a busy moment affects all; a
ratio is rival over tamis within a round."""
import os, random, statistics

from lab import CORES, ROOT, TAMIS


def boston(lab, rows):
    with open(os.path.join(ROOT, "data", "boston.csv")) as f:
        lines = f.readlines()
    rest = lines[1:]
    random.Random(1).shuffle(rest)
    return lab.split("boston-%d" % rows, [lines[0]] + rest, rows)


def threads_of(run):
    """A NumPy rival with BLAS on one thread, and on all: run(threads, turn)."""
    return [lambda turn, threads=threads: run(threads, turn) for threads in (1, CORES)]


def sisal(lab, quick):
    rows, widths = (200, 20) if quick else (400, 50)
    train = boston(lab, rows)[0]
    words = train, "--sigma2", 1, 500, "--widths", widths, "--gamma", "1e-8", "1e3"
    numpy = lambda threads, turn: lab.python("numpy_sisal.py", *words, turn=turn, threads=threads)
    return {"title": "SISAL on Boston: %d rows, 13 inputs, %d widths" % (rows, widths), "rounds": 2 if quick else 3,
            "ours": lambda turn: lab.tamis(train, "--method", "sisal", "--sigma2", "1:500:%d" % widths,
                                           "--regularization", "1e-8:1e3", turn=turn),
            "rivals": [("NumPy, the same algorithm by eigendecompositions", "numpy", threads_of(numpy), 1.4)]}


def lssvm_grid(lab, train, grid, folds):
    """tamis over a grid of widths and gammas."""
    return lambda turn: lab.tamis(train, "--method", "lssvm", "--sigma2", "1:1e4:%d" % grid,
                                  "--gamma", "0.1:1e4:%d" % grid, "--folds", str(folds), turn=turn)


def lssvm(lab, quick):
    rows, grid, folds = (200, 8, 5) if quick else (400, 20, 10)
    train = boston(lab, rows)[0]
    words = train, 1, 1e4, grid, 0.1, 1e4, grid, folds
    numpy = lambda threads, turn: lab.python("numpy_lssvm.py", *words, turn=turn, threads=threads)
    ridge = lambda turn: lab.python("rivals.py", "kernel-ridge", train, "grid=%d" % grid, "folds=%d" % folds, turn=turn)
    return {"title": "LS-SVM on Boston: %d rows, grid of %d x %d, %d folds" % (rows, grid, grid, folds),
            "rounds": 2 if quick else 3, "ours": lssvm_grid(lab, train, grid, folds),
            "rivals": [("NumPy, the same algebra by eigendecompositions", "numpy", threads_of(numpy),
                        1.2 if quick else 1.5),
                       ("scikit-learn GridSearchCV(KernelRidge)", "sklearn", [ridge], 8 if quick else 30)]}


def svr(lab, quick):
    rows, grid = (150, 5) if quick else (250, 8)
    train = boston(lab, rows)[0]
    rival = lambda turn: lab.python("rivals.py", "svr", train, "grid=%d" % grid, turn=turn)
    return {"title": "Kernel machines on Boston: %d rows, grid of %d x %d, 5 folds" % (rows, grid, grid),
            "rounds": 2 if quick else 3, "ours": lssvm_grid(lab, train, grid, 5),
            "rivals": [("scikit-learn GridSearchCV(SVR)", "sklearn", [rival], 10)]}


def delta(lab, quick):
    rows, inputs, steps = (2000, 20, 3) if quick else (5000, 50, 3)
    file = lab.generate("friedman1", rows, 1, "--useless", str(inputs - 5))
    numpy = lambda turn: lab.python("numpy_delta.py", file, steps, turn=turn, threads=1)
    sfs = lambda turn: lab.python("rivals.py", "sfs-knn", file, "steps=%d" % steps, turn=turn)
    return {"title": "Delta Test, forward to %d of %d inputs, %d rows" % (steps, inputs, rows),
            "rounds": 2 if quick else 3,
            "ours": lambda turn: lab.tamis(file, "--method", "search", "--search", "forward",
                                           "--max-inputs", str(steps), turn=turn),
            "rivals": [("NumPy, the same sums by blocks of pairs", "numpy", [numpy], 2 if quick else 8),
                       ("scikit-learn SequentialFeatureSelector(1-NN), 5 folds", "sklearn", [sfs], 6)]}


def delta_both_ways(lab, quick):
    rows, inputs = (1500, 20) if quick else (4000, 50)
    file = lab.generate("friedman1", rows, 1, "--useless", str(inputs - 5))
    numpy = lambda turn: lab.python("numpy_delta.py", file, turn=turn, threads=1)
    return {"title": "Delta Test, forward-backward from none of %d inputs, %d rows" % (inputs, rows),
            "rounds": 2 if quick else 3, "ours": lambda turn: lab.tamis(file, "--method", "search", turn=turn),
            "rivals": [("NumPy, the same sums by blocks of pairs", "numpy", [numpy], 2 if quick else 20)]}


def opelm(lab, quick):
    rows, inputs, neurons = (1000, 30, 200) if quick else (2000, 50, 500)
    file = lab.generate("friedman1", rows, 1, "--useless", str(inputs - 5))
    numpy = lambda threads, turn: lab.python("numpy_opelm.py", file, neurons, turn=turn, threads=threads)
    return {"title": "OP-ELM: %d rows, %d inputs, %d Gaussian neurons" % (rows, inputs, neurons),
            "rounds": 3 if quick else 5,
            "ours": lambda turn: lab.tamis(file, "--method", "opelm", "--criterion", "none",
                                           "--max-neurons", str(neurons), turn=turn),
            "rivals": [("NumPy and scikit-learn's LARS, the same steps", "sklearn", threads_of(numpy), 1.1)]}


def reading(lab, quick):
    rows = 20000 if quick else 200000
    file = lab.generate("friedman1", rows, 1, "--useless", "15")
    pandas = lambda turn: lab.python("pandas_describe.py", file, turn=turn)
    return {"title": "Reading and describing a CSV of %d rows and 21 columns" % rows, "rounds": 3 if quick else 5,
            "ours": lambda turn: lab.run([TAMIS, "describe", file], turn),
            "rivals": [("pandas read_csv and describe", "pandas", [pandas], 1.5)]}


def median_range(values):
    return {"median": statistics.median(values), "least": min(values), "most": max(values), "rounds": len(values)}


def ratios(mine, theirs, what):
    """In each round, the rival's best variant over tamis."""
    return median_range([min(t[what] for t in variants) / m[what] for m, variants in zip(mine, theirs)])


def rival_row(name, claim, mine, theirs):
    cpu = ratios(mine, theirs, "cpu")
    mb = max(m["rss"] for m in mine)
    return {"rival": name, "cpu": cpu, "wall": ratios(mine, theirs, "wall"), "claim": claim,
            "memory": max(t["rss"] for v in theirs for t in v) / mb, "ours_mb": mb,
            "ours_cpu": statistics.median(m["cpu"] for m in mine),
            "verdict": "holds" if cpu["median"] >= claim else "does not hold"}


def race(lab, r):
    """[{rival, cpu, wall, memory, claim, verdict}] of one race."""
    mine, theirs = [], {rival[0]: [] for rival in r["rivals"]}
    for turn in range(r["rounds"]):
        mine.append(r["ours"](turn))
        for name, needs, variants, _ in r["rivals"]:
            if lab.has[needs]:
                theirs[name].append([run for run in (v(turn) for v in variants) if run])
    if not all(mine):
        return []
    rows = []
    for name, needs, _, claim in r["rivals"]:
        if theirs[name] and all(theirs[name]):
            rows.append(rival_row(name, claim, mine, theirs[name]))
        else:
            rows.append({"rival": name, "missing": needs})
    return rows


def run(lab, quick):
    found = []
    for make in (sisal, lssvm, svr, delta, delta_both_ways, opelm, reading):
        r = make(lab, quick)
        lab.say(r["title"])
        found.append({"title": r["title"], "rows": race(lab, r)})
    return found
