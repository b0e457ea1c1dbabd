"""Shared by the tests under tests/mpi: kinds of MPI that can be tested, runs under mpirun, results without times."""
import json, os, re, shutil, subprocess

from harness import TAMIS, Skip, good

BUILD = os.path.dirname(TAMIS)
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "self,vader",
            "OMPI_MCA_mpi_yield_when_idle": "1"}
MPICH = {"UCX_LOG_LEVEL": "error"}      # its warnings on standard output of messages that a failed run leaves unread


def libraries(program):
    out = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return re.findall(r"^\s*(\S+) =>", out, re.M)


def kinds():
    """(name, suffix of the programs, mpirun, environment) of each MPI that can be tested."""
    found = []
    for suffix in ("", "-ompi-c", "-mpich"):
        program = os.path.join(BUILD, "tamis-mpi" + suffix)
        if not os.path.exists(program):
            continue
        mpich = any(l.startswith("libmpich") for l in libraries(program))
        names = ["mpirun.mpich", "mpiexec.hydra"] if mpich else ["mpirun.openmpi", "mpirun"]
        run = next((w for w in names if shutil.which(w)), None)
        if run:
            found.append(("MPICH" if mpich else "Open MPI", suffix, run, MPICH if mpich else OPEN_MPI))
    if not found:
        raise Skip("no tamis-mpi, or no mpirun")
    return found


def environment(kind, **more):
    return dict(os.environ, **kind[3], **more)


def mpi(kind, ranks, *words, program="tamis-mpi", env=None, timeout=120):
    program = os.path.join(BUILD, program + kind[1])
    p = subprocess.run([kind[2], "-n", str(ranks), program, *words], capture_output=True, text=True, timeout=timeout,
                       env=environment(kind, **(env or {})), stdin=subprocess.DEVNULL)
    return p.returncode, p.stdout, p.stderr


def mixed(kind, words, *before):
    """One rank per element of before: the words before its program."""
    line = [kind[2]]
    for k, first in enumerate(before):
        line += ([":"] if k else []) + ["-n", "1", *first, os.path.join(BUILD, "tamis-mpi" + kind[1]), *words]
    p = subprocess.run(line, capture_output=True, text=True, timeout=120, env=environment(kind))
    return p.returncode, p.stdout, p.stderr


def said(err):
    """What tamis said, without what mpirun adds."""
    return [l for l in err.split("\n") if l.startswith(("tamis: ", "note: "))]


TIMES = ("seconds", "threads", "command")


def plain(v, without=(*TIMES, "notes")):
    """Without what may differ between two runs, of which one may have resumed."""
    if isinstance(v, dict):
        return {k: plain(x, without) for k, x in v.items() if k not in without}
    return [plain(x, without) for x in v] if isinstance(v, list) else v


def result(file, *without):
    with open(file) as f:
        return plain(json.load(f), *without)


def table(name, generator, rows):
    good("generate", generator, "--rows", str(rows), "--seed", "3", "-o", name)
    return name
