"""The package as a whole: imports, types, the wheel."""
import glob
import importlib.util
import os
import re
import subprocess
import sys
import unittest
import zipfile

import tamis
from common import LONG, ROOT, Case, program, python

PACKAGE = os.path.join(ROOT, "python", "tamis")


class Package(Case):
    def test_imports_are_lazy(self):
        done = python("import sys, tamis; print([m for m in ('numpy', 'pandas', 'sklearn', 'matplotlib', 'tqdm') "
                      "if m in sys.modules])")
        self.assertEqual(done.stdout, "[]\n", done.stderr)
        self.assertIn(tamis.__version__, program("--version"))
        self.assertTrue({"select", "TamisSelector"} <= set(dir(tamis)) and set(tamis.__all__) <= set(dir(tamis)))
        with self.assertRaises(AttributeError):
            tamis.nothing

    def test_every_file_is_built(self):
        """What lies in the folder is in the package."""
        built = os.path.dirname(tamis.__file__)
        for path in glob.glob(os.path.join(PACKAGE, "*.py*")):
            self.assertTrue(os.path.exists(os.path.join(built, os.path.basename(path))), path)

    def test_stable_abi(self):
        """The extension exports its own function and nothing of the library."""
        names = glob.glob(os.path.join(os.path.dirname(tamis.__file__), "_core*.so"))
        self.assertEqual([os.path.basename(n) for n in names], ["_core.abi3.so"])
        try:
            out = subprocess.run(["nm", "-D", "--defined-only", names[0]], capture_output=True, text=True).stdout
        except FileNotFoundError:
            self.skipTest("nm is not installed")
        self.assertEqual([line.split()[-1] for line in out.split("\n") if line], ["PyInit__core"])

    def test_types(self):
        """mypy --strict finds nothing in the package."""
        self.mypy("mypy", "--strict", "--cache-dir", "cache", "--config-file", os.path.join(ROOT, "pyproject.toml"),
                  PACKAGE)

    def test_types_of_the_extension(self):
        """_core.pyi says what the extension has."""
        self.mypy("mypy.stubtest", "tamis._core", "--mypy-config-file", os.path.join(ROOT, "pyproject.toml"))

    def test_types_of_a_program(self):
        """The types that a program sees are those of the package, not Any."""
        with open("program.py", "w") as f:
            f.write("import tamis\n\nresult = tamis.select('t.csv')\nnames: list[str] = result.selected\n"
                    "wrong: int = result.selected\nmodel = tamis.TamisRegressor(methd='lars')\n")
        said = self.mypy("mypy", "--strict", "--cache-dir", "cache", "--config-file",
                         os.path.join(ROOT, "pyproject.toml"), "program.py", fails=True)
        self.assertIn('program.py:5: error: Incompatible types in assignment', said)
        self.assertIn('program.py:6: error: Unexpected keyword argument "methd"', said)
        self.assertIn("Found 2 errors", said)

    def mypy(self, *words, fails=False):
        if not importlib.util.find_spec("mypy"):
            self.skipTest("mypy is not installed")
        done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True,
                              env={**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)})
        self.assertEqual(done.returncode, int(fails), done.stdout + done.stderr)
        return done.stdout

    def test_wheel(self):
        """pip, offline: one wheel for all versions from 3.11 on, with the package and nothing else."""
        if not LONG:
            self.skipTest("takes minutes; set TAMIS_LONG")
        if not importlib.util.find_spec("mesonpy") or not importlib.util.find_spec("pip"):
            self.skipTest("mesonpy or pip is not installed")
        subprocess.run([sys.executable, "-m", "pip", "-q", "wheel", "--no-build-isolation", "--no-deps", "--no-index",
                        "-w", os.getcwd(), ROOT], check=True, capture_output=True)
        wheel, = glob.glob("*.whl")
        self.assertRegex(wheel, r"^tamis-[0-9.]+-cp311-abi3-linux_\w+\.whl$")
        folders = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
        self.assertEqual({re.sub(r"-.*\.", ".", f) for f in folders}, {"tamis", "tamis.dist-info"})
        subprocess.run([sys.executable, "-m", "pip", "-q", "install", "--no-deps", "--no-index", "--target", "there",
                        wheel], check=True, capture_output=True)
        done = python("import tamis; print(tamis.__file__)", env=dict(os.environ, PYTHONPATH="there"))
        self.assertIn("there", done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main()
