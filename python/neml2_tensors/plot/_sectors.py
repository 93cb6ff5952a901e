# SPDX-License-Identifier: MIT
"""The fundamental sectors of the Laue groups: parts of the sphere that contain one equivalent of each direction."""

from dataclasses import dataclass
from math import cos, radians, sin

import torch

from ._sphere import spherical

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Sector:
    """The directions with azimuths between 0 and `azimuth`, in degrees, that lie on the positive side of planes through the origin. The
    planes have the given normals, and form the rim of the sector."""

    azimuth: float
    normals: tuple[Triple, ...]
    corners: dict[str, Triple]  # name: direction, counterclockwise

    def planes(self) -> torch.Tensor:
        """The normals of all sides of the sector, (n, 3)."""
        a = radians(self.azimuth)
        sides = ((0.0, 1.0, 0.0), (sin(a), -cos(a), 0.0)) if self.azimuth <= 180 else ()
        return torch.tensor([*self.normals, *sides], dtype=torch.float64)

    def reduce(self, v: torch.Tensor, operations: torch.Tensor) -> torch.Tensor:
        """For each direction (n, 3), the direction in the sector that is equivalent to it by rotations (g, 3, 3) and inversion. If there
        are several such directions, or none because of rounding, it is the direction that lies furthest inside."""
        images = torch.einsum("gij,nj->ngi", torch.cat([operations, -operations]), v)
        inside = (images @ self.planes().mT).amin(-1).argmax(-1)
        return images[torch.arange(len(v)), inside]

    def points(self, step: float) -> torch.Tensor:
        """A grid of points (polar, azimuth, 3) from z to the rim. The distance of neighbours is about `step`, in radians."""
        intervals = 2 * max(1, round(radians(self.azimuth) / step / 2))  # an even number, so that a point is in the middle
        azimuth = torch.linspace(0, radians(self.azimuth), intervals + 1, dtype=torch.float64)
        n = torch.tensor(self.normals, dtype=torch.float64)
        outward = -(n[:, :1] * azimuth.cos() + n[:, 1:2] * azimuth.sin())
        rim = torch.atan2(n[:, 2:].expand_as(outward), outward.clamp(min=0)).amin(0)
        share = torch.linspace(0, 1, round(float(rim.max()) / step) + 1, dtype=torch.float64)
        return spherical(share[:, None] * rim, azimuth.expand(len(share), -1))

    def edge(self) -> torch.Tensor:
        """Points (n, 3) along all sides. Sides that end in z need no points in between, because they are straight in a projection."""
        rim = self.points(radians(1))[-1]
        return rim if self.azimuth == 360 else torch.cat([torch.tensor([[0.0, 0.0, 1.0]], dtype=torch.float64), rim])


def _wedge(azimuth: float, *names: str) -> Sector:
    """The sector of the upper hemisphere between azimuth 0 and this azimuth, with the names of its corners."""
    a = radians(azimuth)
    return Sector(azimuth, ((0, 0, 1),), dict(zip(names, [(0, 0, 1), (1, 0, 0), (cos(a), sin(a), 0)])))


# The sectors by the names of rotation groups; the Laue group also contains the inversion. Where Miller indices depend on the lattice, the
# names of corners are x, y and z, or an angle from x.
SECTORS = {
    "1": Sector(360, ((0, 0, 1),), {"x": (1, 0, 0), "y": (0, 1, 0)}),
    "2": Sector(180, ((0, 0, 1),), {"z": (0, 0, 1), "x": (1, 0, 0), "y": (0, 1, 0), "\N{MINUS SIGN}x": (-1, 0, 0)}),
    "222": _wedge(90, "001", "100", "010"),
    "3": _wedge(120, "z", "x", "120°"),
    "32": _wedge(60, "z", "x", "60°"),
    "4": _wedge(90, "001", "100", "010"),
    "42": _wedge(45, "001", "100", "110"),
    "6": _wedge(60, "z", "x", "60°"),
    "622": _wedge(30, "z", "x", "30°"),
    "23": Sector(90, ((-1, 0, 1), (0, -1, 1)), {"001": (0, 0, 1), "101": (1, 0, 1), "111": (1, 1, 1), "011": (0, 1, 1)}),
    "432": Sector(45, ((-1, 0, 1),), {"001": (0, 0, 1), "101": (1, 0, 1), "111": (1, 1, 1)}),
}
