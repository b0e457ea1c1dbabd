"""Reading against Python: random tables in the dialects of Python's csv module, read by the library and written again,
must agree cell by cell with Python's csv and float(). The tables follow from a seed; a failure prints it with the file.
TAMIS_READING=N: N tables per check instead of 20000."""
import csv, ctypes, io, math, os, random, struct, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import TAMIS, main

TABLES = int(os.environ.get("TAMIS_READING", 20000))
LIB = ctypes.CDLL(os.path.join(os.path.dirname(TAMIS), "libtamis.so"))
POINTER = ctypes.c_void_p
for name, result, arguments in (
        ("tamis_context_new", POINTER, ""), ("tamis_context_free", None, "p"), ("tamis_error", ctypes.c_char_p, "p"),
        ("tamis_options_new", POINTER, "p"), ("tamis_options_free", None, "p"),
        ("tamis_options_set", ctypes.c_int, "pss"), ("tamis_table_free", None, "p"), ("tamis_release", None, "p"),
        ("tamis_table_read_memory", ctypes.c_int, "psnspp"), ("tamis_table_csv", ctypes.c_int, "pppp")):
    kinds = {"p": POINTER, "s": ctypes.c_char_p, "n": ctypes.c_size_t}
    getattr(LIB, name).restype = result
    getattr(LIB, name).argtypes = [kinds[a] for a in arguments]

MISSING = "", "NA", "NaN", "nan", "?"
WORDS = ["a", "b", "Zürich", "naïve", "日本", "😀", "e5", "1e", "0x1F", "0x", "1_000", "--1", "+-1", "1.2.3", "1e5.5",
         "infin", "nano", "NAN1", "N/A", "None", "true", "½", "١٢", "−1", "1 2", "12:30", "2024-01-31", "1d5", "1f",
         "$1", "1%", "x" * 300, "#", "'q'", "\\", "\u00a01", "\u2028"]
SPECIAL = ["a,b", "a;b", "a\tb", "a|b", 'say "hi"', '"', '""', "a\nb", "a\r\nb", "\n", "a\rb", ",", " x", "x ", "  ",
           "\t"]


class Table:
    """A random table: names, rows of texts, and what must come back: floats, texts, or None for missing."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.delimiter = self.random.choice(",;\t|")
        self.quoting = self.random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
        self.end = self.random.choice(["\n", "\r\n", "\r"])
        self.comma = self.delimiter != "," and self.random.random() < .3
        self.plain = self.random.random() < .5          # nothing that needs quotes; the delimiter is to be found
        columns = self.random.randint(2, 6)
        rows = self.random.randint(1, 12)
        self.names = self.distinct(columns)
        kinds = [self.random.choice([self.number, self.number, self.label]) for _ in range(columns)]
        self.columns = [[self.cell(kind) for _ in range(rows)] for kind in kinds]
        self.rows = [[column[i] for column in self.columns] for i in range(rows)]

    def distinct(self, n):
        names = []
        while len(names) < n:
            name = self.word()
            if name.strip() and name.strip() not in [m.strip() for m in names] and "\0" not in name:
                names.append(name)
        return names

    def word(self):
        words = WORDS if self.plain or self.random.random() < .7 else SPECIAL
        return self.random.choice(words) + self.random.choice(["", "", "k", "ß"])

    def cell(self, kind):
        return ("", None) if self.random.random() < .02 else kind()

    def number(self):
        r = self.random
        if r.random() < .08:
            return r.choice(MISSING), None
        text = r.choice([
            lambda: repr(self.any_double()),
            lambda: repr(r.gauss(0, 1) * 10 ** r.randint(-5, 5)),
            lambda: str(r.randint(-1000, 1000)),
            lambda: str(r.randint(-10 ** 30, 10 ** 30)),
            lambda: "%.*e" % (r.randint(0, 30), self.any_double()),
            lambda: "%.*f" % (r.randint(0, 30), r.gauss(0, 1000)),
            lambda: "%+g" % r.gauss(0, 1),
            lambda: "00%d" % r.randint(0, 99),
            lambda: "%d." % r.randint(0, 99),
            lambda: ".%d" % r.randint(0, 99),
            lambda: r.choice(["1e-310", "5e-324", "2.5e-324", "1.7976931348623157e308", "-0", "0.0", "1E5", "1e+05",
                              "9007199254740993", "7205759403792793600", "0.1", "1e-400", "123456789012345678.5"])])()
        return (text.replace(".", ",") if self.comma else text), float(text)

    def any_double(self):
        while True:
            x = struct.unpack("<d", self.random.randbytes(8))[0]
            if math.isfinite(x):
                return x

    def label(self):
        text = self.word()
        return text, text

    def written(self):
        """The bytes, and whether cells that are not numbers are quoted."""
        cells = [self.names] + [[c[0] for c in row] for row in self.rows]
        if any("\n" in c or "\r" in c for row in cells for c in row):
            self.quoting = csv.QUOTE_ALL
        out = io.StringIO(newline="")
        csv.writer(out, delimiter=self.delimiter, quoting=self.quoting, lineterminator=self.end).writerows(cells)
        return (b"\xef\xbb\xbf" if self.random.random() < .2 else b"") + out.getvalue().encode()

    def options(self):
        chosen = {} if self.plain else {"delimiter": "tab" if self.delimiter == "\t" else self.delimiter}
        if self.comma:
            chosen["decimal"] = ","
        return chosen

    def kept(self, text):
        """Blanks around a cell count only inside quotes; csv quotes a cell that contains the delimiter or a quote."""
        quoted = self.quoting != csv.QUOTE_MINIMAL or any(c in text for c in self.delimiter + '"')
        return text if quoted else text.strip(" \t")


class Reader:
    def __enter__(self):
        self.context = LIB.tamis_context_new()
        return self

    def __exit__(self, *_):
        LIB.tamis_context_free(self.context)

    def error(self):
        return LIB.tamis_error(self.context).decode("utf-8", "replace")

    def read(self, data, options):
        """Names and rows of texts, or the sentence of the error."""
        o, t, text, n = LIB.tamis_options_new(self.context), POINTER(), POINTER(), ctypes.c_size_t()
        for name, value in options.items():
            assert LIB.tamis_options_set(o, name.encode(), value.encode()) == 0, self.error()
        status = LIB.tamis_table_read_memory(self.context, data, len(data), b"f", o, ctypes.byref(t))
        why = self.error()
        LIB.tamis_options_free(o)
        if status:
            return why
        assert LIB.tamis_table_csv(self.context, t, ctypes.byref(text), ctypes.byref(n)) == 0, self.error()
        got = ctypes.string_at(text, n.value).decode()
        LIB.tamis_release(text)
        LIB.tamis_table_free(t)
        return list(csv.reader(io.StringIO(got, newline="")))


def same(cell, value, t):
    if value is None or (isinstance(value, str) and t.kept(value).strip(" ") == ""):
        return cell == ""
    return float(cell) == value if isinstance(value, float) else cell == t.kept(value)


def compare(seed, reader):
    t = Table(seed)
    data = t.written()
    got = reader.read(data, t.options())
    where = (seed, t.options(), data, got)
    assert isinstance(got, list), where
    assert [n.strip(" \t") for n in t.names] == got[0], where
    assert len(got) == len(t.rows) + 1, where
    for row, cells in zip(t.rows, got[1:]):
        assert len(cells) == len(row), where
        for (text, value), cell in zip(row, cells):
            assert same(cell, value, t), (text, value, cell) + where


def check_random_tables():
    with Reader() as reader:
        for seed in range(TABLES):
            compare(seed, reader)


def check_infinite_numbers_are_refused():
    with Reader() as reader:
        for word in "inf", "-Inf", "Infinity", "1e999", "-1e400":
            got = reader.read(("x,y\n1,2\n%s,3\n4,5\n" % word).encode(), {})
            assert isinstance(got, str) and got.startswith("f:3: ") and "infinite" in got, (word, got)


def check_texts_in_quotes_are_the_same_numbers():
    """Quotes do not make a number a text."""
    with Reader() as reader:
        got = reader.read(b'x,y\n"1.5","2"\n" 1e-310 ",3\n', {})
        assert [[float(c) for c in row] for row in got[1:]] == [[1.5, 2], [1e-310, 3]], got


if __name__ == "__main__":
    sys.exit(main(globals()))
