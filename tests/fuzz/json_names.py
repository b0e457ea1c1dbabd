"""Names of members, for the mutator of JSON: what the schemas describe and what the seeds contain.
usage: json_names.py OUT FILE.json...; files with other names are skipped"""
import json, sys


def names(v, found):
    if isinstance(v, dict):
        found.update(v)
        found.update(w for w in v.get("enum", []) if isinstance(w, str))
    for item in v.values() if isinstance(v, dict) else v if isinstance(v, list) else []:
        names(item, found)
    return found


found = set()
for path in [p for p in sys.argv[2:] if p.endswith(".json")]:
    with open(path) as f:
        names(json.load(f), found)
with open(sys.argv[1], "w") as f:
    f.write("static const char *const json_names[] = {\n")
    f.writelines("    %s,\n" % json.dumps(n) for n in sorted(found) if n and n.isascii() and not n.startswith("$"))
    f.write("};\n")
