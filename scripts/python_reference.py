#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes build/docs/python_reference.md, the names of the Python package: python_reference.py [STUBS]

STUBS is the folder of a built package, with tensors.pyi, math.pyi and crystallography.pyi; the default is the package that was last
built in this clone. Functions written in Python are read from python/neml2_tensors. Public names that the page lacks are an error.
"""
import ast
import re
import sys
import textwrap
from pathlib import Path

from headers import ROOT, Argument, Function
from vocabulary import in_python_formulas

PAGE = ROOT / "build" / "docs" / "python_reference.md"
PACKAGE = ROOT / "python" / "neml2_tensors"
OPTIONS = "dtype: torch.dtype | None = None, device: torch.device | str | None = None, requires_grad: bool = False"
BINARY = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "matmul": "@", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==",
          "ne": "!=", "and": "&", "or": "|", "xor": "^"}
COMPILED = ("tensors", "math", "crystallography")
IN_PLACE = {"iadd": "+=", "isub": "-=", "imul": "*=", "itruediv": "/="}
UNARY = {"neg": "-a", "pos": "+a", "abs": "abs(a)", "invert": "~a"}


def plain(text):
    """A text with types under the names by which users import them."""
    return re.sub(r"\bneml2_tensors\.(?:tensors|math)\.|(?<![\w.])_(?=(?:torch|float|int)\b)", "", text)


def parameters(f):
    """The parameters as they are written, without self."""
    a, out = f.args, []
    defaults = [None] * (len(a.args) - len(a.defaults)) + a.defaults
    given = [("", x, d) for x, d in zip(a.args, defaults)] + [("*", a.vararg, None)] * bool(a.vararg or a.kwonlyargs)
    for star, x, default in [*given, *(("", x, d) for x, d in zip(a.kwonlyargs, a.kw_defaults)), *[("**", a.kwarg, None)] * bool(a.kwarg)]:
        text = star + (x.arg if x else "") + (f": {ast.unparse(x.annotation)}" if x and x.annotation else "")
        out.append(text + (f" = {ast.unparse(default)}" if default else ""))
    return plain(", ".join(p for p in out if p != "self"))


def lines(text, indent):
    return "\n".join(textwrap.wrap(text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False))


def signature(f, owner):
    """The signature: the name for a function of a module, SR2.fill(...) for a class, s.dev() for its objects, s.shape for a property."""
    marks = {ast.unparse(d) for d in f.decorator_list}
    arguments = parameters(f).replace(OPTIONS, "**options").replace("*, **options", "**options")
    returned = f" -> {plain(ast.unparse(f.returns))}" if f.returns else ""
    if "property" in marks:
        return f"{owner}.{f.name}: {returned.removeprefix(' -> ')}"
    if f.name == "__init__":
        return lines(f"{owner}({arguments})", "    ")
    return lines(f"{owner}.{f.name}({arguments}){returned}", "    ")


def as_declared(f, scope):
    """The function as scripts/headers.py reads one from the headers."""
    static = any(ast.unparse(d) == "staticmethod" for d in f.decorator_list)
    given = [a for a in f.args.args if a.arg != "self"]
    kinds = {"float": "Real", "int": "Size", "Scalar | float": "Scalar", "TensorBase": "T"}
    defaults = [""] * (len(given) - len(f.args.defaults)) + ["1"] * len(f.args.defaults)
    types = [plain(ast.unparse(a.annotation)) if a.annotation else "" for a in given]
    types = [re.sub(r"\W+", "_", kinds.get(t, t)) or "_" for t in types]
    args = [Argument(f"const {t} &", a.arg, d) for t, a, d in zip(types, given, defaults)]
    return Function(scope or "neml2", bool(scope), f.name, args, static, "", "", "", {"T", "U", "V"}, [])


def first_sentence(text):
    return text and re.split(r"(?<=\.)\s+(?=[A-Z@])|(?<=\))\s+(?=[A-Z][A-Za-z]* [a-z]{2}|Raises |Source: |@)", " ".join(text.split()) + " ")[0].strip()


def listed(functions, owner, scope):
    """Signatures, and the overloads that share one comment."""
    out, group = [], []
    for f in functions:
        group.append(f)
        text = signature(f, owner)
        if text not in out:
            out.append(text)
        comment = ast.get_docstring(f) or ""
        last = f is functions[-1] or functions[functions.index(f) + 1].name != f.name
        if comment or last:
            by_name = any(a.annotation and ast.unparse(a.annotation) == "str" for g in group for a in g.args.args)
            said = comment if by_name else first_sentence(comment)  # the whole comment where it lists the names that a str may be
            if scope != "crystallography" and any(in_python_formulas(as_declared(g, scope)) for g in group):
                said = f"{said} [in formulas]".strip()
            out += [f"    # {line}".rstrip() if by_name else lines(f"    # {line}", "    # ") for line in said.splitlines()]
            group = []
    return out


def operators(c, base):
    """A table of the operands and results of operators, including those that all types have."""
    own = [f for f in c.body if isinstance(f, ast.FunctionDef)]
    names = {f.name for f in own}
    is_tensor = any(ast.unparse(b) == base.name for b in c.bases)
    inherited = [f for f in base.body if isinstance(f, ast.FunctionDef) and f.name not in names] if is_tensor else []
    itself = "the same type" if c is base else f"`{c.name}`"
    forms = {n: f"a {s} b" for n, s in BINARY.items()} | {f"r{n}": f"b {s} a" for n, s in BINARY.items()} | \
        {n: f"a {s} b" for n, s in IN_PLACE.items()} | UNARY

    def called(annotation):
        return {"Self": itself, "float": "number"}.get(annotation, f"`{annotation}`")

    found = {}  # operands, by operator and result
    for f in sorted(own + inherited, key=lambda f: [*forms].index(f.name.strip("_")) if f.name.strip("_") in forms else -1):
        name = f.name.strip("_")
        if f.name != f"__{name}__" or name not in forms or "Never" in parameters(f):
            continue
        given = [plain(ast.unparse(a.annotation)) for a in f.args.args if a.arg != "self"]
        operands = found.setdefault((name, called(plain(ast.unparse(f.returns)))), [])
        # For two tensors of the same type * is a product; only types that have one declare it.
        no_product = name in ("mul", "imul") and f in inherited and c.name not in ("Tensor", "Scalar")
        operands += [called(o) for g in given for o in g.split(" | ") if not (o == "Self" and no_product)]
    rows = {}
    for (name, result), operands in found.items():
        last = dict.fromkeys(sorted(operands, key=lambda o: (o == "number", o == "`Scalar`")))
        rows.setdefault((tuple(last), result, name in IN_PLACE, forms[name][0] == "b"), []).append(f"`{forms[name]}`".replace("|", r"\|"))
    if rows:
        yield from ["| | `b` | gives |", "| --- | --- | --- |"]
        yield from (f"| {', '.join(shown)} | {', '.join(operands)} | {result} |".replace("|  |", "| |") for (operands, result, *_), shown in rows.items())
        yield ""


def stub(path, module):
    """The classes and the functions of a compiled module."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    out = [f"## `neml2.{module}`", "", ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "", ""]
    body_of = {n.name: n for n in body if isinstance(n, ast.ClassDef)}
    for c in body_of.values():
        functions = [f for f in c.body if isinstance(f, ast.FunctionDef)]
        shown = [f for f in functions if (not f.name.startswith("_") or f.name in ("__init__", "__call__", "__getitem__", "__setitem__"))
                 and "Never" not in parameters(f) and not any(".setter" in ast.unparse(d) for d in f.decorator_list)]
        of = f", a `{ast.unparse(c.bases[0]).partition('[')[0]}`" if c.bases and "Generic" not in ast.unparse(c.bases[0]) else ""
        out += [f"### `{c.name}`{of}", "", (ast.get_docstring(c) or "").partition("\n\n")[0], "",
                *operators(c, body_of["TensorBase"] if "TensorBase" in body_of else c),
                "```python", *listed(shown, c.name, c.name), "```", ""]
    functions = sorted((f for f in body if isinstance(f, ast.FunctionDef)), key=lambda f: f.name)
    constants = [f"{module}.{n.target.id}: {plain(ast.unparse(n.annotation))}" for n in body if isinstance(n, ast.AnnAssign)]
    if functions:
        out += ["```python", *constants, *listed(functions, module, "crystallography" if module == "crystallography" else ""), "```", ""]
    return out


def names_of(module):
    """The __all__ of a module, as it is written."""
    listed = [n.value for n in ast.parse(module.read_text(encoding="utf-8")).body
              if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "__all__" and isinstance(n.value, ast.List)]
    return ast.literal_eval(listed[0])


def sources():
    """Modules that are written in Python: the name, the public names, the files that may define them, and the file of the module."""
    for name, home in {"neml2": "__init__.py", "neml2.formulas": "formulas.py", "neml2.distributed": "distributed.py",
                       "neml2.plot": "plot/__init__.py", "neml2.point": "point.py"}.items():
        home = PACKAGE / home
        names = ["Formula"] if name == "neml2.formulas" else names_of(home)  # its other names are in neml2
        yield name, names, sorted(home.parent.glob("*.py")) if home.name == "__init__.py" else [home], home


def written(module, names, paths, home):
    about = ast.get_docstring(ast.parse(home.read_text(encoding="utf-8"))).partition("\n\n")[0]
    out = [f"## `{module}`", "", about.removesuffix(":"), ""]
    found = {}
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for n in tree.body:
            if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name in names:
                found.setdefault(n.name, []).append(n)
            if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) in names:
                out += ["```python", f"{module}.{ast.unparse(n)}", "```", ""]
    for name in sorted(found):
        nodes = found[name]
        comment = next((c for n in nodes if (c := ast.get_docstring(n))), "")
        functions = [n for n in nodes if isinstance(n, ast.FunctionDef)]
        overloads = [f for f in functions if f.decorator_list and "overload" in ast.unparse(f.decorator_list[0])] or functions
        texts = [signature(f, module) for f in overloads] or [f"class {module}.{name}", *(
            f"    {ast.unparse(f)}" for f in nodes[0].body if isinstance(f, ast.AnnAssign))]
        out += ["```python", *texts, "```", comment, ""]
    return out


def built():
    """The folder of the stubs that were written last; None if there are no stubs."""
    found = [*ROOT.glob("build/python/*/python/neml2_tensors/tensors.pyi"), *ROOT.glob("build/python/venv/lib/python3*/site-packages/neml2_tensors/tensors.pyi")]
    return max(found, key=lambda f: f.stat().st_mtime).parent if found else None


def introduction():
    """The first part of docs/python_reference.md, after the paragraph about the locations of names."""
    return (ROOT / "docs" / "python_reference.md").read_text(encoding="utf-8").partition("\n## ")[0].split("\n\n", 2)[2].strip()


def page(stubs):
    """The whole page; without stubs, only the modules that are written in Python."""
    out = [f"# Python reference\n\n{introduction()}\n"]
    for source in sources():
        out += written(*source)
    for module in COMPILED if stubs else ():
        out += stub(stubs / f"{module}.pyi", module)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip() + "\n"


def missing(text):
    """Public names that occur in no signature."""
    shown = {*re.findall(r"\w+", " ".join("".join(m) for m in re.findall(r"(?ms)^```python\n(.*?)^```$|^###? ([^\n]*)$", text)))}
    for module, names, *_ in sources():
        yield from (f"{module}.{name}" for name in names if name not in shown)


def main():
    stubs = Path(sys.argv[1]) if len(sys.argv) > 1 else built()
    if not stubs:
        sys.exit("The stubs of neml2.tensors, neml2.math and neml2.crystallography are in no folder of build/python: build the package first, "
                 "pip install -v .")
    text = page(stubs)
    text = re.sub(r"\]\(([^)]*\.md[^)]*)\)", lambda m: f"](../../docs/{m[1]})", text)
    if faults := [*missing(text)]:
        sys.exit("The Python reference lacks " + ", ".join(faults))
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
