"""Processor time of each hot path on one core relative to a lower bound on this machine, from the C programs in
build/bench/."""
import functools, os, re, subprocess

from lab import ROOT
from speed import median_range

NO_BOUND = "not a bound"
RATIO = r"^(\d+) rows.*ratio ([\d.]+)"
# hot path; what bounds it; program and arguments (full; quick); pattern: (case, ratio) of a line; how the case is named
PATHS = [
    ("leave-one-out minimisation, one width, 35 regularisations and Brent's method", "one dgemm of order rows",
     ["bench_loo"], ["bench_loo", "quick"], r"^ *(\d+) .*?(\d+\.\d+) +\d+\.\d+ +\d+$", "%s rows"),
    ("the same with OpenBLAS's kernels for AVX2 (our own loops use what the CPU has)", "one dgemm of order rows",
     ["OPENBLAS_CORETYPE=Haswell", "bench_loo"], ["OPENBLAS_CORETYPE=Haswell", "bench_loo", "quick"],
     r"^ *(\d+) .*?(\d+\.\d+) +\d+\.\d+ +\d+$", "%s rows"),
    ("LAPACK's eigendecomposition (dsyevd) alone, relative to that minimisation",
     NO_BOUND + ": above 1, the reduction is faster",
     ["bench_loo"], ["bench_loo", "quick"], r"^ *(\d+) .*? (\d+\.\d+) +\d+$", "%s rows"),
    ("LS-SVM grid, one width, 20 gammas, 10 folds",
     "exponentials, 8/3 rows^3 flops and the blocks of the folds at the speed of dgemm",
     ["bench_lssvm"], ["bench_lssvm", "400"], RATIO, "%s rows"),
    ("sparse-rbf, one fit by projection",
     "distances, exponentials, gradient and two passes over the matrix per evaluation, at the speed of dgemm, exp and "
     "memory",
     ["bench_sparse"], ["bench_sparse"], RATIO, "%s rows"),
    ("Delta Test, one step of a search with 47 candidates",
     "one term per pair of rows and candidate, at the speed of sgemm",
     ["bench_delta"], ["bench_delta", "2000"], RATIO, "%s rows"),
    ("OP-ELM, 713 rows, 53 inputs, 100 neurons", "its matrix products",
     ["bench_opelm"], ["bench_opelm", "713", "53", "100", "40"], r"^ +(\w+) +OP-ELM.*ratio ([\d.]+)", "neurons %s"),
    ("FEI of all sets of 20 inputs, 6 classes", "two additions and one division per set and class",
     ["bench_fei"], ["bench_fei"], r"^(20 inputs).*?, ratio ([\d.]+)", "%s"),
    ("rjmcmc, a sweep with five jumps", "vector exponentials of its likelihoods",
     ["bench_rjmcmc"], ["bench_rjmcmc", "quick"], r"^made +(\d+ rows +\d+ inputs +\d+ kernels).*median ([\d.]+)", "%s"),
    ("prediction, 250 basis functions, 10 columns", "one dgemm and the exponentials",
     ["bench_predict", "300000"], ["bench_predict", "100000"],
     r"^  (prediction|tamis predict, all) +[\d.]+ +([\d.]+)", "%s"),
]
READ = re.compile(r"\d+ x (\d+), (\d+) digits: read (\d+) MB/s, write \d+ MB/s, copy (\d+) MB/s, strtod (\d+)")


@functools.lru_cache(None)
def output(words, turn=0):
    """What a program of build/bench prints; leading words NAME=VALUE are its environment."""
    settings = dict(w.split("=", 1) for w in words if "=" in w)
    program, *rest = (w for w in words if "=" not in w)
    return subprocess.run([os.path.join(ROOT, "build", "bench", program), *rest], check=True, capture_output=True,
                          text=True, env=dict(os.environ, **settings)).stdout


def cases(text, pattern):
    matches = (re.search(pattern, line) for line in text.split("\n"))
    return [(re.sub(" +", " ", m.group(1)), float(m.group(2))) for m in matches if m]


def medians(found):
    return {case: median_range(v) for case, v in found.items()}


def path(lab, row, quick):
    title, bound, full, short, pattern, form = row
    lab.say("limits: " + title)
    found = {}
    for turn in range(1 if quick else 3):
        for case, ratio in cases(output(tuple(short if quick else full), turn), pattern):
            found.setdefault(form % case, []).append(ratio)
    program = " ".join(full[:2] if "=" in full[0] else full[:1])
    return {"path": title, "bound": bound, "program": program, "left": not bound.startswith(NO_BOUND),
            "cases": medians(found)}


def reading(lab, quick):
    """MB/s of text relative to those of copying it and of strtod on every cell."""
    lab.say("limits: reading CSV")
    copy, strtod, memory = {}, {}, {}
    for turn in range(1 if quick else 3):
        case = None
        for line in output(("bench_csv", "5" if quick else "30"), turn).split("\n"):
            m = READ.match(line)
            if m:
                case = "%s columns, %s digits" % m.group(1, 2)
                read, copied, alone = (float(v) for v in m.group(3, 4, 5))
                copy.setdefault(case, []).append(copied / read)
                strtod.setdefault(case, []).append(alone / read)
            m = re.match(r"  (file|gzip) .*ratio ([\d.]+)", line)
            if m:
                memory.setdefault(case, []).append(float(m.group(2)))
    rows = (("reading CSV", "copying the text", copy),
            ("reading CSV", "strtod on every cell (%s: what most readers use)" % NO_BOUND, strtod),
            ("reading CSV, peak memory", "the doubles of the table", memory))
    return [{"path": title, "bound": bound, "program": "bench_csv", "cases": medians(found)}
            for title, bound, found in rows]


def run(lab, quick):
    yardsticks = output(("bench_machine",)).strip()
    rows = [path(lab, row, quick) for row in PATHS] + reading(lab, quick)
    return {"machine": yardsticks, "rows": rows}
