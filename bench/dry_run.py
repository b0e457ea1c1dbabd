#!/usr/bin/env python3
"""How far --dry-run is from the truth: the estimate and the CPU seconds of every method on several tables, one thread.

usage: bench/dry_run.py build/tamis [METHOD...]
One line per method and table: estimate, truth, their ratio; the same for memory (peak resident size).
A run of more than LIMIT seconds is stopped and counts as longer than that."""
import os, re, resource, subprocess, sys, tempfile

LIMIT = 60
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
METHODS = ["sift", "sisal", "forward", "search", "opelm", "lars", "sparse-rbf", "lssvm", "rrkrr", "fei", "rjmcmc"]
OUTER = ("--outer", "3"), ("--outer", "3", "--repeats", "2"), ("--bootstrap", "4")


def data(name):
    return os.path.join(ROOT, "data", name)


def generated(tamis, name, rows):
    file = os.path.join(tempfile.gettempdir(), "dry_%s_%d.csv" % (name, rows))
    subprocess.run([tamis, "generate", name, "--rows", str(rows), "--seed", "1", "-o", file], check=True,
                   stderr=subprocess.DEVNULL)
    return file


def classes(rows, count):
    """A table of many classes."""
    file = os.path.join(tempfile.gettempdir(), "dry_classes_%d_%d.csv" % (rows, count))
    with open(file, "w") as f:
        f.write("a,b,c,d,k\n")
        for i in range(rows):
            k = i % count
            f.write("%d,%d,%d,%d,k%d\n" % (k * 7 % 31, k * 13 % 29, i * 37 % 101, i * 11 % 17, k))
    return file


def estimate(tamis, file, words):
    p = subprocess.run([tamis, "select", file, *words, "--dry-run", "--threads", "1"], capture_output=True, text=True)
    m = re.search(r"memory: about (\S+) MB\ntime: about (\S+) s", p.stdout)
    return (float(m.group(1)), float(m.group(2))) if m else None


def truth(tamis, file, words):
    """MB and CPU seconds; None: it failed."""
    pid = os.fork()
    if not pid:
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1), os.dup2(null, 2)
        os.execv(tamis, [tamis, "select", file, *words, "--threads", "1"])
    _, status, use = os.wait4(pid, 0)
    seconds = use.ru_utime + use.ru_stime
    return (use.ru_maxrss / 1024, seconds) if not status or seconds > 0.9 * LIMIT else None


def tables(tamis):
    return {"regression": [data("boston.csv"), generated(tamis, "friedman1", 200), generated(tamis, "add10", 1000),
                           generated(tamis, "weak", 300)],
            "classification": [data("iris.csv"), data("pima.csv"), data("ionosphere.csv"), classes(1000, 100)]}


def line(tamis, file, words):
    said, done = estimate(tamis, file, words), truth(tamis, file, words)
    if not said or not done:
        return
    print("%-44s %-24s %9.2f s %9.2f s %7.2f   %6.0f MB %6.0f MB" %
          (" ".join(words), os.path.basename(file), said[1], done[1], said[1] / done[1], said[0], done[0]), flush=True)


def main():
    tamis, methods = os.path.abspath(sys.argv[1]), sys.argv[2:]
    heads = "options", "table", "estimate", "truth", "ratio", "estimate", "truth"
    print("%-44s %-24s %11s %11s %7s   %9s %9s" % heads)
    for task, files in tables(tamis).items():
        for m in methods or METHODS:
            extra = ("--criterion", "knn") if m == "search" and task == "classification" else ()
            for file in files:
                line(tamis, file, ("--method", m, *extra))
    for more in () if methods else OUTER:
        for m in "sift", "lars", "lssvm":
            line(tamis, data("boston.csv"), ("--method", m, *more))


main()
