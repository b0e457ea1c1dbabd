"""P. Sykacek, On input selection with reversible jump Markov chain Monte Carlo sampling, NIPS 12 (1999)."""
from svg import Panel, picture
from verdict import DIFFERS, MET, Cell, Figure, Row, Table, no_data, not_ours

TITLE = "On input selection with reversible jump Markov chain Monte Carlo sampling (Sykacek 1999)"
NAMES = ("average inputs", "maximum inputs", "accuracy in %")
RUN = ("--method", "rjmcmc", "--samples", "15000", "--burn-in", "5000")
SETS = (("Ionosphere", ("4.3", "9", "91.5"), ("ionosphere.csv",), "500"),
        ("Pima", ("4", "7", "78.9"), ("pima_tr.csv", "pima_te.csv"), "60"),
        ("Wine", ("4.4", "8", "100"), ("wine_recognition.csv",), "500"))
MLP = {"Ionosphere": "95.5, 4", "Pima": "79.8, 8", "Wine": "96.8, 2"}
TABLE1 = (
    "15,000 samples including 5,000 of burn-in, as in the paper; four tempered chains per run; lambda 4. Pima: "
    "Ripley's split, three seeds; Wine and Ionosphere: two random splits each.")
VISITED = "How many different subsets the chains visited. The paper has one chain without tempering."
EXPLORE = "four tempered chains explore more of the space than one that stays near its start"
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


def start(lab):
    """{data set: its runs}"""
    runs = {}
    if lab.has("ionosphere.csv"):
        runs["Ionosphere"] = [lab.select(lab.split("ionosphere.csv", 175, s), *RUN, "--kernels", "6",
                                         "--temperatures", "9") for s in (1, 2)]
    if lab.has("pima_tr.csv", "pima_te.csv"):
        files = [lab.file(f, *lab.table(f)) for f in ("pima_tr.csv", "pima_te.csv")]
        runs["Pima"] = [lab.select(files, *RUN, "--kernels", "3", "--seed", str(s)) for s in (1, 2, 3)]
    if lab.has("wine_recognition.csv"):
        runs["Wine"] = [lab.select(lab.split("wine_recognition.csv", 62, s, 125), *RUN, "--kernels", "3",
                                   "--task", "classification") for s in (1, 2)]
    return runs


def result_row(name, p, r):
    b = [x["rjmcmc"] for x in r]
    ours = ([x["size"]["mean"] for x in b], [x["size"]["max"] for x in b], [100 * (1 - x["error"]["test"]) for x in r])
    cells = [Cell(n, q, o, k) for n, q, o, k in zip(NAMES, p, ours, ("", "", "high"))]
    return Row(name + ", the sampler", cells, WHY[name])


def visited_row(name, visited, r):
    count = [x["rjmcmc"]["subsets_visited"] for x in r]
    mean = sum(count) / len(count)
    good = MET if abs(mean / float(visited) - 1) <= 0.1 else DIFFERS
    return Row(name, [Cell("subsets", "about " + visited, [], exact=", ".join(map(str, count)), good=good)], EXPLORE)


def paper(lab):
    runs = start(lab)
    yield
    t, u = Table("Table 1", TABLE1, " / ".join(NAMES)), Table("Section 3, text", VISITED, "subsets visited")
    for name, p, files, visited in SETS:
        if name in runs:
            r = [f.result() for f in runs[name]]
            t.rows.append(result_row(name, p, r))
            u.rows.append(visited_row(name, visited, r))
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
