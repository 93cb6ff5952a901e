#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the notebooks of examples/python from the programs there that are in cells: notebooks.py [--check]

A line `# %%` begins a cell of code, `# %% [markdown]` a cell of text in comments, and `# %% only in the script` a part that the notebook
omits: arguments of the command line, and the file of the picture. The docstring, without the lines on how to call the program, becomes the
first cell, under the title in docs/site/gallery.md. `--check` lists the notebooks that differ from their programs. `notebooks.py --run
NOTEBOOK` executes a notebook, which needs nbclient and ipykernel, and prints its output.
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def cells_of(program, title):
    """(kind, text) of each cell."""
    head, *parts = re.split(r"(?m)^# %%(.*)\n", program)
    says = re.search(r'(?s)"""(.*?)(?:\n    .*)?"""', head)[1].strip()
    yield "markdown", f"# {title}\n\n{says}"
    for mark, text in zip(parts[::2], parts[1::2]):
        text = re.sub(r"(?m)^# (begin|end) \w+\n", "", text).strip("\n")  # marks of quotations in pages
        if mark == " [markdown]":
            yield "markdown", re.sub(r"(?m)^# ?", "", text)
        elif not mark:
            yield "code", text
        elif mark != " only in the script":
            sys.exit(f"notebooks.py does not know cells of '# %%{mark}'")


def notebook(program, title):
    """The text of the notebook, without results."""
    cells = []
    for kind, text in cells_of(program, title):
        cell = {"cell_type": kind, "id": f"cell-{len(cells)}", "metadata": {}, "source": text.splitlines(keepends=True)}
        cells.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def notebooks():
    """The path and the text of each notebook that should exist."""
    gallery = (ROOT / "docs" / "site" / "gallery.md").read_text(encoding="utf-8")
    for path in sorted((ROOT / "examples" / "python").glob("*.py")):
        program = path.read_text(encoding="utf-8")
        if re.search(r"(?m)^# %%", program):
            title = re.search(rf"grid-item-card}} (.*)\n:link: examples/{path.stem}\n", gallery)[1]
            yield path.with_suffix(".ipynb"), notebook(program, title)


def run(path):
    import nbclient
    import nbformat

    executed = nbclient.NotebookClient(nbformat.read(path, as_version=4)).execute()
    for cell in executed.cells:
        for output in cell.get("outputs", []):
            if output.get("name") == "stdout":
                print(output["text"], end="")


def main(arguments):
    if arguments[:1] == ["--run"]:
        return run(arguments[1])
    wanted = dict(notebooks())
    stale = [p for p, text in wanted.items() if not p.is_file() or p.read_text(encoding="utf-8") != text]
    stale += [p for p in (ROOT / "examples" / "python").glob("*.ipynb") if p not in wanted]
    if arguments == ["--check"]:
        names = ", ".join(p.name for p in stale)
        sys.exit(f"{names}: not what the program beside it says. Run scripts/notebooks.py" if stale else 0)
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8") if path in wanted else path.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
