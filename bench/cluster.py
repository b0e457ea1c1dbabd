#!/usr/bin/env python3
"""What processes cost against threads, and how many cores a run can use: the tables of docs/cluster-mpi.md.
usage: cluster.py path/to/tamis efficiency [--repeats R] [--together] | model
efficiency: processor and clock seconds of one job of nested validation in every way; --together starts all ways at
    once, so that on a busy machine all of them meet the same noise (their clock seconds then mean nothing).
model: of three jobs the seconds per item and the bytes that are broadcast, taken from a run in one part, and what they
    give on more cores: T + sum over loops of s ceil(n / P)."""
import argparse, json, math, os, subprocess, sys, tempfile, time

TAMIS = os.path.abspath(sys.argv[1])
MPI = TAMIS + "-mpi"
ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
           OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1")
CORES = (16, 256, 4096)


def ways():
    """(name, workers, words before the command, threads)"""
    yield "1 thread", 1, [TAMIS], 1
    yield "2 threads", 2, [TAMIS], 2
    for ranks, threads in ((1, 1), (2, 1), (1, 2), (4, 1)):
        yield ("%d rank%s of %d thread%s" % (ranks, "s" * (ranks > 1), threads, "s" * (threads > 1)), ranks * threads,
               ["mpirun", "-n", str(ranks), MPI], threads)


def start(words):
    return time.time(), subprocess.Popen(words, env=ENV, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL)


def finish(began, p):
    """Processor and clock seconds, those of its children too."""
    _, status, used = os.wait4(p.pid, 0)
    if status:
        sys.exit("cluster.py: %s failed" % " ".join(p.args))
    return used.ru_utime + used.ru_stime, time.time() - began


def measured(words):
    return finish(*start(words))


def generate(rows):
    subprocess.run([TAMIS, "generate", "add10", "--rows", str(rows), "--seed", "3", "-o", "t.csv"], check=True)


# ---- efficiency ----

def efficiency(a):
    generate(2000)
    job = ["select", "t.csv", "--method", "search", "--outer", "5", "--repeats", str(a.repeats), "--no-evidence"]
    runs = [(name, workers, before + job + ["--threads", str(t), "-o", "r%d.json" % k])
            for k, (name, workers, before, t) in enumerate(ways())]
    if a.together:
        going = [start(words) for _, _, words in runs]
        took = [finish(*g) for g in going]
    else:
        took = [measured(words) for _, _, words in runs]
    one = took[0]
    print("| way | processor seconds | efficiency, processor | clock seconds | efficiency, clock |\n"
          "|---|---|---|---|---|")
    for (name, workers, _), (cpu, clock) in zip(runs, took):
        print("| %s | %.1f | %.0f %% | %.1f | %.0f %% |"
              % (name, cpu, 100 * one[0] / cpu, clock, 100 * one[1] / (workers * clock)))


# ---- model ----

JOBS = (("`--outer 5 --repeats 4`", 1, ["select", "t.csv", "--method", "search", "--outer", "5", "--repeats", "4"]),
        ("`--bootstrap 1000`", 25, ["select", "t.csv", "--method", "search", "--bootstrap", "40"]),
        ("`compare`, 8 methods, `--outer 10 --repeats 10`", 10,
         ["compare", "t.csv", "--outer", "10", "--methods", "lars,search,search:criterion=press,search:criterion=knn,"
          "search:criterion=mi,opelm,forward:max-inputs=5,lssvm:sigma2=1:100:4:gamma=1:100:4"]))


def job_measured(words, more):
    """Items and seconds per item of every loop, seconds of the rest, bytes broadcast; more: how many times the
    items."""
    cpu, _ = measured([TAMIS, *words, "--threads", "1", "--shard", "1/1", "-o", "part"])
    rest, _ = measured([TAMIS, "merge", "part", "--threads", "1", "--quiet", "-o", "r.json"])
    with open("r.json") as f:
        r = json.load(f)
    sizes = os.path.getsize("t.csv") + more * os.path.getsize("part")
    if words[0] == "select":
        n = len((r.get("outer") or r.get("bootstrap"))["errors"])
        return [(more * n, cpu / n)], rest, sizes
    total = sum(m["seconds"] for m in r["methods"])
    return [(more * 10, cpu * m["seconds"] / total / 10) for m in r["methods"]], rest, sizes


def seconds(loops, rest, cores):
    return rest + sum(s * math.ceil(n / cores) for n, s in loops)


def model(a):
    generate(300)
    print("| job | items | seconds per item | seconds of the rest | bytes broadcast | %s |\n|---|---|---|---|---|%s"
          % (" | ".join("{:,} cores".format(c) for c in CORES), "---|" * len(CORES)))
    for name, more, words in JOBS:
        loops, rest, sizes = job_measured(words, more)
        items = sum(n for n, _ in loops)
        alone = seconds(loops, rest, 1)
        print("| %s | %d | %.3f | %.2f | %d kB | %s |"
              % (name, items, (alone - rest) / items, rest, sizes / 1000,
                 " | ".join("%.1f s, %.0f times" % (seconds(loops, rest, c), alone / seconds(loops, rest, c))
                            for c in CORES)))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tamis")
    p.add_argument("what", choices=("efficiency", "model"))
    p.add_argument("--repeats", type=int, default=60)
    p.add_argument("--together", action="store_true")
    a = p.parse_args()
    with tempfile.TemporaryDirectory(prefix="tamis-") as folder:
        os.chdir(folder)
        {"efficiency": efficiency, "model": model}[a.what](a)
        os.chdir("/")


main()
