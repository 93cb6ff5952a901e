#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that quotations in the pages still match their sources.

A fenced block under `<!-- from FILE -->` must be part of that file; links to files must lead somewhere. Comments of the
headers, which become the reference and docstrings, must be understandable alone, and name only functions that exist.
"""
import ast
import pathlib
import re
import sys

from pages import benchmarks

root = pathlib.Path(__file__).resolve().parent.parent
include = root / "include" / "neml2"
errors = []


def comments(header):
    """(line number, text, whether a comment begins there) for each line of documentation comments."""
    begins = True
    for number, line in enumerate(header.read_text(encoding="utf-8").splitlines(), 1):
        comment = re.match(r"\s*(?:///|/\*\*|\*(?= |$))\s*(.*)", line)
        if comment and comment[1]:
            yield number, comment[1], begins
        begins = not comment or begins and not comment[1]


def faults_of_comments(headers, functions):
    """Comments that refer to a neighbouring comment, which is not shown everywhere, and references to names that do not exist."""
    for header in headers:
        for number, text, begins in comments(header):
            where = f"{header.relative_to(root)}:{number}"
            if begins and re.match(r"(The same|Likewise|As above)\b", text) or "as above" in text:
                yield f"{where}: the comment needs its neighbour, which the reference and help() do not show: {text}"
            for name in re.findall(r"\b[Ss]ee (?:\w+::)*(\w+)[(<]", text):
                if name not in functions:
                    yield f"{where}: the comment refers to {name}, which no header declares"


# Public functions that formulas have with other arguments.
OTHER_ARGUMENTS = {"disorientation", "dsptrf", "misorientation", "move_to_fundamental_zone", "scale_shear"}


def without_comments(header):
    return re.sub(r"(?m)^\s*(//|/?\*).*$", "", header.read_text(encoding="utf-8"))


def faults_of_vocabulary():
    """Functions that formulas can call but docs/vmap.md does not name, and names there that the page's test does not call."""
    table = re.search(r"(?s)\| arithmetic \|.*?\n\n", (root / "docs" / "vmap.md").read_text(encoding="utf-8"))[0]
    rows = [line for line in table.splitlines() if not re.match(r"\s*\| (arithmetic|components) ", line)]
    named = {name for quoted in re.findall(r"`([^`]*)`", "\n".join(rows)) for name in re.findall(r"[A-Za-z]\w+", quoted)}
    named -= {"condition"}
    of_rows = "".join(map(without_comments, [*include.glob("kernels/*.h"), *include.glob("packs/*.h")]))
    public = "".join(without_comments(h) for room in ("math", "tensors") for h in include.glob(f"{room}/*.h")
                     if not h.stem.endswith("-inl"))
    callable_ = set(re.findall(r"(?m)^(\w+)\(|friend \w+ (\w+)\(", of_rows))
    both = {a or b for a, b in callable_} & set(re.findall(r"(?m)^(?:[\w:<>, ]+ )?(\w+)\(const", public))
    test = (root / "tests" / "math" / "vocabulary_test.cpp").read_text(encoding="utf-8")
    called = set(re.findall(r"\b(\w+)(?:<[\w(), ]+>)?[( ]", test))
    for name in sorted(both - OTHER_ARGUMENTS - named):
        yield f"docs/vmap.md: the table of the vocabulary lacks {name}, which is public and has a formula for rows"
    for name in sorted(named - called):
        yield f"docs/vmap.md: the table names {name}, which tests/math/vocabulary_test.cpp does not call"


def faults_of_speed():
    """Rows of the table in docs/tour.md that differ from the rows in docs/benchmarks.md."""
    best = {}
    for size, operation, own, line in benchmarks(root / "docs" / "benchmarks.md"):
        best.setdefault(operation, {})[size] = f"{line['best']} ×" + f" ({own})" * (own != size)
    table = (root / "docs" / "tour.md").read_text(encoding="utf-8").partition("## What is fast\n")[2].partition("\n## ")[0]
    for row in re.findall(r"(?m)^\| (.*`) \|(.*)\|$", table):
        title, cells = row[0], [cell.strip() for cell in row[1].split("|")]
        operation = re.search(r"`([^`]*)`$", title)[1]
        measured = [best.get(operation, {}).get(size, "?") for size in ("1", "10⁴", "10⁶")]
        if cells != measured:
            yield f"docs/tour.md: by docs/benchmarks.md a row is | {title} | {' | '.join(measured)} |"


def faults_of_moving():
    """Rows of docs/moving.md that no test runs, and rows of tests that the page lacks."""
    page = (root / "docs" / "moving.md").read_text(encoding="utf-8")
    tested = ast.parse((root / "python" / "tests" / "moving.py").read_text(encoding="utf-8")).body
    tables = {n.targets[0].id: ast.literal_eval(n.value) for n in tested
              if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and n.targets[0].id in ("NEML2_3", "TORCH")}
    for title, test in {"From NEML2 2.x": "tests/compat/moving.cpp", "From NEML2 3.x": "NEML2_3", "From PyTorch": "TORCH",
                        "From loops over Eigen's matrices": "tests/docs/moving_eigen.cpp"}.items():
        section = page.partition(f"## {title}\n")[2].partition("\n## ")[0]
        first = re.search(r"(?m)^\| --- \| --- \|\n((?:\|.*\n)+)", section)[1]
        rows = [", ".join(re.fullmatch(r"\| `(.*)` \| `(.*)` \|", row).groups()) for row in first.splitlines()]
        if test in tables:
            found = [", ".join(row[:2]) for row in tables[test]]
        else:
            code = " ".join((root / test).read_text(encoding="utf-8").partition("main()")[2].split())
            found = re.findall(r"same\((.*?)\);", code)
        for row in sorted(set(rows) ^ set(found)):
            yield f"docs/moving.md, {title}: the page and {test} do not both have {row}"


def faults_of_messages():
    """Messages that docs/troubleshooting.md quotes, with … for their values, but that no source contains."""
    sources = [p for folder in ("include", "python", "cmake") for p in (root / folder).rglob("*") if p.suffix in (".h", ".cpp", ".py", ".cmake", ".in")]
    said = "\n".join(p.read_text(encoding="utf-8") for p in sources if "tests" not in p.parts)
    said = re.sub(r"\"\s*f?\"|\\\n", "", said)  # literals in several parts
    page = (root / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    for language, message in re.findall(r"(?ms)^```(\w*)\n(.*?)\n```$", page):
        for part in message.split("…") if not language else []:
            if len(part.strip(" .:,")) > 3 and part.strip(" .") not in said:
                yield f"docs/troubleshooting.md: no source says {part!r}"


def faults_of_versions():
    """Files that name another version than the headers."""
    header = (root / "include" / "neml2" / "version.h").read_text(encoding="utf-8")
    version = ".".join(re.findall(r"#define NEML2_VERSION_\w+ (\d+)", header))
    for name in ("CITATION.cff", "packaging/vcpkg/neml2/vcpkg.json", "packaging/conda-forge/recipe.yaml"):
        found = re.search(r"(?m)^\W*version\W+([\d.]+)", (root / name).read_text(encoding="utf-8"))[1]
        if found != version:
            yield f"{name}: the version is {found}, that of the headers {version}"
    if not re.search(rf"(?m)^## {re.escape(version)} - (unreleased|\d{{4}}-\d\d-\d\d)$", (root / "CHANGELOG.md").read_text(encoding="utf-8")):
        yield f"CHANGELOG.md: there is no section ## {version} - <its date, or unreleased>, of the version of the headers"


errors += faults_of_vocabulary()
errors += faults_of_versions()
errors += faults_of_speed()
errors += faults_of_moving()
errors += faults_of_messages()
code = "\n".join(re.sub(r"(?m)^\s*(//|/?\*).*$", "", h.read_text(encoding="utf-8")) for h in include.rglob("*.h"))
errors += faults_of_comments(sorted(include.rglob("*.h")),
                             set(re.findall(r"(\w+)\(", code)))


def sections(page):
    """The names by which links refer to the sections of a page."""
    titles = re.findall(r"(?m)^#+ (.+?) *$", re.sub(r"(?s)```.*?```", "", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


for page in [*root.glob("*.md"), *root.glob("docs/**/*.md")]:
    text = page.read_text()
    where = page.relative_to(root)
    for name, block in re.findall(r"<!-- from (\S+) -->\n```\w*\n(.*?)```", text, re.S):
        if block not in (root / name).read_text():
            errors.append(f"{where}: the block from {name} is not in that file")
    prose = re.sub(r"```.*?```|`[^`\n]*`|(?m:^    .*$)", "", text, flags=re.S)
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
        if "://" not in link and not (page.parent / link).exists():
            errors.append(f"{where}: the link to {link} leads nowhere")
    for link, section in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", prose):
        other = page.parent / link if link else page
        if "://" not in link and other.suffix == ".md" and other.is_file() and section not in sections(other):
            errors.append(f"{where}: there is no section #{section} in {other.relative_to(page.parent)}")
print("\n".join(errors))
sys.exit(bool(errors))
