"""One rival on one table, in a process of its own: worker.py RIVAL TABLE.npz. The last line is JSON: the chosen inputs,
test errors, processor time without imports; or why the rival does not take the table."""
import json, os, resource, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import importlib

import contenders
import tables


def used():
    a, b = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return a.ru_utime + a.ru_stime + b.ru_utime + b.ru_stime


def main():
    function, _, modules = contenders.RIVALS[sys.argv[1]]
    try:
        for name in modules:
            importlib.import_module(name)
    except ImportError as e:
        print(json.dumps({"missing": str(e)}))
        return
    t = tables.load(sys.argv[2])
    begin = used()
    try:
        chosen, *guesses = function(contenders.Data(t))
    except NotImplementedError as e:
        print(json.dumps({"skipped": str(e)}))
        return
    errors = dict(zip(("error", "error_all"), (tables.test_error(t, g) for g in guesses)))
    print(json.dumps(dict(chosen=[int(k) for k in chosen], seconds=used() - begin, **errors)))


main()
