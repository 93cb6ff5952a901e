# SPDX-License-Identifier: MIT
# The code of docs/python.md, piece by piece.
import torch
from neml2 import math
from neml2.tensors import R2, SR2, SSR4, Rot, Scalar, Tensor

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)

# From torch, and back
t = torch.rand(1000, 2, 6)
strain = SR2(t)  # the last dimensions are the base shape, those before it are the batch shape
pairs = Tensor(t, 1)  # the type Tensor fixes no base shape: one batch dimension here
moduli = Scalar.create([1e5, 2e5])  # from numbers, like torch.tensor
guess = SR2.zeros(1000, 2, dtype=torch.float32, requires_grad=True)
print(repr(strain), repr(pairs), repr(moduli), strain.torch() is t)

# Views of the batch and of the base dimensions
print(strain.batch.shape, strain.base.shape, strain.batch.dim(), strain.base.size(0))
first = strain.batch[:2, 0]  # of the same type
normal = strain.base[:3]  # a Tensor
print(repr(first), repr(normal), repr(strain.batch.unsqueeze(-1)))
strain.batch[0] = 0  # writes into t
strain.base[3:] *= 0.5

# Operators
C = SSR4.isotropic_E_nu(moduli, 0.3)
stress = C * strain
ratio = math.von_mises(stress) / 250
print(repr(stress), repr(2 - ratio**2), repr(stress(0, 1)))
print(repr(R2(stress) * R2(stress)), repr(stress.rotate(Rot.rand(1000, 1))))
print(repr(stress < 0), repr(ratio > 1), repr(math.where(ratio > 1, stress, 0.0)))

# Derivatives
E = Scalar(1e5, requires_grad=True)
misfit = (SSR4.isotropic_E_nu(E, 0.3) * strain - stress).norm_sq()
misfit.torch().mean().backward()  # or misfit.backward(Scalar.ones(1000, 2))
print(repr(E.grad))


# torch.func
aluminium = SSR4.isotropic_E_nu(70.0, 0.33)


def energy(e: torch.Tensor) -> torch.Tensor:
    strain = SR2(e)
    return 0.5 * strain.inner(aluminium * strain).torch()


tangents = torch.func.vmap(torch.func.hessian(energy))(torch.rand(100, 6))
print(tangents.shape, torch.allclose(tangents[0], aluminium.torch()))

# Errors
try:
    C * SR2.zeros(1000)
except ValueError as error:
    print(error)
