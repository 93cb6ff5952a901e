# SPDX-License-Identifier: MIT
# The ways to compute a derivative, shown on one law: by dual numbers in the pass, by autograd, of a solution of equations, second
# derivatives, and differences, which check them.

# begin headers
import neml2
import torch
from neml2 import math
from neml2.tensors import SR2, Scalar

torch.set_default_dtype(torch.float64)
# end headers


# begin law
def stress_of(strain: SR2, K: float, G: Scalar, limit: float) -> SR2:
    """One point of a solid that softens in shear: strains in 1e-3, moduli in GPa, stresses in MPa."""
    e = math.dev(strain)
    return 3 * K * math.vol(strain) + 2 * G / math.sqrt(1 + math.norm_sq(e) / limit**2) * e


# end law


# begin energy
def energy_of(strain: SR2, K: float, G: Scalar, limit: float) -> Scalar:
    """The energy, in kJ/m³; its derivative by the strain is the stress of the law."""
    volume, square = math.tr(strain), limit**2
    shear = math.sqrt(1 + math.norm_sq(math.dev(strain)) / square) - 1
    return 0.5 * K * volume**2 + 2 * G * square * shear


# end energy


# begin inverse
def residual(x: SR2, stress: SR2, K: float, G: Scalar, limit: float) -> SR2:
    return (stress_of(x, K, G, limit) - stress) / 100


def strain_of(stress: SR2, K: float, G: Scalar, limit: float) -> SR2:
    """The strain at which the law gives this stress."""
    return neml2.newton(residual, 0 * stress, stress, K, G, limit)


# end inverse


def check(what: str, a: torch.Tensor, b: torch.Tensor, relative: float) -> None:
    error = (a - b).abs().max() / b.abs().max()
    print(f"{what}, to {relative:.0e}" if error < relative else f"{what}: NO, not to {relative:.0e}")


# begin tangent
load = Scalar.create([[1.0], [2.0], [4.0]])  # (3, 1; )
strain = load * SR2.fill(1.0, -0.4, -0.4)  # (3, 1; 6)
G = Scalar.create([60.0, 80.0])  # (2; ), of two materials
stress, tangent = neml2.value_and_jacobian(stress_of, strain, 160.0, G, 2.0)
# end tangent
print("stress", list(stress.shape))
print("tangent", list(tangent.shape))

# begin loss
modulus = Scalar(G.torch().clone().requires_grad_())
computed = neml2.vmap(stress_of, strain, 160.0, modulus, 2.0)
loss = math.norm_sq(computed - 0.9 * stress).torch().mean()
loss.backward()
# end loss
assert modulus.grad is not None
print("gradient by G", list(modulus.grad.shape))
for material, slope in enumerate(modulus.grad.torch()):
    print(f"  of material {material}: {slope:.4f}")

# begin batches
each = SR2(strain.batch.expand(3, 2).torch().clone().requires_grad_())  # a separate strain for each stress
by_operators = stress_of(each, 160.0, G, 2.0)  # the same function, on whole batches
by_rows = math.jacrev(by_operators, each)
# end batches
check("jacrev gives the same tangent", by_rows.torch(), tangent.torch(), 1e-12)

# begin hessian
energy = neml2.vmap(energy_of, each, 160.0, G, 2.0).torch()
(first,) = torch.autograd.grad(energy.sum(), each.torch(), create_graph=True)
direction = SR2.fill(0.0, 0.0, 0.0, 0.0, 0.0, 1.0).batch.expand(3, 2)
(product,) = torch.autograd.grad(first, each.torch(), direction.torch())
# end hessian
check("The energy's gradient is the stress", first, stress.torch(), 1e-12)
check("its Hessian times a direction is the tangent's", product, (tangent * direction).torch(), 1e-12)

# begin solution
found, compliance = neml2.value_and_jacobian(strain_of, stress, 160.0, G, 2.0)
# end solution
check("Newton's method finds the strain", found.torch(), each.torch().detach(), 1e-10)
check("The derivative of the solution is the inverse of the tangent", compliance.torch(), tangent.inverse().torch(), 1e-8)


# begin differences
def raw(strain: torch.Tensor, G: torch.Tensor) -> torch.Tensor:
    return neml2.vmap(stress_of, SR2(strain), 160.0, Scalar(G), 2.0).torch()


arguments = tuple(a.torch().detach().clone().requires_grad_() for a in (strain, G))
agree = torch.autograd.gradcheck(raw, arguments) and torch.autograd.gradgradcheck(raw, arguments)
# end differences
print("Differences agree with the derivatives, first and second" if agree else "NO")
