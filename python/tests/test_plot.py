# SPDX-License-Identifier: MIT
"""Drawings of neml2.plot: the coordinates of its artists; and the arguments that it refuses."""

import inspect
from math import cos, pi, radians, sin, sqrt, tan

import matplotlib
import numpy as np
import pytest
import torch
from matplotlib import pyplot
from neml2 import (
    R2,
    SR2,
    SSR4,
    MillerIndex,
    Quaternion,
    Rot,
    Scalar,
    Vec,
    crystallography,
    math,
    plot,
)
from neml2.plot import _sectors, _sphere
from support import run

matplotlib.use("Agg")

CLASSES = {"1": 1, "2": 2, "222": 4, "3": 3, "32": 6, "4": 4, "42": 8, "6": 6, "622": 12, "23": 12, "432": 24}
COPPER = {"C11": 168.4, "C12": 121.4, "C44": 75.4}


@pytest.fixture(autouse=True)
def no_figures():
    yield
    pyplot.close("all")


def turn(axis, degrees):
    return Rot.from_axis_angle(Vec(torch.tensor(axis)), Scalar(radians(degrees)))


def bunge(*degrees):
    return Rot.fill_euler_angles(Vec(torch.tensor(degrees)), "bunge", "degrees")


def offsets(artist):
    return np.asarray(artist.get_offsets())


def same_points(artist, expected):
    """Compares points, regardless of order and repetitions."""
    points, expected = offsets(artist), np.array(expected)
    apart = np.linalg.norm(points[:, None] - expected, axis=-1)
    return apart.min(0).max() < 1e-7 and apart.min(1).max() < 1e-7


def area(path):
    """The area of a path of polygons, without holes."""
    return sum(
        0.5 * (p[:-1, 0] * p[1:, 1] - p[1:, 0] * p[:-1, 1]).sum()
        for p in (np.append(p, p[:1], axis=0) for p in path.to_polygons())
    )


def curve(contours):
    """The points of contour lines."""
    return np.concatenate([p.vertices for p in contours.get_paths()]).T


def vertices(surface):
    """The corners of the faces in space, as the installed matplotlib stores them."""
    return np.asarray(surface._vec)[:3].T if hasattr(surface, "_vec") else np.asarray(surface._faces).reshape(-1, 3)


# ---- The module ----


def test_neml2_does_not_import_matplotlib():
    done = run("import sys, neml2; print('matplotlib' in sys.modules, 'neml2_tensors.plot' in sys.modules)")
    assert done.stdout == "False False\n"


def test_without_matplotlib_the_import_says_what_to_install():
    done = run("import sys; sys.modules['matplotlib'] = None\nfrom neml2 import plot")
    assert done.stderr.splitlines()[-1].startswith(
        "ImportError: neml2.plot draws with matplotlib, which is not installed here: pip install"
    )
    assert "neml2-tensors[plot]" in done.stderr


@pytest.mark.parametrize("name", plot.__all__)
def test_functions_are_documented_and_take_axes(name):
    function = getattr(plot, name)
    assert function.__doc__ and function.__name__ == name
    if name == "inverse_pole_figure_directions":  # draws nothing
        return
    assert inspect.signature(function).parameters["ax"].default is None


# ---- Pole figures ----


@pytest.mark.parametrize("projection", ["equal_area", "stereographic"])
def test_cube_poles_of_the_identity_are_the_centre_and_four_points_of_the_rim(projection):
    points = plot.pole_figure(Rot.identity(), (1, 0, 0), "432", projection=projection)
    assert same_points(points, [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)])


@pytest.mark.parametrize(
    "projection, radius", [("equal_area", lambda t: sqrt(1 - cos(t))), ("stereographic", lambda t: tan(t / 2))]
)
def test_octahedron_poles_of_the_identity_lie_at_their_radius(projection, radius):
    r = radius(np.arccos(1 / sqrt(3))) / sqrt(2)
    points = plot.pole_figure(Rot.identity(), (1, 1, 1), "432", projection=projection)
    assert same_points(points, [(r, r), (-r, r), (r, -r), (-r, -r)])


def test_crystals_are_turned_forth_or_back():
    tilted = turn((1.0, 0.0, 0.0), 30)  # takes z to (0, -sin 30°, cos 30°)
    z = Vec(torch.tensor([0.0, 0.0, 1.0]))
    r = sqrt(2) * sin(radians(15))
    assert same_points(plot.pole_figure(tilted, z, "1", maps="crystal to sample"), [(0, -r)])
    assert same_points(plot.pole_figure(tilted, z, "1"), [(0, r)])
    assert same_points(plot.pole_figure(tilted.inverse(), z, "1"), [(0, -r)])


def test_poles_turn_with_the_stiffness():
    """C.rotate(orientation) of a crystal that is stiff along z is stiff where the pole z is drawn."""
    C = SSR4(torch.diag(torch.tensor([10.0, 10, 100, 10, 10, 10])))
    orientation = turn((1.0, 2.0, 0.5), 40)
    x, y = offsets(plot.pole_figure(orientation, Vec(torch.tensor([0.0, 0, 1])), "1", maps="crystal to sample"))[0]
    points = vertices(plot.youngs_modulus(C.rotate(orientation), points=181))
    stiffest = points[np.linalg.norm(points, axis=1).argmax()] / 100
    stiffest = stiffest * np.sign(stiffest[2])
    assert np.linalg.norm(stiffest[:2] / sqrt(1 + stiffest[2]) - (x, y)) < radians(1)


def test_goss_has_its_plane_and_direction():
    """{011}<100>: of the Euler angles 0, 45, 0 of Bunge, ND (z) is along 011 and RD (x) along 100."""
    goss = bunge(0.0, 45.0, 0.0)
    x, y = offsets(plot.inverse_pole_figure(goss, (0, 0, 1), "432"))[0]
    assert np.allclose((x, y), (sqrt(1 - sqrt(0.5)), 0))
    assert np.allclose(offsets(plot.inverse_pole_figure(goss, (1, 0, 0), "432"))[0], 0)
    assert (np.linalg.norm(offsets(plot.pole_figure(goss, (0, 1, 1), "432")), axis=1) < 1e-7).any()


@pytest.mark.parametrize("projection", ["equal_area", "stereographic"])
def test_a_quaternion_is_drawn_as_its_rot_and_a_batch_as_its_entries(projection):
    r = Rot.rand(3, 4)
    q = Quaternion(r)
    a, b = (plot.pole_figure(o, (1, 1, 0), "432", projection=projection) for o in (r, q))
    assert offsets(a).shape == (12 * 6, 2) and np.allclose(offsets(a), offsets(b), atol=1e-12)
    one_by_one = [
        offsets(plot.pole_figure(o, (1, 1, 0), "432", projection=projection)) for row in r.batch for o in row.batch
    ]
    assert np.allclose(offsets(a), np.concatenate(one_by_one), atol=1e-12)


def test_equivalent_orientations_have_the_same_poles():
    r = Rot.rand()
    points = plot.pole_figure(r, (1, 2, 3), "432")
    assert len(offsets(points)) == 24
    for S in crystallography.symmetry("432").batch:
        assert same_points(plot.pole_figure(Rot.fill_matrix(S * r.euler_rodrigues()), (1, 2, 3), "432"), offsets(points))


def test_poles_are_on_the_disc_which_is_drawn_once():
    ax = pyplot.figure().add_subplot()
    points = plot.pole_figure(Rot.rand(1000), MillerIndex.fill(1, 1, 1), "432", labels=("RD", "TD"), ax=ax)
    plot.pole_figure_density(Rot.rand(10), (1, 1, 1), "432", ax=ax, labels=("RD", "TD"))
    assert points.axes is ax and ax.get_aspect() == 1
    assert np.linalg.norm(offsets(points), axis=1).max() <= 1
    assert len(ax.patches) == 1 and [t.get_text() for t in ax.texts] == ["RD", "TD"]
    assert ax.get_title() == r"$\{111\}$"


def test_titles_have_bars():
    assert plot.pole_figure(Rot.identity(), (1, -1, 0), "432").axes.get_title() == r"$\{1\bar{1}0\}$"
    assert r"10\,\bar{1}\,0" in plot.pole_figure(Rot.identity(), (10, -1, 0), "432").axes.get_title()


def test_style_goes_to_matplotlib():
    points = plot.pole_figure(Rot.rand(2), (1, 0, 0), "432", s=7, color="red", label="grains")
    assert points.get_sizes() == [7] and points.get_label() == "grains"
    assert tuple(points.get_facecolor()[0]) == (1, 0, 0, 1)
    assert plot.pole_figure(Rot.identity(), (1, 1, 1), "432", c=[1, 2, 3, 4]).get_array() is not None


@pytest.mark.parametrize("draw", [plot.pole_figure, plot.pole_figure_density])
def test_several_poles_are_a_row_of_figures(draw):
    r = Rot.rand(30)
    poles = [(1, 1, 1), MillerIndex.fill(1, 0, 0), Vec(torch.tensor([1.0, 1.0, 0.0]))]
    drawn = draw(r, poles, "432")
    assert isinstance(drawn, list) and len(drawn) == 3
    axes = [artist.axes for artist in drawn]
    assert axes == pyplot.gcf().axes and len({ax.get_subplotspec().rowspan.start for ax in axes}) == 1
    assert [ax.get_title() for ax in axes] == [r"$\{111\}$", r"$\{100\}$", ""]
    again = draw(r, tuple(poles), "432")  # not into existing figures
    assert again[0].axes.figure is not axes[0].figure
    one = draw(r, [(1, 1, 1)], "432")
    assert len(one) == 1


def test_each_of_several_pole_figures_is_that_of_its_pole():
    r = Rot.rand(5)
    several = plot.pole_figure(r, [(1, 1, 1), (1, 0, 0)], "432", labels=("RD", "TD"), s=3)
    for points, pole in zip(several, [(1, 1, 1), (1, 0, 0)], strict=True):
        assert np.allclose(offsets(points), offsets(plot.pole_figure(r, pole, "432", ax=pyplot.figure().add_subplot())))
        assert [t.get_text() for t in points.axes.texts] == ["RD", "TD"] and points.get_sizes() == [3]


def test_several_pole_figures_are_drawn_into_axes_that_are_given():
    axes = pyplot.subplots(1, 2)[1]
    for given in (axes, list(axes)):
        assert [a.axes for a in plot.pole_figure(Rot.rand(2), [(1, 1, 1), (1, 0, 0)], "432", ax=given)] == list(axes)
    for wrong, count in ((axes[0], 1), (list(axes) * 2, 4)):
        with pytest.raises(ValueError, match=f"pole_figure: ax has {count} axes for 2 poles. Expected a list of as many"):
            plot.pole_figure(Rot.rand(2), [(1, 1, 1), (1, 0, 0)], "432", ax=wrong)


def test_densities_of_several_poles_share_their_levels():
    r = Rot.rand(20)
    a, b = plot.pole_figure_density(r, [(1, 1, 1), (1, 0, 0)], "432")
    assert np.array_equal(a.levels, b.levels)
    highest = max(plot.pole_figure_density(r, p, "432").levels[-2] for p in [(1, 1, 1), (1, 0, 0)])
    assert a.levels[-1] >= highest
    a, b = plot.pole_figure_density(r, [(1, 1, 1), (1, 0, 0)], "432", levels=[0, 1, 2])
    assert list(a.levels) == list(b.levels) == [0, 1, 2]


# ---- Point groups ----

LAUE = {"1": "-1", "2": "2/m", "222": "mmm", "3": "-3", "32": "-3m", "4": "4/m", "42": "4/mmm", "6": "6/m", "622": "6/mmm",
        "23": "m-3", "432": "m-3m"}  # fmt: skip


@pytest.mark.parametrize("group", CLASSES)
def test_a_laue_group_is_drawn_as_its_class_of_rotations(group):
    r, v = Rot.rand(6), Vec(torch.tensor([0.3, -0.2, 0.9]))
    for draw in (plot.pole_figure, plot.inverse_pole_figure):
        assert np.array_equal(offsets(draw(r, v, LAUE[group])), offsets(draw(r, v, group)))
    a, b = (plot.inverse_pole_figure_density(r, v, name) for name in (LAUE[group], group))
    assert np.array_equal(curve(a), curve(b))


# ---- Directions of inverse pole figures ----


@pytest.mark.parametrize("group", CLASSES)
def test_directions_of_an_inverse_pole_figure_are_those_that_it_draws(group):
    r = Rot.rand(3, 4)
    v = plot.inverse_pole_figure_directions(r, (1, 2, 3), group)
    assert type(v) is Vec and v.batch.shape == (3, 4) and v.dtype == torch.float64
    assert torch.allclose(v.norm().torch(), torch.ones(3, 4, dtype=torch.float64))
    x, y = _sphere.project("", v.torch().reshape(-1, 3), "equal_area")
    assert np.allclose(offsets(plot.inverse_pole_figure(r, (1, 2, 3), group)), np.stack([x, y], 1))
    # an equivalent of the direction in the crystal, R v, in the sector
    direct = torch.einsum("...ij,j->...i", r.euler_rodrigues().torch().double(), torch.tensor([1.0, 2, 3]).double()) / sqrt(14)
    images = torch.einsum("gij,...j->...gi", crystallography.symmetry(group, dtype=torch.float64).torch(), direct)
    apart = torch.minimum((images - v.torch()[..., None, :]).norm(dim=-1), (images + v.torch()[..., None, :]).norm(dim=-1))
    assert apart.amin(-1).max() < 1e-6


def test_directions_in_the_standard_triangle():
    v = plot.inverse_pole_figure_directions(Rot.rand(200), (0, 0, 1), "432").torch()
    x, y, z = v.unbind(-1)
    assert (y >= -1e-12).all() and (y <= x + 1e-12).all() and (x <= z + 1e-12).all()
    goss = bunge(0.0, 45.0, 0.0)
    expected = torch.tensor([1.0, 0, 1], dtype=torch.float64) / sqrt(2)
    assert torch.allclose(plot.inverse_pole_figure_directions(goss, (0, 0, 1), "432").torch(), expected, atol=1e-6)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 0), (5,), (2, 3)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_directions_have_the_batch_of_the_orientations(shape, dtype):
    r = Rot(torch.rand(*shape, 3, dtype=dtype, requires_grad=True))
    for o in (r, Quaternion(r)):
        v = plot.inverse_pole_figure_directions(o, Vec(torch.tensor([0.0, 0, 1])), "622", maps="crystal to sample")
        assert v.batch.shape == shape and v.dtype == torch.float64 and not v.requires_grad


def test_directions_refuse_what_the_figure_refuses():
    f = plot.inverse_pole_figure_directions
    for error, message, arguments in [
        (TypeError, "expected orientations of type Rot or Quaternion", (torch.zeros(3), (0, 0, 1), "432")),
        (ValueError, "is zero and has no direction", (Rot.rand(), (0, 0, 0), "432")),
        (ValueError, 'Unknown crystal class "m-5"', (Rot.rand(), (0, 0, 1), "m-5")),
        (TypeError, "expected a crystal class as a string", (Rot.rand(), (0, 0, 1), 432)),
        (ValueError, "differs from unit length", (Quaternion(torch.ones(4)), (0, 0, 1), "432")),
    ]:
        with pytest.raises(error, match=f"inverse_pole_figure_directions: .*{message}"):
            f(*arguments)
    with pytest.raises(ValueError, match="maps is 'passive'"):
        f(Rot.rand(), (0, 0, 1), "432", maps="passive")


# ---- Densities ----

LEVELS = np.array([0, *np.geomspace(1e-3, 40, 300)])


def even_points(n=20000):
    """Evenly distributed points (a Fibonacci lattice)."""
    i = torch.arange(n) + 0.5
    return _sphere.spherical(torch.arccos(1 - 2 * i / n), i * (pi * (1 + sqrt(5))))


@pytest.mark.parametrize("halfwidth", [3, 10, 30, 90])
def test_the_mean_density_over_the_sphere_is_1(halfwidth):
    poles = Vec(torch.randn(7, 3)).torch()
    poles = poles / poles.norm(dim=-1, keepdim=True)
    values = _sphere.density(poles, even_points(), halfwidth)
    assert abs(values.mean() - 1) < 1e-3


def test_the_kernel_falls_to_one_half_at_its_halfwidth():
    z = torch.tensor([[0.0, 0.0, 1.0]])
    points = _sphere.spherical(torch.tensor([0.0, radians(10)]), torch.zeros(2))
    top, half = _sphere.density(z, points, 10)
    assert abs(half / top - 0.5) < 1e-12


def test_the_density_of_a_pole_and_its_opposite_are_one():
    v = torch.randn(5, 3)
    v /= v.norm(dim=-1, keepdim=True)
    points = even_points(100)
    assert torch.allclose(_sphere.density(v, points, 10), _sphere.density(-v, points, 10))


def drawn_mean(contours):
    """The mean over the filled area, from the mean values and areas of the layers."""
    areas = np.array([area(p) for p in contours.get_paths()])
    middles = (contours.levels[1:] + contours.levels[:-1]) / 2
    return abs((areas * middles).sum() / areas.sum()), abs(areas.sum())


def test_the_mean_of_a_drawn_pole_figure_is_1():
    contours = plot.pole_figure_density(Rot.rand(5), (1, 1, 1), "432", levels=LEVELS)
    mean, filled = drawn_mean(contours)
    assert abs(filled - pi) < 0.01  # the whole disc
    assert abs(mean - 1) < 0.01  # areas of the disc are solid angles


@pytest.mark.parametrize("crystal_class", CLASSES)
def test_the_mean_of_a_drawn_inverse_pole_figure_is_1(crystal_class):
    contours = plot.inverse_pole_figure_density(Rot.rand(5), (1, 2, 3), crystal_class, levels=LEVELS)
    mean, filled = drawn_mean(contours)
    assert abs(filled - pi / CLASSES[crystal_class]) < 0.01 * pi / CLASSES[crystal_class]
    assert abs(mean - 1) < 0.01


def test_random_orientations_have_a_density_of_1():
    random = Rot.rand(5000)
    for contours in (
        plot.pole_figure_density(random, (1, 1, 1), "432", halfwidth=15),
        plot.inverse_pole_figure_density(random, (0, 0, 1), "432", halfwidth=15),
    ):
        assert 0.92 < contours.zmin and contours.zmax < 1.08


def test_a_single_crystal_has_the_density_of_the_kernels_at_its_poles():
    contours = plot.pole_figure_density(Rot.identity(), (1, 0, 0), "432", halfwidth=10)
    kappa = np.log(2) / (1 - cos(radians(10)))
    assert abs(contours.zmax - kappa / 3) < 1e-3  # a third of the poles
    sector = plot.inverse_pole_figure_density(Rot.identity(), (0, 0, 1), "432", halfwidth=10)
    assert abs(sector.zmax - kappa / 3) < 1e-3


# ---- Inverse pole figures ----


def test_the_identity_along_001_is_the_corner():
    assert np.allclose(offsets(plot.inverse_pole_figure(Rot.identity(), (0, 0, 1), "432")), 0)


@pytest.mark.parametrize("projection", ["equal_area", "stereographic"])
def test_the_standard_triangle_has_its_corners_and_labels(projection):
    ax = plot.inverse_pole_figure(Rot.identity(), (0, 0, 1), "432", projection=projection).axes
    at = {t.get_text(): t.xy for t in ax.texts}
    x = {"equal_area": sqrt(1 - sqrt(1 / 2)), "stereographic": tan(pi / 8)}[projection]
    r = {"equal_area": sqrt(1 - sqrt(1 / 3)), "stereographic": tan(np.arccos(sqrt(1 / 3)) / 2)}[projection]
    assert list(at) == ["001", "101", "111"]
    assert (
        np.allclose(at["001"], 0) and np.allclose(at["101"], (x, 0)) and np.allclose(at["111"], (r / sqrt(2), r / sqrt(2)))
    )
    edge = ax.patches[0].get_xy()
    assert all(np.linalg.norm(edge - corner, axis=1).min() < 1e-7 for corner in at.values())


def test_all_points_are_in_the_standard_triangle():
    x, y = offsets(plot.inverse_pole_figure(Rot.rand(5000), (1, 1, 0), "432", projection="stereographic")).T
    assert (y > -1e-12).all() and (y <= x + 1e-12).all()
    assert ((x + 1) ** 2 + y**2 <= 2 + 1e-12).all()  # the great circle from 101 to 111


@pytest.mark.parametrize("crystal_class, order", CLASSES.items())
def test_each_direction_has_one_equivalent_in_the_sector(crystal_class, order):
    sector, S = _sectors.SECTORS[crystal_class], crystallography.symmetry(crystal_class).torch()
    v = torch.randn(20000, 3)
    v /= v.norm(dim=-1, keepdim=True)
    inside = ((v @ sector.planes().mT) > 0).all(-1)
    assert abs(inside.double().mean() * 2 * order - 1) < 0.15  # one of as many sectors as the Laue group has operations
    images = torch.einsum("gij,nj->ngi", torch.cat([S, -S]), v)
    assert (((images @ sector.planes().mT) > 0).all(-1).sum(-1) == 1).all()
    reduced = sector.reduce(v, S)
    assert torch.allclose(reduced[inside], v[inside])
    assert ((images - reduced[:, None]).norm(dim=-1).amin(-1) < 1e-12).all()


@pytest.mark.parametrize("crystal_class", CLASSES)
def test_equivalent_orientations_are_one_point(crystal_class):
    r = Rot.rand().euler_rodrigues()
    equivalent = Rot.fill_matrix(crystallography.symmetry(crystal_class) * r)
    points = offsets(plot.inverse_pole_figure(equivalent, (1, 2, 3), crystal_class))
    assert np.abs(points - points[0]).max() < 1e-7


# ---- Stress-strain curves ----


def histories(*batch):
    strain = SR2(torch.linspace(0, 0.01, 11).reshape(-1, *[1] * len(batch), 1) * torch.randn(*batch, 6))
    return strain, SSR4.isotropic_E_nu(2e5, 0.3) * strain


@pytest.mark.parametrize("component", [(0, 0), (0, 2), (2, 1)])
def test_curves_are_the_components(component):
    strain, stress = histories(2, 3)
    lines = plot.stress_strain(strain, stress, component, unit="MPa")
    assert len(lines) == 6
    for line, e, s in zip(lines, strain(*component).torch().flatten(1).mT, stress(*component).torch().flatten(1).mT):
        assert np.allclose(line.get_xdata(), e) and np.allclose(line.get_ydata(), s)
    i, j = ("xyz"[k] for k in component)
    assert lines[0].axes.get_xlabel() == rf"$\varepsilon_{{{i}{j}}}$"
    assert lines[0].axes.get_ylabel() == rf"$\sigma_{{{i}{j}}}$ (MPa)"


def test_equivalent_measures_are_those_of_von_mises():
    """In uniaxial tension at constant volume the equivalent stress and strain equal the axial ones; in pure shear they are √3 σ_xy and
    2/√3 ε_xy."""
    t = torch.linspace(0, 1, 5)
    zero = 0 * t
    strain = SR2.fill(*map(Scalar, (t, -t / 2, -t / 2, zero, zero, zero)))
    stress = SR2.fill(*map(Scalar, (3 * t, zero, zero, zero, zero, zero)))
    (line,) = plot.stress_strain(strain, stress, "equivalent")
    assert np.allclose(line.get_xydata(), np.stack([t, 3 * t], 1))
    shear = SR2.fill(*map(Scalar, (zero, zero, zero, zero, zero, t)))
    (line,) = plot.stress_strain(shear, shear, "equivalent")
    assert np.allclose(line.get_xydata(), np.stack([2 / sqrt(3) * t, sqrt(3) * t], 1))


def test_a_shared_strain_goes_with_each_curve():
    strain, _ = histories()
    stress = SR2(torch.randn(11, 3, 6))
    lines = plot.stress_strain(strain, stress, label=["a", "b", "c"])
    assert [line.get_label() for line in lines] == ["a", "b", "c"]
    assert all(np.allclose(line.get_xdata(), strain(0, 0).torch()) for line in lines)
    assert np.allclose(lines[2].get_ydata(), stress(0, 0).torch()[:, 2])


# ---- Yield surfaces ----


def von_mises(s):
    return math.von_mises(s) - 250.0


def drucker_prager(s):
    return math.von_mises(s) + 0.6 * s.tr() - 250.0


def test_the_ellipse_of_von_mises_in_plane_stress():
    contours = plot.yield_surface(von_mises, 400, unit="MPa")
    x, y = curve(contours)
    assert np.abs(np.sqrt(x**2 - x * y + y**2) / 250 - 1).max() < 1e-4
    assert abs(x.max() / (250 * 2 / sqrt(3)) - 1) < 1e-3  # all of it
    assert abs(x.min() / (250 * 2 / sqrt(3)) + 1) < 1e-3
    assert contours.axes.get_aspect() == 1 and contours.axes.get_xlabel() == r"$\sigma_1$ (MPa)"


def test_the_ellipse_of_von_mises_in_tension_and_shear():
    x, y = curve(plot.yield_surface(von_mises, 400, "normal_shear"))
    assert np.abs(np.sqrt(x**2 + 3 * y**2) / 250 - 1).max() < 1e-4
    assert abs(y.max() * sqrt(3) / 250 - 1) < 1e-3


@pytest.mark.parametrize("mean", [0.0, 100.0])
def test_the_circles_of_drucker_and_prager_in_the_pi_plane(mean):
    x, y = curve(plot.yield_surface(drucker_prager, 400, "pi", mean=mean))
    assert np.abs(np.hypot(x, y) / (sqrt(2 / 3) * (250 - 0.6 * 3 * mean)) - 1).max() < 1e-3


def test_the_principal_axes_of_the_pi_plane():
    """A cut-off of each principal stress is a line across its axis, as far out as √(3/2) times the deviatoric stress."""
    for i, angle in enumerate((90, 210, 330)):
        x, y = curve(plot.yield_surface(lambda s, i=i: s(i, i) - 100.0, 200, "pi", mean=20.0))
        along = x * cos(radians(angle)) + y * sin(radians(angle))
        assert np.allclose(along, sqrt(3 / 2) * 80)
    names = [t.get_text() for t in pyplot.gca().texts]
    assert names == [r"$\sigma_1$", r"$\sigma_2$", r"$\sigma_3$"]


def test_the_function_is_called_once_with_a_batch():
    shapes = []

    def f(s):
        shapes.append(s.batch.shape)
        return von_mises(s)

    plot.yield_surface(f, 400, points=31)
    assert shapes == [(31, 31)]


def test_a_yield_function_may_use_gradients():
    yield_stress = Scalar(250.0, requires_grad=True)
    x, y = curve(plot.yield_surface(lambda s: math.von_mises(s) - yield_stress, 400))
    assert np.abs(np.sqrt(x**2 - x * y + y**2) / 250 - 1).max() < 1e-4


# ---- Young's modulus ----


def test_an_isotropic_modulus_is_a_sphere():
    surface = plot.youngs_modulus(SSR4.isotropic_E_nu(70.0, 0.33), unit="GPa")
    assert np.allclose(np.linalg.norm(vertices(surface), axis=-1), 70) and np.allclose(surface.get_array(), 70)
    assert surface.axes.name == "3d" and surface.axes.get_zlabel() == "z (GPa)"
    (line,) = plot.youngs_modulus_section(SSR4.isotropic_E_nu(70.0, 0.33), (1, 2, 3))
    assert np.allclose(line.get_ydata(), 70)


def test_the_colours_of_the_surface_can_be_chosen():
    C = SSR4.cubic(*COPPER.values())
    assert plot.youngs_modulus(C).get_clim() == pytest.approx((66.7, 191), rel=0.01)
    assert plot.youngs_modulus(C, vmin=0, vmax=200).get_clim() == (0, 200)
    assert plot.youngs_modulus(C, color="grey").get_array() is None


def cubic_compliances():
    """Nye (1985), ch. 8."""
    C11, C12, C44 = COPPER.values()
    return (C11 + C12) / ((C11 - C12) * (C11 + 2 * C12)), -C12 / ((C11 - C12) * (C11 + 2 * C12)), 1 / C44


def test_the_modulus_of_a_cubic_crystal_is_that_of_the_literature():
    """1/E = S11 - 2 (S11 - S12 - S44/2) (l² m² + m² n² + n² l²), Nye (1985), ch. 8."""
    S11, S12, S44 = cubic_compliances()
    anisotropy = S11 - S12 - S44 / 2
    E100, E110, E111 = (1 / (S11 - 2 * anisotropy * product) for product in (0, 1 / 4, 1 / 3))
    C = SSR4.cubic(*COPPER.values())
    assert abs(E111 - 191) < 1 and abs(E100 - 66.7) < 0.3  # copper, GPa

    angle, E = plot.youngs_modulus_section(C, (0, 0, 1))[0].get_data()
    assert np.allclose(E[[0, 45, 90]], (E100, E110, E100)) and np.allclose(angle[[0, 45, 90]], (0, pi / 4, pi / 2))
    angle, E = plot.youngs_modulus_section(C, MillerIndex.fill(1, -1, 0))[0].get_data()
    assert np.allclose((E.min(), E.max()), (E100, E111), rtol=1e-3) and np.allclose(E[0], E110)

    surface = plot.youngs_modulus(C)
    corners = vertices(surface)
    E = np.linalg.norm(corners, axis=-1)
    n = corners / E[:, None]
    products = (n**2 * np.roll(n, 1, axis=-1) ** 2).sum(-1)
    assert np.allclose(E, 1 / (S11 - 2 * anisotropy * products))
    assert len(surface.get_array()) * 4 == len(E)
    assert np.allclose(surface.get_array(), E.reshape(-1, 4).mean(-1))


def test_sections_are_counted_about_the_normal():
    """Transversely isotropic about z: in the plane across x the angle is from y, z is at 90°."""
    C = SSR4(torch.diag(torch.tensor([10.0, 10, 100, 10, 10, 10])))
    (line,) = plot.youngs_modulus_section(C, (1, 0, 0))
    assert np.allclose(line.get_ydata()[[0, 90, 180, 270]], (10, 100, 10, 100))
    (line,) = plot.youngs_modulus_section(C.rotate(turn((1.0, 0, 0), 30)), (1, 0, 0))
    assert line.get_ydata()[:180].argmax() == 120


def test_a_batch_of_stiffnesses_has_a_line_each():
    C = SSR4.isotropic_E_nu(Scalar(torch.tensor([70.0, 200.0])), 0.3)
    lines = plot.youngs_modulus_section(C, label=["aluminium", "steel"], unit="GPa")
    assert [line.get_label() for line in lines] == ["aluminium", "steel"]
    assert [line.get_ydata()[0] for line in lines] == pytest.approx([70, 200])
    assert lines[0].axes.get_ylim() == pytest.approx((0, 210)) and lines[0].axes.get_title() == "E (GPa)"


# ---- Any dtype, any device ----


def test_numbers_are_float64_whatever_the_defaults_are():
    r = Rot.rand(5)
    expected = offsets(plot.pole_figure(r, (1, 1, 1), "432"))
    torch.set_default_dtype(torch.float32)
    torch.set_default_device("meta")
    try:
        with_defaults = offsets(plot.pole_figure(r, (1, 1, 1), "432"))
        plot.pole_figure_density(r, (1, 1, 1), "432")
        plot.inverse_pole_figure(r, (0, 0, 1), "23")
        plot.inverse_pole_figure_density(r, (0, 0, 1), "23")
        x, y = curve(plot.yield_surface(von_mises, 400))
    finally:
        torch.set_default_device(None)
    assert np.allclose(with_defaults, expected, atol=1e-14)
    assert np.abs(np.sqrt(x**2 - x * y + y**2) / 250 - 1).max() < 1e-4


@pytest.mark.parametrize("to", [lambda t: t.float(), lambda t: t.requires_grad_()])
def test_float32_and_what_requires_gradients_is_drawn(to):
    plot.pole_figure_density(to(Rot.rand(3)), to(Vec(torch.ones(3))), "432")
    plot.inverse_pole_figure(to(Quaternion(Rot.rand(3).detach())), to(Vec(torch.ones(3))), "432")
    plot.stress_strain(*map(to, (SR2(torch.rand(5, 6)), SR2(torch.rand(5, 6)))), "equivalent")
    plot.youngs_modulus_section(to(SSR4.isotropic_E_nu(70.0, 0.33)))


# ---- The axes ----


def test_without_axes_the_current_ones_are_taken_if_they_are_of_the_kind():
    a, _ = pyplot.subplots(1, 2)[1]
    pyplot.sca(a)
    assert plot.pole_figure(Rot.identity(), (1, 0, 0), "432").axes is a
    polar = plot.youngs_modulus_section(SSR4.isotropic_E_nu(70.0, 0.33))[0].axes
    assert polar.figure is not a.figure and polar.name == "polar"
    assert plot.youngs_modulus_section(SSR4.isotropic_E_nu(80.0, 0.33))[0].axes is polar
    assert polar.get_ylim()[1] > 80


# ---- Errors ----

GOOD = {
    "pole_figure": lambda: [Rot.rand(3), (1, 1, 1), "432"],
    "pole_figure_density": lambda: [Rot.rand(3), (1, 1, 1), "432"],
    "inverse_pole_figure": lambda: [Rot.rand(3), (0, 0, 1), "432"],
    "inverse_pole_figure_density": lambda: [Rot.rand(3), (0, 0, 1), "432"],
    "stress_strain": lambda: [SR2(torch.rand(5, 6)), SR2(torch.rand(5, 6))],
    "yield_surface": lambda: [von_mises, 400],
    "youngs_modulus": lambda: [SSR4.isotropic_E_nu(70.0, 0.33)],
    "youngs_modulus_section": lambda: [SSR4.isotropic_E_nu(70.0, 0.33), (0, 0, 1)],
}
NAN = float("nan")
TEXTURES = ["pole_figure", "pole_figure_density", "inverse_pole_figure", "inverse_pole_figure_density"]
DENSITIES = TEXTURES[1::2]
REFUSED = [
    # functions, index of the argument, its value, error, message
    (TEXTURES, 0, torch.zeros(3), TypeError, "expected orientations of type Rot or Quaternion, not Tensor"),
    (TEXTURES, 0, R2(torch.eye(3)), TypeError, "Rot or Quaternion, not R2"),
    (TEXTURES, 0, Rot(torch.tensor([[0, 0, 0], [NAN, 0, 0]])), ValueError, "1 of the 6 numbers of orientations are NaN"),
    (TEXTURES, 0, Rot(), ValueError, "orientations is undefined"),
    (TEXTURES, 0, Rot.zeros(4, 0), ValueError, r"no orientations in the batch shape \(4, 0\)"),
    (TEXTURES, 0, Quaternion(torch.tensor([1.0, 1, 0, 0])), ValueError, "differs from unit length by 0.41"),
    (TEXTURES, 1, "111", TypeError, "as Vec, MillerIndex or three numbers, not '111'"),
    (TEXTURES, 1, (1, 1), TypeError, "three numbers"),
    (TEXTURES, 1, (0, 0, 0), ValueError, "is zero and has no direction"),
    (TEXTURES, 1, Vec(torch.tensor([NAN, 0, 1])), ValueError, "are NaN or infinite"),
    (TEXTURES, 1, Vec(torch.ones(2, 3)), ValueError, r"has the batch shape \(2,\). Expected one direction"),
    (TEXTURES, 2, "m-5", ValueError, 'Unknown crystal class "m-5". Expected one of 1, 2, 222'),
    (TEXTURES, 2, 432, TypeError, "expected a crystal class as a string"),
    (TEXTURES[:2], 1, [], ValueError, "the list of poles is empty"),
    (TEXTURES[:2], 1, [(1, 0, 0), (0, 0, 0)], ValueError, "the pole is zero"),
    (TEXTURES[:2], 1, [(1, 0, 0), 1], TypeError, "the pole as Vec, MillerIndex or three numbers, not 1"),
    (TEXTURES[:2], 2, "6/mmm", ValueError, "the meaning of Miller indices in class 6/mmm depends on the lattice"),
    (TEXTURES[:2], 2, "622", ValueError, "the meaning of Miller indices in class 622 depends on the lattice"),
    (TEXTURES, "maps", "passive", ValueError, "maps is 'passive'. Expected 'sample to crystal' or 'crystal to sample'"),
    (TEXTURES, "projection", "lambert", ValueError, "projection is 'lambert'. Expected 'equal_area' or 'stereographic'"),
    (DENSITIES, "halfwidth", 0, ValueError, "halfwidth is 0. Expected degrees"),
    (DENSITIES, "halfwidth", NAN, ValueError, "halfwidth is nan"),
    (["stress_strain"], 0, torch.rand(5, 6), TypeError, "expected the strain of type SR2, not Tensor"),
    (["stress_strain"], 1, R2(torch.rand(5, 3, 3)), TypeError, "the stress of type SR2, not R2"),
    (["stress_strain"], 1, SR2(torch.full((5, 6), NAN)), ValueError, "30 of the 30 numbers of the stress are NaN"),
    (["stress_strain"], 1, SR2(torch.rand(6)), ValueError, "the stress has no batch dimension. Expected a history"),
    (["stress_strain"], 1, SR2(torch.rand(4, 6)), ValueError, "the strain has 5 steps, the stress 4"),
    (["stress_strain"], 2, (0, 3), ValueError, r"component is \(0, 3\)"),
    (["stress_strain"], 2, "mises", ValueError, '"equivalent"'),
    (["yield_surface"], 0, lambda s: 0.0, TypeError, "f returned a float. Expected a Scalar"),
    (
        ["yield_surface"],
        0,
        lambda s: Scalar(1.0),
        ValueError,
        r"f returned the batch shape \(\) for stresses of \(301, 301\)",
    ),
    (["yield_surface"], 0, lambda s: von_mises(s) * NAN, ValueError, "f is NaN or infinite at 90601 of 90601 stresses"),
    (["yield_surface"], 1, 100, ValueError, "f is negative at all stresses up to 100.*larger"),
    (["yield_surface"], 0, lambda s: von_mises(s) + 300.0, ValueError, "f is positive at all"),
    (["yield_surface"], 1, -1.0, ValueError, "limit is -1.0. Expected a positive stress"),
    (["yield_surface"], 1, "wide", ValueError, "limit is 'wide'"),
    (
        ["yield_surface"],
        "plane",
        "octahedral",
        ValueError,
        "plane is 'octahedral'. Expected 'plane_stress' or 'pi' or 'normal_shear'",
    ),
    (["yield_surface"], "mean", 10.0, ValueError, "mean is 10.0, but the plane 'plane_stress' goes through 0"),
    (["yield_surface"], "points", 1, ValueError, "points is 1. Expected an integer of at least 2"),
    (["youngs_modulus"], "points", 2.5, ValueError, "points is 2.5. Expected an integer"),
    (["youngs_modulus", "youngs_modulus_section"], 0, torch.eye(6), TypeError, "expected the stiffness of type SSR4"),
    (["youngs_modulus", "youngs_modulus_section"], 0, SSR4(torch.eye(6) * NAN), ValueError, "are NaN"),
    (
        ["youngs_modulus", "youngs_modulus_section"],
        0,
        SSR4(-torch.eye(6)),
        ValueError,
        "not positive definite.* -1: Young's",
    ),
    (["youngs_modulus"], 0, SSR4(torch.eye(6).expand(2, 6, 6)), ValueError, r"the stiffness has the batch shape \(2,\)"),
    (["youngs_modulus_section"], 1, (0, 0, 0), ValueError, "the normal is zero"),
    (list(GOOD), "ax", 1, TypeError, "expected ax as Axes of matplotlib, not int"),
]


@pytest.mark.parametrize(
    "name, place, value, error, message",
    [(name, *case) for names, *case in REFUSED for name in names],
)
def test_refused(name, place, value, error, message):
    arguments, keywords = GOOD[name](), {}
    if isinstance(place, str):
        keywords[place] = value
    else:
        arguments[place : place + 1] = [value]
    with pytest.raises(error, match=f"{name}: .*{message}"):
        getattr(plot, name)(*arguments, **keywords)


@pytest.mark.parametrize("name, projection", [(n, "rectilinear" if n.startswith("youngs") else "polar") for n in GOOD])
def test_axes_of_another_kind_are_refused(name, projection):
    ax = pyplot.figure().add_subplot(projection=projection)
    with pytest.raises(ValueError, match=f"{name}: ax is {projection}. Expected axes made by add_subplot"):
        getattr(plot, name)(*GOOD[name](), ax=ax)


@pytest.mark.parametrize("name", GOOD)
def test_what_is_not_refused_is_drawn(name, tmp_path):
    artist = getattr(plot, name)(*GOOD[name]())
    figure = (artist[0] if isinstance(artist, list) else artist).axes.figure
    figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 1000
