# SPDX-License-Identifier: MIT
"""The texture of a rolled copper sheet, and its effect on the stiffness: the {111} pole figure, the inverse pole figure of
the rolling direction, and Young's modulus of one crystal and of the sheet.

Half of the crystals are near the brass orientation and half near the copper orientation, rotated from it by a few random
degrees, each in the four variants that are equivalent by the symmetry of rolling. The stiffness of the sheet is between the
bounds of Voigt, with equal strain in all crystals, and of Reuss, with equal stress in all crystals (Hill 1952, Proc. Phys.
Soc. A 65, 349-354).

    texture.py [--plot FILE]
"""

# %% only in the script
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--plot", metavar="FILE", help="draws the figures into this file (needs matplotlib)")
file = parser.parse_args().plot

# %%
import torch
from neml2 import crystallography, math
from neml2.tensors import SR2, SSR4, WR2, Rot, Scalar, Vec

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)

# %% [markdown]
# ## Four thousand crystals

# %%
# An orientation takes the axes of the sheet (rolling, transverse, normal direction) to those of the crystal.
ideal = Rot.fill_euler_angles(Vec.create([[[35.0, 45.0, 0.0]], [[90.0, 35.0, 45.0]]]), "bunge", "degrees")  # (2, 1; 3)
scatter = WR2(torch.deg2rad(8 * torch.randn(500, 2, 4, 3))).exp_map()
sheet = crystallography.symmetry_quaternions("222").to_rot()  # (4; 3)
orientation = scatter * ideal * sheet  # (500, 2, 4; 3)

# %% [markdown]
# ## The bounds of their stiffness

# %%
crystal = SSR4.cubic(168.4, 121.4, 75.4)  # copper, GPa
turned = crystal.rotate(orientation.inverse())  # to the axes of the sheet, (500, 2, 4; 6, 6)
voigt = SSR4(turned.torch().mean((0, 1, 2)))
reuss = math.inv(SSR4(math.inv(turned).torch().mean((0, 1, 2))))


def modulus(C: SSR4, n: Vec) -> Scalar:
    """The ratio of stress to strain in tension along unit vectors n."""
    tension = SR2(n.outer(n))
    return 1 / tension.inner(math.inv(C) * tension)


angle = Scalar(torch.deg2rad(torch.arange(0.0, 91.0, 15.0)))
direction = Vec.fill(math.cos(angle), math.sin(angle), 0.0)
print("Young's modulus of the sheet, GPa\nangle to RD   Reuss   Voigt")
for degrees, low, high in zip(range(0, 91, 15), modulus(reuss, direction).tolist(), modulus(voigt, direction).tolist()):
    print(f"{degrees:10d}°   {low:5.1f}   {high:5.1f}")

# %% only in the script
if not file:
    raise SystemExit

# %% [markdown]
# ## Pictures

# %%
from matplotlib import pyplot
from neml2 import plot

figure = pyplot.figure(figsize=(8.8, 7.4), layout="constrained")
style = {
    "halfwidth": 7.5,
    "levels": range(6),
    "rasterized": True,
}
poles = figure.add_subplot(221)
plot.pole_figure_density(orientation, (1, 1, 1), "432", labels=("RD", "TD"), ax=poles, **style)

inverse = figure.add_subplot(222)
inverse.set_title("rolling direction")
density = plot.inverse_pole_figure_density(orientation, (1, 0, 0), "432", ax=inverse, **style)
plot.inverse_pole_figure(orientation.batch[:12], (1, 0, 0), "432", color="white", s=5, ax=inverse)
figure.colorbar(density, ax=[poles, inverse], shrink=0.8, label="multiples of random")

space = figure.add_subplot(223, projection="3d")
space.set_title("E of one crystal (GPa)")
surface = plot.youngs_modulus(crystal, ax=space, rasterized=True)
figure.colorbar(surface, shrink=0.7, pad=0.15)

plane = figure.add_subplot(224, projection="polar")
plot.youngs_modulus_section(voigt, color="#0072B2", label="Voigt", ax=plane)
plot.youngs_modulus_section(reuss, color="#D55E00", linestyle="--", label="Reuss", ax=plane)
plane.set_rlabel_position(67.5)
plane.set_title("E in the plane of the sheet (GPa)")
_ = plane.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=2)

# %% only in the script
figure.savefig(file, dpi=130)
