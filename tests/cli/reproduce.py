#!/usr/bin/env python3
"""The rules and the pages of make reproduce, without its runs. usage: reproduce.py path/to/tamis [name...]"""
import os, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, TAMIS, Skip, main

PACKAGE = os.path.join(ROOT, "bench", "reproduce")
sys.dont_write_bytecode = True
sys.path.insert(0, PACKAGE)
import attribute, svg, verdict
from verdict import DIFFERS, MET, NO_DATA, WITHIN, Cell, Row


def check_cells():
    for paper, ours, better, want in (("0.170", [0.1698], "", MET), ("0.170", [0.171], "", DIFFERS),
                                      ("0.170", [0.15], "low", MET), ("0.170", [0.15], "", DIFFERS),
                                      ("78.9", [80.1], "high", MET), ("0.170", [0.16, 0.19], "", WITHIN),
                                      ("0.170", [0.171, 0.172, 0.173], "low", WITHIN),
                                      ("0.170", [0.30, 0.31, 0.32], "low", DIFFERS), ("5", [5, 5, 5], "", MET),
                                      ("5", [4, 8], "", WITHIN),
                                      ("5", [7, 7], "", DIFFERS), ("0.004", [0.0042], "low", MET), ("", [3], "", MET)):
        assert Cell("x", paper, ours, better).verdict() == want, (paper, ours, better)


def check_rows():
    good, bad = Cell("first", "1", [1]), Cell("second", "1", [2])
    assert Row("r", [good, good], "why").verdict() == MET and Row("r", [good], "why").reason() == ""
    r = Row("r", [good, bad], "because")
    assert r.verdict() == DIFFERS and r.reason().endswith("second: because")
    assert r.paper() == "1 / 1" and r.ours() == "1 / 2"
    n = verdict.no_data("r", [("a", "1")], "gone")
    assert n.verdict() == NO_DATA and n.ours() == "–" and n.reason() == "gone"


def check_what_the_papers_settings_explain():
    ours, paper = Cell("inputs", "9", [12, 13, 14]), Cell("inputs", "9", [9, 10, 11])
    assert attribute.closed(paper, ours) == 0.75
    r = Row("r", [ours], "folds", published=[paper])
    assert r.verdict_published() == WITHIN and r.verdict() == DIFFERS and r.as_published() == "9-11"
    assert r.reason() == ("inputs: the paper's settings close 75 % of the gap; as published, the paper's number is 1.0 "
                          "sd from the mean, above 17 % of 3 splits; folds"), r.reason()
    assert Row("r", [ours], "").verdict_published() == "" and Row("r", [ours], "").as_published() == "–"
    wider = Row("r", [Cell("x", "9", [10, 11])], "", published=[Cell("x", "9", [12, 12])])
    assert "widen the gap by 100 %" in wider.reason() and "not the value that all 2 splits have" in wider.reason()
    assert Row("r", [Cell("x", "9", [9, 9])], "", published=[Cell("x", "9", [7, 7])]).reason() == ""     # met


def check_pictures():
    p = svg.Panel("a <b>", "x", "y").points([1, 2], [3, 4]).line([1, 2], [3, 3]).bars([1, 2], [0, -2]).mark(1.5)
    f = svg.Panel("field").field([0, 1], [0, 1], [[1, None], [2, 3]])
    text = svg.picture(p, f, svg.Panel("one").points([1], [1]))
    assert text.count("<svg") == 1 and "a &lt;b&gt;" in text and "nan" not in text
    assert svg.ticks(0, 1) == [0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]


def check_pages_without_data():
    if not os.path.exists(os.path.join(ROOT, "build", "libtamis.so")):
        raise Skip("no build/ in the source tree")
    p = subprocess.run([sys.executable, "-B", PACKAGE, "opelm", "--data", "/nonexistent"], capture_output=True,
                       text=True)
    assert p.returncode == 0 and "42 no data" in p.stdout, (p.stdout, p.stderr)


sys.exit(main(globals()))
