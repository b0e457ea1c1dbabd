"""Every allocation of every command made to fail, once and with all that follow, by tests/shim/failing_malloc.c: those of
the library, of the command line and of the libraries below. The command ends with exit code 1 and one sentence, or does
without that memory and gives its full output; files appear whole or not at all.

A sample of the allocations of each command; every one of them if TAMIS_LONG is set."""
import concurrent.futures, gzip, os, re, shutil, subprocess, sys, tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import *

SHIM = os.path.join(os.path.dirname(TAMIS), "tests", "failing_malloc.so")
SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "seeds")
SAMPLE = 40                                             # allocations of each command that fail, each in two ways
LONG = bool(os.environ.get("TAMIS_LONG"))
SMALL = ["--sigma2", "4", "--gamma", "0.1"]


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
    return re.sub(rb'("seconds": |in |<dd>|<td>)[0-9.e-]+', rb"\1", b) if isinstance(b, bytes) else b


def judge(got, full):
    """What is wrong with the outcome, given that of the command with all the memory it needs; None: nothing."""
    code, out, err, files = got
    if any(".part" in f for f in files):
        return "part of a file is left"
    for f, b in files.items():
        if not f.startswith("state") and timeless(b) != timeless(full[3].get(f, b"")):
            return "%s is not whole" % f
    if code == 0:
        if timeless(out) != timeless(full[1]) or files.keys() != full[3].keys():
            return "exit code 0 without the full output"
        return None if all(l.startswith("note: ") for l in err.splitlines()) else "unexpected words"
    if code != 1:
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


def every(*words):
    """Each allocation of the command, or a sample of them, made to fail; input files are those of the folder."""
    if not os.path.exists(SHIM):
        raise Skip("the failing allocator is not built (cmocka is missing, or sanitizers have their own)")
    inputs = [os.path.abspath(f) for f in os.listdir(".")]
    folder = tempfile.mkdtemp(prefix="tamis-")
    for f in inputs:
        os.link(f, os.path.join(folder, os.path.basename(f)))
    full = under_shim(words, folder, count="count")
    total = int(open(os.path.join(folder, "count")).read())
    shutil.rmtree(folder)
    for f in inputs:
        full[3].pop(os.path.basename(f))
    assert full[0] == 0 and not full[2].startswith("tamis: "), (words, full[0], full[2])
    step = 1 if LONG else max(1, total // SAMPLE)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = list(pool.map(lambda k: one(words, k[0], k[1], inputs, full),
                              [(at, onwards) for at in range(1, total + 1, step) for onwards in (0, 1)]))
    wrong = [w for w in wrong if w]
    assert not wrong, "%d of %d: %s\n  %s" % (len(wrong), total, " ".join(words), "\n  ".join(wrong[:12]))


def numbers():
    return good("generate", "friedman1", "--rows", "24", "--useless", "0", "--seed", "3")


def classes():
    rows = numbers().splitlines()
    cells = [r.split(",") for r in rows]
    return "\n".join([rows[0]] + [",".join(c[:-1] + ["high" if float(c[-1]) > 14 else "low"]) for c in cells[1:]]) + "\n"


def method(name, *words, data=numbers):
    table(data())
    every("select", "t.csv", "--method", name, "--threads", "1", "--json", *words)


def check_sift():
    method("sift", "--splits", "1", "--rule-folds", "2")


def check_sisal():
    method("sisal", *SMALL)


def check_forward():
    method("forward", *SMALL)


def check_search():
    method("search", "--max-inputs", "2")


def check_opelm():
    method("opelm", "--max-neurons", "8")


def check_lars():
    method("lars")


def check_sparse_rbf():
    method("sparse-rbf", "--r", "4", "--t", "1")


def check_lssvm():
    method("lssvm", *SMALL, "--folds", "3", "--select", "forward")


def check_rrkrr():
    method("rrkrr", *SMALL, "--folds", "3")


def check_fei():
    method("fei", "--hidden", "3", "--starts", "2", "--epochs", "5", "--folds", "3", data=classes)


def check_rjmcmc():
    method("rjmcmc", "--samples", "40", "--burn-in", "10", "--chains", "2", data=classes)


def check_everything_that_select_writes():
    table(classes())
    every("select", "t.csv", "--method", "lssvm", *SMALL, "--folds", "3", "--outer", "3", "--bootstrap", "2", "--holdout",
          "0.2", "--threads", "2", "-o", "r.json", "--model", "m.tamis", "--plot", "f.svg", "--checkpoint", "state")



def check_stability():
    table(numbers())
    every("select", "t.csv", "--method", "lars", "--stability", "2", "--stability-pairs", "2", "--threads", "1", "--json",
          "--checkpoint", "state")


def check_compare():
    table(numbers())
    every("compare", "t.csv", "--methods", "lars,search", "--outer", "3", "--threads", "1", "--json")


def check_parts():
    table(numbers())
    every("select", "t.csv", "--method", "lssvm", "--sigma2", "1:50:4", "--gamma", "1", "--folds", "3", "--threads", "1",
          "--shard", "2/2", "-o", "p.tamis", "--checkpoint", "state")
    words = ["select", "t.csv", "--method", "lars", "--outer", "3", "--threads", "1"]
    for k in ("1", "2"):
        good(*words, "--shard", k + "/2", "-o", "p" + k)
    every("merge", "p1", "p2", "--threads", "1", "--json")


def model(*words):
    table(numbers())
    good("select", "t.csv", "--method", "lssvm", *SMALL, "--folds", "3", "--model", "m.tamis", "-o", "r.json", *words)


def check_predict():
    model()
    os.remove("r.json")
    every("predict", "m.tamis", "t.csv", "-o", "p.csv")
    every("predict", "m.tamis", "t.csv")


def check_export():
    model()
    os.remove("r.json")
    every("export", "m.tamis", "--to", "c")
    every("export", "m.tamis", "--to", "json", "-o", "m.json")


def check_a_model_in_json():
    model()
    good("export", "m.tamis", "--to", "json", "-o", "m.json")
    every("predict", "m.json", "t.csv")


def check_report():
    model("--holdout", "0.2")
    every("report", "r.json", "-o", "p.html")
    every("report", "r.json", "--plot", "f.svg")


def check_describe():
    table("a,b,c,y\n" + "".join('%d,"l ""%d""",%s,%d.5\n' % (i, i % 3, "" if i % 7 else "1", i * i) for i in range(1, 40)))
    every("describe", "t.csv")
    every("describe", "t.csv", "--json")


def check_compressed_tables():
    table(gzip.compress(numbers().encode()), "t.csv.gz")
    every("describe", "t.csv.gz")
    if not shutil.which("zstd"):
        raise Skip("zstd, which packs a table for this test, is missing")
    table(numbers())
    subprocess.run(["zstd", "-q", "--rm", "t.csv"], check=True)
    every("describe", "t.csv.zst")


def format_is_read(name):
    """The seeds of the format, or one of them in a short run, described and read for predictions."""
    if name not in good("--version"):
        raise Skip("this build does not read %s" % name)
    seeds = sorted(os.listdir(os.path.join(SEEDS, name)))
    for seed in seeds if LONG else seeds[-1:]:
        for old in os.listdir("."):
            os.remove(old)
        shutil.copy(os.path.join(SEEDS, name, seed), "t")
        every("describe", "t", "--json")


def check_npy():
    format_is_read("npy")


def check_npz():
    format_is_read("npz")


def check_mat():
    format_is_read("mat")


def check_arff():
    format_is_read("arff")


def check_libsvm():
    format_is_read("libsvm")


def check_sqlite():
    format_is_read("sqlite")


def check_xlsx():
    format_is_read("xlsx")


def check_clean():
    table("a,b,y\n" + "".join("%s,%d,%d\n" % ("" if i % 3 else i, i, i * i) for i in range(1, 30)))
    every("clean", "t.csv", "-o", "out.csv")


def check_generate():
    every("generate", "add10", "--rows", "20")
    every("generate", "add10", "--rows", "20", "-o", "g.csv")


def check_what_there_is():
    every("methods")
    every("methods", "--json")
    every("--help")
    every("select", "--help")
    every("--version")


sys.exit(main(globals()))
