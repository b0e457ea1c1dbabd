#!/usr/bin/env python3
"""tamis-mpi under mpirun, on one machine: the digits of one process, failures, dead ranks.
usage: runs.py path/to/tamis [name...]

Runs with every tamis-mpi beside tamis (-Dmpi_package=both: Open MPI and MPICH) whose mpirun is there. TAMIS_LONG=1:
every number of ranks and threads, and twenty rounds of killing."""
import json, os, random, re, signal, subprocess, sys, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, TAMIS, Skip, good, main
from ranks import BUILD, TIMES, environment, kinds, libraries, mixed, mpi, plain, result, said, table

LONG = bool(os.environ.get("TAMIS_LONG"))


# ---- the same digits ----

IRIS = os.path.join(ROOT, "data", "iris.csv")
CASES = {
    "outer": ["select", "t.csv", "--method", "search", "--outer", "5", "--repeats", "4"],
    "bootstrap": ["select", "t.csv", "--method", "search", "--criterion", "press", "--bootstrap", "40"],
    "compare": ["compare", "t.csv", "--methods", "lars,search,lssvm:sigma2=1:50:3:gamma=1:100:3", "--outer", "3"],
    "chains": ["select", IRIS, "--method", "rjmcmc", "--chains", "8", "--samples", "300", "--burn-in", "100"],
    "starts": ["select", IRIS, "--method", "fei", "--starts", "9"],
    "sparse-rbf": ["select", "t.csv", "--method", "sparse-rbf", "--r", "2:20:4", "--t", "0.1:1:3"],
    "lssvm": ["select", "t.csv", "--method", "lssvm", "--sigma2", "1:100:6", "--gamma", "1:1000:6"],
}
ORDERS = ([1, 2, 3, 4, 5, 6, 7], [7, 6, 5, 4, 3, 2, 1], [4, 1, 6, 3, 7, 2, 5])


def many_ranks(words, want):
    pairs = [(n, t) for n in (1, 2, 3, 5) for t in (1, 2)] if LONG else [(1, 2), (2, 1), (3, 2), (5, 1)]
    for kind in kinds():
        for ranks, threads in pairs:
            code, out, err = mpi(kind, ranks, *words, "-o", "many.json", "--threads", str(threads), timeout=3600)
            assert code == 0, (kind[0], ranks, threads, code, err)
            assert result("many.json", TIMES) == want, (kind[0], ranks, threads)
            assert not [l for l in said(err) if l.startswith("tamis: ")], err
            os.remove("many.json")


def seven_parts(words, want):
    """In any order; tests/cli/shard.py does the same with other options."""
    for threads in "1", "2":
        for k in range(1, 8):
            good(*words, "--shard", "%d/7" % k, "-o", "part%d" % k, "--threads", threads, timeout=3600)
        for order in ORDERS:
            good("merge", *["part%d" % k for k in order], "-o", "many.json", "--quiet", "--threads", threads)
            assert result("many.json", TIMES) == want, (order, threads)
            os.remove("many.json")


def same_digits(case):
    words = CASES[case]
    table("t.csv", "add10", 60)
    good(*words, "-o", "one.json", "--threads", "1", timeout=3600)
    many_ranks(words, result("one.json", TIMES))
    if LONG:
        seven_parts(words, result("one.json", TIMES))


def check_outer_folds(): same_digits("outer")
def check_bootstrap(): same_digits("bootstrap")
def check_compare(): same_digits("compare")
def check_chains(): same_digits("chains")
def check_starts(): same_digits("starts")
def check_sparse_rbf(): same_digits("sparse-rbf")
def check_lssvm(): same_digits("lssvm")


def check_rank_0_prints_what_one_process_does():
    table("t.csv", "add10", 60)
    words = ["select", "t.csv", "--method", "search", "--criterion", "press", "--outer", "3", "--threads", "1"]
    want = plain(json.loads(good(*words, "--json")))
    for kind in kinds():
        assert plain(json.loads(mpi(kind, 3, *words, "--json")[1])) == want, kind[0]
        code, out, err = mpi(kind, 3, "describe", "t.csv")
        assert code == 0 and out == good("describe", "t.csv"), (kind[0], err)
        assert mpi(kind, 2, "--version")[1] == good("--version"), kind[0]


def check_files_are_read_and_written_by_rank_0():
    """The other ranks are in a folder without them."""
    table("t.csv", "add10", 60)
    good("generate", "add10", "--rows", "40", "--seed", "4", "-o", "u.csv")
    os.mkdir("away")
    words = ["select", "t.csv", "--test", "u.csv", "--method", "search", "--outer", "3", "--model", "m.tamis",
             "--report", "r.html", "-o", "o.json"]
    good(*words)
    want = result("o.json")
    for kind in kinds():
        os.remove("o.json"), os.remove("m.tamis"), os.remove("r.html")
        code, out, err = mixed(kind, words, [], ["env", "-C", "away"])
        assert code == 0 and result("o.json") == want, (kind[0], err)
        assert os.path.exists("m.tamis") and os.path.exists("r.html") and not os.listdir("away"), kind[0]


def check_loops_without_a_method():
    for kind in kinds():
        for ranks in (1, 2, 4):
            code, out, err = mpi(kind, ranks, program="tests/mpi-loops")
            assert code == 0, (kind[0], ranks, out, err)


# ---- failures ----

def check_a_failure_is_one_sentence():
    table("t.csv", "add10", 60)
    for kind in kinds():
        for words, want, says in ((["select", "no.csv"], 3, "no.csv: no such file"),
                                  (["select", "t.csv", "--metod", "search"], 2, "did you mean --method"),
                                  (["select", "t.csv", "-o", "no/o.json"], 1, "no/o.json: cannot be written"),
                                  (["select", "t.csv", "--shard", "1/2", "-o", "o"], 2, "leave it out in tamis-mpi"),
                                  (["compare", "t.csv", "--methods", "search", "--outer", "99"], 2, "--outer")):
            code, out, err = mpi(kind, 3, *words)
            assert code == want and (not out or "BAD TERMINATION" in out), (kind[0], words, code, out, err)  # of MPICH
            assert len(said(err)) == 1 and says in said(err)[0], (kind[0], words, err)


def check_a_rank_without_memory_ends_the_run():
    table("t.csv", "add10", 400)
    words = ["select", "t.csv", "--method", "search", "--outer", "5"]
    for kind in kinds():
        code, out, err = mixed(kind, words, [], ["sh", "-c", 'ulimit -d 60000; exec "$0" "$@"'])
        lines = said(err)
        if not lines and code:          # the limit was too low for MPI itself
            continue
        assert code == 1 and len(lines) == 1 and re.search("rank 1 on .*memory", lines[0]), (kind[0], code, err)


def processes(parent):
    """Every tamis-mpi below a process."""
    children, names = {}, {}
    for p in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % p) as f:
                name, rest = re.match(r"\d+ \((.*)\) (.*)", f.read(), re.S).groups()
        except (OSError, AttributeError):
            continue
        children.setdefault(int(rest.split()[1]), []).append(int(p))
        names[int(p)] = name
    found, todo = [], [parent]
    while todo:
        p = todo.pop()
        todo += children.get(p, [])
        if names.get(p, "").startswith("tamis-mpi"):
            found.append(p)
    return sorted(found)


LONG_RUN = ["select", "t.csv", "--method", "search", "--outer", "5", "--repeats", "12", "--threads", "1",
            "--checkpoint", "run.ckpt", "-o", "many.json"]


def start(kind, ranks):
    program = os.path.join(BUILD, "tamis-mpi" + kind[1])
    p = subprocess.Popen([kind[2], "-n", str(ranks), program, *LONG_RUN], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, env=environment(kind), stdin=subprocess.DEVNULL)
    while p.poll() is None and not os.path.exists("run.ckpt"):
        time.sleep(0.02)
    return p


def begin():
    table("t.csv", "add10", 400)
    good(*LONG_RUN)
    os.remove("run.ckpt")
    return result("many.json")


def clear():
    for f in ("run.ckpt", "many.json"):
        if os.path.exists(f):
            os.remove(f)


def kill_one(kind, ranks, pause, dice):
    """Starts the run and kills one of its ranks. Whether it was killed before the run had written its result."""
    clear()
    p = start(kind, ranks)
    time.sleep(pause)
    alive = processes(p.pid)
    if p.poll() is None and alive:
        os.kill(dice.choice(alive), signal.SIGKILL)
    out = p.communicate(timeout=120)[0]                 # no rank waits for the dead one
    if p.returncode:
        assert re.search("signal 9|SIGNAL: 9|Killed", out), (kind[0], p.returncode, out)
        assert not processes(p.pid), (kind[0], out)
    written = os.path.exists("many.json")               # also by a run whose rank died at the very end
    assert written or p.returncode, (kind[0], out)
    return not written


def check_a_dead_rank_ends_the_run_and_the_next_goes_on():
    want, dice = begin(), random.Random(5)
    for kind in kinds():
        killed, longest, most = 0, 0.5, 20 if LONG else 1
        for turn in range(most + 10):
            ranks = dice.choice((2, 3, 4))
            if not kill_one(kind, ranks, longest * dice.random(), dice):
                assert result("many.json") == want, kind[0]
                longest /= 2                            # it had ended: a fast machine
                continue
            other = dice.choice([n for n in (1, 2, 3, 5) if n != ranks])
            code, out, err = mpi(kind, other, *LONG_RUN, timeout=600)
            assert code == 0 and result("many.json") == want, (kind[0], turn, code, err)
            assert not [f for f in os.listdir(".") if f.endswith(".part")], os.listdir(".")
            killed += 1
            if killed == most:
                break
        assert killed == most, "%s: only %d runs of %d were killed before they ended" % (kind[0], killed, turn + 1)


def check_a_stop_is_one_for_all():
    want = begin()
    for kind in kinds():
        clear()
        p = start(kind, 3)
        alive = processes(p.pid)
        if alive:
            os.kill(alive[-1], signal.SIGTERM)
        err = p.communicate(timeout=120)[0]
        if p.returncode:
            assert "tamis: stopped; repeat the command to resume from run.ckpt" in said(err), (kind[0], err)
        code, out, err = mpi(kind, 2, *LONG_RUN)
        assert code == 0 and result("many.json") == want, (kind[0], code, err)


# ---- other CPUs ----

def kernels(name):
    env = dict(os.environ, OPENBLAS_CORETYPE=name)
    out = subprocess.run([TAMIS, "--version"], capture_output=True, text=True, env=env)
    return re.search("with (.*) kernels", out.stdout).group(1)


def check_ranks_agree_on_kernels():
    if kernels("Sandybridge") != "Sandybridge" or kernels("") == "Sandybridge":
        raise Skip("this CPU has one kernel set, or the build is not x86-64 with its own BLAS")
    table("t.csv", "add10", 60)
    words = ["select", "t.csv", "--method", "sisal", "--sigma2", "1:500:5", "--outer", "4", "-o", "o.json"]
    good(*words, env={"OPENBLAS_CORETYPE": "Sandybridge"})
    want = result("o.json")
    for kind in kinds():
        for before in (([], ["env", "OPENBLAS_CORETYPE=Sandybridge"]), (["env", "OPENBLAS_CORETYPE=Sandybridge"], [])):
            code, out, err = mixed(kind, words, *before)
            assert code == 0 and "Sandybridge" in open("o.json").read(), (kind[0], code, err)
            assert "all ranks use Sandybridge kernels" in err, err
            assert result("o.json") == want, kind[0]


def check_cpus_that_round_differently_are_named():
    """Other versions of the C library's functions, as on an older CPU."""
    table("t.csv", "add10", 60)
    older = ["env", "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable"]
    for kind in kinds():
        code, out, err = mixed(kind, ["select", "t.csv", "--method", "search"], [], [], older)
        if not code:
            raise Skip("the C library rounds alike with and without FMA")
        assert code == 1 and len(said(err)) == 1, (kind[0], code, err)
        assert re.search("rank 0 on .* and rank 2 on .* round differently; use nodes of one kind", err), err


# ---- what loads MPI ----

def check_only_tamis_mpi_loads_mpi():
    kinds()
    for program in (TAMIS, os.path.join(BUILD, "libtamis.so")):
        assert not [l for l in libraries(program) if re.match(r"lib(mpi|open-rte|open-pal|ucp|fabric)", l)], program


sys.exit(main(globals()))
