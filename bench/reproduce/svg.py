"""Small figures: panels with axes, points, lines, bars and fields."""
import math
from html import escape

INK, SOFT, LINE, FILL = "var(--ink)", "var(--soft)", "var(--line)", "var(--fill)"
TITLE = '<text x="%.1f" y="%.1f" class="t">%s</text>'
LABEL = '<text x="%.1f" y="%.1f" class="n" text-anchor="%s">%s</text>'
TURNED = '<text transform="translate(%.1f %.1f) rotate(%d)" class="n" text-anchor="%s">%s</text>'
FRAME = '<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="none" stroke="%s"/>'
POINT = '<circle cx="%.1f" cy="%.1f" r="1.7" fill="%s" fill-opacity=".6"/>'
CURVE = '<polyline points="%s" fill="none" stroke="%s" stroke-width="%s"/>'
BAR = '<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>'
MARK = '<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="%s" stroke-dasharray="3 3"/>'
CELL = '<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" fill-opacity="%.2f"/>'


def ticks(low, high, count=5):
    span = high - low or 1
    step = 10 ** math.floor(math.log10(span / count))
    step *= min((1, 2, 5, 10), key=lambda m: abs(span / (step * m) - count))
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, int(math.floor(high / step + 1e-9)) + 1)]


def short(x):
    return "0" if abs(x) < 1e-12 else "%.4g" % x


class Panel:
    def __init__(self, title, x="", y="", width=320, height=230, log_x=False):
        self.title, self.x, self.y, self.width, self.height, self.log_x = title, x, y, width, height, log_x
        self.shapes, self.at = [], [[], []]
        self.names, self.foot = None, 38

    def see(self, xs, ys):
        self.at[0] += list(xs)
        self.at[1] += list(ys)
        return self

    def points(self, xs, ys, soft=False):
        self.shapes.append(("points", list(xs), list(ys), soft))
        return self.see(xs, ys)

    def line(self, xs, ys, soft=False):
        self.shapes.append(("line", list(xs), list(ys), soft))
        return self.see(xs, ys)

    def bars(self, xs, ys, names=None):
        self.shapes.append(("bars", list(xs), list(ys), False))
        self.names = names
        self.foot = 18 + 3.6 * max(map(len, names)) if names else 38
        return self.see([min(xs) - 0.5, max(xs) + 0.5], list(ys) + [0])

    def mark(self, x, soft=True):
        self.shapes.append(("mark", [x], [], soft))
        return self

    def field(self, xs, ys, values):
        """values[j][i] at xs[i], ys[j]: darker is smaller."""
        self.shapes.append(("field", xs, ys, values))
        return self.see([min(xs), max(xs)], [min(ys), max(ys)])

    def draw(self, left, top):
        w, h = self.width - 62, self.height - 24 - self.foot
        fx = (lambda v: math.log10(v)) if self.log_x else (lambda v: v)
        lx, hx = min(map(fx, self.at[0])), max(map(fx, self.at[0]))
        ly, hy = min(self.at[1]), max(self.at[1])
        room = 0 if any(s[0] == "field" for s in self.shapes) else 0.04
        lx, hx = lx - room * (hx - lx or 1), hx + room * (hx - lx or 1)
        floor = ly < 0 or room and min(self.at[1]) > 0
        ly, hy = (ly - room * (hy - ly or 1) if floor else ly), hy + room * (hy - ly or 1)
        X = lambda v: left + 50 + w * (fx(v) - lx) / (hx - lx or 1)
        Y = lambda v: top + 24 + h * (1 - (v - ly) / (hy - ly or 1))
        out = [TITLE % (left + 50, top + 14, escape(self.title))]
        for s in self.shapes:
            out.append(self.shape(s, X, Y, fx, lx, hx, ly, hy, w, h))
        out.append(FRAME % (left + 50, top + 24, w, h, LINE))
        out += [LABEL % (left + 45, Y(v) + 3.5, "end", short(v)) for v in ticks(ly, hy)]
        if self.names:
            for i, n in enumerate(self.names):
                out.append(TURNED % (X(i + 1) + 3, top + h + 36, -35, "end", escape(n)))
        else:
            for v in ticks(lx, hx):
                x = left + 50 + w * (v - lx) / (hx - lx or 1)
                out.append(LABEL % (x, top + h + 38, "middle", short(10 ** v if self.log_x else v)))
        out.append(LABEL % (left + 50 + w / 2, top + h + 55, "middle", escape(self.x)))
        out.append(TURNED % (left + 10, top + 24 + h / 2, -90, "middle", escape(self.y)))
        return "\n".join(out)

    @staticmethod
    def shape(s, X, Y, fx, lx, hx, ly, hy, w, h):
        kind, xs, ys, soft = s
        colour = SOFT if soft is True else INK
        if kind == "points":
            return "".join(POINT % (X(a), Y(b), colour) for a, b in zip(xs, ys))
        if kind == "line":
            points = " ".join("%.1f,%.1f" % (X(a), Y(b)) for a, b in zip(xs, ys))
            return CURVE % (points, colour, 0.8 if soft else 1.6)
        if kind == "bars":
            wide = max(1.0, 0.7 * w / (hx - lx))
            return "".join(BAR % (X(a) - wide / 2, min(Y(b), Y(0)), wide, abs(Y(b) - Y(0)), FILL)
                           for a, b in zip(xs, ys))
        if kind == "mark":
            return MARK % (X(xs[0]), X(xs[0]), Y(ly), Y(hy), SOFT)
        values = [v for row in soft for v in row if v is not None]
        low, high = min(values), max(values)
        out, bw, bh = [], w / len(xs), h / len(ys)
        for j, row in enumerate(soft):
            for i, v in enumerate(row):
                if v is not None:
                    dark = 1 - 0.95 * (v - low) / (high - low or 1)
                    out.append(CELL % (X(xs[0]) + bw * i, Y(ys[0]) - bh * (j + 1), bw + 0.3, bh + 0.3, FILL, dark))
        return "".join(out)


def picture(*panels, across=3):
    rows = [panels[i:i + across] for i in range(0, len(panels), across)]
    width, height = max(sum(p.width for p in r) for r in rows), sum(max(p.height for p in r) for r in rows)
    parts, top = [], 0
    for r in rows:
        left = 0
        for p in r:
            parts.append(p.draw(left, top))
            left += p.width
        top += max(p.height for p in r)
    return '<svg viewBox="0 0 %d %d" width="%d" role="img" xmlns="http://www.w3.org/2000/svg">%s</svg>' % (
        width, height + 8, width, "\n".join(parts))
