"""Tables as people have them: every file of tests/tables with the roles, notes and answer that tests/tables/cases.json
expects of it, and what the options do to them.

A case has "file", "why", and any of: "options" (for all commands), "select" (more options of select; without it select
does not run), "roles" (role of each column; others are inputs), "types", "levels" (of a column, in order), "missing",
"units", "notes" (patterns that select's notes match; without "select", those of describe), "quiet" (patterns that no note
matches), "selected" (the set), "code" and "error" (the command fails)."""
import csv, datetime, io, json, os, random, re, sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
from harness import *

KNN = ["--method", "search", "--criterion", "knn"]
TABLES = os.path.join(ROOT, "tests", "tables")


def cases():
    with open(os.path.join(TABLES, "cases.json"), encoding="utf-8") as f:
        return json.load(f)


def described(case, path):
    code, out, err = run("describe", path, *case.get("options", []), "--json")
    assert code == 0, err
    return json.loads(out), err


def columns_agree(case, found):
    roles = {c["name"]: c["role"] for c in found["columns"] if c["role"] != "input"}
    assert roles == case.get("roles", roles), roles
    by_name = {c["name"]: c for c in found["columns"]}
    for key, field in (("types", "type"), ("levels", "levels"), ("missing", "missing"), ("reasons", "reason"),
                       ("units", "units")):
        for name, value in case.get(key, {}).items():
            assert by_name[name].get(field) == value, (name, by_name[name])
    assert case.get("columns", list(by_name)) == list(by_name), list(by_name)
    assert case.get("rows", found["rows"]) == found["rows"], found["rows"]


def notes_agree(case, err):
    for pattern in case.get("notes", []):
        assert re.search(pattern, err), (pattern, err)
    for pattern in case.get("quiet", []):
        assert not re.search(pattern, err), (pattern, err)


def work_through(case):
    path = os.path.join(TABLES, case["file"])
    if "error" in case:
        return bad(case["code"], case["error"], "describe", path, *case.get("options", []))
    found, err = described(case, path)
    columns_agree(case, found)
    if "select" in case:
        code, out, err = run("select", path, *case.get("options", []), *case["select"], "--json", "--threads", "1")
        assert code == 0, err
        if "selected" in case:
            assert sorted(json.loads(out)["selected"]) == sorted(case["selected"]), json.loads(out)["selected"]
    notes_agree(case, err)


def check_every_table():
    failed, all_cases = [], cases()
    for case in all_cases:
        try:
            work_through(case)
        except Exception as e:
            failed.append("%s %s: %s" % (case["file"], " ".join(case.get("options", [])), e))
    assert not failed, "\n" + "\n".join(failed)


def check_tables_and_cases_match():
    files = set(os.listdir(TABLES)) - {"cases.json", "README.md"}
    assert files == {case["file"] for case in cases()}, files ^ {case["file"] for case in cases()}
    assert len(files) >= 40, len(files)


# ---- columns that are not inputs ----

def rows_of(path):
    with open(path, newline="") as f:
        return list(csv.reader(f))


def write(name, rows):
    with open(name, "w", newline="") as f:
        csv.writer(f).writerows(rows)
    return name


def answer(*words):
    r = json.loads(good("select", *words, "--json", "--quiet", "--threads", "1", "--no-evidence"))
    return {k: r[k] for k in ("selected", "inputs", "error", "path")}


def check_identifiers_change_nothing():
    head, *body = rows_of(os.path.join(ROOT, "data", "iris.csv"))
    start = datetime.date(2024, 3, 1)
    more = [["Id", "sample", "taken"]] + [[i + 1, "S-%05d" % (7919 * i % 99991), start + datetime.timedelta(i // 9)]
                                          for i in range(len(body))]
    plain = write("plain.csv", [head] + body)
    marked = write("marked.csv", [m + row for m, row in zip(more, [head] + body)])
    assert answer(plain) == answer(marked)
    code, out, err = run("select", marked, "--json", "--threads", "1", "--model", "m", "--no-evidence")
    assert code == 0 and "'Id' (counts the rows)" in err and "'sample'" in err and "--keep Id,sample,taken" in err, err
    assert good("predict", "m", plain) == good("predict", "m", marked)


def check_keep_takes_back():
    t = os.path.join(TABLES, "iris-id.csv")
    inputs = [i["name"] for i in answer(t, "--keep", "Id", *KNN)["inputs"]]
    assert inputs[0] == "Id" and len(inputs) == 5, inputs
    for words in (["--inputs", "Id,Petal.Width"], ["--must", "Id"]):
        assert "Id" in [i["name"] for i in answer(t, *words, *KNN)["inputs"]], words
    inputs = [i["name"] for i in answer(t, "--inputs", "1:5", *KNN)["inputs"]]
    assert len(inputs) == 4, inputs                     # a range does not name its columns


def check_ranges_and_patterns_of_inputs():
    """--must, --group-inputs, --start and --keep take what --inputs takes."""
    t = os.path.join(TABLES, "title-spectra.csv")
    lars = ["--method", "search", "--criterion", "press", "--select-rule", "se"]
    assert {"1105", "1110", "1115"} <= set(answer(t, "--must", "1105:1115", *lars)["selected"])
    assert {"1100", "1105"} <= set(answer(t, "--must", "110?", *lars)["selected"])
    assert set(answer(t, "--must", "1100:", *lars)["selected"]) == {str(1100 + 5 * k) for k in range(6)}
    s = set(answer(t, "--group-inputs", "1100:1110;1115:1125", *lars)["selected"])
    assert s == {str(1100 + 5 * k) for k in range(6)}, s
    assert set(answer(t, "--start", "1105:1120", *lars)["selected"]) >= {"1105", "1120"}
    assert "sample" in [i["name"] for i in answer(t, "--keep", "s*", *lars)["inputs"]]
    bad(2, "--must 1200:1300: unknown input", "select", t, "--must", "1200:1300", *lars, "--quiet")
    bad(2, "two groups", "select", t, "--group-inputs", "1100:1110;110*", *lars, "--quiet")
    bad(2, "--start 12\\*: no such input", "select", t, "--start", "12*", *lars, "--quiet")


LOOKS = ["01234", "1234", "007", "7.0", "7", "1e5", "100000", "0x1F", "31", "12e4567", "1.0", "1", "+5", "5", "0", "00"]


def check_labels_keep_their_text_in_predict():
    """Every look-alike is a level of its own, also where it comes in a later block and in new tables."""
    r, effect = random.Random(7), {s: k * 10 for k, s in enumerate(LOOKS + ["alpha", "beta"])}
    codes = [s for s in effect for _ in range(8)] + ["alpha"] * 150
    r.shuffle(codes)
    rows = [["code", "x", "y"]] + [[s, "%.4f" % r.gauss(0, 1), effect[s]] for s in codes]
    good("select", write("t.csv", rows), "--method", "lssvm", "--model", "m", "--quiet", "--categorical", "code")
    new = write("new.csv", [["code", "x"]] + [[s, 0] for s in effect])
    predicted = [float(v) for v in good("predict", "m", new).split()[1:]]
    assert all(abs(p - e) < 5 for p, e in zip(predicted, effect.values())), predicted
    code, out, err = run("predict", "m", write("strange.csv", [["code", "x"], ["0007", 0]]))
    assert code == 0 and "not seen in training" in err, err


def check_texts_after_many_numbers():
    """Numbers keep their spelling when the first text comes in a later block of the file, or an error says what to do."""
    words = ["w%d" % (i % 3) for i in range(90000)]
    t = write("t.csv", [["code", "y"]] + [["%03d" % (i % 7), i % 5] for i in range(60000)] + [[w, 1] for w in words])
    c = json.loads(good("describe", t, "--json"))["columns"][0]
    assert c["levels"] == ["%03d" % i for i in range(7)] + ["w0", "w1", "w2"], c
    long = write("long.csv", [["code", "y"]] + [["%.2f" % (i / 10), 1] for i in range(900000)] + [["w", 1]] * 900001)
    bad(3, "text in column 'code' after many numbers; .*--categorical code", "describe", long)
    assert json.loads(good("describe", long, "--json", "--categorical", "code"))["columns"][0]["type"] == "category"


def series(n=90, form="%Y-%m-%d %H:%M"):
    r, start, rows = random.Random(5), datetime.datetime(2023, 11, 20, 3, 30), [["when", "x", "y"]]
    for i in range(n):
        t, x = start + datetime.timedelta(hours=13 * i), r.gauss(0, 1)
        rows.append([t.strftime(form), "%.5f" % x, "%.5f" % (x + t.month / 4 + (t.hour > 12) + r.gauss(0, .01))])
    return rows


def check_dates_as_inputs():
    t = write("t.csv", series())
    assert [i["name"] for i in answer(t, "--method", "lars", "--dates", "numeric")["inputs"]] == ["when", "x"]
    parts = [i["name"] for i in answer(t, "--method", "lars", "--dates", "parts")["inputs"]]
    assert parts == ["when.year", "when.month", "when.weekday", "when.hour", "x"], parts
    assert [i["name"] for i in answer(t, "--method", "lars", "--keep", "when")["inputs"]] == ["when", "x"]
    for mode in ("numeric", "parts"):
        model = ["--method", "lssvm", "--dates", mode, "--model", "m", "--quiet"]
        good("select", t, *model)
        want = good("predict", "m", t)
        table(good("export", "m", "--to", "json"), "m.json")
        assert good("predict", "m.json", t) == want
        moved = [[row[2], row[1], row[0]] for row in series()]
        assert good("predict", "m", write("moved.csv", moved)) == want
        bad(3, "not a date", "predict", "m", write("bad.csv", [["when", "x"], ["soon", "1"]]))
    assert any(line for line in want.split("\n")[1:]), want


def check_forms_of_dates_agree():
    """The same instants, written in many ways, give the same numbers."""
    forms = ["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y/%m/%d %H:%M", "%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M",
             "%m/%d/%Y %I:%M %p", "%d-%b-%Y %H:%M", "%b %d, %Y %H:%M", "%d %B %Y %H:%M:%S", "%Y-%m-%dT%H:%M:00Z",
             "%Y-%m-%dT%H:%M:00.000+00:00", "%a, %d %b %Y %H:%M:%S +0000", "%Y%m%dT%H%M", "%d.%m.%y %H:%M"]
    seen = set()
    for form in forms:
        t = write("t.csv", series(form=form))
        column = json.loads(good("describe", t, "--json"))["columns"][0]
        assert column["role"] == column["type"] == "date", (form, column)
        seen.add((column["first"], column["last"], column["distinct"], column["mean"]))
    assert len(seen) == 1, seen


def check_texts_that_are_not_dates():
    for texts in (["%d-%d" % (i, i + 1) for i in range(9)], ["1.2.%d" % i for i in range(9)], ["16:9", "4:3"] * 5,
                  ["2024-13-%02d" % (i + 1) for i in range(9)], ["31.02.2024"] * 4 + ["30.01.2024"] * 5,
                  ["10.0.0.%d" % i for i in range(9)], ["v1.2.2003", "v1.3.2004"] * 5, ["May", "June"] * 5):
        t = write("t.csv", [["text", "y"]] + [[s, i % 4] for i, s in enumerate(texts)])
        assert json.loads(good("describe", t, "--json"))["columns"][0]["type"] == "category", texts


def check_grids_stay_inputs():
    """Numbers that are sorted or evenly spaced are inputs, unless they count the rows in whole steps."""
    columns = {"half": lambda i: i / 2, "log": lambda i: 2 ** i, "pairs": lambda i: i // 2, "count": lambda i: 10 + 5 * i,
               "down": lambda i: -i, "y": lambda i: i * i % 11}
    rows = [list(columns)] + [[f(i) for f in columns.values()] for i in range(20)]
    d = json.loads(good("describe", write("t.csv", rows), "--json"))
    assert [c["role"] for c in d["columns"]] == ["input"] * 3 + ["identifier"] * 2 + ["target"], d
    few = json.loads(good("describe", write("few.csv", rows[:7]), "--json"))
    assert all(c["role"] in ("input", "target") for c in few["columns"]), few
    alone = write("alone.csv", [["x", "y"]] + [[i, i * i % 11] for i in range(40)])
    code, out, err = run("select", alone, "--method", "lssvm")
    assert code == 0 and "'x' is used, although it looks like a count of the rows" in err, err


sys.exit(main(globals()))
