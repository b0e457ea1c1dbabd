#!/usr/bin/env python3
"""Forward-backward Delta Test in vectorised NumPy, with incremental squared distances, as a rival for `tamis select --method search`.
usage: bench/numpy_delta.py [N] [d] [steps]      (default 10000 50 3)
Both choose on the same table; the time of NumPy is that of its first `steps` steps, the one of tamis that of the same sets (forward to
`steps` inputs). One core each, processor time, so that other work on the machine does not count. Distances are kept for the current set (rows in blocks that stay in cache), each candidate adds its term."""
import json, os, resource, subprocess, sys, tempfile, time
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
try:
    import numpy as np
except ImportError:
    sys.exit("numpy is not there: run with a python that has it, such as /usr/bin/python3")

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
TAMIS = os.path.join(ROOT, "build", "tamis")
N, D, STEPS = (int(sys.argv[i]) if len(sys.argv) > i else v for i, v in ((1, 10000), (2, 50), (3, 3)))


def step(x, y, base, candidates, block=64):
    """The Delta Test of the set behind `base` (N x N squared distances, or None) with each candidate added."""
    n = len(y)
    total = np.zeros(len(candidates))
    scratch = np.empty((block, n), np.float64)
    for a in range(0, n, block):
        b = min(a + block, n)
        own = np.arange(b - a), np.arange(a, b)
        for k, c in enumerate(candidates):
            d = scratch[: b - a]
            np.subtract(x[c, a:b, None], x[c, None, :], out=d)
            np.multiply(d, d, out=d)
            if base is not None:
                d += base[a:b]
            d[own] = np.inf
            total[k] += ((y[a:b] - y[d.argmin(1)]) ** 2).sum()
    return total / (2 * n)


def forward(x, y, steps):
    chosen, base, seconds = [], None, 0.0
    for _ in range(steps):
        began = time.process_time()
        candidates = [c for c in range(len(x)) if c not in chosen]
        values = step(x, y, base, candidates)
        best = candidates[int(values.argmin())]
        term = (x[best][:, None] - x[best][None, :]) ** 2
        base = term if base is None else np.add(base, term, out=base)
        seconds += time.process_time() - began
        chosen.append(best)
        print("  numpy: +x%d, delta %.6f, %.1f s so far" % (best + 1, values.min(), seconds), flush=True)
    return chosen, seconds


work = tempfile.mkdtemp(prefix="tamis-")
file = os.path.join(work, "friedman.csv")
subprocess.run([TAMIS, "generate", "friedman1", "--rows", str(N), "--useless", str(D - 5), "--seed", "1", "-o", file], check=True)
table = np.loadtxt(file, delimiter=",", skiprows=1)
x = np.ascontiguousarray(((table[:, :-1] - table[:, :-1].mean(0)) / table[:, :-1].std(0)).T)
y = (table[:, -1] - table[:, -1].mean()) / table[:, -1].std()
print("N = %d, d = %d, the first %d steps, one core each" % (N, D, STEPS), flush=True)
chosen, rival = forward(x, y, STEPS)
before = resource.getrusage(resource.RUSAGE_CHILDREN)
out = subprocess.run([TAMIS, "select", file, "--method", "search", "--search", "forward", "--max-inputs", str(STEPS), "--threads", "1", "--json", "--quiet", "--progress", "never"],
                     check=True, capture_output=True, text=True).stdout
after = resource.getrusage(resource.RUSAGE_CHILDREN)
whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
r = json.loads(out)
path = [s["changed"] for s in r["path"] if s["changed"]]
print("  tamis: %s, delta %.6f; %.2f s for everything (reading, search, the set of all inputs, relevances and the model): ratio %.0f" % (" ".join(path), r["search"]["value"], whole, rival / whole))
assert path == ["+x%d" % (c + 1) for c in chosen], (path, chosen)
