"""Runs programs, each in a process of its own, and measures processor time, wall-clock time and peak memory. Results
are kept under build/bench/race/ by a key of the arguments, the files and the program, so that a stopped run resumes.
Results of a completed run are never reused: the next run starts afresh."""
import json, os, platform, re, shutil, subprocess, sys, tempfile, time

from files import ROOT, TAMIS, contents, digest

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
CORES = len(os.sched_getaffinity(0))
# A child's peak memory starts from that of the process that forked it: here a small program.
MEMORY = ["/usr/bin/time", "-f", "%M"] if os.path.exists("/usr/bin/time") else []


def kernels():
    """The BLAS kernels that tamis chose; rivals use the same."""
    out = subprocess.run([TAMIS, "--version"], capture_output=True, text=True).stdout
    return re.search(r"with (\w+) kernels", out).group(1)


def available():
    """Which packages of Python and R are installed."""
    python, r = ("numpy", "sklearn", "xgboost", "pandas"), ("glmnet", "ranger", "caret", "kernlab", "randomForest")
    words = "import importlib.util as u; print(*[p for p in %r if u.find_spec(p)])" % (python,)
    there = subprocess.run([PYTHON, "-c", words], capture_output=True, text=True).stdout.split()
    if shutil.which("Rscript"):
        words = "for (p in c(%s)) if (nzchar(system.file(package = p))) cat(p, '')" % ", ".join("'%s'" % p for p in r)
        there += subprocess.run(["Rscript", "-e", words], capture_output=True, text=True).stdout.split()
    return {p: p in there for p in python + r}


class Lab:
    def __init__(self, mode):
        self.mode, self.place = mode, os.path.join(ROOT, "build", "bench", "race", mode)
        self.began = time.time()
        self.last = self.finished()
        os.makedirs(self.place, exist_ok=True)
        self.tables = os.path.join(self.place, "tables")
        os.makedirs(self.tables, exist_ok=True)
        self.kernels = kernels()
        programs = TAMIS, os.path.join(ROOT, "build", "libtamis.so")
        self.program = digest(*(contents(p) for p in programs if os.path.exists(p)))
        self.has = available()
        self.state = os.path.join(self.place, "state.json")
        self.before, self.loads = 0.0, [os.getloadavg()[0]]
        if os.path.exists(self.state):
            with open(self.state) as f:
                kept = json.load(f)
            self.before, self.loads = kept["seconds"], self.loads + kept["loads"]

    def finished(self):
        """The verdicts of the last complete run, or None; its measurements are deleted."""
        end = os.path.join(self.place, "verdicts.json")
        if not os.path.exists(end):
            return None
        with open(end) as f:
            last = json.load(f)
        shutil.rmtree(self.place)
        return last

    def finish(self, verdicts):
        with open(os.path.join(self.place, "verdicts.json"), "w") as f:
            json.dump(verdicts, f, indent=1)

    def seconds(self):
        """Of the whole run, including the time before it was stopped."""
        return self.before + time.time() - self.began

    def keep_state(self):
        with open(self.state, "w") as f:
            json.dump({"seconds": self.seconds(), "loads": [min(self.loads), max(self.loads)]}, f)

    def say(self, text):
        print("[%4d s] %s" % (time.time() - self.began, text), file=sys.stderr, flush=True)

    # ---- tables ----

    def generate(self, name, rows, seed=1, *more):
        path = os.path.join(self.tables, "%s-%d-%d%s.csv" % (name, rows, seed, "".join(more)))
        if not os.path.exists(path):
            words = [TAMIS, "generate", name, "--rows", str(rows), "--seed", str(seed), "-o", path, *more]
            subprocess.run(words, check=True)
        return path

    def split(self, name, lines, train):
        """The first `train` rows and the rest as two files, each with the header."""
        paths = [os.path.join(self.tables, "%s-%s.csv" % (name, part)) for part in ("train", "test")]
        for path, rows in zip(paths, (lines[1:train + 1], lines[train + 1:])):
            with open(path, "w") as f:
                f.writelines([lines[0]] + rows)
        return paths

    # ---- runs ----

    def run(self, words, turn=0, threads=None):
        """{cpu, wall, rss, out} of a program; out: the JSON of the last line that it prints, which may contain its own
        cpu and wall (without the start of an interpreter). None: it failed, with a message. cpu counts all its
        processes."""
        ours = words[0] == TAMIS
        script = next((w for w in words[:2] if w.startswith(HERE)), None)
        parts = (os.path.relpath(w, ROOT) if os.path.isabs(w) else w for w in words)
        key = digest(self.program if ours else contents(script), turn, threads, *parts)
        path = os.path.join(self.place, key + ".json")
        if os.path.exists(path):
            with open(path) as f:
                return json.load(f)
        env = dict(os.environ, OPENBLAS_CORETYPE=self.kernels, OPENBLAS_NUM_THREADS=str(threads or 1),
                   OMP_NUM_THREADS=str(threads or 1), OMP_WAIT_POLICY="passive", TAMIS_CORES=str(CORES), TZ="UTC")
        if ours:
            env = {k: v for k, v in env.items() if not k.startswith(("OPENBLAS", "OMP_"))}
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            began = time.time()
            p = subprocess.Popen([*MEMORY, *words], stdout=out, stderr=err, env=env, cwd=ROOT)
            _, status, use = os.wait4(p.pid, 0)
            wall = time.time() - began
            p.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0), err.seek(0)
            text, message = out.read(), err.read().strip()
        self.loads.append(os.getloadavg()[0])
        if p.returncode:
            self.say("failed: %s: %s" % (" ".join(map(str, words))[:200], message[-200:]))
            return None
        peak = int(message.split("\n")[-1]) if MEMORY else use.ru_maxrss
        r = {"cpu": use.ru_utime + use.ru_stime, "wall": wall, "rss": peak / 1024, "out": self.answer(text, ours)}
        if isinstance(r["out"], dict):
            r.update({k: r["out"][k] for k in ("cpu", "wall") if not ours and k in r["out"]})
        with open(path + ".new", "w") as f:
            json.dump(r, f)
        os.replace(path + ".new", path)
        self.keep_state()
        return r

    @staticmethod
    def answer(text, ours):
        if ours and text.startswith("{"):
            r = json.loads(text)
            return {k: r[k] for k in ("selected", "error", "path", "search", "seconds", "method") if k in r}
        line = text.strip().rsplit("\n", 1)[-1] if text.strip() else ""
        return json.loads(line) if line.startswith("{") else text

    def tamis(self, file, *words, turn=0):
        return self.run([TAMIS, "select", file, "--json", "--quiet", "--no-evidence", *words], turn)

    def python(self, script, *words, turn=0, threads=None):
        return self.run([PYTHON, os.path.join(HERE, script), *map(str, words)], turn, threads)

    def r(self, *words, turn=0):
        return self.run(["Rscript", os.path.join(HERE, "rivals.R"), *map(str, words)], turn)


PACKAGES = ("gcc", "libopenblas0-pthread", "python3-numpy", "python3-sklearn", "python3-pandas", "python3-xgboost",
            "r-base-core", "r-cran-caret", "r-cran-kernlab", "r-cran-glmnet", "r-cran-ranger", "r-cran-randomforest")


def output(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout


def packages():
    out = output("dpkg-query", "-W", "-f", "${Package} ${Version}\n", *PACKAGES)
    return dict(line.split() for line in out.splitlines() if len(line.split()) == 2)


def line_of(path, start):
    """The first line of a file that starts so, or None."""
    with open(path) as f:
        return next((line for line in f if line.startswith(start)), None)


def machine(lab):
    """What the figures were measured on."""
    model = line_of("/proc/cpuinfo", "model name")
    cpu = model.split(":", 1)[1].strip() if model else platform.processor()
    flags = line_of("/proc/cpuinfo", "flags") or ""
    widest = "AVX-512" if "avx512vl" in flags else "AVX2" if "avx2" in flags else "no AVX2"
    memory = int(line_of("/proc/meminfo", "MemTotal").split()[1]) / 1048576
    pretty = line_of("/etc/os-release", "PRETTY_NAME")
    system = pretty.split("=", 1)[1].strip().strip('"') if pretty else platform.system()
    return {"cpu": "%s (%s)" % (cpu, widest), "cores": CORES, "memory": memory, "system": system,
            "kernels": lab.kernels, "tamis": output(TAMIS, "--version").split("\n")[0],
            "commit": output("git", "-C", ROOT, "rev-parse", "--short", "HEAD").strip(), "packages": packages(),
            "missing": [p for p, there in lab.has.items() if not there], "loads": (min(lab.loads), max(lab.loads))}
