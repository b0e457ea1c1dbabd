#!/usr/bin/env python3
"""Every command of the README, the tutorials and the FAQ is run, and prints what the page shows; links lead somewhere; the
site builds. usage: docs.py path/to/tamis [name...]"""
import difflib, glob, os, re, shutil, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import console
from harness import ROOT, TAMIS, Skip, good, main, table

PAGES = ["README.md", "docs/index.md", "docs/faq.md",
         *sorted(os.path.relpath(f, ROOT) for f in glob.glob(os.path.join(ROOT, "docs", "tutorials", "*.md")))]
OTHER = ["CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/*.md", "docs/methods/*.md"]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read()


def page(name):
    def check():
        text = read(name)
        now = console.run_page(text, os.getcwd(), TAMIS)
        changes = difflib.unified_diff(text.splitlines(), now.splitlines(), name, "what is printed", lineterm="", n=1)
        assert now == text, "\n" + "\n".join(changes) + "\nafter a look: python3 tests/lib/console.py build/tamis " + name
        for figure, made in console.figures(os.path.join(ROOT, name), text, os.getcwd()):
            assert console.same_figure(figure, made), "%s differs from what the commands of %s draw" % (figure, name)
    return check


for _name in PAGES:
    globals()["check_" + re.sub(r"\W", "_", _name)] = page(_name)


def check_use():
    """The list of commands under "Use" in the README, in its order, on a small table."""
    good("generate", "friedman1", "--rows", "150", "-o", "data.csv")
    shutil.copy("data.csv", "new.csv")
    lines = re.findall(r"^    (tamis .*?)(?:\s+#.*)?$", read("README.md").split("\n## Use\n")[1], re.M)
    assert len(lines) >= 10, lines
    env = dict(os.environ, PATH=os.path.dirname(TAMIS) + ":" + os.environ["PATH"])
    for line in lines:
        p = subprocess.run(["sh", "-c", line], env=env, capture_output=True, text=True, timeout=300)
        assert p.returncode == 0, (line, p.stderr)


def check_links():
    pages = PAGES + [os.path.relpath(f, ROOT) for o in OTHER for f in glob.glob(os.path.join(ROOT, o))]
    dead = []
    for name in sorted(set(pages)):
        for target in LINK.findall(CODE.sub("", read(name))):
            place = os.path.join(ROOT, os.path.dirname(name), target)
            if "://" not in target and not target.startswith("mailto:") and not os.path.exists(place):
                dead.append("%s: %s" % (name, target))
    assert not dead, "links to nowhere: " + "; ".join(dead)


def check_reference():
    """The reference of the library has every exported symbol, with a declaration."""
    out = subprocess.run([sys.executable, os.path.join(ROOT, "docs", "tools", "header.py")], capture_output=True, text=True)
    symbols = re.findall(r"\b(tamis_\w+);", read("include/tamis.map"))
    lost = [s for s in symbols if not re.search(r"^[^/]*\b%s\(" % s, out.stdout, re.M)]
    assert out.returncode == 0 and len(symbols) > 50 and not lost, (out.stderr, lost)


def check_citation():
    version = re.search(r"version: '([^']+)'", read("meson.build")).group(1)
    cited = re.search(r'^version: "?([^"\n]+)', read("CITATION.cff"), re.M).group(1)
    assert cited == version, "CITATION.cff has version %s, meson.build %s" % (cited, version)


def check_site():
    """The site builds without a warning and asks nothing of other hosts."""
    if not shutil.which("sphinx-build"):
        raise Skip("sphinx-build is missing (tools/setup docs installs it)")
    p = subprocess.run([os.path.join(ROOT, "docs", "tools", "site.py"), TAMIS, "site"], capture_output=True, text=True)
    if "No module named" in p.stderr or "no theme named" in p.stderr:
        raise Skip("a package of the site is missing (tools/setup docs installs it)")
    assert p.returncode == 0, p.stderr
    assert os.path.exists("site/html/index.html") and os.path.exists("site/html/reference/c.html")


sys.exit(main(globals()))
