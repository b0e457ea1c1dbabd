#!/usr/bin/env python3
"""Speed of sisal as ratios within one run: against NumPy with one eigendecomposition a width, and growth over rows and inputs.
Both use all cores and the same BLAS kernels."""
import csv, json, os, re, subprocess, tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
TAMIS = os.path.join(ROOT, "build", "tamis")
WORK = tempfile.mkdtemp(prefix="tamis-")


def kernels():
    name = re.search(r"with (\w+) kernels", subprocess.run([TAMIS, "--version"], capture_output=True, text=True).stdout).group(1)
    return dict(os.environ, OPENBLAS_CORETYPE=name)


def select(file, *more):
    out = subprocess.run([TAMIS, "select", file, "--method", "sisal", "--json", "--quiet", *more], check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


def race():
    rows = list(csv.reader(open(os.path.join(ROOT, "data", "boston.csv"))))[:401]
    file = os.path.join(WORK, "boston400.csv")
    with open(file, "w", newline="") as f:
        csv.writer(f).writerows(rows)
    python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"
    if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode:
        print("NumPy is not there: no race")
        return
    pairs = []
    for turn in range(3):                               # interleaved, so that a busy moment hits both
        ours = select(file, "--sigma2", "1:500:50", "--gamma", "1e-8:1e3")
        out = subprocess.run([python, os.path.join(ROOT, "bench", "numpy_sisal.py"), file, "--sigma2", "1", "500", "--gamma", "1e-8", "1e3"], check=True, capture_output=True, text=True, env=kernels()).stdout
        theirs = float(re.search(r"seconds ([0-9.]+)", out).group(1))
        pairs.append((theirs / ours["seconds"], ours["seconds"], theirs))
        print("  tamis %.2f s, NumPy %.2f s: ratio %.1f" % (ours["seconds"], theirs, theirs / ours["seconds"]), flush=True)
    pairs.sort()
    print("  NumPy / tamis, the middle of three: %.1f (at least 6 wanted)" % pairs[1][0])


def growth(label, points, words):
    print("  %s" % label)
    last = None
    for size, made in points:
        file = os.path.join(WORK, "t.csv")
        subprocess.run([TAMIS, "generate", "friedman1", *made, "-o", file], check=True)
        seconds = min(select(file, *words)["seconds"] for _ in range(1 if size >= 1000 else 2))
        print("    %6d %9.3f s%s" % (size, seconds, "" if not last else "   times %5.1f for %4.1f times the size" % (seconds / last[1], size / last[0])), flush=True)
        last = (size, seconds)


race()
growth("rows (10 inputs, one width, one core): grows as rows^3", [(n, ["--rows", str(n)]) for n in (100, 200, 500, 1000, 2000)], ["--sigma2", "10", "--threads", "1"])
growth("inputs (200 rows, 4 widths, one core): linear in inputs", [(d, ["--rows", "200", "--useless", str(d - 5)]) for d in (10, 20, 50, 100, 200)], ["--sigma2", "20:2000:4", "--threads", "1"])
