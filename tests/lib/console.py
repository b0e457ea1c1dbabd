#!/usr/bin/env python3
"""Commands in Markdown pages, and what they print. A block that begins with ```console holds commands after "$ " (a line
that ends with a backslash goes on in the next one), each followed by what it prints, notes and errors included. The commands
of a page run in one folder, in order, with `data` and `docs` of the repository and `tamis` at hand. What is shown must be
what is printed, but for

    in 1.0 s    the seconds that a run took: any number
    word ...    at the end of a line: any rest of the line

usage: console.py path/to/tamis PAGE.md...   runs the pages, and writes into them what their commands print, and the
figures in docs/img that they make"""
import os, re, shutil, subprocess, sys, tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
SECONDS = re.compile(r"\bin \d+(\.\d+)? s\b")
FIGURE = re.compile(r"!\[[^]]*\]\(([^)]*img/([^)/]+))\)")
NUMBER = re.compile(r"-?\d+\.?\d*")


def commands(block):
    """[command, lines shown] of a block."""
    found, lines = [], iter(block.splitlines())
    for line in lines:
        if line.startswith("$ "):
            while line.endswith("\\"):
                line += "\n" + next(lines)
            found.append([line, []])
        else:
            found[-1][1].append(line)
    return found


def same_line(shown, printed):
    shown, printed = (SECONDS.sub("in _ s", x) for x in (shown, printed))
    return shown == printed or shown.endswith(" ...") and printed.startswith(shown[:-3])


def prints(command, folder, shown):
    """The lines that a command prints, each as it is shown where that is the same."""
    bin = os.path.join(folder, ".bin")
    env = dict(os.environ, PATH=bin + ":" + os.environ["PATH"], LC_ALL="C.UTF-8", NO_COLOR="1")
    p = subprocess.run(["sh", "-c", command[2:]], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    printed = [line.rstrip() for line in p.stdout.decode("utf-8", "replace").rstrip().splitlines()]
    shown = shown + [""] * (len(printed) - len(shown))
    return [s if same_line(s, p) else p for s, p in zip(shown, printed)]


def prepare(folder, tamis):
    for name in ("data", "docs"):
        os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    os.mkdir(os.path.join(folder, ".bin"))
    os.symlink(os.path.abspath(tamis), os.path.join(folder, ".bin", "tamis"))


def run_page(text, folder, tamis):
    """The text with what its commands print now, which have been run in the folder."""
    prepare(folder, tamis)

    def block(match):
        lines = []
        for command, shown in commands(match.group(1)):
            blank = [""] if shown and not shown[-1] else []             # between this command and the next one
            lines += [command, *prints(command, folder, shown[:len(shown) - len(blank)]), *blank]
        return "```console\n" + "".join(line + "\n" for line in lines) + "```"
    return BLOCK.sub(block, text)


def figures(page, text, folder):
    """(figure of the page, the one that its commands made) for every figure that they make."""
    for path, name in FIGURE.findall(text):
        made = os.path.join(folder, name)
        if os.path.exists(made):
            yield os.path.normpath(os.path.join(os.path.dirname(page), path)), made


def same_figure(a, b):
    """The same drawing, but for a point of a pixel here and there."""
    texts = [open(f, encoding="utf-8").read() if os.path.exists(f) else "" for f in (a, b)]
    numbers = [[float(x) for x in NUMBER.findall(text)] for text in texts]
    return (NUMBER.sub("#", texts[0]) == NUMBER.sub("#", texts[1])
            and all(abs(x - y) <= 0.2 + 1e-3 * abs(x) for x, y in zip(*numbers)))


def refresh(page, tamis):
    with open(page, encoding="utf-8") as f:
        text = f.read()
    with tempfile.TemporaryDirectory() as folder:
        now = run_page(text, folder, tamis)
        for figure, made in figures(page, text, folder):
            if not same_figure(figure, made):
                os.makedirs(os.path.dirname(figure), exist_ok=True)
                shutil.copyfile(made, figure)
                print("%s: written" % os.path.relpath(figure, ROOT))
    if now != text:
        with open(page, "w", encoding="utf-8") as f:
            f.write(now)
        print("%s: written" % page)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    for name in sys.argv[2:]:
        refresh(os.path.abspath(name), sys.argv[1])
