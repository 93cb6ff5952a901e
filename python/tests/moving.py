# SPDX-License-Identifier: MIT
"""The tables of docs/moving.md: expressions of other libraries beside those of this one, evaluated for the plain tensors below.

test_moving.py runs both columns. `python moving.py` runs the column of NEML2 3.x, in an environment that has it.
"""

import sys

import numpy  # noqa: F401 (of a formula)
import torch

torch.manual_seed(0)
n = 100
s, e = torch.rand(2, n, 6, dtype=torch.float64)  # Mandel components
v, w = torch.rand(2, n, 3, dtype=torch.float64) + 0.1
A, B = torch.rand(2, n, 3, 3, dtype=torch.float64) + torch.eye(3)
C = torch.rand(6, 6, dtype=torch.float64)
a = torch.rand(n, dtype=torch.float64)
r, q = 0.6 * torch.rand(2, n, 3, dtype=torch.float64) - 0.3
x, y = torch.linspace(0, 1, 5, dtype=torch.float64), torch.rand(5, dtype=torch.float64)
grains = torch.rand(n, 7, 6, dtype=torch.float64)
t = torch.rand(n, 6, dtype=torch.float64)  # Voigt's notation
TYPES = {"s": "SR2", "e": "SR2", "v": "Vec", "w": "Vec", "A": "R2", "B": "R2", "C": "SSR4", "a": "Scalar"}


def f(a, s):
    return a * s


def mandel(A):
    """Mandel components of a symmetric matrix."""
    root = 2**0.5
    rows = [A[..., 0, 0], A[..., 1, 1], A[..., 2, 2], root * A[..., 1, 2], root * A[..., 0, 2], root * A[..., 0, 1]]
    return torch.stack(rows, -1)


def matrix(s):
    """The matrix of Mandel components."""
    d, o = s[..., :3].unbind(-1), (s[..., 3:] / 2**0.5).unbind(-1)
    return torch.stack([d[0], o[2], o[1], o[2], d[1], o[0], o[1], o[0], d[2]], -1).unflatten(-1, (3, 3))


def axial(W):
    """The axial vector of a skew matrix."""
    return torch.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], -1)


def rotation(r):
    """The matrix of n tan(θ / 4), as the exponential of θ n×."""
    theta = 4 * r.norm(dim=-1).atan()
    n = r / r.norm(dim=-1, keepdim=True)
    cross = torch.zeros(*r.shape[:-1], 3, 3, dtype=r.dtype)
    for i, j, k in (0, 1, 2), (1, 2, 0), (2, 0, 1):
        cross[..., k, j], cross[..., j, k] = n[..., i], -n[..., i]
    return torch.linalg.matrix_exp(theta[..., None, None] * cross)


R = rotation(r)


# Expressions of NEML2 3.x, with their values in plain torch.
NEML2_3 = (
    ("s.data", "s.torch()", "s"),
    ("SR2(grains, sub_batch_ndim=1)", "SR2(grains)", "grains"),
    ("s.dynamic_batch.shape", "s.batch.shape", "s.shape[:-1]"),
    ("s.base.shape", "s.base.shape", "s.shape[-1:]"),
    ("s.batch[:10]", "s.batch[:10]", "s[:10]"),
    ("s.dynamic_batch.unsqueeze(-1)", "s.batch.unsqueeze(-1)", "s.unsqueeze(-2)"),
    ("A.base.transpose(-2, -1)", "A.transpose()", "A.mT"),
    ("Scalar.from_value(2.0, like=s)", "Scalar(2.0)", "torch.tensor(2.0)"),
    ("SR2.full(5, fill_value=2.0)", "SR2.full(2.0, 5)", "torch.full((5, 6), 2.0)"),
    ("SR2.fill(1.0, 2.0, 3.0)", "SR2.fill(1.0, 2.0, 3.0)", "torch.tensor([1.0, 2.0, 3.0, 0.0, 0.0, 0.0])"),
    ("SSR4.identity_sym()", "SSR4.identity_sym()", "torch.eye(6)"),
    ("C @ s", "C * s", "(C @ s[..., None])[..., 0]"),
    ("A @ B", "A * B", "A @ B"),
    ("tr(s)", "s.tr()", "s[..., :3].sum(-1)"),
    ("dev(s)", "s.dev()", "s - s[..., :3].mean(-1, keepdim=True) * torch.tensor([1, 1, 1, 0, 0, 0])"),
    ("norm(s)", "s.norm()", "s.square().sum(-1).sqrt()"),
    ("unit(s)", "math.unit(s)", "s / s.square().sum(-1, keepdim=True).sqrt()"),
    ("inner(s, e)", "s.inner(e)", "(s * e).sum(-1)"),
    ("outer(s, e)", "s.outer(e)", "s[..., :, None] * e[..., None, :]"),
    ("vdot(v, w)", "v.dot(w)", "(v * w).sum(-1)"),
    ("cross(v, w)", "v.cross(w)", "torch.linalg.cross(v, w)"),
    ("vec_component(v, 0)", "v(0)", "v[..., 0]"),
    ("vec_from_scalars(a, a, a)", "Vec.fill(a, a, a)", "torch.stack([a, a, a], -1)"),
    ("det(A)", "A.det()", "torch.linalg.det(A)"),
    ("inv(A)", "A.inverse()", "torch.linalg.inv(A)"),
    ("sym(A)", "SR2(A)", "mandel((A + A.mT) / 2)"),
    ("skew(A)", "WR2(A)", "axial((A - A.mT) / 2)"),
    ("r2_from_sr2(s)", "R2(s)", "matrix(s)"),
    ("pow(a, 2.5)", "a**2.5", "a**2.5"),
    ("exp(a)", "math.exp(a)", "a.exp()"),
    ("macaulay(a - 0.5)", "math.macaulay(a - 0.5)", "(a - 0.5).clamp(min=0)"),
    ("where(gt(a, 0.5), a, -a)", "math.where(a > 0.5, a, -a)", "torch.where(a > 0.5, a, -a)"),
    ("clamp(a, 0.2, 0.8)", "math.clamp(a, 0.2, 0.8)", "a.clamp(0.2, 0.8)"),
    ("linear_interpolation(a, x, y)", "math.interpolate(a, Tensor(x, 0), Tensor(y, 0))", "torch.from_numpy(numpy.interp(a, x, y))"),
    ("sum(s.dynamic_batch, 0)", "math.batch_sum(s, 0)", "s.sum(0)"),
    ("mean(s.dynamic_batch, 0)", "math.batch_mean(s, 0)", "s.mean(0)"),
    ("stack([s.dynamic_batch, e.dynamic_batch])", "math.batch_stack([s, e])", "torch.stack([s, e])"),
    ("cat([s.dynamic_batch, e.dynamic_batch], 0)", "math.batch_cat([s, e])", "torch.cat([s, e])"),
    ("MRP(r)", "Rot(r)", "r"),
    ("MRP.from_axis_angle(v, a)", "Rot.from_axis_angle(v, a)", "v / v.norm(dim=-1, keepdim=True) * (a / 4).tan()[..., None]"),
    ("MRP.from_matrix(euler_rodrigues(r))", "Rot.fill_matrix(r.euler_rodrigues())", "r"),
    ("euler_rodrigues(r)", "r.euler_rodrigues()", "rotation(r)"),
    ("euler_rodrigues(compose(r, q))", "R2(r * q)", "rotation(r) @ rotation(q)"),
    ("inverse(r)", "r.inverse()", "-r"),
    ("quaternion_rotation_matrix(to_quaternion(r))", "Quaternion(r).rotation_matrix()", "rotation(r)"),
    ("rotate(v, euler_rodrigues(r))", "v.rotate(r)", "(rotation(r) @ v[..., None])[..., 0]"),
    ("rotate(A, euler_rodrigues(r))", "A.rotate(r)", "R @ A @ R.mT"),
    ("rotate(s, euler_rodrigues(r))", "s.rotate(r)", "mandel(rotation(r) @ matrix(s) @ rotation(r).mT)"),
)

# Expressions of PyTorch.
TORCH = (
    ("s[:10]", "s.batch[:10]"),
    ("s[..., 0]", "s.base[0]"),
    ("s.shape[:-1]", "s.batch.shape"),
    ("s.unsqueeze(-2)", "s.batch.unsqueeze(-1)"),
    ("s.reshape(20, 5, 6)", "s.batch.reshape(20, 5)"),
    ("a[..., None] * s", "a * s"),
    ("s.sum(0)", "math.batch_sum(s, 0)"),
    ("torch.stack([s, e])", "math.batch_stack([s, e])"),
    ("torch.cat([s, e])", "math.batch_cat([s, e])"),
    ("torch.where((a > 0.5)[..., None], s, 0)", "math.where(a > 0.5, s, 0.0)"),
    ("torch.eye(3)", "R2.identity()"),
    ("A @ B", "A * B"),
    ("A.mT", "A.transpose()"),
    ("torch.einsum('...ij,...j->...i', A, v)", "A * v"),
    ("torch.einsum('...ij,...ij->...', A, B)", "A.inner(B)"),
    ("torch.einsum('...i,...j->...ij', v, w)", "v.outer(w)"),
    ("torch.linalg.cross(v, w)", "v.cross(w)"),
    ("torch.linalg.det(A)", "A.det()"),
    ("torch.linalg.inv(A)", "A.inverse()"),
    ("torch.linalg.solve(A, v)", "math.solve(A, v)"),
    ("torch.linalg.matrix_exp(A)", "math.expm(A)"),
    ("torch.linalg.eigvalsh(A + A.mT)", "math.eigenvalues(SR2(A + A.transpose()))"),
    ("R @ A @ R.mT", "A.rotate(R)"),
    ("torch.einsum('...ij,...j->...i', C, s)", "C * s"),
    ("(s * e).sum(-1)", "s.inner(e)"),
    ("torch.linalg.vector_norm(s, dim=-1)", "s.norm()"),
    ("s[..., :3].sum(-1)", "s.tr()"),
    ("t * torch.tensor([1, 1, 1, 2**0.5, 2**0.5, 2**0.5])", "math.from_voigt_stress(Tensor(t, 1))"),
    ("t * torch.tensor([1, 1, 1, 0.5**0.5, 0.5**0.5, 0.5**0.5])", "math.from_voigt_strain(Tensor(t, 1))"),
    ("torch.func.vmap(f)(a, s)", "neml2.vmap(f, a, s)"),
    ("torch.func.vmap(torch.func.jacrev(f, 1))(a, s)", "neml2.value_and_jacobian(f, a, s, argnums=1)[1]"),
)


def plain(code):
    return eval(code, {**globals()})


def same(value, expected):
    if not isinstance(value, torch.Tensor):
        return tuple(value) == tuple(expected)
    return value.shape == expected.shape and torch.allclose(value, expected, rtol=1e-10, atol=1e-12)


def main():
    """The rows of NEML2 3.x whose first column is not the formula itself."""
    from neml2 import types

    torch.set_default_dtype(torch.float64)
    names = {**vars(types), "grains": grains}
    names |= {k: getattr(types, t)(globals()[k]) for k, t in (TYPES | {"r": "MRP", "q": "MRP", "x": "Scalar", "y": "Scalar"}).items()}
    found = ((code, eval(code, names), formula) for code, _, formula in NEML2_3)
    wrong = [code for code, value, formula in found if not same(getattr(value, "data", value), plain(formula))]
    print(f"{len(NEML2_3)} rows, other values: {wrong}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
