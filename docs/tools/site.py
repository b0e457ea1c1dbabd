#!/usr/bin/env python3
"""Builds the site: usage site.py path/to/tamis FOLDER. FOLDER/source gets the pages of docs/ and those that are made (the
C library from its header, the command line from its help, Python from its docstrings, notebooks, the project's own files),
FOLDER/html the site. Links between files of the repository become links between pages; a file that is not a page can be
downloaded. The reference of Python needs the package (PYTHONPATH=build/python) with scikit-learn and pandas, and is left
out without; what notebooks print needs nbclient and matplotlib, too."""
import glob, html, os, re, shutil, subprocess, sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
OWN = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md", "SECURITY.md": "security.md",
       "data/README.md": "tables-shipped.md"}
PLACE = {**OWN, "include/tamis.h": "reference/c.md", "README.md": "index.md"}   # file of the repository: page of the site
MADE = {"reference/c", "reference/command-line"}
PACKAGE = "import tamis, tamis._estimators, pandas"            # what the Python reference is made from
LINK = re.compile(r"(!?\[[^]]*\]\()([^)#\s]+)((?:#[^)]*)?\))")
OUTSIDE = re.compile(r"""<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=["']?(?:https?:)?//|url\(["']?(?:https?:)?//
                     |@import\s+["']?(?:https?:)?//""", re.X)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def rewrite(text, origin, page, source):
    """The links of a file of the repository, as they must be on its page of the site."""
    def link(m):
        target = os.path.normpath(os.path.join(os.path.dirname(origin), m[2]))
        if "://" in m[2] or m[2].startswith("mailto:") or not os.path.exists(os.path.join(ROOT, target)):
            return m[0]
        if os.path.isdir(os.path.join(ROOT, target)):
            return m[1].rstrip("(").strip("[]")                         # a folder: its name alone
        if target in PLACE:
            to = PLACE[target]
        elif target.endswith(".ipynb"):
            to = os.path.relpath(target, "docs").replace(".ipynb", ".md")
        elif target.startswith("docs/") and not target.endswith(".py"):
            to = target[len("docs/"):]
        else:
            to = "files/" + target
            os.makedirs(os.path.dirname(os.path.join(source, to)), exist_ok=True)
            shutil.copyfile(os.path.join(ROOT, target), os.path.join(source, to))
        return m[1] + os.path.relpath(to, os.path.dirname(page) or ".") + m[3]
    return LINK.sub(link, text)


def listed(index, pages):
    """The index without entries of pages that do not exist, and with the pages that it does not list in its last list."""
    lists = re.compile(r"(```\{toctree\}\n(?::.*\n)*\n)([^`]*)(```)")
    name = lambda entry: re.sub(r".*<(.*)>", r"\1", entry)
    known = {name(entry) for m in lists.finditer(index) for entry in m[2].split("\n")}
    rest = "".join(page + "\n" for page in sorted(pages - known - {"index"}))
    keep = lambda m: m[1] + "".join(e + "\n" for e in m[2].split("\n") if name(e) in pages) + m[3]
    index = lists.sub(keep, index).rstrip()
    return index[:-len("```")] + rest + "```\n"


def interpreter():
    """The Python that runs Sphinx, and whether it has the package."""
    names = "import sphinx, myst_parser"
    for wanted in (names + "; " + PACKAGE, names):
        for program in (sys.executable, "/usr/bin/python3"):
            if subprocess.run([program, "-c", wanted], capture_output=True).returncode == 0:
                return program, wanted != names
    sys.exit("No module named sphinx or myst_parser; tools/setup docs installs them")


def stage(source, made):
    pages = {os.path.relpath(f, ROOT): os.path.relpath(f, os.path.join(ROOT, "docs"))
             for f in glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)}
    names = {page[:-len(".md")] for page in [*pages.values(), *OWN.values()]} | made
    for origin, page in {**pages, **OWN}.items():
        with open(os.path.join(ROOT, origin), encoding="utf-8") as f:
            text = rewrite(f.read(), origin, page, source)
        write(os.path.join(source, page), listed(text, names) if page == "index.md" else text)
    for name in ("img", "site"):
        shutil.copytree(os.path.join(ROOT, "docs", name), os.path.join(source, name))
    shutil.copy(os.path.join(ROOT, "docs", "conf.py"), source)


def notebooks(source, program):
    """The pages of notebooks, executed."""
    for path in glob.glob(os.path.join(ROOT, "docs", "**", "*.ipynb"), recursive=True):
        page = os.path.join(source, os.path.relpath(path, os.path.join(ROOT, "docs")))
        subprocess.run([program, os.path.join(ROOT, "docs", "tools", "notebook.py"), path,
                        os.path.splitext(page)[0] + ".md"], check=True)


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def command_line(tamis):
    """The help of the program and of every command, whole."""
    top = output(tamis, "--help")
    out = ["# The command line\n", "What `tamis COMMAND --help all` prints; `man tamis` has the same.\n",
           "```text\n%s```\n" % top]
    for command in re.findall(r"^  tamis (\w+)", top, re.M):
        out.append("## tamis %s\n\n```text\n%s```\n" % (command, output(tamis, command, "--help", "all")))
    out.append("## What there is\n\nWhat `tamis methods` prints.\n\n```text\n%s```\n" % output(tamis, "methods"))
    return "\n".join(out)


def from_outside(folder):
    """Pages and styles that would ask another host for something."""
    for f in glob.glob(os.path.join(folder, "**", "*"), recursive=True):
        if f.endswith((".html", ".css")):
            with open(f, encoding="utf-8") as page:
                found = OUTSIDE.search(page.read())
            if found:
                yield "%s: %s" % (os.path.relpath(f, folder), html.unescape(found.group()))


def main(tamis, folder):
    source, pages = os.path.join(folder, "source"), os.path.join(folder, "html")
    program, package = interpreter()
    made = MADE | {os.path.splitext(os.path.relpath(path, os.path.join(ROOT, "docs")))[0]
                   for path in glob.glob(os.path.join(ROOT, "docs", "**", "*.ipynb"), recursive=True)}
    shutil.rmtree(folder, ignore_errors=True)
    stage(source, made | {"reference/python"} if package else made)
    notebooks(source, program)
    if package:
        write(os.path.join(source, "reference", "python.md"),
              output(program, os.path.join(ROOT, "docs", "tools", "python.py")))
    header = os.path.join(ROOT, "docs", "tools", "header.py")
    write(os.path.join(source, "reference", "c.md"), output(sys.executable, header))
    write(os.path.join(source, "reference", "command-line.md"), command_line(os.path.abspath(tamis)))
    version = output(tamis, "--version").split()[1]
    status = subprocess.run([program, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-D",
                             "version=" + version, "-D", "release=" + version, "-d", os.path.join(folder, "doctrees"),
                             source, pages]).returncode
    asked = list(from_outside(pages))
    if asked:
        sys.exit("the site asks other hosts: " + "; ".join(asked))
    return status


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
