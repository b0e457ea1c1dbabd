"""Curves on two logarithmic axes as SVG, readable on light and dark pages."""
import math
from xml.sax.saxutils import escape

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7f7f7f"]         # safe for the colour-blind
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 380, 64, 34, 230, 46


def ticks(low, high):
    """1, 10, 100, ... within the range; with 2 and 5 when there would be few."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    tens = [10.0 ** k for k in decades if low <= 10.0 ** k <= high]
    return tens if len(tens) > 2 else [m * 10.0 ** k for k in decades for m in (1, 2, 5) if low <= m * 10.0 ** k <= high]


def text(x, y, s, **more):
    return '<text x="%.1f" y="%.1f" %s>%s</text>' % (x, y, " ".join('%s="%s"' % (k.replace("_", "-"), v) for k, v in more.items()), escape(s))


def spread_out(wanted, gap=14):
    """Heights of labels, in their order, at least a gap apart."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    at, last = list(wanted), -1e9
    for i in order:
        at[i] = last = max(wanted[i], last + gap)
    over = max(at, default=0) - (HEIGHT - BOTTOM)
    return [y - max(over, 0) for y in at]


def curves(title, x_name, y_name, lines, kin):
    """lines: {name: [(x, y)]}; names that start with tamis are solid, others dashed; kin(name): the number of its colour."""
    xs, ys = [x for line in lines.values() for x, _ in line], [y for line in lines.values() for _, y in line]
    x0, x1, y0, y1 = min(xs) / 1.1, max(xs) * 1.1, min(ys) / 1.5, max(ys) * 1.5
    px = lambda x: LEFT + (WIDTH - LEFT - RIGHT) * math.log(x / x0) / math.log(x1 / x0)
    py = lambda y: HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * math.log(y / y0) / math.log(y1 / y0)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">' % (WIDTH, HEIGHT, escape(title)),
           '<style>text{font:12px sans-serif;fill:#222}.grid{stroke:#ccc;stroke-width:.7}.back{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}.back{fill:#161616}}</style>',
           '<rect class="back" width="%d" height="%d"/>' % (WIDTH, HEIGHT), text(LEFT, 20, title, font_weight="bold")]
    for v in sorted(set(xs)):
        out += ['<line class="grid" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>' % (px(v), px(v), TOP, HEIGHT - BOTTOM), text(px(v), HEIGHT - BOTTOM + 16, "%g" % v, text_anchor="middle")]
    for v in ticks(y0, y1):
        out += ['<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>' % (LEFT, WIDTH - RIGHT, py(v), py(v)), text(LEFT - 6, py(v) + 4, "%g" % v, text_anchor="end")]
    out += [text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_name, text_anchor="middle"), text(0, 0, y_name, text_anchor="middle", transform="translate(14 %.0f) rotate(-90)" % ((TOP + HEIGHT - BOTTOM) / 2))]
    labels = spread_out([py(line[-1][1]) for line in lines.values()])
    for k, (name, line) in enumerate(lines.items()):
        colour, dash = COLOURS[kin(name) % len(COLOURS)], "" if name.startswith("tamis") else ' stroke-dasharray="5 4"'
        out.append('<polyline fill="none" stroke="%s" stroke-width="2"%s points="%s"/>' % (colour, dash, " ".join("%.1f,%.1f" % (px(x), py(y)) for x, y in line)))
        out += ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (px(x), py(y), colour) for x, y in line]
        end = px(line[-1][0])
        out.append('<line x1="%.1f" x2="%d" y1="%.1f" y2="%.1f" stroke="%s" stroke-width=".7" stroke-dasharray="1 2"/>' % (end, WIDTH - RIGHT + 8, py(line[-1][1]), labels[k], colour))
        out.append('<text x="%d" y="%.1f" style="fill:%s">%s</text>' % (WIDTH - RIGHT + 12, labels[k] + 4, colour, escape(name)))
    return "\n".join(out + ["</svg>", ""])
