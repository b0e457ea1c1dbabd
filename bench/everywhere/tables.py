"""A table of the benchmark: training rows, test rows, the right inputs where they are known; kept as .npz for the
rivals and written as CSV for tamis."""
import csv, dataclasses

import numpy as np

import suite_families as families
import suite_peers as peers


@dataclasses.dataclass
class Table(families.Problem):
    words: tuple = ()                   # further words for tamis
    group: np.ndarray = None            # of each training row; a column g of the CSV


def of_problem(p, **more):
    return Table(**{f.name: getattr(p, f.name) for f in dataclasses.fields(p)}, **more)


def save(t, file):
    np.savez(file, x=t.x, y=t.y, x_test=t.x_test, clean=t.clean, noise=t.noise, categories=np.array(t.categories, int),
             classes=t.classes)


def load(file):
    z = np.load(file)
    return Table(z["x"], z["y"], z["x_test"], z["clean"], float(z["noise"]), [], tuple(z["categories"].tolist()),
                 int(z["classes"]))


def test_error(t, guess):
    """The share of wrong classes, or the mean squared error over the variance; None: there are no test rows."""
    if not len(t.x_test):
        return None
    if t.classes:
        return float(np.mean(np.asarray(guess, int) != t.clean))
    return float((np.mean((guess - t.clean) ** 2) + t.noise) / (np.var(t.clean) + t.noise))


def write(t, train, test):
    peers.write_csv(t, train)
    if t.group is not None:
        with open(train) as f:
            lines = f.read().splitlines()
        with open(train, "w") as f:
            f.writelines("%s,%s\n" % (g, line) for g, line in zip(["g", *("g%d" % v for v in t.group)], lines))
    if len(t.x_test):
        none = dataclasses.replace(t, x=t.x_test, y=np.zeros(len(t.x_test), int), group=None)
        peers.write_csv(none, test)


def read_guess(t, text):
    """Predictions as tamis writes them."""
    rows = list(csv.reader(text.splitlines()))[1:]
    return np.array([int(r[0][1:]) if t.classes else float(r[0]) for r in rows])
