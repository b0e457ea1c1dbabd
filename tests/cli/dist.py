"""The source tarball: complete, without leftovers, the same bytes again, and of one version everywhere."""
import os, re, subprocess, sys, tarfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import *


def made(root, folder):
    command = [os.path.join(root, "tools", "dist"), os.path.abspath(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    path = done.stdout.strip()
    with open(path, "rb") as f:
        return path, f.read()


def check_tarball_is_complete_and_makes_itself_again():
    path, first = made(ROOT, "first")
    with tarfile.open(path) as t:
        names = t.getnames()
        t.extractall("unpacked")
    name = "tamis-" + good("--version").split()[1]
    inside = {n[len(name) + 1:] for n in names}
    assert all(n.startswith(name + "/") for n in names), names[:3]
    for needed in ("LICENSE", "Makefile", "README.md", "include/tamis.h", "debian/control", "data/boston.csv",
                   "docs/index.md", "python/core/module.c", "r/tamis/DESCRIPTION", "schema/result.schema.json",
                   "tools/setup"):
        assert needed in inside, needed
    sources = re.compile(r"'([^']+\.[ch])'")
    for folder, _, files in os.walk(os.path.join(ROOT, "src")):         # what meson.build files name is there
        if "meson.build" in files:
            at = os.path.relpath(folder, ROOT)
            for file in sources.findall(open(os.path.join(folder, "meson.build")).read()):
                assert os.path.normpath(os.path.join(at, file)) in inside, (at, file)
    assert not [n for n in inside if re.match(r"\.git|build|.*(\.pyc|\.o|~)$", n)]
    if os.path.exists(os.path.join(ROOT, ".git")):
        assert made(ROOT, "second")[1] == first
    assert made(os.path.join("unpacked", name), "third")[1] == first    # without git


WRONG = [                       # file, what is changed in it, into what, what is said
    ("CITATION.cff", 'version: "', 'version: "9', "CITATION.cff is not of version"),
    ("r/tamis/DESCRIPTION", "Version: ", "Version: 9", "DESCRIPTION is not of version"),
    ("debian/changelog", "tamis (", "tamis (9", "debian/changelog is not of version"),
    ("CHANGELOG.md", "## ", "## 9", "CHANGELOG.md is not of version"),
    ("CITATION.cff", 'released: "2', 'released: "3', "the date of CITATION.cff is not that of CHANGELOG.md"),
    ("debian/changelog", "Nov 2026", "Nov 2025", "the date of debian/changelog is not that of CHANGELOG.md"),
]


def check_a_wrong_version_or_date_is_refused():
    path, _ = made(ROOT, "first")
    folder = os.path.basename(path)[:-len(".tar.gz")]
    for file, old, new, says in WRONG:
        with tarfile.open(path) as t:
            t.extractall(".")
        with open(os.path.join(folder, file), "r+") as f:
            text = f.read()
            assert old in text, (file, old)
            f.seek(0)
            f.write(text.replace(old, new, 1))
        done = subprocess.run([os.path.join(folder, "tools", "dist"), "out"], capture_output=True, text=True)
        assert done.returncode and says in done.stderr, (file, done)


sys.exit(main(globals()))
