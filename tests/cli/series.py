#!/usr/bin/env python3
"""Time series: gaps, the baselines of time, predictions with their time. usage: series.py path/to/tamis [name...]"""
import datetime, json, math, os, random, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import bad, good, main, run, table

START = datetime.datetime(2024, 2, 26)


def values(n, seed=1):
    r, u, y = random.Random(seed), [], []
    for i in range(n):
        u.append(r.gauss(0, 1))
        y.append(2 * math.sin(math.pi * i / 12) + (0.6 * y[i - 1] if i else 0) + (0.5 * u[i - 2] if i > 1 else 0)
                 + 0.3 * r.gauss(0, 1))
    return u, y


def hourly(keep, form="%Y-%m-%d %H:%M", name="s.csv", step=datetime.timedelta(hours=1)):
    """The rows in `keep` of a series of so many hours; also as lists."""
    u, y = values(max(keep) + 1)
    table("when,u,y\n" + "".join("%s,%.6f,%.6f\n" % ((START + i * step).strftime(form), u[i], y[i]) for i in keep), name)
    return [round(u[i], 6) for i in keep], [round(y[i], 6) for i in keep]


def result(*args):
    """JSON and standard error of a quick run."""
    code, out, err = run("select", *args, "--method", "lars", "--json")
    assert code == 0, err
    return json.loads(out), err


def check_lags_do_not_cross_gaps():
    keep = [i for i in range(300) if not 100 <= i < 130 and i != 200]
    hourly(keep)
    r, err = result("s.csv", "--lags", "1:5")
    assert r["data"]["series"] == {"horizon": 1, "time": "when", "step": r["data"]["series"]["step"], "gaps": 2,
                                   "gap_rows": 10}, r["data"]
    assert abs(r["data"]["series"]["step"] - 1 / 24) < 1e-9
    assert r["data"]["rows"] == len(keep) - 15
    assert "2 gaps in 'when', the longest 31 h after 2024-03-01 03:00" in err and "leaves out 10 rows" in err, err
    across, err = result("s.csv", "--lags", "1:5", "--time", "none")
    assert across["data"]["rows"] == len(keep) - 5 and "gap" not in err and "time" not in across["data"]["series"]
    hourly(list(range(300)))
    whole, err = result("s.csv", "--lags", "1:5")
    assert whole["data"]["series"]["gaps"] == 0 and "gap" not in err
    # what the rows beside a gap would have taught is wrong
    assert r["error"]["selected"] < across["error"]["selected"], (r["error"], across["error"])


def check_the_plot_over_time_shows_the_time():
    keep = [i for i in range(300) if not 100 <= i < 130]
    hourly(keep)
    for more, first in (([], keep[5]), (["--holdout", "0.2"], None)):
        r, err = result("s.csv", "--lags", "1:5", *more)
        time = r["evidence"]["unseen"]["time"]
        assert time["column"] == "when" and time["date"] and len(time["values"]) == len(r["evidence"]["unseen"]["observed"])
        days = [datetime.datetime(1970, 1, 1) + datetime.timedelta(d) for d in time["values"]]
        assert days == sorted(days) and START <= days[0] and days[-1] <= START + datetime.timedelta(hours=300)
        if first:
            assert abs(days[0] - START - datetime.timedelta(hours=first)) < datetime.timedelta(seconds=1), days[0]
        json.dump(r, open("r.json", "w"))
        good("report", "r.json", "--plot", "p.svg", "--plot-what", "time")
        svg = open("p.svg").read()
        assert "when, 2024-0" in svg and ">2024-03-" in svg and svg.count('data-h="time|observed"') == (1 if more else 2), svg
    r, err = result("s.csv", "--lags", "1:5", "--time", "none")
    json.dump(r, open("r.json", "w"))
    good("report", "r.json", "--plot", "p.svg", "--plot-what", "time")
    assert "time" not in r["evidence"]["unseen"] and "in the order of time" in open("p.svg").read()


def check_prediction_skips_the_same_rows():
    keep = [i for i in range(300) if not 100 <= i < 130]
    hourly(keep)
    good("select", "s.csv", "--lags", "1:3", "--method", "lars", "--model", "m", "--quiet")
    good("export", "m", "--to", "json", "-o", "m.json")
    lines = good("predict", "m", "s.csv").split("\n")
    assert good("predict", "m.json", "s.csv").split("\n") == lines
    missing = [i for i, line in enumerate(lines[1:-1]) if line.split(",")[-1] == ""]
    assert missing == [0, 1, 2, 100, 101, 102], missing
    other = "\n".join(line.split(",", 1)[1] for line in open("s.csv").read().split("\n") if line) + "\n"
    code, out, err = run("predict", "m", table(other, "p.csv"))
    assert code == 0 and out.count("NA") == 3 and "no column 'when'" in err, (out, err)     # no gap is known


def check_predictions_carry_their_time():
    hourly(list(range(80)), form="%d.%m.%Y %H:%M")
    good("select", "s.csv", "--lags", "1:2", "--method", "lars", "--model", "m", "--quiet")
    with open("s.csv", "a") as f:
        f.write("NA,NA,NA\n")
    lines = good("predict", "m", "s.csv").split("\n")
    given = [line.split(",")[0] for line in open("s.csv").read().split("\n")]
    assert [line.split(",")[0] for line in lines] == given and lines[0] == "when,y", lines[:3]
    assert lines[-2].startswith("NA,") and len(lines[-2]) > 5           # the next value
    both = good("predict", "m", "s.csv", "--carry", "u,when").split("\n")
    assert both[0] == "when,u,y" and both[3].split(",")[:2] == open("s.csv").read().split("\n")[3].split(",")[:2]


def check_predictions_do_not_depend_on_blocks():
    """Gaps on either side of where the file is cut into blocks and chunks."""
    u, y = values(400)
    hourly([i for i in range(400) if i != 200])
    good("select", "s.csv", "--lags", "1:3", "--method", "lars", "--model", "m", "--quiet")
    head, *rows = open("s.csv").read().strip().split("\n")
    many = table("\n".join([head] + rows * 900) + "\n", "many.csv")      # time goes back 899 times
    once, all_rows = good("predict", "m", "s.csv").split("\n")[1:-1], good("predict", "m", many).split("\n")[1:-1]
    assert all_rows == once * 900


def check_steps_that_are_not_gaps():
    day = datetime.timedelta(days=1)
    working = [i for i in range(400) if (START + i * day).weekday() < 5]
    months = [(datetime.date(2000 + k // 12, k % 12 + 1, 1) - START.date()).days for k in range(120)]
    least = min(months)
    for name, keep in (("working", working), ("months", [m - least for m in months])):
        u, y = values(max(keep) + 1)
        table("day,u,y\n" + "".join("%s,%f,%f\n" % ((START + (i + least * (name == "months")) * day).date(), u[i], y[i])
                                    for i in keep), "d.csv")
        r, err = result("d.csv", "--lags", "1:4")
        assert r["data"]["series"]["gaps"] == 0 and r["data"]["rows"] == len(keep) - 4, (name, r["data"], err)
        assert ("steps of 'day' vary" in err) == (name == "working"), err


def check_other_orders_of_time():
    hourly(list(range(60)))
    head, *rows = open("s.csv").read().strip().split("\n")
    bad(3, "time runs backwards in 'when'; sort the rows", "select", table("\n".join([head] + rows[::-1]) + "\n", "b.csv"),
        "--lags", "1:3", "--method", "lars")
    random.Random(1).shuffle(rows)
    r, err = result(table("\n".join([head] + rows) + "\n", "b.csv"), "--lags", "1:3")
    assert "not in the order of 'when'" in err and "gaps" not in r["data"]["series"], err
    hourly(list(range(40)) + list(range(40)))           # two stations, one below the other
    r, err = result("s.csv", "--lags", "1:3")
    assert r["data"]["series"]["gaps"] == 1 and r["data"]["series"]["gap_rows"] == 3, r["data"]
    assert "does not move forward at 1 row" in err, err


def check_a_time_of_numbers():
    u, y = values(200)
    keep = [i for i in range(200) if i not in (50, 51, 120)]
    t = table("s,u,y\n" + "".join("%d,%f,%f\n" % (1700000000 + 60 * i, u[i], y[i]) for i in keep))
    r, err = result(t, "--lags", "1:2", "--time", "s")
    assert r["data"]["series"]["gaps"] == 2 and r["data"]["inputs"] == 4, r["data"]
    assert "the longest 180 after 1700002940" in err, err
    bad(2, "did you mean 'u'", "select", t, "--lags", "1:2", "--time", "U")
    bad(2, "--time needs --lags", "select", t, "--time", "s")
    bad(3, "not a date or number", "select", table("s,y\n" + "".join("%s,%d\n" % ("ab"[i % 2], i * i) for i in range(20))),
        "--lags", "1:2", "--time", "s")


def naive(y, keep, rows, back, scale):
    known = [i for i in rows if i >= back and keep[i] - keep[i - back] == back]
    return sum((y[i] - y[i - back]) ** 2 for i in known) / len(known) / scale ** 2, len(known)


def check_baselines():
    keep = [i for i in range(400) if not 150 <= i < 170]
    u, y = hourly(keep)
    for horizon, season in ((1, 24), (6, 24), (6, 6)):
        reach = 3 + horizon - 1
        rows = [i for i in range(reach, len(keep)) if keep[i] - keep[i - reach] == reach]
        r, err = result("s.csv", "--lags", "1:3", "--horizon", str(horizon), "--season", str(season), "--holdout", "0.25")
        e, n = r["error"], r["data"]["rows"]
        assert n + r["data"]["test_rows"] == len(rows), (n, len(rows))
        learn, test = rows[:n], rows[n:]
        mean = sum(y[i] for i in learn) / n
        scale = math.sqrt(sum((y[i] - mean) ** 2 for i in learn) / n)
        for key, back in (("persistence", horizon), ("seasonal", season)):
            for prefix, some in (("", learn), ("test_", test)):
                want, known = naive(y, keep, some, back, scale)
                assert abs(e[prefix + key] - want) < 1e-9 * want, (key, prefix, e, want)
        short = naive(y, keep, learn, season, scale)[1]
        assert ("known in %d of %d rows" % (short, n) in err) == (short < n), err
        assert r["data"]["series"]["season"] == season
        assert e["selected"] < e["persistence"]
    hours, err = result("s.csv", "--lags", "1:3", "--season", "24h")
    rows, err = result("s.csv", "--lags", "1:3", "--season", "24")
    assert hours["error"] == rows["error"] and hours["data"]["series"]["season"] == 24
    out = good("select", "s.csv", "--lags", "1:3", "--season", "1d", "--method", "lars", "--holdout", "0.2")
    assert "repeating the last known value" in out and "repeating 24 rows earlier" in out, out
    none, err = result("s.csv")
    assert "persistence" not in none["error"] and "series" not in none["data"]


def check_baselines_of_folds():
    keep = list(range(200))
    u, y = hourly(keep)
    r, err = result("s.csv", "--lags", "1:2", "--season", "24", "--outer", "2")
    half = len(keep[2:]) // 2
    parts, want = (keep[2:2 + half], keep[2 + half:]), {"persistence": 0, "seasonal": 0, "baseline": 0}
    for test, learn in (parts, parts[::-1]):
        mean = sum(y[i] for i in learn) / len(learn)
        scale = math.sqrt(sum((y[i] - mean) ** 2 for i in learn) / len(learn))
        want["baseline"] += sum((y[i] - mean) ** 2 for i in test) / len(test) / scale ** 2 / 2
        want["persistence"] += naive(y, keep, test, 1, scale)[0] / 2
        want["seasonal"] += naive(y, keep, test, 24, scale)[0] / 2
    for key in want:
        assert abs(r["outer"]["error"][key] - want[key]) < 1e-9 * want[key], (key, r["outer"]["error"], want)
    out = good("compare", "s.csv", "--lags", "1:2", "--season", "24", "--outer", "2", "--methods", "lars")
    assert "last known value" in out and "%.4g" % want["persistence"] in out and "one season earlier" in out, out


def check_baseline_of_classes():
    u, y = values(150)
    state = ["up" if v > 0 else "down" for v in y]
    t = table("u,state\n" + "".join("%f,%s\n" % z for z in zip(u, state)))
    r = json.loads(good("select", t, "--lags", "1:2", "--method", "search", "--criterion", "knn", "--json", "--quiet"))
    want = sum(state[i] != state[i - 1] for i in range(2, 150)) / 148
    assert abs(r["error"]["persistence"] - want) < 1e-12, (r["error"], want)


def check_seasons_that_cannot_be():
    hourly(list(range(100)))
    for season, what in (("90min", "1.5 steps of 'when'"), ("x", "expected rows, or a duration"), ("1.5", "expected rows"),
                         ("0", "expected rows"), ("2", "shorter than --horizon 3")):
        bad(2, what, "select", "s.csv", "--lags", "1:3", "--horizon", "3", "--season", season)
    bad(2, "needs a column of dates", "select", "s.csv", "--lags", "1:3", "--time", "none", "--season", "24h")
    bad(2, "--season needs --lags", "select", "s.csv", "--season", "24")


sys.exit(main(globals()))
