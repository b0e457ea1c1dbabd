"""Runs one method on one table in a process of its own, with a limit on its processor time, and scores the answer."""
import dataclasses, json, os, resource, signal, subprocess, sys

import contenders
import tables
from files import ROOT

HERE = os.path.dirname(os.path.abspath(__file__))
DEBIAN = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
VENV = os.path.join(ROOT, "build", "venv", "bin", "python")
CPU_PER_WALL = 8                                        # on a busy machine a run may take this many times its limit


@dataclasses.dataclass
class Trial:
    part: str
    table: str
    rows: int
    seed: int
    make: object                                        # () -> Table
    rivals: tuple
    score: object                                       # (table, chosen) -> fields of the result
    limit: float = 1                                    # times --limit
    words: tuple = ()                                   # further words for tamis
    alone: object = None                                # () -> result: in place of tables and methods


def rival(t, name, place, limit):
    """The answer of a rival: chosen, seconds, errors; or skipped, or missing."""
    file = os.path.join(place, "table.npz")
    tables.save(t, file)
    python = VENV if name in contenders.PYPI and os.path.exists(VENV) else DEBIAN
    env = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", NUMBA_NUM_THREADS="1")
    cap = lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 3, int(limit) + 5))
    try:
        p = subprocess.run([python, os.path.join(HERE, "worker.py"), name, file], capture_output=True, text=True,
                           env=env, preexec_fn=cap, timeout=CPU_PER_WALL * limit)
    except subprocess.TimeoutExpired:
        return {"skipped": "more than %d s" % limit}
    if p.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return {"skipped": "more than %d s" % limit}
    if p.returncode:
        return {"failed": p.stderr.strip()[-300:] or "signal %d" % -p.returncode}
    return json.loads(p.stdout.strip().rsplit("\n", 1)[-1])


def children():
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


def tamis(t, program, place, limit, *words):
    """The same of tamis: select with a model, then predict the test rows."""
    train, test, model = (os.path.join(place, name) for name in ("train.csv", "test.csv", "t.model"))
    tables.write(t, train, test)
    begin = children()
    try:
        p = subprocess.run([program, "select", train, "--target", "y", "--json", "--quiet", "--no-evidence", "--model",
                            model, *t.words, *words], capture_output=True, text=True,
                           timeout=CPU_PER_WALL * limit)
    except subprocess.TimeoutExpired:
        return {"skipped": "more than %d s" % (CPU_PER_WALL * limit)}
    seconds = children() - begin
    if p.returncode:
        return {"failed": p.stderr.strip()[-300:]}
    result, error = json.loads(p.stdout), None
    if len(t.x_test):
        out = subprocess.run([program, "predict", model, test, "--quiet"], capture_output=True, text=True, check=True)
        error = tables.test_error(t, tables.read_guess(t, out.stdout))
    chosen = [int(name[1:]) - 1 for name in result["selected"]]
    ranks = {v["name"]: v.get("rank") for v in result["inputs"]} if len(result["inputs"]) <= 100 else {}
    return {"chosen": chosen, "seconds": seconds, "wall": result["seconds"], "error": error,
            "shown": result["error"].get("selected"), "method": result["method"], "ranks": ranks}
