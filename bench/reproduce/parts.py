"""Parts of the runs, for a job array. A run belongs to the part that its key says, so that parts need not know of each
other. A part is one file with the results of its runs; joined, all parts go to the cache, where a run of all papers
finds them. What depends on results of other parts is left to that run."""
import json, os, re, subprocess
from concurrent.futures import Future

from files import TAMIS, whole


class Elsewhere(Exception):
    """The run belongs to another part."""


class Problem(Exception):
    """Something that the user can mend, as a sentence."""


class Share:
    def __init__(self, index, count):
        self.index, self.count = index, count

    def has(self, key):
        return int(key, 16) % self.count == self.index - 1


def share(text):
    """I/N as a Share."""
    found = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", text)
    if not found or int(found[1]) > int(found[2]):
        raise Problem("--shard '%s': expected I/N, part I of N from 1 on, as in 3/7" % text)
    return Share(int(found[1]), int(found[2]))


def elsewhere():
    f = Future()
    f.set_exception(Elsewhere())
    return f


def made_by(lab):
    """What all parts must have in common: the program, and the kernels that decide the last digits."""
    said = subprocess.run([TAMIS, "--version"], check=True, capture_output=True, text=True).stdout
    return {"program": lab.program, "kernels": said.splitlines()[1]}


def write(lab, path):
    """All runs of this part; the first that failed is raised."""
    part = {"reproduce": 1, **made_by(lab), "part": lab.share.index, "parts": lab.share.count,
            "runs": {key: f.result() for key, f in lab.mine.items()}}
    with whole(path) as f:
        json.dump(part, f)


def read(path):
    try:
        with open(path) as f:
            part = json.load(f)
        if part["reproduce"] == 1:
            return part
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise Problem("%s: not a part, or cut short; compute it again" % path)


def join(lab, paths):
    """Puts the runs of all parts into the cache."""
    own, found, count = made_by(lab), {}, None
    for path in paths:
        part = read(path)
        if part["program"] != own["program"]:
            raise Problem("%s: computed with another program; use one build for all parts" % path)
        if part["kernels"] != own["kernels"]:
            raise Problem("%s: computed with other kernels (%s); use CPUs of one kind" % (path, part["kernels"]))
        count = count or part["parts"]
        if part["parts"] != count or part["part"] in found:
            raise Problem("%s: part %d of %d, which does not go with %s"
                          % (path, part["part"], part["parts"], ", ".join(found.values()) or "the others"))
        found[part["part"]] = path
        lab.take(part["runs"])
    missing = [str(k) for k in range(1, (count or 0) + 1) if k not in found]
    if missing:
        raise Problem("part %s of %d missing; give all parts" % (", ".join(missing), count))
