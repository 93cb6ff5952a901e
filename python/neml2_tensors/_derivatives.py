# SPDX-License-Identifier: MIT
"""Derivatives of functions of single tensors: in formulas, and on batches."""

import dataclasses
import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

from .formulas import _key, argument_names, by_place, formula_of, value_and_jacobian
from .tensors import SR2, TensorBase

recording: Any = import_module("._C", __package__).recording
flatten, with_article = recording.flatten, recording.with_article


def gradient(function: Callable[..., Any], *arguments: Any, argnums: Any = 0, out: Any = None, **keywords: Any) -> Any:
    """The derivative of a function that returns a scalar, by the argument argnums; also in a formula.

        def second_piola_kirchhoff(C, mu):
            return 2.0 * neml2.gradient(energy, C, mu)

    (batch; ), (batch; x) -> (batch; x): the derivative by an SR2 is an SR2, whose components are Mandel components, too. argnums is the
    place or the name of an argument, or a tuple of these; for a tuple the result is a tuple. The derivative by a group has the group's
    structure, with None in the place of plain numbers.

    The function takes single tensors, as for vmap. In a formula it may use variables of the enclosing function. The derivative may itself
    be differentiated, by gradient, value_and_jacobian, newton or autograd. It is exact: where(c, a, b) has the derivative of the branch
    taken, and a norm has the derivative 0 at 0. With out=existing it is written to existing tensors, as in vmap.

    Source: Griewank and Walther (2008), Evaluating Derivatives, chapter 3.
    """
    if not _is_inside():
        return _evaluate(gradient, function, arguments, keywords, argnums, out)
    _refuse_out("gradient", out)
    return _one_or_all(_slopes("gradient", function, _by_place("gradient", function, arguments, keywords), argnums)[1], argnums)


def value_and_gradient(function: Callable[..., Any], *arguments: Any, argnums: Any = 0, out: Any = None, **keywords: Any) -> tuple[Any, Any]:
    """The scalar that a function returns, and its derivative by the argument argnums; see gradient."""
    name = "value_and_gradient"
    if not _is_inside():
        both: tuple[Any, Any] = _evaluate(value_and_gradient, function, arguments, keywords, argnums, out)
        return both
    _refuse_out(name, out)
    value, slopes = _slopes(name, function, _by_place(name, function, arguments, keywords), argnums, with_value=True)
    return value, _one_or_all(slopes, argnums)


def jacobian(function: Callable[..., Any], *arguments: Any, argnums: Any = 0, out: Any = None, **keywords: Any) -> Any:
    """The derivative of a function that returns tensors, by the argument argnums; also in a formula.

    (batch; y), (batch; x) -> (batch; y, x): the derivative of an SR2 by an SR2 is an SSR4. For several argnums or results it is a tuple:
    the derivatives of the first result by each argument, then those of the next result, as in value_and_jacobian. See gradient for the
    rest.
    """
    if out is not None and not _is_inside():
        return _evaluate(jacobian, function, arguments, keywords, argnums, out)
    _refuse_out("jacobian", out)
    return value_and_jacobian(function, *arguments, argnums=argnums, **keywords)[1]


def hessian(function: Callable[..., Any], *arguments: Any, argnums: Any = 0, out: Any = None, **keywords: Any) -> Any:
    """The second derivative of a function that returns a scalar, by the argument argnums; also in a formula.

    (batch; ), (batch; x) -> (batch; x, x): the second derivative by an SR2 is an SSR4. For a tuple of argnums the result is a tuple of
    tuples, in which [i][j] is the derivative by argument i, then by argument j. For a group it is a group of groups. See gradient for the
    rest.
    """
    if not _is_inside():
        return _evaluate(hessian, function, arguments, keywords, argnums, out)
    _refuse_out("hessian", out)
    x = _by_place("hessian", function, arguments, keywords)
    places = _places("hessian", function, x, argnums)

    def slopes(*a: Any) -> list[Any]:
        return list(_slopes("hessian", function, a, places)[1])

    jacobians = iter(_jacobians("hessian", slopes, x, places)[1])  # one for each tensor of each argument
    blocks = []
    for k in places:
        leaves, together = flatten(x[k])
        rows = [next(jacobians) if _is_tensor(leaf) else None for leaf in leaves]
        of_argument = [together([row and row[j] for row in rows]) for j in range(len(places))]
        blocks.append(_one_or_all(of_argument, argnums))
    return _one_or_all(blocks, argnums)


def isotropic(function: Callable[..., Any], s: Any, *arguments: Any) -> Any:
    """A function of the eigenvalues of a symmetric tensor, exact with its derivatives also at equal eigenvalues; also in a formula.

        def ogden(l, mu, alpha):  # l are the eigenvalues, a Vec
            return mu / alpha * (l(0) ** (alpha / 2) + l(1) ** (alpha / 2) + l(2) ** (alpha / 2) - 3.0)

        W = neml2.isotropic(ogden, C, mu, alpha)

    If function(λ, *arguments) returns a scalar f, the result is f(λ). Then f must not depend on the order of the eigenvalues λ. If it
    returns a Vec, the result is Σ_i f_i(λ) v_i v_i with the eigenvectors v_i. Then two f_i must change places if the two eigenvalues do.
    (batch; 6), ... -> (batch; ) or (batch; 6).

    A scalar result has first and second derivatives, a tensor only first derivatives. Autograd computes further derivatives from the
    eigenvectors, so that they are NaN where eigenvalues are equal.

    Source: Chadwick and Ogden (1971), Arch. Rational Mech. Anal. 44, 54-68; Miehe (1998), Comput. Struct. 66, 37-43.
    """
    if recording.is_recording():
        return recording.isotropic_in_formula(lambda l: function(l, *arguments), s)
    if not isinstance(s, SR2):
        raise TypeError(f"isotropic: the tensor is {with_article(type(s).__name__)}. Expected an SR2.")
    return formula_of(_Operation(isotropic, function), ("isotropic", _key(function)))(s, *arguments)


def value_and_jacobian_inside(
    function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], argnums: Any, of: Any, out: Any
) -> tuple[Any, Any]:
    """neml2.value_and_jacobian when it is called in a formula."""
    name = "value_and_jacobian"
    _refuse_out(name, out)
    value, jacobians = _jacobians(name, function, _by_place(name, function, arguments, keywords), argnums, with_value=True)
    if of is not None:
        jacobians = [jacobians[i] for i in formula_of(function)._chosen(flatten(value)[1], of)]
    all_ = tuple(J for row in jacobians for J in row)
    return value, all_[0] if len(all_) == 1 and not isinstance(argnums, (tuple, list)) else all_


def _is_inside() -> bool:
    return bool(recording.is_recording())


def _refuse_out(name: str, out: Any) -> None:
    if out is not None:
        raise TypeError(f"{name}: out was given in a formula, whose tensors are single ones without memory. Call it without out.")


def _one_or_all(found: Any, argnums: Any) -> Any:
    return tuple(found) if isinstance(argnums, (tuple, list)) else found[0]


@dataclasses.dataclass(frozen=True, eq=False)
class _Operation:
    """An operation on a function, such as gradient, as a function of that function's arguments."""

    operation: Callable[..., Any]
    function: Callable[..., Any]

    @property
    def __wrapped__(self) -> Callable[..., Any]:  # lets the caller see what the function uses besides its arguments
        return self.function

    def __call__(self, *arguments: Any) -> Any:
        return self.operation(self.function, *arguments)


def _evaluate(
    operation: Callable[..., Any],
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    argnums: Any,
    out: Any,
) -> Any:
    """Calls an operation on a function, such as gradient, over a batch."""
    name = operation.__name__
    x = _by_place(name, function, arguments, keywords)
    if not any(isinstance(leaf, TensorBase) for leaf in flatten(x)[0]):
        raise TypeError(f"{name}: no argument is a tensor of this library. Expected tensors, numbers and groups of them.")
    function = function.__wrapped__ if isinstance(function, recording.Formula) else function
    of_function = _Operation(functools.partial(operation, argnums=argnums), function)
    of_function = formula_of(of_function, (name, _key(function), repr(argnums)))
    return of_function(*x) if out is None else of_function(*x, out=out)


def _by_place(name: str, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
    """All arguments by their places."""
    return by_place(name, function, (), arguments, keywords) if keywords else arguments


def _slopes(
    name: str, function: Callable[..., Any], arguments: tuple[Any, ...], argnums: Any, with_value: bool = False
) -> tuple[Any, list[Any]]:
    """The scalar that the function returns, and its gradients; see _jacobians."""
    value, jacobians = _jacobians(name, function, arguments, argnums, with_value)
    results = flatten(value)[0]
    if len(results) != 1 or _base(results[0]) != ():
        raise TypeError(f"{name}: the function returned {_said(value, results)}. Expected a scalar: jacobian is for tensors.")
    return value, jacobians[0]


def _places(name: str, function: Callable[..., Any], arguments: tuple[Any, ...], argnums: Any) -> list[int]:
    """The places of the arguments that argnums names."""
    while isinstance(function, _Operation):
        function = function.function
    names = argument_names(function)[: len(arguments)]
    places = []
    for one in argnums if isinstance(argnums, (tuple, list)) else (argnums,):
        place = names.index(one) if one in names else one
        if isinstance(place, bool) or not isinstance(place, int) or not -len(arguments) <= place < len(arguments):
            known = f", or their names: {', '.join(names)}" if names else ""
            raise TypeError(f"{name}: argnums is {argnums!r}. Expected the places of tensors among the {len(arguments)} arguments{known}.")
        places.append(place % len(arguments))
    if not places:
        raise TypeError(f"{name}: argnums is {argnums!r}. Expected the place or the name of an argument.")
    if len(set(places)) < len(places):
        raise TypeError(f"{name}: argnums is {argnums!r}, which has an argument twice. Expected each argument once.")
    return places


def _is_tensor(leaf: Any) -> bool:
    return isinstance(leaf, TensorBase) or (isinstance(leaf, recording.Row) and not leaf._is_number)


def _base(leaf: Any) -> tuple[int, ...]:
    return () if isinstance(leaf, (int, float)) else tuple(leaf.base.shape)


def _said(value: Any, leaves: list[Any]) -> str:
    if len(leaves) != 1:
        return f"a {type(value).__name__} of {len(leaves)} tensors"
    return str(with_article(getattr(leaves[0], "type", type(leaves[0])).__name__))


def _jacobians(
    name: str, function: Callable[..., Any], arguments: tuple[Any, ...], argnums: Any, with_value: bool = False
) -> tuple[Any, list[list[Any]]]:
    """The function's result, and for each tensor in it the derivatives by the arguments. Without with_value the function is not called with
    the arguments themselves. Then only the types and the structure of the result may be used, not its values."""
    places = _places(name, function, arguments, argnums)
    groups = [flatten(arguments[k]) for k in places]
    for k, (leaves, _) in zip(places, groups, strict=True):
        if not any(map(_is_tensor, leaves)):
            raise TypeError(f"{name}: argument {k} of argnums is a plain number. Expected a tensor, or a group with one.")

    def call(variables: list[Any]) -> Any:
        x, own = list(arguments), iter(variables)
        for k, (leaves, together) in zip(places, groups, strict=True):
            x[k] = together([next(own) if _is_tensor(leaf) else leaf for leaf in leaves])
        return function(*x)

    variables = [leaf for leaves, _ in groups for leaf in leaves if _is_tensor(leaf)]
    returned = []

    def results(x: list[Any]) -> Any:
        returned.append(call(x))
        return flatten(returned[0])[0]

    found = recording.jacobian_in_formula(name, results, variables)
    value = function(*arguments) if with_value else returned[0]
    jacobians = []
    for of_result in found:
        own = iter(of_result)
        jacobians.append([together([next(own) if _is_tensor(leaf) else None for leaf in leaves]) for leaves, together in groups])
    return value, jacobians
