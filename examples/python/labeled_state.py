# SPDX-License-Identifier: MIT
# A plastic model as a system of equations with named unknowns: five points are pulled to different
# strains, and Newton's method solves for the stress and the plastic strain of all points at once.
import torch

from neml2.math import exp, jacrev, solve, von_mises, where
from neml2.tensors import SR2, SSR4, LabeledAxis, LabeledMatrix, LabeledVector, Scalar

torch.set_default_dtype(torch.float64)

# begin axes
unknowns = LabeledAxis().add("stress", SR2).add("internal/plastic_strain", Scalar)
unknowns.setup_layout()

equations = LabeledAxis().add("elasticity", SR2).add("yield", Scalar)
equations.setup_layout()
# end axes
print("unknowns", unknowns, "equations", equations, sep="\n")

C = SSR4.isotropic_E_nu(200e3, 0.3)  # MPa
S = C.inverse()
yield_stress, saturation, rate = 250, 150, 200  # MPa, MPa, 1
strain = SR2.fill(1, -0.4, -0.4) * Scalar.create([0.5e-3, 1e-3, 2e-3, 4e-3, 8e-3])


# begin residual
def residual(x: LabeledVector, is_plastic: Scalar) -> LabeledVector:
    stress = x.reinterpret("stress", SR2)
    ep = x.reinterpret("internal/plastic_strain", Scalar)
    mises = von_mises(stress)
    flow = 1.5 * stress.dev() / mises
    excess = (mises - yield_stress - saturation * (1 - exp(-rate * ep))) / 200e3
    return LabeledVector.assemble(
        equations,
        {"elasticity": S * stress + flow * ep - strain, "yield": where(is_plastic, excess, ep)},
    )


# end residual

trial = C * strain
is_plastic = von_mises(trial) > yield_stress
x = LabeledVector.assemble(unknowns, {"stress": trial})
for i in range(10):
    # begin newton
    x = x.detach().requires_grad_()
    r = residual(x, is_plastic)
    J = LabeledMatrix(jacrev(r.tensor(), x.tensor()), (equations, unknowns))
    size = r.torch().abs().max().item()
    print(f"iteration {i}: ", end="")
    if size < 1e-12:
        break
    print(f"largest residual {size:.0e}")
    x = LabeledVector(x.tensor() - solve(J.tensor(), r.tensor()), unknowns)
    # end newton

print("converged")

stress = x.detach().reinterpret("stress", SR2)
ep = x.detach().reinterpret("internal/plastic_strain", Scalar)
print("  strain   stress/00   plastic strain")
for e, s, p in zip(strain(0, 0).tolist(), stress(0, 0).tolist(), ep.tolist()):
    print(f"{e:8.4f}  {s:8.2f} MPa  {p:.6f}")
