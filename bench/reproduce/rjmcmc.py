"""P. Sykacek, On input selection with reversible jump Markov chain Monte Carlo sampling, NIPS 12 (1999)."""
from svg import Panel, picture
from verdict import DIFFERS, MET, Cell, Figure, Row, Table, no_data, not_ours

TITLE = "On input selection with reversible jump Markov chain Monte Carlo sampling (Sykacek 1999)"
NAMES = ("average inputs", "most inputs", "accuracy in %")
SAMPLES = ("--samples", "15000", "--burn-in", "5000")
SETS = (("Ionosphere", ("4.3", "9", "91.5"), ("ionosphere.csv",), "500"), ("Pima", ("4", "7", "78.9"), ("pima_tr.csv", "pima_te.csv"), "60"), ("Wine", ("4.4", "8", "100"), ("wine_recognition.csv",), "500"))
MLP = {"Ionosphere": "95.5, 4", "Pima": "79.8, 8", "Wine": "96.8, 2"}
WHY = {"Ionosphere": "lambda and the split are lost in the text; 33 inputs are the limit of the sampler: chains do not agree after 15,000 samples, and the result says so; four tempered chains reach larger sets than one",
       "Pima": "lambda is lost in the text and drives the number of inputs (1, 2, 4, 10 give about 2.3, 2.5, 3.5, 5.3); an independent implementation has 3.51 with lambda 4",
       "Wine": "the paper uses 125 of the 178 rows and does not say which; 62 training rows leave several subsets equally good, and accuracy is 84 to 100 over splits; four tempered chains reach larger sets than one"}


def paper(lab):
    runs = {}
    if lab.has("ionosphere.csv"):
        runs["Ionosphere"] = [lab.select(lab.split("ionosphere.csv", 175, s), "--method", "rjmcmc", "--kernels", "6", "--temperatures", "9", *SAMPLES) for s in (1, 2)]
    if lab.has("pima_tr.csv", "pima_te.csv"):
        files = [lab.file(f, *lab.table(f)) for f in ("pima_tr.csv", "pima_te.csv")]
        runs["Pima"] = [lab.select(files, "--method", "rjmcmc", "--kernels", "3", *SAMPLES, "--seed", str(s)) for s in (1, 2, 3)]
    if lab.has("wine_recognition.csv"):
        runs["Wine"] = [lab.select(lab.split("wine_recognition.csv", 62, s, 125), "--method", "rjmcmc", "--kernels", "3", "--task", "classification", *SAMPLES) for s in (1, 2)]
    yield
    t = Table("Table 1", "15,000 samples with 5,000 of burn-in, as in the paper, four chains each with tempering, lambda 4. Pima: Ripley's split, three seeds; Wine and Ionosphere two random splits each.", " / ".join(NAMES))
    u = Table("Section 3, text", "How many different subsets the chains visited. The paper's is one chain without tempering.", "subsets visited")
    for name, p, files, visited in SETS:
        if name not in runs:
            t.rows.append(no_data(name + ", the sampler", zip(NAMES, p), "%s: not in the data folder" % " ".join(files)))
            u.rows.append(no_data(name, [("subsets", visited)], "not in the data folder"))
        else:
            r = [f.result() for f in runs[name]]
            b = [x["rjmcmc"] for x in r]
            ours = [x["size"]["mean"] for x in b], [x["size"]["max"] for x in b], [100 * (1 - x["error"]["test"]) for x in r]
            t.rows.append(Row(name + ", the sampler", [Cell(n, q, o, k) for n, q, o, k in zip(NAMES, p, ours, ("", "", "high"))], WHY[name]))
            count = [x["subsets_visited"] for x in b]
            mean = sum(count) / len(count)
            cell = Cell("subsets", "about " + visited, [], exact=", ".join(map(str, count)), good=MET if abs(mean / float(visited) - 1) <= 0.1 else DIFFERS)
            u.rows.append(Row(name, [cell], "four tempered chains see more of the space than one that stays near where it began"))
        t.rows.append(not_ours(name + ", MLP with ARD", [("accuracy, own errors", MLP[name])], "R. Neal's software, the paper's rival; no part of tamis"))
    yield t
    yield u
    for name in runs:
        yield Figure("Figure 1, " + name, "Posterior probability of the inputs, and of the ten most probable subsets (first run).", figure(runs[name][0].result()["rjmcmc"]))


def figure(b):
    inputs = sorted(b["inclusion"], key=lambda i: -i["probability"])[:13]
    subsets = b["subsets"][:10]
    return picture(Panel("inputs", "", "probability", 430, 300).bars(range(1, len(inputs) + 1), [i["probability"] for i in inputs], [i["name"][:14] for i in inputs]),
                   Panel("subsets", "", "probability", 430, 300).bars(range(1, len(subsets) + 1), [s["probability"] for s in subsets], [" ".join(n[:6] for n in s["inputs"])[:26] or "none" for s in subsets]))
