"""Every table and figure of the five papers, with the command line.
usage: python3 bench/reproduce [--data FOLDER] [--jobs N] [PAPER...] [--shard I/N -o PART | --merge PART...]
PAPER: sisal fei opelm rjmcmc sparse (default: all)
Writes docs/reproduction.md (if all papers run) and build/reproduce/index.html. Runs are cached under
build/reproduce/cache: a second call, or one after a stop, reuses them. With --shard, only part I of N of the runs, into
the file PART; --merge takes the runs from all parts and does the rest (docs/cluster.md)."""
import argparse, importlib, os, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import page, parts
from lab import ROOT, Lab

PAPERS = ("sisal", "fei", "opelm", "rjmcmc", "sparse")


def collect(lab, modules):
    """Papers are generators: what one submits runs while the others submit; an empty yield is where one would wait."""
    going, items = [(m, m.paper(lab)) for m in modules], {m: [] for m in modules}
    while going:
        left = []
        for m, steps in going:
            try:
                for item in steps:
                    if item is None:
                        left.append((m, steps))
                        break
                    items[m].append(item)
            except parts.Elsewhere:     # the rest needs what other parts compute
                pass
        going = left
    return [(m, items[m]) for m in modules]


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("papers", nargs="*", choices=[*PAPERS, []], default=[])
    p.add_argument("--data", help="folder with the papers' tables that are not in data/ (default: none)")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--shard", metavar="I/N", help="only part I of N of the runs")
    p.add_argument("-o", metavar="PART", help="where --shard writes the part")
    p.add_argument("--merge", metavar="PART", nargs="+", default=[], help="all parts")
    a = p.parse_args()
    if (a.shard is None) != (a.o is None) or (a.shard and a.merge):
        p.error("--shard I/N goes with -o PART, and not with --merge")
    return a


def write(a, lab, papers):
    with open(os.path.join(lab.place, "index.html"), "w") as f:
        f.write(page.html(papers, lab))
    written = os.path.join("build", "reproduce", "part.md") if a.papers else os.path.join("docs", "reproduction.md")
    with open(os.path.join(ROOT, written), "w") as f:
        f.write(page.markdown(papers, lab))
    for m, items in papers:
        print("%-8s %s" % (m.__name__, page.summary(page.count(items))))
    print("%s and %s" % (os.path.join("build", "reproduce", "index.html"), written))


def main():
    a = arguments()
    lab = Lab(a.data, a.jobs, a.shard and parts.share(a.shard))
    parts.join(lab, a.merge)
    papers = collect(lab, [importlib.import_module(n) for n in PAPERS if not a.papers or n in a.papers])
    lab.pool.shutdown()
    print("\nreproduce: %d of %d runs were new, %.1f minutes of processor time"
          % (lab.ran, lab.asked, lab.processor_minutes()), file=sys.stderr)
    if a.shard:
        parts.write(lab, a.o)
    else:
        write(a, lab, papers)


if __name__ == "__main__":
    try:
        main()
    except parts.Problem as problem:
        sys.exit("reproduce: %s" % problem)
