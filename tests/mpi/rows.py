#!/usr/bin/env python3
"""tamis-mpi --split-rows: processes that each hold a part of the rows come to the digits of one with all.
usage: rows.py path/to/tamis [name...]; TAMIS_LONG=1: every number of ranks and threads"""
import json, math, os, random, re, shutil, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import TAMIS, Skip, bad, good, main

BUILD = os.path.dirname(TAMIS)
LONG = bool(os.environ.get("TAMIS_LONG"))
ENV = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "OMPI_MCA_btl": "self,vader", "OMPI_MCA_mpi_yield_when_idle": "1"}
SEARCH = ["--method", "search", "--split-rows"]


def programs():
    """(mpirun, tamis-mpi) of every MPI that is there."""
    found = []
    for suffix in ("", "-ompi-c", "-mpich"):
        program = os.path.join(BUILD, "tamis-mpi" + suffix)
        if os.path.exists(program):
            mpich = "libmpich" in subprocess.run(["ldd", program], capture_output=True, text=True).stdout
            names = ["mpirun.mpich", "mpiexec.hydra"] if mpich else ["mpirun.openmpi", "mpirun"]
            found += [(w, program) for w in filter(shutil.which, names)][:1]
    if not found:
        raise Skip("no tamis-mpi, or no mpirun")
    return found


def mpi(kind, ranks, *words):
    p = subprocess.run([kind[0], "-n", str(ranks), kind[1], *words], capture_output=True, text=True, timeout=120,
                       env=dict(os.environ, **ENV), stdin=subprocess.DEVNULL)
    return p.returncode, p.stdout, [l for l in p.stderr.split("\n") if l.startswith(("tamis: ", "note: "))]


def plain(file):
    with open(file) as f:
        return {k: v for k, v in json.load(f).items() if k not in ("seconds", "threads", "command")}


def table(name, head, rows, seed, cells_of, missing):
    """Rows that cells_of makes of four normal numbers; every 400th lacks one of the first cells."""
    dice = random.Random(seed)
    with open(name, "w") as f:
        f.write(head + "\n")
        for i in range(rows):
            cells = cells_of(dice, i, [dice.gauss(0, 1) for _ in range(4)])
            if i % 400 == 7:
                cells[i % missing] = "NA"
            f.write(",".join(cells) + "\n")
    return name


def write(name, rows):
    """Inputs with all values different, some equal, two values, one value; missing cells; a text that is not used."""
    def cells(dice, i, x):
        r, b = round(dice.random(), 1), dice.randint(0, 1)
        y = x[0] * x[1] + (2 * r - 1) * (1 if b else -1) + 0.1 * dice.gauss(0, 1)
        return ["%.9g" % v for v in x] + ["row %d" % i, "%g" % r, str(b), "5", "%.9g" % y]
    return table(name, "a,b,c,d,name,round,binary,one,y", rows, 7, cells, 4)


def same_digits(some, *words):
    """Of one process that reads the whole table, with and without --split-rows, and of `some`: ranks and threads."""
    good("select", *words, *SEARCH, "-o", "one.json")
    good("select", *words, *SEARCH[:2], "--no-evidence", "-o", "whole.json")
    want, whole = plain("one.json"), plain("whole.json")
    for key in ("data", "selected", "path", "error", "search"):
        assert want[key] == whole[key], (key, want[key], whole[key])
    assert [i["relevance"] for i in want["inputs"]] == [i["relevance"] for i in whole["inputs"]]
    every = [(n, t) for n in (1, 2, 3, 4) for t in (1, 2)]
    for kind in programs():
        for ranks, threads in every if LONG else some:
            code, out, said = mpi(kind, ranks, "select", *words, *SEARCH, "-o", "many.json", "--threads", str(threads))
            assert code == 0, (kind, ranks, threads, said)
            assert plain("many.json") == want, (kind, ranks, threads)
            os.remove("many.json")


SIFT = ["--rule-folds", "2", "--learn-rows", "60", "--fit-rows", "20"]          # cheap


def long_table(name, rows):
    """Sums, a product, a copy, rounded values, missing cells, targets far off."""
    def cells(dice, i, x):
        y = x[0] * x[1] + math.sin(2 * x[2]) + (30 if i % 500 == 3 else 0.5) * dice.gauss(0, 1)
        return ["%.9g" % v for v in (x[0], x[1], x[2], round(x[3], 1), x[0] + 0.3 * dice.gauss(0, 1), y)]
    return table(name, "a,b,c,d,e,y", rows, 3, cells, 3)


def same_sift(some, *words):
    """The default method: the same result and model as of one process that has all rows."""
    good("select", *words, "--no-evidence", "-o", "whole.json", "--model", "whole.model")
    want = plain("whole.json")
    notes = [n for n in want.pop("notes") if "missing values" not in n]
    with open("whole.model", "rb") as f:
        model = f.read()
    for kind in programs():
        for ranks, threads in [(n, t) for n in (1, 2, 3, 5) for t in (1, 2)] if LONG else some:
            code, out, said = mpi(kind, ranks, "select", *words, "--split-rows", "-o", "many.json", "--threads",
                                  str(threads), "--model", "many.model")
            assert code == 0, (kind, ranks, threads, said)
            have = plain("many.json")
            assert [n for n in have.pop("notes") if "missing values" not in n] == notes
            assert have == want, (kind, ranks, threads, [k for k in want if want[k] != have.get(k)])
            with open("many.model", "rb") as f:
                assert f.read() == model, (kind, ranks, threads)
            os.remove("many.json")
            os.remove("many.model")


def check_the_default_method():
    same_sift([(1, 2), (2, 1), (3, 2), (5, 1)], long_table("t.csv", 45000), *SIFT)


def check_the_default_method_with_networks():
    """With fewer inputs than matter, networks are learnt of what terms leave, and of the chosen inputs again."""
    same_sift([(2, 1)], long_table("t.csv", 41500), "--inputs", "a,b,c,e", "--rule-folds", "2", "--learn-rows", "100",
              "--fit-rows", "40", "--final", "network")


def check_the_default_method_on_few_rows():
    same_sift([(3, 1)], long_table("t.csv", 700), *SIFT)


def check_numbers_of_every_kind():
    same_digits([(1, 1), (2, 2), (3, 1), (4, 2)], write("t.csv", 3000), "--ignore", "name")


def check_backward_with_weights():
    same_digits([(3, 2)], write("t.csv", 1300), "--inputs", "a,b,round,binary", "--search", "backward", "--scaling")


def check_fewer_rows_than_processes_have():
    same_digits([(4, 1)], write("t.csv", 9), "--inputs", "a,b,c,binary")


def check_a_numpy_array():
    try:
        import numpy as np
    except ImportError:
        raise Skip("NumPy not found")
    x = np.random.default_rng(3).standard_normal((1500, 5))
    x[:, 4] = x[:, 0] * x[:, 2] + 0.1 * x[:, 4]
    for order in "CF":
        np.save("t.npy", np.asarray(x, order=order))
        same_digits([(2, 1)], "t.npy")


def check_what_needs_all_rows_is_refused():
    write("t.csv", 60)
    words = ["select", "t.csv", "--ignore", "name"]
    for more, says in ((["--method", "lars"], "is for --method sift"), (["--criterion", "knn"], "--criterion knn"),
                       (["--outer", "3"], "--outer needs all rows"), (["--holdout", "0.2"], "--holdout needs"),
                       (["--checkpoint", "c"], "--checkpoint needs"), (["--test", "t.csv"], "--test does not go"),
                       (["--ties", "first"], "--ties first"), (["--model", "m"], "makes no model"),
                       (["--target", "y,a"], "one target of numbers")):
        bad(2, says, *words, *SEARCH, *more)
    bad(2, "for 'tamis select'", "compare", "t.csv", "--ignore", "name", "--methods", "search,lars", "--split-rows")
    kind = programs()[0]
    code, out, said = mpi(kind, 2, *words, *SEARCH, "--outer", "3")
    assert code == 2 and len(said) == 1 and "--outer needs all rows" in said[0], (code, said)
    code, out, said = mpi(kind, 2, "select", "t.csv", *SEARCH)
    assert code == 3 and len(said) == 1 and "'name'" in said[0], (code, said)


def check_rows_that_repeat_others_are_refused():
    with open(write("t.csv", 300)) as f:
        lines = f.read().split("\n")
    with open("t.csv", "w") as f:
        f.write("\n".join(lines[:-1] + [re.sub("row 11,", "row 300,", lines[12])]) + "\n")
    words = ["select", "t.csv", "--ignore", "name", *SEARCH]
    bad(3, "1 row repeats another row exactly", *words)
    for kind in programs():
        code, out, said = mpi(kind, 3, *words)
        assert code == 3 and len(said) == 1 and "another row exactly" in said[0], (kind, code, said)


sys.exit(main(globals()))
