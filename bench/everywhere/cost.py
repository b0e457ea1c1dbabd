"""Part `speed`: wall-clock time, processor time and peak memory of tamis on tables of many shapes, beside what
--dry-run expects."""
import json, os, re, subprocess, time

from files import ROOT
from trials import CPU_PER_WALL, Trial

SHAPES = {                                              # rows, words of tamis generate; the aim in seconds
    "405 x 13": (405, None, 1),
    "300 x 50": (300, ("friedman1", "--useless", "45"), 0.3),
    "10,000 x 30": (10000, ("inter",), 20),
    "150 x 10,000": (150, ("genes-wide", "--useless", "9995"), 30),
    "100,000 x 50": (100000, ("friedman1", "--useless", "45"), 120),
    "1,000,000 x 20": (1000000, ("friedman1", "--useless", "15"), 300),
}
UNITS = {"B": 1e-6, "kB": 1e-3, "MB": 1.0, "GB": 1e3, "TB": 1e6}


def table(a, shape):
    """The CSV file of a shape, made once; Boston's is its first 405 rows."""
    rows, words, _ = SHAPES[shape]
    file = os.path.join(a.place, "%s.csv" % shape.replace(",", "").replace(" ", ""))
    if words:
        subprocess.run([a.tamis, "generate", *words, "--rows", str(rows), "--seed", "1", "-o", file], check=True)
        return file
    with open(os.path.join(ROOT, "data", "boston.csv")) as f, open(file, "w") as g:
        g.writelines(f.readlines()[:rows + 1])
    return file


def expected(program, file):
    """Memory in MB and seconds on one core that --dry-run prints."""
    out = subprocess.run([program, "select", file, "--dry-run"], capture_output=True, text=True).stdout
    memory = re.search(r"memory: about ([\d.e+]+) (\w+)", out)
    seconds = re.search(r"time: about ([\d.e+]+) s", out)
    return {"expected_mb": float(memory[1]) * UNITS.get(memory[2], 1.0) if memory else None,
            "expected_s": float(seconds[1]) if seconds else None}


def measure(a, file, limit):
    begin = time.time()
    words = ["/usr/bin/time", "-f", "%U %S %M", a.tamis, "select", file, "--json", "--quiet", "--no-evidence"]
    try:
        p = subprocess.run(words, capture_output=True, text=True, timeout=CPU_PER_WALL * limit)
    except subprocess.TimeoutExpired:
        return {"skipped": "more than %d s" % (CPU_PER_WALL * limit)}
    if p.returncode:
        return {"failed": p.stderr.strip()[-300:]}
    user, system, kilobytes = (float(v) for v in p.stderr.strip().rsplit("\n", 1)[-1].split())
    return dict(wall=time.time() - begin, seconds=user + system, mb=kilobytes / 1024, load=os.getloadavg()[0],
                chosen=json.loads(p.stdout)["selected"], **expected(a.tamis, file))


def run(a, shape, limit):
    file = table(a, shape)
    try:
        return measure(a, file, limit)
    finally:
        os.remove(file)


def parts(a):
    for shape in list(SHAPES)[:2] if a.quick else SHAPES:
        for seed in range(a.draws or 1):
            yield Trial("speed", shape, SHAPES[shape][0], seed, None, (), None,
                        alone=lambda shape=shape: run(a, shape, a.limit))
