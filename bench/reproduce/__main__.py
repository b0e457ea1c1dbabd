"""Every table and figure of the five papers, with the command line.
usage: python3 bench/reproduce [--data FOLDER] [--jobs N] [PAPER...]
PAPER: sisal fei opelm rjmcmc sparse (default: all)
Writes docs/reproduction.md (if all papers run) and build/reproduce/index.html. Runs are cached under
build/reproduce/cache: a second call, or one after a stop, reuses them."""
import argparse, importlib, os, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import page
from lab import ROOT, Lab

PAPERS = ("sisal", "fei", "opelm", "rjmcmc", "sparse")


def collect(lab, modules):
    """Papers are generators: what one submits runs while the others submit; an empty yield is where one would wait."""
    going, items = [(m, m.paper(lab)) for m in modules], {m: [] for m in modules}
    while going:
        left = []
        for m, steps in going:
            for item in steps:
                if item is None:
                    left.append((m, steps))
                    break
                items[m].append(item)
        going = left
    return [(m, items[m]) for m in modules]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("papers", nargs="*", choices=[*PAPERS, []], default=[])
    p.add_argument("--data", help="folder with the papers' tables that are not in data/ (default: none)")
    p.add_argument("--jobs", type=int, default=2)
    a = p.parse_args()
    lab = Lab(a.data, a.jobs)
    papers = collect(lab, [importlib.import_module(n) for n in PAPERS if not a.papers or n in a.papers])
    lab.pool.shutdown()
    with open(os.path.join(lab.place, "index.html"), "w") as f:
        f.write(page.html(papers, lab))
    written = os.path.join("build", "reproduce", "part.md") if a.papers else os.path.join("docs", "reproduction.md")
    with open(os.path.join(ROOT, written), "w") as f:
        f.write(page.markdown(papers, lab))
    print("\nreproduce: %d of %d runs were new, %.1f minutes of processor time"
          % (lab.ran, lab.asked, lab.processor_minutes()), file=sys.stderr)
    for m, items in papers:
        print("%-8s %s" % (m.__name__, page.summary(page.count(items))))
    print("%s and %s" % (os.path.join("build", "reproduce", "index.html"), written))


main()
