"""J. Basak, S. Mitra, Feature selection using radial basis function networks, Neural Computing & Applications 8
(1999)."""
import statistics
from svg import Panel, picture
from verdict import DIFFERS, MET, WITHIN, Cell, Figure, Row, Table, no_data, not_ours

TITLE = "Feature selection using radial basis function networks (Basak and Mitra 1999)"
# set: FEI, rank within its size, overall rank; FEI', rank, overall rank
TABLE1 = {"1": (.618, 4, 11, .702, 4, 11), "2": (.649, 3, 9, .722, 3, 9), "3": (.777, 1, 4, .908, 1, 4),
          "4": (.667, 2, 7, .744, 2, 8), "12": (.604, 6, 13, .669, 6, 13), "13": (.689, 3, 6, .879, 2, 5),
          "14": (.621, 5, 10, .692, 5, 12), "23": (.763, 2, 5, .868, 3, 6), "24": (.657, 4, 8, .717, 4, 10),
          "34": (.905, 1, 3, 1.01, 1, 2), "123": (.598, 4, 14, .758, 3, 7), "124": (.606, 3, 12, .65, 4, 14),
          "134": (1.793, 1, 1, 1.254, 1, 1), "234": (.916, 2, 2, .981, 2, 3)}
TABLE2 = {"1": (.891, 2, 4, .932, 2, 4), "2": (1.029, 1, 2, 1.08, 1, 2), "3": (.847, 3, 5, .903, 3, 5),
          "12": (1.096, 1, 1, 1.097, 1, 1), "13": (.839, 3, 6, .878, 3, 6), "23": (.94, 2, 3, 1.068, 2, 3)}
SETS = (("Table 1", "Iris", "iris.csv", 8, TABLE1, "3, 4, 2, 1"),
        ("Table 2", "Vowel", "telugu_vowel.csv", 12, TABLE2, "2, 1, 3"))
OTHERS3 = (("Iris", "DK", "3, 4, 1, 2"), ("Iris", "PC", "4, 3, 1, 2"), ("Iris", "IM", "3, 4, 2, 1"),
           ("Iris", "R*", "3, 4, 2, 1"), ("Vowel", "PC", "2, 1, 3"))
ABOUT = (
    "%s, raw inputs, %d hidden nodes, least-squares weights, median over 200 starts. A row is assessed by its ranks: "
    "the values themselves depend on the learning rate, the epochs and the start, which the paper does not state. "
    "Within spread: at most one rank off within its size and two overall.")
SWAPPED = ("neighbours in rank swap places: in the paper they differ by a few hundredths, and its single start is "
           "unknown")
STARTS = 20
ABOUT_PUBLISHED = (
    " As published: one start and pairs of nodes in order, each of %d seeds; median ranks, and the share of starts "
    "with exactly the paper's." % STARTS)
GONE = " is not in the data folder"


def paper(lab):
    runs, published = {}, {}
    for _, name, file, hidden, _, _ in SETS:
        if lab.has(file):
            path = lab.file(file, *lab.table(file))
            words = ["--method", "fei", "--task", "classification", "--no-standardize", "--hidden", str(hidden),
                     "--weights", "ls"]
            runs[name] = [lab.select(path, *words, "--index", index, "--starts", "200", "--folds", "2")
                          for index in ("fei", "fei2")]
            one = ["--method", "fei", "--task", "classification", "--hidden", str(hidden), "--folds", "2"]
            published[name] = [[lab.published(path, *one, "--index", index, "--seed", str(s))
                                for s in range(1, STARTS + 1)] for index in ("fei", "fei2")]
    yield
    for title, name, file, hidden, paper_rows, _ in SETS:
        results = [f.result() for f in runs[name]] if name in runs else None
        yield table(title, name, file, hidden, paper_rows, results, published.get(name))
    yield table3(runs)
    if lab.has("telugu_vowel.csv"):
        yield Figure("Figure 2", "Vowel data in the plane of the first and second formant, one panel per class, with "
                     "that class dark.", figure2(*lab.table("telugu_vowel.csv")))


def by_set(run):
    names = [i["name"] for i in run["inputs"]]
    return {"".join(str(names.index(n) + 1) for n in s["inputs"]): s for s in run["fei"]["subsets"]}


def rank_cell(index, block, found, value, want):
    """Ranks within the size and overall, ours and the paper's."""
    got = found["rank"], found["overall_rank"]
    near = abs(got[0] - want[0]) <= 1 and abs(got[1] - want[1]) <= 2
    good = MET if got == want else WITHIN if near else DIFFERS
    return Cell(index, "%d, %d (%.3f)" % (*want, value), [], exact="%d, %d (%.3f)" % (*got, found[block]), good=good)


def starts_cell(index, found, want):
    """Ranks over the starts of one network each."""
    ranks = [(f["rank"], f["overall_rank"]) for f in found]
    middle = tuple(statistics.median(r[k] for r in ranks) for k in (0, 1))
    inside = all(min(r[k] for r in ranks) <= want[k] <= max(r[k] for r in ranks) for k in (0, 1))
    share = 100 * sum(r == want for r in ranks) / len(ranks)
    return Cell(index, "%d, %d" % want, [], exact="%g, %g (%.0f %% of starts)" % (*middle, share),
                good=MET if middle == want else WITHIN if inside else DIFFERS)


def table(title, name, file, hidden, paper_rows, runs, published):
    t = Table(title, ABOUT % (name, hidden) + ABOUT_PUBLISHED, "FEI: rank within its size, overall; FEI': the same")
    ours = [by_set(r) for r in runs] if runs else None
    starts = [[by_set(f.result()) for f in one] for one in published] if published else None
    for key, p in paper_rows.items():
        label = "(%s)" % ", ".join(key)
        if not ours:
            t.rows.append(no_data(label, [("FEI", "%d, %d" % p[1:3]), ("FEI'", "%d, %d" % p[4:6])], file + GONE))
            continue
        row = Row(label, [], SWAPPED)
        for i, (index, block) in enumerate((("FEI", "fei"), ("FEI'", "fei2"))):
            want = p[3 * i + 1:3 * i + 3]
            row.cells.append(rank_cell(index, block, ours[i][key], p[3 * i], want))
            row.published.append(starts_cell(index, [s[key] for s in starts[i]], want))
        t.rows.append(row)
    return t


def order_cell(index, order, r):
    names = [i["name"] for i in r["inputs"]]
    got = ", ".join(str(names.index(q["name"]) + 1) for q in sorted(r["inputs"], key=lambda q: q["rank"]))
    share = 100 * min(r["fei"]["rank_agreement"].values())
    return Cell(index, order, [], exact="%s (%.0f %% of starts)" % (got, share), good=MET if got == order else DIFFERS)


def table3(runs):
    t = Table("Table 3", "Order of the single inputs, and the share of our 200 starts with exactly these ranks.",
              "order")
    why = "cited by the paper from other authors, whose methods are not part of tamis"
    for _, name, file, _, _, order in SETS:
        cells = [order_cell(index, order, f.result()) for index, f in zip(("FEI", "FEI'"), runs.get(name, ()))]
        label = "%s, BM (the paper's indices)" % name
        t.rows.append(Row(label, cells) if cells else no_data(label, [("order", order)], file + GONE))
        t.rows += [not_ours("%s, %s" % (n, who), [("order", o)], why) for n, who, o in OTHERS3 if n == name]
    return t


def figure2(head, rows):
    classes = sorted({r[-1] for r in rows})
    panels = []
    for c in classes:
        inside, outside = [r for r in rows if r[-1] == c], [r for r in rows if r[-1] != c]
        p = Panel("class %s, %d sounds" % (c, len(inside)), "first formant", "second formant", 240, 200)
        p.points([float(r[0]) for r in outside], [float(r[1]) for r in outside], True)
        panels.append(p.points([float(r[0]) for r in inside], [float(r[1]) for r in inside]))
    return picture(*panels)
