# SPDX-License-Identifier: MIT
"""Random formulas that contain derivatives, and the same formulas in plain PyTorch, where autograd differentiates.

A formula is a list of steps on known tensors: its arguments, a Scalar, a Vec, an SR2 and an R2, and the results of earlier steps. A step may
be the gradient, by one tensor, of another such formula, which may use all known tensors, too. In PyTorch symmetric tensors are matrices,
and functions of them are series and iterations, which have derivatives of any order also at equal eigenvalues.
"""

import random
from dataclasses import dataclass
from typing import Any

import torch

import neml2
from neml2 import math
from neml2.tensors import R2, SR2, Scalar, Vec

TYPES = (Scalar, Vec, SR2, R2)

# ---- Functions in PyTorch ----

H = 0.5**0.5
MANDEL = torch.zeros(6, 3, 3, dtype=torch.float64)
for place, entries in enumerate(
    (((0, 0, 1.0),), ((1, 1, 1.0),), ((2, 2, 1.0),), ((1, 2, H), (2, 1, H)), ((0, 2, H), (2, 0, H)), ((0, 1, H), (1, 0, H)))
):
    for i, j, x in entries:
        MANDEL[place, i, j] = x


def matrix(t):
    return torch.einsum("...k,kij->...ij", t, MANDEL)


def mandel(M):
    return torch.einsum("...ij,kij->...k", M, MANDEL)


def one():
    return torch.eye(3, dtype=torch.float64)


def total(t, n):
    return t.flatten(-n).sum(-1)


def square(t, n):
    return total(t * t, n)


def m(x, n=2):
    """A number as a factor of a tensor."""
    return x.reshape(x.shape + (1,) * n)


def trace(M):
    return M.diagonal(0, -2, -1).sum(-1)


def determinant(M):
    return (M[..., 0, :] * torch.linalg.cross(M[..., 1, :], M[..., 2, :])).sum(-1)


def norm(t, n):
    """The norm, whose derivatives at 0 are 0."""
    s = square(t, n)
    return torch.where(s == 0.0, 0.0, torch.sqrt(torch.where(s == 0.0, 1.0, s)))


def exponential(M):
    M, term = M / 8.0, one()
    result = one() + 0.0 * M
    for k in range(1, 16):
        term = term @ M / k
        result = result + term
    for _ in range(3):
        result = result @ result
    return result


def root(M):
    """Denman and Beavers (1976), Appl. Math. Comput. 2, 63-94."""
    Y, Z = M, one() + 0.0 * M
    for _ in range(8):
        Y, Z = 0.5 * (Y + torch.linalg.inv(Z)), 0.5 * (Z + torch.linalg.inv(Y))
    return Y


def logarithm(M):
    """2 artanh((R - 1) (R + 1)^-1) of a root R."""
    R = root(root(M))
    X = (R - one()) @ torch.linalg.inv(R + one())
    power, result = X, X
    for k in range(3, 26, 2):
        power = power @ X @ X
        result = result + power / k
    return 8.0 * result


def squashed(s):
    return s / math.sqrt(1.0 + math.norm_sq(s))


def squashed_matrix(M):
    return M / m(torch.sqrt(1.0 + square(M, 2)))


def positive(s):
    """A positive definite tensor."""
    t = squashed(s)
    return SR2.identity(dtype=torch.float64) + math.sym(R2(t) * R2(t)) + 0.4 * t


def positive_matrix(M):
    t = squashed_matrix(M)
    return one() + t @ t + 0.4 * t


def symmetric(M):
    return 0.5 * (M + M.mT)


def deviator(M):
    return M - m(trace(M) / 3.0) * one()


# ---- Steps ----


@dataclass(frozen=True)
class Step:
    """of_inputs: applied only to arguments of the formula, since otherwise round-off would decide its condition, or reach its point without a
    derivative. orders: the number of derivatives that it has."""

    name: str
    result: Any
    types: tuple[Any, ...]
    call: Any
    in_torch: Any
    of_inputs: bool = False
    orders: int = 9


def sum_of(l, f):
    return f(l(0)) + f(l(1)) + f(l(2))


STEPS = [
    Step("add", Scalar, (Scalar, Scalar), lambda a, b: a - 0.7 * b, lambda a, b: a - 0.7 * b),
    Step("multiply", Scalar, (Scalar, Scalar), lambda a, b: a * b + 0.3, lambda a, b: a * b + 0.3),
    Step("divide", Scalar, (Scalar, Scalar), lambda a, b: a / (1.5 + b * b), lambda a, b: a / (1.5 + b * b)),
    Step("sqrt", Scalar, (Scalar,), lambda a: math.sqrt(0.5 + a * a), lambda a: torch.sqrt(0.5 + a * a)),
    Step("exp", Scalar, (Scalar,), lambda a: math.exp(-a * a), lambda a: torch.exp(-a * a)),
    Step("log", Scalar, (Scalar,), lambda a: math.log(1.2 + a * a), lambda a: torch.log(1.2 + a * a)),
    Step("pow", Scalar, (Scalar,), lambda a: (1.3 + a * a) ** 0.7, lambda a: (1.3 + a * a) ** 0.7),
    Step("power", Scalar, (Scalar, Scalar), lambda a, b: math.pow(1.3 + a * a, math.tanh(b)), lambda a, b: (1.3 + a * a) ** torch.tanh(b)),
    Step("sin", Scalar, (Scalar,), lambda a: math.sin(a), torch.sin),
    Step("atan2", Scalar, (Scalar, Scalar), lambda a, b: math.atan2(a, 2.0 + math.cos(b)), lambda a, b: torch.atan2(a, 2.0 + torch.cos(b))),
    Step(
        "where", Scalar, (Scalar, Scalar, Vec), lambda a, b, v: math.where(v(0) > v(1), math.sin(a), a * b),
        lambda a, b, v: torch.where(v[..., 0] > v[..., 1], torch.sin(a), a * b), of_inputs=True,
    ),
    Step(
        "where of a tensor", SR2, (Scalar, SR2), lambda a, s: math.where(a > 0.0, s * a, math.dev(s)),
        lambda a, s: torch.where(m(a > 0.0), s * m(a), deviator(s)), of_inputs=True,
    ),
    Step(
        "where beside an infinite derivative", Scalar, (Scalar,), lambda a: math.where(a > 0.0, math.sqrt(a), 0.0 * a) * a * a * a,
        lambda a: torch.where(a > 0.0, torch.sqrt(torch.where(a > 0.0, a, 1.0)), 0.0) * a * a * a, of_inputs=True,
    ),
    Step("tr", Scalar, (SR2,), lambda s: math.tr(s), trace),
    Step("det", Scalar, (SR2,), lambda s: math.det(squashed(s)), lambda s: determinant(squashed_matrix(s))),
    Step("det of a matrix", Scalar, (R2,), lambda A: math.det(squashed(A)), lambda A: determinant(squashed_matrix(A))),
    Step("entry", Scalar, (SR2,), lambda s: s(0, 1), lambda s: s[..., 0, 1]),
    Step("entry of a matrix", Scalar, (R2,), lambda A: A(2, 0), lambda A: A[..., 2, 0]),
    Step("inner", Scalar, (SR2, SR2), lambda s, t: math.inner(s, t), lambda s, t: total(s * t, 2)),
    Step("inner of vectors", Scalar, (Vec, Vec), lambda u, v: math.inner(u, v), lambda u, v: total(u * v, 1)),
    Step("norm_sq", Scalar, (R2,), lambda A: 0.3 * math.norm_sq(A), lambda A: 0.3 * square(A, 2)),
    Step("norm of a vector", Scalar, (Vec,), lambda v: math.norm(v), lambda v: norm(v, 1), of_inputs=True),
    Step("norm of a deviator", Scalar, (SR2,), lambda s: math.norm(math.dev(s)), lambda s: norm(deviator(s), 2), of_inputs=True),
    Step("cross", Vec, (Vec, Vec), lambda u, v: math.cross(u, v) + u, lambda u, v: torch.linalg.cross(u, v) + u),
    Step("scale", Vec, (Vec, Scalar), lambda u, a: u * math.tanh(a) - u, lambda u, a: u * m(torch.tanh(a), 1) - u),
    Step("apply", Vec, (R2, Vec), lambda A, u: squashed(A) * u, lambda A, u: (squashed_matrix(A) @ u[..., None])[..., 0]),
    Step(
        "solve", Vec, (SR2, Vec), lambda s, u: math.solve(R2(positive(s)), u),
        lambda s, u: torch.linalg.solve(positive_matrix(s), u[..., None])[..., 0],
    ),
    Step("dev", SR2, (SR2,), lambda s: math.dev(s), deviator),
    Step("subtract", SR2, (SR2, SR2), lambda s, t: s - 0.5 * t, lambda s, t: s - 0.5 * t),
    Step("scale a tensor", SR2, (SR2, Scalar), lambda s, a: s * math.cos(a), lambda s, a: s * m(torch.cos(a))),
    Step("inv", SR2, (SR2,), lambda s: math.inv(positive(s)), lambda s: torch.linalg.inv(positive_matrix(s))),
    Step("sym", SR2, (R2,), lambda A: math.sym(A), symmetric),
    Step("right_cauchy_green", SR2, (R2,), lambda A: math.right_cauchy_green(squashed(A)), lambda A: squashed_matrix(A).mT @ squashed_matrix(A)),
    Step("dyad", R2, (Vec, Vec), lambda u, v: math.outer(u, v), lambda u, v: u[..., None] * v[..., None, :]),
    Step("matrix", R2, (SR2,), lambda s: R2(s), lambda s: s),
    Step("product", R2, (R2, R2), lambda A, B: squashed(A) * B.transpose(), lambda A, B: squashed_matrix(A) @ B.mT),
    Step("expm", SR2, (SR2,), lambda s: math.expm(squashed(s)), lambda s: exponential(squashed_matrix(s)), orders=2),
    Step("logm", SR2, (SR2,), lambda s: math.logm(positive(s)), lambda s: logarithm(positive_matrix(s)), orders=2),
    Step("sqrtm", SR2, (SR2,), lambda s: math.sqrtm(positive(s)), lambda s: root(positive_matrix(s)), orders=2),
    Step(
        "powm", SR2, (SR2,), lambda s: math.powm(positive(s), 1.4), lambda s: exponential(1.4 * logarithm(positive_matrix(s))), orders=2
    ),
    Step(
        "isotropic", Scalar, (SR2,), lambda s: neml2.isotropic(lambda l: sum_of(l, lambda x: math.exp(x)) + l(0) * l(1) * l(2), squashed(s)),
        lambda s: trace(exponential(squashed_matrix(s))) + determinant(squashed_matrix(s)), orders=2,
    ),
    Step(
        "isotropic tensor", SR2, (SR2,),
        lambda s: neml2.isotropic(lambda l: Vec.fill(*(l(i) * l(i) + sum_of(l, lambda x: x) for i in range(3))), squashed(s)),
        lambda s: squashed_matrix(s) @ squashed_matrix(s) + m(trace(squashed_matrix(s))) * one(), orders=1,
    ),
]  # fmt: skip


# ---- Formulas ----


@dataclass
class Formula:
    steps: list[tuple[Any, list[int]]]  # instead of a step, a formula stands for its gradient by the tensor at the only place
    result: Any
    of: Any = None  # the type of the tensor by which it is differentiated, if it is used as a step

    def __call__(self, *known):
        known = list(known)
        for step, places in self.steps:
            if isinstance(step, Step):
                known.append(step.call(*(known[i] for i in places)))
            else:
                known.append(neml2.gradient(lambda y, f=step, outside=tuple(known): f(*outside, y), known[places[0]]))
        return known[-1]

    def in_torch(self, *known):
        known = list(known)
        for step, places in self.steps:
            if isinstance(step, Step):
                known.append(step.in_torch(*(known[i] for i in places)))
            else:
                known.append(self.gradient_in_torch(step, known, known[places[0]], step.of))
        return known[-1]

    @staticmethod
    def gradient_in_torch(formula, known, y, kind):
        y = mandel(y) if kind is SR2 else y.clone()
        if not y.requires_grad:
            y.requires_grad_()
        value = formula.in_torch(*known, matrix(y) if kind is SR2 else y)
        slope = slopes(value, y)
        return matrix(slope) if kind is SR2 else slope

    def all_steps(self):
        for step, _ in self.steps:
            yield from (step,) if isinstance(step, Step) else step.all_steps()

    def __str__(self):
        return "; ".join(f"{step.name if isinstance(step, Step) else f'gradient({step})'}{places}" for step, places in self.steps)


def slopes(value, y):
    """The derivatives of the numbers of a batch, each by the y of the same point."""
    if not value.requires_grad:
        return torch.zeros_like(y)
    return torch.autograd.grad(value.sum(), y, create_graph=True, allow_unused=True, materialize_grads=True)[0]


def random_formula(r, result, levels, orders, kinds, live):
    """A formula that returns the type `result` and depends on the known tensor at the place `live`. It nests gradients to `levels` levels; each
    step has at least `orders` derivatives."""
    while True:
        formula, depends = any_formula(r, result, levels, orders, list(kinds), live)
        if depends:
            return formula


def any_formula(r, result, levels, orders, kinds, live):
    nested = levels or len(kinds) > len(TYPES)  # a captured value of isotropic: see test_random_derivatives.py
    steps, on = [], [i == live for i in range(len(kinds))]
    possible = [s for s in STEPS if s.orders >= orders and not (nested and s.name == "isotropic")]

    def add(step, last=False):
        places = []
        for t in step.types:
            known = [i for i in (range(4) if step.of_inputs else range(len(kinds))) if kinds[i] is t]
            places.append(
                known[-1] if last and known[-1] == len(kinds) - 1 else r.choice([i for i in known if on[i] and r.random() < 0.8] or known)
            )
        steps.append((step, places))
        kinds.append(step.result)
        on.append(any(on[i] for i in places))

    def use_the_last():
        add(r.choice([s for s in possible if kinds[-1] in s.types and not s.of_inputs]), last=True)

    for _ in range(r.randint(2, 4)):
        add(r.choice(possible))
    if levels:
        place = r.choice([i for i in range(len(kinds)) if on[i]])
        inner = random_formula(r, Scalar, levels - 1, orders + 1, [*kinds, kinds[place]], len(kinds))
        inner.of = kinds[place]
        steps.append((inner, [place]))
        kinds.append(kinds[place])
        on.append(True)
    use_the_last()
    while kinds[-1] is not result:
        use_the_last()
    return Formula(steps, result), on[-1]


STEPS_BY_NAME = {s.name: s for s in STEPS}


@dataclass
class Case:
    """An operation on a random formula by its argument `place`."""

    seed: int
    operation: str
    formula: Formula
    place: int
    order: int  # the number of nested derivatives

    def __call__(self, *x):
        if self.operation == "third":
            others = list(x)

            def second(y):
                return neml2.hessian(self.formula, *others[: self.place], y, *others[self.place + 1 :], argnums=self.place)

            return neml2.jacobian(second, x[self.place])
        return getattr(neml2, self.operation)(self.formula, *x, argnums=self.place)

    def in_torch(self, *x):
        """The derivative of the raw tensors."""
        x = [t.clone() for t in x]
        y = x[self.place].requires_grad_()
        value = self.formula.in_torch(x[0], x[1], matrix(x[2]), x[3])
        if self.operation == "gradient":
            return slopes(value, y)
        base = y.shape[1:]
        if self.operation == "jacobian":
            value = mandel(value) if self.formula.result is SR2 else value
            return by_each(value, y).reshape(*value.shape, *base)
        second = by_each(slopes(value, y), y)
        if self.operation == "hessian":
            return second.reshape(len(y), *base, *base)
        return by_each(second, y).reshape(len(y), *base, *base, *base)

    def __str__(self):
        return f"seed {self.seed}, {self.operation} by argument {self.place}: {self.formula}"


def by_each(value, y):
    """The derivative of (batch; ...) by (batch; ...), point by point."""
    return torch.stack([slopes(v, y) for v in value.reshape(len(value), -1).unbind(1)], 1)


OPERATIONS = {2: (("hessian", 0), ("gradient", 1), ("jacobian", 1)), 3: (("third", 0), ("hessian", 1), ("gradient", 2), ("jacobian", 2))}


def random_case(seed):
    r = random.Random(seed)
    order = r.choice((2, 2, 3))
    operation, levels = r.choice(OPERATIONS[order])
    result = r.choice((Vec, SR2)) if operation == "jacobian" else Scalar
    place = r.choice((0, 0, 1, 1, 2)) if operation == "third" else r.randrange(4)
    return Case(seed, operation, random_formula(r, result, levels, order - levels, TYPES, place), place, order)


# ---- States ----

STATES = 40
NAN = STATES - 1


def states(seed):
    """Random states, then special ones: ties, zeros, equal eigenvalues, NaN."""
    g = torch.Generator().manual_seed(seed)

    def around(center, *base, size=1.0):
        return center + size * (2.0 * torch.rand(STATES, *base, generator=g, dtype=torch.float64) - 1.0)

    unit = torch.tensor([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], dtype=torch.float64)
    a, v, s, A = around(0.0), around(0.0, 3), around(unit, 6, size=0.5), around(torch.eye(3, dtype=torch.float64), 3, 3, size=0.5)
    a[-9], v[-8] = 0.0, 0.0
    v[-7, 1] = v[-7, 0]
    s[-6], s[-5] = unit, torch.tensor([2.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    s[-4], A[-4] = 2.0 * unit, torch.eye(3)
    s[-3], A[-3] = 0.0, 0.0
    a[-2], v[-2], s[-2], A[-2] = 0.0, 0.0, 0.0, 0.0
    s[NAN, 2], v[NAN, 0], a[NAN], A[NAN, 1, 1] = (float("nan"),) * 4
    return a, v, s, A


def typed(x):
    return [t(y) for t, y in zip(TYPES, x)]
