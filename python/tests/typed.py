# SPDX-License-Identifier: MIT
"""A program whose types mypy --strict must infer."""

import torch
from typing_extensions import assert_type

import neml2_tensors as neml2
from neml2_tensors import SR2, SSR4, R2, Rot, Scalar, Tensor, Vec, distributed, math
from neml2_tensors.tensors import BatchView

E = Scalar(torch.tensor([1e5, 2e5]))
C = SSR4.isotropic_E_nu(E, Scalar(0.3, dtype=torch.float64, device="cpu"))
strain = SR2(torch.rand(10, 2, 6))
stress = C * strain
assert_type(stress, SR2)
assert_type(2.0 * stress - strain / 2, SR2)
assert_type(stress.batch.shape, tuple[int, ...])
assert_type(stress.torch(), torch.Tensor)
assert_type(stress.dtype, torch.dtype)
assert_type(stress.requires_grad_(), SR2)
assert_type(math.dev(stress), SR2)
assert_type(math.norm(stress), Scalar)
assert_type(math.tr(R2(torch.eye(3))), Scalar)
assert_type(stress.rotate(Rot.identity()), SR2)
assert_type(math.batch_sum(stress), SR2)
assert_type(stress.base[:3], Tensor)
assert_type(neml2.Vec.rand(), Vec)
assert_type(Scalar.linspace(0.0, 0.2, 20, dtype=torch.float64), Scalar)
assert_type(Scalar.linspace(E, E, 20), Scalar)

# The batch is of the same type, in all that can be done with it
assert_type(stress.batch, BatchView[SR2])
assert_type(stress.batch[0], SR2)
assert_type(stress.batch[:, None, ..., [0, 1]], SR2)
assert_type(stress.batch.expand(10, 2), SR2)
assert_type(stress.batch.expand((10, 2)), SR2)
assert_type(stress.batch.expand_as(E), SR2)
assert_type(stress.batch.expand_copy(10, 2), SR2)
assert_type(stress.batch.reshape(20), SR2)
assert_type(stress.batch.unsqueeze(0), SR2)
assert_type(stress.batch.unsqueeze(0).batch.squeeze(0), SR2)
assert_type(stress.batch.transpose(0, 1), SR2)
assert_type(stress.batch.movedim(0, 1), SR2)
assert_type(stress.batch.flatten(), SR2)
assert_type(stress.batch.slice(0, 0, 5), SR2)
assert_type([s for s in stress.batch], list[SR2])
assert_type(next(iter(E.batch)), Scalar)
assert_type(stress.base.reshape(2, 3).batch[0], Tensor)
stress.batch[0] = 0.0
stress.batch[0] = stress


class Stress(SR2):
    """A class that a user defines."""

    def overstress(self, limit: float) -> Scalar:
        return math.macaulay(math.von_mises(self) - limit)


history = Stress(torch.rand(10, 2, 6))
assert_type(history.batch, BatchView[Stress])
assert_type(history.batch[-1], Stress)
assert_type(history.batch.reshape(20).clone().to(torch.float32), Stress)
assert_type([s.overstress(250.0) for s in history.batch], list[Scalar])


def last(view: BatchView[SR2]) -> SR2:
    return view[-1]


last(history.batch)
last(R2(torch.eye(3)).batch)  # type: ignore[arg-type]

# Truth values are not stresses
mask = stress > 0
assert_type(mask, Tensor)
assert_type(stress < stress, Tensor)
assert_type(stress <= E, Tensor)
assert_type(0 >= stress, Tensor)
assert_type(E > stress, Tensor)
assert_type(stress == stress, Tensor)
assert_type(stress != 0, Tensor)
assert_type(E > 0, Scalar)
assert_type(0.5 < E, Scalar)
assert_type(E == E, Scalar)
assert_type(math.gt(stress, 0), Tensor)
assert_type(math.lt(E, stress), Tensor)
assert_type(math.eq(stress, stress), Tensor)
assert_type(math.ge(E, 0.5), Scalar)
assert_type(math.ne(0.5, E), Scalar)
assert_type(math.logical_and(mask, stress > E), Tensor)
assert_type(math.logical_or(E, E), Scalar)
assert_type(math.logical_not(stress), Tensor)
assert_type(math.logical_not(E), Scalar)
assert_type(~mask & (stress < 1) | mask ^ mask, Tensor)
assert_type(~(E > 0) & (E < 1), Scalar)
assert_type(mask & (E > 0), Tensor)
assert_type(mask.all(), bool)
assert_type(math.where(mask, stress, 0.0), SR2)
assert_type(math.where(E > 0, 0.0, history), Stress)
assert_type(stress.batch[stress.norm() > 1], SR2)

# Functions of plain numbers give plain numbers
assert_type(math.sqrt(2.0), float)
assert_type(math.exp(1) * math.pi + math.e + math.tau + math.inf + math.nan, float)
assert_type(math.atan2(1.0, 2.0), float)
assert_type(math.hypot(1.0, 2.0), float)
assert_type(math.maximum(math.pow(2.0, 0.5), 1), float)
assert_type(math.clamp(2.0, 0.0, 1.0), float)
assert_type(math.where(True, 1.0, 2.0), float)
assert_type(math.where(True, stress, 0.0), SR2)
assert_type(math.gt(2.0, 1.0), bool)
assert_type(math.logical_not(1.0), bool)
assert_type(math.gcd(4, 6), int)
assert_type(math.maximum(E, 0.5), Scalar)
math.sqrt("2")  # type: ignore[call-overload]
math.no_such_function(2.0)  # type: ignore[attr-defined]
mask.dev()  # type: ignore[attr-defined]


def energy(strain: SR2, C: SSR4) -> Scalar:
    return 0.5 * math.inner(strain, C * strain)


assert_type(neml2.vmap(energy, strain, C), Scalar)
assert_type(neml2.formula(energy)(strain, C), Scalar)
assert_type(neml2.formula(backend="interpreter")(energy)(strain, C), Scalar)
assert_type(neml2.vmap(lambda s: math.dev(s), stress), SR2)
assert_type(neml2.value_and_jacobian(energy, strain, C)[0], Scalar)

assert_type(distributed.batch_part(10), slice)
assert_type(distributed.scatter_batch(stress), SR2)
assert_type(distributed.scatter_batch((stress, E), source=0), tuple[SR2, Scalar])
assert_type(distributed.expand_batch(E, 3), Scalar)
assert_type(distributed.batch_mean(history), Stress)

assert_type(neml2.vmap(energy, strain, C, out=Scalar(torch.empty(10, 2))), Scalar)
neml2.vmap(energy, strain)  # type: ignore[call-overload]
stress * "no number"  # type: ignore[operator]
stress.no_such_function()  # type: ignore[attr-defined]
SR2([1.0])  # type: ignore[call-overload]
