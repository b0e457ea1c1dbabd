"""Makes the seeds that the program itself writes: models of every kind, checkpoints, trials, parts, models as JSON. Run it
when a format changes. usage: seeds.py path/to/tamis"""
import os, struct, subprocess, sys, tempfile

TAMIS, SEEDS = os.path.abspath(sys.argv[1]), os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeds")
HEAD, TAIL = 23, 8                      # of a packed file, around its fields
METHODS = {                             # one for every kind of model
    "rbf": "--method sisal --sigma2 20",
    "linear": "--method lars --target y,x5 --lags 1:2 --impute knn --impute-neighbors 2",
    "elm": "--method opelm --select none --neurons lsg --max-neurons 4 --impute median",
    "terms": "--method sift",
    "lssvm": "--method lssvm",
    "rrkrr": "--method rrkrr",
    "sparse": "--method sparse-rbf --r 8 --t 0.5",
    "knn": "--method search --criterion knn",
    "delta": "--method search --criterion delta",
    "fei": "--method fei --starts 1 --hidden 3",
    "mixture": "--method rjmcmc --samples 20 --burn-in 5 --chains 1",
}
CLASSES = "fei", "mixture"


def write(target, name, *parts):
    os.makedirs(os.path.join(SEEDS, target), exist_ok=True)
    with open(os.path.join(SEEDS, target, name), "wb") as f:
        f.write(b"".join(parts))


def run(*words):
    return subprocess.run([TAMIS, *words], capture_output=True, check=True).stdout


def table(name, classes):
    with open(name, "w") as f:
        f.write("x1,x2,x3,x4,x5,a,y\n")
        for i in range(20):
            row = [(i * k * k + k) % 7 / 2 for k in range(1, 6)]
            y = "ab"[row[0] + row[1] > 3] if classes else row[0] * row[1] + row[2]
            f.write(",".join(map(str, row)) + ",%s,%s\n" % ("uvw"[i % 3], y))


def models():
    for name, words in METHODS.items():
        data = "c.csv" if name in CLASSES else "r.csv"
        try:
            run("select", data, "--quiet", "--model", "m", *words.split())
        except subprocess.CalledProcessError as e:
            print("%s: %s" % (name, e.stderr.decode().strip()))
            continue
        whole = open("m", "rb").read()
        write("model", name, whole[11:12], whole[HEAD:-TAIL])
        write("model_json", name + ".json", run("export", "m", "--to", "json"))
    write("model", "whole", b"\0", whole)


def checkpoints():
    for search, method in enumerate(("sisal --sigma2 20", "forward")):
        run("select", "r.csv", "--quiet", "--checkpoint", "k", "--method", *method.split())
        whole = open("k", "rb").read()
        write("checkpoint", method.split()[0], bytes([2 * whole[11] + search]), whole[HEAD + 8:-TAIL])
        os.remove("k")


def trials():
    def trial(held):
        known = b"".join(struct.pack("<Qd", 1, x) for x in (.5, .25, .5, .125, 2))
        return struct.pack("<Q", 1) + known + struct.pack("<QQQQQ%dd" % held, 1, 0, 1, 1, held, *[.5] * held)
    write("trials", "two", b"\1" + struct.pack("<Q", 2) + trial(2) + trial(1))


PARTS = (                               # the runs of part.c
    "0 --method lars --outer 3",
    "0 --fdr 0.3 --fdr-draws 2",
    "1 --method rjmcmc --samples 80 --burn-in 70 --chains 2",
    "0 --method sparse-rbf --r 2:6:2 --t 0.2:1:2 --folds 2",
    "0 --method lssvm --sigma2 1:50:3 --gamma 1:50:2 --folds 2",
)


def parts():
    """What the reader of parts reads, and the fields of the first item, which has a header of its own."""
    for classes in (0, 1):
        with open(str(classes), "w") as f:
            f.write("x1,x2,x3,y\n")
            for i in range(14):
                y = "c%d" % (i * 5 % 14 > 6) if classes else "%d" % (i * 5 % 14 + i % 3)
                f.write("%g,%g,%g,%s\n" % (i * 5 % 14 / 2, i * i * 3 % 17 / 3, i * 11 % 13 / 4, y))
    for which, words in enumerate(PARTS):
        run("select", *words.split(), "--no-evidence", "--shard", "1/1", "-o", "p")
        whole = open("p", "rb").read()
        at = whole.index(b"TAMIS\r\nITEM")
        length = struct.unpack("<Q", whole[at + HEAD - 8:at + HEAD])[0]
        if len(whole) < 16384:
            write("part", "part%d" % which, bytes([2 * whole[11]]), whole[HEAD:-TAIL])
        write("part", "item%d" % which, bytes([2 * which + 1, 0]), whole[at + HEAD:at + HEAD + length])


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    table("r.csv", False)
    table("c.csv", True)
    models()
    checkpoints()
    trials()
    parts()
