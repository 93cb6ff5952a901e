# SPDX-License-Identifier: MIT
"""Everything that the package exports, with arguments. The table is made from the signatures, so that it includes new functions. Arguments
that do not follow from the signatures are below, by name; test_transforms.py fails if one is missing."""

import ast
import math as numbers
import re

import torch
from support import TYPES, typed

from neml2 import crystallography, math, tensors
from neml2.tensors import (
    R2,
    R4,
    SR2,
    SSR4,
    LabeledAxis,
    LabeledMatrix,
    LabeledTensor3D,
    LabeledVector,
    MillerIndex,
    Quaternion,
    Rot,
    Scalar,
    Tensor,
    TensorBase,
    Vec,
)

MEMBERS_OF = [c for c in vars(tensors).values() if isinstance(c, type) and issubclass(c, TensorBase)]
VIEWS = [type(SR2.zeros().batch), type(SR2.zeros().base)]
LABELED = [LabeledVector, LabeledMatrix, LabeledTensor3D]
PLACES = [*MEMBERS_OF, math, crystallography, *VIEWS, *LABELED]

# ---- Values ----


def spd(*batch, n):
    """Symmetric positive definite matrices with well-separated eigenvalues."""
    A = 0.2 * torch.rand(*batch, n, n)
    return A + A.mT + torch.diag(torch.linspace(1, 2, n))


def values(cls, *batch):
    """Values in the domain of nearly all functions: symmetric tensors and stiffnesses are positive definite, matrices near the
    identity, numbers in [0.1, 0.4)."""
    if cls is SR2:
        return SR2(R2(spd(*batch, n=3))).torch()
    if cls is SSR4:
        return spd(*batch, n=6)
    if cls is R2 or cls is Tensor:
        return torch.eye(3) + 0.3 * torch.rand(*batch, 3, 3)
    if cls is R4:
        return torch.eye(9).reshape(3, 3, 3, 3) + 0.05 * torch.rand(*batch, 3, 3, 3, 3)
    if cls is MillerIndex:
        return torch.randint(1, 5, (*batch, 3))
    return 0.1 + 0.3 * torch.rand(*batch, *TYPES[cls])


# ---- Rows ----


class Row:
    """A function of tensors of torch, of these types, that returns what its operation does."""

    def __init__(self, name, types, call, place=values):
        self.name, self.types, self.call, self.place = name, types, call, place

    def arguments(self, *batch):
        return tuple(self.place(cls, *batch) for cls in self.types)

    def results(self, *raw):
        """All tensors in the result, as tensors of torch; others() returns numbers, shapes and so on."""
        return tuple(x for x in self.all(*raw) if isinstance(x, torch.Tensor))

    def others(self, *raw):
        return [x for x in self.all(*raw) if not isinstance(x, torch.Tensor)]

    def all(self, *raw):
        return list(leaves(self.call(*(wrapped(cls, t) for cls, t in zip(self.types, raw)))))


def wrapped(cls, t):
    return Tensor(t, t.dim() - 2) if cls is Tensor else typed(cls, t)


def leaves(x):
    if isinstance(x, (TensorBase, *LABELED)):
        yield x.torch()
    elif isinstance(x, dict):
        yield from leaves(list(x.values()))
    elif isinstance(x, (list, tuple)) and not all(isinstance(n, int) for n in x):
        for part in x:
            yield from leaves(part)
    elif x is not None:
        yield x


# ---- Arguments that no signature tells ----

MADE_BY_HAND = {}  # name -> rows, each of types and a function
REASONS = dict.fromkeys(  # name -> why there is no row
    [f"math.{name}" for name in "drucker_prager hill hill_parameters hosford mohr_coulomb yld2004".split()],
    "formulas of Python: test_equivalent_stresses.py has their values and derivatives",
) | dict.fromkeys(
    [f"math.{name}" for name in "is_rotation mean_rotation".split()],
    "functions of Python: test_crystallography.py has their results",
) | dict.fromkeys(
    [f"crystallography.{name}" for name in "rotation_group slip_systems twin_systems".split()],
    "takes no tensor: test_crystallography.py has its results",
)


def by_hand(name, *types, place=values):
    def add(f):
        rows = MADE_BY_HAND.setdefault(name, [])
        rows.append(Row(name if not rows else f"{name} #{len(rows)}", types, f, place))
        return f

    return add


def without_row(names, reason):
    REASONS.update(dict.fromkeys(names.split(), reason))


without_row(
    "numpy __array__ item tolist __bool__ __float__ all any __repr__ __str__ __reduce__ __hash__ __iter__ __len__",
    "a value of Python, which no transform follows",
)
without_row("requires_grad requires_grad_ grad is_leaf backward jacrev", "about the graph of autograd, which transforms replace")
without_row("cuda pin_memory", "needs a GPU")
without_row("gcd normalize_gcd", "of integers")
without_row(
    "TensorBase.__getitem__ TensorBase.__setitem__ TensorBase.__matmul__ TensorBase.__floordiv__ TensorBase.__rfloordiv__ math.__getattr__ "
    "TensorBase.__round__ TensorBase.__divmod__ TensorBase.__rdivmod__ LabeledVector.__eq__ LabeledVector.__ne__ LabeledMatrix.__eq__ "
    "LabeledMatrix.__ne__ LabeledTensor3D.__eq__ LabeledTensor3D.__ne__",
    "says what to write instead",
)
without_row("broadcast_shapes mandel_factor axis", "of numbers")
without_row("__new__", "made by __init__")
without_row("__class_getitem__", "of types")
without_row("bfloat16", "of two digits")
without_row("TensorBase.BatchView.__init__ TensorBase.BaseView.__init__", "made by .batch and .base")

# Writes, into a copy
by_hand("TensorBase.copy_", SR2, SR2)(lambda a, b: a.clone().copy_(b))
by_hand("TensorBase.zero_", SR2)(lambda a: a.clone().zero_())
by_hand("TensorBase.fill_", SR2)(lambda a: a.clone().fill_(0.5))
for _name in ("__iadd__", "__isub__", "__imul__", "__itruediv__"):
    for _other in (SR2, Scalar) if _name != "__imul__" else (Scalar,):
        by_hand(f"TensorBase.{_name}", SR2, _other)(lambda a, b, name=_name: getattr(a.clone(), name)(b))
    by_hand(f"TensorBase.{_name}", SR2)(lambda a, name=_name: getattr(a.clone(), name)(1.5))

# Truth values
for _name in ("__and__", "__or__", "__xor__"):
    by_hand(f"TensorBase.{_name}", SR2, SR2)(lambda a, b, name=_name: getattr(a > b, name)(b > 0.25))
by_hand("TensorBase.__invert__", SR2, SR2)(lambda a, b: ~(a > b))
by_hand("TensorBase.__mod__", SR2, SR2)(lambda a, b: a % b)
by_hand("TensorBase.__rmod__", SR2)(lambda a: 1.75 % a)

# Shapes and types
without_row("TensorBase.__init__", "of no type")
by_hand("TensorBase.shape", SR2)(lambda a: [n for n in a.shape])
by_hand("TensorBase.dtype", SR2)(lambda a: a.dtype)
without_row("device", "is another one on meta tensors")
by_hand("TensorBase.to", SR2)(lambda a: a.to(torch.float32))
by_hand("TensorBase.to", SR2, R2)(lambda a, b: a.to(b))
by_hand("TensorBase.batch", SR2)(lambda a: a.batch[None])
by_hand("TensorBase.base", SR2)(lambda a: a.base[None])


def written(view, i, *value):
    """A copy with this value written there."""
    copy = view.clone()
    (copy.batch if value[0] == "batch" else copy.base)[index(i)] = value[1]
    return copy


def index(i):
    """An index of tensors is made where it is used: under a mode that makes tensors fake, one made before would be an ordinary tensor."""
    return torch.tensor(i[1]) if isinstance(i, tuple) else i


for _index in (0, slice(0, 1), None, ..., [0, 1, 0], ("tensor", [1, 0]), ("tensor", [True, False])):
    by_hand("TensorBase.BatchView.__getitem__", SR2)(lambda a, i=_index: a.batch[index(i)])
    if _index == [0, 1, 0]:
        continue  # PyTorch has no correct gradient by values that are written twice
    by_hand("TensorBase.BatchView.__setitem__", SR2, Scalar)(
        lambda a, b, i=_index: written(a, i, "batch", b.batch[0].torch())
    )
    by_hand("TensorBase.BatchView.__setitem__", SR2)(lambda a, i=_index: written(a, i, "batch", 0.5))
for _index in (0, slice(2, 4), None, ..., [0, 1, 0], ("tensor", [1, 0])):
    by_hand("TensorBase.BaseView.__getitem__", SR2)(lambda a, i=_index: a.base[index(i)])
    by_hand("TensorBase.BaseView.__setitem__", SR2)(lambda a, i=_index: written(a, i, "base", 0.5))
by_hand("TensorBase.BaseView.__setitem__", SR2, Scalar)(lambda a, b: written(a, 0, "base", b))
for _view, _get in (("BatchView", lambda a: a.batch), ("BaseView", lambda a: a.base)):
    _of = f"TensorBase.{_view}."
    by_hand(_of + "shape", SR2)(lambda a, get=_get: [n for n in get(a).shape])
    by_hand(_of + "dim", SR2)(lambda a, get=_get: get(a).dim())
    by_hand(_of + "size", SR2)(lambda a, get=_get: get(a).size(0))
    by_hand(_of + "expand", R2)(lambda a, get=_get: get(a.batch[:1].base[:1]).expand(4, *get(a.base[:1]).shape[1:]))
    by_hand(_of + "expand_as", R2, R2)(lambda a, b, get=_get: get(a).expand_as(b))
    by_hand(_of + "expand_copy", R2)(lambda a, get=_get: get(a).expand_copy(3, *get(a).shape))
    by_hand(_of + "reshape", R2)(lambda a, get=_get: get(a).reshape(1, -1))
    by_hand(_of + "unsqueeze", R2)(lambda a, get=_get: get(a).unsqueeze(0))
    by_hand(_of + "unsqueeze", R2)(lambda a, get=_get: get(a).unsqueeze(-1, 2))
    by_hand(_of + "squeeze", R2)(lambda a, get=_get: get(get(a).unsqueeze(0)).squeeze(0))
    by_hand(_of + "transpose", R2)(lambda a, get=_get: get(get(a).unsqueeze(0)).transpose(0, 1))
    by_hand(_of + "movedim", R2)(lambda a, get=_get: get(get(a).unsqueeze(0)).movedim(0, 1))
    by_hand(_of + "flatten", R2)(lambda a, get=_get: get(a).flatten())
    by_hand(_of + "slice", R2)(lambda a, get=_get: get(a).slice(0, 0, 1))

# Functions of functions, lists, maps
by_hand("math.list_derivative_outer_product_a", Vec, Vec)(
    lambda a, b: math.list_derivative_outer_product_a(lambda x, y: math.outer(x, y), a, b)
)
by_hand("math.list_derivative_outer_product_b", Vec, Vec)(
    lambda a, b: math.list_derivative_outer_product_b(lambda x, y: math.outer(x, y), a, b)
)
by_hand("math.list_derivative_outer_product_ab", Vec, Vec)(
    lambda a, b: math.list_derivative_outer_product_ab(lambda x, y: math.outer(x, y), a, b)
)
by_hand("math.einsum", R2, Vec)(lambda A, v: math.einsum("...ij,...j->...i", [A, v]))
for _name in ("imap", "imap_v"):
    by_hand(f"math.{_name}", Vec)(lambda a, name=_name: math.outer(a) * R2(getattr(math, name)(Vec)))
by_hand("math.where", SR2, SR2)(lambda a, b: math.where(a > b, a, b))
by_hand("math.where", SR2, Scalar)(lambda a, b: math.where(b > 0.25, a, 0.0))
by_hand("math.where", SR2, Scalar)(lambda a, b: math.where((b > 0.25).torch(), 0.0, a))
by_hand("math.full_to_reduced", R2)(
    lambda a: math.full_to_reduced(a, math.full_to_mandel_map(), math.full_to_mandel_factor())
)
by_hand("math.reduced_to_full", SR2)(
    lambda a: math.reduced_to_full(a, math.mandel_to_full_map(), math.mandel_to_full_factor())
)


def dofs():
    return Scalar(torch.tensor([[0, 1], [1, 2]]))


by_hand("math.scatter", Vec)(lambda v: math.scatter(v.torch().sum(tuple(range(v.batch.dim()))), dofs()))
by_hand("math.assemble", R2)(lambda A: math.assemble(A.base[:2, :2].torch().sum(tuple(range(A.batch.dim()))), dofs(), 3))


@by_hand("math.assemble_", R2)
def _(A):
    total = A.torch().new_zeros(3)
    math.assemble_(total, A.base[:2, :2].torch().sum(tuple(range(A.batch.dim()))), dofs())
    return Tensor(total, 0)


by_hand("math.interpolate", R2, R2)(lambda a, b: math.interpolate(Tensor(a.torch()[..., 0], a.batch.dim() + 1), Tensor(b.torch(), b.batch.dim() + 2)))


def table(x, *shape):
    """Numbers from -2 on, in order along each dimension."""
    return torch.arange(numbers.prod(shape), dtype=x.dtype, device=x.device).reshape(shape) - 2.0


by_hand("math.interpolate", Scalar)(lambda x: math.interpolate(x, table(x, 5), table(x, 5) ** 2, "monotone_cubic"))
by_hand("math.linear_interpolation", Scalar)(lambda x: math.linear_interpolation(x, table(x, 5), table(x, 5) ** 2))
by_hand("math.bilinear_interpolation", Scalar, Scalar)(
    lambda x, y: math.bilinear_interpolation(x, y, table(x, 5), table(x, 6), table(x, 5, 6) ** 2, "extrapolate")
)
by_hand("math.lu_solve", Tensor, Tensor)(lambda A, b: math.lu_solve(*math.lu_factor(A), b))
by_hand("math.solve", Tensor, Tensor)(math.solve)
by_hand("math.slogdet", Tensor)(math.slogdet)
by_hand("math.slogdet", R2)(math.slogdet)
by_hand("math.solve", R2, Vec)(math.solve)

for _cls in MEMBERS_OF[1:]:
    by_hand(f"{_cls.__name__}.__init__", _cls)(lambda a, cls=_cls: wrapped(cls, a.torch()))
    if _cls is not Tensor:
        by_hand(f"{_cls.__name__}.__init__", _cls)(lambda a, cls=_cls: cls(a.tensor()))
for _cls, _other in (
    (Quaternion, Rot), (R2, SR2), (R2, tensors.WR2), (R2, Rot), (SR2, R2), (tensors.WR2, R2), (R4, SSR4), (R4, tensors.WWR4), (SSR4, R4),
    (tensors.SWR4, R4), (tensors.WSR4, R4), (tensors.WWR4, R4), (Vec, Rot), (Rot, R2), (Rot, Vec), (tensors.WR2, Vec),
):
    try:
        _cls(wrapped(_other, values(_other)))
    except (TypeError, ValueError):
        continue
    by_hand(f"{_cls.__name__}.__init__", _other)(lambda a, cls=_cls: cls(a))
by_hand("Scalar.__init__", Scalar)(lambda a: Scalar(0.7) * a)
by_hand("MillerIndex.fill", Scalar)(lambda a: MillerIndex.fill(1, 2, 3).to_vec() * a)
for _name in ("from_voigt_stress", "from_voigt_strain"):
    by_hand(f"math.{_name}", SR2)(lambda a, name=_name: getattr(math, name)(a.tensor()))
for _name in ("stiffness_from_voigt", "compliance_from_voigt"):
    by_hand(f"math.{_name}", SSR4)(lambda a, name=_name: getattr(math, name)(a.tensor()))
by_hand("math.batch_sum_to_size", SR2)(lambda a: math.batch_sum_to_size(a, ()))
by_hand("math.base_sum_to_size", R2)(lambda a: math.base_sum_to_size(a, (1, 3)))
for _name in ("bmv", "mv"):
    by_hand(f"math.{_name}", R2, Vec)(lambda a, v, name=_name: getattr(math, name)(a, v))
by_hand("math.broadcasted", SR2)(lambda a: math.broadcasted(a, (4, *a.batch.shape)))
by_hand("math.broadcasted", SR2, Scalar)(lambda a, b: math.broadcasted(a.batch[None], b))
by_hand("math.broadcasted", Tensor, Tensor, Scalar)(lambda a, b, c: math.broadcasted(a, b, c))
without_row("unique_bidirectional", "has as many results as values say: test_transforms.py has its refusals")

# Labels
AXIS = LabeledAxis().add("a", Scalar).add("s", SR2).setup_layout()


def vector(a, s):
    return LabeledVector.assemble(AXIS, {"a": a, "s": s})


def matrix(C):
    return LabeledMatrix.assemble(AXIS, AXIS, {("s", "s"): C})


def cube(C):
    t = matrix(C).torch()
    return LabeledTensor3D(t[..., None] * t.new_ones(t.shape[-1]), (AXIS, AXIS, AXIS))


_MAKE = {"LabeledVector": ((Scalar, SR2), vector), "LabeledMatrix": ((SSR4,), matrix), "LabeledTensor3D": ((SSR4,), cube)}
for _cls, (_types, _make) in _MAKE.items():
    _all = {
        "__init__": lambda x: x,
        "torch": lambda x: x.torch(),
        "tensor": lambda x: x.tensor(),
        "clone": lambda x: x.clone(),
        "detach": lambda x: x.detach(),
        "cpu": lambda x: x.cpu(),
        "to": lambda x: x.to(torch.float32),
        "double": lambda x: x.double(),
        "float": lambda x: x.float(),
        "half": lambda x: x.half(),
        "__neg__": lambda x: -x,
        "copy_": lambda x: x.clone().copy_(-x),
        "zero_": lambda x: x.clone().zero_(),
        "fill": lambda x: [y := x.clone().zero_(), y.fill(x)][0],
        "batch": lambda x: [x.batch[None], x.batch[..., None]],
        "shape": lambda x: list(x.shape),
        "dim": lambda x: x.dim(),
        "dtype": lambda x: x.dtype,
        "defined": lambda x: x.defined(),
        "batched": lambda x: x.batched(),
    }
    for _name, _use in _all.items():
        by_hand(f"{_cls}.{_name}", *_types)(lambda *t, make=_make, use=_use: use(make(*t)))
    for _name, _zeros in (("zeros", True), ("empty", True)):
        by_hand(f"{_cls}.{_name}", Scalar)(
            lambda x, cls=globals()[_cls], name=_name, n=len(_cls) and {"LabeledVector": 1, "LabeledMatrix": 2, "LabeledTensor3D": 3}[_cls]: (
                getattr(cls, name)(2, [AXIS] * n if n > 1 else AXIS).zero_().torch() * x.torch().sum()
            )
        )
without_row("axes LabeledTensor3D.reinterpret", "of labels")
SUB = LabeledAxis().add("part/a", Scalar).add("part/s", SR2).setup_layout()
by_hand("LabeledVector.slice", Scalar, SR2)(lambda a, s: LabeledVector(vector(a, s).torch(), SUB).slice("part"))
by_hand("LabeledVector.base", Scalar, SR2)(lambda a, s: vector(a, s).base["s"])
by_hand("LabeledMatrix.base", SSR4)(lambda C: matrix(C).base["s", "s"])
by_hand("LabeledTensor3D.base", SSR4)(lambda C: cube(C).base["s", "s", "a"])
by_hand("LabeledVector.assemble", Scalar, SR2)(vector)
by_hand("LabeledVector.disassemble", Scalar, SR2)(lambda a, s: vector(a, s).disassemble())
by_hand("LabeledVector.reinterpret", Scalar, SR2)(lambda a, s: vector(a, s).reinterpret("s", SR2))
by_hand("LabeledMatrix.assemble", SSR4)(matrix)
by_hand("LabeledMatrix.reinterpret", SSR4)(lambda C: matrix(C).reinterpret(("s", "s"), SSR4))
by_hand("LabeledMatrix.identity", Scalar)(lambda x: LabeledMatrix.identity(2, AXIS).torch() * x.torch().sum())
by_hand("LabeledMatrix.chain", SSR4, SSR4)(lambda C, D: matrix(C).chain(matrix(D)))
by_hand("LabeledTensor3D.chain", SSR4, SSR4, SSR4)(lambda C, D, E: cube(C).chain(cube(E), matrix(D), matrix(D)))

# Bound once for all types: some types represent the others.
OF_ALL_TYPES = set("empty zeros ones rand full empty_like zeros_like ones_like rand_like full_like create linspace logspace".split())

INTEGERS = {"d": 0, "n": 1, "nstep": 3, "dim": 0, "i": 1, "j": 2, "k": 0, "l": 1, "d1": 0, "d2": 1, "dim0": 0, "dim1": 1, "ndof": 5}
STRINGS = {"orbifold": "432", "orbifold_of_r": "432", "orbifold_of_q": "622", "convention": "kocks", "type": "radians"}
LISTS = {"TensorBase.base_sum": [0]}


def shifted(cls, *batch):
    return values(cls, *batch) + 1.5  # more than 1


def unit(cls, *batch):
    t = values(cls, *batch)
    return t / t.norm(dim=-1, keepdim=True) if cls in (Quaternion, Vec) else t


UNSET = {"empty", "empty_like", "rand", "rand_like", "fill_random"}  # only their shape is known
def small(cls, *batch):
    return 0.1 + 0.3 * torch.rand(*batch, *TYPES[cls])


PLACED = {"math.acosh": shifted, "math.slerp": unit, "math.asin": small, "math.acos": small, "math.atanh": small}

# ---- Rows from signatures ----

ANY = (Scalar, SR2, Tensor)  # types in place of a type variable, and of TensorBase
VARIABLES = {"typing_extensions.Self", "T", "U", "V", "TensorBase", "neml2_tensors.tensors.TensorBase"}
CLASSES = {f"neml2_tensors.tensors.{c.__name__}": c for c in MEMBERS_OF} | {c.__name__: c for c in MEMBERS_OF}
PLAIN = {"float": 0.7, "float | complex": 0.7, "bool": False}


class Missing(Exception):
    pass


def parameters(signature):
    """The positional parameters without a default: (name, annotation, whether it stands for any number of arguments)."""
    text = re.sub(r"= \\\d+", "= 0", signature)
    (function,) = ast.parse(text + ": ...").body
    a = function.args
    required = len(a.args) + len(a.posonlyargs) - len(a.defaults)
    out = [(p.arg, p.annotation and ast.unparse(p.annotation), False) for p in [*a.posonlyargs, *a.args][:required]]
    if a.vararg:
        out.append((a.vararg.arg, None, True))
    return out


def alternatives(key, name, annotation, variable):
    """The kinds of an argument: a type of tensor, a list of one type, or ("constant", value)."""
    function = key.split(".")[-1]
    if key in LISTS:
        return [("constant", LISTS[key])] if annotation and "int" in annotation else [variable]
    if annotation in VARIABLES:
        return [variable]
    if function == "create" and name == "data":
        return [("constant", torch.ones(TYPES[CLASSES[key.split(".")[0]]]).tolist())]
    if annotation in CLASSES:
        return [CLASSES[annotation]]
    if annotation in PLAIN:
        return [("constant", PLAIN[annotation])]
    if annotation == "int" and name in INTEGERS:
        return [("constant", INTEGERS[name])]
    if annotation == "str" and name in STRINGS:
        return [("constant", STRINGS[name])]
    m = re.fullmatch(r"collections\.abc\.Sequence\[(.*)\]", annotation or "")
    if m and m[1] in VARIABLES:
        return [[variable]]
    if annotation and " | " in annotation:
        return [x for part in annotation.split(" | ") for x in alternatives(key, name, part, variable)]
    raise Missing(f"{key}: {function}({name}: {annotation})")


def chosen(options):
    """Choices of options: the first for all arguments; the last for all; and the first for the first argument, with the last for the rest."""
    first, last = tuple(o[0] for o in options), tuple(o[-1] for o in options)
    out = [first]
    for other in (last, first[:1] + last[1:]):
        if repr(other) not in map(repr, out):
            out.append(other)
    return out


def rows_of(key, place, name, signature):
    """The candidates for one overload; some may not be defined for their types."""
    f = getattr(place, name)
    takes = parameters(signature)
    is_method = bool(takes) and takes[0][0] == "self"
    uses_any = any(p[1] and any(re.search(rf"\b{v}\b", p[1]) for v in VARIABLES) for p in takes)
    uses_any = uses_any or is_method and place is TensorBase
    for variable in ANY if uses_any else (None,):
        options = []
        for k, (parameter, annotation, more) in enumerate(takes):
            if k == 0 and is_method:
                options.append([variable if place is TensorBase else place])
            elif more:
                constant = (0,) * len(TYPES[variable or place]) if name == "__call__" else ((2,), (3, 3)) if place is Tensor else (2,)
                options.append([("constant", constant)])
            else:
                options.append(alternatives(key, parameter, annotation, variable))
        for choice in chosen(options) if options else [()]:
            yield row_of(key, f, choice, bool(takes) and takes[-1][2])


def row_of(key, f, choice, spread):
    types, build = [], []
    for c in choice:
        if isinstance(c, tuple):
            build.append(lambda it, c=c: c[1])
        elif isinstance(c, list):
            types += c * 2
            build.append(lambda it: [next(it), next(it)])
        else:
            types.append(c)
            build.append(next)

    def call(*given):
        it = iter(given)
        arguments = [b(it) for b in build]
        if key.split(".")[-1] in UNSET:
            return [t.zero_() for t in leaves(f(*arguments[:-1], *arguments[-1]) if spread else f(*arguments))]
        return f(*arguments[:-1], *arguments[-1]) if spread else f(*arguments)

    shown = ", ".join(f"[{c[0].__name__}]" if isinstance(c, list) else "0" if isinstance(c, tuple) else c.__name__ for c in choice)
    if types:
        return Row(f"{key}({shown})", types, call, PLACED.get(key, values))

    def made(s):  # a new tensor becomes part of the result
        return [(float(t) if isinstance(t, bool) else t) * s.torch().sum() for t in leaves(call())]

    return Row(f"{key}({shown})", [Scalar], made)


def exported():
    for place in PLACES:
        of = "" if isinstance(place, type) else place.__name__.split(".")[-1]
        for name, member in vars(place).items():
            if isinstance(member, type) or name.startswith("__") and not callable(member) and name != "__init__":
                continue
            if callable(member) or isinstance(member, (property, staticmethod)):
                qualified = of or ("" if place not in VIEWS else "TensorBase.") + place.__name__
                yield f"{qualified}.{name}", place, name, member


def collected():
    """The rows, and the names that have neither a row nor a reason."""
    rows, missing, names = [], [], set()
    for key, place, name, member in exported():
        names.add(key)
        if key in REASONS or name in REASONS:
            continue
        if name in OF_ALL_TYPES and place in MEMBERS_OF and place not in (*ANY, Rot):
            continue
        if key in MADE_BY_HAND:
            rows += MADE_BY_HAND[key]
            continue
        if isinstance(member, property):
            missing.append(f"{key}: a property")
            continue
        signatures = [s[0] for s in getattr(getattr(place, name), "__nb_signature__", ())]
        if not signatures:
            missing.append(f"{key}: no signature")
        for signature in signatures:
            try:
                candidates = list(rows_of(key, place, name, signature))
            except (Missing, SyntaxError) as e:
                missing.append(f"{key}: {e}: {signature}")
                continue
            defined, error = [], None
            for row in candidates:
                try:
                    row.all(*row.arguments(2))
                    defined.append(row)
                except Exception as e:
                    error = e
            known = {r.name for r in rows}
            rows += [r for r in defined if r.name not in known]
            if not defined:
                missing.append(f"{key}: {signature}: {error}")
    stale = (set(MADE_BY_HAND) | set(REASONS)) - names - {n.split(".")[-1] for n in names}
    return rows, missing + [f"{n} is not exported" for n in sorted(stale)]


ROWS, MISSING = collected()
