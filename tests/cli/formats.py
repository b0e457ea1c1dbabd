#!/usr/bin/env python3
"""Formats other than CSV, as other programs write them: the same table, the same answer, the same predictions as from
CSV. usage: formats.py path/to/tamis [name...]"""
import csv, gzip, importlib, io, json, os, random, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, Skip, bad, good, main, run, table


def need(module):
    try:
        return importlib.import_module(module)
    except ImportError:
        raise Skip("Python's %s is missing" % module)


def reads(name):
    """Skips where the build has no reader of that format."""
    line = [l for l in good("--version").split("\n") if l.startswith("reads:")][0]
    if name not in line.replace(",", " ").split():
        raise Skip("this build does not read %s" % name)


def numbers(rows=60, columns=4, seed=1):
    """Inputs and a target that depends on the first and the last of them."""
    r = random.Random(seed)
    x = [[r.gauss(0, 1) for _ in range(columns)] for _ in range(rows)]
    return x, [2 * v[0] - v[-1] + 0.1 * r.gauss(0, 1) for v in x]


def write_csv(names, rows, path="t.csv"):
    with open(path, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(names)
        w.writerows([["" if v is None or v != v else repr(v) if isinstance(v, float) else v for v in r] for r in rows])
    return path


def cells(path, *options):
    """The table that tamis reads: names, and rows of texts."""
    good("clean", path, "--quiet", "-o", "cleaned.csv", *options)
    with open("cleaned.csv", newline="") as f:
        return list(csv.reader(f))


def same(path, reference, *options):
    """Cell by cell, and in the summary of every column."""
    assert cells(path, *options) == cells(reference, *options), path
    one, two = (json.loads(good("describe", p, "--json", "--quiet", *options)) for p in (path, reference))
    assert one["columns"] == two["columns"] and one["rows"] == two["rows"], path


def same_answer(path, reference, *options):
    """The same inputs and errors, and the same predictions."""
    def answer(p):
        r = json.loads(good("select", p, "--method", "lars", "--json", "--quiet", "--model", "m", *options))
        return r["selected"], r["error"], good("predict", "m", p, "--quiet")
    assert answer(path) == answer(reference), path


def check_npy():
    np = need("numpy")
    x, y = numbers()
    a = np.column_stack([np.array(x), y])
    names = ["x%d" % (j + 1) for j in range(a.shape[1])]
    write_csv(names, a.tolist())
    for kind, b in (("c", a), ("f", np.asfortranarray(a)), ("big", a.astype(">f8"))):
        np.save(kind + ".npy", b)
        same(kind + ".npy", "t.csv")
        same_answer(kind + ".npy", "t.csv")
    for kind in ("f2", "f4", "i1", ">i2", "i4", ">i8", "u1", "u2", ">u4", "u8", "?"):
        b = np.abs(a * 20).astype(kind)
        np.save("k.npy", b)
        write_csv(names, b.astype(float).tolist(), "k.csv")
        same("k.npy", "k.csv")
    with open("c.npy", "rb") as f:
        packed = gzip.compress(f.read())
    os.rename(table(packed, "a"), "looks-like.csv")
    same("looks-like.csv", "t.csv")


def check_npy_records():
    np = need("numpy")
    r = random.Random(3)
    rows = [(r.gauss(0, 1), r.choice(["a", "b", "NA", ""]), r.choice(["1", "2", "10"]), r.random() < .5, r.gauss(0, 1))
            for _ in range(50)]
    np.save("r.npy", np.array(rows, dtype=[("x", "f8"), ("caf\u00e9", "U3"), ("code", "S2"), ("b", "?"), ("y", "f8")]))
    write_csv(["x", "caf\u00e9", "code", "b", "y"], [[a, b, c, int(d), e] for a, b, c, d, e in rows])
    same("r.npy", "t.csv", "--categorical", "code")
    columns = {c["name"]: c["type"] for c in json.loads(good("describe", "r.npy", "--json"))["columns"]}
    assert columns == {"x": "number", "caf\u00e9": "category", "code": "category", "b": "number", "y": "number"}
    np.save("o.npy", np.array([1, "a"], dtype=object), allow_pickle=True)
    bad(3, "o.npy: .*never unpickled", "describe", "o.npy")


def check_libsvm():
    x, y = numbers()
    with open("t", "w") as f:
        for i, (v, t) in enumerate(zip(x, y)):
            f.write("%r %s%s\n" % (t, " ".join("%d:%r" % (j + 1, c) for j, c in enumerate(v) if c > -1),
                                   " # remark" if i % 7 == 0 else ""))
    write_csv(["x1", "x2", "x3", "x4", "target"], [[c if c > -1 else 0 for c in v] + [t] for v, t in zip(x, y)])
    same("t", "t.csv")
    same_answer("t", "t.csv")
    code, out, err = run("describe", "t")
    assert code == 0 and "note: t: read as LIBSVM" in err, err
    good("select", "t", "--method", "lars", "--quiet", "--model", "m")          # a row without the last inputs
    want = good("predict", "m", table("x1,x2,x3,x4\n0.5,0,0,0\n", "one.csv"))
    assert good("predict", "m", table("0 1:0.5\n", "one"), "--quiet") == want


def check_options_reach_every_format():
    np = need("numpy")
    np.save("t.npy", np.array([[1, 5, 0.5], [2, -9, 1.5], [1, 7, np.inf], [2, 8, 2.5]]))
    table("x1,x2,x3\n1,5,0.5\n2,-9,1.5\n1,7,inf\n2,8,2.5\n")
    for f in ("t.npy", "t.csv"):
        bad(3, f + ":4: column 'x3' is infinite", "describe", f)
    same("t.npy", "t.csv", "--missing", "inf,-9", "--categorical", "x1")
    bad(2, "has no column 'z'", "describe", "t.npy", "--categorical", "z")


if __name__ == "__main__":
    sys.exit(main(globals()))
