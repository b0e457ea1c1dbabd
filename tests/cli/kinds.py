"""Five kinds of table, from the first command to the report: describe, select, report, predict."""
import datetime, json, math, os, random, sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
from harness import *

FAST = ["--threads", "1"]


def work_through(t, roles, *options, method=("--method", "search", "--criterion", "press", "--select-rule", "se"), read=()):
    """The roles of describe, then a selection with model and page, and predictions of the same rows."""
    found = json.loads(good("describe", t, *read, "--json"))
    other = {c["name"]: c["role"] for c in found["columns"] if c["role"] not in ("input", "target")}
    assert other == roles, other
    good("select", t, *read, *method, *options, *FAST, "--quiet", "-o", "r.json", "--model", "m", "--report", "r.html")
    page = open("r.html", encoding="utf-8").read()
    r = json.load(open("r.json", encoding="utf-8"))
    assert page.startswith("<!DOCTYPE html>") and all(name in page for name in r["selected"][:3])
    lines = good("predict", "m", t, *read).strip().split("\n")
    assert len(lines) == found["rows"] + 1, len(lines)
    return r


def check_spectra_from_excel():
    r, names = random.Random(1), ["%.1f" % (1100 + 2.5 * k) for k in range(40)]
    rows = ["Probe;Datum;" + ";".join(names).replace(".", ",") + ";Öl (%)"]
    for i in range(60):
        a, b = r.gauss(0, 1), r.gauss(0, 1)
        spectrum = [a * math.exp(-(k - 10) ** 2 / 9) + b * math.exp(-(k - 28) ** 2 / 9) + r.gauss(0, .01) for k in range(40)]
        cells = ["W%03d" % (i * 37 % 997), "%02d.%02d.2024" % (i % 28 + 1, i % 12 + 1), *("%.4f" % x for x in spectrum)]
        rows.append(";".join(cells).replace(".", ",") .replace(",2024", ".2024") + ";%.3f" % (5 + a))
    text = "\r\n".join(";".join([row.split(";")[0], row.split(";")[1].replace(",", ".")] + row.split(";")[2:-1]
                                + [row.split(";")[-1].replace(".", ",")]) for row in rows)
    t = table(("sep=;\r\n" + text + "\r\n").encode("cp1252"), "spectra.csv")
    s = work_through(t, {"Probe": "identifier", "Datum": "date"})
    at = [float(n.replace(",", ".")) for n in s["selected"]]
    assert s["data"]["target"] == "Öl (%)" and any(1112 <= x <= 1138 for x in at), at
    s = work_through(t, {"Probe": "identifier", "Datum": "date"}, "--inputs", "1150:1190")
    assert all(1150 <= float(n.replace(",", ".")) <= 1190 for n in (i["name"] for i in s["inputs"]))


def check_sensor_series():
    r, rows, start = random.Random(2), ["time,flow,temp,quality"], datetime.datetime(2024, 3, 1)
    flow = [r.gauss(0, 1) for _ in range(120)]
    for i in range(120):
        y = (flow[i - 2] if i > 1 else 0) + .05 * r.gauss(0, 1)
        rows.append("%s,%.4f,%.4f,%.4f" % (start + datetime.timedelta(hours=i), flow[i], r.gauss(20, 1), y))
    t = table("\n".join(rows) + "\n")
    s = work_through(t, {"time": "date"}, "--lags", "1:3")
    assert "flow[t-2]" in s["selected"] and not any(i["name"].startswith("time") for i in s["inputs"]), s["selected"]


def check_genes_with_repeated_samples():
    r, rows = random.Random(3), ["patient," + ",".join("g%d" % k for k in range(30)) + ",status"]
    for patient in range(24):
        base = [r.gauss(0, 1) for _ in range(30)]
        for _ in range(3):
            x = [b + .1 * r.gauss(0, 1) for b in base]
            rows.append("P%02d,%s,%s" % (patient, ",".join("%.3f" % v for v in x), "ill" if base[4] > 0 else "well"))
    t = table("\n".join(rows) + "\n")
    code, out, err = run("select", t, "--method", "search", "--criterion", "knn", *FAST)
    assert code == 0 and "rows with the same 'patient' have the same 'status'; if they belong together, add --groups 'patient'" in err, err
    code, out, err = run("select", t, "--groups", "patient", "--method", "search", "--criterion", "knn", *FAST)
    assert code == 0 and "belong together" not in err, err
    s = work_through(t, {}, "--groups", "patient", method=("--method", "search", "--criterion", "knn"))
    assert "g4" in s["selected"] and "patient" not in [i["name"] for i in s["inputs"]], s["selected"]


def check_many_chosen_inputs_fit_a_screen():
    r = random.Random(5)
    rows = [[r.gauss(0, 1) for _ in range(60)] for _ in range(200)]
    t = table(",".join("x%d" % k for k in range(60)) + ",y\n" +
              "".join(",".join("%.4f" % v for v in x) + ",%.4f\n" % sum(x) for x in rows))
    text = good("select", t, "--method", "lars", "--quiet", *FAST)
    assert "lars chose 60 of 60" in text and "and 20 more; -o FILE or --report FILE has all of them" in text, text
    assert " -0.0000" not in text and sum(line.startswith("  x") for line in text.split("\n")) == 40, text


def check_mixed_table():
    r, rows = random.Random(4), ["customer,town,segment,age,income,spend"]
    for i in range(1500):
        segment, age, income = r.choice("ABC"), r.randrange(18, 80), r.gauss(3, 1)
        spend = 2 * (segment == "A") + income + .1 * r.gauss(0, 1)
        cells = ["c%06d" % (i * 7919 % 999983), "town%d" % r.randrange(400), segment,
                 "" if i % 5 == 0 else str(age), "NA" if i % 11 == 0 else "%.3f" % income, "%.3f" % spend]
        rows.append(",".join(cells))
    t = table("\n".join(rows) + "\n")
    roles = {"customer": "identifier", "town": "many-levels"}
    s = work_through(t, roles, "--impute", "median", method=("--method", "search", "--criterion", "press"))
    assert {"segment", "income"} <= set(s["selected"]), s["selected"]
    code, out, err = run("select", t, "--method", "lars", *FAST)
    assert code == 0 and "dropped, most in 'age' (300), 'income' (137); --impute" in err, err
    bad(1, "[34]\\d\\d levels of 'town'.*--ignore town", "select", t, "--keep", "town", "--memory", "1M",
        "--method", "lars", "--quiet", *FAST)


def check_iris_and_boston():
    iris = os.path.join(ROOT, "data", "iris.csv")
    s = work_through(iris, {}, method=())
    assert "Petal.Width" in s["selected"] and len(s["selected"]) <= 3, s["selected"]
    s = work_through(os.path.join(ROOT, "data", "boston.csv"), {})
    assert "lstat" in [n.lower() for n in s["selected"]], s["selected"]
    body = open(iris).read().split("\n", 1)[1]
    code, out, err = run("describe", table(body, "bare.csv"))
    assert code == 0 or "--no-header" in err, err
    s = work_through("bare.csv", {}, method=("--method", "search", "--criterion", "knn"), read=("--no-header",))
    assert s["data"]["target"] == "x5" and s["data"]["rows"] == 150, s["data"]


sys.exit(main(globals()))
