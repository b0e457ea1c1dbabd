#!/usr/bin/env python3
"""Predictions of files of any length. usage: predict.py path/to/tamis [name...]"""
import gzip, os, random, resource, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import TAMIS, bad, good, main, run, table


def fitted():
    good("generate", "add10", "--rows", "60", "--seed", "1", "-o", "made.csv")
    good("select", "made.csv", "--sigma2", "1:100:3", "--quiet", "--model", "m")


def check_many_rows_at_fixed_memory():
    fitted()
    head, line = "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10\n", "0.5,0.25,0.125,0.0625,0.75,0.5,0.1,0.2,0.3,0.4\n"
    with open("many.csv", "w") as f:
        f.write(head + line * 1000000)
    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (200 << 20, 200 << 20))
    with open("out.csv", "wb") as out:
        p = subprocess.run([TAMIS, "predict", "m", "many.csv", "--threads", "2"], stdout=out, stderr=subprocess.PIPE,
                           preexec_fn=limit)
    assert p.returncode == 0, p.stderr
    with open("out.csv") as f:
        lines = f.read().split("\n")
    assert len(lines) == 1000002 and len(set(lines[1:-1])) == 1
    assert lines[1] == good("predict", "m", table(head + line)).split("\n")[1]


def check_threads_pipes_and_packed_files_give_the_same_bytes():
    fitted()
    good("generate", "add10", "--rows", "3000", "--seed", "2", "-o", "new.csv")
    want = good("predict", "m", "new.csv")
    for threads in ("1", "2", "7"):
        assert good("predict", "m", "new.csv", "--threads", threads) == want
    data = open("new.csv", "rb").read()
    assert good("predict", "m", "-", stdin=data) == want
    with gzip.open("new.csv.gz", "wb") as g:
        g.write(data)
    assert good("predict", "m", "new.csv.gz") == want
    good("predict", "m", "new.csv", "-o", "out.csv")
    assert open("out.csv").read() == want
    assert good("predict", "m", "new.csv", "-o", "/dev/stdout") == want
    one = [good("predict", "m", table("\n".join([data.decode().split("\n")[0], row]) + "\n", "one.csv")).split("\n")[1]
           for row in data.decode().split("\n")[1:40]]
    assert one == want.split("\n")[1:40]


def check_files_appear_whole_or_not_at_all():
    fitted()
    good("generate", "add10", "--rows", "400000", "--seed", "2", "-o", "new.csv")
    with open("new.csv", "a") as f:
        f.write("a,b\n")
    table("before", "out.csv")
    bad(3, "new.csv:400002: ", "predict", "m", "new.csv", "-o", "out.csv")
    assert open("out.csv").read() == "before" and sorted(os.listdir(".")) == ["m", "made.csv", "new.csv", "out.csv"]
    bad(1, "cannot write to", "predict", "m", "made.csv", "-o", "no/such/folder.csv")
    code, out, err = run("predict", "m", "made.csv", "-o", "/dev/full")
    assert code == 1 and "cannot write to" in err


def check_labels():
    r = random.Random(2)
    f = table("c,n,y\n"
              + "".join("%s,%d,%g\n" % (c, r.randrange(3), "abc".index(c) + r.random() / 9)
                        for c in r.choices("abc", k=60)))
    good("select", f, "--method", "lssvm", "--categorical", "n", "--quiet", "--sigma2", "3", "--gamma", "100",
         "--model", "m")
    code, out, err = run("predict", "m", table("n,c\n0,a\n1.0,b\n2,z\n7,c\n,a\n0,\n", "p.csv"))
    assert code == 0 and out.split("\n")[5:7] == ["NA", "NA"] and out.count("\n") == 7, out
    assert "'c': 1 rows have a label" in err and "'n': 1 rows" in err, err
    bad(3, "p.csv:3: 3 fields", "predict", "m", table("n,c\n0,a\n1,b,c\n", "p.csv"))
    assert good("predict", "m", table("n;c\n0;a\n", "p.csv")).count("\n") == 2
    assert good("predict", "m", table("n,c\n", "p.csv")) == "y\n"


sys.exit(main(globals()))
