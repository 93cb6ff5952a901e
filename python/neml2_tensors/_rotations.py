# SPDX-License-Identifier: MIT
"""Functions of rotations that are written in Python: their mean, and whether a matrix is a rotation."""

from importlib import import_module
from numbers import Real
from typing import Any

import torch

from . import math
from .tensors import R2, Quaternion, Rot, Scalar

__all__ = ["is_rotation", "mean_rotation"]

recording: Any = import_module("._C", __package__).recording


def _described(a: Any) -> str:
    """The type of an argument in words. The argument may be a tensor of a formula."""
    if isinstance(a, torch.Tensor):
        return "a torch.Tensor"
    cls = a.type if isinstance(a, recording.Row) else type(a)
    described: str = recording.with_article(cls.__name__)
    return described


def is_rotation(R: R2, tolerance: float = 1e-5) -> Scalar:
    """Whether a matrix is a rotation: |RᵀR - 1| <= tolerance and det R > 0. (...; 3, 3) -> (...; ), of dtype bool.

    In a formula the result is a condition. It is False for reflections, and where R has NaN. nearest_rotation(R) turns a matrix that is
    almost a rotation into a rotation.
    """
    if not isinstance(R, R2) and getattr(R, "type", None) is not R2:
        raise TypeError(f"is_rotation: the matrix is {_described(R)}. Expected an R2.")
    one = R2.identity(dtype=R.dtype, device=R.device) if isinstance(R, R2) else R2.identity()
    found: Scalar = (math.norm(R.transpose() * R - one) <= tolerance) & (math.det(R) > 0.0)
    return found


def mean_rotation(r: Rot, weights: Scalar | float = 1.0, d: int = 0) -> Rot:
    """The mean of the rotations along batch dimension d: the R with the smallest Σ_k w_k |R - R_k|², for weights w_k > 0.

    Its quaternion is the eigenvector of Σ_k w_k q_k q_kᵀ with the largest eigenvalue. The signs of the q_k, which do not change the
    rotations, do not matter. (..., n, ...; 3) -> (..., ...; 3). The mean is not unique where this eigenvalue is double, for example for two
    rotations half a turn apart; its derivative is NaN there. The function knows no crystal symmetry: first replace equivalent rotations by
    ones that are near each other. The function is not available in formulas.

    Source: Markley, Cheng, Crassidis and Oshman (2007), Averaging Quaternions, J. Guid. Control Dyn. 30, 1193-1197.
    """
    if not isinstance(r, Rot):
        raise TypeError(f"mean_rotation: the rotations are {_described(r)}. Expected a Rot with batch dimensions.")
    if not isinstance(weights, (Scalar, Real)):
        raise TypeError(f"mean_rotation: the weights are {_described(weights)}. Expected a Scalar or a number.")
    n = r.batch.dim()
    if not -n <= d < n:
        raise IndexError(f"mean_rotation: there is no batch dimension {d} of {n}.")
    q, w = Quaternion(r).torch(), weights.torch() if isinstance(weights, Scalar) else torch.as_tensor(weights)
    batch = math.broadcast_shapes(q.shape[:-1], w.shape)
    weighted = (w.to(q)[..., None, None] * q[..., :, None] * q[..., None, :]).expand(*batch, 4, 4)
    mean: Rot = Quaternion(_first_eigenvector(weighted.sum(len(batch) - n + d % n))).to_rot()
    return mean


def _first_eigenvector(S: torch.Tensor) -> torch.Tensor:
    """The eigenvector of the largest eigenvalue, with up to three exact derivatives. They come from two steps of Newton's method that begin
    at the solution, because the derivatives of eigh are NaN where the other eigenvalues are equal, as for rotations about one axis."""
    values, vectors = torch.linalg.eigh(S.detach())
    found, l = vectors[..., -1], values[..., -1:]
    q, one = found, torch.eye(4, dtype=S.dtype, device=S.device)
    for _ in range(2):
        column = torch.cat([-q, torch.zeros_like(l)], -1)
        system = torch.cat([torch.cat([S - l[..., None] * one, -q[..., None, :]], -2), column[..., None]], -1)
        residual = torch.cat([(S @ q[..., None])[..., 0] - l * q, 0.5 - 0.5 * (q * q).sum(-1, keepdim=True)], -1)
        step = torch.linalg.solve_ex(system, residual[..., None])[0][..., 0]
        q, l = q - step[..., :4], l - step[..., 4:]
    return torch.where(q.isfinite().all(-1, keepdim=True), q, found)
