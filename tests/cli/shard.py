#!/usr/bin/env python3
"""--shard and merge: the digits of one process from any parts. usage: shard.py path/to/tamis [name...]"""
import json, os, random, signal, subprocess, sys, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, TAMIS, bad, good, main, run, table

IRIS = os.path.join(ROOT, "data", "iris.csv")
PARTS = 7


def made(rows=60, name="friedman1"):
    good("generate", name, "--rows", str(rows), "--seed", "5", "-o", "t.csv")
    return "t.csv"


def untimed(v):
    """A result without what may differ: times, threads, and the words of the command."""
    if isinstance(v, dict):
        return {k: untimed(x) for k, x in v.items() if k not in ("seconds", "threads", "command")}
    return [untimed(x) for x in v] if isinstance(v, list) else v


def read(file):
    return untimed(json.load(open(file)))


def parts_of(words, parts=PARTS, threads=None):
    for k in range(1, parts + 1):
        good(*words, "--threads", threads or str(k % 2 + 1), "--shard", "%d/%d" % (k, parts), "-o", "part%d" % k)
    return ["part%d" % k for k in range(1, parts + 1)]


def same(*words, parts=PARTS):
    """One process, and parts merged in some order with 1 and 2 threads, give the same result."""
    good(*words, "--quiet", "--threads", "2", "-o", "one.json")
    names = parts_of(words, parts)
    for threads in ("1", "2"):
        random.Random(len(words) + int(threads)).shuffle(names)
        good("merge", *names, "--quiet", "--threads", threads, "-o", "merged.json")
        one, merged = read("one.json"), read("merged.json")
        assert one == merged, [k for k in one if one[k] != merged.get(k)]
    return one


# ---- the same digits ----

def check_nested_validation():
    r = same("select", made(), "--method", "search", "--criterion", "delta", "--outer", "5", "--repeats", "4")
    assert len(r["outer"]["errors"]) == 20


def check_bootstrap():
    r = same("select", made(), "--method", "lars", "--bootstrap", "40", "--outer", "3")
    assert len(r["bootstrap"]["errors"]) == 40 and len(r["outer"]["errors"]) == 3


def check_default_method():
    same("select", made(40), "--outer", "3", "--splits", "1", "--no-evidence", parts=2)


def check_stability():
    same("select", made(), "--method", "lars", "--stability", "1", "--stability-pairs", "6")


def check_knockoffs():
    same("select", made(), "--fdr", "0.3", "--fdr-draws", "9", "--no-evidence")


def check_compare():
    r = same("compare", made(), "--methods", "lars,search:criterion=knn,lssvm:sigma2=1:100:3:gamma=10", "--outer", "3")
    assert [m["method"] for m in r["methods"]][0] == "lars"


def check_chains():
    same("select", IRIS, "--method", "rjmcmc", "--chains", "8", "--samples", "160", "--burn-in", "80", "--temperatures", "3",
         "--no-evidence")


def check_chains_inside_folds():
    same("select", IRIS, "--method", "rjmcmc", "--chains", "2", "--samples", "40", "--burn-in", "20", "--temperatures", "2",
         "--outer", "2", "--no-evidence", parts=3)


def check_grids():
    same("select", made(40), "--method", "sparse-rbf", "--r", "2:20:3", "--t", "0.1:1:3", "--folds", "8", "--no-evidence")
    same("select", "t.csv", "--method", "sparse-rbf", "--folds", "3", "--centers", "10", "--no-evidence", parts=3)
    same("select", "t.csv", "--method", "lssvm", "--no-evidence")
    same("select", "t.csv", "--method", "lssvm", "--sigma2", "1:100:9", "--gamma", "1:100:4", "--no-evidence")
    same("select", "t.csv", "--method", "rrkrr", "--no-evidence", parts=3)
    same("select", IRIS, "--method", "lssvm", "--folds", "3", "--no-evidence", parts=3)


def check_starts():
    same("select", IRIS, "--method", "fei", "--hidden", "6", "--starts", "9", "--no-evidence")
    same("select", IRIS, "--method", "fei", "--starts", "5", "--no-evidence", parts=3)


def check_test_rows_and_weights():
    made(90)
    lines = open("t.csv").read().split("\n")[:-1]
    table("\n".join([lines[0] + ",w"] + [l + "," + str(i % 3) for i, l in enumerate(lines[1:61])]) + "\n", "learn.csv")
    table("\n".join([lines[0]] + lines[61:]) + "\n", "held.csv")
    same("select", "learn.csv", "--target", "y", "--row-weights", "w", "--test", "held.csv", "--method", "lssvm", "--outer", "3",
         "--no-evidence", "--gamma", "1:100:4", "--sigma2=1:100:4", parts=4)


def check_failures_travel():
    """A method that fails in a fold fails in the comparison, with the same sentence."""
    rows = ["%g,%g,%s\n" % (i * 13 % 17, (i * 7 % 11) / 3, "b" if 20 <= i < 30 and i % 2 else "a") for i in range(40)]
    table("x,z,y\n" + "".join(rows))
    r = same("compare", "t.csv", "--methods", "search:criterion=knn,fei:hidden=39:starts=1", "--outer", "4", parts=3)
    assert "failed" not in r["methods"][0] and "1 of 4: fei: only 30 rows" in r["methods"][1]["failed"], r["methods"]
    words = ["compare", "t.csv", "--methods", "search:criterion=knn", "--outer", "4", "--blocks"]
    says = bad(1, "every method failed; .* 3 of 4: t.csv: the target 'y' has the same value", *words)
    assert bad(1, "every method failed", "merge", *parts_of(words, 3)) == says


# ---- what is written and read ----

LARS = ["--method", "lars", "--outer", "4"]


def check_command_is_that_of_the_whole_run():
    words = ["select", made(), *LARS]
    good(*words, "--shard=1/1", "-o", "part", "--threads=1", "--progress", "never", "--memory", "1G")
    good("merge", "part", "-o", "r.json", "--quiet")
    assert json.load(open("r.json"))["command"] == words
    assert run("select", "--shard", "1/1", "-opart", "--quiet", *LARS, "--", "t.csv")[0] == 0
    good("merge", "part", "-o", "r.json", "--quiet")
    assert json.load(open("r.json"))["command"] == ["select", *LARS, "--", "t.csv"]


def check_merge_writes_what_a_run_writes():
    parts = parts_of(["select", made(), *LARS], 2)
    out = good("merge", *parts, "--quiet", "--model", "m.model", "--report", "r.html", "-o", "r.json")
    assert "lars chose" in out and "nested, 4 folds" in out
    assert "<html" in open("r.html").read() and good("predict", "m.model", "t.csv").count("\n") == 61
    assert json.loads(good("merge", *parts, "--quiet", "--json"))["method"] == "lars"


def check_moved_table():
    parts = parts_of(["select", made(), *LARS], 2)
    os.rename("t.csv", "elsewhere.csv")
    bad(3, "t.csv: no such file", "merge", *parts)
    good("merge", *parts, "--table", "elsewhere.csv", "--quiet", "-o", "r.json")
    text = open("elsewhere.csv").read()
    table(text.replace(",", ",1", 20), "other.csv")
    bad(3, "other.csv: the parts were computed from another run: a table of 60 rows", "merge", *parts, "--table", "other.csv")
    run("select", "-", *LARS, "--shard", "1/1", "-o", "part", stdin=text.encode())
    bad(2, "standard input; name it with --table", "merge", "part")
    good("merge", "part", "--table", "elsewhere.csv", "--quiet")


def check_foreign_parts_are_named():
    a, b, c = parts_of(["select", made(), *LARS], 3)
    bad(2, "parts? 2, 3 of 3 are missing", "merge", a)
    bad(2, "part 2 of 3 is missing", "merge", a, c)
    bad(2, "part1: part 1 of 3, as is part1; give each part once", "merge", a, b, a, c)
    good("select", "t.csv", "--method", "lars", "--outer", "5", "--shard", "2/3", "-o", "options")
    bad(3, "^tamis: options: a part of another run than part1: --outer 5, not 4", "merge", a, "options", c)
    good("select", "t.csv", *LARS, "--seed", "2", "--shard", "2/3", "-o", "more")
    bad(3, "^tamis: more: a part of another run than part1: --seed 2", "merge", a, "more", c)
    bad(3, "^tamis: part1: a part of another run than more: no --seed 2", "merge", "more", a, c)
    good("select", "t.csv", *LARS, "--shard", "2/4", "-o", "count")
    bad(3, "^tamis: count: part 2 of 4, but part1 is one of 3", "merge", a, "count", c)
    good("compare", "t.csv", "--methods", "lars", "--outer", "4", "--shard", "2/3", "-o", "kind")
    bad(3, "^tamis: kind: a part of another run than part1: a comparison, not selection", "merge", a, "kind", c)
    table(open("t.csv").read() + "1,1,1,1,1,1,1,1,1,1,1\n")
    good("select", "t.csv", *LARS, "--shard", "2/3", "-o", "rows")
    bad(3, "^tamis: rows: a part of another run than part1: a table of 61 rows", "merge", a, "rows", c)


def checksum(text):
    """As tamis_checksum of base/pack.c, from 0."""
    most, h = 2 ** 64 - 1, 0xcbf29ce484222325 ^ len(text)
    for i in range(0, len(text), 8):
        h = (h ^ int.from_bytes(text[i:i + 8], "little")) * 0x100000001b3 & most
        h ^= h >> 29
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93 & most
    return (h ^ h >> 32).to_bytes(8, "little")


def check_another_version_is_named():
    a, b = parts_of(["select", made(), *LARS], 2)
    version = good("--version").split()[1]
    other = version[:-1] + ("8" if version[-1] == "9" else "9")
    whole = open(b, "rb").read()
    assert checksum(whole[:-8]) == whole[-8:] and whole.count(version.encode()) == 1
    text = whole[:-8].replace(version.encode(), other.encode())
    table(text + checksum(text), "newer")
    bad(3, "^tamis: newer: a part of another run than part1: tamis %s, not %s" % (other, version), "merge", a, "newer")


def check_damaged_parts_are_named():
    a, b = parts_of(["select", made(), *LARS], 2)
    whole = open(b, "rb").read()
    for bytes_, says in ((whole[:-9], "the part is cut short"), (whole[:200] + b"!" + whole[201:], "the part was altered"),
                         (b"", "not a tamis part"), (whole[:11] + b"\x09" + whole[12:], "this part has format 9"),
                         (open("t.csv", "rb").read(), "not a tamis part")):
        table(bytes_, "spoilt")
        bad(3, "^tamis: spoilt: .*" + says, "merge", a, "spoilt")
    bad(3, "absent: cannot be read", "merge", a, "absent")


# ---- what can be asked ----

def check_usage():
    made()
    for text in ("0/3", "4/3", "1", "1/", "/3", "a/b", "1/3x", "-1/3", "1/0", "99999999/99999999"):
        bad(2, "--shard '.*': expected I/N", "select", "t.csv", *LARS, "--shard=" + text, "-o", "p")
    bad(2, "--shard needs -o FILE", "select", "t.csv", *LARS, "--shard", "1/2")
    for option in (["--model", "m"], ["--report", "r.html"], ["--json"], ["--plot", "p.svg"]):
        bad(2, "needs the whole run; give it to 'tamis merge'", "select", "t.csv", *LARS, "--shard", "1/2", "-o", "p", *option)
    for words in (["--method", "lars"], ["--method", "lssvm", "--select", "forward"], ["--method", "sparse-rbf", "--r=5", "--t=1"]):
        bad(2, "no independent items to share; parts need --outer", "select", "t.csv", *words, "--shard", "1/2", "-o", "p")
    assert "time: about" in good("select", "t.csv", *LARS, "--shard", "1/2", "-o", "p", "--dry-run")
    assert not os.path.exists("p")
    bad(2, "needs PART", "merge")


def check_slurm():
    words = ["select", made(), *LARS, "--shard", "slurm"]
    for k in range(3):
        env = {"SLURM_ARRAY_TASK_ID": str(10 + 5 * k), "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "10",
               "SLURM_ARRAY_TASK_STEP": "5"}
        good(*words, "-o", "part%d" % k, env=env)
    good("merge", "part2", "part0", "part1", "-o", "merged.json", "--quiet")
    good("select", "t.csv", *LARS, "-o", "one.json", "--quiet")
    assert read("one.json") == read("merged.json")
    bad(2, "not a task of a Slurm job array", *words, "-o", "p")
    bad(2, "task 7 is not one of 3 in a row", *words, "-o", "p", env=dict(env, SLURM_ARRAY_TASK_ID="7", SLURM_ARRAY_TASK_MIN="1",
                                                                          SLURM_ARRAY_TASK_STEP="1"))


# ---- stopped and resumed ----

def check_parts_resume():
    words = ["select", made(), "--method", "search", "--criterion", "delta", "--outer", "5", "--repeats", "4"]
    good(*words, "-o", "one.json", "--quiet")
    for k in (1, 2):
        part = [*words, "--shard", "%d/2" % k, "-o", "part%d" % k, "--checkpoint", "kept%d" % k]
        good(*part)
        assert not good(*part)
        first = open("part%d" % k, "rb").read()
        os.remove("part%d" % k)
        good(*part)
        assert open("part%d" % k, "rb").read() == first          # seconds too: nothing was computed again
    bad(3, "kept1: a checkpoint of a part; run the part to its end", "merge", "kept1", "part2")
    bad(2, "kept1: the checkpoint is of part 1 of 2", *words, "--shard", "2/2", "-o", "p", "--checkpoint", "kept1")
    bad(2, "kept1: the checkpoint belongs to another run .no --seed 3.", *words, "--seed", "3", "--shard", "1/2", "-o", "p", "--checkpoint",
        "kept1")
    bad(2, "part1: the checkpoint belongs to another run .a finished part.", *words, "--shard", "1/2", "-o", "p", "--checkpoint", "part1")
    good("merge", "part1", "part2", "-o", "merged.json", "--quiet")
    assert read("one.json") == read("merged.json")


def check_killed_parts_resume():
    words = ["select", IRIS, "--method", "search", "--criterion", "knn", "--outer", "5", "--repeats", "12", "--no-evidence"]
    good(*words, "-o", "one.json", "--quiet")
    part = [*words, "--shard", "1/1", "-o", "part", "--checkpoint", "kept"]
    for pause in (0.02, 0.1, 0.2, 0.4):
        p = subprocess.Popen([TAMIS, *part], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(pause)
        p.send_signal(signal.SIGKILL if pause < 0.15 else signal.SIGTERM)
        p.wait()
    good(*part)
    good("merge", "part", "-o", "merged.json", "--quiet")
    assert read("one.json") == read("merged.json")


if __name__ == "__main__":
    sys.exit(main(globals()))
