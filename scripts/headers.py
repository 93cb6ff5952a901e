# SPDX-License-Identifier: MIT
"""The declarations of headers, read by libclang: their public classes and functions as written, with their comments.

Neither LibTorch nor a standard library is needed: stand_ins.h declares the names of theirs.
"""
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include" / "neml2"
STAND_INS = ROOT / "scripts" / "stand_ins.h"
sys.path += map(str, ROOT.glob("build/libclang/lib/python3*/site-packages"))  # setup.sh installs it there
try:
    from clang.cindex import AccessSpecifier, AvailabilityKind, CursorKind, Index, TranslationUnit

    INDEX = Index.create()
except Exception as error:  # the package clang is missing, or its libclang, which has a separate exception type
    sys.exit(f"The headers are read with libclang, which {sys.executable} does not find: {error}\n"
             "pip install libclang; for the tests, scripts/setup.sh auto test")

OPTIONS = TranslationUnit.PARSE_SKIP_FUNCTION_BODIES | 0x200  # CXTranslationUnit_KeepGoing: continue after missing headers
CLASSES = {CursorKind.CLASS_DECL, CursorKind.STRUCT_DECL, CursorKind.CLASS_TEMPLATE}
FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR, CursorKind.CONVERSION_FUNCTION,
             CursorKind.FUNCTION_TEMPLATE}
NAMES = {CursorKind.TYPE_ALIAS_DECL, CursorKind.TYPE_ALIAS_TEMPLATE_DECL, CursorKind.ENUM_DECL, CursorKind.VAR_DECL, CursorKind.FIELD_DECL}
TEMPLATE_PARAMETERS = {CursorKind.TEMPLATE_TYPE_PARAMETER, CursorKind.TEMPLATE_NON_TYPE_PARAMETER,
                       CursorKind.TEMPLATE_TEMPLATE_PARAMETER}


def declaring(room):
    """The headers of a room that contain declarations; X-inl.h has the definitions of X.h."""
    return sorted(h for h in (INCLUDE / room).glob("*.h") if not h.stem.endswith("-inl"))


@dataclass
class Class:
    name: str
    comment: str
    defined: bool
    bases: list[str] = field(default_factory=list)  # as written, PrimitiveTensor<SR2, 6>


@dataclass
class Name:
    """A type, a constant or a macro: an alias, an enumeration, a variable, a field."""
    scope: str
    is_class: bool
    name: str
    comment: str
    text: str


class Argument(NamedTuple):
    type: str  # the whole parameter if it has no name
    name: str
    default: str


@dataclass
class Function:
    scope: str  # its class or namespace
    is_class: bool
    name: str
    args: list[Argument]
    static: bool
    comment: str
    text: str
    section: str  # the heading above it among the members of its class, // ---- Views ----
    letters: set[str]  # its template parameters
    named: list[str]  # the template parameters that a call has to give, add<T>(...), as they are declared

    @property
    def key(self):
        return (f"{self.scope}::" if self.is_class else "") + self.name

    @property
    def constructor(self):
        return self.is_class and self.name == self.scope


# Conditions that restrict a template to one type.
ONE_TYPE = {"math::if_dynamic<T>": "Tensor", "std::is_same_v<T, Tensor>,": "Tensor", "core::if_raw_tensor<T>": "at::Tensor"}

# The namespaces of the rooms, which are not for users.
INTERNAL = {"kernels", "packs", "recorded", "core", "engine", "composed", "device", "math", "tensors", "gradients"}


class Header:
    """items: its public classes and functions, in order; names: all other declarations with a name; about: the comments of its namespaces;
    brought: (scope, name) of using declarations; unread: the extents of all other declarations."""

    def __init__(self, path):
        self.source, self.items, self.names, self.brought, self.unread = path.read_bytes(), [], [], [], []
        headings = re.finditer(rb"(?m)^  // ---- (.*?)(?: ?\(.*)? -+$|^\};$", self.source)
        self.sections = [(m.start(), (m[1] or b"").decode()) for m in headings]
        comment = rb"(?m)^((?:///.*\n)+|/\*\*\n(?: \*.*\n)+)"
        spaces = re.finditer(comment + rb"?(?:namespace ([\w:]+)|#ifndef)", self.source)
        self.about = "\n\n".join(self.plain(m[1]) for i, m in enumerate(spaces)
                                 if m[1] and (i == 0 or (m[2] or b"").decode().split("::")[-1] not in INTERNAL))
        self.names += [Name("", False, m[2].decode().partition("(")[0], self.plain(m[1]), f"#define {m[2].decode()}")
                       for m in re.finditer(comment + rb"#define (\w+\(.*?\))", self.source)]

    @property
    def functions(self):
        return [i for i in self.items if isinstance(i, Function)]

    @property
    def classes(self):
        """The comments of classes by name."""
        return {i.name: i.comment for i in self.items if isinstance(i, Class) and i.defined}

    def text(self, begin, end):
        lines = [line.partition("//")[0] for line in self.source[begin:end].decode().splitlines()]
        return " ".join(" ".join(lines).split()).replace("neml2::", "")

    def comment(self, cursor):
        raw, begin = (cursor.raw_comment or "").encode(), cursor.extent.start.offset
        at = self.source.rfind(raw, 0, begin)
        if not raw or at < 0 or b"\n\n" in self.source[at + len(raw):begin]:
            return ""  # there is no comment, or it belongs to another declaration of the same name
        return self.plain(raw)

    @staticmethod
    def plain(raw):
        raw = raw.strip()
        block = raw.startswith(b"/**")
        lines = (raw[3:-2] if block else raw).decode().splitlines()
        return "\n".join(s.strip().removeprefix("*" if block else "///").removeprefix(" ") for s in lines).strip()

    def beside(self, end):
        """The comment that follows a declaration in its line, ///<."""
        found = re.match(rb"[;,]?[ \t]*///< *(.*)", self.source[end:])
        return found[1].decode().strip() if found else ""

    def read(self, cursors, scope=(), is_class=False):
        last, comment = None, ""
        for c in cursors:
            if self.source.startswith(b"NEML2_ASSIGNED_WHOLE(", c.extent.start.offset):  # copy operations, which every class has
                continue
            if c.kind == CursorKind.NAMESPACE and c.spelling not in INTERNAL:
                self.read(c.get_children(), (*scope, c.spelling))
            elif c.kind == CursorKind.NAMESPACE and c.spelling == "core":  # in core only the bases of tensors are for users
                self.unread.append(c.extent)
                self.read([m for m in c.get_children() if m.kind == CursorKind.NAMESPACE and m.spelling == "mixins"], scope)
            elif (c.kind == CursorKind.NAMESPACE or c.kind in CLASSES and c.semantic_parent.spelling in INTERNAL
                  or is_class and c.access_specifier != AccessSpecifier.PUBLIC):
                self.unread.append(c.extent)
            elif c.kind in CLASSES:
                self.read_class(c)
            elif c.kind in NAMES:
                self.read_name(c, "::".join(scope), is_class)
            elif c.kind == CursorKind.USING_DECLARATION:
                self.brought.append(("::".join(scope), c.spelling))
                if (text := self.text(c.extent.start.offset, c.extent.end.offset)).startswith("using c10::"):
                    self.names.append(Name("::".join(scope), is_class, c.spelling, self.comment(c) or self.beside(c.extent.end.offset), text))
            elif c.kind in FUNCTIONS:
                # A comment also belongs to the overloads that follow, and to a declaration in the next line.
                between = self.source[last.extent.end.offset:c.extent.start.offset] if last else b""
                if last and c.spelling != last.spelling and any(s in between for s in (b"{", b"//", b"\n\n")):
                    comment = ""
                comment = self.comment(c) or comment
                self.read_function(c, "::".join(scope), is_class, comment)
            last, comment = (c, comment) if c.kind in FUNCTIONS else (None, "")

    def read_class(self, cursor):
        bases = [c for c in cursor.get_children() if c.kind == CursorKind.CXX_BASE_SPECIFIER]
        bases = [self.text(b.extent.start.offset, b.extent.end.offset).removeprefix("public ") for b in bases]
        self.items.append(Class(cursor.spelling, self.comment(cursor), cursor.is_definition(), bases))
        self.read(cursor.get_children(), (cursor.spelling,), True)
        own = " ".join(f.text for f in self.functions if f.is_class and f.scope == cursor.spelling)
        self.names = [n for n in self.names if not n.is_class or n.scope != cursor.spelling or "using " not in n.text
                      or re.search(rf"\b{n.name}\b", own)]  # only aliases that declarations name

    def read_name(self, cursor, scope, is_class):
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        alias = cursor.kind in (CursorKind.TYPE_ALIAS_DECL, CursorKind.TYPE_ALIAS_TEMPLATE_DECL)
        again = is_class and alias and re.search(rf"= {cursor.spelling};?$", self.text(begin, end))  # an alias of the same name is omitted
        if (again or cursor.spelling == "type_name" or len(cursor.spelling) == 1
                or not is_class and cursor.semantic_parent.spelling in INTERNAL):
            return
        if alias:
            begin = self.source.index(b"using", begin)
        text = self.text(begin, end)
        for word in ("inline ", "static ", "constexpr "):
            text = text.replace(word, "")
        if is_class and not alias and "{" not in text and ", " in text:  # double lower, upper
            text = text.split()[0] + " " + text.rpartition(", ")[2]
        comment = self.comment(cursor) or self.beside(end)
        if cursor.kind == CursorKind.ENUM_DECL:
            text = text.partition("{")[0].strip()
            values = [c for c in cursor.get_children() if c.kind == CursorKind.ENUM_CONSTANT_DECL]
            comment += "".join(f"\n- `{cursor.spelling}::{v.spelling}`: {self.beside(v.extent.end.offset)}" for v in values)
        self.names.append(Name(scope, is_class, cursor.spelling, comment, text))

    def read_function(self, cursor, scope, is_class, comment):
        children = list(cursor.get_children())
        self.unread += [c.extent for c in children if c.kind == CursorKind.COMPOUND_STMT]
        again = cursor.semantic_parent != cursor.lexical_parent or cursor.canonical != cursor and not comment
        if again or cursor.availability == AvailabilityKind.NOT_AVAILABLE:  # = delete
            return
        begin, at, end = cursor.extent.start.offset, cursor.location.offset, cursor.extent.end.offset
        if re.match(rb"[^;{]*= delete;", self.source[at:]):  # = delete of a template
            return
        if b"core::if_relaxed<" in self.source[begin:at]:  # only for programs of NEML2 2.x: docs/compat.md
            return
        name = "operator()" if cursor.spelling == "operator()" else self.text(at, end).partition("(")[0]
        args, types, rest, letters, given = [], {}, at + len(name), set(), {}
        for c in children:
            if c.kind in TEMPLATE_PARAMETERS:
                letters.add(c.spelling)
                begin = self.source.find(b">", c.extent.end.offset) + 1
                kind = self.text(c.extent.start.offset, c.extent.end.offset)
                if "=" not in kind and c.spelling:
                    given[c.spelling] = kind
                for condition, only in ONE_TYPE.items():
                    if condition in kind:
                        types = {"const T &": f"const {only} &"}
                if kind.startswith("if_bound<L>"):
                    types = {"const L &": "const BoundLabels &"}
                if kind.startswith("math::if_types<"):  # A, its type, B, its type
                    names = kind[kind.index("<") + 1:kind.rindex(">")].split(", ")
                    types = {f"const {a} &": f"const {b} &" for a, b in zip(names[::2], names[1::2])}
            elif c.kind == CursorKind.PARM_DECL:
                args.append(self.argument(c, types))
                rest = c.extent.end.offset
        words = [w for w in self.text(begin, at).split() if w != "inline" and not w.startswith(("NEML2_", "[["))]
        if args and words == ["auto"] and not any(a.name for a in args):  # exists only to refuse calls
            return
        if cursor.type.is_function_variadic():
            args.append(Argument("...", "", ""))
        shown = [" ".join(filter(None, [a.type, a.name, a.default and f"= {a.default}"])) for a in args]
        used = {w for a in args for w in re.findall(r"\w+", a.type)} | set(re.findall(r"\w+", str([*types])))
        given = {n: kind for n, kind in given.items() if n not in used}
        called = name + f"<{', '.join(n + '...' * ('...' in kind) for n, kind in given.items())}>" * bool(given)
        text = " ".join(words + [called]) + f"({', '.join(shown)})" + " const" * cursor.is_const_method()
        text += " noexcept" * ("noexcept" in self.text(rest, end).partition("{")[0].split())
        section = next((title for at, title in reversed(self.sections) if is_class and at < cursor.extent.start.offset), "")
        self.items.append(Function(scope, is_class, name, args, "static" in words, comment, text, section, letters, [*given.values()]))

    def argument(self, cursor, types):
        begin, at, end = cursor.extent.start.offset, cursor.location.offset, cursor.extent.end.offset
        name, kind, rest = cursor.spelling, self.text(begin, at), self.text(at + len(cursor.spelling), end)
        if not name or rest and not rest.startswith("= "):
            return Argument(self.text(begin, end), "", "")
        return Argument(types.get(kind, kind), name, rest.removeprefix("= "))


def read(paths):
    """The parsed headers by path."""
    headers = {p: Header(p) for p in sorted(paths)}
    unit = INDEX.parse(
        "headers.cpp", ["-std=c++17", "-nostdinc", f"-I{INCLUDE.parent}", f"-include{STAND_INS}", "-ferror-limit=0"],
        [("headers.cpp", "".join(f'#include "{p.as_posix()}"\n' for p in headers))], OPTIONS)
    cursors = [(Path(c.location.file.name), c) for c in unit.cursor.get_children() if c.location.file]
    for path, header in headers.items():
        header.read([c for p, c in cursors if p == path])
    bring(headers, [(p, c) for p, c in cursors if p.parent == INCLUDE / "kernels" and p not in headers])
    if errors := [str(d) for d in unit.diagnostics if d.severity >= d.Error and matters(d, headers)]:
        sys.exit("libclang cannot read the headers; names of the standard library or of LibTorch that they use have to be declared "
                 f"in {STAND_INS}:\n  " + "\n  ".join(errors[:20]))
    return headers


def bring(headers, cursors):
    """Moves declarations of kernels/ that are for users to other headers: classes go to the header with the using declaration, and
    enumerations and other names to the header whose functions take them."""
    for path, outer in cursors:
        kernels, inner = Header(path), list(outer.get_children())
        kernels.read(inner, ("neml2",))
        for name in kernels.names:
            takes = [h for h in headers.values() if any(name.name in a.type for f in h.functions for a in f.args)]
            if takes:
                takes[0].names.append(name)
        for c in [c for n in inner if n.kind == CursorKind.NAMESPACE and n.spelling == "kernels" for c in n.get_children()]:
            for header in headers.values():
                if ("neml2", c.spelling) in header.brought and c.kind in CLASSES and c.is_definition():
                    kernels.items.clear()
                    kernels.read_class(c)
                    header.items += kernels.items
                    header.names += [n for n in kernels.names if n.is_class]


def matters(error, headers):
    """Whether an error concerns the headers that are read. Names that are unknown because other headers are missing are errors where they
    are used."""
    if error.spelling.endswith("' file not found"):
        return "'neml2/" in error.spelling
    file, at = error.location.file and Path(error.location.file.name), error.location.offset
    if file not in headers:
        return file in (None, STAND_INS)
    return not any(e.start.offset <= at <= e.end.offset for e in headers[file].unread)
