#!/usr/bin/env python3
"""The command line as a user meets it. usage: run.py path/to/tamis [name...]"""
import csv, fcntl, gzip, json, os, pty, random, re, shutil, signal, struct, subprocess, sys, termios, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import DATA, ROOT, Skip, TAMIS, bad, good, run, shared, table, main


def made(name="add10", rows=60, seed=1, file="made.csv", *more):
    good("generate", name, "--rows", str(rows), "--seed", str(seed), "-o", file, *more)
    return file


FAST = ["--sigma2", "1:500:7"]


# ---- help ----

def check_help_pages():
    out = good("--help")
    for command in ("select", "predict", "describe", "generate", "methods"):
        assert command in out
        page = good(command, "--help")
        assert "Examples" in page and max(map(len, page.split("\n"))) <= 110, command
        assert page == good("help", command)
    assert run()[0] == 2


def check_help_fits_a_screen():
    for command in ("select", "compare"):
        page, whole = good(command, "--help"), good(command, "--help", "all")
        lines = page.rstrip("\n").split("\n")
        assert len(lines) <= 46 and max(map(len, lines)) <= 100, (command, len(lines))
        assert "--target" in page and "--help all" in page and "--rule-se" not in page, command
        assert "--rule-se" in whole and "--sigma2" in whole and whole == good("help", command, "all"), command
        assert "--label NAME=TEXT" in whole
    assert "default: 5" in re.sub(r"\s+", " ", good("compare", "--help").split("--outer K")[1])[:120]
    assert "--holdout F" not in good("compare", "--help", "all")
    assert "neither counted nor dropped" in re.sub(r"\s+", " ", good("clean", "--help"))


def on_terminal(*words, columns=72, **env):
    """What a terminal of that many columns shows, and the exit code."""
    pid, fd = pty.fork()
    if not pid:
        os.execve(TAMIS, [TAMIS, *words], dict(os.environ, TERM="dumb", **env))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    out = b""
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    return out.decode().replace("\r", ""), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def check_help_through_a_pager():
    table("#!/bin/sh\nsed s/^/PAGED:/\n", "pager.sh")
    os.chmod("pager.sh", 0o755)
    out, code = on_terminal("select", "--help", "all", PAGER=os.path.abspath("pager.sh"))
    assert code == 0 and out.count("PAGED:") > 100, out[:200]
    for pager in ("no-such-pager", "true", "head -1"):
        out, code = on_terminal("select", "--help", "all", PAGER=pager)
        assert code == 0 and (pager != "no-such-pager" or "--sigma2" in out), (pager, out[-200:])
    assert "PAGED" not in good("select", "--help", "all")


def check_version_names_the_kernels():
    assert "OpenBLAS with" in good("--version")


def check_manual_has_every_option():
    page, options = good("help", "--man"), json.loads(good("methods", "--json"))
    for part in options:
        for o in part["options"]:
            if part["kind"] != "generator":
                assert o["name"].replace("-", "\\-") in page, o
    if shutil.which("man"):
        table(page, "tamis.1")
        p = subprocess.run(["man", "--warnings", "-l", "tamis.1"], capture_output=True,
                           env=dict(os.environ, MANWIDTH="100", LC_ALL="C.UTF-8"))
        assert p.returncode == 0 and not p.stderr, p.stderr


def check_completion_is_bash():
    table(good("help", "--completion"), "c.sh")
    p = subprocess.run(["bash", "-c",
                        "source ./c.sh; COMP_WORDS=(tamis select --sig); COMP_CWORD=2; _tamis; echo ${COMPREPLY[@]}"],
                       capture_output=True)
    assert p.stdout.decode().strip() == "--sigma2", p


def check_older_names_work_and_are_hidden():
    shown = good("help", "--man").replace("\\-", "-") + good("help", "select", "all") + good("help", "--completion")
    assert "impute-neighbours" not in shown and "gamma-search" not in shown
    f, c = made(rows=40), made("xor", 40, 1, "classes.csv")
    for words in (["lars", "--impute", "knn", "--impute-neighbours", "3"], ["sisal", *FAST, "--gamma", "1e-3:1"],
                  ["sisal", *FAST, "--gamma-search", "golden"], ["sift", "--folds", "3"],
                  ["search", "--select-rule", "stable", "--se", "2", "--stable", "0.5"],
                  ["opelm", "--select", "none"]):
        good("select", f, "--method", *words)
    good("select", c, "--method", "rjmcmc", "--samples", "30", "--burn-in", "10", "--chains", "1", "--weights", "shift")


def check_methods_match_the_tables():
    rows = json.loads(good("methods", "--json"))
    names = {(r["kind"], r["name"]) for r in rows}
    assert {("method", "auto"), ("method", "sisal"), ("method", "forward"), ("criterion", "loo-rbf"),
            ("search", "eliminate"), ("generator", "add10")} <= names
    assert all(r["summary"] for r in rows)
    assert "--drop-fraction" in good("methods")


# ---- select ----

def check_select_table_and_json():
    f = made(rows=120)
    out = good("select", f, *FAST)
    assert "5 of 10 inputs" in out and "leave-one-out" in out and "not selected: x6, x7, x8, x9, x10" in out, out
    r = json.loads(good("select", f, *FAST, "--json"))
    assert r["format"] == 1 and r["data"] == dict(r["data"], file=f, rows=120, inputs=10, target="y", task="regression")
    assert sorted(r["selected"]) == ["x1", "x2", "x3", "x4", "x5"]
    assert [i["name"] for i in r["inputs"]] == ["x%d" % k for k in range(1, 11)]
    assert sorted(i["rank"] for i in r["inputs"]) == list(range(1, 11))
    chosen = [i for i in r["inputs"] if i["selected"]]
    assert [i["name"] for i in sorted(chosen, key=lambda i: -i["relevance"])] == r["selected"]
    assert [s["size"] for s in r["path"]] == list(range(10, 0, -1)) and r["path"][0]["changed"] is None
    assert all(s["changed"].startswith("-") for s in r["path"][1:])
    assert r["error"]["selected"] == min(s["criterion"] for s in r["path"])
    assert r["error"]["all_inputs"] == r["path"][0]["criterion"]
    assert r["error"]["test"] is None and "standardised" in r["error"]["units"]
    assert r["model"] == {"kind": "rbf", "basis_functions": 120,
                          "parameters": r["path"][r["chosen_step"]]["parameters"]}
    assert r["command"][:2] == ["select", f] and r["seed"] == 1 and r["threads"] >= 1
    assert r["options"] == dict(r["options"], sigma2="1:500:7", regularization="1e-14:1e3", centers="all", fast=False)


def check_table_of_the_default_method():
    """Standard error, baseline, model; a warning above all else if all inputs predict better."""
    f, prices = made("friedman1", 200), table("input,cost\n" + "".join("x%d,1\n" % k for k in range(1, 11)), "c.csv")
    for locale, sign in (("C.UTF-8", "\u00b1"), ("C", "+-")):
        for more, better in (([], False), (["--cost", prices, "--budget", "1"], True)):
            out = good("select", f, *more, "--quiet", "-o", "r.json", env={"LC_ALL": locale})
            e = json.load(open("r.json"))["error"]
            assert better == (e["selected"] > e["all_inputs"] + e["selected_se"])
            shown = "%.4g %s %.2g" % (e["selected"], sign, e["selected_se"])
            assert re.search(r"cross-validated error +%.4g +%s\n" % (e["all_inputs"], re.escape(shown)), out), out
            assert re.search(r"predicting the mean +%.4g\n" % e["baseline"], out), out
            said = "but all 10 inputs together predict better: error %.4g, against %s" % (e["all_inputs"], shown)
            assert (said in "\n".join(out.split("\n")[:4])) == better and ("predict better" in out) == better, out
            assert re.search(r"\n  model: (linear|\d+ terms? \(\d+ basis functions?\).*|\d+ Gaussians?)\n$", out), out
    out = good("select", os.path.join(ROOT, "data", "iris.csv"), "--holdout", "0.2", "--quiet")
    assert re.search(r"30 test rows +[\d.]+ +[\d.]+\n  predicting the majority class +0\.\d+\n", out), out


def check_unknown_errors_have_no_column():
    iris = os.path.join(ROOT, "data", "iris.csv")
    out = good("select", iris, "--method", "rjmcmc", "--samples", "60", "--burn-in", "20", "--chains", "2", "--quiet")
    assert re.search(r"\n  error +\d chosen\n  training error +[\d.]+\n", out) and "all 4 inputs" not in out, out


def check_forward_path():
    r = json.loads(good("select", made(), *FAST, "--method", "forward", "--criterion", "loo-rbf", "--max-inputs", "6",
                        "--json"))
    assert [s["size"] for s in r["path"]] == [1, 2, 3, 4, 5, 6]
    assert all(s["changed"].startswith("+") for s in r["path"])
    assert r["error"]["all_inputs"] is not None


def check_files_and_test_rows():
    f, t = made(rows=80), made(rows=300, seed=7, file="test.csv")
    out = good("select", f, *FAST, "-o", "r.json", "--model", "m.tamis", "--test", t)
    assert "300 test rows" in out
    r = json.load(open("r.json"))
    predicted = [float(v) for v in good("predict", "m.tamis", t).split()[1:]]
    y = [float(row["y"]) for row in csv.DictReader(open(t))]
    train = [float(row["y"]) for row in csv.DictReader(open(f))]
    mean = sum(train) / len(train)
    var = sum((v - mean) ** 2 for v in train) / len(train)
    mse = sum((a - b) ** 2 for a, b in zip(predicted, y)) / len(y) / var
    assert abs(mse - r["error"]["test"]) < 1e-9 * mse, (mse, r["error"])
    h = json.loads(good("select", f, *FAST, "--holdout", "0.25", "--json"))
    assert h["data"]["rows"] == 60 and h["data"]["test_rows"] == 20 and h["error"]["test"] > 0


def check_threads_and_repeats_give_the_same_bytes():
    f = made(rows=90, seed=4)
    for more in (["--method", "sisal"], ["--method", "forward", "--max-inputs", "4"], ["--centers", "25"], ["--fast"]):
        texts = set()
        for threads in ("1", "2", "7", "2"):
            r = json.loads(good("select", f, *FAST, *more, "--json", "--threads", threads))
            r.pop("seconds"), r.pop("threads"), r.pop("command")
            texts.add(json.dumps(r))
        assert len(texts) == 1, more


def check_standard_input_gzip_and_quiet():
    f = made()
    data = open(f, "rb").read()
    want = json.loads(good("select", f, *FAST, "--json"))["path"]
    assert json.loads(good("select", "-", *FAST, "--json", stdin=data))["path"] == want
    with gzip.open("made.csv.gz", "wb") as g:
        g.write(data)
    assert json.loads(good("select", "made.csv.gz", *FAST, "--json"))["path"] == want
    if shutil.which("zstd"):
        subprocess.run(["zstd", "-q", f], check=True)
        assert json.loads(good("select", "made.csv.zst", *FAST, "--json"))["path"] == want
    table(data.replace(b",", b"\t"), "made.tsv")
    assert json.loads(good("select", "made.tsv", *FAST, "--json"))["path"] == want
    table(data.replace(b",", b";").replace(b".", b","), "comma.csv")
    assert json.loads(good("select", "comma.csv", *FAST, "--json"))["path"] == want


def check_missing_rows_are_said():
    text = open(made()).read().replace("\n0.", "\nNA.", 0).split("\n")
    text[3] = "," + text[3].split(",", 1)[1]
    text[9] = "NA," + text[9].split(",", 1)[1]
    code, out, err = run("select", table("\n".join(text)), *FAST, "--json")
    assert code == 0 and "2 of 60 rows have missing values" in err, err
    r = json.loads(out)
    assert r["data"]["rows"] == 58 and r["data"]["rows_dropped"] == 2 and any("missing" in n for n in r["notes"])
    assert run("select", "t.csv", *FAST, "--quiet")[2] == ""


def check_roles():
    f = made()
    r = json.loads(good("select", f, *FAST, "--json", "--target", "x4", "--ignore", "x9,x10"))
    assert r["data"]["target"] == "x4" and r["data"]["inputs"] == 8
    r = json.loads(good("select", f, *FAST, "--json", "--target", "11", "--inputs", "x2,x4"))
    assert [i["name"] for i in r["inputs"]] == ["x2", "x4"]


def check_hostile_names():
    names = ['</script><img src=x onerror=alert(1)>', 'say ""hi""', 'comma, inside', "emoji \U0001F600 \u202e",
             "tab\\t"]
    rng = random.Random(1)
    rows = [[rng.gauss(0, 1) for _ in range(5)] for _ in range(30)]
    text = ",".join('"%s"' % n for n in names) + ",y\n"
    text += "".join(",".join("%.4f" % v for v in r) + ",%.4f\n" % (r[0] + r[1] ** 2) for r in rows)
    out = good("select", table(text), *FAST, "--json")
    assert "<" not in out
    assert [i["name"] for i in json.loads(out)["inputs"]] == [n.replace('""', '"') for n in names]
    good("select", "t.csv", *FAST)


def check_dry_run_and_memory():
    f = made(rows=3000, seed=2)
    assert "memory: about" in good("select", f, "--dry-run")
    bad(1, r"needs .* GB .*--centers", "select", f, "--method", "sisal", "--memory", "100M")
    bad(2, "--memory", "select", f, "--memory", "lots")


def check_large_tables_by_centres():
    r = json.loads(good("select", made(rows=2000, seed=3), "--sigma2", "20:200:2", "--json", "--quiet"))
    assert r["model"]["basis_functions"] == 500 and "centres" in r["picked"] and any("k-means" in n for n in r["notes"])
    assert sorted(r["selected"]) == ["x1", "x2", "x3", "x4", "x5"]


def check_wide_tables_by_fractions():
    f = made("friedman1", 80, 2, "wide.csv", "--useless", "295")
    r = json.loads(good("select", f, "--sigma2", "10:10000:4", "--drop-fraction", "0.2", "--json"))
    sizes = [s["size"] for s in r["path"]]
    assert sizes[:3] == [300, 240, 192] and sizes[-1] == 1 and 100 in sizes and 99 in sizes, sizes
    assert len(r["path"][1]["with"]) == 59


# ---- stopping ----

def written_anew(p, path):
    """Waits until the running process has replaced the file, so that a signal finds it at work."""
    def inode():
        return os.stat(path).st_ino if os.path.exists(path) else 0
    before = inode()
    while p.poll() is None and inode() == before:
        time.sleep(0.002)


def check_interrupt_and_resume():
    f = made(rows=400, seed=9)
    words = ["select", f, "--method", "sisal", "--sigma2", "1:500:12", "--json", "--checkpoint", "c.ckpt"]
    whole = json.loads(good(*words[:-2]))
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGINT):
        p = subprocess.Popen([TAMIS, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        written_anew(p, "c.ckpt")
        time.sleep(random.random() * 0.05)
        p.send_signal(sig)
        began = time.time()
        out, err = p.communicate(timeout=20)
        if p.returncode == 0:
            break
        assert time.time() - began < 3, "slow to stop"
        assert p.returncode in (130, -9), (p.returncode, err)
        assert out == b"" and os.path.exists("c.ckpt")
        halves = [n for n in os.listdir(".") if n.endswith(".part")]
        assert halves == [] or sig == signal.SIGKILL
    again = json.loads(good(*words))
    assert [n for n in os.listdir(".") if n.endswith(".part")] == []
    for r in (whole, again):
        for k in ("seconds", "threads", "command", "notes"):
            r.pop(k)
    assert whole == again
    bad(2, "another run", "select", f, "--method", "sisal", "--sigma2", "1:500:13", "--checkpoint", "c.ckpt")
    table(open("c.ckpt", "rb").read()[:-9], "cut.ckpt")
    bad(3, "cut.ckpt.*cut short", "select", f, "--method", "sisal", "--sigma2", "1:500:12", "--checkpoint", "cut.ckpt")


# ---- errors ----

def check_usage_errors():
    f = made()
    bad(2, "unknown command 'selekt'; did you mean 'select'?", "selekt", f)
    bad(2, "unknown command 'magic'; 'tamis --help'", "magic", f)
    bad(2, "did you mean 'sisal'?", "select", f, "--method", "sisl")
    bad(2, "did you mean 'loo-rbf'?", "select", f, "--method", "forward", "--criterion", "loo_rbf")
    bad(2, "did you mean 'exhaustive'?", "select", f, "--method", "search", "--search", "exaustive")
    bad(2, "did you mean 'friedman1'?", "generate", "freidman1")
    bad(2, "did you mean 'x1'?", "select", f, "--method", "search", "--must", "X1")
    bad(2, "did you mean --target", "select", f, "--tarjet", "y")
    bad(2, "unknown option --useless", "select", f, "--useless", "3")
    bad(2, "needs DATA", "select")
    bad(2, "unexpected argument", "select", f, f)
    bad(2, "needs a value", "select", f, "--target")
    bad(2, "takes no value", "select", f, "--json=1")
    bad(2, "FROM:TO:COUNT", "select", f, "--sigma2", "5:1:3")
    bad(2, "unknown method", "select", f, "--method", "magic")
    bad(2, "unknown criterion", "select", f, "--method", "forward", "--criterion", "magic")
    bad(2, "scan.golden", "select", f, "--gamma-search", "x")
    bad(2, "no such column", "select", f, "--target", "z")
    bad(2, "unknown option -x", "select", f, "-x")
    bad(2, "generator|no such|'magic'|magic", "generate", "magic")
    bad(2, "both name test rows", "select", f, "--test", f, "--holdout", "0.1")


def check_data_errors():
    for text, says in [
            ("", "empty"), ("x,y\n", "t.csv.*row"), ("x,y\n1,2\n", "1 complete row"),
            ("x,y\n1,2\n3\n5,6\n", r"t\.csv:3"), ("x,y\n1,2\n3,4,5\n5,6\n", r"t\.csv:3"),
            ("x,y\n1,2\nabc,4\n5,6\n7,8\n", r"t\.csv:3.*abc"), ("x,y\n1,2\n2,2\n3,2\n", "same value"),
            ("x,y\n1,2\n1,3\n1,4\n", "constant"), ("x,x,y\n1,2,3\n4,5,6\n7,8,9\n", "x"),
            ("x,y\n1,2\ninf,3\n4,5\n", r"t\.csv:3.*infinite"), ("x,y\n1,2\n1e999,3\n4,5\n", r"t\.csv:3.*infinite"),
            ('x,y\n1,2\n"3,4\n5,6\n', r"t\.csv:3.*quote"), (bytes(range(256)) * 8, "t.csv"),
            ("x,y\n1,2\n,\n\n", "complete row")]:
        bad(3, says, "select", table(text), "-o", "r.json", "--model", "m.tamis")
        assert not os.path.exists("r.json") and not os.path.exists("m.tamis")
    bad(3, "no such file|cannot be read", "select", "nothing.csv")
    os.mkdir("folder")
    bad(3, "folder", "select", "folder")


def check_model_errors():
    f = made()
    good("select", f, *FAST, "--model", "m.tamis")
    model = open("m.tamis", "rb").read()
    bad(3, "not a tamis model", "predict", f, f)
    bad(3, "cut short", "predict", table(model[:-100], "cut.tamis"), f)
    bad(3, "altered", "predict", table(model[:200] + b"!" + model[201:], "altered.tamis"), f)
    bad(3, "format 9", "predict", table(model[:11] + b"\x09" + model[12:], "new.tamis"), f)
    bad(3, "column 'x[0-9]' is missing", "predict", "m.tamis", table("x7,y\n1,2\n3,4\n"))
    bad(3, "must be numbers", "predict", "m.tamis", table("x1,x2,x3,x4,x5\n" + "a,1,1,1,1\n" * 3))
    out = good("predict", "m.tamis", table("x5,x4,x3,x2,x1,other\n" + ".1,.2,.3,.4,.5,a\n" + ".1,,.3,.4,.5,b\n"))
    assert out.count("\n") == 3 and out.split("\n")[0] == "y", out


def check_unwritable_output_loses_nothing():
    f = made()
    bad(1, "cannot be written", "select", f, *FAST, "-o", "/nowhere/r.json")
    if os.path.exists("/dev/full"):
        p = subprocess.run("%s generate add10 --rows 100 > /dev/full" % TAMIS, shell=True, capture_output=True)
        assert p.returncode == 1 and b"cannot be written" in p.stderr


# ---- describe, generate ----

def check_describe():
    t = table('a,b,c,d,e\n1,x,,5,"q ""r"""\n2,y,NA,5,s\n2,y,NA,5,s\n', "d.csv")
    out = good("describe", t)
    assert "3 rows, 5 columns, 1 duplicate row" in out and "constant" in out and "all missing" in out, out
    d = json.loads(good("describe", t, "--json"))
    types = {c["name"]: (c["type"], c["missing"], c["distinct"], c["constant"]) for c in d["columns"]}
    assert types["a"] == ("number", 0, 2, False) and types["b"][0] == "category" and types["c"][1] == 3, types
    assert types["d"][3] is True, types
    assert json.loads(good("describe", t, "--json", "--missing", "2,s"))["columns"][0]["missing"] == 2
    copies = table("a,copy,again,y\n1,7,1,7\n2,8,2,8\n3,5,3,5\n4,2,4,2\n", "copies.csv")
    roles = {c["name"]: c["role"] for c in json.loads(good("describe", copies, "--json"))["columns"]}
    assert roles == {"a": "input", "copy": "duplicate", "again": "duplicate", "y": "target"}, roles


def check_generate_is_seeded_and_nested():
    a, b = (good("generate", "add10", "--rows", rows, "--seed", "3") for rows in ("50", "80"))
    assert b.startswith(a) and a != good("generate", "add10", "--rows", "50", "--seed", "4")
    for part in json.loads(good("methods", "--json")):
        if part["kind"] == "generator":
            head = good("generate", part["name"], "--rows", "5").split("\n")
            assert len(head) == 7 and head[0].endswith(",y"), part
    assert good("generate", "friedman1", "--useless", "40", "--rows", "2").split("\n")[0].count(",") == 45


def check_pure_library():
    lib = os.path.join(os.path.dirname(TAMIS), "libtamis.so")
    if not shutil.which("nm"):
        raise Skip("nm is not installed")
    undefined = subprocess.run(["nm", "-D", "--undefined-only", lib], capture_output=True, text=True).stdout
    called = re.findall(r"\bU (exit|_exit|abort|printf|puts|putchar|rand|srand|random|stdout|stderr|vprintf|perror)\b",
                        undefined)
    assert not called, called
    defined = subprocess.run(["nm", "-D", "--defined-only", lib], capture_output=True, text=True).stdout
    names = [l.split()[-1].split("@")[0] for l in defined.split("\n") if l]
    names.remove("TAMIS_0.2")                           # the version, from include/tamis.map
    assert all(n.startswith("tamis_") for n in names), names
    declared = set(re.findall(r"TAMIS_API [^;]*?(tamis_\w+)\(", open(os.path.join(ROOT, "include", "tamis.h")).read()))
    assert declared == set(names), declared ^ set(names)
    listed = re.findall(r"^    (tamis_\w+);", open(os.path.join(ROOT, "include", "tamis.map")).read(), re.M)
    assert listed == sorted(declared), set(listed) ^ declared


def check_layers():
    order = ["base", "num", "data", "model", "crit", "search", "mcmc", "select", "method", "io"]
    rank = dict({layer: i for i, layer in enumerate(order)}, evidence=order.index("select"))
    assert set(os.listdir(os.path.join(ROOT, "src"))) == set(rank)
    for folder, _, files in os.walk(os.path.join(ROOT, "src")):
        layer = os.path.relpath(folder, os.path.join(ROOT, "src")).split(os.sep)[0]
        for f in files:
            for line in open(os.path.join(folder, f), errors="replace"):
                m = re.match(r'\s*#\s*include\s+"(\w+)/', line)
                assert not m or m.group(1) not in rank or rank[m.group(1)] <= rank[layer], (layer, f, line)
    for f in os.listdir(os.path.join(ROOT, "cli")):
        for line in open(os.path.join(ROOT, "cli", f)):
            m = re.match(r'\s*#\s*include\s+"(.*)"', line)
            assert not m or m.group(1) in ("tamis.h", "cli.h"), (f, line)


# ---- optional data ----

def check_wine_spectra():
    f = os.path.join(DATA, "wine_spectra.csv")
    if not os.path.exists(f):
        raise Skip("../shared/data/wine_spectra.csv is missing")
    r = json.loads(good("select", f, "--method", "sisal", "--sigma2", "5:1e6:12", "--gamma", "1e-8:1e3", "--json",
                        timeout=300))
    assert 10 < len(r["selected"]) < 120 and r["error"]["selected"] < r["error"]["all_inputs"] < 0.02


sys.exit(main(globals()))
