# SPDX-License-Identifier: MIT
"""Solids defined by their energies: neo-Hooke, Mooney-Rivlin, Ogden and an artery with two families of fibres. Stresses and tangents
are derivatives of the energies, and need not be written by hand. For two solids they are compared with closed forms. Specimens
are sheared, and pulled in one and in two directions while the stress on their free sides is zero.

    hyperelastic.py [--plot FILE]
"""

import argparse
from dataclasses import dataclass

# begin headers
import neml2
import torch
from neml2 import math
from neml2.tensors import R2, SR2, SSR4, Rot, Scalar, Vec

torch.set_default_dtype(torch.float64)
# end headers
torch.manual_seed(0)
parser = argparse.ArgumentParser()
parser.add_argument("--plot", metavar="FILE", help="draws stresses over stretches into this file (needs matplotlib)")
plot = parser.parse_args().plot


# ---- Energies of the right Cauchy-Green tensor C = Fᵀ F, per volume of the undeformed solid ----


# begin neo_hooke
@dataclass
class NeoHooke:
    mu: float
    lambda_: float

    def energy(self, C: SR2) -> Scalar:
        """Source: Bonet and Wood (2008), Nonlinear Continuum Mechanics for Finite Element Analysis, eq. 6.27."""
        ln_J = 0.5 * math.log(math.det(C))
        return 0.5 * self.mu * (math.tr(C) - 3) - self.mu * ln_J + 0.5 * self.lambda_ * ln_J**2


# end neo_hooke


@dataclass
class MooneyRivlin:
    c1: float
    c2: float
    c: float  # resistance to changes of volume

    def energy(self, C: SR2) -> Scalar:
        """Source: Holzapfel (2000), Nonlinear Solid Mechanics, eq. 6.147, with d = 2 (c1 + 2 c2)."""
        J, I1 = math.sqrt(math.det(C)), math.tr(C)
        I2 = 0.5 * (I1**2 - math.norm_sq(C))
        shape = self.c1 * (I1 - 3) + self.c2 * (I2 - 3)
        return shape + self.c * (J - 1) ** 2 - 2 * (self.c1 + 2 * self.c2) * math.log(J)


def volumetric(C: SR2, K: float) -> Scalar:
    """K / 4 (J² - 1 - 2 ln J), which is zero without change of volume. Source: Holzapfel (2000), section 6.5."""
    square = math.det(C)
    return 0.25 * K * (square - 1 - math.log(square))


# begin ogden
@dataclass
class Ogden:
    mu: tuple[float, ...]
    alpha: tuple[float, ...]
    K: float

    def energy(self, C: SR2) -> Scalar:
        """Ogden's energy of the principal stretches λ, the square roots of the eigenvalues of C: the sum of their powers is the trace of a power
        of C. Source: Ogden (1972), Proc. R. Soc. Lond. A 326, 565-584; with a change of volume: Holzapfel (2000), section 6.5."""
        W = volumetric(C, self.K)
        for mu, alpha in zip(self.mu, self.alpha):
            powers = math.tr(math.powm(C, alpha / 2))  # Σ λ^α
            W = W + mu / alpha * (math.det(C) ** (-alpha / 6) * powers - 3)
        return W


# end ogden


# begin artery
@dataclass
class Artery:
    c: float
    k1: float
    k2: float
    angle: float  # of the fibres to the circumference, in degrees
    K: float

    def energy(self, C: SR2) -> Scalar:
        """Axis 0 is along the circumference, axis 1 along the artery. Fibres carry tension only.
        Source: Holzapfel, Gasser and Ogden (2000), J. Elasticity 61, 1-48."""
        scale = math.det(C) ** (-1 / 3)
        W = volumetric(C, self.K) + 0.5 * self.c * (scale * math.tr(C) - 3)
        for sign in (1, -1):
            angle = sign * self.angle * torch.pi / 180
            a = Vec.fill(math.cos(angle), math.sin(angle), 0.0)
            E = math.macaulay(scale * math.inner(a, R2(C) * a) - 1)
            W = W + 0.5 * self.k1 / self.k2 * (math.exp(self.k2 * E**2) - 1)
        return W


# end artery


Solid = NeoHooke | MooneyRivlin | Ogden | Artery


# ---- Stresses and tangents of any energy ----


# begin stress
def second_piola(C: SR2, solid: Solid) -> SR2:
    """S = 2 ∂W/∂C. The tangent of S is 2 ∂S/∂C."""
    return 2 * neml2.gradient(solid.energy, C)


def first_piola(F: R2, solid: Solid) -> R2:
    """P = ∂W/∂F, the force per area of the undeformed solid."""
    return neml2.gradient(lambda f: solid.energy(math.right_cauchy_green(f)), F)


# end stress


# begin tension
def tension(stretch: Scalar, solid: Solid, scale: float) -> tuple[Scalar, Scalar, Scalar]:
    """The force per undeformed area of a specimen that is pulled along axis 0, and the stretches of its sides, which are free of stress."""

    def residual(x: tuple[Scalar, Scalar], stretch: Scalar) -> tuple[Scalar, Scalar]:
        S = second_piola(SR2.fill(stretch**2, math.exp(2 * x[0]), math.exp(2 * x[1])), solid)
        return S(1, 1) / scale, S(2, 2) / scale

    start = -0.5 * math.log(stretch)
    x = neml2.newton(residual, (start, start), stretch)
    C = SR2.fill(stretch**2, math.exp(2 * x[0]), math.exp(2 * x[1]))
    return stretch * second_piola(C, solid)(0, 0), math.exp(x[0]), math.exp(x[1])


# end tension


def equibiaxial(stretch: Scalar, solid: Solid, scale: float) -> Scalar:
    """Equibiaxial tension along axes 0 and 1: the force per undeformed area along axis 0."""

    def residual(x: Scalar, stretch: Scalar) -> Scalar:
        return second_piola(SR2.fill(stretch**2, stretch**2, math.exp(2 * x)), solid)(2, 2) / scale

    x = neml2.newton(residual, -2 * math.log(stretch), stretch)
    return stretch * second_piola(SR2.fill(stretch**2, stretch**2, math.exp(2 * x)), solid)(0, 0)


# begin least
def least_energy(stretch: Scalar, solid: Solid) -> Scalar:
    """The energy per undeformed volume of the specimen of `tension`: its sides have the stretches that make the energy least."""

    def energy(sides: tuple[Scalar, Scalar], stretch: Scalar) -> Scalar:
        return solid.energy(SR2.fill(stretch**2, math.exp(2 * sides[0]), math.exp(2 * sides[1])))

    start = -0.5 * math.log(stretch)
    sides = neml2.newton(lambda x, stretch: neml2.gradient(energy, x, stretch), (start, start), stretch)
    return energy(sides, stretch)


# end least


def shear(amount: Scalar, solid: Solid) -> R2:
    """The Cauchy stress σ = P Fᵀ in simple shear, which preserves the volume."""
    F = R2.fill(1.0, amount, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    return first_piola(F, solid) * math.transpose(F)


# ---- Closed forms, by hand ----


def neo_hooke_by_hand(C: SR2, m: NeoHooke) -> tuple[SR2, SSR4]:
    """Source: Bonet and Wood (2008), eqs. 6.28 and 6.30."""
    inverse, ln_J = math.inv(C), 0.5 * math.log(math.det(C))
    S = m.mu * (SR2.identity() - inverse) + m.lambda_ * ln_J * inverse
    return S, m.lambda_ * math.outer(inverse, inverse) + 2 * (m.mu - m.lambda_ * ln_J) * math.sym_kron(inverse, inverse)


def mooney_rivlin_by_hand(C: SR2, m: MooneyRivlin) -> tuple[SR2, SSR4]:
    """By the derivatives of the invariants. Source: Holzapfel (2000), sections 6.2 and 6.6."""
    inverse, J, one = math.inv(C), math.sqrt(math.det(C)), SR2.identity()
    d, p = 2 * (m.c1 + 2 * m.c2), 2 * m.c * J * (J - 1)
    S = 2 * (m.c1 + m.c2 * math.tr(C)) * one - 2 * m.c2 * C + (p - d) * inverse
    by_shape = 4 * m.c2 * (math.outer(one, one) - SSR4.identity_sym())
    return S, by_shape + 2 * m.c * J * (2 * J - 1) * math.outer(inverse, inverse) + 2 * (d - p) * math.sym_kron(inverse, inverse)


def ogden_without_change_of_volume(stretch: Scalar, mu: tuple[float, ...], alpha: tuple[float, ...], sides: float) -> Scalar:
    """The force per undeformed area where the free sides have the stretch λ^-sides. Source: Ogden (1972)."""
    return sum((m * (stretch ** (a - 1) - stretch ** (-sides * a - 1)) for m, a in zip(mu, alpha)), Scalar(0.0))


# ---- Parameters of the solids ----

# Rubber, from Treloar's measurements, in MPa: Ogden (1972). Neo-Hooke and Mooney-Rivlin have its shear modulus; Mooney-Rivlin has
# c1 / c2 = 7 as in Holzapfel (2000), section 6.5. The bulk modulus is about a thousand times as large.
mu, alpha = (0.63, 0.0012, -0.01), (1.3, 5.0, -2.0)
G = 0.5 * sum(m * a for m, a in zip(mu, alpha))
rubber = {
    "neo-Hooke": NeoHooke(mu=G, lambda_=1000 * G),
    "Mooney-Rivlin": MooneyRivlin(c1=0.4375 * G, c2=0.0625 * G, c=500 * G),
    "Ogden": Ogden(mu, alpha, K=1000 * G),
}
# The media of a rabbit's carotid artery, in kPa: Holzapfel, Gasser and Ogden (2000).
media = Artery(c=3.0, k1=2.3632, k2=0.8393, angle=29.0, K=3000.0)
solids = {**rubber, "artery": media}


def check(what: str, a: torch.Tensor, b: torch.Tensor, relative: float = 1e-12) -> None:
    error = (a - b).abs().max() / b.abs().max()
    print(f"{what}, to {relative:.0e}" if error < relative else f"{what}: NO, not to {relative:.0e}")


F = R2(torch.eye(3) + 0.2 * (2 * torch.rand(100, 3, 3) - 1))
C = math.right_cauchy_green(F)
for name, solid, by_hand in (
    ("neo-Hooke", rubber["neo-Hooke"], neo_hooke_by_hand),
    ("Mooney-Rivlin", rubber["Mooney-Rivlin"], mooney_rivlin_by_hand),
):
    # begin tangent
    S, slope = neml2.value_and_jacobian(second_piola, C, solid)
    tangent = 2 * slope  # 2 ∂S/∂C, an SSR4
    # end tangent
    expected = neml2.vmap(by_hand, C, solid)
    check(f"{name}: S is the closed form", S.torch(), expected[0].torch())
    check(f"{name}: 2 ∂S/∂C is the closed form", tangent.torch(), expected[1].torch())

turned = math.right_cauchy_green(R2(Rot.rand(100)) * F)
for name, solid in solids.items():
    tangent = 2 * neml2.value_and_jacobian(second_piola, C, solid)[1]
    check(f"{name}: the tangent is symmetric", tangent.torch(), tangent.torch().mT)
    W = neml2.vmap(lambda c, s: s.energy(c), C, solid)
    check(f"{name}: W(Q F) is W(F)", neml2.vmap(lambda c, s: s.energy(c), turned, solid).torch(), W.torch())
    P = neml2.vmap(first_piola, F, solid)
    check(f"{name}: ∂W/∂F is F S", P.torch(), (F * R2(neml2.vmap(second_piola, C, solid))).torch())

gamma = Scalar(torch.linspace(0.1, 2.0, 20))
for name, solid in rubber.items():
    stress = neml2.vmap(shear, gamma, solid)
    normal = stress(0, 0) - stress(1, 1)
    # Source: Rivlin (1948), Phil. Trans. R. Soc. Lond. A 241, 379-397; it holds for all isotropic solids.
    check(f"{name}: σ_00 - σ_11 of shear is γ σ_01", normal.torch(), (gamma * stress(0, 1)).torch())

stretch = Scalar(torch.linspace(0.5, 3.0, 20))
for name, solid in rubber.items():
    # begin force
    force = neml2.gradient(least_energy, stretch, solid)
    # end force
    by_stress = neml2.vmap(tension, stretch, solid, 1.0)[0]
    check(f"{name}: the force of tension is the derivative of the least energy", force.torch(), by_stress.torch(), 1e-9)

# At equal eigenvalues: the tangent of Ogden's solid at C = 1, which does not follow from the eigenvalues alone.
one = SR2.identity()
tangent = 2 * neml2.value_and_jacobian(second_piola, one, rubber["Ogden"])[1]
check("Ogden: the tangent at C = 1 is K and G", tangent.torch(), SSR4.isotropic_K_G(1000 * G, G).torch())


# begin stretches
def of_stretches(squares: Vec, K: float) -> Scalar:
    """The same energy as a function of the eigenvalues of C, the squares of the stretches."""
    J = math.sqrt(squares(0) * squares(1) * squares(2))
    W = 0.25 * K * (J**2 - 1 - 2 * math.log(J))
    for m, a in zip(mu, alpha):
        W = W + m / a * (J ** (-a / 3) * sum(squares(i) ** (a / 2) for i in range(3)) - 3)
    return W


def ogden(C: SR2, K: float) -> Scalar:
    return neml2.isotropic(of_stretches, C, K)


# end stretches
check("Ogden by isotropic: the same tangent", 4 * neml2.hessian(ogden, one, 1000 * G).torch(), tangent.torch())
by_itself = neml2.hessian(lambda C, K: of_stretches(math.eigenvalues(C), K), one, 1000 * G)
print("Without it the tangent is NaN there" if by_itself.torch().isnan().any() else "NO")

moderate = Scalar(torch.linspace(1.0, 4.0, 31))
print("\nBulk modulus over shear modulus, and how far Ogden's rubber is from the one without change of volume")
for ratio in (1e2, 1e3, 1e4):
    solid = Ogden(mu, alpha, K=ratio * G)
    both = []
    for pulled, sides in ((neml2.vmap(tension, moderate, solid, G)[0], 0.5), (neml2.vmap(equibiaxial, moderate, solid, G), 2.0)):
        closed = ogden_without_change_of_volume(moderate, mu, alpha, sides).torch()
        both.append(((pulled.torch() - closed).abs().max() / closed.abs().max()).item())
    print(f"{ratio:7.0e}   tension {both[0]:.1e}   in two directions {both[1]:.1e}")

stretch = Scalar(torch.linspace(1.0, 7.0, 61))
found = {name: neml2.vmap(tension, stretch, solid, G) for name, solid in rubber.items()}
print("\nForce per undeformed area of rubber, MPa\nstretch" + "".join(f"{name:>15s}" for name in rubber))
for i in (5, 10, 20, 40, 60):
    print(f"{stretch.batch[i].item():7.1f}" + "".join(f"{P.batch[i].item():15.3f}" for P, _, _ in found.values()))

short = Scalar(torch.linspace(1.0, 1.4, 41))
turned_media = Artery(media.c, media.k1, media.k2, 90.0 - media.angle, media.K)  # pulled along the artery
around, along = (neml2.vmap(tension, short, m, media.c) for m in (media, turned_media))
both = neml2.vmap(equibiaxial, short, media, media.c)
print("\nForce per undeformed area of the artery, kPa\nstretch   around    along   in both  thickness, pulled around")
for i in (10, 20, 30, 40):
    print(f"{short.batch[i].item():7.1f}" + "".join(f"{P.batch[i].item():9.2f}" for P in (around[0], along[0], both, around[2])))

if plot:
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
    for (name, (P, _, _)), colour in zip(found.items(), ("C7", "C0", "C3")):
        left.plot(stretch.torch(), P.torch(), color=colour, label=name)
    left.set_title("rubber, in tension")
    left.set_ylabel("force per undeformed area, MPa")
    for name, P, colour in (("both ways", both, "C3"), ("around", around[0], "C0"), ("along", along[0], "C7")):
        right.plot(short.torch(), P.torch(), color=colour, label=f"artery, {name}")
    right.set_title("an artery's media, pulled")
    right.set_ylabel("force per undeformed area, kPa")
    for panel in (left, right):
        panel.set_xlabel("stretch")
        panel.legend()
    figure.savefig(plot)
