# SPDX-License-Identifier: MIT
"""Associated flow of an anisotropic sheet: plastic strain along the gradient of an equivalent stress. Strips are pulled at several angles
to the rolling direction, by an implicit step of plasticity without stress at the sides, with the equivalent stresses of Hill (1948),
Hosford (1972) and Barlat (Yld2004-18p). Yield stresses and r-values are printed beside the values measured on the aluminium alloy 2090-T3.

    associated_flow.py [--plot FILE]
"""

import argparse
from collections.abc import Callable

import neml2
import torch
from neml2 import math
from neml2.tensors import R2, SR2, SSR4, Scalar

torch.set_default_dtype(torch.float64)
parser = argparse.ArgumentParser()
parser.add_argument("--plot", metavar="FILE", help="draws yield surfaces and r-values into this file (needs matplotlib)")
plot = parser.parse_args().plot

# Tension at 0, 15, ... 90° to the rolling direction: the yield stress relative to that at 0°, and the r-value, the ratio of width strain to
# thickness strain. Then both for biaxial tension. The coefficients were fitted to these values and to computed stresses out of the plane.
# Source: Barlat, Aretz, Yoon, Karabin, Brem and Dick (2005), Int. J. Plasticity 21, 1009-1039.
measured_stress = [1.0, 0.9605, 0.9102, 0.8114, 0.8096, 0.8815, 0.9102]
measured_r = [0.2115, 0.3269, 0.6923, 1.5769, 1.0385, 0.5384, 0.6923]
measured_both_ways = 1.035, 0.67
# begin sheet
first = (-0.069888, 0.936408, 0.079143, 1.003060, 0.524741, 1.363180, 1.023770, 1.069060, 0.954322)
second = (0.981171, 0.476741, 0.575316, 0.866827, 1.145010, -0.079294, 1.051660, 1.147100, 1.404620)
r_values = math.hill_parameters(0.2115, 1.5769, 0.6923)


def hill(stress: SR2) -> Scalar:
    return math.hill(stress, r_values)


def hosford(stress: SR2) -> Scalar:
    return math.hosford(stress, 8.0)


def yld2004(stress: SR2) -> Scalar:
    return math.yld2004(stress, first, second, 8.0)


# end sheet
Equivalent = Callable[[SR2], Scalar]
functions: dict[str, Equivalent] = {"Hill 1948": hill, "Hosford": hosford, "Yld2004-18p": yld2004}
E, nu = 70e3, 0.33  # MPa
yield_stress, modulus = 280.0, 1000.0  # MPa, along the direction of rolling




# begin step
def step(strain: SR2, plastic_strain: SR2, alpha: Scalar, equivalent: Equivalent) -> tuple[SR2, SR2, Scalar]:
    """An implicit step: the stress, the plastic strain and the equivalent plastic strain at its end."""
    C = SSR4.isotropic_E_nu(E, nu)
    trial = C * (strain - plastic_strain)
    is_elastic = equivalent(trial) <= yield_stress + modulus * alpha

    def residual(x: tuple[SR2, Scalar], trial: SR2, alpha: Scalar) -> tuple[SR2, Scalar]:
        stress, increment = x
        value, direction = neml2.value_and_gradient(equivalent, stress)
        excess = (value - yield_stress - modulus * (alpha + increment)) / E
        return (stress - trial + C * (increment * direction)) / E, math.where(is_elastic, increment, excess)

    stress, increment = neml2.newton(residual, (trial, 0.0 * alpha), trial, alpha)
    return stress, plastic_strain + increment * neml2.gradient(equivalent, stress), alpha + increment


# end step


# begin strip
def strip(angle: Scalar, elongation: Scalar, equivalent: Equivalent) -> tuple[Scalar, Scalar]:
    """A strip cut at an angle to the rolling direction, after a step of tension: the ratio of its stress to the yield stress, and its
    r-value."""
    c, s = math.cos(angle), math.sin(angle)
    axes = R2.fill(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)  # the axes of the strip in those of the sheet
    none = 0.0 * SR2.fill(angle)

    def ends(x: tuple[Scalar, Scalar, Scalar], elongation: Scalar, axes: R2) -> tuple[SR2, SR2, Scalar]:
        strain = SR2.fill(elongation, x[0], x[1], 0.0, 0.0, x[2])
        stress, plastic_strain, alpha = step(math.rotate(strain, axes), none, 0.0 * elongation, equivalent)
        back = math.transpose(axes)
        return math.rotate(stress, back), math.rotate(plastic_strain, back), alpha

    def residual(x: tuple[Scalar, Scalar, Scalar], elongation: Scalar, axes: R2) -> tuple[Scalar, Scalar, Scalar]:
        stress = ends(x, elongation, axes)[0]
        return stress(1, 1) / E, stress(2, 2) / E, stress(0, 1) / E

    x = neml2.newton(residual, (-0.5 * elongation, -0.5 * elongation, 0.0 * elongation), elongation, axes)
    stress, plastic_strain, alpha = ends(x, elongation, axes)
    return stress(0, 0) / (yield_stress + modulus * alpha), plastic_strain(1, 1) / plastic_strain(2, 2)


# end strip


def pulled(angle: Scalar) -> SR2:
    """Uniaxial tension of 1 at an angle to the rolling direction."""
    c, s = math.cos(angle), math.sin(angle)
    return SR2.fill(c * c, s * s, 0.0, 0.0, 0.0, c * s)


def without_strip(angle: Scalar, equivalent: Equivalent) -> tuple[Scalar, Scalar]:
    """The same results from the equivalent stress alone: its gradient is the direction of flow."""
    value, flow = neml2.value_and_gradient(equivalent, pulled(angle))
    return 1 / value, math.inner(pulled(angle + 0.5 * torch.pi), flow) / flow(2, 2)


def largest(a: Scalar, b: torch.Tensor) -> float:
    return float((a.torch() - b).abs().max())


degrees = torch.arange(0, 91, 15)
angles = Scalar(degrees * torch.pi / 180)
both = {}
rows = [("measured", torch.tensor(measured_stress), torch.tensor(measured_r))]
for name, f in functions.items():
    stress, r = neml2.vmap(lambda angle, elongation: strip(angle, elongation, f), angles, 0.02)
    alone = neml2.vmap(lambda angle: without_strip(angle, f), angles)
    worst = max(largest(stress, alone[0].torch()), largest(r, alone[1].torch()))
    print(f"{name}: tension is that of the equivalent stress and its gradient" + (", to 1e-9" if worst < 1e-9 else f": NO, but to {worst:.0e}"))
    rows.append((name, stress.torch(), r.torch()))
    value, flow = neml2.value_and_gradient(f, SR2.fill(1.0, 1.0, 0.0))
    both[name] = 1 / value.item(), (flow(1, 1) / flow(0, 0)).item()

for title, of in (("Yield stress over that at 0°", 1), ("r-value", 2)):
    print(f"\n{title}\n            " + "".join(f"{d:8d}°" for d in degrees.tolist()) + "  both ways")
    for row in rows:
        ends = both.get(row[0], measured_both_ways)[of - 1]
        print(f"{row[0]:12s}" + "".join(f"{x:9.3f}" for x in row[of].tolist()) + f"{ends:11.3f}")

if plot:
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
    turn, quarter = torch.linspace(0.0, 2.0 * torch.pi, 721), torch.linspace(0.0, 0.5 * torch.pi, 181)
    for (name, f), colour in zip(functions.items(), ("C7", "C0", "C3")):
        x, y = turn.cos(), turn.sin()
        value = neml2.vmap(f, SR2.fill(Scalar(x), Scalar(y), Scalar(0.0 * x))).torch()
        left.plot(x / value, y / value, color=colour, label=name)
        r = neml2.vmap(lambda angle: without_strip(angle, f), Scalar(quarter))[1].torch()
        right.plot(quarter * 180 / torch.pi, r, color=colour, label=name)
    at_0, at_90, at_both = measured_stress[0], measured_stress[-1], measured_both_ways[0]
    left.plot([at_0, 0.0, at_both], [0.0, at_90, at_both], "ko", label="measured")
    right.plot(degrees, measured_r, "ko", label="measured")
    left.set_aspect("equal")
    left.set_title("yield surfaces of 2090-T3")
    left.set_xlabel("stress along the direction of rolling")
    left.set_ylabel("stress across it")
    right.set_title("strain across over that through the thickness")
    right.set_xlabel("angle to the direction of rolling, °")
    right.set_ylabel("r-value")
    right.legend()
    figure.savefig(plot)
