# SPDX-License-Identifier: MIT
# Perfect plasticity of two materials at four strains: the stress and, in the same pass, its exact derivative.

# begin program
import neml2
import torch
from neml2 import math
from neml2.tensors import SR2, SSR4, Scalar

torch.set_default_dtype(torch.float64)


# One point: the elastic stress, whose deviator is scaled back to the yield surface.
def stress_of(strain: SR2, E: Scalar, nu: Scalar | float, yield_stress: Scalar | float) -> SR2:
    trial = SSR4.isotropic_E_nu(E, nu) * strain
    mises = 1.5**0.5 * trial.dev().norm()
    return trial.vol() + trial.dev() * math.minimum(yield_stress / math.maximum(mises, 1e-12), 1.0)


E = Scalar.create([100e3, 200e3])  # MPa, of two materials: (2; )
load = Scalar.create([[0.5], [1.0], [1.5], [2.0]])  # (4, 1; )
strain = load * SR2.fill(1e-3, 0.0, 0.0)  # (4, 1; 6)
stress, tangent = neml2.value_and_jacobian(stress_of, strain, E, 0.3, 120.0)

print("stress", stress.batch.shape, stress.base.shape, "tangent", tangent.batch.shape, tangent.base.shape)
print(math.von_mises(stress).torch())
# end program
