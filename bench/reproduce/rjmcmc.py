"""P. Sykacek, On input selection with reversible jump Markov chain Monte Carlo sampling, NIPS 12 (1999)."""
from svg import Panel, picture
from verdict import Cell, Figure, Row, Table, no_data, not_ours

TITLE = "On input selection with reversible jump Markov chain Monte Carlo sampling (Sykacek 1999)"
NAMES = ("average inputs", "maximum inputs", "accuracy in %")
RUN = ("--method", "rjmcmc", "--samples", "15000", "--burn-in", "5000")
SETS = (("Ionosphere", ("4.3", "9", "91.5"), ("ionosphere.csv",), "500"),
        ("Pima", ("4", "7", "78.9"), ("pima_tr.csv", "pima_te.csv"), "60"),
        ("Wine", ("4.4", "8", "100"), ("wine_recognition.csv",), "500"))
MLP = {"Ionosphere": "95.5, 4", "Pima": "79.8, 8", "Wine": "96.8, 2"}
TABLE1 = (
    "15,000 samples including 5,000 of burn-in, as in the paper; lambda 4. Ours: four tempered chains per run. As "
    "published: one chain without tempering, births from the prior, the paper's h. Pima: Ripley's split, %d seeds; "
    "Wine and Ionosphere: %d random splits each.")
VISITED = "How many different subsets the chains visited after burn-in."
EXPLORE = (
    "four tempered chains explore more of the space than one that stays near its start; how many jumps follow a Gibbs "
    "update is not stated (as published: one)")
SPLITS = 20
# what the paper says of each table: kernels and h
SETTINGS = {"Ionosphere": ("6", "0.5"), "Pima": ("3", "0.16"), "Wine": ("3", "0.28")}
WHY = {
    "Ionosphere":
        "lambda and the split are missing from the text; 33 inputs are the sampler's limit: chains do not agree after "
        "15,000 samples, as the result says; four tempered chains reach larger sets than one",
    "Pima":
        "lambda is missing from the text and drives the number of inputs (1, 2, 4, 10 give about 2.3, 2.5, 3.5, 5.3); "
        "an independent implementation gives 3.51 with lambda 4",
    "Wine":
        "the paper uses 125 of the 178 rows and does not say which; 62 training rows leave several subsets equally "
        "good, "
        "and accuracy ranges from 84 to 100 over splits; four tempered chains reach larger sets than one"}


def splits(lab, name):
    """Files and options of every run of a data set; empty without its tables."""
    if name == "Pima" and lab.has("pima_tr.csv", "pima_te.csv"):
        files = [lab.file(f, *lab.table(f)) for f in ("pima_tr.csv", "pima_te.csv")]
        return [(files, ["--seed", str(s)]) for s in range(1, SPLITS + 1)]
    if name == "Wine" and lab.has("wine_recognition.csv"):
        return [(lab.split("wine_recognition.csv", 62, s, 125), ["--task", "classification"])
                for s in range(1, SPLITS + 1)]
    if name == "Ionosphere" and lab.has("ionosphere.csv"):
        return [(lab.split("ionosphere.csv", 175, s), []) for s in range(1, SPLITS + 1)]
    return []


def start(lab):
    """{data set: its runs}, with our defaults and as published."""
    ours, published = {}, {}
    for name, (kernels, h) in SETTINGS.items():
        rungs = ["--temperatures", "9"] if name == "Ionosphere" else []
        runs = splits(lab, name)
        if runs:
            published[name] = [lab.published(f, "--method", "rjmcmc", "--kernels", kernels, "--h", h, *more)
                               for f, more in runs]
            ours[name] = [lab.select(f, *RUN, "--kernels", kernels, *rungs, *more) for f, more in runs]
    return ours, published


def result_cells(p, r):
    b = [x["rjmcmc"] for x in r]
    values = ([x["size"]["mean"] for x in b], [x["size"]["max"] for x in b],
              [100 * (1 - x["error"]["test"]) for x in r])
    return [Cell(n, q, o, k) for n, q, o, k in zip(NAMES, p, values, ("", "", "high"))]


def visited_cell(visited, r):
    return Cell("subsets", visited, [x["rjmcmc"]["subsets_visited"] for x in r])


def paper(lab):
    runs, published = start(lab)
    yield
    t = Table("Table 1", TABLE1 % (SPLITS, SPLITS), " / ".join(NAMES))
    u = Table("Section 3, text", VISITED, "subsets visited")
    for name, p, files, visited in SETS:
        if name in runs:
            r, q = ([f.result() for f in form[name]] for form in (runs, published))
            t.rows.append(Row(name + ", the sampler", result_cells(p, r), WHY[name], published=result_cells(p, q)))
            u.rows.append(Row(name, [visited_cell(visited, r)], EXPLORE, published=[visited_cell(visited, q)]))
        else:
            gone = "%s: not in the data folder" % " ".join(files)
            t.rows.append(no_data(name + ", the sampler", zip(NAMES, p), gone))
            u.rows.append(no_data(name, [("subsets", visited)], "not in the data folder"))
        t.rows.append(not_ours(name + ", MLP with ARD", [("accuracy, own errors", MLP[name])],
                               "R. Neal's software, the paper's rival; not part of tamis"))
    yield t
    yield u
    for name in runs:
        about = "Posterior probability of the inputs, and of the ten most probable subsets (first run)."
        yield Figure("Figure 1, " + name, about, figure(runs[name][0].result()["rjmcmc"]))


def bars(title, items, names):
    panel = Panel(title, "", "probability", 430, 300)
    return panel.bars(range(1, len(items) + 1), [i["probability"] for i in items], names)


def figure(b):
    inputs = sorted(b["inclusion"], key=lambda i: -i["probability"])[:13]
    subsets = b["subsets"][:10]
    return picture(bars("inputs", inputs, [i["name"][:14] for i in inputs]),
                   bars("subsets", subsets, [" ".join(n[:6] for n in s["inputs"])[:26] or "none" for s in subsets]))
