"""Curves on two logarithmic axes as SVG, readable on light and dark pages."""
import math
from xml.sax.saxutils import escape

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7f7f7f"]         # safe for the colour-blind
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 380, 64, 34, 230, 46
STYLE = ("<style>text{font:12px sans-serif;fill:#222}.grid{stroke:#ccc;stroke-width:.7}.back{fill:#fff}"
         "@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}.back{fill:#161616}}</style>")
GRID_X = '<line class="grid" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>'
GRID_Y = '<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>'
CURVE = '<polyline fill="none" stroke="%s" stroke-width="2"%s points="%s"/>'
LEADER = '<line x1="%.1f" x2="%d" y1="%.1f" y2="%.1f" stroke="%s" stroke-width=".7" stroke-dasharray="1 2"/>'


def ticks(low, high):
    """1, 10, 100, ... within the range; with 2 and 5 if there would be few."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    tens = [10.0 ** k for k in decades if low <= 10.0 ** k <= high]
    if len(tens) > 2:
        return tens
    return [m * 10.0 ** k for k in decades for m in (1, 2, 5) if low <= m * 10.0 ** k <= high]


def text(x, y, s, **more):
    attributes = " ".join('%s="%s"' % (k.replace("_", "-"), v) for k, v in more.items())
    return '<text x="%.1f" y="%.1f" %s>%s</text>' % (x, y, attributes, escape(s))


def spread_out(wanted, gap=14):
    """Heights of the labels, in their order, at least a gap apart."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    at, last = list(wanted), -1e9
    for i in order:
        at[i] = last = max(wanted[i], last + gap)
    over = max(at, default=0) - (HEIGHT - BOTTOM)
    return [y - max(over, 0) for y in at]


def curves(title, x_name, y_name, lines, kin):
    """lines: {name: [(x, y)]}; names that start with tamis are solid, others dashed; kin(name): index of its colour."""
    xs, ys = [x for line in lines.values() for x, _ in line], [y for line in lines.values() for _, y in line]
    x0, x1, y0, y1 = min(xs) / 1.1, max(xs) * 1.1, min(ys) / 1.5, max(ys) * 1.5
    px = lambda x: LEFT + (WIDTH - LEFT - RIGHT) * math.log(x / x0) / math.log(x1 / x0)
    py = lambda y: HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * math.log(y / y0) / math.log(y1 / y0)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">'
           % (WIDTH, HEIGHT, escape(title)), STYLE,
           '<rect class="back" width="%d" height="%d"/>' % (WIDTH, HEIGHT), text(LEFT, 20, title, font_weight="bold")]
    for v in sorted(set(xs)):
        out += [GRID_X % (px(v), px(v), TOP, HEIGHT - BOTTOM),
                text(px(v), HEIGHT - BOTTOM + 16, "%g" % v, text_anchor="middle")]
    for v in ticks(y0, y1):
        out += [GRID_Y % (LEFT, WIDTH - RIGHT, py(v), py(v)), text(LEFT - 6, py(v) + 4, "%g" % v, text_anchor="end")]
    turned = "translate(14 %.0f) rotate(-90)" % ((TOP + HEIGHT - BOTTOM) / 2)
    out += [text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_name, text_anchor="middle"),
            text(0, 0, y_name, text_anchor="middle", transform=turned)]
    labels = spread_out([py(line[-1][1]) for line in lines.values()])
    for k, (name, line) in enumerate(lines.items()):
        colour = COLOURS[kin(name) % len(COLOURS)]
        dash = "" if name.startswith("tamis") else ' stroke-dasharray="5 4"'
        out.append(CURVE % (colour, dash, " ".join("%.1f,%.1f" % (px(x), py(y)) for x, y in line)))
        out += ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (px(x), py(y), colour) for x, y in line]
        out.append(LEADER % (px(line[-1][0]), WIDTH - RIGHT + 8, py(line[-1][1]), labels[k], colour))
        out.append('<text x="%d" y="%.1f" style="fill:%s">%s</text>'
                   % (WIDTH - RIGHT + 12, labels[k] + 4, colour, escape(name)))
    return "\n".join(out + ["</svg>", ""])
