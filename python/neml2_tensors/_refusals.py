# SPDX-License-Identifier: MIT
"""The messages of TypeErrors of calls and operators. They contain the types that were given, and the expression to write instead. The
compiled part calls these functions when no overload fits the arguments."""

import ast
import math as mathematics
import numbers
import re
from collections.abc import Iterator
from typing import Any

import torch

from . import tensors

# ---- Operators ----

SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "matmul": "@", "and": "&", "or": "|", "xor": "^",
           "lt": "<", "le": "<=", "gt": ">", "ge": ">="}  # fmt: skip
PRODUCTS = {
    "R2": ("R2", "Vec", "R4"),
    "R4": ("R2", "R4"),
    "SR2": ("SSR4",),
    "SSR4": ("SR2", "R2", "SSR4"),
    "Rot": ("Rot", "Vec"),
    "Quaternion": ("Quaternion",),
    "Tensor": ("Tensor",),
}
ROTATED = ("Vec", "WR2", "R2", "SR2", "R4", "SSR4")
# For each type the types to which its tensors can be converted, with the expressions that do so: types that store all components, and other
# descriptions of a rotation.
OTHERWISE = {
    "SR2": {"R2": "R2({})"},
    "WR2": {"R2": "R2({})"},
    "SSR4": {"R4": "R4({})"},
    "WWR4": {"R4": "R4({})"},
    "Rot": {"R2": "R2({})", "Quaternion": "Quaternion({})"},
    "Quaternion": {"R2": "{}.rotation_matrix()", "Rot": "{}.to_rot()"},
}
ONE_TYPE = "Expected two tensors of one type, or a Scalar or a number beside one: convert one of them."


def forms(type_name: str, operand: str) -> dict[str, str]:
    """The type of an operand and the types to which it can be converted, with the expression for each."""
    return {type_name: operand, **{t: text.format(operand) for t, text in OTHERWISE.get(type_name, {}).items()}}


def rewritten(symbol: str, left: str, right: str) -> Iterator[str]:
    """Expressions to write instead of `a symbol b`; left and right are the types of a and b."""
    product = symbol in ("*", "@")
    rotates = product and left in ("Rot", "Quaternion") and right in ROTATED
    if rotates:
        yield "b.rotate(a)"
    if product and (left, right) == ("Vec", "R2"):
        yield "b.transpose() * a"
    if "Tensor" in (left, right) and left != right and symbol != "@":
        yield f"{'a' if left == 'Tensor' else 'a.tensor()'} {symbol} {'b' if right == 'Tensor' else 'b.tensor()'}"
    pairs = [(x, y) for x in forms(left, "a").items() for y in forms(right, "b").items()]
    for (x, a), (y, b) in sorted(pairs, key=lambda p: len(p[0][1] + p[1][1])):
        of_one_type = x == y and symbol not in "&|^" and not {left, right} & {"Rot", "Quaternion"}
        if y in PRODUCTS.get(x, ()) if product else of_one_type:
            if not rotates or right == "R2":
                yield f"{a} {symbol} {b}"
            break
    if product and left == right:
        yield from ("a.dot(b)", "a.cross(b)", "a.outer(b)") if left == "Vec" else ("math.inner(a, b)",)


def of_operator(name: str, own: Any, other: Any) -> str | None:
    """The message for `own.name(other)` of two tensors of the library. None if Python will next try the operator of the other operand."""
    bare = name.strip("_")
    reflected = bare not in SYMBOLS and bare[:1] == "r"
    symbol = SYMBOLS.get(bare[1:] if reflected else bare)
    asked_next = not reflected and type(own) is not type(other) and any(f"__r{bare}__" in vars(c) for c in type(other).__mro__)
    if symbol is None or asked_next:
        return None
    left, right = (type(a).__name__ for a in ((other, own) if reflected else (own, other)))
    message = f"unsupported operand types for {symbol}: '{left}' and '{right}'. "
    if written := [*rewritten(symbol, left, right)]:
        return f"{message}Instead of a {symbol} b write {' or '.join(written)}."
    if symbol in ("*", "@"):
        partners = PRODUCTS.get(left, ())
        scalar = ("a Scalar", "a number") if symbol == "*" else ()
        expected = ", ".join([*partners, *scalar])
        return f"{message}Expected on the right of {left}: {expected}." if expected else f"{message}There is no {symbol} of {left}."
    return message + ONE_TYPE


RAW = (
    " A torch.Tensor does not say which of its dimensions are batch dimensions: make it a tensor of this library first, "
    "for example SR2(t), or Tensor(t, batch_dim)."
)


def raw_operand(name: str, own: Any, other: Any) -> str | None:
    """The message for an operator between a tensor of the library and a tensor of torch."""
    bare = name.strip("_")
    reflected = bare not in SYMBOLS and bare[:1] == "r"
    symbol = SYMBOLS.get(bare[1:] if reflected else bare)
    if symbol is None:
        return None
    pair = [type(own).__name__, "torch.Tensor"]
    left, right = reversed(pair) if reflected else pair
    return f"unsupported operand types for {symbol}: '{left}' and '{right}'.{RAW}"


def in_formula(symbol: str, a: Any, b: Any) -> str:
    """The message for `a symbol b` in a formula. a and b are tensors of the formula, conditions or any other objects."""
    names = [x.type if type(x).__name__ == "Row" else type(x) for x in (a, b)]
    left, right = ("torch.Tensor" if issubclass(t, torch.Tensor) else t.__name__ for t in names)
    message = f"unsupported operand types for {symbol} in a formula: '{left}' and '{right}'."
    if "Condition" in (left, right):
        if symbol in "&|^":
            return f"{message} It takes conditions, as a < b gives: for a number write a != 0."
        return f"{message} A condition has no value to calculate with: math.where(condition, 1.0, 0.0) does, and math.where(condition, a, b) chooses."
    if any(isinstance(x, torch.Tensor) for x in (a, b)):
        return message + RAW
    if any(isinstance(x, numbers.Complex) and not isinstance(x, numbers.Real) for x in (a, b)):
        return f"{message} Formulas compute with real numbers: pass real and imaginary part as two arguments."
    if symbol in "&|^":
        return f"{message} It takes conditions, as a < b gives: for a number write a != 0."
    if {left, right} <= {*tensors.__all__}:
        return f"{message} Instead of a {symbol} b write {' or '.join(w)}." if (w := [*rewritten(symbol, left, right)]) else f"{message} {ONE_TYPE}"
    if any(isinstance(x, (list, tuple)) for x in (a, b)):
        return f"{message} For a list write math.base_stack([...]), which is a Tensor, or a type's fill, as Vec.fill(a, b, c)."
    return f"{message} Expected tensors of the formula, tensors without batch, or numbers."


# ---- Calls ----

MODULES = r"\b(?:neml2_tensors\.tensors|collections\.abc|typing_extensions|typing)\."
ANY_TENSOR = {"T", "U", "V", "TensorBase"}
Parameters = list[tuple[str, set[str]]]  # names and types


def overloads(listed: str, n: int) -> list[Parameters]:
    """The signatures in nanobind's list of overloads that take n arguments."""
    found = []
    for line in re.findall(r"(?m)^    \d+\. (.*)$", listed):
        try:
            (f,) = ast.parse(f"def {line}: ...").body
        except SyntaxError:  # a default that is not a literal
            continue
        if isinstance(f, ast.FunctionDef):
            given = [*f.args.posonlyargs, *f.args.args]
            if len(given) - len(f.args.defaults) <= n <= len(given):
                found.append([(a.arg, set(ast.unparse(a.annotation).split(" | ")) if a.annotation else set()) for a in given[:n]])
    return found


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def fits(value: Any, types: set[str]) -> bool:
    """Whether an argument has one of these types, which are given by their names."""
    known = {t.__name__ for t in type(value).__mro__}
    known |= {"torch.Tensor"} if isinstance(value, torch.Tensor) else {"float"} if is_number(value) else set()
    return not types or bool(types & known) or "TensorBase" in known and bool(types & ANY_TENSOR)


def instead(value: Any, types: set[str]) -> str | None:
    """The expression to write for an argument where a tensor of these types is expected."""
    own = type(value).__name__
    named = [t for t in tensors.__all__ if t in types and t not in ANY_TENSOR]
    if is_number(value):
        return f"Scalar({float(value) if isinstance(value, float) else int(value)})" if types & {"Scalar", *ANY_TENSOR} else None
    if isinstance(value, (list, tuple)) or own == "ndarray":
        if "torch.Tensor" in types:
            return "torch.as_tensor(...)"
        if 0 < len(named) < 4:
            return " or ".join(f"{t}.create(...)" for t in named)
        return "Tensor(torch.as_tensor(...), batch_dim)" if types & ANY_TENSOR else None
    for t in named:
        if t in OTHERWISE.get(own, {}):
            return OTHERWISE[own][t].format("...")
        if own == "R2" and t in ("SR2", "WR2"):
            return f"{t}(...)"
    return None


def is_raw(argument: Any) -> bool:
    """Whether an argument is a torch.Tensor, or a list or tuple that contains one."""
    return any(isinstance(a, torch.Tensor) for a in (argument if isinstance(argument, (list, tuple)) else [argument]))


def of_call(name: str, module: str, said: str, arguments: tuple[Any, ...]) -> str:
    """The message for a call whose arguments fit no overload, made from nanobind's message `said`. Keyword arguments are the last of the
    arguments."""
    listed, _, given = re.sub(MODULES, "", said).partition("\n\nInvoked with types: ")
    types = given.partition("\n")[0].split(", ")
    lines = re.findall(r"(?m)^    \d+\. .*$", listed)
    if any(re.match(r" *\d+\. \w+\(self\b", line) for line in lines):
        types = types[1:]
    where = name if "." in name else f"{module.rpartition('.')[2]}.{name}"
    message = f"{where}: incompatible function arguments, no overload takes ({', '.join(types)})."
    closest: list[tuple[str, set[str], Any]] = []  # the arguments that do not fit the best signature
    if "kwargs = " not in given:
        misfits = [[(p, t, a) for (p, t), a in zip(f, arguments) if not fits(a, t)] for f in overloads(listed, len(arguments))]
        for m in sorted(misfits, key=len)[:1]:
            others = [o for o in misfits if [x[0] for x in o] == [x[0] for x in m]]
            closest = [(p, set().union(*(o[i][1] for o in others)), a) for i, (p, _, a) in enumerate(m)]
    hints = [f"{hint} for {p}" for p, t, a in closest if (hint := instead(a, t))]
    if name.endswith(".fill") and len(arguments) == 1 and isinstance(arguments[0], (list, tuple)):
        message += f" Write {where}(*...): its components are given one by one."
    elif hints:
        message += f" Write {', '.join(hints)}."
    if any(is_raw(a) for a in ([a for _, _, a in closest] or arguments)):
        message += RAW
    return "\n".join([message, "The overloads are:" if len(lines) > 1 else "It takes:", *lines])


def of_constructor(name: str, said: str, arguments: tuple[Any, ...]) -> str | None:
    """The message for a constructor called with a tensor and options, although options may only follow a number."""
    options = re.search(r"kwargs = \{ (.*?) \}", said)
    if options is None or not arguments or not isinstance(arguments[0], (torch.Tensor, tensors.TensorBase)):
        return None
    given = [o.partition(":")[0] for o in options[1].split(", ")]
    if not {*given} <= {"dtype", "device", "requires_grad"}:
        return None
    written = ".to(...)" * bool({*given} - {"requires_grad"}) + ".requires_grad_()" * ("requires_grad" in given)
    has = "a tensor has a dtype, a device and requires_grad of its own, and takes no"
    return f"{name}: {has} {', '.join(given)}. Write {name}(t){written}."


# ---- Names ----

OF_PYTHON = {"degrees": "rad2deg", "radians": "deg2rad", "fabs": "abs"}  # functions that neml2.math has under another name


def no_function(name: str) -> Any:
    """Raises the error for a name that neml2.math does not have. For a name of Python's module math it says more, because a program may
    import neml2.math in the place of that module."""
    if name in OF_PYTHON:
        raise AttributeError(f"neml2.math has no {name}. Write {OF_PYTHON[name]}.", name=name)
    if not name.startswith("_") and hasattr(mathematics, name):
        raise AttributeError(
            f"neml2.math has no {name}. Python's own math has it, for plain numbers: import math as numbers, numbers.{name}(...).", name=name
        )
    raise AttributeError(f"module 'neml2.math' has no attribute '{name}'", name=name)
