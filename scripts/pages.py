# SPDX-License-Identifier: MIT
"""Pages that scripts write: whole ones, and results between two comments of a page."""
import sys

END = "<!-- end of results -->"


def _around(page, begin):
    head, rest = page.read_text(encoding="utf-8").split(begin)
    results, rest = rest.split(END, 1)
    return head, results, rest


def results(page, begin):
    """What is between the comments."""
    return _around(page, begin)[1]


def replace_results(page, begin, text):
    head, _, rest = _around(page, begin)
    page.write_text(f"{head}{begin}\n\n{text}\n\n{END}{rest}", encoding="utf-8")


def write_or_check(page, text, difference):
    """Writes a page; with --check says instead if it is another one. Returns the status to exit with."""
    if "--check" not in sys.argv:
        page.write_text(text, encoding="utf-8")
    elif not page.is_file() or page.read_text(encoding="utf-8") != text:
        print(difference)
        return 1
    return 0
