# SPDX-License-Identifier: MIT
"""A Sphinx extension: formulas of plain text are typeset, shapes set like code, names of types, functions, headers and examples
linked. The text stays as it is in comments and pages, where it is read, too."""
import hashlib
import json
import re
from pathlib import Path

from docutils import nodes
from formulas import UPRIGHT, mathml, split, tokens_of
from sphinx import addnodes
from sphinx.domains.cpp import CPPDomain
from sphinx.transforms import SphinxTransform
from sphinx.util.osutil import relative_uri

CALL = re.compile(r"(?<![\w:.<∂])(?:\w+::)*[A-Za-z]\w+(?:<[\w, ]+>)?\((?:[^()]|\([^()]*\))*\)"  # eigh(s)
                  r"|(?<![\w/])(?:\w+/)*\w+\.h(?!\w|\.\w)")  # tensors/spectral.h
SHAPE = re.compile(r"\((?:\.\.\.[^();]*|(?:\w+(?:, \w+)*)?);[^();]*\)")  # (...; 3, 3)
AS_IT_IS = (nodes.literal, nodes.literal_block, nodes.raw, nodes.title, nodes.reference, nodes.comment, nodes.caption,
            addnodes.desc_signature, addnodes.toctree, addnodes.pending_xref)


class Names:
    """The targets of names, as scripts/site_pages.py wrote them down."""

    def __init__(self, folder):
        self.text = (Path(folder) / "names.json").read_text(encoding="utf-8")
        known = json.loads(self.text)
        self.names, self.members, self.files = known["names"], known["members"], known["examples"]
        for header, page in known["headers"].items():  # neml2/tensors/SR2.h, tensors/SR2.h, SR2.h
            room, name = header.split("/")[1:]
            self.files |= {header: page, f"{room}/{name}": page}
            self.files.setdefault(name, page)

    def target(self, text, doc):
        """Page and anchor, or None. Of names that several pages have, that of the page itself."""
        if text in self.files:
            return self.files[text], ""
        named = re.fullmatch(r"(?s)(?:neml2::)?([\w:]{2,})(?:<[^()]*>)?(?:\(.*\))?", text)
        if not named:
            return None
        name, own = named[1], f"{doc.rpartition('/')[2]}::{named[1]}"
        if doc in self.names.get(own, {}) and doc not in self.names.get(name, {}):
            name = own
        pages = self.names.get(name, {})
        if name in self.members and doc not in pages and "(" not in text:
            return None  # a function, or the member of all types
        if pages:
            page = doc if doc in pages else next(iter(pages))
            return page, pages[page]
        scope, _, member = name.rpartition("::")
        return self.members.get(member) if not scope or scope in self.names else None


def classes_of(svg):
    """How a picture is shown: wide, wider if a phone would make its text too small; colours if these stand for values."""
    width, unit = re.search(r'<svg[^>]* width="([\d.]+)(pt)?"', svg).groups()
    pixels = float(width) * (4 / 3 if unit else 1)
    colours = {*re.findall(r"#[0-9a-f]{6}\b|rgb\([^)]*\)", svg)}
    return ["wide"] * (500 < pixels <= 900) + ["wider"] * (pixels > 900) + ["colours"] * (len(colours) > 50 or "<image" in svg)


class Prose(SphinxTransform):
    default_priority = 850

    def apply(self):
        for image in list(self.document.findall(nodes.image)):
            path = Path(self.app.srcdir) / "images" / Path(image["uri"]).name
            if path.suffix == ".svg":
                image["classes"] += classes_of(path.read_text(encoding="utf-8"))
                image.replace_self(nodes.inline("", "", image.deepcopy(), classes=["picture"]))  # which scrolls if it is too wide
        self.names, self.doc, self.known = self.app.neml2_names, self.env.docname, {}
        if self.doc in ("license", "changelog"):
            return
        for literal in list(self.document.findall(nodes.literal)):
            if not any(isinstance(p, (nodes.reference, nodes.title)) for p in ancestors(literal)):
                self.link(literal)
        for text in list(self.document.findall(nodes.Text)):
            parents = list(ancestors(text))
            if not any(isinstance(p, AS_IT_IS) for p in parents):
                entry = next((p for p in parents if isinstance(p, addnodes.desc)), None)
                text.parent.replace(text, self.typeset(text.astext(), self.letters(entry) if entry else set()))

    def linked(self, text, target, *classes):
        code = nodes.literal("", text, classes=[*classes, *["short"] * (len(text) < 30)])
        if not target or target == (self.doc, ""):
            return code
        uri = relative_uri(f"{self.doc}.html", f"{target[0]}.html") + (f"#{target[1]}" if target[1] else "")
        return nodes.reference("", "", code, refuri=uri or "#", internal=True)

    def link(self, literal):
        """Code that names something, or several things."""
        text = literal.astext()
        words = text.split()
        if explicit := re.fullmatch(r"(\w+) <(reference/[^#]+)#(.+)>", text):  # in lists that site_pages.py writes
            literal.replace_self(self.linked(explicit[1], (explicit[2], explicit[3])))
        elif len(words) > 1 and all(self.names.target(w, self.doc) for w in words):
            new = [n for w in words for n in (self.linked(w, self.names.target(w, self.doc)), nodes.Text(" "))]
            literal.parent.replace(literal, new[:-1])
        else:
            literal.replace_self(self.linked(text, self.names.target(text, self.doc), *literal["classes"]))

    def letters(self, entry):
        """The one-letter names of an entry of the reference: its parameters, and the letters of its formulas."""
        if id(entry) not in self.known:
            found = {n.astext() for n in entry.findall(addnodes.desc_sig_name)}
            for paragraph in entry.findall(nodes.paragraph):
                for formula, part in split(paragraph.astext()):
                    found |= {t[0] for k, t in tokens_of(part) if k == "symbol"} if formula else set()
            self.known[id(entry)] = {f for f in found if len(f) == 1 and f.isalpha()} - {"a"}
        return self.known[id(entry)]

    def typeset(self, text, letters):
        found = list(SHAPE.finditer(text))
        if self.doc.startswith("reference/"):
            found += [m for m in CALL.finditer(text) if self.names.target(m[0], self.doc) and not (
                m[0].partition("(")[0] in UPRIGHT and not re.search(r"\b(?:See|and) $", text[:m.start()]))]
        out, at = [], 0
        for m in sorted(found, key=lambda m: (m.start(), -m.end())):
            if m.start() >= at:
                out += self.plain(text[at:m.start()], letters)
                out.append(self.linked(m[0], None, "shape") if m.re is SHAPE else self.linked(m[0], self.names.target(m[0], self.doc)))
                at = m.end()
        return out + self.plain(text[at:], letters)

    @staticmethod
    def plain(text, letters):
        """Text, formulas, and letters that are symbols where they stand alone."""
        parts = split(text)
        if letters:
            alone = "|".join(sorted(letters - {"A"}) + [r"(?<=[a-z,] )A"] * ("A" in letters))  # otherwise it may be an article
            alone = rf"(?<![\w.'\"-])((?:(?<=\s)-)?(?:{alone}))(?![\w'(\"-]|\.\w)"
            parts = [(formula or i % 2 == 1, p) for formula, part in parts
                     for i, p in enumerate([part] if formula else re.split(alone, part)) if p]
        out = []
        for at, (formula, part) in enumerate(parts):
            if not formula:
                out.append(nodes.Text(re.sub(r"(?<!\S)->(?!\S)", "→", part)))
                continue
            after = re.match(r"[.,;:)']*", "" if at + 1 == len(parts) or parts[at + 1][0] else parts[at + 1][1])[0]
            if after:  # no line begins with it
                parts[at + 1] = (False, parts[at + 1][1][len(after):])
            out.append(nodes.raw("", mathml(part, after), format="html"))
        return out


def ancestors(node):
    while node := node.parent:
        yield node


class Cpp(CPPDomain):
    """Without the parameters of functions, which the search would list."""

    def get_objects(self):
        return (o for o in super().get_objects() if o[2] not in ("functionParam", "templateParam"))


def ready(app, config):
    app.neml2_names = Names(app.srcdir)
    # Other names or rules are for all pages, whether these have changed or not.
    rules = [Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8") for name in ("prose", "formulas")]
    config.prose_state = hashlib.sha256("".join([app.neml2_names.text, *rules]).encode()).hexdigest()


def setup(app):
    app.add_config_value("prose_state", "", "env")
    app.add_domain(Cpp, override=True)
    app.connect("config-inited", ready)
    app.add_transform(Prose)
    return {"parallel_read_safe": True}
