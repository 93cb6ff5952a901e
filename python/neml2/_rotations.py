# SPDX-License-Identifier: MIT
"""Functions of rotations that are written in Python: their mean, and whether a matrix is a rotation."""

from importlib import import_module
from typing import Any

import torch

from . import math
from .tensors import R2, Quaternion, Rot, Scalar

__all__ = ["is_rotation", "mean_rotation"]

recording: Any = import_module("._C", __package__).recording


def is_rotation(R: R2, tolerance: float = 1e-8) -> Scalar:
    """Whether a matrix is a rotation: |RᵀR - 1| <= tolerance and det R > 0. (...; 3, 3) -> (...; ), of dtype bool.

    In a formula the result is a condition. It is False for reflections, and where R has NaN. nearest_rotation(R) turns a matrix that is
    almost a rotation into a rotation.
    """
    if not isinstance(R, R2) and getattr(R, "type", None) is not R2:
        raise TypeError(f"is_rotation: the matrix is {recording.with_article(type(R).__name__)}. Expected an R2.")
    one = R2.identity(dtype=R.dtype, device=R.device) if isinstance(R, R2) else R2.identity()
    found: Scalar = (math.norm(R.transpose() * R - one) <= tolerance) & (math.det(R) > 0.0)
    return found


def mean_rotation(r: Rot, weights: Scalar | float = 1.0, d: int = 0) -> Rot:
    """The mean of the rotations along batch dimension d: the R with the smallest Σ_k w_k |R - R_k|², for weights w_k > 0.

    Its quaternion is the eigenvector of the largest eigenvalue of Σ_k w_k q_k q_kᵀ, in which q and -q are the same rotation.
    (..., n, ...; 3) -> (..., ...; 3). It is not unique where that eigenvalue is double, for example for two rotations half a turn apart. The
    rotations are not reduced by a symmetry: first choose equivalent ones that are near each other. Not in formulas.

    Source: Markley, Cheng, Crassidis and Oshman (2007), Averaging Quaternions, J. Guid. Control Dyn. 30, 1193-1197.
    """
    if not isinstance(r, Rot):
        raise TypeError(f"mean_rotation: the rotations are {recording.with_article(type(r).__name__)}. Expected a Rot with batch dimensions.")
    n = r.batch.dim()
    if not -n <= d < n:
        raise IndexError(f"mean_rotation: there is no batch dimension {d} of {n}.")
    q, w = Quaternion(r).torch(), weights.torch() if isinstance(weights, Scalar) else torch.as_tensor(weights)
    batch = math.broadcast_shapes(q.shape[:-1], w.shape)
    weighted = (w.to(q)[..., None, None] * q[..., :, None] * q[..., None, :]).expand(*batch, 4, 4)
    vectors = torch.linalg.eigh(weighted.sum(len(batch) - n + d % n))[1]
    mean: Rot = Quaternion(vectors[..., -1]).to_rot()
    return mean
