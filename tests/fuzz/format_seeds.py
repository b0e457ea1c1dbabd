#!/usr/bin/env python3
"""Writes the small files under tests/fuzz/seeds/FORMAT, which fuzzing starts from and tests/test_formats.c truncates.
Needs nothing but Python: the formats are made by hand, byte by byte. usage: tests/fuzz/format_seeds.py [FORMAT...]"""
import io, os, sqlite3, struct, sys, tempfile, zipfile, zlib

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


class Mat:
    """MATLAB's version 5: header and elements, in either byte order."""
    INT8, UINT8, INT16, INT32, UINT32, SINGLE, DOUBLE, MATRIX, COMPRESSED, UTF8, UTF16 = 1, 2, 3, 5, 6, 7, 9, 14, 15, 16, 17
    CELL, STRUCT, CHAR, SPARSE, DOUBLES, SINGLES, BYTES, OPAQUE = 1, 2, 4, 5, 6, 7, 9, 17

    def __init__(self, order="<"):
        self.order = order

    def pack(self, format, *values):
        return struct.pack(self.order + format, *values)

    def file(self, *elements, version=0x100):
        text = b"MATLAB 5.0 MAT-file, by hand".ljust(116) + bytes(8)
        return text + self.pack("HH", version, 0x4D49) + b"".join(elements)

    def element(self, type, data, small=True):
        if small and 0 < len(data) <= 4:
            return self.pack("I", len(data) << 16 | type) + data.ljust(4, b"\0")
        return self.pack("II", type, len(data)) + data + (b"" if type == self.COMPRESSED else bytes(-len(data) % 8))

    def packed(self, element):
        return self.element(self.COMPRESSED, zlib.compress(element), False)

    def array(self, name, class_, shape, *parts, flags=0, most=0):
        head = self.element(self.UINT32, self.pack("II", class_ | flags << 8, most))
        if class_ != self.OPAQUE:
            head += self.element(self.INT32, self.pack("%di" % len(shape), *shape))
        return self.element(self.MATRIX, head + self.element(self.INT8, name.encode()) + b"".join(parts), False)

    def numbers(self, name, shape, format, values, class_=DOUBLES, flags=0):
        type = {"b": 1, "B": 2, "h": 3, "H": 4, "i": 5, "I": 6, "f": 7, "d": 9, "q": 12, "Q": 13}[format]
        data = self.pack("%d%s" % (len(values), format), *values)
        return self.array(name, class_, shape, self.element(type, data), flags=flags)

    def text(self, name, s, type=UTF8):
        data = s.encode("utf-8" if type == self.UTF8 else "utf-16-le" if self.order == "<" else "utf-16-be")
        return self.array(name, self.CHAR, (1, len(s)), self.element(type, data))

    def cells(self, name, shape, *cells):
        return self.array(name, self.CELL, shape, *cells)

    def sparse(self, name, shape, rows, ends, values):
        return self.array(name, self.SPARSE, shape, self.element(5, self.pack("%di" % len(rows), *rows)),
                          self.element(5, self.pack("%di" % len(ends), *ends)),
                          self.element(9, self.pack("%dd" % len(values), *values)), most=len(rows))

    def struct(self, name, **fields):
        names = b"".join(n.encode().ljust(8, b"\0") for n in fields)
        return self.array(name, self.STRUCT, (1, 1), self.element(5, self.pack("i", 8)), self.element(1, names),
                          *fields.values())

    def four(self, name, shape, values, kind=0):
        """Version 4; kind 1: text."""
        head = self.pack("5i", (1000 if self.order == ">" else 0) + kind, *shape, 0, len(name) + 1)
        return head + name.encode() + b"\0" + self.pack("%dd" % (shape[0] * shape[1]), *values)


def mat_files():
    m, big = Mat(), Mat(">")
    yield "matrix", m.file(m.numbers("X", (3, 2), "d", [1, 3, 5, 2.5, -4, float("nan")]),
                           m.numbers("y", (1, 3), "B", [1, 0, 1], m.BYTES, 2))
    yield "packed", big.file(big.packed(big.numbers("X", (2, 2), "h", [1, -2, 3, 4])),
                             big.packed(big.numbers("s", (2, 1), "f", [0.5, 2], big.SINGLES)))
    yield "texts", m.file(m.cells("k", (3, 1), m.text("", "ab"), m.array("", m.CHAR, (0, 0), m.element(16, b"")),
                                  m.text("", "\u00e9\u2603", m.UTF16)),
                          m.array("c", m.CHAR, (3, 2), m.element(m.UTF16, "pqrx y".encode("utf-16-le"))),
                          m.cells("n", (3, 1), *(m.numbers("", (1, 1), "b", [v], m.BYTES) for v in (1, -2, 3))))
    yield "sparse", m.file(m.sparse("S", (3, 2), [0, 2, 1], [0, 2, 3], [1.5, 2.5, -1]),
                           m.struct("d", a=m.numbers("", (3, 1), "d", [1, 2, 3]), y=m.numbers("", (3, 1), "i", [4, 5, 6])),
                           m.array("T", m.OPAQUE, (), m.element(1, b"MCOS"), m.element(1, b"table"),
                                   m.numbers("", (2, 1), "I", [0xDD000000, 2])))
    yield "four", big.four("X", (2, 2), [1, 2, 3, 4.5]) + big.four("t", (2, 3), map(ord, "abcdef"), 1)


FORMATS = {"mat": mat_files, "npy": npy_files, "npz": npz_files, "libsvm": libsvm_files, "arff": arff_files, "sqlite": sqlite_files,
           "xlsx": xlsx_files}

if __name__ == "__main__":
    for name in sys.argv[1:] or FORMATS:
        os.makedirs(os.path.join(HERE, name), exist_ok=True)
        for file, data in FORMATS[name]():
            with open(os.path.join(HERE, name, file), "wb") as f:
                f.write(data)
