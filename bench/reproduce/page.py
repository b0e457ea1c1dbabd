"""The page in Markdown (tables) and in HTML (tables and figures)."""
import platform, re, subprocess
from html import escape
from lab import TAMIS
from verdict import DIFFERS, MET, NO_DATA, OTHERS, WITHIN, Table

WORDS = (MET, WITHIN, DIFFERS, NO_DATA, OTHERS)
ABOUT = (
    "Every table and figure of the five papers, reproduced with the command line. *met*: our number, rounded as in the "
    "paper, is the same or better; *within spread*: the paper's number lies between our smallest and largest over "
    "splits or draws, or within two standard deviations of our mean; *differs*: neither, with a reason; *no data*: the "
    "data is unavailable; *not ours*: a rival's number, cited. A row is as good as its worst number. No verdict "
    "depends on time. *As published* is the method with `--as-published`: the paper's algorithm, solver, chains, grids "
    "and stopping, with misprints repaired; its verdict comes first, then that of our defaults. A difference is "
    "explained by the share of the gap that the paper's settings close, and by where the paper's number lies among the "
    "splits.")
TITLE = "The papers, reproduced"


def count(items, published=False):
    """Verdicts of our defaults, or as published, where that has been run."""
    rows = [r.verdict_published() if published else r.verdict() for t in items if isinstance(t, Table) for r in t.rows]
    return {w: rows.count(w) for w in WORDS}


def summary(counts):
    return ", ".join("%d %s" % (n, w) for w, n in counts.items() if n)


def machine():
    version = subprocess.run([TAMIS, "--version"], capture_output=True, text=True).stdout.split("\n")
    return "%s; %s; %s" % (version[0], version[1], platform.machine())


def bar(text):
    return text.replace("|", "\\|")


def both(r):
    """The verdict as published, if that is another row, and that of ours."""
    first = r.verdict_published()
    return r.verdict() if r.verdict_is or not first else "%s / %s" % (first, r.verdict())


def lines(papers):
    """Title, form and counts: a line for our defaults, and one as published."""
    for module, items in papers:
        for form, published in (("ours", False), ("as published", True)):
            yield module.TITLE, form, count(items, published)


def markdown_item(t):
    if not isinstance(t, Table):
        return ["", "**%s.** %s" % (t.title, t.about)]
    head = ["", "**%s.** %s Numbers: %s." % (t.title, t.about, t.columns), "",
            "| row | paper | as published | ours | verdict | what explains the difference |",
            "|---|---|---|---|---|---|"]
    rows = ((r.label, r.paper(), r.as_published(), r.ours(), both(r), r.reason()) for r in t.rows)
    return head + ["| %s | %s | %s | %s | %s | %s |" % tuple(map(bar, row)) for row in rows]


def markdown(papers, lab):
    out = ["# " + TITLE, "",
           "`make reproduce` writes this page; build/reproduce/index.html also has the figures. " + ABOUT, "",
           "%s." % machine(), "", "| paper | form | rows | " + " | ".join(WORDS) + " |",
           "|---|---|---|" + "---|" * len(WORDS)]
    for title, form, c in lines(papers):
        out.append("| %s | %s | %d | %s |" % (title, form, sum(c.values()), " | ".join(str(c[w]) for w in WORDS)))
    for module, items in papers:
        out += ["", "## " + module.TITLE]
        for t in items:
            out += markdown_item(t)
    return "\n".join(out) + "\n"


STYLE = """
:root{--ink:#1b4f72;--soft:#b0895a;--line:#999;--fill:#2e7aa8;--back:#fff;--text:#1a1a1a;--rule:#ddd;--met:#1e7b3a;
--within:#7a6a00;--differs:#b03020;--none:#777}
@media (prefers-color-scheme:dark){:root{--ink:#8ecae6;--soft:#d9a95b;--line:#777;--fill:#5fa8d3;--back:#16181b;
--text:#e4e4e4;--rule:#333;--met:#6fcf87;--within:#d8c14a;--differs:#ff8a75;--none:#999}}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:1080px;padding:0 1rem;background:var(--back);
color:var(--text)}
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:3rem;border-top:1px solid var(--rule);padding-top:1rem}
h3{font-size:1rem;margin:1.6rem 0 .2rem}
table{border-collapse:collapse;width:100%;font-size:13.5px}
th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid var(--rule);vertical-align:top}
td:nth-child(2),td:nth-child(3),td:nth-child(4){font-variant-numeric:tabular-nums}
td.why{color:var(--none)}.met{color:var(--met)}.within{color:var(--within)}.differs{color:var(--differs)}
.no,.not{color:var(--none)}p.about{margin:.1rem 0 .5rem;color:var(--none)}
svg{max-width:100%;height:auto;margin:.5rem 0}svg .t{font:600 12px system-ui,sans-serif;fill:var(--text)}
svg .n{font:10.5px system-ui,sans-serif;fill:var(--none)}
@media print{body{max-width:none}h2{break-before:page}}
"""


def emphasis(text):
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", re.sub(r"\*([^*]+)\*", r"<em>\1</em>", escape(text)))


def html_row(r):
    v = r.verdict()
    return "<tr><td>%s<td>%s<td>%s<td>%s<td class=%s>%s<td class=why>%s" % (
        escape(r.label), escape(r.paper()), escape(r.as_published()), escape(r.ours()), v.split()[0], both(r),
        escape(r.reason()))


def html_item(t):
    if not isinstance(t, Table):
        return "<h3>%s</h3><p class=about>%s<div>%s</div>" % (escape(t.title), emphasis(t.about), t.svg)
    return "<h3>%s</h3><p class=about>%s Numbers: %s.%s%s</table>" % (
        escape(t.title), emphasis(t.about), escape(t.columns),
        "<table><tr><th>row<th>paper<th>as published<th>ours<th>verdict<th>what explains the difference",
        "".join(map(html_row, t.rows)))


def html(papers, lab):
    out = ["<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
           "<title>%s</title><style>%s</style><h1>%s</h1><p>%s<p>%s."
           % (TITLE, STYLE, TITLE, emphasis(ABOUT), escape(machine())),
           "<table><tr><th>paper<th>form<th>rows" + "".join("<th>" + w for w in WORDS)]
    for i, (title, form, c) in enumerate(lines(papers)):
        cells = "".join("<td>%d" % c[w] for w in WORDS)
        out.append("<tr><td><a href='#p%d'>%s</a><td>%s<td>%d%s"
                   % (i // 2, escape(title), form, sum(c.values()), cells))
    out.append("</table>")
    for i, (module, items) in enumerate(papers):
        out.append("<h2 id=p%d>%s</h2>" % (i, escape(module.TITLE)))
        out += map(html_item, items)
    return "\n".join(out) + "\n"
