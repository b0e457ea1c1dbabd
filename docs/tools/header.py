#!/usr/bin/env python3
"""The reference of the C library, made from include/tamis.h: usage header.py > c.md (for Sphinx with myst-parser).
The header is read as sections (/* ---- name ---- */) of groups. A group ends at a blank line or at the next comment of its
own; its comment is the text above its declarations, and a comment behind a declaration is what is said of that one."""
import os, re, sys

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include", "tamis.h")
PART = re.compile(r"""/\*[ ]----[ ](?P<section>.*?)[ ]----[ ]\*/\n
    | (?P<blank>\n)
    | (?P<skip>\#.*\n | struct[ ]\w+;\n)
    | /\*(?P<comment>.*?)\*/\s*?\n
    | (?P<code>[^;{/]*(?:\{.*?\n\})?[^;{]*;)(?:[ ]*/\*(?P<behind>.*?)\*/)?[ ]*\n""", re.X | re.S)
NAME = re.compile(r"\btamis_\w+")


def words(comment):
    return " ".join(re.sub(r"^\s*\* ?", "", line).strip() for line in comment.split("\n")).strip()


def text(comment, functions):
    """A comment as Markdown: what is in backquotes stays, names of the library become code or links."""
    def plain(piece):
        piece = re.sub(r"([*<>|\[\]])", r"\\\1", piece)
        return NAME.sub(lambda m: ("{c:func}`%s`" if m.group() in functions else "`%s`") % m.group(), piece)
    pieces = re.split(r"(`[^`]*`)", words(comment))
    return "".join(p if p.startswith("`") else plain(p) for p in pieces)


def declaration(code, said):
    """A declaration as a directive of Sphinx's C domain, with what is said of it."""
    flat = " ".join(code.replace("TAMIS_API", "").rstrip(";").split())
    if "{" in code:
        if code.startswith("enum"):                                     # a tag, which may be the name of a function too
            return "```c\n%s\n```\n" % code.strip()
        return "````{c:type} %s\n%s\n\n```c\n%s\n```\n````\n" % (re.search(r"\}\s*(\w+)", code)[1], said, code.strip())
    if flat.startswith("typedef struct"):
        return "````{c:type} %s\n%s\n````\n" % (flat.split()[-1], said)
    kind = "c:type" if flat.startswith("typedef") else "c:function"
    return "````{%s} %s\n%s\n````\n" % (kind, flat.replace("typedef ", ""), said)


def introduction(comment):
    """The head of the header: prose, and the example that is set in by four blanks."""
    lines = [re.sub(r"^ \* ?", "", line) for line in comment.strip().split("\n")]
    code = [k for k, line in enumerate(lines) if line.startswith("    ")]
    before, after = lines[:code[0]], lines[code[-1] + 1:]
    example = "\n".join(line[4:] for line in lines[code[0]:code[-1] + 1])
    return "%s\n\n```c\n%s\n```\n\n%s\n" % ("\n".join(before).strip(), example, "\n".join(after).strip())


def reference(header):
    head, body = header.split("#ifndef TAMIS_H", 1)
    functions = set(re.findall(r"\b(tamis_\w+)\(", body))
    out = ["# The C library\n", introduction(head.strip()[2:-2]),
           "Compile with `cc program.c $(pkg-config --cflags --libs tamis)`.\n"]
    body = body[body.index("/* ----"):body.rindex("#ifdef __cplusplus")]
    at = 0
    while at < len(body):
        m = PART.match(body, at)
        if not m:
            sys.exit("header.py: cannot read tamis.h at: " + body[at:at + 80])
        at = m.end()
        if m["section"]:
            out.append("## %s\n" % (m["section"][0].upper() + m["section"][1:]))
        elif m["comment"]:
            out.append(text(m["comment"], functions) + "\n")
        elif m["code"]:
            out.append(declaration(m["code"], text(m["behind"] or "", functions)))
    return "\n".join(out)


if __name__ == "__main__":
    with open(HEADER, encoding="utf-8") as f:
        print(reference(f.read()))
