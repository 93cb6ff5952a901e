# SPDX-License-Identifier: MIT
"""Reads and writes pages for scripts: whole pages, results between two comments of a page, and the tables in them."""
import re
import sys
from pathlib import Path

END = "<!-- end of results -->"
TABLES = "<!-- results: written by scripts/reference.py -->"
DOCS = Path(__file__).resolve().parent.parent / "docs"
BENCHMARKS = "<!-- results: written by scripts/benchmark.py --docs -->"


def _around(page, begin):
    head, rest = page.read_text(encoding="utf-8").split(begin)
    results, rest = rest.split(END, 1)
    return head, results, rest


def results(page, begin):
    """The text between the comments."""
    return _around(page, begin)[1]


def replace_results(page, begin, text):
    head, _, rest = _around(page, begin)
    page.write_text(f"{head}{begin}\n\n{text}\n\n{END}{rest}", encoding="utf-8")


def tables(text):
    """The lines of each table, by the names of the columns. If several columns have the same name, the first one counts."""
    for table in re.findall(r"(?m)(?:^\|.*\n?)+", text):
        head, _, *lines = ([cell.strip() for cell in line.strip("|\n ").split("|")] for line in table.splitlines())
        yield [dict(reversed(list(zip(head, cells)))) for cells in lines]


def benchmarks(page):
    """The lines of docs/benchmarks.md: the number of points of the table, the operation, the number of points of the line, and the line."""
    for size, part in re.findall(r"(?ms)^### N = (\S+)$(.*?)(?=^### |\Z)", results(page, BENCHMARKS)):
        for line in next(tables(part)):
            operation, _, own = line["operation"].partition(" (")
            yield size, operation, own.strip(")") or size, line


def reference_introduction():
    """The first part of docs/reference.md, after the paragraph about its tables."""
    return (DOCS / "reference.md").read_text(encoding="utf-8").partition(TABLES)[0].split("\n\n", 2)[2].strip()


def write_or_check(page, text, difference):
    """Writes a page; with --check it only reports whether the file differs. Returns the exit status."""
    if "--check" not in sys.argv:
        page.write_text(text, encoding="utf-8")
    elif not page.is_file() or page.read_text(encoding="utf-8") != text:
        print(difference)
        return 1
    return 0
