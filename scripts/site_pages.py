#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the source of the site for Sphinx into FOLDER: site_pages.py FOLDER

It consists of the Markdown pages of the repository with the links of the site, the reference with one page per header, the Python reference
with one page per class and per module, and the examples. In a page,
`<!-- section FILE: Heading -->` stands for that section of another page, `<!-- lead FILE -->` for the text before its first
heading, block or picture, and `<!-- cells -->` for the table of scripts/matrix.py. A block under `<!-- from FILE -->` gets a caption that
names the file.
"""
import json
import re
import sys
from pathlib import Path
from posixpath import normpath, relpath

import matrix
import python_reference as python_names
from headers import INCLUDE, ROOT, Class, read
from inherited import Bases
from pages import reference_introduction
from reference import ABOUT_ONLY, MEMBERS_ONLY, by_namespace, headers, in_one_line, is_shown, marks, shown

PAGES = {"README.md": "index", "CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog", "LICENSE": "license",
         "SECURITY.md": "security", "CODE_OF_CONDUCT.md": "conduct",
         "docs/reference.md": "reference/index"}
for file in [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/site/*.md")]:
    PAGES.setdefault(file.relative_to(ROOT).as_posix(), file.stem)
MADE = ["build/docs/pictures", "build/python/pictures"]  # the pictures that the examples draw, if they have been made
GREY = "#777f88"  # the colour of text in pictures, with a contrast of 4 to white and to black
HEADERS_OF = {  # the examples whose pages show these headers
    "j2_plasticity.h": "j2_plasticity", "viscoplasticity.h": "viscoplasticity", "standard_material.h": "standard_material",
    "processes.h": "distributed_j2"}
FENCE = re.compile(r"(?ms)^( *)(```+|~~~+).*?^\1\2\s*?$")
LINK = re.compile(r"(`[^`\n]*`)|(\]\()([^)#\s]*)(#[^)\s]*)?\)")


def without_white(svg):
    """A picture without white behind it and with grey instead of black, so that it can be read on light and on dark pages. Only pictures
    by matplotlib are changed."""
    if "matplotlib" not in svg:
        return svg
    svg = re.sub(r'(?<=" style=")fill: #ffffff(?="/>\n *</g>)', "fill: none", svg)
    svg = svg.replace("fill: #ffffff; opacity: 0.8; stroke: #cccccc", f"fill: none; stroke: {GREY}")
    return svg.replace("#000000", GREY).replace("<svg ", f'<svg fill="{GREY}" ', 1)


def written(folder):
    """A function that writes a file only if its text has changed, so that Sphinx does not read the page again; and the set of all files for
    which it was called."""
    files = set()

    def write(name, text):
        path = folder / name
        files.add(path)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return write, files


# ---- Pages of the repository ----

class Site:
    def __init__(self, headers):
        self.headers = headers  # the page of the reference, by the header's path below neml2
        self.examples = {}  # the page of each source file
        for source in sorted([*ROOT.glob("examples/*.[ch]*"), *ROOT.glob("examples/python/*.py")]):
            name = HEADERS_OF[source.name] if source.suffix == ".h" else source.stem
            self.examples[source.relative_to(ROOT).as_posix()] = f"examples/{name}"

    def link(self, path, target, anchor, page):
        """The link to a file of the repository, as on a page of the site."""
        if not target or "://" in target:
            return target + anchor
        at = normpath(f"{Path(path).parent.as_posix()}/{target}")
        if at.removeprefix("include/neml2/") in self.headers:
            at = self.headers[at.removeprefix("include/neml2/")] + ".rst"
        elif at in PAGES:
            at = PAGES[at] + (".rst" if at == "docs/reference.md" else ".md")
        elif at in self.examples:
            at = self.examples[at] + ".md"
        elif at.startswith("docs/images/"):
            at = at.removeprefix("docs/")
        else:
            sys.exit(f"{path}: the site has no page for the link to {target}")
        return relpath(at, Path(page).parent.as_posix()) + anchor

    def block(self, match, page):
        """A block that is quoted from a file, with its caption."""
        source, language, code = match[1], match[2] or "text", match[3]
        if source in self.examples:
            caption = f"[{source}]({relpath(self.examples[source], Path(page).parent.as_posix())}.md)"
        else:
            caption = "Output" if source.endswith(".out") else source
        block = f"```{{code-block}} {language}\n:caption: {caption}\n\n{code}```"
        region = self.region(source, code)
        return self.tabs(block, *region, page) if region else block

    def region(self, source, code):
        """The Python program and its part that correspond to a part of a C++ program: both parts are between comments of the same name."""
        other = f"examples/python/{Path(source).stem}.py"
        parts = re.findall(r"(?ms)^ *// begin (\w+)\n(.*?)^ *// end \1$", (ROOT / source).read_text(encoding="utf-8"))
        if other in self.examples:
            text = (ROOT / other).read_text(encoding="utf-8")
            return next(((other, name) for name, part in parts if part == code and f"# begin {name}\n" in text), None)
        return None

    def tabs(self, block, other, name, page):
        caption = f"[{other}]({relpath(self.examples[other], Path(page).parent.as_posix())}.md)"
        quoted = (f"```{{literalinclude}} /{other}\n:language: python\n:caption: {caption}\n"
                  f":start-after: \"# begin {name}\"\n:end-before: \"# end {name}\"\n:dedent:\n```")
        return (f"::::{{tab-set}}\n:::{{tab-item}} C++\n:sync: cpp\n\n{block}\n:::\n"
                f":::{{tab-item}} Python\n:sync: python\n\n{quoted}\n:::\n::::")

    def insert(self, match, page):
        """The requested part of another page, with its links."""
        path, heading = match[2], match[3]
        text = (ROOT / path).read_text(encoding="utf-8")
        if match[1] == "lead":
            part = re.match(r"(?s)#[^\n]*\n(.*?)(?=^(?:#|<!--|```|!\[))", text, re.M)[1]
            return self.prose(part.strip(), path, page)
        # In blocks, lines that look like headings are shell comments.
        plain = FENCE.sub(lambda m: " " * len(m[0]), text)
        begin = re.search(rf"(?m)^(#+) {re.escape(heading)}$", plain)
        if not begin:
            sys.exit(f"{path} has no section {heading}")
        end = re.compile(rf"(?m)^#{{1,{len(begin[1])}}} ").search(plain, begin.end())
        return self.prose(text[begin.start():end.start() if end else None].strip(), path, page)

    def prose(self, text, path, page):
        def relinked(part):
            part = re.sub(r"\[[\w./]+\.md\]\(", "[](", part)  # a link that shows a file's name shows the page's title instead
            return LINK.sub(lambda m: m[1] or f"{m[2]}{self.link(path, m[3], m[4] or '', page)})", part)

        out, at = [], 0
        for fence in FENCE.finditer(text):
            out += [relinked(text[at:fence.start()]), fence[0]]
            at = fence.end()
        text = "".join([*out, relinked(text[at:])])
        text = re.sub(r"(?ms)^<!-- from (\S+) -->\n```(\w*)\n(.*?)^```$", lambda m: self.block(m, page), text)
        text = text.replace("<!-- cells -->", "\n".join(f"| {' | '.join(row)} |" for row in matrix.table(matrix.results())))
        return re.sub(r"(?m)^<!-- (section|lead) ([^\s:]+)(?:: (.*))? -->$", lambda m: self.insert(m, page), text)

    def example(self, page, sources):
        """The program's own description, the program in each language, its output."""
        says, begins = "", {}
        for source in sources:
            text = (ROOT / source).read_text(encoding="utf-8")
            head = re.match(r"(?:(?://|#) .*\n)+", text)[0]
            begins[source] = head.count("\n") + 1
            head = re.sub(r"(?m)^(//|#) ?", "", head.partition("\n")[2])
            quoted = re.search(r'"""(.*?)(?:\n    .*)?"""', text, re.S)
            says = says or head or (quoted[1] if quoted else "")
        gallery = (ROOT / "docs" / "site" / "gallery.md").read_text(encoding="utf-8")
        title = re.search(rf"grid-item-card}} (.*)\n:link: {page}\n", gallery)
        if not title:
            sys.exit(f"docs/site/gallery.md has no card for {page}")
        out = [f"# {title[1]}", says.strip(), "::::::{tab-set}"]
        for source in sources:
            suffix = Path(source).suffix
            tab, language = {".cpp": ("C++", "cpp"), ".py": ("Python", "python"), ".h": (Path(source).name, "cpp")}[suffix]
            sync = f":sync: {language}\n" if suffix != ".h" else ""
            out += [f":::::{{tab-item}} {tab}\n{sync}", f"```{{literalinclude}} /{source}\n:language: {language}\n:lines: {begins[source]}-\n```"]
            output = Path(source).with_suffix(".out")
            if suffix != ".h" and (ROOT / output).is_file():
                out.append(f"```{{literalinclude}} /{output.as_posix()}\n:language: text\n:caption: Output\n```")
            out.append(":::::")
        return "\n\n".join([*out, "::::::"]) + "\n"


# ---- The Python reference ----

NOT_BUILT = """
:::{note}
The site was built where the package was not: `neml2.tensors`, `neml2.math` and `neml2.crystallography` are left out. `pip install -v .` in the
clone builds it, after which `make docs` has them. The [C++ reference](reference/index.rst) has the same names.
:::
"""


def python_reference(site, write, stubs):
    """The Python reference, with one page per module and one per class. Returns the pages of classes by the pages of their modules. Without
    stubs, that is, without a built package, it contains a list of the missing modules."""
    path, index = "docs/python_reference.md", "python_reference"
    introduction, *sections = re.split(r"(?m)^(?=###? `)", python_names.page(stubs))
    classes, texts, titles, about = {}, {}, {}, {}
    for section in sections:
        title, of = re.match(r"###? `([\w.]+)`(.*)", section).groups()
        page = f"{index}/{title.removeprefix('neml2.')}"
        body = section.partition("\n")[2].strip()
        said = re.match(r"(?s)(?![|`])(.+?\.)(?:\s|$)", body)
        titles[page], about[page] = title, " ".join(said[1].split()) if said else ""
        if section.startswith("## "):
            classes[page] = []
        else:
            classes[[*classes][-1]].append(page)
            body = f"In `{titles[[*classes][-1]]}`{of}.\n\n{body}"
        texts[page] = f"# {title}\n\n{body}\n"

    def listed(pages, page):
        rows = [f"| [{titles[p]}]({relpath(p, Path(page).parent.as_posix())}.md) | {about[p]} |" for p in pages]
        return "\n".join(["", "| | |", "| --- | --- |", *rows, "", "```{toctree}", ":hidden:", "", *(f"/{p}" for p in pages), "```", ""])

    for page, text in texts.items():
        write(f"{page}.md", site.prose(text, path, page) + (listed(classes[page], page) if classes.get(page) else ""))
    lacking = "" if stubs else NOT_BUILT
    write(f"{index}.md", site.prose(introduction, path, index) + lacking + listed(classes, index))
    return classes


# ---- The reference ----

TITLES = {
    "distributed/batch.h": "Batches over several processes",
    "core/DynamicDims.h": "Other names of batch and base dimensions",
    "core/errors.h": "Exceptions",
    "kernels/errors.h": "Exceptions of formulas too",
    "core/factories.h": "Factories",
    "core/indexing.h": "Indices",
    "core/options.h": "Options and defaults",
    "core/shape.h": "Shapes",
    "core/types.h": "Sizes, numbers and dtypes",
    "math/autograd.h": "Gradients of formulas",
    "math/binary.h": "Functions of two tensors",
    "math/broadcast.h": "Broadcast and match shapes",
    "math/difference.h": "Differences",
    "math/elementwise.h": "Elementwise functions",
    "math/extremum.h": "Least and largest",
    "math/recordings.h": "Recordings in programs of headers alone",
    "math/show.h": "The operations of a formula",
    "math/invariants.h": "Invariants of any type",
    "math/jacobian.h": "value_and_jacobian",
    "math/join.h": "Stack and concatenate",
    "math/linalg.h": "Linear algebra",
    "math/lists.h": "Lists of tensors",
    "math/mandel.h": "Mandel components",
    "math/mandel_maps.h": "Maps of Mandel components",
    "math/sum.h": "Sums and means",
    "tensors/Voigt.h": "Voigt's notation",
    "tensors/cholesky.h": "Cholesky factors",
    "tensors/gradients.h": "Derivative rules",
    "tensors/interpolation.h": "Tables",
    "tensors/invariants.h": "Invariants of SR2",
    "tensors/kronecker.h": "Kronecker products",
    "tensors/skew_products.h": "Products of skew and symmetric tensors",
    "tensors/solve.h": "Linear systems",
    "tensors/spectral.h": "Eigenvalues and eigenvectors",
}


def escaped(text):
    """A text with all markup of reStructuredText escaped, except `code`."""
    parts = re.split(r"(`[^`]+`)", text)
    parts = [f"`{p}`" if i % 2 else re.sub(r"([\\*`|_])", r"\\\1", p) for i, p in enumerate(parts)]
    text = "".join(parts)
    return "\\" + text if re.match(r"[(\w#]+[.)]\s|[:.+-]", text) else text


def table(lines, indent):
    head, _, *rows = ([cell.strip() for cell in line.strip("| ").split("|")] for line in lines)
    yield from [f"{indent}.. list-table::", f"{indent}   :header-rows: 1", ""]
    for row in [head, *rows]:
        for at, cell in enumerate(row):
            yield f"{indent}   {' ' if at else '*'} - {escaped(cell)}"
    yield ""


def comment(text, indent=""):
    """A comment of the headers: paragraphs, lists, tables, code that is indented, @throws."""
    out, paragraph, kind = [], [], ""

    def flush():
        nonlocal kind
        if paragraph and kind == "code":
            out.extend([f"{indent}.. code-block:: cpp", "", *(f"{indent}   {s[4:]}".rstrip() for s in paragraph), ""])
        elif kind == "table":
            out.extend(table(paragraph, indent))
        elif paragraph:
            body = " ".join(s.strip() for s in paragraph)
            if kind == "throws":
                body = re.sub(r"^([\w:]+)", r"Throws `\1`", body)
            out.extend([f"{indent}{'- ' if kind == 'item' else ''}{escaped(body)}", ""])
        paragraph.clear()
        kind = ""

    for line in text.splitlines():
        throws = re.match(r"@throws\s+(.*)", line)
        if line.startswith("    ") and kind in ("", "code"):
            kind = "code"
        elif line.startswith("| ") and kind in ("", "table"):
            kind = "table"
        elif not line.strip():
            if kind == "code":
                paragraph.append("")
            else:
                flush()
            continue
        elif throws or line.startswith("- "):
            flush()
            kind, line = ("throws", throws[1]) if throws else ("item", line[2:])
        elif kind == "code" or re.match(r"(Units|Source|Elsewhere): ", line):
            flush()
        paragraph.append(line)
    flush()
    return "\n".join(out)


def anchor(name):
    return f".. raw:: html\n\n   <span id=\"{name}\"></span>\n"


def heading(text, line):
    return f"{text}\n{line * (len(text) + 2)}\n"


class Page:
    """One header of the reference."""

    def __init__(self, path, header, bases):
        self.bases, self.header, self.path = bases, header, path.relative_to(INCLUDE).as_posix()
        self.functions = [f for f in header.functions if is_shown(f) and (f.is_class or path.name not in MEMBERS_ONLY)]
        self.classes = sorted((i for i in header.items if isinstance(i, Class) and i.defined
                               and (i.comment or any(f.scope == i.name for f in self.functions))), key=lambda c: c.name != path.stem)
        self.name = "reference/" + self.path.removesuffix(".h")
        self.title = self.titled(path.stem)

    def titled(self, stem):
        if self.path in TITLES:
            return TITLES[self.path]
        if any(c.name == stem for c in self.classes) or any(f.name == stem for f in self.functions):
            return stem
        title = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", stem).replace("_", " ")
        return title[0].upper() + title[1:].lower().replace("euler", "Euler")

    @property
    def about(self):
        """One line for lists: the first sentence of the class, or the functions of the header."""
        own = next((c for c in self.classes if c.name == Path(self.path).stem), None)
        if own:
            return escaped(re.split(r"(?<=\.)\s", " ".join(own.comment.split()) + " ")[0])
        names = {c.name: c.name for c in self.classes} | {self.qualified(f): f.name for f in self.functions if not f.constructor}
        if not names:
            return " ".join(f"``{n.name}``" for n in self.header.names) or escaped(self.header.about.split(".")[0] + ".")
        return " ".join(f"``{n} <{self.name}#{a}>``" if not n.startswith("operator") else f"``{n}``" for a, n in names.items())

    def names(self):
        """The target of a name of C++: an anchor of this page."""
        for c in self.classes:
            yield c.name, c.name
        for f in self.functions:
            if not f.name.startswith("operator"):
                yield self.qualified(f), self.qualified(f)
        for n in self.header.names:
            if not n.is_class:
                yield n.name, n.name

    @staticmethod
    def qualified(f):
        return "::".join(filter(None, [f.scope.removeprefix("neml2").removeprefix("::"), f.name]))

    @staticmethod
    def declaration(f):
        """The declaration in Sphinx's form: `template <class T> A add(...)` for add<T>(...)."""
        if not f.named:
            return shown(f.text)
        return f"template <{', '.join(f.named)}> " + re.sub(rf"\b{f.name}<[^(]*>\(", f"{f.name}(", shown(f.text), count=1)

    def entries(self, functions, seen):
        """The functions; those that share a comment are together."""
        out, at = [], 0
        while at < len(functions):
            first, group = functions[at], []
            while at < len(functions) and functions[at].comment == first.comment and functions[at].scope == first.scope \
                    and (first.comment or functions[at].name == first.name):
                group.append(functions[at])
                at += 1
            for f in group:
                if (name := self.qualified(f)) not in seen and not f.name.startswith("operator"):
                    seen.add(name)
                    out.append(anchor(name))
            texts = dict.fromkeys(self.declaration(f) for f in group)
            out.append(".. cpp:function:: " + "\n                  ".join(texts) + "\n")
            out.append(comment(first.comment, "   ") + "\n")
            if said := marks(group):
                out.append(f"   .. rst-class:: marks\n\n   {said}\n")
        return "\n".join(out)

    def contents(self, functions):
        names = {self.qualified(f): f.name for f in functions if not f.name.startswith("operator") and not f.constructor}
        links = " ".join(f'<a href="#{a}"><code class="literal">{n}</code></a>' for a, n in names.items())
        return f".. raw:: html\n\n   <p class=\"names\">{links}</p>\n" if len(names) > 3 else ""

    def constants(self, found, seen):
        """Types, constants and macros: those that need one line share a block."""
        out = [anchor(n.name) for n in found if not n.is_class and n.name not in seen]
        seen |= {n.name for n in found if not n.is_class}
        for space, part in by_namespace(found):
            lines = [f"   {in_one_line(n)}" for n in part if "\n" not in n.comment]
            out += [f"In the namespace ``{space}``:\n"] if space != "neml2" else []
            out += [".. code-block:: cpp\n", *lines, ""] if lines else []
            out += [f".. code-block:: cpp\n\n   {n.text}\n\n{comment(n.comment)}\n" for n in part if "\n" in n.comment]
        return "\n".join(out)

    def inherited(self, c):
        """The members that a type has from its bases."""
        if not self.bases.is_type(c.name):
            return ""
        factories, shape = self.bases.factories(c.name), self.bases.shape(c.name)
        shapes = f", unbatched ``(; {shape})`` or ``(batch; {shape})``" if shape is not None else ""
        out = [":doc:`Constructors </reference/core/PrimitiveTensor>` and :doc:`factories of all types </reference/core/factories>`, as this one has "
               f"them{shapes}:\n",
               ".. code-block:: cpp\n", *(f"   {shown(f).replace('default_tensor_options()', '...')}" for f in factories),
               "\n:doc:`Members of all types </reference/core/TensorBase>`, beside those of LibTorch's ``at::Tensor``:\n"]
        for title, members in self.bases.members(c.name).items():
            links = " ".join(f"``{f.name} <reference/core/TensorBase#TensorBase::{f.name}>``" for f in members)
            out.append(f"- {title}: {links}")
        out.append("- Other names of batch and base dimensions: :doc:`dynamic_dim and more </reference/core/DynamicDims>`\n")
        return "\n".join(out)

    def text(self):
        spaces = [*dict.fromkeys("neml2" if f.is_class else f.scope for f in [*self.functions, *self.header.names] if f.scope)]
        if "neml2" in spaces:  # blocks and headings name the other namespaces
            spaces = ["neml2"]
        include = f"#include \"neml2/{self.path}\"" + f" // namespace {', '.join(spaces)}" * bool(spaces)
        out, seen = [heading(self.title, "="), f".. code-block:: cpp\n\n   {include}\n", comment(self.header.about) + "\n"], set()
        out.append(self.constants([n for n in self.header.names if not n.is_class], seen))
        seen.add(self.title if re.fullmatch("[a-z]+", self.title) else "")  # its heading already has this anchor
        many = len(self.classes) > 1 or (self.classes and any(not f.is_class for f in self.functions))
        for c in self.classes:
            own = [f for f in self.functions if f.is_class and f.scope == c.name]
            if c.name != self.title:
                out.append(heading(c.name, "-"))
            bases = " : " * bool(c.bases) + ", ".join(f"public {b}" for b in c.bases)
            out += [".. cpp:namespace:: neml2\n", anchor(c.name), f".. cpp:class:: {c.name}{bases}\n", comment(c.comment, "   ") + "\n"]
            out += [self.contents(own), f".. cpp:namespace:: neml2::{c.name}\n"]
            seen.add(c.name)
            names = [n for n in self.header.names if n.is_class and n.scope == c.name]
            aliases = [n for n in names if "using " in n.text]  # the declarations below name them
            out.append(self.constants(aliases, seen))
            making = [f for f in own if f.constructor or f.static]
            rest = [f for f in own if f not in making]
            for title, part in (("Constructors and factories", making), ("Members", rest)):
                if part and (len(own) > 3 or many):
                    line = "-" if c.name == self.title else "^"
                    out.append(heading(title, line))
                out.append(self.entries(part, seen) if part else "")
            out.append(self.constants([n for n in names if n not in aliases], seen))
            if inherited := self.inherited(c):
                out += [heading("Inherited", "-" if c.name == self.title else "^"), inherited]
        free = [f for f in self.functions if not f.is_class or not any(c.name == f.scope for c in self.classes)]
        for scope in dict.fromkeys(f.scope for f in free):
            part = [f for f in free if f.scope == scope]
            if self.classes or len({f.scope for f in free}) > 1:
                inner = scope.removeprefix("neml2").removeprefix("::")
                out.append(heading(f"Functions in {inner}" if inner else "Functions", "-"))
            elif scope != "neml2":
                out.append(f"In the namespace ``{scope}``.\n")
            out += [self.contents(part), f".. cpp:namespace:: {scope}\n", self.entries(part, seen)]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(out))


def group(title, pages, about):
    out = [heading(title, "="), about + "\n", ".. list-table::\n   :widths: auto\n"]
    for p in pages:
        out.append(f"   * - :doc:`{escaped(p.title)} </{p.name}>`\n     - {p.about}")
    out += ["\n.. toctree::\n   :hidden:\n", *(f"   /{p.name}" for p in pages)]
    return "\n".join(out) + "\n"


def introduction():
    """The part of docs/reference.md before its tables."""
    text = reference_introduction()
    targets = {"../include/neml2/core/factories.h": "/reference/core/factories"}
    out, at = "", 0
    for link in re.finditer(r"\[([^]]*)\]\(([^)]*)\)", text):
        out += escaped(text[at:link.start()]) + f":doc:`{link[1].replace('`', '')} <{targets.get(link[2], '/' + link[2].partition('.')[0])}>`"
        at = link.end()
    return out + escaped(text[at:])


def reference(write):
    paths = [h for found in headers().values() for h in found]
    declared = read(paths)
    bases = Bases(declared.values())
    pages = [p for p in (Page(h, declared[h], bases) for h in paths) if p.functions or p.classes or p.header.names or p.path.split("/")[-1] in ABOUT_ONLY]
    for page in pages:
        write(f"{page.name}.rst", page.text())
    labels = [p for p in pages if "labeled" in p.path.lower()]
    types = [p for p in pages if p.path.startswith("tensors/") and p not in labels and p.title in {c.name for c in p.classes}]
    topics = [p for p in pages if p.path.startswith("tensors/") and p not in labels + types]
    cards = ""
    for title, name, members, about in [
            ("Types", "types", types, "One page per type: how to make it, its members, and the functions that belong to it."),
            ("Topics", "topics", topics, "Functions of tensors by what they are for: invariants, kinematics, crystals, tables."),
            ("Functions of any type", "any", [p for p in pages if p.path.startswith("math/")],
             "Templates that take every type: elementwise functions, reductions, formulas and their derivatives, shapes."),
            ("Over several processes", "processes", [p for p in pages if p.path.startswith("distributed/")],
             "Functions of all parts of a batch; each process has one part."),
            ("What all tensors have", "all", [p for p in pages if p.path.startswith(("core/", "kernels/"))],
             "Members and factories that every type has, shapes, options and exceptions."),
            ("Labels", "labels", labels, "Named, nested, typed views of a state and its Jacobian.")]:
        write(f"reference/{name}.rst", group(title, members, about))
        cards += f"   .. grid-item-card:: {title}\n      :link: /reference/{name}\n      :link-type: doc\n\n      {about}\n\n"
    write("reference/index.rst", "\n".join([
        heading("Reference", "="), introduction() + "\n", "All names in one list: :ref:`genindex`.\n",
        f".. grid:: 1 2 2 3\n   :gutter: 3\n\n{cards}",
        ".. toctree::\n   :hidden:\n\n   types\n   topics\n   any\n   processes\n   all\n   labels\n"]))
    return pages


def main(folder):
    write, files = written(folder)
    pages = reference(write)
    site = Site({p.path: p.name for p in pages})
    for path, page in PAGES.items():
        if path.endswith(".md") and path not in ("README.md", "docs/reference.md", "docs/python_reference.md"):
            write(f"{page}.md", site.prose((ROOT / path).read_text(encoding="utf-8"), path, page))
    stubs = python_names.built()
    if not stubs:
        print("The Python reference lacks neml2.tensors, neml2.math and neml2.crystallography: build the package first, pip install -v .", file=sys.stderr)
    python_reference(site, write, stubs)
    write("license.md", "# License\n\n```text\n" + (ROOT / "LICENSE").read_text(encoding="utf-8") + "```\n")
    for page in dict.fromkeys(site.examples.values()):
        sources = [s for s, p in site.examples.items() if p == page]
        write(f"{page}.md", site.example(page, sorted(sources, key=lambda s: [".cpp", ".h", ".py"].index(Path(s).suffix))))
    for source in [*site.examples, *(p.relative_to(ROOT).as_posix() for p in ROOT.glob("examples/**/*.out"))]:
        write(source, (ROOT / source).read_text(encoding="utf-8"))
    for picture in ROOT.glob("docs/images/*.svg"):
        drawn = [f for f in (ROOT / made / picture.name for made in MADE) if f.exists()]
        write(f"images/{picture.name}", without_white((drawn or [picture])[0].read_text(encoding="utf-8")))

    # The targets of C++ names. If several headers have a name, the target is the header whose page has that name, otherwise the header of
    # SR2, otherwise the first header.
    names, headers = {}, {}
    for page in sorted(pages, key=lambda p: (not p.path.startswith("tensors/SR2"), p.path.startswith(("core/", "kernels/")))):
        headers[f"neml2/{page.path}"] = page.name
        for name, at in page.names():
            names.setdefault(name, {})[page.name] = at
    # Members that all types have, with and without the name of a type.
    members = {f.name: [p.name, p.qualified(f)] for p in reversed(pages) if p.path.startswith("core/") for f in p.functions
               if f.is_class and not f.constructor and not f.name.startswith("operator")}
    write("names.json", json.dumps({"names": names, "members": members, "headers": headers, "examples": site.examples},
                                   indent=0, ensure_ascii=False))
    for stale in {p for p in folder.rglob("*") if p.is_file()} - files:
        stale.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
