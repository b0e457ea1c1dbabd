"""Paths, temporary folders, and cache keys: digests of everything a run depends on."""
import atexit, hashlib, os, shutil, tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
TAMIS = os.path.join(ROOT, "build", "tamis")


def folder():
    """A new temporary folder, deleted when the program ends."""
    path = tempfile.mkdtemp(prefix="tamis-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def contents(path):
    with open(path, "rb") as f:
        return f.read()


def digest(*parts):
    h = hashlib.sha256()
    for p in parts:
        h.update(p if isinstance(p, bytes) else str(p).encode())
        h.update(b"\0")
    return h.hexdigest()[:32]
