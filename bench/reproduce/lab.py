"""Runs the command line, two runs at a time. Each result is cached under build/reproduce/ by a key of the program, its
arguments and the bytes of its files: a stopped run resumes, and a second one only reads."""
import csv, json, os, random, resource, subprocess, sys, threading, time
from concurrent.futures import ThreadPoolExecutor

from files import ROOT, TAMIS, contents, digest, whole
from parts import elsewhere


class Missing(Exception):
    """A table that is not available."""


class Lab:
    def __init__(self, data, jobs=2, share=None, place=os.path.join(ROOT, "build", "reproduce")):
        self.data, self.share, self.place = data, share, place
        self.mine = {}                  # runs of this part, by key
        self.work, self.cache = (os.path.join(self.place, p) for p in ("work", "cache"))
        for p in (self.work, self.cache):
            os.makedirs(p, exist_ok=True)
        self.program = digest(contents(TAMIS), contents(os.path.join(ROOT, "build", "libtamis.so")))
        self.pool = ThreadPoolExecutor(jobs)
        self.lock = threading.Lock()
        self.asked = self.done = self.ran = 0
        self.began = time.time()
        self.shown = 0.0
        self.hashes = {}
        self.lacking = set()

    # ---- tables ----

    def table(self, name):
        """Header and rows of a table from the data folder, or of a shipped table."""
        for folder in (self.data, os.path.join(ROOT, "data")):
            if folder and os.path.exists(os.path.join(folder, name)):
                with open(os.path.join(folder, name), newline="") as f:
                    head, *rows = list(csv.reader(f))
                return head, rows
        if name not in self.lacking:
            where = " in " + self.data if self.data else "; name its folder with DATA=folder"
            print("reproduce: no %s%s" % (name, where), file=sys.stderr)
        self.lacking.add(name)
        raise Missing(name)

    def has(self, *names):
        try:
            return all(self.table(n) for n in names)
        except Missing:
            return False

    def file(self, name, head, rows):
        path = os.path.join(self.work, name)
        with whole(path) as f:
            csv.writer(f).writerows([head] + rows)
        return path

    def split(self, name, n, seed=None, rows_used=None):
        """A training and a test file: the first n rows and the rest, in file order or shuffled with the seed."""
        head, rows = self.table(name)
        if seed is not None:
            random.Random(seed).shuffle(rows)
        rows = rows[:rows_used]
        stem = "%s-%d-%s" % (name[:-4], n, "file" if seed is None else seed)
        return self.file(stem + "-train.csv", head, rows[:n]), self.file(stem + "-test.csv", head, rows[n:])

    def generate(self, name, rows, seed, *more):
        path = os.path.join(self.work, "%s-%d-%d%s.csv" % (name, rows, seed, "".join(more)))
        words = ["generate", name, "--rows", str(rows), "--seed", str(seed), "-o", path, *more]
        subprocess.run([TAMIS, *words], check=True)
        return path

    # ---- runs ----

    def key(self, words):
        parts = [self.program]
        for w in words:
            if os.path.isfile(w):
                if w not in self.hashes:
                    self.hashes[w] = digest(contents(w))
                parts.append(self.hashes[w])
            else:
                parts.append(w)
        return digest(*parts)

    def keep(self, key, make):
        path = os.path.join(self.cache, key + ".json")
        if os.path.exists(path):
            with open(path) as f:
                return json.load(f)
        value = make()
        self.take({key: value})
        self.ran += 1
        return value

    def take(self, runs):
        """Results by key, into the cache."""
        for key, value in runs.items():
            with whole(os.path.join(self.cache, key + ".json")) as f:
                json.dump(value, f)

    def submit(self, key, make):
        if self.share and not self.share.has(key):
            return elsewhere()
        if key in self.mine:
            return self.mine[key]
        with self.lock:
            self.asked += 1
        f = self.pool.submit(self.keep, key, make)
        if self.share:
            self.mine[key] = f
        f.add_done_callback(lambda _: self.tick())
        return f

    def run(self, *words):
        """The JSON that a command prints."""
        def make():
            p = subprocess.run([TAMIS, *words], capture_output=True, text=True)
            if p.returncode:
                raise RuntimeError("tamis %s: %s" % (" ".join(words), p.stderr.strip()))
            return json.loads(p.stdout)
        return self.submit(self.key(words), make)

    def select(self, files, *words):
        train, *test = [files] if isinstance(files, str) else files
        held_out = ["--test", test[0]] if test else []
        return self.run("select", train, *held_out, *words, "--no-evidence", "--json", "--quiet", "--threads", "1")

    def published(self, files, *words):
        """The same with the method as its paper prints it; options in words still win."""
        return self.select(files, "--as-published", *words)

    def predictions(self, train, words, rows):
        """The first column of the fitted model's predictions for the rows of a file."""
        def make():
            model = os.path.join(self.work, self.key(["select", train, *words]) + ".model")
            fit = [TAMIS, "select", train, *words, "--quiet", "--threads", "1", "--model", model]
            subprocess.run(fit, check=True, capture_output=True)
            out = subprocess.run([TAMIS, "predict", model, rows], check=True, capture_output=True, text=True).stdout
            return [float(line) for line in out.split()[1:]]
        return self.submit(self.key(["predictions", train, *words, rows]), make)

    def tick(self):
        with self.lock:
            self.done += 1
            now = time.time()
            if now - self.shown < (1 if sys.stderr.isatty() else 30) and self.done < self.asked:
                return
            self.shown = now
            end = "\r" if sys.stderr.isatty() else "\n"
            print("reproduce: %d of %d runs, %.0f s%s" % (self.done, self.asked, now - self.began, " " * 10), end=end,
                  file=sys.stderr, flush=True)

    def processor_minutes(self):
        u = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (u.ru_utime + u.ru_stime) / 60
