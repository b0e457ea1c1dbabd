#!/usr/bin/env python3
"""Predictions of files of any length. usage: predict.py path/to/tamis [name...]"""
import ast, calendar, csv, datetime, gzip, math, os, random, resource, struct, subprocess, sys

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
    bad(1, "cannot be written", "predict", "m", "made.csv", "-o", "no/such/folder.csv")
    code, out, err = run("predict", "m", "made.csv", "-o", "/dev/full")
    assert code == 1 and "cannot be written" in err


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


HEAD = ",".join("x%d" % k for k in range(1, 11))


def ids_and_rows(quote=False):
    """A table with awkward identifiers in front of the inputs; every fifth row lacks one."""
    ids = ["007", "7.0", "1e3", " x", 'say ""hi""', "a,b", "\u00e9t\u00e9", "", "NA", "line\nbreak"] * 4
    names = ['id', 'the ""name"", 1'] if quote else ["id", "name"]
    lines = ['"%s","%s",%s' % (names[0], names[1], HEAD)]
    for i, text in enumerate(ids):
        cells = ["%.3f" % ((i * 7 + k * 3) % 11 / 11) for k in range(10)]
        if i % 5 == 4:
            cells = [""] * 10
        lines.append('"%s","%s",%s' % (text, "n%d" % i, ",".join(cells)))
    return ids, "\n".join(lines) + "\n"


def parsed(text):
    return list(csv.reader(text.splitlines(True)))


def check_dates_that_are_numbers():
    """Trained on 20240131 or on seconds, a model predicts the same from one row of them as from the ISO date."""
    day = datetime.date(2024, 1, 1)
    days = [day + datetime.timedelta(i * i % 9 + 8 * i) for i in range(40)]
    y = [math.sin(i / 5) + i / 20 for i in range(40)]
    seconds = [calendar.timegm(d.timetuple()) for d in days]
    for name, written in (("date", [d.strftime("%Y%m%d") for d in days]), ("time", seconds), ("ts", [1000 * s for s in seconds])):
        table("%s,a,y\n" % name + "".join("%s,%d,%r\n" % (w, i * 7 % 5, t) for i, (w, t) in enumerate(zip(written, y))))
        good("select", "t.csv", "--keep", name, "--method", "sisal", "--model", "m", "--must", name, "--quiet")
        all_rows = good("predict", "m", "t.csv").split()
        for i in (0, 17, 39):
            for text in (written[i], days[i].isoformat()):
                one = good("predict", "m", table("%s,a\n%s,%d\n" % (name, text, i * 7 % 5), "one.csv")).split()
                assert one[1] == all_rows[1 + i] and one[1] != "NA", (name, text, one, all_rows[1 + i])


def check_columns_are_carried_along():
    fitted()
    for quote in (False, True):
        ids, text = ids_and_rows(quote)
        t, name = table(text), 'the "name", 1' if quote else "name"
        plain = good("predict", "m", t).split("\n")
        code, out, err = run("predict", "m", t, "--carry", 'id,"%s",x3' % name.replace('"', '""'))
        assert code == 0, err
        rows = parsed(out)
        assert rows[0] == ["id", name, "x3", "y"] and len(rows) == len(ids) + 1
        for i, text_id in enumerate(ids):
            want = [text_id.replace('""', '"'), "n%d" % i, parsed(text)[i + 1][4]]
            assert rows[i + 1][:3] == want, (rows[i + 1], want)
            assert rows[i + 1][3] == plain[i + 1].replace("NA", ""), (rows[i + 1], plain[i + 1])
    bad(2, "--carry Name: t.csv has no such column; did you mean .name..", "predict", "m", table(ids_and_rows()[1]),
        "--carry", "Name")
    assert good("predict", "m", "-", "--carry", "id", stdin=ids_and_rows()[1].encode()).startswith("id,y\n007,")
    latin = ("id,%s\nK\u00f6ln,%s\n" % (HEAD, ",".join(["0.5"] * 10))).encode("latin-1")
    assert good("predict", "m", "-", "--carry", "id", stdin=latin).split("\n")[1].startswith("K\u00f6ln,")


def check_carried_columns_at_fixed_memory():
    """Texts of a block are bounded, too: 150 MB of them in 300 MB of memory."""
    fitted()
    line = "a" * 3000 + "," + ",".join(["0.5"] * 10) + "\n"
    with open("long.csv", "w") as f:
        f.write("id,%s\n" % HEAD + line * 50000)
    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (300 << 20, 300 << 20))
    p = subprocess.run([TAMIS, "predict", "m", "long.csv", "--threads", "2", "--carry", "id", "-o", "/dev/null"],
                       stderr=subprocess.PIPE, preexec_fn=limit)
    assert p.returncode == 0, p.stderr


def array(path):
    """Shape and numbers of an NPY file."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x93NUMPY\1\0"
    n = struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10:10 + n].decode())
    assert (10 + n) % 64 == 0 and head["descr"] == "<f8" and head["fortran_order"] is False, head
    cells = struct.unpack("<%dd" % ((len(data) - 10 - n) // 8), data[10 + n:])
    return head["shape"], list(cells)


def check_arrays():
    fitted()
    t = table(ids_and_rows()[1])
    want = [float("nan") if v == "NA" else float(v) for v in good("predict", "m", t).split("\n")[1:-1]]
    good("predict", "m", t, "-o", "out.npy")
    shape, cells = array("out.npy")
    assert shape == (40,) and [repr(v) for v in cells] == [repr(v) for v in want]
    assert "x1" in good("describe", "out.npy")          # and is read again
    good("predict", "m", t, "--format", "npy", "-o", "other")
    assert open("other", "rb").read() == open("out.npy", "rb").read()
    good("predict", "m", t, "--format", "csv", "-o", "text.npy")
    assert open("text.npy").read().startswith("y\n")
    bad(2, "--carry: an array of numbers", "predict", "m", t, "--carry", "id", "-o", "no.npy")
    assert not os.path.exists("no.npy")
    bad(2, "--format 'cvs': expected one of csv|npy", "predict", "m", t, "--format", "cvs")
    good("predict", "m", table(HEAD + "\n", "empty.csv"), "-o", "out.npy")
    assert array("out.npy") == ((0,), [])


def check_arrays_of_classes_and_targets():
    r = random.Random(3)
    rows = [(r.gauss(0, 1), r.gauss(0, 1)) for _ in range(60)]
    f = table("a,b,kind\n" + "".join("%f,%f,%s\n" % (a, b, "low mid high".split()[(a > -0.5) + (a > 0.5)])
                                     for a, b in rows))
    good("select", f, "--method", "search", "--criterion", "knn", "--quiet", "--model", "m")
    lines = parsed(good("predict", "m", f))
    code, out, err = run("predict", "m", f, "-o", "out.npy")
    shape, cells = array("out.npy")
    assert code == 0 and "the probabilities of the classes: high, low, mid" in err, err
    assert shape == (60, 3) and cells == [float(v) for line in lines[1:] for v in line[1:]]
    f = table("a,b,y,z\n" + "".join("%f,%f,%f,%f\n" % (a, b, a + b, a - b) for a, b in rows))
    good("select", f, "--target", "y,z", "--method", "lars", "--quiet", "--model", "m")
    code, out, err = run("predict", "m", f, "-o", "out.npy")
    shape, cells = array("out.npy")
    assert shape == (60, 2) and "the targets: y, z" in err
    assert cells == [float(v) for line in parsed(good("predict", "m", f))[1:] for v in line]


sys.exit(main(globals()))
