# SPDX-License-Identifier: MIT
"""Functions bound from the headers: docstrings, values by independent formulas, and the same results in both precisions."""

import inspect
import re

import pytest
import torch
from support import random

from neml2 import crystallography, math, tensors
from neml2.tensors import (
    R2,
    R3,
    R4,
    SFFR4,
    SFR3,
    SR2,
    SSFR5,
    SSR4,
    SSSSR8,
    SWR4,
    WR2,
    WSR4,
    WWR4,
    MillerIndex,
    Quaternion,
    Rot,
    Scalar,
    TensorBase,
    Vec,
)

CLASSES = [c for c in vars(tensors).values() if isinstance(c, type)]

# ---- Docstrings ----


def members(place):
    for name, f in vars(place).items():
        if not name.startswith("_") and (callable(f) or isinstance(f, property)) and not isinstance(f, type):
            yield name, f


def documented(place):
    return [pytest.param(place, n, f, id=f"{place.__name__}.{n}") for n, f in members(place)]


EVERYTHING = [p for place in (*CLASSES, math, crystallography) for p in documented(place)]


def prose(name, doc):
    """A docstring without the signatures that nanobind puts first."""
    lines = [
        line for line in (doc or "").splitlines() if not re.match(rf"(\d+\. ``)?{name}\(.*\)( -> .*)?(``)?$", line)
    ]
    return "\n".join(line for line in lines if line != "Overloaded function.").strip()


@pytest.mark.parametrize("place, name, f", EVERYTHING)
def test_docstrings(place, name, f):
    text = prose(name, f.__doc__)
    assert len(text) > 5, f.__doc__
    assert "/**" not in text and "///" not in text and "\\" not in text
    assert not re.search(r"\barg\d", f.__doc__)  # every argument has its name


FORMULAS = {
    "norm": "√",
    "dev": "s_ij - s_kk δ_ij / 3",
    "inner": "s_ij t_ij",
    "rotate": "R_ik s_kl R_jl",
    "tr": "s_kk",
    "outer": "s_ij t_kl",
}


@pytest.mark.parametrize("name", FORMULAS)
def test_docstrings_have_formulas_and_shapes(name):
    doc = getattr(math, name).__doc__
    assert FORMULAS[name] in doc
    assert "(...; 6)" in doc and "->" in prose(name, doc)
    assert f"See {name}(s" in getattr(SR2, name).__doc__


@pytest.mark.parametrize("cls", [c for c in CLASSES if issubclass(c, TensorBase)], ids=lambda c: c.__name__)
def test_classes_say_what_they_are(cls):
    doc = inspect.getdoc(cls)
    assert doc and len(doc) > 40
    if cls not in (TensorBase, tensors.Tensor):
        assert "(...; " in doc


def test_help_is_readable():
    import pydoc

    text = pydoc.plain(pydoc.render_doc(SR2))
    for part in ("Mandel", "dev(self) -> neml2_tensors.tensors.SR2", "See dev(s)."):
        assert part in text


def test_arguments_have_the_names_of_the_headers():
    s, R = random(SR2), R2.identity()
    assert torch.equal(s.rotate(R=R).torch(), s.rotate(R).torch())
    assert torch.equal(s.norm(epsilon=1.0).torch(), s.norm(1.0).torch())
    assert torch.equal(SSR4.isotropic_E_nu(E=1.0, nu=0.3).torch(), SSR4.isotropic_E_nu(1.0, 0.3).torch())
    assert torch.equal(math.dev(s=s).torch(), s.dev().torch())
    SSR4.isotropic_lambda_mu(lambda_=1.0, mu=2.0)  # lambda is a Python keyword
    with pytest.raises(TypeError):
        s.norm(eps=1.0)


# ---- Values ----

FACTOR = torch.tensor([1, 1, 1, 2, 2, 2], dtype=torch.float64).sqrt()
I3 = torch.eye(3, dtype=torch.float64)


def full(s):
    """(..., 6) -> (..., 3, 3)"""
    s = s / FACTOR.to(s)
    return s[..., [0, 5, 4, 5, 1, 3, 4, 3, 2]].reshape(*s.shape[:-1], 3, 3)


def mandel(A):
    A = (A + A.mT) / 2
    return torch.stack(
        [A[..., 0, 0], A[..., 1, 1], A[..., 2, 2], A[..., 1, 2], A[..., 0, 2], A[..., 0, 1]], -1
    ) * FACTOR.to(A)


def skew(w):
    z = torch.zeros_like(w[..., 0])
    x, y, v = w.unbind(-1)
    return torch.stack([z, -v, y, v, z, -x, -y, x, z], -1).reshape(*w.shape[:-1], 3, 3)


def axial(W):
    return torch.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], -1)


def trace(A):
    return A.diagonal(dim1=-2, dim2=-1).sum(-1)


def deviator(A):
    return A - trace(A)[..., None, None] * torch.eye(3).to(A) / 3


def matrix(r):
    """The matrix of a rotation, by Rodrigues' formula with axis and angle."""
    size = r.norm(dim=-1, keepdim=True)
    angle = 4 * torch.atan(size)[..., None]
    W = skew(r / size)
    return torch.eye(3).to(r) + angle.sin() * W + (1 - angle.cos()) * (W @ W)


def spectral(s, f):
    l, V = torch.linalg.eigh(full(s))
    return mandel(V @ torch.diag_embed(f(l)) @ V.mT)


def stretches(F):
    U, S, Vh = torch.linalg.svd(F)
    return U, S, Vh.mT


def double_dot(C, e):
    return torch.einsum("...ij,...j->...i", C, e)


def rotation6(R):
    """The matrix that rotates Mandel components."""
    E = torch.stack([full(x) for x in torch.eye(6).to(R)])
    return torch.stack([mandel(R @ x @ R.mT) for x in E], -1)


def lame(lam, mu):
    one = torch.tensor([1.0, 1, 1, 0, 0, 0]).to(lam)
    return lam[..., None, None] * torch.outer(one, one) + 2 * mu[..., None, None] * torch.eye(6).to(lam)


def spd(n, dtype):
    A = torch.rand(n, 3, 3, dtype=dtype)
    return SR2(mandel(A @ A.mT + torch.eye(3, dtype=dtype)))


def deformation(n, dtype):
    return R2(torch.eye(3, dtype=dtype) + 0.4 * torch.rand(n, 3, 3, dtype=dtype))


def of(*classes):
    return lambda n, dtype: tuple(random(c, n, dtype=dtype) for c in classes)


S, SS, A, AA, V, VV, R, RR, W, Q, QQ, C4 = (
    of(SR2),
    of(SR2, SR2),
    of(R2),
    of(R2, R2),
    of(Vec),
    of(Vec, Vec),
    of(Rot),
    of(Rot, Rot),
    of(WR2),
    of(Quaternion),
    of(Quaternion, Quaternion),
    of(SSR4),
)
P = lambda n, dtype: (spd(n, dtype),)  # noqa: E731
D = lambda n, dtype: (deformation(n, dtype),)  # noqa: E731
SD = lambda n, dtype: (random(SR2, n, dtype=dtype), deformation(n, dtype))  # noqa: E731
E_NU = lambda n, dtype: (Scalar(1 + torch.rand(n, dtype=dtype)), Scalar(0.4 * torch.rand(n, dtype=dtype)))  # noqa: E731
ISOTROPIC = lambda n, dtype: (SSR4.isotropic_E_nu(*E_NU(n, dtype)),)  # noqa: E731
OF_R4 = lambda n, dtype: (R4((torch.eye(9) + 0.1 * torch.rand(n, 9, 9)).to(dtype).reshape(n, *[3] * 4)),)  # noqa: E731

# function -> arguments, formula of raw tensors
VALUES = {
    "SR2.tr": (SR2.tr, S, lambda s: s[..., :3].sum(-1)),
    "SR2.vol": (SR2.vol, S, lambda s: mandel(trace(full(s))[..., None, None] / 3 * torch.eye(3).to(s))),
    "SR2.dev": (SR2.dev, S, lambda s: mandel(deviator(full(s)))),
    "SR2.det": (SR2.det, S, lambda s: torch.linalg.det(full(s))),
    "SR2.inner": (SR2.inner, SS, lambda s, t: (s * t).sum(-1)),
    "SR2.norm": (SR2.norm, S, lambda s: s.norm(dim=-1)),
    "SR2.norm_sq": (SR2.norm_sq, S, lambda s: s.square().sum(-1)),
    "SR2.outer": (SR2.outer, SS, lambda s, t: s[..., :, None] * t[..., None, :]),
    "SR2.inverse": (SR2.inverse, P, lambda s: mandel(torch.linalg.inv(full(s)))),
    "SR2.transpose": (SR2.transpose, S, lambda s: s),
    "SR2.rotate": (SR2.rotate, of(SR2, Rot), lambda s, r: mandel(matrix(r) @ full(s) @ matrix(r).mT)),
    "SR2.rotate by R2": (SR2.rotate, of(SR2, R2), lambda s, B: mandel(B @ full(s) @ B.mT)),
    "SR2(i, j)": (lambda s: s(0, 2), S, lambda s: full(s)[..., 0, 2]),
    "R2.tr": (R2.tr, A, trace),
    "R2.dev": (R2.dev, A, deviator),
    "R2.det": (R2.det, A, torch.linalg.det),
    "R2.inverse": (R2.inverse, D, torch.linalg.inv),
    "R2.transpose": (R2.transpose, A, lambda a: a.mT),
    "R2.inner": (R2.inner, AA, lambda a, b: (a * b).sum((-1, -2))),
    "R2.norm": (R2.norm, A, lambda a: a.norm(dim=(-1, -2))),
    "R2.row": (lambda a: a.row(1), A, lambda a: a[..., 1, :]),
    "R2.col": (lambda a: a.col(-1), A, lambda a: a[..., :, 2]),
    "R2(i, j)": (lambda a: a(1, 2), A, lambda a: a[..., 1, 2]),
    "R2.rotate": (R2.rotate, of(R2, Rot), lambda a, r: matrix(r) @ a @ matrix(r).mT),
    "Vec.dot": (Vec.dot, VV, lambda v, w: (v * w).sum(-1)),
    "Vec.cross": (Vec.cross, VV, lambda v, w: torch.linalg.cross(v, w)),
    "Vec.outer": (Vec.outer, VV, lambda v, w: v[..., :, None] * w[..., None, :]),
    "Vec.norm": (Vec.norm, V, lambda v: v.norm(dim=-1)),
    "Vec.rotate": (Vec.rotate, of(Vec, Rot), lambda v, r: (matrix(r) @ v[..., None])[..., 0]),
    "WR2(i, j)": (lambda w: w(2, 1), W, lambda w: w[..., 0]),
    "WR2.exp_map": (lambda w: w.exp_map().euler_rodrigues(), W, lambda w: torch.linalg.matrix_exp(skew(w))),
    "Rot.euler_rodrigues": (Rot.euler_rodrigues, R, matrix),
    "Rot.inverse": (lambda r: r.inverse().euler_rodrigues(), R, lambda r: matrix(r).mT),
    "Rot.rotate": (lambda r, q: r.rotate(q).euler_rodrigues(), RR, lambda r, q: matrix(q) @ matrix(r)),
    "Rot.shadow": (lambda r: r.shadow().euler_rodrigues(), R, matrix),
    "Rot.angle": (Rot.angle, R, lambda r: 4 * torch.atan(r.norm(dim=-1))),
    "Rot.dist": (Rot.dist, RR, lambda r, q: torch.arccos(((trace(matrix(r).mT @ matrix(q)) - 1) / 2).clamp(-1, 1))),
    "Rot.axis_angle": (
        lambda n, t: Rot.axis_angle(n, t).euler_rodrigues(),
        of(Vec, Scalar),
        lambda n, t: torch.linalg.matrix_exp(skew(n / n.norm(dim=-1, keepdim=True) * t[..., None])),
    ),
    "Quaternion.to_R2": (lambda r: Quaternion(r).to_R2(), R, matrix),
    "Quaternion.norm": (Quaternion.norm, Q, lambda q: q.norm(dim=-1)),
    "Quaternion.dot": (Quaternion.dot, QQ, lambda q, p: (q * p).sum(-1)),
    "Quaternion.conjugate": (Quaternion.conjugate, Q, lambda q: q * torch.tensor([1, -1, -1, -1]).to(q)),
    "SSR4.isotropic_E_nu": (
        SSR4.isotropic_E_nu,
        E_NU,
        lambda E, nu: lame(E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))),
    ),
    "SSR4.isotropic_K_G": (SSR4.isotropic_K_G, E_NU, lambda K, G: lame(K - 2 * G / 3, G)),
    "SSR4.isotropic_lambda_mu": (SSR4.isotropic_lambda_mu, E_NU, lame),
    "SSR4.inverse": (SSR4.inverse, ISOTROPIC, torch.linalg.inv),
    "SSR4.rotate": (SSR4.rotate, of(SSR4, Rot), lambda C, r: rotation6(matrix(r)) @ C @ rotation6(matrix(r)).mT),
    "SSR4.transpose_major": (SSR4.transpose_major, C4, lambda C: C.mT),
    "SSR4(i, j, k, l)": (lambda C: C(0, 1, 2, 2), C4, lambda C: C[..., 5, 2] / 2**0.5),
    "R4.inverse": (R4.inverse, OF_R4, lambda T: torch.linalg.inv(T.reshape(-1, 9, 9)).reshape(T.shape)),
    "R3.contract_k": (R3.contract_k, of(R3, Vec), lambda T, v: torch.einsum("...ijk,...k->...ij", T, v)),
    "math.I1": (math.I1, S, lambda s: trace(full(s))),
    "math.I2": (math.I2, S, lambda s: (trace(full(s)) ** 2 - trace(full(s) @ full(s))) / 2),
    "math.I3": (math.I3, S, lambda s: torch.linalg.det(full(s))),
    "math.J2": (math.J2, S, lambda s: deviator(full(s)).square().sum((-1, -2)) / 2),
    "math.J3": (math.J3, S, lambda s: torch.linalg.det(deviator(full(s)))),
    "math.hydrostatic": (math.hydrostatic, S, lambda s: trace(full(s)) / 3),
    "math.von_mises": (math.von_mises, S, lambda s: (1.5 * deviator(full(s)).square().sum((-1, -2))).sqrt()),
    "math.unit": (math.unit, S, lambda s: s / s.norm(dim=-1, keepdim=True)),
    "math.full": (math.full, S, full),
    "math.sym": (math.sym, A, mandel),
    "math.skew": (math.skew, V, skew),
    "math.skew_part": (math.skew_part, A, lambda a: axial((a - a.mT) / 2)),
    "math.eigenvalues": (math.eigenvalues, S, lambda s: torch.linalg.eigvalsh(full(s))),
    "math.eigh": (lambda s: math.ieigh(*math.eigh(s)), S, lambda s: s),
    "math.principal_values": (lambda s: math.principal_values(s).norm_sq(), S, lambda s: s.square().sum(-1)),
    "math.expm": (math.expm, S, lambda s: mandel(torch.linalg.matrix_exp(full(s)))),
    "math.expm of R2": (math.expm, A, torch.linalg.matrix_exp),
    "math.logm": (math.logm, P, lambda s: spectral(s, torch.log)),
    "math.sqrtm": (math.sqrtm, P, lambda s: spectral(s, torch.sqrt)),
    "math.powm": (lambda s: math.powm(s, 1.5), P, lambda s: spectral(s, lambda l: l**1.5)),
    "math.polar_rotation": (math.polar_rotation, D, lambda F: stretches(F)[0] @ stretches(F)[2].mT),
    "math.nearest_rotation": (math.nearest_rotation, D, lambda F: stretches(F)[0] @ stretches(F)[2].mT),
    "math.principal_stretches": (math.principal_stretches, D, lambda F: stretches(F)[1].flip(-1)),
    "math.right_stretch": (
        math.right_stretch,
        D,
        lambda F: mandel((lambda U, S, V: V @ torch.diag_embed(S) @ V.mT)(*stretches(F))),
    ),
    "math.left_stretch": (
        math.left_stretch,
        D,
        lambda F: mandel((lambda U, S, V: U @ torch.diag_embed(S) @ U.mT)(*stretches(F))),
    ),
    "math.right_cauchy_green": (math.right_cauchy_green, D, lambda F: mandel(F.mT @ F)),
    "math.left_cauchy_green": (math.left_cauchy_green, D, lambda F: mandel(F @ F.mT)),
    "math.green_lagrange": (math.green_lagrange, D, lambda F: mandel(F.mT @ F - torch.eye(3).to(F)) / 2),
    "math.hencky_strain": (math.hencky_strain, D, lambda F: spectral(mandel(F.mT @ F), torch.log) / 2),
    "math.push_forward": (math.push_forward, SD, lambda s, F: mandel(F @ full(s) @ F.mT)),
    "math.pull_back": (math.pull_back, SD, lambda s, F: mandel(torch.linalg.inv(F) @ full(s) @ torch.linalg.inv(F).mT)),
    "math.push_forward_covariant": (
        math.push_forward_covariant,
        SD,
        lambda e, F: mandel(torch.linalg.inv(F).mT @ full(e) @ torch.linalg.inv(F)),
    ),
    "math.skew_and_sym_to_sym": (
        math.skew_and_sym_to_sym,
        of(SR2, WR2),
        lambda e, w: mandel(skew(w) @ full(e) - full(e) @ skew(w)),
    ),
    "math.multiply_and_make_skew": (
        math.multiply_and_make_skew,
        SS,
        lambda a, b: axial(full(a) @ full(b) - full(b) @ full(a)),
    ),
    "math.kron": (math.kron, AA, lambda a, b: torch.einsum("...ij,...kl->...ikjl", a, b)),
    "math.to_voigt_stress": (math.to_voigt_stress, S, lambda s: s / FACTOR.to(s)),
    "math.to_voigt_strain": (math.to_voigt_strain, S, lambda s: s * FACTOR.to(s)),
    "math.from_voigt_stress": (lambda s: math.from_voigt_stress(s.tensor()), S, lambda s: s * FACTOR.to(s)),
    "math.transform_from_quaternion": (lambda r: math.transform_from_quaternion(Quaternion(r)), R, matrix),
    "math.reflection_transform": (
        math.reflection_transform,
        V,
        lambda n: torch.eye(3).to(n) - 2 * n[..., :, None] * n[..., None, :],
    ),
    "misorientation": (
        lambda r, q: crystallography.misorientation(r, q, "1"),
        RR,
        lambda r, q: torch.arccos(((trace(matrix(r).mT @ matrix(q)) - 1) / 2).clamp(-1, 1)),
    ),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("n", [1, 37])
def test_values(name, dtype, n):
    f, arguments, formula = VALUES[name]
    x = arguments(n, dtype)
    result = f(*x)
    assert result.dtype == dtype
    assert result.batch.shape == (n,)
    # In single precision subtractions in the formulas leave few correct digits.
    tolerance = {"rtol": 1e-9, "atol": 1e-9} if dtype == torch.float64 else {"rtol": 2e-3, "atol": 2e-3}
    if "dist" in name or "misorientation" in name:
        tolerance["atol"] *= 10
    double = formula(*(t.torch().to(torch.float64) for t in x))
    torch.testing.assert_close(result.torch().to(torch.float64), double, **tolerance)


def test_functions_of_a_type_are_also_methods():
    """The formulas with one result."""
    s, t, r = random(SR2, 3), random(SR2, 3), random(Rot, 3)
    for name, arguments in [
        ("tr", ()),
        ("vol", ()),
        ("dev", ()),
        ("det", ()),
        ("norm", ()),
        ("inner", (t,)),
        ("outer", (t,)),
        ("rotate", (r,)),
    ]:
        assert torch.equal(getattr(s, name)(*arguments).torch(), getattr(math, name)(s, *arguments).torch())


# ---- Derivatives that have separate functions ----


# derivative, function, shape of the argument, type of the derivative; s, v, w and C are constants
DERIVATIVES = {
    "deuler_rodrigues": (lambda r: Rot(r).deuler_rodrigues(), lambda r: Rot(r).euler_rodrigues(), (3,), R3),
    "dexp_map": (lambda w: WR2(w).dexp_map(), lambda w: WR2(w).exp_map(), (3,), R2),
    "dshadow": (lambda r: Rot(r).dshadow(), lambda r: Rot(r).shadow(), (3,), R2),
    "dexpm": (lambda s: math.dexpm(SR2(s)), lambda s: math.expm(SR2(s)), (6,), SSR4),
    "dexpm of R2": (lambda a: math.dexpm(R2(a)), lambda a: math.expm(R2(a)), (3, 3), R4),
    "Vec.drotate": (lambda r, v: v.drotate(Rot(r)), lambda r, v: v.rotate(Rot(r)), (3,), R2),
    "SR2.drotate": (lambda r, s: s.drotate(Rot(r)), lambda r, s: s.rotate(Rot(r)), (3,), SFR3),
    "SR2.drotate by R2": (lambda a, s: s.drotate(R2(a)), lambda a, s: s.rotate(R2(a)), (3, 3), SFFR4),
    "SSR4.drotate": (lambda r, C: C.drotate(Rot(r)), lambda r, C: C.rotate(Rot(r)), (3,), SSFR5),
    "Rot.drotate": (lambda r, q: q.drotate(Rot(r)), lambda r, q: q.rotate(Rot(r)), (3,), R2),
    "Rot.drotate_self": (lambda r, q: Rot(r).drotate_self(q), lambda r, q: Rot(r).rotate(q), (3,), R2),
    "dinverse": (lambda C: SSR4(C).dinverse(), lambda C: SSR4(C).inverse(), (6, 6), SSSSR8),
    "d_sym": (
        lambda e, w: math.d_skew_and_sym_to_sym_d_sym(w),
        lambda e, w: math.skew_and_sym_to_sym(SR2(e), w),
        (6,),
        SSR4,
    ),
    "d_skew": (
        lambda w, s: math.d_skew_and_sym_to_sym_d_skew(s),
        lambda w, s: math.skew_and_sym_to_sym(s, WR2(w)),
        (3,),
        SWR4,
    ),
    "d_first": (
        lambda a, s: math.d_multiply_and_make_skew_d_first(s),
        lambda a, s: math.multiply_and_make_skew(SR2(a), s),
        (6,),
        WSR4,
    ),
    "d_second": (
        lambda a, s: math.d_multiply_and_make_skew_d_second(s),
        lambda a, s: math.multiply_and_make_skew(s, SR2(a)),
        (6,),
        WSR4,
    ),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives(name):
    derivative, f, shape, result = DERIVATIVES[name]
    constants = {"s": random(SR2), "v": random(Vec), "w": random(WR2), "q": random(Rot), "C": random(SSR4)}
    names = list(inspect.signature(f).parameters)[1:]
    others = [constants[n] for n in names]
    x = torch.rand(shape) + (torch.eye(6) if shape == (6, 6) else 0)
    d = derivative(x, *others)
    assert type(d) is result
    torch.testing.assert_close(d.torch(), torch.autograd.functional.jacobian(lambda y: f(y, *others).torch(), x))


# ---- Constants, pairs, crystals ----


def test_constants():
    assert torch.equal(SR2.identity().torch(), torch.tensor([1.0, 1, 1, 0, 0, 0]))
    assert torch.equal(R2.identity().torch(), I3)
    assert torch.equal(SR2.identity_map().torch(), torch.eye(6)) and type(SR2.identity_map()) is SSR4
    assert type(R2.identity_map()) is R4 and torch.equal(R2.identity_map().torch().reshape(9, 9), torch.eye(9))
    assert torch.equal(WWR4.identity().torch(), I3)
    assert torch.equal(Quaternion.identity().torch(), torch.tensor([1.0, 0, 0, 0]))
    assert not Rot.identity().torch().any()
    e = R3.levi_civita().torch()
    assert (e[0, 1, 2], e[1, 0, 2], e[0, 0, 1]) == (1, -1, 0) and e.abs().sum() == 6
    s = random(SR2)
    assert torch.allclose((SSR4.isotropic_K_G(1 / 3, 0.5) * s).torch(), s.torch())


def test_pairs():
    s = random(SR2, 4)
    l, V = math.eigh(s)
    assert (type(l), type(V)) == (Vec, R2)
    assert torch.allclose((V.torch().mT @ V.torch()), I3.expand(4, 3, 3))
    assert (l.torch().diff(dim=-1) >= 0).all()
    F = deformation(4, torch.float64)
    R_, U = math.polar(F)
    assert (type(R_), type(U)) == (R2, SR2)
    assert torch.allclose((R_ * R2(U)).torch(), F.torch())


ORDERS = {"1": 1, "2": 2, "222": 4, "3": 3, "32": 6, "4": 4, "42": 8, "6": 6, "622": 12, "23": 12, "432": 24}


@pytest.mark.parametrize("group", ORDERS)
def test_symmetry_groups(group):
    T = crystallography.symmetry(group)
    assert type(T) is R2 and T.batch.shape == (ORDERS[group],)
    assert torch.allclose(T.det().torch(), torch.ones(ORDERS[group]))
    products = torch.einsum("aij,bjk->abik", T.torch(), T.torch())
    distances = (products[:, :, None] - T.torch()).norm(dim=(-1, -2)).min(-1).values
    assert (distances < 1e-12).all()  # a group: it contains all products
    assert torch.equal(crystallography.symmetry_operations_from_orbifold(group).torch(), T.torch())
    q = crystallography.symmetry_quaternions(group)
    assert torch.allclose(q.to_R2().torch(), T.torch())


def test_crystals():
    assert crystallography.cubic().batch.shape == (24,) and type(crystallography.cubic()) is Quaternion
    assert crystallography.symmetry("432", dtype=torch.float32).dtype == torch.float32
    with pytest.raises(ValueError, match='crystal class "x"'):
        crystallography.symmetry("x")
    planes = crystallography.unique_bidirectional(
        crystallography.symmetry("432"), MillerIndex.fill(1, 1, 1).to_normalized_vec()
    )
    assert type(planes) is Vec and planes.batch.shape == (4,)
    r = Rot.rand(5)
    moved = crystallography.move_to_fundamental_zone(r, "432")
    assert (crystallography.misorientation(r, moved, "432").torch() < 1e-6).all()
    assert (moved.angle().torch() <= 62.8 / 180 * torch.pi + 1e-2).all()


@pytest.mark.parametrize("convention", ["bunge", "kocks", "roe", "ZXZ", "xyz"])
@pytest.mark.parametrize("unit", ["radians", "degrees"])
def test_euler_angles(convention, unit):
    angles = Vec(torch.tensor([[30.0, 50, 40], [100, 20, 300]]) * (torch.pi / 180 if unit == "radians" else 1))
    r = Rot.fill_euler_angles(angles, convention, unit)
    again = Rot.fill_euler_angles(r.to_euler_angles(convention, unit), convention, unit)
    assert torch.allclose(again.euler_rodrigues().torch(), r.euler_rodrigues().torch())
    if convention == "bunge":
        expected = torch.tensor(
            [
                [0.45682599, 0.74084306, 0.49240388],
                [-0.80287234, 0.10504046, 0.58682409],
                [0.38302222, -0.66341395, 0.64278761],
            ]
        )
        assert torch.allclose(r.batch[0].euler_rodrigues().torch(), expected)
