"""How processor time and memory grow with rows and inputs. A curve ends where its next point would exceed the limit."""
import math

ONE = ("--threads", "1")


def sisal(lab, f):
    return lab.tamis(f, "--method", "sisal", "--sigma2", "1:2000:4", "--regularization", "1e-8:1e3", *ONE)


def sisal_centres(lab, f):
    return lab.tamis(f, "--method", "sisal", "--sigma2", "10", "--regularization", "1e-8:1e3", "--centers", "500", *ONE)


def numpy_sisal(lab, f):
    return lab.python("numpy_sisal.py", f, "--sigma2", 1, 2000, "--widths", 4, "--gamma", "1e-8", "1e3", threads=1)


def lssvm(lab, f):
    return lab.tamis(f, "--method", "lssvm", "--sigma2", "1:1e4:8", "--gamma", "0.1:1e4:8", "--folds", "5", *ONE)


def delta(lab, f):
    return lab.tamis(f, "--method", "search", "--search", "forward", "--max-inputs", "5", *ONE)


CURVES = [  # name, package that it needs, run(lab, file)
    ("tamis sisal", None, sisal),
    ("tamis sisal, 500 centres", None, sisal_centres),
    ("NumPy sisal", "numpy", numpy_sisal),
    ("tamis lssvm", None, lssvm),
    ("GridSearchCV(KernelRidge)", "sklearn",
     lambda lab, f: lab.python("rivals.py", "kernel-ridge", f, "grid=8", "folds=5")),
    ("tamis search (Delta Test)", None, delta),
    ("NumPy Delta Test", "numpy", lambda lab, f: lab.python("numpy_delta.py", f, 5, threads=1)),
    ("tamis auto", None, lambda lab, f: lab.tamis(f, *ONE)),
    ("RFECV(random forest)", "sklearn", lambda lab, f: lab.python("rivals.py", "rfecv", f)),
]
# colours: tamis and its rival share one
KIN = {"tamis sisal": 0, "tamis sisal, 500 centres": 4, "NumPy sisal": 0, "tamis lssvm": 1,
       "GridSearchCV(KernelRidge)": 1, "tamis search (Delta Test)": 2, "NumPy Delta Test": 2, "tamis auto": 3,
       "RFECV(random forest)": 3}
ROWS, INPUTS = (100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600), (10, 20, 50, 100, 200, 500)
QUICK_ROWS, QUICK_INPUTS = (100, 200, 400), (10, 20, 40)


def points(lab, quick, by):
    if by == "rows":
        return [(n, lab.generate("friedman1", n, 1)) for n in (QUICK_ROWS if quick else ROWS)]
    sizes = QUICK_INPUTS if quick else INPUTS
    return [(d, lab.generate("friedman1", 200, 1, "--useless", str(d - 5))) for d in sizes]


def curve(lab, measure, files, limit):
    """[(size, cpu, MB)]"""
    found = []
    for size, file in files:
        if len(found) > 1:
            slope = max(slope_of(found), 1)
            if found[-1][1] * (size / found[-1][0]) ** slope > limit:
                break
        elif found and found[-1][1] > limit:
            break
        r = measure(lab, file)
        if not r:
            break
        found.append((size, max(r["cpu"], 1e-3), r["rss"]))
    return found


def slope_of(found):
    """The power of the size by which the time of the last two points grew."""
    (a, s, _), (b, t, _) = found[-2:]
    return math.log(t / s) / math.log(b / a)


def ahead(curves):
    """[(tamis, rival, size, ratio of their times)] at the largest size that both reached."""
    found = []
    for rival, points_of in curves.items():
        ours = next((n for n in curves if n.startswith("tamis") and n != rival and KIN[n] == KIN[rival]), None)
        if rival.startswith("tamis") or not ours:
            continue
        mine = {p[0]: p[1] for p in curves[ours]}
        both = [p for p in points_of if p[0] in mine]
        if both:
            found.append((ours, rival, both[-1][0], both[-1][1] / mine[both[-1][0]]))
    return found


def run(lab, quick):
    result = {}
    for by in ("rows", "inputs"):
        files = points(lab, quick, by)
        for name, needs, measure in CURVES:
            if needs and not lab.has[needs] or quick and name.startswith(("RFECV", "tamis auto", "tamis sisal,")):
                continue
            lab.say("growth with %s: %s" % (by, name))
            found = curve(lab, measure, files, 4 if quick else 8)
            if found:
                result.setdefault(by, {})[name] = found
    return result
