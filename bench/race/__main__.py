"""Speed and quality races, growth and limits in one run, and the page about them.
usage: python3 bench/race [quick] [speed|quality|growth|limits ...] [-o PAGE.md]
If parts are named, their results go to standard output and no page is written. Resumes a run that was stopped."""
import json, os, resource, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import growth, limits, page, quality, speed
from lab import ROOT, Lab, machine

PARTS = {"limits": limits, "speed": speed, "growth": growth, "quality": quality}


def kept(lab, name, part, quick):
    """The results of a part, read if the stopped run already had them."""
    path = os.path.join(lab.place, "part-%s-%s.json" % (name, lab.program))
    if os.path.exists(path):
        with open(path) as f:
            return json.load(f)
    result = part.run(lab, quick)
    with open(path + ".new", "w") as f:
        json.dump(result, f)
    os.replace(path + ".new", path)
    lab.keep_state()
    return json.loads(json.dumps(result))


def verdicts_of(results):
    found = {"%s: %s" % (race["title"], row["rival"]): row["verdict"]
             for race in results["speed"] for row in race["rows"] if "verdict" in row}
    found.update({row["name"]: row["verdict"] for row in results["quality"]["rows"]})
    return found


def compare_with_last(lab, verdicts):
    changed = [name for name in verdicts if name in lab.last and lab.last[name] != verdicts[name]]
    build = "" if lab.last.get("program") == lab.program else " (of another build)"
    words = "the same verdicts"
    if changed:
        words = "changed: " + "; ".join("%s (was: %s)" % (n, lab.last[n]) for n in changed)
    print("Compared with the previous run%s: %s" % (build, words))


def page_path(lab, words, quick):
    if "-o" in words:
        return words[words.index("-o") + 1]
    return os.path.join(lab.place if quick else os.path.join(ROOT, "docs"), "benchmarks.md")


def main():
    words = sys.argv[1:]
    quick = "quick" in words
    mode = "quick" if quick else "full"
    asked = [w for w in words if w in PARTS]
    lab = Lab(mode)
    if asked:
        for name in asked:
            print(json.dumps(PARTS[name].run(lab, quick), indent=1))
        return
    results = {name: kept(lab, name, part, quick) for name, part in PARTS.items()}
    out = page_path(lab, words, quick)
    page.write(out, machine(lab), mode, lab.seconds() / 60, results)
    verdicts = verdicts_of(results)
    lab.finish(dict(verdicts, program=lab.program))
    for name, verdict in verdicts.items():
        print("%s: %s" % (name, verdict))
    if lab.last:
        compare_with_last(lab, verdicts)
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("%.0f s, processor time %.0f s" % (lab.seconds(), use.ru_utime + use.ru_stime))
    print("Written: %s" % os.path.relpath(out, ROOT))


main()
