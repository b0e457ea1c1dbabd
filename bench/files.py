"""Paths, temporary folders, and cache keys: digests of everything a run depends on."""
import atexit, contextlib, hashlib, os, shutil, socket, tempfile

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


@contextlib.contextmanager
def whole(path):
    """A file to write that appears whole, whoever else writes the same."""
    mine = "%s.%s.%d" % (path, socket.gethostname(), os.getpid())
    with open(mine, "w", newline="") as f:
        yield f
    os.replace(mine, path)
