#!/usr/bin/env python3
"""A notebook as a page: usage notebook.py NOTEBOOK.ipynb PAGE.md. Its cells are executed with nbclient, where that and
the package are installed, by this interpreter and in the folder of the notebook; the page then has what they show, and
pictures lie beside it. Otherwise the page has the code alone."""
import base64, json, os, re, sys, tempfile

BEST = ("text/html", "image/svg+xml", "image/png", "text/plain")


def executed(path):
    """The notebook with the outputs of its cells; an error in a cell is raised."""
    import nbformat
    from nbclient import NotebookClient
    with open(path, encoding="utf-8") as f:
        notebook = nbformat.read(f, as_version=4)
    packages = os.pathsep.join(map(os.path.abspath, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))))
    with tempfile.TemporaryDirectory() as folder:                       # a kernel that is this interpreter
        kernel = os.path.join(folder, "kernels", "here")
        os.makedirs(kernel)
        with open(os.path.join(kernel, "kernel.json"), "w", encoding="utf-8") as f:
            json.dump({"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
                       "env": {"PYTHONPATH": packages}, "display_name": "here", "language": "python"}, f)
        before = os.environ.get("JUPYTER_PATH")
        os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, (folder, before)))
        try:
            where = {"metadata": {"path": os.path.dirname(os.path.abspath(path))}}
            NotebookClient(notebook, timeout=300, kernel_name="here", resources=where).execute()
        finally:
            os.environ.pop("JUPYTER_PATH") if before is None else os.environ.update(JUPYTER_PATH=before)
    return notebook


def fenced(text, language):
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return "%s%s\n%s\n%s\n" % (fence, language, text.rstrip("\n"), fence)


def shown(output, page, count):
    """One output of a cell as Markdown."""
    if output["output_type"] == "stream":
        return fenced("".join(output["text"]), "text") if output["name"] == "stdout" else ""
    data = output.get("data", {})
    kind = next((kind for kind in BEST if kind in data), None)
    if kind is None:
        return ""
    content = "".join(data[kind])
    if kind == "text/html":                             # one line: a blank one would end it
        return '<div class="output">%s</div>\n' % re.sub(r"\s*\n\s*", " ", content.strip())
    if kind == "text/plain":
        return fenced(content, "text")
    picture = "%s-%d.%s" % (os.path.splitext(page)[0], count, "svg" if "svg" in kind else "png")
    with open(picture, "wb") as f:
        f.write(content.encode() if "svg" in kind else base64.b64decode(content))
    return "![](%s)\n" % os.path.basename(picture)


def markdown(notebook, page):
    parts, count = [], 0
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        parts.append(text + "\n" if cell["cell_type"] == "markdown" else fenced(text, "python"))
        for output in cell.get("outputs", ()):
            count += 1
            parts.append(shown(output, page, count))
    return "\n".join(filter(None, parts))


def main(path, page):
    try:
        import ipykernel, nbclient, tamis               # noqa: F401
        notebook = executed(path)
    except ImportError as e:
        print("%s is shown without what it prints: %s is missing" % (os.path.basename(path), e.name), file=sys.stderr)
        with open(path, encoding="utf-8") as f:
            notebook = json.load(f)
    with open(page, "w", encoding="utf-8") as f:
        f.write(markdown(notebook, page))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
