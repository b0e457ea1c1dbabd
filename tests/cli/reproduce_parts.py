#!/usr/bin/env python3
"""`bench/reproduce` in parts: a paper of a few runs, in one process and in three. usage: reproduce_parts.py path/to/tamis"""
import importlib.util, json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, TAMIS, main

BENCH = os.path.join(ROOT, "bench")
sys.path[:0] = [os.path.join(BENCH, "reproduce"), BENCH]
import files
files.TAMIS = TAMIS
import lab as labs, parts
_spec = importlib.util.spec_from_file_location("reproduce_main", os.path.join(BENCH, "reproduce", "__main__.py"))
program = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(program)


def paper(lab):
    """Six runs, and one that depends on the first of them."""
    runs = [lab.select(lab.generate("friedman1", 40, s), "--method", "lars") for s in range(1, 7)]
    yield
    best = runs[0].result()["selected"]
    last = lab.select(lab.generate("friedman1", 40, 1), "--method", "lars", "--inputs", ",".join(best))
    yield
    yield [r.result()["selected"] for r in runs] + [last.result()["selected"]]


def collected(place, share=None, merge=()):
    lab = labs.Lab(None, 2, share, os.path.join(os.getcwd(), place))
    parts.join(lab, merge)
    (_, items), = program.collect(lab, [sys.modules[__name__]])
    lab.pool.shutdown()
    return lab, items


def parts_of(count):
    for k in range(1, count + 1):
        lab, _ = collected("place%d" % k, parts.share("%d/%d" % (k, count)))
        parts.write(lab, "part%d" % k)
    return ["part%d" % k for k in range(1, count + 1)]


def problem(merge):
    try:
        collected("other", merge=merge)
    except parts.Problem as p:
        return str(p)
    raise AssertionError("%s were joined" % merge)


def check_parts_give_the_same_items():
    _, want = collected("one")
    names = parts_of(3)
    runs = [len(json.load(open(n))["runs"]) for n in names]
    assert sum(runs) in (6, 7), runs         # the last run belongs to the part of the first, or to none
    lab, items = collected("joined", merge=names[::-1])
    assert items == want and len(want) == 1 and lab.asked == 7 and lab.ran == 7 - sum(runs), (items, lab.asked, lab.ran)


def check_wrong_parts_are_named():
    a, b, c = parts_of(3)
    assert problem([a, c]) == "part 2 of 3 missing; give all parts"
    assert problem([a, b, b]).startswith("part2: part 2 of 3, which does not go with")
    part = json.load(open(b))
    with open("foreign", "w") as f:
        json.dump(dict(part, program="another"), f)
    assert "foreign: computed with another program" in problem([a, "foreign", c])
    with open("kernels", "w") as f:
        json.dump(dict(part, kernels="BLAS: other"), f)
    assert "kernels: computed with other kernels (BLAS: other)" in problem([a, "kernels", c])
    with open("cut", "w") as f:
        f.write(json.dumps(part)[:-20])
    assert "cut: not a part, or cut short" in problem([a, "cut", c])
    for text in ("0/3", "4/3", "1", "a/b"):
        try:
            parts.share(text)
            raise AssertionError(text)
        except parts.Problem:
            pass


if __name__ == "__main__":
    sys.exit(main(globals()))
