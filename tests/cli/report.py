#!/usr/bin/env python3
"""Pages, figures and the terminal. usage: report.py path/to/tamis [name...]"""
import base64, hashlib, html, json, os, pty, random, re, struct, subprocess, sys
import xml.etree.ElementTree as tree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, Skip, TAMIS, bad, good, main, run, table


def made(rows=80, kind="add10", *more):
    good("generate", kind, "--rows", str(rows), *more, "-o", "t.csv")
    return "t.csv"


def embedded(page):
    return json.loads(re.search(r'<script type="application/json" id="result">(.*?)</script>', page, re.S).group(1))


def without_result(page):
    return re.sub(r'id="result">.*?</script>', "", page)


def check_stored_and_direct_pages_are_the_same():
    good("select", made(), "--method", "sisal", "--sigma2", "10:300:3", "--holdout", "0.2", "-o", "r.json",
         "--report", "a.html", "--quiet")
    good("report", "r.json", "-o", "b.html")
    a, b = open("a.html", "rb").read(), open("b.html", "rb").read()
    assert a == b and good("report", "r.json").encode() == a
    assert run("report", "-", stdin=open("r.json", "rb").read())[1].encode() == a
    assert embedded(a.decode()) == json.load(open("r.json"))
    json.dump(embedded(a.decode()), open("again.json", "w"))
    good("report", "again.json", "-o", "c.html")
    shown = lambda page: re.sub(r'id="result">.*?</script>', "", page)
    assert shown(open("c.html").read()) == shown(a.decode())


def check_evidence():
    good("select", made(), "--method", "sisal", "--sigma2", "10:300:3", "--holdout", "0.25", "-o", "r.json",
         "--model", "m", "--quiet")
    r = json.load(open("r.json"))
    e = r["evidence"]
    assert e["file"]["sha256"] == hashlib.sha256(open("t.csv", "rb").read()).hexdigest()
    assert e["file"]["bytes"] == os.path.getsize("t.csv")
    u = e["unseen"]
    assert u["kind"] == "test" and u["rows"] == 20 and len(u["observed"]) == len(u["predicted"]) == 20
    rows = [line.split(",") for line in open("t.csv").read().split()]
    y = [float(row[-1]) for row in rows[1:]]
    prediction = [float(v) for v in good("predict", "m", "t.csv").split()[1:]]
    near = {round(v, 3): p for v, p in zip(y, prediction)}
    assert all(abs(near[round(a, 3)] - b) < 1e-3 * max(1, abs(b)) for a, b in zip(u["observed"], u["predicted"]))
    mean = sum(y) / len(y)
    assert abs(u["rmse"] ** 2 - sum((a - b) ** 2 for a, b in zip(u["observed"], u["predicted"])) / 20) < 1e-3
    assert [p["input"] for p in e["profiles"]] == r["selected"]
    assert all(len(p["x"]) == len(p["median"][0]) == 31 and len(p["rows"]) == 4 for p in e["profiles"])
    a = e["audit"]
    assert a["rows"] == 80 and a["columns"] == 11 and a["duplicates"] == 0
    assert abs(a["column"][-1]["mean"] - mean) < 1e-4
    # a profile is what the model predicts for such rows
    p, names = e["profiles"][0], rows[0][:-1]
    train = good("predict", "m", "t.csv")
    assert train and p["input"] in names


def check_profiles_are_predictions():
    """The profile with the other inputs at their medians, through `predict`."""
    good("select", made(60), "--method", "lars", "-o", "r.json", "--model", "m", "--quiet")
    r = json.load(open("r.json"))
    rows = [line.split(",") for line in open("t.csv").read().split()]
    names, cells = rows[0], [[float(v) for v in row] for row in rows[1:]]
    median = lambda v: (sorted(v)[(len(v) - 1) // 2] + sorted(v)[len(v) // 2]) / 2
    middle = [median([row[j] for row in cells]) for j in range(len(names))]
    p = r["evidence"]["profiles"][0]
    at = names.index(p["input"])
    with open("g.csv", "w") as f:
        f.write(",".join(names) + "\n")
        for x in p["x"]:
            f.write(",".join("%.12g" % (x if j == at else middle[j]) for j in range(len(names))) + "\n")
    got = [float(v) for v in good("predict", "m", "g.csv").split()[1:]]
    assert all(abs(a - b) < 2e-5 * max(1, abs(b)) for a, b in zip(p["median"][0], got)), (p["median"][0][:3], got[:3])
    # a linear model: every slope is its coefficient in the units of the table
    slope = r["evidence"]["derivatives"][0]["slope"]
    line = (got[-1] - got[0]) / (p["x"][-1] - p["x"][0])
    assert all(abs(s - line) < 1e-3 * abs(line) for s in slope)


def check_folds_without_test_rows():
    for m in ("sisal", "sift", "lssvm", "search", "forward"):
        more = ["--sigma2", "10:300:3"] if m in ("sisal", "forward") else []
        good("select", made(60), "--method", m, *more, "-o", "r.json", "--quiet")
        r = json.load(open("r.json"))
        u = r["evidence"]["unseen"]
        assert u["kind"] == "fold" and u["rows"] == 60 and len(u["predicted"]) == 60, (m, u)
        assert u["r2"] > 0.3, (m, u["r2"])
    for t in (["--threads", "1"], ["--threads", "2"]):
        good("select", "t.csv", "--method", "sift", *t, "-o", "r%s.json" % t[1], "--quiet")
    assert json.load(open("r1.json"))["evidence"] == json.load(open("r2.json"))["evidence"]


def check_bands_of_a_spectrum():
    r, lines = random.Random(2), [",".join(["w%d" % (900 + 2 * k) for k in range(30)] + ["y"])]
    for _ in range(50):
        a, b = r.gauss(0, 1), r.gauss(0, 1)
        curve = [a * 3 ** -((k - 10) / 5) ** 2 + b * 3 ** -((k - 22) / 6) ** 2 for k in range(30)]
        lines.append(",".join("%.4f" % v for v in [c + 0.01 * r.gauss(0, 1) for c in curve] + [a + 0.05 * r.gauss(0, 1)]))
    t = table("\n".join(lines) + "\n")
    good("select", t, "--method", "lars", "--bootstrap", "5", "--report", "p.html", "--quiet")
    page = open("p.html").read()
    assert "summed over its neighbouring channels" in page
    bands = re.findall(r"<text[^>]*>(w?9\d\d[^<]*)</text>", page)
    assert any("9" in b for b in bands), bands


def check_no_evidence():
    a = json.loads(good("select", made(40), "--method", "lars", "--json", "--no-evidence"))
    b = json.loads(good("select", "t.csv", "--method", "lars", "--json"))
    assert "evidence" not in a and "evidence" in b
    for r in (a, b):
        for k in ("command", "seconds", "evidence", "intervals"):
            r.pop(k, None)
        r["error"].pop("selected_se", None)                     # of models without each fold, like importances
        for i in r["inputs"]:
            del i["importance"], i["importance_se"]
    assert a == b
    good("select", "t.csv", "--method", "lars", "--no-evidence", "--report", "a.html", "--quiet")
    text = open("a.html").read()
    assert 'id="answer"' in text and 'id="audit"' not in text and 'id="profiles"' not in text


def policy(text):
    return html.unescape(re.search(r'http-equiv="Content-Security-Policy" content="(.*?)"', text).group(1))


def check_policy_names_what_is_there():
    good("select", made(40), "--method", "lars", "--report", "a.html", "--quiet")
    text = open("a.html").read()
    p = policy(text)
    assert p.startswith("default-src 'none'") and "unsafe" not in p and "*" not in p and "http" not in p
    style = re.search(r"<style>(.*?)</style>", text, re.S).group(1)
    script = re.search(r"<script>(.*?)</script>", text, re.S).group(1)
    for s in (style, script):
        assert "'sha256-" + base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() + "'" in p
    assert not re.search(r'(src|href)="(?!#)', text)
    assert "http:" not in text.replace("http://www.w3.org/2000/svg", "") and "https:" not in text


def check_pages_are_small():
    """At most 250 kB for 100 inputs and 100 steps."""
    good("generate", "friedman1", "--useless", "95", "--rows", "200", "-o", "wide.csv")
    more = {"sisal": ["--sigma2", "1000"], "sparse-rbf": ["--r", "100:300:3", "--t", "0.01", "--folds", "3"]}
    for m in ("sisal", "lars", "lssvm", "rrkrr", "opelm", "sparse-rbf", "sift"):
        for hold in ([], ["--holdout", "0.2"]):
            good("select", "wide.csv", "--method", m, *more.get(m, []), *hold, "--report", "w.html", "--quiet",
                 "-o", "w.json")
            assert os.path.getsize("w.html") <= 250000, (m, os.path.getsize("w.html"))
            r = json.load(open("w.json"))
            assert len(r["inputs"]) == 100 and (m not in ("sisal", "lars") or len(r["path"]) >= 100)
    parameters = {"sigma2": 1.2345678901234567, "gamma": 1e-7 / 3}
    r["path"] = [{"size": 100 - k, "changed": "-a long name of an input %d" % k, "criterion": 1 / (k + 1),
                  "parameters": parameters} for k in range(100)]
    json.dump(r, open("w.json", "w"))
    good("report", "w.json", "-o", "w.html")
    assert os.path.getsize("w.html") <= 250000, os.path.getsize("w.html")


def check_sections_only_with_something_to_say():
    good("select", made(40), "--method", "lars", "--report", "a.html", "--quiet")
    text = open("a.html").read()
    for there in ("answer", "error", "path", "importance", "audit", "origin"):
        assert '<section id="%s"' % there in text, there
    for gone in ("posterior", "chains", "classes", "surface", "spectrum"):
        assert '<section id="%s"' % gone not in text and 'href="#%s"' % gone not in text, gone


def figures():
    """Their names, from the sentence that refuses an unknown one."""
    code, _, err = run("report", "r.json", "--plot", "a.svg", "--plot-what", "pie")
    names = re.search(r"one of ((?:[\w-]+(?:\||, | or ))+[\w-]+)", err)
    assert code == 2 and names, err
    return [n for n in re.split(r"\||, | or ", names.group(1)) if n != "auto"]


def check_figures():
    good("select", made(60), "--method", "lssvm", "--holdout", "0.2", "-o", "r.json", "--plot", "a.svg", "--quiet")
    assert open("a.svg").read().startswith("<svg xmlns=")
    drawn = []
    for what in figures():
        code, _, err = run("report", "r.json", "--plot", what + ".svg", "--plot-what", what)
        assert code == 0 or (code == 3 and "nothing to draw for figure '%s'" % what in err), (what, code, err)
        assert os.path.exists(what + ".svg") == (code == 0)
        if code == 0:
            t = tree.parse(what + ".svg").getroot()
            assert t.tag.endswith("svg") and 200 < float(t.get("width")) <= 900, what
            drawn.append(what)
    assert len(drawn) >= 6 and len(drawn) < len(figures()), drawn
    assert any("x4" in open(what + ".svg").read() for what in drawn)
    bad(2, "must end in .svg, .png or .pdf", "report", "r.json", "--plot", "a.eps")
    bad(2, "--plot-what needs --plot", "report", "r.json", "--plot-what", drawn[0])
    bad(2, "must end in .svg, .png or .pdf", "select", "t.csv", "--plot", "a.gif")


def check_png():
    good("select", made(60), "--method", "lars", "-o", "r.json", "--quiet")
    code, out, err = run("report", "r.json", "--plot", "a.png")
    if code and ("has no librsvg" in err or "cannot load" in err):
        raise Skip("librsvg is not installed")
    assert code == 0, err
    head = open("a.png", "rb").read(24)
    wide, high = struct.unpack(">II", head[16:24])
    assert head[:8] == b"\x89PNG\r\n\x1a\n" and wide == 2250 and high > 100, (wide, high)


def check_pdf():
    good("select", made(60), "--method", "lars", "-o", "r.json", "--quiet")
    code, out, err = run("report", "r.json", "--plot", "a.pdf")
    if code and ("has no librsvg" in err or "cannot load" in err):
        raise Skip("librsvg is not installed")
    assert code == 0, err
    good("report", "r.json", "--plot", "b.pdf")
    first = open("a.pdf", "rb").read()
    assert first[:5] == b"%PDF-" and first.rstrip().endswith(b"%%EOF") and first == open("b.pdf", "rb").read()


def check_labels():
    """Of columns, of axes, of lags; several in one value; a text with a comma; unknown names are refused."""
    good("select", made(60), "--method", "lars", "-o", "r.json", "--quiet")
    good("report", "r.json", "--plot", "a.svg", "--plot-what", "relevance", "--label", "x4=Flow, l/s <b>,x2=Second",
         "--label", "relevance=Weight")
    text = open("a.svg").read()
    for shown in (">Flow, l/s &lt;b&gt;<", ">Second<", ">Weight<"):
        assert shown in text, shown
    assert ">x4<" not in text and ">x1<" in text
    bad(2, "--label X4: no column or axis.*did you mean 'x4'", "report", "r.json", "--plot", "b.svg", "--label", "X4=a")
    bad(2, "expected NAME=TEXT", "report", "r.json", "--plot", "b.svg", "--label", "x4")
    good("select", series(), "--lags", "1:3", "--method", "lars", "--report", "s.html", "--label", "a=Alpha", "--quiet",
         "--holdout", "0.2", "-o", "s.json")
    page = open("s.html").read()
    assert "Alpha[t-1]" in page and 'id="lags"' in page and "over time" in page


def series():
    """Two columns whose past predicts the second."""
    r, a, b, lines = random.Random(4), 0, 0, ["a,b"]
    for _ in range(120):
        a, b = 0.5 * a + r.gauss(0, 1), 0.6 * b + a + r.gauss(0, 0.1)
        lines.append("%.4f,%.4f" % (a, b))
    return table("\n".join(lines) + "\n", "series.csv")


def check_ring_is_the_chosen_set():
    """Also where the answer is a part of the set of the chosen step, and where the path is drawn by steps."""
    good("select", made(60), "--method", "lssvm", "--select", "forward", "-o", "r.json", "--quiet")
    r = json.load(open("r.json"))
    n = len(r["selected"])
    for kept in (n, n - 1):
        r["selected"] = r["selected"][:kept]
        json.dump(r, open("part.json", "w"))
        good("report", "part.json", "--plot", "p.svg", "--plot-what", "path")
        svg = open("p.svg").read()
        at = re.search(r'<circle cx="([\d.]+)"[^>]*class="ring"><title>(\d+) input', svg)
        step = re.search(r'<circle cx="([\d.]+)"[^>]*><title>%d inputs?[\n,]' % kept, svg)
        assert int(at.group(2)) == kept and at.group(1) == step.group(1), (kept, at.groups(), step.groups())


def check_why_not_fewer():
    """Two inputs of iris have the criterion of the three chosen: page, table and result say what decided."""
    text = good("select", os.path.join(ROOT, "data", "iris.csv"), "-o", "r.json", "--report", "r.html", "--quiet")
    with open("r.json", encoding="utf-8") as f:
        r = json.load(f)
    why, steps, evidence = r["smaller"]["why"], {s["size"]: s["criterion"] for s in r["path"]}, r["sift"]["evidence"]
    assert r["smaller"]["size"] == 2 < len(r["selected"]) and steps[2] <= steps[3] == r["smaller"]["criterion"]
    assert r["sift"]["behind_best"][-3] <= 1.5 and "%.3g below" % (evidence[-4] - evidence[-3]) in why
    assert why in text and why in open("r.html", encoding="utf-8").read()
    good("generate", "add10", "--rows", "80", "--noise", "0.1", "-o", "t.csv")
    for method in ("sisal", "lars"):
        r = json.loads(good("select", "t.csv", "--method", method, "--json", "--quiet"))
        bound = r["error"]["selected"] + r["error"].get("selected_se", 0)
        fewer = [s["size"] for s in r["path"] if s["size"] < len(r["selected"]) and s["criterion"] <= bound]
        assert r.get("smaller", {"size": None})["size"] == (min(fewer) if fewer else None), (method, fewer)


def check_errors_in_units_beside_a_baseline():
    good("select", made(60), "--method", "lars", "--holdout", "0.25", "-o", "r.json", "--report", "r.html", "--quiet")
    r, page = json.load(open("r.json")), open("r.html").read()
    u = r["evidence"]["unseen"]
    assert abs(u["rmse"] - r["error"]["target_scale"] * r["error"]["test"] ** 0.5) < 1e-4 * u["rmse"]
    assert abs(u["r2"] - (1 - r["error"]["test"])) < 1e-5
    answer = page[page.index('id="answer"'):page.index('id="error"')]
    assert "in the units of" in answer and "predicting the mean" in answer and "basis functions" not in answer


def check_bad_results():
    bad(3, "No such file", "report", "absent.json")
    broken = {"": "not valid JSON", "{": "not valid JSON", "\x00": "not valid JSON", '{"selected": [': "not valid JSON", "[]": "not an object",
              "{}": "not a result", '{"a": 1}': "not a result"}
    for text, says in broken.items():
        bad(3, says, "report", table(text, "r.json"))
    odd = ['{"selected": null}', '{"methods": [1, {}, null]}', '{"methods": []}', '{"methods": [1, 2]}',
           '{"selected": [1, null, {}], "inputs": 7, "path": "x", "error": []}',
           '{"selected": {"a": 1}, "inputs": {"name": "b"}, "path": {"a": 1, "b": 2}, "command": {"x": "y"}}',
           '{"selected": [], "evidence": {"profiles": [{}], '
           '"unseen": {"observed": [1e308, -1e308], "predicted": [0, 1]}}}']
    for text in odd:
        out = good("report", table(text, "r.json"))
        assert out.startswith("<!DOCTYPE html>") and "NaN" not in out.split("<script")[0], text
    bad(2, "needs RESULT.json", "report")


def mutated(v, r):
    """A copy in which some parts have another type, are missing, occur twice or are extreme."""
    odd = [None, True, "", "<b>", -1, 0, 1e308, -1e308, 1e-320, 3.5, [], {}, [[1]], [None, "x", 2], {"a": 1}]
    if r.random() < 0.04:
        return r.choice(odd)
    if isinstance(v, dict):
        return {k: mutated(x, r) for k, x in v.items() if r.random() > 0.02}
    if isinstance(v, list):
        v = [mutated(x, r) for x in v if r.random() > 0.03]
        return v + v if r.random() < 0.03 else v
    return v


def check_mutated_results():
    seeds = os.path.join(ROOT, "tests", "fuzz", "seeds", "result")
    for name in sorted(os.listdir(seeds)):
        for k in range(int(os.environ.get("MUTATIONS", "12"))):
            r = random.Random("%s %d" % (name, k))
            v = mutated(json.load(open(os.path.join(seeds, name))), r)
            if not isinstance(v, dict):
                continue
            json.dump(v, open("m.json", "w"))
            code, out, err = run("report", "m.json")
            assert code in (0, 3), (name, k, code, err)
            assert code == 3 or out.count("<script") == 2, (name, k)
            assert code == 3 or not re.search(r'="[^"]*\b(nan|inf)\b', out.split('id="result"')[0]), (name, k)


def check_names_are_escaped():
    names = ['"q"', "</script><script>x", "<img src=x onerror=y>", "a'b", "&lt;"]
    cell = lambda i, j: (7 * i * (j + 3) + j * j) % 23
    rows = [[cell(i, j) for j in range(5)] + [cell(i, 0) + cell(i, 1)] for i in range(40)]
    head = ",".join('"%s"' % n.replace('"', '""') for n in names) + ",<y>"
    table("\n".join([head] + [",".join(map(str, row)) for row in rows]) + "\n")
    good("select", "t.csv", "--method", "lars", "--report", "a.html", "--plot", "a.svg", "--quiet", "-o", "r.json")
    text = open("a.html").read()
    assert text.count("<script") == 2 and text.count("</script>") == 2
    assert "<img" not in text and "&lt;img src=x onerror=y&gt;" in text
    assert embedded(text) == json.load(open("r.json"))
    svg = open("a.svg").read()
    assert "<img" not in svg and "<script" not in svg
    tree.parse("a.svg")


def on_terminal(*words, env=None):
    """What the program writes when standard output is a terminal of 100 columns."""
    import fcntl, termios
    try:
        leader, follower = pty.openpty()
    except OSError as e:                                # a chroot without /dev/pts
        raise Skip("no pseudo-terminal is available: %s" % e)
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    e = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "LC_ALL", "LC_CTYPE")}
    e.update({"TERM": "xterm", "LANG": "C.UTF-8"}, **(env or {}))
    p = subprocess.Popen([TAMIS, *words], stdin=subprocess.DEVNULL, stdout=follower, stderr=subprocess.DEVNULL, env=e)
    os.close(follower)
    out = b""
    while True:
        try:
            more = os.read(leader, 65536)
        except OSError:
            break
        if not more:
            break
        out += more
    os.close(leader)
    assert p.wait() == 0
    return out.decode()


def check_terminal():
    made(60)
    words = ("select", "t.csv", "--method", "lars", "--quiet")
    colour, plain, piped = on_terminal(*words), on_terminal(*words, env={"NO_COLOR": "1"}), good(*words)
    assert "\033[34m" in colour and "\u2588" in colour and "path" in colour and "^" in colour
    assert "\033" not in plain and "\u2588" in plain
    assert "\033" not in piped and "\u2588" not in piped and "  path " not in piped
    assert "\033" not in on_terminal(*words, env={"TERM": "dumb"})
    ascii = on_terminal(*words, env={"LANG": "C", "NO_COLOR": "1"})
    assert ascii.isascii() and "###" in ascii
    assert all(len(line) <= 100 for line in plain.replace("\r", "").split("\n"))


sys.exit(main(globals()))
