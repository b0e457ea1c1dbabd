#!/usr/bin/env python3
"""The tables of the tutorials, whose right answers are known because they are made here.
usage: tables.py planes|spectra|plant|customers > TABLE.csv"""
import csv, math, random, sys


def planes(r):
    """40 flights of paper planes. The distance has its best angle at 20 degrees and falls with the paper clips."""
    yield "angle", "clips", "length", "colour", "day", "distance"
    for _ in range(40):
        angle, clips, length = r.randrange(0, 41), r.randrange(0, 5), r.randrange(18, 31)
        distance = 9 - 0.012 * (angle - 20) ** 2 - 0.6 * clips + r.gauss(0, 0.5)
        yield angle, clips, length, r.choice(("red", "blue", "white")), r.choice(("Mon", "Wed", "Fri")), round(distance, 1)


def spectra(r):
    """90 spectra of 80 channels: broad bands of water, fat and starch, a slope and scatter of each sample's own."""
    nm = [1000 + 10 * k for k in range(80)]
    bands = ((1450, 90, "water"), (1210, 45, "fat"), (1580, 60, "starch"))
    yield [*nm, "fat"]
    for _ in range(90):
        share = {"water": r.uniform(0.4, 0.8), "fat": r.uniform(0.02, 0.3), "starch": r.uniform(0.05, 0.3)}
        gain, slope = r.gauss(1, 0.05), r.gauss(0, 0.05)
        row = []
        for x in nm:
            bumps = sum(share[name] * math.exp(-(((x - at) / width) ** 2)) for at, width, name in bands)
            row.append(round(gain * bumps + slope * (x - 1000) / 800 + r.gauss(0, 0.002), 4))
        yield [*row, round(100 * share["fat"] + r.gauss(0, 0.3), 2)]


def plant(r):
    """600 ten-minute steps of a plant. Power follows the flow 2 steps and the square of the valve 5 steps earlier."""
    yield "time", "flow", "valve", "ambient", "vibration", "power"
    flow, valve, ambient = [0.0], [0.0], [15.0]
    for t in range(600):
        flow.append(0.8 * flow[-1] + r.gauss(0, 1))
        valve.append(0.85 * valve[-1] + r.gauss(0, 0.6))
        ambient.append(15 + 5 * math.sin(2 * math.pi * t / 144) + r.gauss(0, 0.3))
        past = lambda x, k: x[max(0, len(x) - 1 - k)]
        power = 50 + 3 * past(flow, 2) - 2 * past(valve, 5) ** 2 + r.gauss(0, 1)
        clock = "2024-03-%02d %02d:%02d" % (1 + t // 144, t % 144 // 6, t % 6 * 10)
        yield (clock, *(round(x[-1], 2) for x in (flow, valve, ambient)), round(r.gauss(0, 1), 2), round(power, 1))


def customers(r):
    """1500 customers, one in six of whom leaves: by plan, months and calls; a tenth of the incomes is missing."""
    yield "customer", "plan", "region", "months", "calls", "income", "age", "channel", "leaves"
    for k in range(1500):
        plan = r.choice(("monthly", "monthly", "yearly", "two-year"))
        months, calls = 1 + int(r.expovariate(1 / 20)), sum(r.random() < 0.15 for _ in range(10))
        income = round(r.lognormvariate(10.3, 0.4), -2)
        logit = {"monthly": -0.6, "yearly": -2.6, "two-year": -4.2}[plan] - 0.06 * months + 0.45 * calls
        leaves = "yes" if r.random() < 1 / (1 + math.exp(-logit)) else "no"
        yield (7001 + 3 * k, plan, r.choice("NESW"), months, calls, "" if r.random() < 0.1 else int(income),
               r.randrange(18, 80), r.choice(("web", "shop", "phone")), leaves)


if __name__ == "__main__":
    makers = {f.__name__: f for f in (planes, spectra, plant, customers)}
    if len(sys.argv) != 2 or sys.argv[1] not in makers:
        sys.exit(__doc__)
    csv.writer(sys.stdout, lineterminator="\n").writerows(makers[sys.argv[1]](random.Random(1)))
