"""What is written about the package is true: docstrings, pages, the gallery, the notebook, the reference."""
import doctest
import importlib
import importlib.util
import inspect
import os
import pkgutil
import re
import subprocess
import sys
import unittest
import warnings

import tamis
from common import ROOT, Case, python, shipped

TOOLS = os.path.join(ROOT, "docs", "tools")
# Rules of numpydoc that are not followed, and why.
NOT_FOLLOWED = {
    "GL01": "PEP 257: the summary begins behind the quotes", "GL02": "the same of what is one line long",
    "ES01": "the summary says it all, where there is no more", "SA01": "only where something is worth seeing",
    "RT02": "what estimators return has a name, as in scikit-learn",
}


def have(*names):
    return all(importlib.util.find_spec(name) for name in names)


def public():
    """(name, object) of everything that users see, but for what scikit-learn gives the estimators."""
    for name in tamis.__all__:
        thing = getattr(tamis, name)
        if not inspect.isroutine(thing) and not inspect.isclass(thing):
            continue
        yield f"tamis.{name}", thing
        if inspect.isclass(thing) and not issubclass(thing, BaseException):
            for member, value in inspect.getmembers(thing):
                module = getattr(getattr(value, "fget", value), "__module__", None) or ""
                if not member.startswith("_") and module.startswith("tamis"):
                    yield f"tamis.{name}.{member}", value


class Docstrings(Case):
    def setUp(self):
        super().setUp()
        if not have("numpy", "pandas", "sklearn"):
            self.skipTest("numpy, pandas or scikit-learn is missing")

    def test_examples(self):
        """Every example in the package runs and gives what it shows."""
        tried = 0
        for part in pkgutil.iter_modules(tamis.__path__, "tamis."):
            module = importlib.import_module(part.name)
            if part.name == "tamis._core":
                continue
            for test in doctest.DocTestFinder(exclude_empty=True).find(module):
                if "matplotlib" in (test.docstring or "") and not have("matplotlib"):
                    continue
                with self.subTest(test.name), warnings.catch_warnings():
                    warnings.simplefilter("ignore", tamis.TamisWarning)
                    said = []
                    self.assertEqual(doctest.DocTestRunner(verbose=False).run(test, out=said.append).failed, 0,
                                     "".join(said))
                    tried += bool(test.examples)
        self.assertGreater(tried, 25)

    def test_everything_has_an_example(self):
        for name, thing in public():
            with self.subTest(name):
                text = inspect.getdoc(thing)
                self.assertTrue(text, "no docstring")
                plain = isinstance(thing, property) or (inspect.isclass(thing) and issubclass(thing, BaseException))
                self.assertTrue(plain or ">>>" in text, "no example")

    def test_numpydoc(self):
        try:
            from numpydoc.validate import validate
        except ImportError:
            self.skipTest("numpydoc is missing")
        for name, thing in public():
            if isinstance(thing, property) or (inspect.isclass(thing) and issubclass(thing, BaseException)):
                continue
            with self.subTest(name):
                wrong = [error for error in validate(name)["errors"] if error[0] not in NOT_FOLLOWED
                         and (name, error[0]) != ("tamis.Model", "PR01")]       # made by functions alone
                self.assertEqual(wrong, [])


class Pages(Case):
    def test_readme_and_page(self):
        """Every block of Python in them runs, one after the other, beside boston.csv."""
        if not have("numpy", "pandas"):
            self.skipTest("pandas is missing")
        os.symlink(shipped("boston"), "boston.csv")
        os.symlink(shipped("iris"), "iris.csv")
        for page in ("python/README.md", "docs/python.md"):
            with open(os.path.join(ROOT, page)) as f:
                blocks = re.findall(r"```python\n(.*?)```", f.read(), re.S)
            self.assertTrue(blocks, page)
            done = python("import warnings; warnings.simplefilter('ignore')\n" + "\n".join(blocks))
            self.assertEqual(done.returncode, 0, (page, done.stderr))

    def test_gallery(self):
        """Every block draws its picture. Those of tamis are as on the page; matplotlib's depend on its release."""
        if not have("numpy", "pandas", "matplotlib"):
            self.skipTest("matplotlib or pandas is missing")
        sys.path[:0] = [TOOLS, os.path.join(ROOT, "tests", "lib")]
        try:
            import console
            import gallery
        finally:
            del sys.path[:2]
        blocks = gallery.blocks()
        self.assertGreater(len(blocks), 6)
        for code, name in blocks:
            with self.subTest(name):
                path = os.path.join(os.getcwd(), name)
                gallery.draw(code, path)
                with open(path, encoding="utf-8") as f:
                    made = f.read()
                with open(os.path.join(ROOT, "docs", "img", name), encoding="utf-8") as f:
                    shown = f.read()
                self.assertIn("<svg", made)
                self.assertLess(len(shown), 100_000)
                self.assertTrue("svg =" not in code or console.same_figure(shown, made), "the picture has changed")

    def test_notebook(self):
        """Every cell runs; the notebook in the repository has no outputs."""
        if not have("nbclient", "ipykernel", "numpy", "pandas", "sklearn", "matplotlib"):
            self.skipTest("nbclient, ipykernel, matplotlib or scikit-learn is missing")
        notebook = os.path.join(ROOT, "docs", "tutorials", "rents.ipynb")
        done = subprocess.run([sys.executable, os.path.join(TOOLS, "notebook.py"), notebook, "page.md"],
                              capture_output=True, text=True)
        said = [line for line in done.stderr.split("\n") if "IPKernelApp" not in line]       # the kernel's own warnings
        self.assertEqual((done.returncode, "without" in "".join(said)), (0, False), done.stderr)
        with open("page.md", encoding="utf-8") as f:
            page = f.read()
        self.assertIn("sift chose 4 of", page)
        self.assertIn("<iframe", page)
        self.assertGreaterEqual(len([name for name in os.listdir() if name.endswith(".png")]), 2)
        with open(notebook, encoding="utf-8") as f:
            self.assertNotIn('"output_type"', f.read())

    def test_reference(self):
        """Everything public is in the reference, from which Sphinx makes a page without a warning."""
        if not have("sphinx", "myst_parser", "numpy", "sklearn"):
            self.skipTest("sphinx, myst_parser or scikit-learn is missing")
        text = subprocess.run([sys.executable, os.path.join(TOOLS, "python.py")], capture_output=True, text=True,
                              check=True).stdout
        os.mkdir("source")
        with open(os.path.join("source", "index.md"), "w", encoding="utf-8") as f:
            f.write(re.sub(r"\[([^]]*)\]\(\.\./[^)]*\)", r"\1", text))          # links to other pages
        with open(os.path.join(ROOT, "docs", "conf.py"), encoding="utf-8") as f:
            settings = f.read()
        with open(os.path.join("source", "conf.py"), "w", encoding="utf-8") as f:
            f.write(settings + '\nhtml_theme, html_theme_options = "basic", {}\nhtml_static_path = html_css_files = []\n')
        done = subprocess.run([sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "source",
                               "html"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(os.path.join("html", "index.html"), encoding="utf-8") as f:
            page = f.read()
        for name, _ in public():
            self.assertIn(f'id="{name}"', page)


if __name__ == "__main__":
    unittest.main()
