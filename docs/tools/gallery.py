#!/usr/bin/env python3
"""Draws the pictures of docs/gallery.md: usage PYTHONPATH=build/python gallery.py [FOLDER]. Each block of Python is followed
by the picture that it draws: its variable `ax`, axes of matplotlib or an array of them, or `svg`, text. Without FOLDER they
go where the page has them."""
import os, re, sys, warnings

import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGE = os.path.join(ROOT, "docs", "gallery.md")
BLOCK = re.compile(r"^```python\n(.*?)^```\n\n!\[[^]]+\]\(img/(gallery-[\w-]+\.svg)\)$", re.M | re.S)
# Small and the same every time: text remains text, and no date.
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "tamis", "font.family": "sans-serif", "figure.figsize": (6, 3.6),
         "axes.spines.top": False, "axes.spines.right": False, "figure.constrained_layout.use": True}


def blocks():
    """(code, name of its picture) of every block of the page."""
    with open(PAGE, encoding="utf-8") as f:
        text = f.read()
    found = BLOCK.findall(text)
    if len(found) != text.count("```python"):
        sys.exit("gallery.py: a block of docs/gallery.md has no picture")
    return found


def draw(code, path):
    """Runs a block in the folder of the repository, and saves what it draws."""
    names = {}
    before = os.getcwd()
    os.chdir(ROOT)
    try:
        with plt.rc_context(STYLE), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)                # notes of the runs
            exec(compile(code, os.path.basename(path), "exec"), names)
            if "svg" in names:
                with open(path, "w", encoding="utf-8") as f:
                    f.write(names["svg"])
                return
            figure = (names["ax"].flat[0] if hasattr(names["ax"], "flat") else names["ax"]).figure
            figure.savefig(path, metadata={"Date": None, "Creator": None})
    finally:
        plt.close("all")
        os.chdir(before)


def main(folder):
    for code, name in blocks():
        draw(code, os.path.join(os.path.abspath(folder), name))


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else os.path.join(ROOT, "docs", "img"))
