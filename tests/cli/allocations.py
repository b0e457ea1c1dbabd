"""Every allocation of every command made to fail, once and with all that follow, by tests/shim/failing_malloc.c: those
of the library, of the command line and of the libraries below. The command ends with exit code 1 and one sentence, or
does without that memory and gives its full output; files appear whole or not at all. ROWS has every command, method,
criterion, search and format.

A sample of the allocations of each command; every one of them if TAMIS_LONG is set."""
import concurrent.futures, gzip, json, os, re, shutil, subprocess, sys, tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import *

SHIM = os.path.join(os.path.dirname(TAMIS), "tests", "failing_malloc.so")
SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "seeds")
SAMPLE = 24                                             # allocations of each command that fail, each in two ways
PICTURES = 300                                          # of a command that draws a PNG, if TAMIS_LONG is set: librsvg
                                                        # makes 35,000, and may wait for ever, which ends after 20 s
LONG = bool(os.environ.get("TAMIS_LONG"))


# ---- one command ----

def under_shim(words, folder, at=0, onwards=0, count=""):
    """Exit code, standard output, standard error and the files that the command left in the folder."""
    env = dict(os.environ, LD_PRELOAD=SHIM, TAMIS_FAIL_AT=str(at), TAMIS_FAIL_ONWARDS=str(onwards))
    if count:
        env["TAMIS_FAIL_COUNT"] = count
    p = subprocess.run([TAMIS, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, env=env, timeout=300)
    files = {f: open(os.path.join(folder, f), "rb").read() for f in sorted(os.listdir(folder)) if f != count}
    return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace"), files


def timeless(b):
    """Without the times that a run took."""
    return re.sub(rb'("seconds": ?|in |about +|<dd>|<td>|<td class="r">)[0-9.e-]+', rb"\1", b)


def judge(got, full):
    """What is wrong with the outcome, given that of the command with all the memory it needs; None: nothing."""
    code, out, err, files = got
    if any(".part" in f for f in files):
        return "part of a file is left"
    for f, b in files.items():
        if f.endswith(".png") and b.startswith(b"\x89PNG") and b.endswith(b"IEND\xaeB\x60\x82"):
            continue                    # whole, but librsvg may have gone on without a font
        if not f.startswith("state") and timeless(b) != timeless(full[3].get(f, b"")):
            return "%s is not whole" % f
    if code == 0:
        if timeless(out) != timeless(full[1]) or files.keys() != full[3].keys():
            return "exit code 0 without the full output"
        return None if all(l.startswith("note: ") for l in err.splitlines()) else "unexpected words"
    if code not in (1, full[0]):
        return "exit code %d" % code
    if out and not full[1].startswith(out):
        return "wrong output"
    if out.startswith(b"{"):
        return "part of JSON on standard output"
    return None if re.fullmatch(r"tamis: [^\n]+\n", err) else "not one sentence"


def one(words, at, onwards, inputs, full):
    folder = tempfile.mkdtemp(prefix="tamis-")
    try:
        for f in inputs:
            os.link(f, os.path.join(folder, os.path.basename(f)))
        got = under_shim(words, folder, at, onwards)
        for f in inputs:
            got[3].pop(os.path.basename(f))
        wrong = judge(got, full)
        return wrong and "allocation %d fails%s: %s: %s %s" % (
            at, " with all that follow" if onwards else "", wrong, got[0], got[2].strip()[:200])
    finally:
        shutil.rmtree(folder)


def every(words, code=0):
    """Each allocation of the command, or a sample of them, made to fail; input files are those of the folder."""
    inputs = [os.path.abspath(f) for f in os.listdir(".")]
    folder = tempfile.mkdtemp(prefix="tamis-")
    for f in inputs:
        os.link(f, os.path.join(folder, os.path.basename(f)))
    full = under_shim(words, folder, count="count")
    total = int(open(os.path.join(folder, "count")).read())
    shutil.rmtree(folder)
    for f in inputs:
        full[3].pop(os.path.basename(f))
    assert full[0] == code and full[2].startswith("tamis: ") == (code != 0), (words, full[0], full[2])
    picture = any(w.endswith(".png") for w in words)
    most = SAMPLE if not LONG else PICTURES if picture else total
    step, ways = max(1, total // most), (0,) if picture and not LONG else (0, 1)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = list(pool.map(lambda k: one(words, k[0], k[1], inputs, full),
                              [(at, onwards) for at in range(1, total + 1, step) for onwards in ways]))
    wrong = [w for w in wrong if w]
    assert not wrong, "%d of %d: %s\n  %s" % (len(wrong), total, " ".join(words), "\n  ".join(wrong[:12]))
    if LONG:
        print("%d allocations: %s" % (total, " ".join(words)), flush=True)


# ---- what is in the folder ----

def numbers():
    """t.csv: 24 rows of five inputs and a target."""
    good("generate", "friedman1", "--rows", "24", "--useless", "0", "--seed", "3", "-o", "t.csv")
    return [line.split(",") for line in open("t.csv").read().splitlines()]


def changed(change):
    """t.csv with each row (and its number, 0 that of the names) changed."""
    def prepare():
        table("\n".join(",".join(map(str, change(i, row))) for i, row in enumerate(numbers())) + "\n")
    return prepare


def named(i, name, value):
    return name if i == 0 else value


classes = changed(lambda i, row: row[:-1] + [named(i, "y", "high" if i and float(row[-1]) > 14 else "low")])
three = changed(lambda i, row: row[:-1] + [named(i, "y", "abc"[int(float(row[-1]) / 9)] if i else "")])
rich = changed(lambda i, row: [named(i, "g", i % 6), named(i, "w", 1 + i % 3), *row[:-1], named(i, "z", i * 7 % 11),
                               row[-1]])
holes = changed(lambda i, row: row if i % 4 else ["", *row[1:]] if i else row)
mixed = changed(lambda i, row: [named(i, "day", "2024-01-%02d" % i), named(i, "kind", "rst"[i % 3]), *row])
text = changed(lambda i, row: [named(i, "a", i), '"l ""%d"""' % (i % 3) if i else "b",
                               named(i, "c", "" if i % 7 else 1), row[-1]])


def many():
    good("generate", "friedman1", "--rows", "60", "--useless", "0", "-o", "t.csv")


def cost():
    numbers()
    table("input,cost\nx1,2\nx2,1\nx3,4\nx4,1\nx5,1\n", "cost.csv")


def parts():
    numbers()
    for k in ("1", "2"):
        good("select", "t.csv", "--method", "lars", "--outer", "3", "--shard", k + "/2", "-o", "p" + k)


def model(method, prepare=numbers, to_json=False):
    def fitted():
        prepare()
        good("select", "t.csv", *method.split(), "--model", "m.tamis", "--holdout", "0.2", "-o", "r.json")
        if to_json:
            good("export", "m.tamis", "--to", "json", "-o", "m.json")
    return fitted


def packed(how, name):
    def prepare():
        if not shutil.which(how):
            raise Skip("%s, which packs a table for this test, is missing" % how)
        numbers()
        with open(name, "wb") as f:
            f.write(subprocess.run([how, "-c", "t.csv"], check=True, capture_output=True).stdout)
        os.remove("t.csv")
    return prepare


def seed(name, which):
    def prepare():
        if name not in good("--version"):
            raise Skip("this build does not read %s" % name)
        shutil.copy(os.path.join(SEEDS, name, which), "t")
    return prepare


def other(name):
    """A file that begins like one of a format that is not read."""
    begin = {"parquet": b"PAR1", "hdf5": b"\x89HDF\r\n\x1a\n"}[name]
    return lambda: table(begin + bytes(40) + begin, "t")


def nothing():
    pass


# ---- rows: name -> (what is in the folder, commands...); a command that begins with a digit has that exit code ----

SELECT = "select t.csv --threads 1 --json "
LSSVM = "--method lssvm --sigma2 4 --gamma 0.1 --folds 3 "
ROWS = {
    "auto": (numbers, SELECT),
    "sift": (numbers, SELECT + "--method sift --splits 1 --rule-folds 2"),
    "sift_classes": (classes, SELECT + "--method sift --splits 1 --rule-folds 2 --final network"),
    "sisal": (numbers, SELECT + "--method sisal --sigma2 4 --gamma 0.1"),
    "sisal_published": (numbers, SELECT + "--method sisal --as-published --sigma2 4"),
    "forward": (numbers, SELECT + "--method forward --sigma2 4 --gamma 0.1"),
    "search": (numbers, SELECT + "--method search --max-inputs 2"),
    "opelm": (numbers, SELECT + "--method opelm --max-neurons 8"),
    "opelm_scaling": (numbers, SELECT + "--method opelm --max-neurons 8 --neurons lsg --scaling --restarts 1"),
    "lars": (numbers, SELECT + "--method lars"),
    "sparse_rbf": (numbers, SELECT + "--method sparse-rbf --r 4 --t 1"),
    "sparse_rbf_classes": (classes, SELECT + "--method sparse-rbf --r 4 --t 1 --folds 2 --solver direct"),
    "lssvm": (numbers, SELECT + LSSVM + "--select forward"),
    "lssvm_three_classes": (three, SELECT + LSSVM),
    "rrkrr": (numbers, SELECT + "--method rrkrr --sigma2 4 --gamma 0.1 --folds 3"),
    "rrkrr_classes": (classes, SELECT + "--method rrkrr --sigma2 4 --gamma 1 --folds 3 --select forward --max-basis 8"),
    "fei": (classes, SELECT + "--method fei --hidden 3 --starts 2 --epochs 5 --folds 3"),
    "rjmcmc": (classes, SELECT + "--method rjmcmc --samples 40 --burn-in 10 --chains 2"),
    "knockoffs": (numbers, SELECT + "--fdr 0.5 --fdr-draws 2 --checkpoint state"),
    "knockoffs_classes": (classes, SELECT + "--method knockoffs --fdr-draws 2 --fdr-statistic linear"),
    "stability": (numbers, SELECT + "--method lars --stability 2 --stability-pairs 2 --checkpoint state"),
    "test_inputs": (numbers, SELECT + "--method lars --test-inputs x1 --test-draws 19"),
    "importance": (numbers, SELECT + "--method lars --holdout 0.2 --importance drop"),

    "loo_rbf": (numbers, SELECT + "--method search --criterion loo-rbf --search backward --sigma2 4"),
    "loo_lssvm": (numbers, SELECT + "--method search --criterion loo-lssvm --search eliminate --sigma2 4 --gamma 1"),
    "cv_lssvm": (classes, SELECT + "--method search --criterion cv-lssvm --search keep --sigma2 4 --gamma 1 --folds 2"),
    "cv_rrkrr": (numbers, SELECT + "--method forward --criterion cv-rrkrr --sigma2 4 --gamma 1 --folds 2"),
    "press": (numbers, SELECT + "--method forward --criterion press --max-neurons 6 --max-inputs 2"),
    "delta": (numbers, SELECT + "--method search --criterion delta --search exhaustive --ties first --scaling"),
    "gamma_test": (numbers, SELECT + "--method search --criterion gamma-test --search forward-backward --start random"),
    "knn": (three, SELECT + "--method search --criterion knn --select-rule se --rule-folds 2 --loss log-loss"),
    "mi": (classes, SELECT + "--method search --criterion mi --search forward --restarts 1"),
    "mrmr": (numbers, SELECT + "--method search --criterion mrmr --permutations 2 --redundancy quotient"),
    "jmi": (classes, SELECT + "--method forward --criterion jmi --permutations 2"),

    "several_targets": (rich, SELECT + "--target y,z --method search --max-inputs 2 --model m.tamis"),
    "several_targets_lssvm": (rich, SELECT + "--target y,z " + LSSVM),
    "roles": (rich, SELECT + "--groups g --row-weights w --ignore z --outer 3 --folds 3 --method lars --bootstrap 2"),
    "constraints": (cost, SELECT + "--method search --must x2 --group-inputs x4,x5 --cost cost.csv --budget 5"),
    "rule": (numbers, SELECT + "--method search --select-rule stable --rule-folds 2 --outer 2 --repeats 2"),
    "imputed": (holes, SELECT + "--method lars --impute knn --impute-neighbors 2 --model m.tamis"),
    "dates_and_categories": (mixed, SELECT + "--method lars --dates parts --test t.csv"),
    "lags": (numbers, SELECT + "--method lars --lags 1:3 --horizon 2 --season 4 --time none"),
    "query": (seed("sqlite", "table"), "describe t --json"),
    "dry_run": (numbers, "select t.csv --dry-run", "compare t.csv --methods sift,search --dry-run"),
    "all_outputs": (classes, "select t.csv " + LSSVM + "--outer 3 --bootstrap 2 --holdout 0.2 --threads 2 -o r.json "
                    "--model m.tamis --plot f.svg --checkpoint state"),
    "pages": (classes, "select t.csv --method search --criterion knn --holdout 0.2 --threads 1 --report p.html"),
    "compare": (numbers, "compare t.csv --methods lars,search --outer 3 --threads 1 --json"),
    "compare_classes": (classes, "compare t.csv --methods lssvm,sift --splits 1 --outer 2 --folds 2 --threads 1 "
                        "-o r.json --sigma2 4 --gamma 1 --report p.html --checkpoint state"),
    "shard": (numbers, "select t.csv --method lssvm --sigma2 1:50:4 --gamma 1 --folds 3 --threads 1 --shard 2/2 "
              "-o p.tamis --checkpoint state"),
    "merge": (parts, "merge p1 p2 --threads 1 --json", "merge p1 p2 --threads 1 -o r.json --model m --report p.html"),

    "predict": (model(LSSVM), "predict m.tamis t.csv -o p.csv", "predict m.tamis t.csv -o p.npy"),
    "predict_intervals": (model("--method lars", many), "predict m.tamis t.csv --interval 0.5 --carry x1,y"),
    "predict_classes": (model("--method search --criterion knn", classes), "predict m.tamis t.csv"),
    "predict_targets": (model("--method search --target y,z", rich), "predict m.tamis t.csv"),
    "predict_imputed": (model("--method lars --impute knn", holes), "predict m.tamis t.csv"),
    "predict_terms": (model("--method sift --splits 1 --rule-folds 2"), "predict m.tamis t.csv"),
    "export": (model(LSSVM), "export m.tamis --to c", "export m.tamis --to json -o m.json"),
    "export_categories": (model("--method lars", mixed), "export m.tamis --to c -o m.c", "export m.tamis"),
    "model_in_json": (model(LSSVM, to_json=True), "predict m.json t.csv"),
    "report": (model(LSSVM), "report r.json -o p.html", "report r.json --plot f.svg"),
    "report_figures": (model("--method search --criterion knn", classes),
                       "report r.json --plot f.svg --plot-what path --label x1=first"),
    "report_png": (model(LSSVM), "report r.json --plot f.png"),
    "describe": (text, "describe t.csv", "describe t.csv --json"),
    "describe_dates": (mixed, "describe t.csv --json"),
    "clean": (holes, "clean t.csv -o out.csv", "clean t.csv --json --samples-per-step 2 -o out.csv"),
    "generate": (nothing, "generate add10 --rows 20", "generate additive --rows 20 --noise 0.1 -o g.csv"),
    "methods": (nothing, "methods", "methods --json"),
    "help": (nothing, "--help", "select --help", "select --help all", "help --man", "help --completion", "--version"),

    "gz": (packed("gzip", "t.csv.gz"), "describe t.csv.gz"),
    "zst": (packed("zstd", "t.csv.zst"), "describe t.csv.zst"),
    "parquet": (other("parquet"), "3 describe t"),
    "hdf5": (other("hdf5"), "3 select t"),
    "mistakes": (numbers, "2 select t.csv --sigma 3", "2 select t.csv --target q", "3 predict t.csv t.csv",
                 "3 report t.csv -o p", "3 merge t.csv", "2 generate what"),
}
FORMATS = ("npy", "npz", "mat", "arff", "libsvm", "sqlite", "xlsx")
for name in FORMATS:                                    # the seeds of each format, or one of them in a short run
    for which in sorted(os.listdir(os.path.join(SEEDS, name)))[0 if LONG else -1:]:
        ROWS["%s_%s" % (name, which)] = (seed(name, which), "describe t --json")


# ---- the test ----

def of_row(prepare, *commands):
    def check():
        if not os.path.exists(SHIM):
            raise Skip("the failing allocator is not built (cmocka is missing, or sanitizers have their own)")
        prepare()
        for command in commands:
            words = command.split()
            every(words[words[0].isdigit():], int(words[0]) if words[0].isdigit() else 0)
    return check


def check_all_is_in_rows():
    """Nothing that `tamis methods` lists, no command and no format is missing above."""
    commands = [c.split() for row in ROWS.values() for c in row[1:]]
    used = {w for c in commands for w in c}
    listed = json.loads(good("methods", "--json"))
    wanted = {p["name"] for p in listed if p["kind"] in ("method", "criterion", "search")} - {"auto"}
    wanted |= set(re.findall(r"^  tamis (\w+)", good("--help"), re.M))
    missing = sorted(wanted - used - {"forward"})
    read = re.search(r"^reads: (.*?), each", good("--version"), re.M).group(1).split(", ")
    assert not missing and set(read) <= {"csv", *FORMATS}, (missing, read)


globals().update({"check_" + name: of_row(*row) for name, row in ROWS.items()})
sys.exit(main(globals()))
