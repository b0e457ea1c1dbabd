#!/usr/bin/env python3
"""What the Python package costs: processor time against the command line on one job, memory of a large array, and how
long a run goes on after Ctrl-C. usage: PYTHONPATH=build/python bench/python.py [path/to/tamis]"""
import json
import os
import resource
import subprocess
import sys
import tempfile

TAMIS = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/tamis")
JOB = {"method": "sisal", "sigma2": "1:500:20", "threads": "1"}

SELECT = """
import json, sys, tamis
tamis.select("job.csv", **json.loads(sys.argv[1]))
"""

MEMORY = """
import json, resource, sys, warnings
import numpy, tamis
warnings.simplefilter("ignore")
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024    # MB
x = numpy.empty((1_000_000, 20), order=sys.argv[1])
r = numpy.random.default_rng(1)
for j in range(20): x[:, j] = r.normal(size=len(x))
y = x[:, 0] + x[:, 1] ** 2
tamis.select(x[:100], y[:100], method="lars", threads=1)
before = peak()
getattr(tamis, sys.argv[2])(x, y, **json.loads(sys.argv[3]))
print((peak() - before) / (x.nbytes / 2**20), peak())
if sys.argv[1] == "F" and sys.argv[2] == "select": numpy.save("x.npy", numpy.column_stack([x, y]))
"""

PROGRAM = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, capture_output=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""

STOP = """
import os, signal, threading, time, tamis
table = tamis.generate("add10", rows=ROWS)
signal.signal(signal.SIGINT, signal.default_int_handler)      # ignored in jobs of the background
at, started = [0, 0], threading.Event()
def press():
    started.wait()
    time.sleep(0.2)
    at[:] = time.monotonic(), time.process_time()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press, daemon=True).start()
try:
    tamis.select(table, "y", method=METHOD, progress=lambda *all: started.set())
except KeyboardInterrupt:
    print(time.monotonic() - at[0], time.process_time() - at[1])
"""


def seconds(words):
    """Processor time of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def numbers(code, *words):
    """What the code prints."""
    done = subprocess.run([sys.executable, "-c", code, *words], check=True, capture_output=True, text=True)
    return list(map(float, done.stdout.split()))


def time_ratio(repeats=5):
    """Least time of each, in turn, so that the machine treats both alike."""
    subprocess.run([TAMIS, "generate", "add10", "--rows", "600", "-o", "job.csv"], check=True)
    options = [w for name, value in JOB.items() for w in ("--" + name, value)]
    contenders = [[TAMIS, "select", "job.csv", *options], [sys.executable, "-c", SELECT, json.dumps(JOB)],
                  [sys.executable, "-c", "import tamis"]]
    program, package, start = map(min, zip(*(map(seconds, contenders) for _ in range(repeats))))
    print(f"sisal, 600 rows: command line {program:.2f} s, Python {package:.2f} s "
          f"(of which {start:.2f} s to start), ratio {package / program:.3f}")


def memory():
    """The table alone (describe), and a whole run beside that of the command line, which has to read a file."""
    for order, name in (("F", "Fortran"), ("C", "C")):
        for what, options in (("describe", {}), ("select", {"method": "lars", "threads": 2})):
            grown, peak = numbers(MEMORY, order, what, json.dumps(options))
            print(f"1,000,000 x 20 in {name} order, {what}: {grown:.2f} times the array beside it, "
                  f"{peak:.0f} MB in all")
    peak, = numbers(PROGRAM, TAMIS, "select", "x.npy", "--method", "lars", "--threads", "2")
    print(f"the same selection on the command line: {peak:.0f} MB")


def main():
    if "PYTHONPATH" in os.environ:
        os.environ["PYTHONPATH"] = os.path.abspath(os.environ["PYTHONPATH"])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        time_ratio()
        memory()
        os.chdir("/")
    for method in ("sisal", "sift", "lssvm"):
        for rows in (500, 1500):
            code = STOP.replace("METHOD", repr(method)).replace("ROWS", str(rows))
            clock, work = map(max, zip(*(numbers(code) for _ in range(3))))
            print(f"Ctrl-C in {method}, {rows} rows: at most {clock:.2f} s, {work:.2f} s of processor time")


if __name__ == "__main__":
    main()
