#!/usr/bin/env python3
"""What comes from outside: kills, signals, full disks, limits of memory, closed descriptors, at random moments of every
method that keeps a checkpoint (asked of `tamis methods`) and of commands that keep none. After each fault: the command
succeeded with the same bytes as one that nothing disturbed, or it ended with its exit code and one line; outputs are
whole or absent, nothing else is left; and the same command, repeated, resumes and ends with the same bytes.
usage: faults.py path/to/tamis [name...]
Moments are drawn as a fraction of the undisturbed run. TAMIS_LONG: 200 rounds of each campaign instead of 10.
A failure prints TAMIS_FAULTS=SEED:ROUND, which repeats that round alone."""
import functools, gzip, json, os, random, re, resource, shutil, signal, subprocess, sys, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import Skip, TAMIS, good, main, run, table

LONG = bool(os.environ.get("TAMIS_LONG"))
ROUNDS = 200 if LONG else 10
SEED, _, ONLY = os.environ.get("TAMIS_FAULTS", "").partition(":")
SEED = SEED or (os.urandom(4).hex() if LONG else "1")
HANG = 600

# Rows and options that make the undisturbed run of a method last some tenths of a second; others get 150 and none.
QUICK = {"sift": (250, []), "forward": (70, []), "sparse-rbf": (50, []), "opelm": (500, []), "search": (600, []),
         "lssvm": (200, []), "rjmcmc": (150, ["--samples", "600", "--burn-in", "200"])}


# ---- what is run ----

class Case:
    """A command and its outputs, or none but its standard output; `kept` is what it leaves undisturbed, `seconds` how
    long it takes."""

    def __init__(self, name, words, outputs, checkpoint=None):
        self.name, self.words, self.outputs, self.checkpoint = name, words, outputs, checkpoint
        began = time.monotonic()
        code, self.out, err = run(*words, timeout=HANG)
        self.seconds = time.monotonic() - began
        assert code == 0, (name, code, err)
        self.kept = {f: masked(f) for f in outputs}
        self.bytes = max([os.path.getsize(f) for f in outputs] or [len(self.out)])
        self.clear()

    def files(self):
        """What is in the folder beside the tables."""
        return sorted(f for f in os.listdir(".") if not f.startswith("in."))

    def clear(self):
        for f in self.files():
            os.remove(f)

    def owns(self, f):
        """An output, or the checkpoint and what is named after it."""
        return f in self.outputs or bool(self.checkpoint and f.startswith(self.checkpoint) and not f.endswith(".part"))


def masked(f):
    """The bytes of an output without its times, and without notes on what was resumed; of a part of a run, those of the
    result that it gives with the other part."""
    with open(f, "rb") as file:
        text = file.read()
    if text.startswith(b"TAMIS\r\nPART"):
        text = good("merge", f, "in.p2", "--json").encode()
    return re.sub(rb'"notes": \[[^\]]*\]', b'', re.sub(rb'("seconds": ?|<dd>)[-+.e0-9]+', b'', text))


def input_table(kind, rows):
    f = "in.%s.%d.csv" % (kind, rows)
    if not os.path.exists(f):
        good("generate", kind, "--rows", str(rows), "--seed", "3", "-o", f)
    return f


def method_case(m, *more):
    rows, words = QUICK.get(m["name"], (150, []))
    f = input_table("additive" if m["task"] == "classification" else "friedman1", rows)
    return Case(" ".join((m["name"],) + more),
                ["select", f, "--method", m["name"], "--threads", "1", "-o", "r.json", "--model", "m",
                 "--checkpoint", "c", *words, *more], ["r.json", "m"], "c")


def methods():
    found = [m for m in json.loads(good("methods", "--json")) if m["kind"] == "method" and m["checkpoint"]]
    assert len(found) >= 10
    return found


SMALL, TABLE = "in.friedman1.100.csv", "in.friedman1.8000.csv"
CLASSES, TARGETS, HOLES = "in.additive.150.csv", "in.targets.csv", "in.holes.csv"
LARS, SISAL = "--method lars --threads 1 -o r.json ", "--method sisal --fast --threads 1 -o r.json "


def written(name, rows):
    table("".join(",".join(r) + "\n" for r in rows), name)


def tables():
    """Tables, a model of each kind of prediction, a result and the parts of a run."""
    for kind, rows in (("friedman1", 100), ("friedman1", 8000), ("additive", 150)):
        input_table(kind, rows)
    names, *rows = [line.split(",") for line in open(SMALL).read().splitlines()]
    written(TARGETS, [names + ["z"]] + [r + [str(i * i % 7)] for i, r in enumerate(rows)])
    written(HOLES, [names] + [r if i % 9 else [""] + r[1:] for i, r in enumerate(rows)])
    good("select", SMALL, "--method", "sisal", "--fast", "--model", "in.m", "-o", "in.r.json", "--report", "in.html")
    good("select", CLASSES, "--method", "search", "--criterion", "knn", "--model", "in.knn")
    for k in "12":
        good("select", SMALL, "--method", "sisal", "--fast", "--outer", "2", "--shard", k + "/2", "-o", "in.p" + k)


# name -> (words, outputs); with a checkpoint where it is called c.
COMMANDS = {
    "predict": ("predict in.m " + TABLE + " -o p.csv --threads 1", "p.csv"),
    "predict, intervals": ("predict in.m " + TABLE + " -o p.csv --threads 1 --interval 0.9 --carry x1", "p.csv"),
    "predict, classes": ("predict in.knn " + CLASSES + " -o p.npy --threads 1", "p.npy"),
    "report": ("report in.r.json -o r.html", "r.html"),
    "figure": ("report in.r.json --plot f.svg", "f.svg"),
    "picture": ("report in.r.json --plot f.png", "f.png"),
    "generate": ("generate add10 --rows 40000 -o g.csv", "g.csv"),
    "describe": ("describe " + TABLE + " --json", ""),
    "clean": ("clean " + HOLES + " -o c.csv", "c.csv"),
    "export": ("export in.m --to c -o m.c", "m.c"),
    "export, to standard output": ("export in.m", ""),
    "methods": ("methods --json", ""),
    "compare": ("compare " + SMALL + " --methods sisal,lssvm --outer 3 --threads 1 -o r.json --checkpoint c", "r.json"),
    "shard": ("select " + SMALL + " --method sisal --fast --outer 2 --shard 1/2 --threads 1 -o p --checkpoint c", "p"),
    "merge": ("merge in.p1 in.p2 -o r.json --model m --threads 1", "r.json m"),
    "outer": ("select " + SMALL + " --outer 3 --model m --checkpoint c " + SISAL, "r.json m"),
    "rule": ("select " + SMALL + " --select-rule se --rule-folds 4 --model m --checkpoint c " + SISAL, "r.json m"),
    "bootstrap": ("select " + SMALL + " --bootstrap 4 --checkpoint c " + LARS, "r.json"),
    "stability": ("select " + SMALL + " --stability 1 --stability-pairs 20 --checkpoint c " + LARS, "r.json"),
    "fdr": ("select " + SMALL + " --fdr 0.5 --fdr-draws 5 --threads 1 -o r.json --checkpoint c", "r.json"),
    "p-values": ("select " + SMALL + " --test-inputs x1,x6 --test-draws 99 --checkpoint c " + LARS, "r.json"),
    "several targets": ("select " + TARGETS + " --target y,z --method search --threads 1 -o r.json --model m "
                        "--checkpoint c", "r.json m"),
    "imputed": ("select " + HOLES + " --impute knn --model m " + LARS, "r.json m"),
    "page": ("select " + SMALL + " --report r.html " + LARS, "r.html r.json"),
}


def command_case(name):
    words, outputs = COMMANDS[name]
    return Case(name, words.split(), outputs.split(), "c" if "--checkpoint" in words else None)


def commands():
    """What has no checkpoint, and what keeps several; a short run takes a sample that follows from the seed."""
    tables()
    names = list(COMMANDS) if LONG else random.Random(SEED).sample(list(COMMANDS), ROUNDS)
    return [later(command_case, name) for name in names]


def later(make, *words):
    return lambda: make(*words)


# ---- the rule ----

def settled(case, code, out, err, codes, heard=True):
    """The rule of this file, for one run that ended; its exit code. heard: standard error is open."""
    what = (case.name, code, err)
    assert code == 0 or code in codes, what
    left = [f for f in case.files() if not case.owns(f)]
    assert not left or code == -9, what + (left,)
    for f in case.outputs:
        assert not os.path.exists(f) or masked(f) == case.kept[f], what + (f, "differs")
    if code == 0:
        assert all(os.path.exists(f) for f in case.outputs), what
        assert case.outputs or out == case.out, what
    elif code > 0 and heard:
        lines = err.split("\n")
        done = code == 130 and all(os.path.exists(f) for f in case.outputs)     # stopped after its last note
        assert lines[-2].startswith("tamis: ") and not lines[-1], what
        assert len(lines) == 2 or (done and all(l.startswith("note: ") for l in lines[:-2])), what
    return code


def resumes(case):
    """The same command, undisturbed, on what the fault left."""
    for f in case.outputs:
        if os.path.exists(f):
            os.remove(f)
    code, out, err = run(*case.words, timeout=HANG)
    assert code == 0, (case.name, "does not resume", code, err)
    settled(case, code, out, err, ())
    case.clear()


def start(case, before=None, **more):
    return subprocess.Popen([TAMIS, *case.words], stdin=subprocess.DEVNULL, preexec_fn=before,
                            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})


def ended(p):
    out, err = p.communicate(timeout=HANG)
    return p.returncode, (out or b"").decode(), (err or b"").decode()


# ---- faults: each takes a case and its random numbers, and applies the rule ----

def catches(p, s):
    """Whether the program has begun: it catches or ignores the signal, or is not to be asked."""
    try:
        with open("/proc/%d/status" % p.pid) as f:
            masks = re.findall(r"Sig(?:Cgt|Ign):\s*(\w+)", f.read())
    except OSError:
        return True
    return any(int(m, 16) >> (s - 1) & 1 for m in masks) or not masks


def wait_then(p, case, r, *signals):
    """Signals after a fraction of the run, the pause between them another one."""
    while signals[0] not in (signal.SIGKILL, signal.SIGSTOP) and not catches(p, signals[0]) and p.poll() is None:
        time.sleep(0.001)
    for s in signals:
        time.sleep(r.random() * case.seconds / (2 if len(signals) > 1 else 1))
        if p.poll() is None:
            p.send_signal(s)


def killed(case, r):
    for _ in range(r.randint(1, 3)):
        p = start(case)
        wait_then(p, case, r, signal.SIGKILL)
        code = settled(case, *ended(p), (-9,))
    return code


def stopping(*signals, codes=(130,)):
    def fault(case, r):
        p = start(case)
        wait_then(p, case, r, *signals)
        return settled(case, *ended(p), codes)
    return fault


def file_size(case, r):
    """A limit below the largest output: no space, as far as the program can tell."""
    most = int(case.bytes ** r.random())
    p = start(case, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
    return settled(case, *ended(p), (1,))


def small_disk(case, r):
    """The folder is a file system of some pages; tables are linked into it."""
    here, disk = os.getcwd(), os.path.join(os.getcwd(), "in.disk")
    os.makedirs(disk, exist_ok=True)
    pages = r.randint(1, case.bytes // 4096 + 4)
    mount = ["mount", "-t", "tmpfs", "-o", "size=%dk" % (4 * pages), "none", disk]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        raise Skip("a small file system cannot be mounted here")
    try:
        for f in os.listdir(here):
            if f.startswith("in.") and f != "in.disk":
                os.symlink(os.path.join(here, f), os.path.join(disk, f))
        os.chdir(disk)
        code = settled(case, *ended(start(case)), (1,))
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        resumes(case)
        return code
    finally:
        os.chdir(here)
        subprocess.run(["umount", disk], check=True)


def closed_descriptors(case, r):
    gone = [fd for fd in range(3) if r.random() < 0.6]

    def close():
        for fd in gone:
            os.close(fd)
    return settled(case, *ended(start(case, close)), (1,) if 1 in gone else (), heard=2 not in gone)


@functools.lru_cache
def smallest_space():
    """Bytes of address space below which the program cannot even be loaded."""
    low, high = 1 << 22, 1 << 31
    while high - low > 1 << 18:
        middle = (low + high) // 2
        p = subprocess.run([TAMIS, "--version"], capture_output=True,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (middle, middle)))
        low, high = (low, middle) if p.returncode in (0, 1) else (middle, high)
    return high


def address_space(case, r):
    most = smallest_space() + int(2 ** (16 + 13 * r.random()))
    p = start(case, lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
    return settled(case, *ended(p), (1,))


def reader_gone(case, r):
    """Nobody reads standard output; a closed pipe is an error of the write, not a death."""
    reading, writing = os.pipe()
    os.close(reading)
    p = start(case, stdout=writing)
    os.close(writing)
    return settled(case, *ended(p), (1,))


FAULTS = {
    "SIGHUP": stopping(signal.SIGHUP), "SIGTERM": stopping(signal.SIGTERM), "SIGINT": stopping(signal.SIGINT),
    "SIGXCPU": stopping(signal.SIGXCPU), "SIGTERM twice": stopping(signal.SIGTERM, signal.SIGTERM),
    "SIGPIPE": stopping(signal.SIGPIPE, codes=()), "SIGXFSZ": stopping(signal.SIGXFSZ, codes=()),
    "STOP, CONT": stopping(signal.SIGSTOP, signal.SIGCONT, codes=()),
    "file size": file_size, "small disk": small_disk, "descriptors": closed_descriptors, "address space": address_space,
    "no reader": reader_gone,
}


# ---- campaigns ----

def told(codes):
    """Exit codes of each fault, and how often."""
    return "; ".join("%s: %d, %d times" % (*k, n) for k, n in sorted(codes.items()))


def campaign(cases, faults):
    """Rounds that go through all pairs of case and fault in an order of their own; counts of exit codes."""
    made, skipped, codes = {}, {}, {}
    pairs = [(c, f) for f in faults for c in range(len(cases))]
    random.Random(SEED).shuffle(pairs)
    for i in range(max(ROUNDS, len(cases))) if not ONLY else [int(ONLY)]:
        c, f = pairs[i % len(pairs)]
        case = made[c] = made.get(c) or cases[c]()
        try:
            code = faults[f](case, random.Random("%s %d" % (SEED, i)))
            codes[f, code] = codes.get((f, code), 0) + 1
            resumes(case)
        except Skip as s:
            skipped[f] = s
        except BaseException:
            print("TAMIS_FAULTS=%s:%d: %s, %s; exit codes before: %s" % (SEED, i, case.name, f, told(codes)))
            raise
    for f, s in skipped.items():
        print("skipped: %s: %s" % (f, s))
    if LONG:
        print(told(codes))


def check_every_method_survives_kills():
    campaign([later(method_case, m) for m in methods()], {"kill -9": killed})


def check_every_method_under_faults():
    campaign([later(method_case, m) for m in methods()], FAULTS)


def check_commands_under_faults():
    campaign(commands(), {"kill -9": killed, **FAULTS})


# ---- --memory ----

def peak(*words, stdin=None):
    """Exit code, standard error and the largest resident size in bytes."""
    p = subprocess.Popen([TAMIS, *words], stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    err = p.stderr.read().decode()
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    return p.returncode, err, used.ru_maxrss * 1024


def refused(limit, says, *words, **more):
    code, err, most = peak(*words, **more)
    assert code in (1, 3) and re.search(says, err) and err.count("\n") == 1, (words, code, err)
    assert most < 1.5 * limit + (64 << 20), (words, most)


def check_memory_of_a_gzip_bomb():
    with open("bomb.csv.gz", "wb") as f:                # 500 MB of text
        f.write(gzip.compress(b"a,b,y\n") + 500 * gzip.compress(b"0.123,1,2\n" * 100000))
    assert os.path.getsize("bomb.csv.gz") < 2 << 20
    refused(100 << 20, "memory", "select", "bomb.csv.gz", "--memory", "100M", "--method", "lars")


def check_memory_of_a_wide_category():
    rng = random.Random(5)
    rows = "".join("%d,level%d,%r\n" % (i % 7, i // 2, rng.random()) for i in range(20000))
    table("a,c,y\n" + rows)
    refused(200 << 20, "'?c'?", "select", "t.csv", "--keep", "c", "--categorical", "c", "--memory", "200M", "--method",
            "lars")


def check_memory_of_endless_input():
    good("generate", "add10", "--rows", "50", "-o", "t.csv")
    good("select", "t.csv", "--method", "lars", "--model", "m")
    with open("/dev/zero", "rb") as zero:
        refused(64 << 20, "zero byte", "predict", "m", "-", stdin=zero)
    refused(64 << 20, "zero byte", "predict", "m", "/dev/zero")
    refused(64 << 20, ".", "predict", "/dev/zero", "t.csv")
    refused(64 << 20, ".", "report", "/dev/zero")


# ---- outside a run ----

PAGES = (("--help",), ("--version",), ("methods",), ("methods", "--json"), ("help", "select"), ("help", "--man"),
         ("help", "--completion"))


def check_pages_on_a_full_disk():
    good("generate", "add10", "--rows", "50", "-o", "t.csv")
    noted = ("select", "t.csv", "--method", "lars", "--checkpoint", "c")        # with a note, which is not shown
    for words in (*PAGES, noted):
        with open("/dev/full", "wb") as full:
            p = subprocess.run([TAMIS, *words], stdout=full, stderr=subprocess.PIPE)
        assert p.returncode == 1 and p.stderr.count(b"\n") == 1 and b"No space" in p.stderr, (words, p)


def check_progress_never_reaches_an_output():
    good("generate", "add10", "--rows", "30000", "-o", "t.csv")
    good("select", "t.csv", "--method", "lars", "--model", "m")
    good("predict", "m", "t.csv", "-o", "p.csv")
    for gone in (2,), (0, 1, 2):
        words = [TAMIS, "predict", "m", "t.csv", "-o", "q.csv", "--progress", "always"]
        p = subprocess.run(words, preexec_fn=lambda: [os.close(fd) for fd in gone])
        assert p.returncode == 0 and masked("q.csv") == masked("p.csv")
        os.remove("q.csv")


def check_names_cannot_control_a_terminal():
    """Column names with C1 and direction marks, arguments with escapes: never raw on either stream."""
    rng = random.Random(2)
    rows = ["%r,%r,%r\n" % (rng.random(), rng.random(), rng.random()) for _ in range(40)]
    table("a\u009b31m,b\u202e,y\u0085\n" + "".join(rows))
    shown = [("select", "t.csv", "--method", "lars"), ("describe", "t.csv"), ("clean", "t.csv", "--target", "y\u0085"),
             ("compare", "t.csv", "--methods", "lars,sisal", "--outer", "2"),
             ("select", "t.csv", "--must", "b\u202e,b\u202e"),
             ("select", "t.csv", "-o", "no/\033[31m"), ("select", "\033[31m"), ("\033[31m",), ("generate", "\033[31m"),
             ("select", "t.csv", "--target", "\033[31m"), ("select", "t.csv", "--\033[31m"), ("report", "\033[31m"),
             ("predict", "\033[31m", "t.csv"), ("select", "t.csv", "--memory", "\033[31m")]
    for words in shown:
        code, out, err = run(*words)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out + err), (words, out, err)
        assert len(out + err) > 20, words


def check_waiting_for_input_can_be_stopped():
    for words in ("select", "-"), ("report", "-"), ("predict", "-", "t.csv"):
        p = subprocess.Popen([TAMIS, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not catches(p, signal.SIGTERM):
            time.sleep(0.001)
        p.send_signal(signal.SIGTERM)
        err = p.stderr.read()                           # to its end: standard input stays open until then
        p.communicate()
        assert p.returncode == 130 and err.startswith(b"tamis: stopped") and err.count(b"\n") == 1, (words, err)


def check_outputs_through_links_and_pipes():
    os.symlink("real.csv", "link.csv")
    good("generate", "add10", "--rows", "3", "-o", "link.csv")
    assert os.path.islink("link.csv") and len(open("real.csv").readlines()) == 4
    with open("both.txt", "w") as f:
        f.write("first\n")
        f.flush()
        subprocess.run([TAMIS, "generate", "add10", "--rows", "3", "-o", "/dev/stdout"], stdout=f, check=True)
    assert open("both.txt").read() == "first\n" + open("real.csv").read()
    os.mkfifo("pipe")
    p = subprocess.Popen([TAMIS, "generate", "add10", "--rows", "3", "-o", "pipe"])
    assert open("pipe").read() == open("real.csv").read() and p.wait() == 0


if __name__ == "__main__":
    print("seed %s" % SEED)
    sys.exit(main(globals()))
