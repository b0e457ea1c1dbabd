"""What a difference from the paper comes from. A row has our numbers with the method as its paper prints it
(--as-published) and with our defaults. Of a number of ours that is not the paper's,

    the paper's settings close   the share (|ours - paper| - |as published - paper|) / |ours - paper| of the gap;
    what is left                 is the distance of the paper's number from the mean as published, in standard
                                 deviations over the splits, and the share of splits below it: what the choice of split
                                 could explain.
"""
import statistics


def numbers(cell):
    return [float(v) for v in cell.ours]


def place(cell):
    """Where the paper's number lies in the distribution over splits."""
    ours, paper = numbers(cell), float(cell.paper)
    if len(ours) < 2:
        return ""
    below = sum(v < paper for v in ours) + 0.5 * sum(v == paper for v in ours)
    share, spread = 100 * below / len(ours), statistics.stdev(ours)
    if spread == 0:
        return "not the value that all %d splits have" % len(ours)
    return "%.1f sd from the mean, above %.0f %% of %d splits" % (abs(statistics.mean(ours) - paper) / spread, share,
                                                                  len(ours))


def closed(published, ours):
    """Share of the gap that the paper's settings close; None without a gap."""
    paper = float(ours.paper)
    before, after = (abs(statistics.mean(numbers(c)) - paper) for c in (ours, published))
    return (before - after) / before if before > 0 else None


def of_cell(published, ours):
    share = closed(published, ours)
    if share is None:
        return ""
    text = ("the paper's settings close %.0f %% of the gap" % (100 * share) if share >= 0.005 else
            "the paper's settings widen the gap by %.0f %%" % (-100 * share) if share <= -0.005 else
            "the paper's settings do not change it")
    where = place(published)
    return "%s: %s%s" % (ours.name, text, "; as published, the paper's number is " + where if where else "")


def counted(cell):
    try:
        float(cell.paper)
    except ValueError:
        return False
    return len(cell.ours) > 0


def explain(row, met):
    """One sentence for every number of a row that is not met, where both forms have run."""
    pairs = {c.name: c for c in row.published if counted(c)}
    out = []
    for c in row.cells:
        if not counted(c) or c.verdict() == met:
            continue
        where = place(c)
        alone = "%s: the paper's number is %s" % (c.name, where) if where else ""
        text = of_cell(pairs[c.name], c) if c.name in pairs else alone
        if text:
            out.append(text)
    return "; ".join(out)
