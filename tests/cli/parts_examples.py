#!/usr/bin/env python3
"""The Python programs of examples/ that compute a run in parts; that for Slurm is in tests/mpi/slurm.py.
usage: parts_examples.py path/to/tamis [name...]"""
import json, os, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, TAMIS, Skip, good, main
from ranks import plain


METHOD = ["--method", "search"]         # a quick one


def example(name, *modules):
    """The program writes what one process writes."""
    p = subprocess.run([os.path.join(ROOT, "tools", "find-python"), *modules], capture_output=True, text=True)
    if p.returncode:
        raise Skip("%s of Python not found" % " and ".join(modules))
    good("generate", "friedman1", "--rows", "40", "--seed", "5", "-o", "data.csv")
    good("select", "data.csv", *METHOD, "--outer", "5", "--repeats", "4", "-o", "one.json", "--quiet")
    env = dict(os.environ, PATH=os.path.dirname(TAMIS) + os.pathsep + os.environ["PATH"])
    subprocess.run([p.stdout.strip(), os.path.join(ROOT, "examples", name), "data.csv", *METHOD], check=True, env=env,
                   timeout=600, stdin=subprocess.DEVNULL, capture_output=True)
    one, merged = (plain(json.load(open(f))) for f in ("one.json", "result.json"))
    assert one == merged, [k for k in one if one[k] != merged.get(k)]


def check_joblib(): example("parts_joblib.py", "joblib")
def check_dask(): example("parts_dask.py", "dask", "distributed")


sys.exit(main(globals()))
