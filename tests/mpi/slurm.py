#!/usr/bin/env python3
"""The job files of docs/cluster.md and docs/cluster-mpi.md, as they stand there, in a Slurm of one node that this test
starts and ends; and the Python program for Slurm. usage: slurm.py path/to/tamis [name...]"""
import os, re, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, TAMIS, Skip, good, main
from ranks import BUILD, OPEN_MPI, kinds, result
from one_node import Cluster

cluster = problem = None
METHOD = ["--method", "search"]         # a quick one


def begin(suffix=""):
    """In an empty folder: the cluster's, a table, and the programs on the PATH."""
    global cluster, problem
    if problem:
        raise Skip(problem)
    try:
        if not cluster:
            cluster = Cluster()
            cluster.start()
    except Skip as s:
        problem = str(s)
        raise
    os.mkdir("bin")
    os.symlink(TAMIS, "bin/tamis")
    if os.path.exists(os.path.join(BUILD, "tamis-mpi" + suffix)):
        os.symlink(os.path.join(BUILD, "tamis-mpi" + suffix), "bin/tamis-mpi")
    good("generate", "friedman1", "--rows", "40", "--seed", "5", "-o", "data.csv")
    path = os.path.abspath("bin") + os.pathsep + cluster.env["PATH"]
    return dict(cluster.env, **OPEN_MPI, PATH=path)


def shell(line, env, **more):
    p = subprocess.run(["bash", "-c", line], env=dict(env, **more), capture_output=True, text=True, timeout=600,
                       stdin=subprocess.DEVNULL)
    logs = [open(f).read() for f in os.listdir(".") if f.startswith("slurm-")]
    return p.returncode, p.stdout + p.stderr + "".join(logs)


def page_files(page):
    """Writes the job files of a page, which begin with #!/bin/bash and have their name in the second line; gives the
    lines with sbatch that submit them."""
    with open(os.path.join(ROOT, "docs", page)) as f:
        blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", f.read(), re.M)
    blocks = [re.sub("^    ", "", b, flags=re.M) for b in blocks]
    for block in blocks:
        for text in re.findall(r"^#!/bin/bash\n.*?(?=^#!|^\S*=?\$?\(?sbatch|\Z)", block, re.M | re.S):
            with open(re.search("^# (.*)$", text, re.M)[1], "w") as f:
                f.write(text)
    return [line for block in blocks for line in re.findall(r"^.*\bsbatch --.*$", block, re.M)]


def same_as_one(*words):
    good(*words, "-o", "one.json", "--quiet")
    assert result("result.json") == result("one.json")


def check_job_array_of_the_page():
    env = begin()
    submit = page_files("cluster.md")
    assert len(submit) == 1 and os.path.exists("parts.sbatch") and os.path.exists("merge.sbatch"), submit
    with open("parts.sbatch") as f:
        words = re.search(r"tamis (select .*?) --threads", f.read(), re.S)[1].split()
    code, out = shell(submit[0], env)
    assert code == 0, out
    cluster.wait_for_jobs(600)
    assert os.path.exists("result.json") and os.path.exists("result.html"), shell("true", env)[1]
    same_as_one(*words)


def check_mpi_of_the_page():
    """With three ranks: what is given to sbatch counts more than what is in the file."""
    for kind in kinds():
        env = begin(kind[1])
        page_files("cluster-mpi.md")
        with open("mpi.sbatch") as f:
            words = re.search(r"tamis-mpi (select .*?) --checkpoint", f.read().replace("\\\n", ""), re.S)[1].split()
        code, out = shell("sbatch --wait --ntasks=3 mpi.sbatch", env,
                          SLURM_MPI_TYPE="pmi2" if kind[0] == "MPICH" else "pmix")
        assert code == 0 and os.path.exists("result.json"), (kind[0], out)
        same_as_one(*words)
        subprocess.run("rm -rf -- *", shell=True, check=True)


def check_python_program():
    env = begin()
    program = os.path.join(ROOT, "examples", "parts_slurm.py")
    code, out = shell(" ".join(["python3", program, "data.csv", *METHOD]), env)
    assert code == 0, out
    same_as_one("select", "data.csv", *METHOD, "--outer", "5", "--repeats", "4")


def check_ranks_that_do_not_know_of_each_other():
    for kind in kinds():
        if kind[0] == "MPICH":
            env = begin(kind[1])
            code, out = shell("srun --mpi=none -n 3 tamis-mpi select data.csv --method lars --outer 3 -o r.json", env)
            assert code and "one of 3 processes that do not know of each other" in out, out
            assert out.count("tamis: ") == 1 and not os.path.exists("r.json"), out
            return
    raise Skip("no tamis-mpi with MPICH")


if __name__ == "__main__":
    try:
        code = main(globals())
    finally:
        if cluster:
            cluster.end()
    sys.exit(code)
