#!/usr/bin/env python3
"""A run in parts with joblib, on the cores of this machine or on those of a joblib backend.

    python3 parts_joblib.py data.csv [options of tamis select]

Any backend does whose workers see the same folder. The result is that of one process, to the last digit."""
import subprocess, sys

from joblib import Parallel, delayed

PARTS = 8
RUN = ["tamis", "select", *sys.argv[1:], "--outer", "5", "--repeats", "4", "--threads", "1"]


def compute(k):
    """Part k, in a file. A part that was stopped goes on from its checkpoint."""
    file = "part.%d" % k
    subprocess.run([*RUN, "--shard", "%d/%d" % (k, PARTS), "-o", file, "--checkpoint", "kept.%d" % k], check=True)
    return file


files = Parallel(n_jobs=-1)(delayed(compute)(k) for k in range(1, PARTS + 1))
subprocess.run(["tamis", "merge", *files, "-o", "result.json"], check=True)
