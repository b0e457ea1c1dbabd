#!/usr/bin/env python3
"""Writes the small files under tests/fuzz/seeds/FORMAT, which fuzzing starts from and tests/test_formats.c truncates.
Needs nothing but Python: the formats are made by hand, byte by byte. usage: tests/fuzz/format_seeds.py [FORMAT...]"""
import io, os, sqlite3, struct, sys, tempfile, zipfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeds")


def npy(descr, shape, data, fortran=False, version=1):
    text = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)
    head = text.encode("utf-8" if version == 3 else "latin-1")
    size = 2 if version == 1 else 4
    head += b" " * (-(len(head) + 9 + size) % 16) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(head).to_bytes(size, "little") + head + data


def npy_files():
    yield "matrix", npy("'<f8'", "(3, 2)", struct.pack("<6d", 1, 2.5, 3, -4, 5, float("nan")))
    yield "fortran", npy("'>i2'", "(3, 2)", struct.pack(">6h", 1, 2, 3, -4, 5, 6), True, 2)
    yield "half", npy("'<f2'", "(4,)", struct.pack("<4e", 0.5, -2, 6e-8, 65504))
    yield "records", npy("[('a', '<f4'), ('', '|V2'), ('n\u00e9', '|S3'), ('u', '<U2'), ('t', '|b1')]", "(2,)",
                         struct.pack("<f2x3s", 1.5, b"ab\0") + "x\u2603".encode("utf-32-le") + b"\1" +
                         struct.pack("<f2x3s", 2.5, b"abc") + "y\0".encode("utf-32-le") + b"\0", version=3)


def libsvm_files():
    yield "plain", b"1 1:0.5 3:2\n-1 2:1e-3 # a remark\n\n+1\n"
    yield "zero", b"# from 0\n0.5 qid:3 0:1 7:nan\n1.5 qid:3 1:2\n"


def archive(members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, method)
    return out.getvalue()


def npz_files():
    y = npy("'|S1'", "(3,)", b"aba")
    x = npy("'<f4'", "(3, 2)", struct.pack("<6f", 1, 2.5, 3, -4, 5, 6))
    yield "deflated", archive([("y.npy", y), ("X.npy", x)])
    yield "stored", archive([("X.npy", x), ("arr_0.npy", x)], zipfile.ZIP_STORED)


def arff_files():
    yield "dense", (b"% about\n@relation r\n@attribute 'a b' numeric\n@ATTRIBUTE c {x,'y z',\"q'\"}\n"
                    b"@attribute d date 'yyyy-MM-dd'\n@attribute s string\n\n@data\n1.5, x, 2020-01-02, 'it\\'s'\n"
                    b"% rest\n?,'y z',?,007\n")
    yield "sparse", b"@relation r\n@attribute a real\n@attribute b integer\n@attribute c {u,v}\n@data\n{1 4, 2 v}\n{}\n{0 ?}\n"


def sqlite_files():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t")
        db = sqlite3.connect(path)
        db.executescript("pragma page_size = 512; vacuum; create table t (x real, n integer, s text, y);"
                         "insert into t values (1.5, 2, 'a', 3), (-2.5, null, 'b, c', 4), (1e300, 5, '\"', 5);")
        db.close()
        with open(path, "rb") as f:
            yield "table", f.read()


def workbook(sheet, strings="", styles="", more=""):
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    names = ["First"] + ([more] if more else [])
    files = [("[Content_Types].xml", "<Types/>"),
             ("xl/workbook.xml", '<workbook xmlns="%s" xmlns:r="%s"><sheets>%s</sheets></workbook>' % (main, rel, "".join(
                 '<sheet name="%s" sheetId="%d" r:id="r%d"/>' % (n, i + 1, i + 1) for i, n in enumerate(names)))),
             ("xl/_rels/workbook.xml.rels", "<Relationships>%s</Relationships>" % "".join(
                 '<Relationship Id="r%d" Target="worksheets/sheet%d.xml"/>' % (i + 1, i + 1) for i in range(len(names))))]
    if strings:
        files.append(("xl/sharedStrings.xml", "<sst>%s</sst>" % strings))
    if styles:
        files.append(("xl/styles.xml", "<styleSheet>%s</styleSheet>" % styles))
    for i in range(len(names)):
        files.append(("xl/worksheets/sheet%d.xml" % (i + 1),
                      "<worksheet><sheetData>%s</sheetData></worksheet>" % sheet))
    return archive(files)


def xlsx_files():
    yield "numbers", workbook('<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="C1" t="str"><v>y</v></c></row>'
                              '<row r="2"><c r="A2"><v>1.5</v></c><c r="C2"><f>A2*2</f><v>3</v></c></row>'
                              '<row r="4"><c r="A4" t="e"><v>#N/A</v></c><c r="C4"><v>4</v></c></row>')
    yield "texts", workbook('<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row>'
                            '<row><c s="1"><v>44197</v></c><c t="b"><v>1</v></c><c><v>7</v></c></row>'
                            '<row><c s="2"><v>44198.25</v></c><c t="b"><v>0</v></c><c><v>8</v></c></row>',
                            "<si><t>when</t></si><si><r><t>o</t></r><r><t>k</t></r></si><si><t>y</t></si>",
                            '<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/></numFmts>'
                            '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs>', "Second")


FORMATS = {"npy": npy_files, "npz": npz_files, "libsvm": libsvm_files, "arff": arff_files, "sqlite": sqlite_files,
           "xlsx": xlsx_files}

if __name__ == "__main__":
    for name in sys.argv[1:] or FORMATS:
        os.makedirs(os.path.join(HERE, name), exist_ok=True)
        for file, data in FORMATS[name]():
            with open(os.path.join(HERE, name, file), "wb") as f:
                f.write(data)
