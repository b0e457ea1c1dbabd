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


def check_npz():
    np = need("numpy")
    x, y = numbers()
    write_csv(["X1", "X2", "X3", "X4", "w", "y"], [v + [i / 7, t] for i, (v, t) in enumerate(zip(x, y))])
    for save in (np.savez, np.savez_compressed):
        save("t.npz", y=np.array(y), X=np.array(x), w=np.arange(60) / 7)
        same("t.npz", "t.csv")
        same_answer("t.npz", "t.csv")
    np.savez("u.npz", X=np.array(x), y=np.array(y[:50]))
    bad(3, "u.npz: array 'y' has 50 rows and 'X' has 60", "describe", "u.npz")
    np.savez("o.npz", X=np.array([1, None], dtype=object))
    bad(3, "o.npz:X.npy: .*never unpickled", "describe", "o.npz")
    whole = open("t.npz", "rb").read()
    bad(3, "zip archive is damaged", "describe", table(whole[:-30], "cut"))


def check_mat():
    np, io = need("numpy"), need("scipy.io")
    x, y = numbers()
    names = ["X1", "X2", "X3", "X4", "w", "y"]
    write_csv(names, [v + [i / 8, t] for i, (v, t) in enumerate(zip(x, y))])
    values = {"y": np.array(y), "X": np.array(x), "w": np.arange(60).reshape(60, 1) / 8}
    for kind, more in (("plain", {}), ("packed", {"do_compression": True}), ("four", {"format": "4"})):
        io.savemat(kind + ".mat", values, **more)
        same(kind + ".mat", "t.csv")
        same_answer(kind + ".mat", "t.csv")
    whole = open("packed.mat", "rb").read()
    os.rename(table(gzip.compress(whole), "a"), "looks-like.csv")
    same("looks-like.csv", "t.csv")
    for kind in ("f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"):
        b = np.abs(np.array(x) * 20).astype(kind)
        io.savemat("k.mat", {"A2": b}, do_compression=kind > "i2")
        write_csv(["A2_%d" % (j + 1) for j in range(4)], b.astype(float).tolist(), "k.csv")
        same("k.mat", "k.csv")
    bad(3, "cut: the MATLAB file is damaged", "describe", table(whole[:-30], "cut"))


def check_mat_texts_and_others():
    np, io = need("numpy"), need("scipy.io")
    sparse = need("scipy.sparse")
    r = random.Random(4)
    kinds = [r.choice(["a", "b\u00e9, c", "2021"]) for _ in range(30)]
    x, y = numbers(30, 3)
    x = [[v if v > 0 else 0.0 for v in row] for row in x]
    cell = np.empty((30, 1), dtype=object)
    cell[:, 0] = kinds
    io.savemat("t.mat", {"kind": cell, "code": np.array([k[0] + "x" for k in kinds]), "S": sparse.csc_matrix(np.array(x)),
                         "d": {"y": np.array(y)}, "wavelength": np.arange(401.0), "z": np.array(y) * 1j,
                         "cube": np.zeros((2, 3, 4)), "empty": np.zeros((0, 0))})
    write_csv(["kind", "code", "S1", "S2", "S3", "y"],
              [[k, k[0] + "x"] + v + [t] for k, v, t in zip(kinds, x, y)])
    chosen = ("--variables", "kind,code,S,y")
    assert cells("t.mat") == cells("t.mat", *chosen) == cells("t.csv")
    code, out, err = run("describe", "t.mat")
    assert code == 0 and "left out: wavelength (401 rows), z (is complex), cube (has 3 dimensions), empty (is empty)" in err, err
    bad(3, "'wavelength' has 401 rows and 'S' has 30", "describe", "t.mat", "--variables", "S,wavelength")
    bad(3, "variable 'z' is complex, which is not read; save its real", "describe", "t.mat", "--variables", "y,z")
    bad(3, "variable 'cube' has 3 dimensions", "describe", "t.mat", "--variables", "cube")
    bad(3, "variable 'empty' is empty", "describe", "t.mat", "--variables", "empty")
    bad(2, "--variables wavelen: t.mat has no such variable; did you mean 'wavelength'", "describe", "t.mat", "--variables", "wavelen")
    bad(2, "--variables is for files of type mat", "describe", "t.csv", "--variables", "y")
    good("select", "t.mat", "--method", "lars", "--quiet", "--model", "m", *chosen)
    assert good("predict", "m", "t.mat", *chosen) == good("predict", "m", "t.csv")
    io.savemat("wide.mat", {"S": sparse.csc_matrix(([1.0], ([0], [0])), shape=(2000000, 100000))})
    bad(1, "variable 'S' as columns needs", "describe", "wide.mat")


def check_mat_by_hand():
    """What scipy does not write: the other byte order, objects of MATLAB, forged sizes, version 7.3."""
    sys.path.insert(0, os.path.join(ROOT, "tests", "fuzz"))
    from format_seeds import Mat
    want = [["X1", "X2", "y"], ["1", "3", "5"], ["-2", "4", "6"]]
    for order in "<>":
        m = Mat(order)
        x, y = m.numbers("X", (2, 2), "h", [1, -2, 3, 4]), m.numbers("y", (1, 2), "d", [5, 6])
        for file in (m.file(y, x), m.file(m.packed(y), m.packed(x)), m.four("y", (1, 2), [5, 6]) + m.four("X", (2, 2), [1, -2, 3, 4])):
            assert cells(table(file, "t.mat")) == want
        table_object = m.array("T", m.OPAQUE, (), m.element(1, b"MCOS"), m.element(1, b"table"), m.numbers("", (1, 1), "I", [1]))
        bad(3, "t.mat: variable 'T' is a MATLAB object of class table, which is not read; save its columns", "describe",
            table(m.file(table_object), "t.mat"))
        bad(3, "7.3 .HDF5., which is not read; save it with `save -v7`", "describe", table(m.file(version=0x200), "t.mat"))
        bad(3, "no array with rows", "describe", table(m.file(), "t.mat"))
        forged = m.array("X", m.DOUBLES, (2 ** 31 - 1, 2 ** 31 - 1), m.element(9, bytes(16)))
        for f in (forged, m.cells("c", (2 ** 31 - 1, 7)), m.numbers("X", (-1, 2), "d", [1]),
                  m.sparse("S", (3, 2), [0, 3], [0, 1, 2], [1, 2]), m.sparse("S", (3, 2), [0, 1], [0, 9, 2], [1, 2]),
                  m.packed(x)[:-8], m.pack("II", 15, 2 ** 31), m.element(m.COMPRESSED, b"no zlib stream")):
            bad(3, "t.mat: the MATLAB file is damaged", "describe", table(m.file(f), "t.mat"))


def check_arff():
    r = random.Random(5)
    rows = [(r.gauss(0, 1), r.choice(["a b", "c'd", "7"]), r.randrange(9), r.gauss(0, 1)) for _ in range(40)]
    def quoted(s):
        return "'%s'" % s.replace("'", "\\'")
    with open("t.arff", "w") as f:
        f.write("% made\n\n@RELATION 'r s'\n@attribute x real\n@attribute 'the kind' {'a b','c\\'d',7}\n"
                "@attribute n integer\n@attribute y numeric\n@DATA\n")
        for i, (a, b, c, d) in enumerate(rows):
            f.write("%s,%s, %d,%r\n" % ("?" if i == 3 else repr(a), quoted(b), c, d))
    write_csv(["x", "the kind", "n", "y"], [["" if i == 3 else a, b, c, d] for i, (a, b, c, d) in enumerate(rows)])
    same("t.arff", "t.csv")
    table("@relation r\n@attribute a numeric\n@attribute c {u,v}\n@attribute y numeric\n@data\n"
          + "".join("{%s2 %d}\n" % ("0 3, 1 v, " if i % 3 else "", i * i) for i in range(12)), "s.arff")
    write_csv(["a", "c", "y"], [[3, "v", i * i] if i % 3 else [0, "u", i * i] for i in range(12)], "s.csv")
    same("s.arff", "s.csv")
    head = "@relation r\n@attribute a numeric\n@attribute c {u,v}\n@data\n1,u\n"
    for line, says in (("x,u", "'x' is not a number"), ("1,w", "'w' is not among the declared values of attribute 'c'"),
                       ("1", "1 values found, 2 attributes"), ("1,u,3", "3 values found"), ("{2 1}", "an index"),
                       ("'1,u", "quote is not closed"), ("{0 1", "brace is not closed")):
        bad(3, "b.arff:6: .*" + says, "describe", table(head + line + "\n", "b.arff"))


def check_sqlite():
    reads("sqlite")
    import sqlite3
    r = random.Random(7)
    rows = [(r.gauss(0, 1), r.choice(["a", "b, c", None]), r.choice([None, 1, 2, 3]), r.gauss(0, 1)) for _ in range(50)]
    db = sqlite3.connect("t.db")
    db.execute("create table t (x real, s text, n integer, y)")
    db.executemany("insert into t values (?, ?, ?, ?)", rows)
    db.commit()
    write_csv(["x", "s", "n", "y"], [["" if v is None else v for v in row] for row in rows])
    same("t.db", "t.csv")
    whole = open("t.db", "rb").read()
    same(table(gzip.compress(whole), "packed"), "t.csv")
    write_csv(["y", "x"], [(d, a) for a, b, c, d in rows if a > 0], "q.csv")
    query = ("--query", "select y, x from t where x > 0")
    assert json.loads(good("describe", "t.db", "--json", *query))["columns"] == \
        json.loads(good("describe", "q.csv", "--json"))["columns"]
    bad(2, "--query: .*syntax error", "describe", "t.db", "--query", "selct 1")
    for words in ("delete from t", "attach 'x.db' as x", "pragma user_version", "select 1; select 2", ""):
        bad(2, "--query: ", "describe", "t.db", "--query", words)
    assert open("t.db", "rb").read() == whole and not os.path.exists("x.db")
    bad(2, "--query is for files of type sqlite", "describe", "t.csv", "--query", "select 1")
    db.execute("create table u (a)")
    db.commit()
    bad(2, r"t.db: 2 tables \(t, u\); choose", "describe", "t.db")
    bad(3, "truncated|malformed|cannot read", "describe", table(whole[:700], "cut"))
    db.close()


def check_xlsx():
    reads("xlsx")
    sys.path.insert(0, os.path.join(ROOT, "tests", "fuzz"))
    from format_seeds import archive, workbook
    x, y = numbers(30, 2)
    def cell(name, v):
        return '<c r="%s" t="inlineStr"><is><t>%s</t></is></c>' % (name, v) if isinstance(v, str) else \
            '<c r="%s"><v>%r</v></c>' % (name, v)
    def sheet(rows):
        return "".join('<row r="%d">%s</row>' % (i + 1, "".join(cell("%s%d" % ("BCDE"[j], i + 1), v)
                       for j, v in enumerate(row) if v is not None)) for i, row in enumerate(rows))
    rows = [[a, "kl"[i % 2], None if i == 4 else b, t] for i, ((a, b), t) in enumerate(zip(x, y))]
    table(workbook(sheet([["a", "k &amp; l", "b", "y"]] + rows), more="Other"), "t.xlsx")
    write_csv(["a", "k & l", "b", "y"], [["" if v is None else v for v in row] for row in rows])
    same("t.xlsx", "t.csv")
    same_answer("t.xlsx", "t.csv")
    good("describe", "t.xlsx", "--sheet", "Other")
    bad(2, "has no such sheet, but First, Other", "describe", "t.xlsx", "--sheet", "None")
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><x>&b;</x>'
    bad(3, "the XML is damaged", "describe", table(archive([("xl/workbook.xml", bomb)]), "bomb.xlsx"))
    bad(3, "without xl/workbook.xml", "describe", table(archive([("a.txt", "x")]), "z.zip"))


def check_xlsx_of_openpyxl():
    reads("xlsx")
    openpyxl, datetime = need("openpyxl"), need("datetime")
    book = openpyxl.Workbook()
    book.active.append(["when", "a", "y"])
    table("when,a,y\n" + "".join("2021-03-%02d,%d,%d\n" % (i + 1, i * i % 7, i) for i in range(20)))
    for i in range(20):
        book.active.append([datetime.date(2021, 3, i + 1), i * i % 7, i])
    book.save("t.xlsx")
    same("t.xlsx", "t.csv")


def check_options_reach_every_format():
    np = need("numpy")
    np.save("t.npy", np.array([[1, 5, 0.5], [2, -9, 1.5], [1, 7, np.inf], [2, 8, 2.5]]))
    table("x1,x2,x3\n1,5,0.5\n2,-9,1.5\n1,7,inf\n2,8,2.5\n")
    for f in ("t.npy", "t.csv"):
        bad(3, f + ":4: column 'x3' is infinite", "describe", f)
    same("t.npy", "t.csv", "--missing", "inf,-9", "--categorical", "x1")
    bad(2, "has no such column", "describe", "t.npy", "--categorical", "z")


if __name__ == "__main__":
    sys.exit(main(globals()))
