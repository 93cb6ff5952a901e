# SPDX-License-Identifier: MIT
"""Gives rows, the single tensors of a formula, the methods and functions of batched tensors."""

import functools
import itertools
import math as numbers
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from numbers import Real
from typing import Any, NoReturn

import torch

from . import _refusals, math, tensors
from .tensors import Scalar, Tensor, TensorBase, Vec

recording: Any = import_module("._C", __package__).recording
Row, Condition = recording.Row, recording.Condition


def _member(name: str) -> Callable[..., Any]:
    def call(*arguments: Any, **keywords: Any) -> Any:
        return recording.call(name, *arguments, **keywords)

    call.__name__ = name
    return call


def _getattr(row: Any, name: str) -> Any:
    """A method of a tensor of a formula. Methods of its type are functions in formulas: s.dev() is math.dev(s)."""
    if not name.startswith("_") and recording.has_function(name):
        return functools.partial(_member(f"{row.type.__name__}.{name}"), row)
    raise AttributeError(
        f"{name}: not available in formulas, where {row.type.__name__} is the type of one tensor, without batch, dtype and device",
        name=name,
    )


def _no_member(condition: Any, name: str) -> Any:
    raise AttributeError(f"{name}: not available for a condition of a formula. Choose with math.where(condition, a, b).", name=name)


Row.__getattr__, Condition.__getattr__ = _getattr, _no_member


def remainder(a: Any, b: Any) -> Any:
    """a % b. The result has the sign of b, as for Python's numbers and torch.remainder; math.fmod has the sign of a. NaN where b is 0."""
    if not isinstance(a, (Row, TensorBase)) and isinstance(b, TensorBase):
        a = Scalar(torch.full((), a, dtype=torch.result_type(b.torch(), a), device=b.device))
    r = math.fmod(a, b)
    return math.where((r != 0.0) & ((r < 0.0) ^ (b + 0.0 * r < 0.0)), r + b, r)


def _mod(self: Any, other: Any) -> Any:
    return remainder(self, other) if isinstance(other, (Row, TensorBase, Real)) else NotImplemented


def _rmod(self: Any, other: Any) -> Any:
    return remainder(other, self) if isinstance(other, (Row, TensorBase, Real)) else NotImplemented


def _floordiv(self: Any, other: Any) -> NoReturn:
    if _is_of_user(other) and hasattr(type(other), "__rfloordiv__"):
        return NotImplemented  # type: ignore[misc]
    _rfloordiv(self, other)


def _rfloordiv(self: Any, other: Any) -> NoReturn:
    raise TypeError("// is not defined for tensors, nor in formulas. Write (a - a % b) / b, a whole number up to round-off.")


def _round(self: Any, ndigits: Any = None) -> NoReturn:
    raise TypeError("round is not defined for tensors, nor in formulas. On batches torch has it: Scalar(a.torch().round()).")


def _divmod(self: Any, other: Any) -> NoReturn:
    if _is_of_user(other) and hasattr(type(other), "__rdivmod__"):
        return NotImplemented  # type: ignore[misc]
    _rdivmod(self, other)


def _rdivmod(self: Any, other: Any) -> NoReturn:
    raise TypeError("divmod is not defined for tensors, nor in formulas. Write a % b, and (a - a % b) / b for the quotient.")


_operators: dict[str, Any] = {"mod": _mod, "rmod": _rmod, "floordiv": _floordiv, "rfloordiv": _rfloordiv, "round": _round, "divmod": _divmod, "rdivmod": _rdivmod}
_types: list[Any] = [Row, TensorBase]
for _type in _types:
    for _name, _operator in _operators.items():
        _operator.__name__ = _operator.__qualname__ = f"__{_name}__"
        _operator.__module__ = tensors.__name__
        setattr(_type, f"__{_name}__", _operator)


# ---- Operators that formulas lack: their messages say what to write instead ----


OPERATORS = {**_refusals.SYMBOLS, "mod": "%"}


def _is_of_user(a: Any) -> bool:
    """Whether the class of an operand belongs to the user, and so may have an operator of its own."""
    return not isinstance(a, (Row, Condition, TensorBase, torch.Tensor)) and type(a).__module__ != "builtins"


def _refusing(cls: Any, name: str, symbol: str) -> None:
    """Changes an operator of tensors or of conditions of a formula: if it does not accept its operands, the error names their types."""
    bare = name.strip("_")
    reflected = bare[0] == "r" and bare[1:] in OPERATORS
    own = getattr(cls, name, None)
    other_name = f"__{bare[1:] if reflected else 'r' + bare}__"

    def call(self: Any, other: Any, *modulus: Any) -> Any:
        if modulus:  # pow(a, b, c)
            return NotImplemented
        try:
            found = NotImplemented if own is None else own(self, other)
        except TypeError as error:
            if not re.search("not (defined|available) in formulas|incompatible function arguments", str(error)):
                raise
            found = NotImplemented
        if found is not NotImplemented:
            return found
        if not reflected and _is_of_user(other) and hasattr(type(other), other_name):
            return NotImplemented
        raise TypeError(_refusals.in_formula(symbol, *((other, self) if reflected else (self, other)))) from None

    call.__name__ = call.__qualname__ = name
    setattr(cls, name, call)


def _of_truth(name: str, with_true: Callable[[Any], Any], with_false: Callable[[Any], Any]) -> None:
    """Changes a logical operator of conditions so that the other operand may be a bool."""
    own = getattr(Condition, name)

    def call(self: Any, other: Any) -> Any:
        if isinstance(other, bool):
            return with_true(self) if other else with_false(self)
        return own(self, other)

    call.__name__ = call.__qualname__ = name
    setattr(Condition, name, call)
    setattr(Condition, f"__r{name.strip('_')}__", call)


_of_truth("__and__", lambda c: c, lambda c: c & ~c)
_of_truth("__or__", lambda c: c | ~c, lambda c: c)
_of_truth("__xor__", lambda c: ~c, lambda c: c)
for _name, _symbol in OPERATORS.items():
    for _cls in (Row, Condition):
        _refusing(_cls, f"__{_name}__", _symbol)
        if _name not in ("lt", "le", "gt", "ge"):
            _refusing(_cls, f"__r{_name}__", _symbol)


class _Base:
    """The view s.base of a tensor s of a formula. As for batches, results are Tensors."""

    def __init__(self, row: Any):
        self._row = row

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._row._sizes)

    def dim(self) -> int:
        return len(self.shape)

    def size(self, dim: int) -> int:
        return self.shape[dim]

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        return recording.rearranged([self._row], lambda places: places[0].base[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("a formula cannot write into tensors: make a new one, by math.where or math.base_stack.")

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in ("expand", "expand_copy", "flatten", "movedim", "reshape", "slice", "squeeze", "transpose", "unsqueeze"):
            raise AttributeError(f"{name}: not available for .base in formulas", name=name)

        def call(*arguments: Any) -> Any:
            return recording.rearranged([self._row], lambda places: getattr(places[0].base, name)(*arguments))

        return call


Row.base = property(_Base)


def _no_function_of_torch(cls: type, function: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
    name = getattr(function, "__name__", function)
    raise TypeError(
        f"torch's {name}: not available in formulas. Use functions of neml2.math; make a torch.Tensor a tensor of this library, "
        "and pass it as an argument."
    )


Row.__torch_function__ = classmethod(_no_function_of_torch)


# ---- Functions of NumPy, and of Python ----

# The functions of neml2.math and the operators that belong to NumPy's names.
_UFUNCS = {
    **{name: getattr(math, name) for name in ("exp", "expm1", "log", "log1p", "log10", "sqrt", "cbrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{f"arc{name}": getattr(math, f"a{name}") for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: getattr(math, name) for name in ("sign", "hypot", "fmod", "maximum", "minimum", "deg2rad", "rad2deg")},
    **{"arctan2": math.atan2, "absolute": abs, "fabs": abs, "radians": math.deg2rad, "degrees": math.rad2deg, "remainder": operator.mod},
    **{"add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv, "negative": operator.neg},
    **{"power": operator.pow, "float_power": operator.pow, "square": lambda a: a * a, "reciprocal": lambda a: 1.0 / a, "matmul": operator.matmul},
    **{"less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge},
    **{"equal": operator.eq, "not_equal": operator.ne, "logical_and": operator.and_, "logical_or": operator.or_, "logical_not": operator.invert},
}


def _ufunc(self: Any, function: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
    """Calls a function of NumPy with arguments that are tensors of a formula and numbers."""
    name = function.__name__
    inputs = tuple(a.item() if getattr(a, "ndim", None) == 0 and not isinstance(a, torch.Tensor) else a for a in inputs)  # numbers of NumPy
    are_numbers = all(isinstance(a, (Row, Condition, TensorBase, Real)) for a in inputs)
    if method != "__call__" or keywords or not are_numbers or name not in _UFUNCS:
        raise TypeError(
            f"numpy.{name}: not available in formulas for these arguments. Formulas take functions of neml2.math, NumPy's functions of the same "
            "meaning, and numbers beside tensors, not arrays."
        )
    return _UFUNCS[name](*inputs)


Row.__array_ufunc__ = Condition.__array_ufunc__ = _ufunc
Row.clip = lambda self, lower, upper, out=None: math.clamp(self, lower, upper)  # numpy.clip calls it
Row.__int__ = Row.__trunc__ = lambda self: float(self)  # which raises
Row.rint = Row.__round__  # numpy.round calls it


def _by_place(name: str, arguments: list[Any], keywords: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of a function or a member, in the order of one of its signatures. Some may be given by name."""
    cls, _, member = name.rpartition(".")
    function = getattr(math if cls in ("", "math") else getattr(tensors, cls), member)
    for signature, _, defaults in getattr(function, "__nb_signature__", ()):
        inside = re.sub(r"\[[^\[\]]*\]", "", signature.partition(" -> ")[0].partition("(")[2][:-1])
        default_of = {p.partition(":")[0].strip(): defaults[int(p.partition("= \\")[2])] if "= \\" in p else None for p in inside.split(",")}
        parameters = list(default_of)
        given = dict(zip(parameters, arguments, strict=False))
        if given.keys() & keywords or not keywords.keys() <= default_of.keys():
            continue
        given.update(keywords)
        needed = parameters[: 1 + max(map(parameters.index, given))]
        if all(p in given or default_of[p] is not None for p in needed):
            return tuple(given.get(p, default_of[p]) for p in needed)
    raise TypeError(f"{name}: has no {', '.join(keywords)} besides {len(arguments)} arguments. See help(neml2.math.{member}).")


# ---- Functions with lists or options as arguments, for tensors of a formula ----


def _base_stack(tensors: Any, d: int = 0) -> Any:
    return recording.rearranged(list(tensors), lambda places: math.base_stack(places, d))


def _base_cat(tensors: Any, d: int = 0) -> Any:
    return recording.rearranged(list(tensors), lambda places: math.base_cat(places, d))


def _base_sum(a: Any, d: int | Sequence[int] = 0, keepdim: bool = False) -> Any:
    rank = len(a.base.shape)
    for k in [d] if isinstance(d, int) else d:
        if not -rank <= k < rank:
            raise IndexError(f"base_sum: there is no base dimension {k} of {rank}.")
    for k in sorted(({d % rank} if isinstance(d, int) else {i % rank for i in d}), reverse=True):
        a = functools.reduce(operator.add, a.base.movedim(k, 0).base)
        a = a.base.unsqueeze(k) if keepdim else a
    return a


def _base_mean(a: Any, d: int | Sequence[int] = 0, keepdim: bool = False) -> Any:
    total = _base_sum(a, d, keepdim)
    return total / (numbers.prod(a.base.shape) / numbers.prod(total.base.shape))


def _interpolate(x: Any, *arguments: Any, **options: Any) -> Any:
    """Interpolates in a table with one abscissa or with two. The arguments are those of math.interpolate."""
    if "values" in options or (len(arguments) > 3 and not isinstance(arguments[2], str)):
        return _bilinear_interpolation(x, *arguments, **options)

    return _table(x, *arguments, **options)


def _table(x: Any, abscissae: Any, ordinates: Any, interpolant: str = "linear", beyond: str = "constant") -> Any:
    return recording.interpolate(x, abscissae, ordinates, interpolant, beyond)


_table.__qualname__ = "interpolate"  # the name in Python's messages


def _linear_interpolation(x: Any, abscissae: Any, ordinates: Any, beyond: str = "constant") -> Any:
    return recording.interpolate(x, abscissae, ordinates, "linear", beyond)


def _bilinear_interpolation(x: Any, y: Any, x_abscissae: Any, y_abscissae: Any, values: Any, beyond: str = "constant") -> Any:
    return recording.interpolate(x, y, x_abscissae, y_abscissae, values, beyond)


def _row(A: Any, i: int) -> Any:
    return Vec(A.base[i])


def _col(A: Any, i: int) -> Any:
    return Vec(A.base[:, i])


def _einsum(equation: str, operands: Any) -> Any:
    """math.einsum. It computes each component of the result as a sum of products."""
    ones = [torch.ones(t.base.shape) for t in operands]
    types = [t.type if isinstance(t, Row) else type(t) for t in operands]
    math.einsum(equation, [Tensor(one, 0) if t is Tensor else t(one) for t, one in zip(types, ones, strict=True)])  # raises an error for unsuitable arguments
    inputs, arrow, result = equation.replace(" ", "").replace("...", "").partition("->")
    letters = inputs.split(",")
    if not arrow:
        result = "".join(sorted(i for i in {*inputs} - {","} if inputs.count(i) == 1))
    sizes = {i: n for indices, one in zip(letters, ones, strict=True) for i, n in zip(indices, one.shape, strict=True)}
    summed = [i for i in sizes if i not in result]

    def component(places: tuple[int, ...]) -> Any:
        at = dict(zip(result, places, strict=True))
        terms = []
        for others in itertools.product(*(range(sizes[i]) for i in summed)):
            at.update(zip(summed, others, strict=True))
            terms.append(functools.reduce(operator.mul, (t(*(at[i] for i in own)) for own, t in zip(letters, operands, strict=True))))
        return functools.reduce(operator.add, terms)

    flat = [component(places) for places in itertools.product(*(range(sizes[i]) for i in result))]
    return _base_stack(flat).base.reshape(*(sizes[i] for i in result))


for _function in (_base_stack, _base_cat, _base_sum, _base_mean, _interpolate, _linear_interpolation, _bilinear_interpolation, _row, _col, _einsum, _by_place):
    recording.define(_function.__name__[1:], _function)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    recording.define(_name, getattr(operator, _name))


def _logical(name: str, of_conditions: Callable[..., Any]) -> None:
    def call(*conditions: Any) -> Any:
        if not any(isinstance(c, Condition) for c in conditions) or not all(isinstance(c, (Condition, bool)) for c in conditions):
            raise TypeError(f"logical_{name}: in a formula it takes conditions, as a < b gives. Write a != 0 for a number.")
        return of_conditions(*conditions)

    recording.define(f"logical_{name}", call)


_logical("and", operator.and_)
_logical("or", operator.or_)
_logical("xor", operator.xor)
_logical("not", operator.invert)
