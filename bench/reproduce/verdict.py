"""The verdict on a row of a paper's table.

A cell has the paper's number as printed and ours over splits or draws. It is
    met           if ours, rounded as in the paper, is the same number, or a smaller error or a larger accuracy;
    within spread if the paper's number lies between our smallest and largest, or within two standard deviations of our
                  mean;
    differs       otherwise.
A row is as good as its worst cell. No verdict depends on time. A row has two verdicts where the method also ran as its
paper prints it; attribute.py says what the two together explain."""
import statistics
import attribute
from dataclasses import dataclass, field

MET, WITHIN, DIFFERS, NO_DATA, OTHERS = "met", "within spread", "differs", "no data", "not ours"
ORDER = [MET, WITHIN, DIFFERS]


def digits(text):
    return len(text.split(".")[1]) if "." in text else 0


def number(x, places):
    return "%.*f" % (places, x)


@dataclass
class Cell:
    name: str                   # "test error"
    paper: str                  # as printed; "" where the paper has none
    ours: list                  # one value per split
    better: str = ""            # "low", "high", or "": neither
    exact: str = ""             # text instead of numbers; `good` is then the verdict
    good: str = ""

    def verdict(self):
        if self.good:
            return self.good
        if not self.paper:
            return MET
        p, mean, places = float(self.paper), statistics.mean(self.ours), digits(self.paper)
        same = abs(round(mean, places) - p) < 0.5 * 10 ** -places
        if same or (self.better == "low" and mean < p) or (self.better == "high" and mean > p):
            return MET
        if len(self.ours) < 2:
            return DIFFERS
        near = abs(mean - p) <= 2 * statistics.stdev(self.ours)
        return WITHIN if near or min(self.ours) <= p <= max(self.ours) else DIFFERS

    def text(self):
        if self.exact:
            return self.exact
        if all(float(v).is_integer() for v in self.ours) and digits(self.paper) == 0:
            low, high = int(min(self.ours)), int(max(self.ours))
            return str(low) if low == high else "%d-%d" % (low, high)
        places = max(digits(self.paper), 1) + (1 if digits(self.paper) < 4 else 0)
        if len(self.ours) == 1:
            return number(self.ours[0], places)
        return "%s ± %s" % (number(statistics.mean(self.ours), places), number(statistics.stdev(self.ours), places))


def worst(cells):
    return max((c.verdict() for c in cells), key=ORDER.index)


@dataclass
class Row:
    label: str
    cells: list
    why: str = ""               # the reason, shown if the row is not met
    verdict_is: str = ""        # overrides the verdict of the cells
    published: list = field(default_factory=list)       # cells of the method as its paper prints it; empty: it is ours,
                                                        # or was not run

    def verdict(self):
        return self.verdict_is or worst(self.cells)

    def verdict_published(self):
        return self.verdict_is or (worst(self.published) if self.published else "")

    def as_published(self):
        return " / ".join(c.text() for c in self.published) or "–"

    def paper(self):
        return " / ".join(c.paper or "–" for c in self.cells)

    def ours(self):
        if self.verdict_is and not (self.cells and self.cells[0].ours):
            return "–"
        return " / ".join(c.text() for c in self.cells)

    def reason(self):
        v = self.verdict()
        if v == MET:
            return ""
        differing = ""
        if v == DIFFERS and not self.verdict_is:
            differing = ", ".join(c.name for c in self.cells if c.verdict() == v)
        why = (differing + ": " if differing and len(self.cells) > 1 else "") + self.why
        return "; ".join(t for t in (attribute.explain(self, MET), why) if t)


@dataclass
class Table:
    title: str
    about: str
    columns: str                # what the numbers of a cell are
    rows: list = field(default_factory=list)


@dataclass
class Figure:
    title: str
    about: str
    svg: str                    # "" if there is nothing to draw


def no_data(label, cells, why):
    """A row whose data is unavailable: the paper's numbers, and the reason why there are none of ours."""
    return Row(label, [Cell(n, p, []) for n, p in cells], why, NO_DATA)


def not_ours(label, cells, why):
    return Row(label, [Cell(n, p, []) for n, p in cells], why, OTHERS)


def errors(runs, names, papers, all_inputs=False):
    """Criterion, test error and number of inputs of some runs against the paper's three numbers."""
    e = [r["error"] for r in runs]
    criterion, test = ("all_inputs", "test_all_inputs") if all_inputs else ("selected", "test")
    ours = ([x[criterion] for x in e], [x[test] for x in e],
            [r["data"]["inputs"] if all_inputs else len(r["selected"]) for r in runs])
    return [Cell(n, p, o, b) for n, p, o, b in zip(names, papers, ours, ("low", "low", ""))]
