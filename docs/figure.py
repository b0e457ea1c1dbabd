#!/usr/bin/env python3
"""The figure in the README, from a real run: usage docs/figure.py RESULT.json > docs/img/boston.svg"""
import html, json, sys

SVG = ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="system-ui, '
       'sans-serif" font-size="13">')
NAME = '<text x="%d" y="%d" text-anchor="end" fill="%s">%s</text>'
BAR = '<rect x="%d" y="%d" width="%.1f" height="14" rx="2" fill="%s"/>'
GRID = '<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#e5e5e5"/>'
LEVEL = '<text x="%d" y="%.1f" text-anchor="end" fill="#666">%.2f</text>'
SIZE = '<text x="%.1f" y="%d" text-anchor="middle" fill="#666">%d</text>'
CHOSEN = ('<circle cx="%.1f" cy="%.1f" r="5" fill="#d55e00"/>'
          '<text x="%.1f" y="%.1f" text-anchor="middle" fill="#d55e00">%d chosen: %.3f</text></svg>')

r = json.load(open(sys.argv[1]))
inputs = sorted((i for i in r["inputs"] if i["rank"]), key=lambda i: -(i["importance"] or 0))[:20]
ROW, LEFT, WIDTH, PLOT = 22, 90, 300, 340
height = 70 + ROW * len(inputs)
most = max(max(i["importance"] or 0, 0) for i in inputs)
out = [SVG % ((LEFT + WIDTH + PLOT + 150, height) * 2),
       '<rect width="100%" height="100%" fill="white"/>'
       '<text x="10" y="24" font-weight="bold">Importance of each input</text>']
for k, i in enumerate(inputs):
    y = 44 + ROW * k
    w = WIDTH * (max(i["importance"] or 0, 0)) / most
    out.append(NAME % (LEFT - 8, y + 12, "#222" if i["selected"] else "#999", html.escape(i["name"]))
               + BAR % (LEFT, y + 1, w, "#0072b2" if i["selected"] else "#ccc"))
path = [s for s in r["path"] if s["size"]]
x0, y0, h = LEFT + WIDTH + 100, 50, height - 100
values = [s["criterion"] for s in path]
lo, hi = 0, max(values)
px = lambda s: x0 + PLOT * (s["size"] - 1) / max(1, max(p["size"] for p in path) - 1)
py = lambda v: y0 + h * (1 - (v - lo) / (hi - lo))
out.append('<text x="%d" y="24" font-weight="bold">Error along the path</text>' % (x0 - 40))
for t in range(5):
    v = hi * t / 4
    out.append(GRID % (x0, x0 + PLOT, py(v), py(v)) + LEVEL % (x0 - 8, py(v) + 4, v))
for s in path:
    if s["size"] % max(1, len(path) // 7) == 1 or len(path) < 15:
        out.append(SIZE % (px(s), y0 + h + 18, s["size"]))
out.append('<text x="%d" y="%d" text-anchor="middle" fill="#666">inputs</text>' % (x0 + PLOT / 2, y0 + h + 36))
out.append('<polyline fill="none" stroke="#0072b2" stroke-width="2" points="%s"/>'
           % " ".join("%.1f,%.1f" % (px(s), py(s["criterion"])) for s in path))
c = r["path"][r["chosen_step"]]
out.append(CHOSEN % (px(c), py(c["criterion"]), px(c), py(c["criterion"]) + 22, c["size"], c["criterion"]))
print("\n".join(out))
