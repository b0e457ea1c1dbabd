#!/usr/bin/env python3
"""Options of the commands: each one that a command takes changes what it does; any other is an error.
usage: options.py path/to/tamis [name...]"""
import json, os, re, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import bad, good, main, run, table

COMMANDS = "select compare predict describe clean generate export report methods".split()
ROWS = [(i * 7 % 23, i * 5 % 17, i * 3 % 4) for i in range(40)]


def options(command):
    """Names of the options that the command's help lists."""
    found = re.findall(r"^ +(?:-o, )?--([a-z0-9-]+)", good(command, "--help", "all"), re.M)
    return {name[3:] if name.startswith("no-") else name for name in found} - {"help"}


def files():
    table("id,a,b,c,y\n" + "".join("r%d,%d,%d,%d,%d\n" % (i, a, b, c, 3 * a - b + c) for i, (a, b, c) in enumerate(ROWS)),
          "t.csv")
    table("a,b,c,y\n" + "".join("%d,%s,%d,%d\n" % (a, "" if i % 9 == 4 else b, c, a - b)
                                for i, (a, b, c) in enumerate(ROWS)), "gaps.csv")
    table(open("t.csv").read().replace("\nr3,", "\nr3,-9", 1), "odd.csv")
    good("select", "t.csv", "--method", "lars", "--quiet", "--model", "m", "-o", "r.json")


def says(*args):
    """All that a command gives back: the code, both outputs, and the files that it writes."""
    before = set(os.listdir("."))
    code, out, err = run(*args)
    made = {}
    for name in sorted(set(os.listdir(".")) - before):
        made[name] = open(name, "rb").read()
        os.remove(name)
    return code, out, err, made


# What shows that an option is used: a run, and what is added to it. Tables that need their own are last in the list.
SEPARATED = "a|b|y\n" + "".join("%d|%d|%d\n" % r for r in ROWS)
READING = {
    "missing": (["t.csv"], "7"),
    "delimiter": (["piped.csv"], ","),
    "decimal": (["comma.csv"], "."),
    "skip": (["t.csv"], "3"),
    "units": (["units.csv"], "no"),
    "censored": (["limit.csv"], "half"),
    "query": (["t.csv"], "select 1"),       # an error: not a file of that type
    "sheet": (["t.csv"], "S"),
    "variables": (["t.csv"], "X"),
    "header": (["t.csv"], None),
    "categorical": (["mixed.csv"], "k"),
    "numeric": (["codes.csv"], "k"),
}


def reading_files():
    table(SEPARATED, "piped.csv")
    table("a;b;y\n" + "".join("%d,5;%d,25;%d\n" % r for r in ROWS), "comma.csv")
    table("a,b,y\nm,kg,s\n" + "".join("%d,%d,%d\n" % r for r in ROWS), "units.csv")
    table("a,b,y\n" + "".join("%s,%d,%d\n" % ("<5" if i == 3 else a, b, c) for i, (a, b, c) in enumerate(ROWS)), "limit.csv")
    table("k,a,y\n" + "".join("%03d,%d,%d\n" % r for r in ROWS), "codes.csv")
    table("k,a,y\n" + "".join("%s,%d,%d\n" % ("x" if i == 5 else k, a, b) for i, (k, a, b) in enumerate(ROWS)), "mixed.csv")


def check_other_options_are_errors():
    files()
    every = set().union(*(options(c) for c in COMMANDS))
    words = {"predict": ["m", "t.csv"], "export": ["m"], "report": ["r.json"], "generate": ["add10"], "methods": []}
    for command in COMMANDS:
        for name in sorted(every - options(command)):
            if name in ("holdout", "bootstrap", "method", "test-inputs", "test-draws") and command == "compare":
                continue                    # these are errors of the library, with the reason
            bad(2, "unknown option --%s" % name, command, *words.get(command, ["t.csv"]), "--" + name, "1")


def check_every_option_is_used():
    """In the commands that do not hand them to a method, which checks its own."""
    files()
    reading_files()
    table("a,b,y\n" + "".join("%d,%d,%d\n" % (a, b, 3 * a - b) for a, b, c in ROWS), "line.csv")
    good("select", "line.csv", "--method", "lars", "--quiet", "--model", "m2")
    own = {
        "describe": dict(READING, json=(["t.csv"], None), target=(["t.csv"], "a"), inputs=(["t.csv"], "a"),
                         ignore=(["t.csv"], "a"), keep=(["t.csv"], "id"), groups=(["t.csv"], "c"), **{"row-weights": (["t.csv"], "b")}),
        "clean": dict({k: (w + ["-o", "c.csv"], v) for k, (w, v) in READING.items()}, json=(["gaps.csv"], None), target=(["gaps.csv"], "b"), output=(["gaps.csv"], "o.csv"),
                      **{"min-rows": (["gaps.csv"], "41"), "samples-per-step": (["gaps.csv"], "40")}),
        "generate": {"rows": (["add10"], "7"), "seed": (["add10"], "9"), "useless": (["add10"], "12"),
                     "noise": (["add10"], "3"), "output": (["add10"], "o.csv")},
        "export": {"to": (["m"], "c"), "name": (["m", "--to", "c"], "f"), "output": (["m"], "o.c")},
        "report": {"plot": (["r.json"], "p.svg"), "plot-what": (["r.json", "--plot", "p.svg"], "path"),
                   "label": (["r.json"], "a=Alpha"), "output": (["r.json"], "o.html")},
        "methods": {"json": ([], None)},
        "predict": {"missing": (["m", "t.csv"], "7"), "delimiter": (["m", "t.csv"], "|"), "skip": (["m", "t.csv"], "3"),
                    "decimal": (["m2", "comma.csv"], "."), "units": (["m2", "units.csv"], "no"),
                    "censored": (["m2", "limit.csv"], "half"), "query": (["m", "t.csv"], "select 1"),
                    "sheet": (["m", "t.csv"], "S"), "interval": (["m2", "t.csv"], "0.5"),
                    "variables": (["m", "t.csv"], "X"), "header": (["m", "t.csv"], None), "carry": (["m", "t.csv"], "id"),
                    "format": (["m", "t.csv"], "npy"), "output": (["m", "t.csv"], "o.csv")},
    }
    neutral = {"quiet", "progress", "threads", "memory", "verbose"}         # seen on a terminal, or in time alone
    ignored = []
    for command, rows in own.items():
        listed = options(command) - neutral
        assert listed <= set(rows) | {"dates"}, (command, listed - set(rows))
        for name, (words, value) in rows.items():
            if name not in listed:
                continue
            added = ["--no-header"] if name == "header" else ["--" + name] + ([value] if value is not None else [])
            if says(command, *words) == says(command, *words, *added):
                ignored.append((command, name))
    assert not ignored, ignored


def check_figures_that_cannot_be_are_known_before_the_run():
    files()
    for what, says_so, words in (
            ("pth", "did you mean 'path'", ["select", "t.csv"]),
            ("methods", "a figure of 'tamis compare'", ["select", "t.csv"]),
            ("path", "a figure of 'tamis select'", ["compare", "t.csv"]), ("lags", "add --lags", ["select", "t.csv"]),
            ("time", "add --lags", ["select", "t.csv"]), ("fit", "--no-evidence", ["select", "t.csv", "--no-evidence"])):
        bad(2, says_so, *words, "--plot", "p.svg", "--plot-what", what, "-o", "o.json")
        assert not os.path.exists("o.json"), what


def check_progress_only_where_there_is_some():
    for command in ("export", "generate", "report", "methods"):
        assert "progress" not in options(command), command


sys.exit(main(globals()))
