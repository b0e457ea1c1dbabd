"""Where things are, and keys that say whether something was run before: by what it was run with."""
import hashlib, os

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
TAMIS = os.path.join(ROOT, "build", "tamis")


def contents(path):
    with open(path, "rb") as f:
        return f.read()


def digest(*parts):
    h = hashlib.sha256()
    for p in parts:
        h.update(p if isinstance(p, bytes) else str(p).encode())
        h.update(b"\0")
    return h.hexdigest()[:32]
