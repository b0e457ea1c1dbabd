#!/usr/bin/env python3
#SBATCH --array=1-8
#SBATCH --cpus-per-task=1
"""A run in parts as a job array of Slurm.

    python3 parts_slurm.py data.csv [options of tamis select]

submits itself as an array, waits for it and joins the parts. The result is that of one process, to the last digit."""
import os, subprocess, sys

run = ["tamis", "select", *sys.argv[1:], "--outer", "5", "--repeats", "4"]
task = os.environ.get("SLURM_ARRAY_TASK_ID")
if task:                                # a task of the array
    subprocess.run([*run, "--shard", "slurm", "-o", "part." + task, "--checkpoint", "kept." + task,
                    "--threads", os.environ["SLURM_CPUS_PER_TASK"]], check=True)
else:
    subprocess.run(["sbatch", "--wait", __file__, *sys.argv[1:]], check=True)
    subprocess.run(["tamis", "merge", *("part.%d" % k for k in range(1, 9)), "-o", "result.json"], check=True)
