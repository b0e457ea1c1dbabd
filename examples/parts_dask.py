#!/usr/bin/env python3
"""A run in parts with dask, here on workers of this machine; Client("scheduler:8786") uses those of a cluster.

    python3 parts_dask.py data.csv [options of tamis select]

The workers need tamis of the same version and the table at the same path; parts come back as bytes, so that no folder
is shared. The result is that of one process, to the last digit."""
import subprocess, sys, tempfile

from dask.distributed import Client, LocalCluster

PARTS = 8
RUN = ["tamis", "select", *sys.argv[1:], "--outer", "5", "--repeats", "4", "--threads", "1"]


def compute(k):
    """The bytes of part k."""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run([*RUN, "--shard", "%d/%d" % (k, PARTS), "-o", file.name], check=True)
        with open(file.name, "rb") as part:         # it was written beside the file and renamed
            return part.read()


def main():
    local = LocalCluster(host="127.0.0.1", threads_per_worker=1, dashboard_address=None)
    with local, Client(local) as client:
        files = []
        for k, part in enumerate(client.gather(client.map(compute, range(1, PARTS + 1))), 1):
            files.append("part.%d" % k)
            with open(files[-1], "wb") as f:
                f.write(part)
    subprocess.run(["tamis", "merge", *files, "-o", "result.json"], check=True)


if __name__ == "__main__":              # dask starts its workers by importing this file
    main()
