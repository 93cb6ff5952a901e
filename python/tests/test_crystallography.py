# SPDX-License-Identifier: MIT
"""Slip and twin systems, disorientations, names of point groups, degrees: against the literature."""

from math import pi, radians, sqrt

import pytest
import torch
import neml2
from neml2 import R2, SR2, WR2, Quaternion, Rot, Scalar, Vec, crystallography, formula, math

torch.set_default_dtype(torch.float64)

LAUE = {"1": "-1", "2": "2/m", "222": "mmm", "3": "-3", "32": "-3m", "4": "4/m", "42": "4/mmm", "6": "6/m", "622": "6/mmm",
        "23": "m-3", "432": "m-3m"}


def vec(*numbers):
    return Vec(torch.tensor(numbers, dtype=torch.float64))


# ---- Slip and twin systems ----

SLIP = [("fcc", "", 12), ("bcc", "", 12), ("bcc", "{112}<111>", 12), ("bcc", "{123}<111>", 24),
        ("bcc", "{110}<111>, {112}<111>, {123}<111>", 48), ("hcp", "basal", 3), ("hcp", "prismatic", 3),
        ("hcp", "pyramidal <a>", 6), ("hcp", "pyramidal <c+a>", 6), ("hcp", "first-order pyramidal <c+a>", 12), ("hcp", "", 18)]


@pytest.mark.parametrize("lattice, families, count", SLIP)
def test_slip_systems(lattice, families, count):
    n, b = crystallography.slip_systems(lattice, families, 1.624 if lattice == "hcp" else 0)
    assert type(n) is Vec and type(b) is Vec and n.batch.shape == b.batch.shape == (count,)
    assert torch.allclose(n.norm().torch(), torch.ones(count)) and torch.allclose(b.norm().torch(), torch.ones(count))
    assert n.dot(b).torch().abs().max() < 1e-15
    schmid = b.outer(n)
    assert type(schmid) is R2 and schmid.tr().torch().abs().max() < 1e-15


def test_schmid_factors_of_tension_along_001():
    n, b = crystallography.slip_systems("fcc")
    z = vec(0, 0, 1)
    m = (n.dot(z) * b.dot(z)).torch().abs()
    assert ((m - 1 / sqrt(6)).abs() < 1e-14).sum() == 8 and (m < 1e-14).sum() == 4


def test_resolved_shear_stresses_of_many_grains():
    """One contraction over (grains, systems): for uniaxial stress along the axis t it is σ (t·n) (t·b)."""
    n, b = crystallography.slip_systems("bcc", "{112}<111>")
    t = torch.nn.functional.normalize(torch.randn(7, 3), dim=-1)
    stress = SR2(R2(100 * t[:, :, None] * t[:, None, :]))
    tau = stress.batch.unsqueeze(-1).inner(SR2(b.outer(n)))
    assert tau.batch.shape == (7, 12)
    assert torch.allclose(tau.torch(), 100 * (t @ n.torch().mT) * (t @ b.torch().mT))


@pytest.mark.parametrize("lattice, count, shear, second", [("fcc", 12, sqrt(0.5), (1, 1, 1)), ("bcc", 12, sqrt(0.5), (1, 1, 2))])
def test_twins_have_the_sense_of_their_shear(lattice, count, shear, second):
    """The second undistorted plane, 2 b + s n, has simple indices in the right sense only."""
    n, b = crystallography.twin_systems(lattice)
    assert n.batch.shape == (count,)
    K2 = torch.nn.functional.normalize(2 * b.torch() + shear * n.torch(), dim=-1)
    expected = torch.tensor(second) / torch.tensor(second).double().norm()
    assert torch.allclose(K2.abs().sort(-1).values, expected.double().expand(count, 3))


def test_twins_of_magnesium_and_zinc():
    for ratio, sign in ((1.624, 1), (1.856, -1)):
        n, b = crystallography.twin_systems("hcp", c_over_a=ratio)
        assert n.batch.shape == (6,) and (sign * n.torch()[:, 2] * b.torch()[:, 2] > 0.1).all()


def test_systems_of_a_dtype():
    n, b = crystallography.slip_systems("hcp", "basal", 1.6, dtype=torch.float32)
    assert n.dtype == b.dtype == torch.float32
    n, _ = crystallography.twin_systems("fcc", requires_grad=True)
    assert n.requires_grad


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("hcp",), "slip_systems: c_over_a is 0 for the lattice hcp. Expected the ratio"),
        (("fcc", "", 1.6), "c_over_a is 1.6 for the cubic lattice fcc"),
        (("fcc", "basal"), '"basal" is not a family of the lattice fcc'),
        (("fcc", "{111}<100>"), "no direction of {111}<100> lies in one of its planes"),
        (("FCC",), 'Unknown crystal class "FCC"'),
        (("-3m", "{111}<110>"), "c_over_a is not enough to define planes and directions"),
    ],
)
def test_systems_that_are_refused(arguments, message):
    with pytest.raises(ValueError, match="slip_systems|Unknown") as error:
        crystallography.slip_systems(*arguments)
    assert message in str(error.value)
    for wrong in (None, 1, [], Vec()):
        with pytest.raises(TypeError):
            crystallography.slip_systems(wrong)
        with pytest.raises(TypeError):
            crystallography.twin_systems("fcc", wrong)


# ---- Disorientation ----


def rotation(axis, degrees):
    return Quaternion.axis_angle(vec(*axis), Scalar(radians(degrees)))


def test_a_twin_is_60_degrees_about_111():
    r = Rot.rand(8)
    q = (rotation((1, 1, 2), 180) * Quaternion(r)).to_rot()
    D = crystallography.disorientation(r, q, "m-3m")
    assert type(D) is Rot and D.batch.shape == (8,)
    assert torch.allclose(D.angle().torch(), torch.full((8,), pi / 3))
    assert torch.allclose(D.axis().torch().abs(), torch.full((8, 3), 1 / sqrt(3)))
    assert torch.allclose(crystallography.misorientation(r, q, "m-3m").torch(), D.angle().torch())


def test_kurdjumov_and_sachs():
    """42.85 degrees about <0.968 0.178 0.178>: (111) || (011), [-101] || [-1-11]."""

    def frame(n, b):
        n, b = (torch.nn.functional.normalize(torch.tensor(x).double(), dim=0) for x in (n, b))
        return torch.stack([b, torch.linalg.cross(n, b), n], 1)

    between = frame((0, 1, 1), (-1, -1, 1)) @ frame((1, 1, 1), (-1, 0, 1)).mT
    r = Rot.rand(5)
    q = Rot.fill_matrix(R2(between @ r.euler_rodrigues().torch()))
    D = crystallography.disorientation(r, q, "m-3m", "m-3m")
    assert torch.allclose(math.rad2deg(D.angle()).torch(), torch.full((5,), 42.85), atol=5e-3)
    axis = D.axis().torch().abs().sort(-1).values
    assert torch.allclose(axis, torch.tensor([0.178, 0.178, 0.968]).expand(5, 3), atol=6e-4)


@pytest.mark.parametrize("a, b", [((), ()), ((0,), (1,)), ((4,), ()), ((3, 1), (5,)), ((1,), (1,))])
def test_batches_of_disorientations(a, b):
    r, q = Rot.rand(*a), Rot.rand(*b)
    D = crystallography.disorientation(r, q, "432", "6/mmm")
    assert D.batch.shape == torch.broadcast_shapes(a, b)
    angle = crystallography.misorientation(r, q, "432", "6/mmm")
    assert torch.allclose(D.angle().torch(), angle.torch())
    r32, q32 = Rot(r.torch().float()), Rot(q.torch().float())
    assert crystallography.disorientation(r32, q32, "432", "622").dtype == torch.float32


def test_the_derivative_of_a_disorientation():
    def f(x, y):
        return crystallography.disorientation(Rot(x), Rot(y), "432", "622").torch()

    torch.manual_seed(3)
    assert torch.autograd.gradcheck(f, [(0.3 * torch.rand(4, 3)).requires_grad_() for _ in range(2)])


# ---- Point groups ----


@pytest.mark.parametrize("group", LAUE)
def test_laue_groups_are_classes(group):
    assert crystallography.rotation_group(LAUE[group]) == crystallography.rotation_group(group) == group
    assert torch.equal(crystallography.symmetry(LAUE[group]).torch(), crystallography.symmetry(group).torch())
    r, q = Rot.rand(3), Rot.rand(3)
    for f in (crystallography.misorientation, crystallography.disorientation):
        assert torch.equal(f(r, q, LAUE[group]).torch(), f(r, q, group).torch())
    moved = [crystallography.move_to_fundamental_zone(r, name).torch() for name in (LAUE[group], group)]
    assert torch.equal(*moved)


def test_an_unknown_class_is_refused_with_those_that_are_known():
    for name in ("", "m-5", "cubic", "M-3M"):
        with pytest.raises(ValueError, match='Unknown crystal class "') as error:
            crystallography.rotation_group(name)
        assert all(known in str(error.value) for known in [*LAUE, *LAUE.values()])
    with pytest.raises(TypeError):
        crystallography.rotation_group(432)


# ---- Degrees ----


def test_degrees_and_radians():
    assert math.rad2deg(pi) == 180 and math.deg2rad(180) == pi and isinstance(math.rad2deg(1), float)
    for x in (Scalar(torch.rand(3)), SR2(torch.rand(2, 6)), Vec(torch.rand(3))):
        assert type(math.rad2deg(x)) is type(x)
        assert torch.allclose(math.rad2deg(x).torch(), torch.rad2deg(x.torch()))
        assert torch.allclose(math.deg2rad(math.rad2deg(x)).torch(), x.torch())
    for wrong in ("1", None, torch.rand(3)):
        with pytest.raises(TypeError):
            math.rad2deg(wrong)


def test_degrees_in_formulas():
    @formula
    def f(a: Scalar) -> Scalar:
        return math.rad2deg(a) + math.deg2rad(90.0)

    t = torch.rand(5, requires_grad=True)
    y = f(Scalar(t)).torch()
    assert torch.allclose(y, torch.rad2deg(t) + pi / 2)
    y.sum().backward()
    assert torch.allclose(t.grad, torch.full((5,), 180 / pi))


# ---- Means of rotations ----


def about(axis, angles):
    w = torch.as_tensor(angles)[..., None] * torch.as_tensor(axis) / torch.as_tensor(axis).norm()
    return math.exp_map(WR2(w))


def turns(r):
    return R2(r).torch()


def test_the_mean_of_rotations_about_one_axis_is_that_of_directions():
    axis, angles, w = torch.tensor([1.0, -2.0, 0.5]), torch.tensor([0.3, 1.1, -0.4, 2.9]), torch.tensor([1.0, 2.0, 0.5, 0.25])
    for weights, used in ((1.0, torch.ones(4)), (Scalar(w), w), (3.0, torch.ones(4))):
        expected = torch.atan2((used * angles.sin()).sum(), (used * angles.cos()).sum())
        torch.testing.assert_close(turns(math.mean_rotation(about(axis, angles), weights)), turns(about(axis, expected)))


def test_the_mean_turns_with_the_rotations_and_forgets_signs():
    r, other = Rot.rand(5, 7), Rot.rand()
    mean = math.mean_rotation(r, d=-1)
    assert mean.batch.shape == (5,) and math.mean_rotation(r).batch.shape == (7,)
    torch.testing.assert_close(turns(math.mean_rotation(other * r, d=1)), turns(other * mean))
    torch.testing.assert_close(turns(math.mean_rotation(r.shadow(), d=1)), turns(mean))
    same = r.batch[:, :1]
    torch.testing.assert_close(turns(math.mean_rotation(same, d=1)), turns(r.batch[:, 0]))
    # the smallest sum of squares of distances of matrices
    def sum_of(x):
        return (turns(x)[:, None] - turns(r)).square().sum((1, 2, 3))

    for _ in range(10):
        assert (sum_of(about(torch.randn(3), 0.01) * mean) > sum_of(mean)).all()
    zero = torch.zeros(3)
    few = torch.tensor([[0.1, 0.0, 0.1], [0.0, 0.2, 0.3]])  # other eigenvalues are equal, as they are about one axis
    for x in (0.2 * torch.rand(4, 3), few, torch.stack([zero, zero, torch.tensor([0.1, 0.3, -0.2])], -1), few[:1].repeat(3, 1)):
        x.requires_grad_()
        assert torch.autograd.gradcheck(lambda t: math.mean_rotation(Rot(t)).torch(), x)
        assert torch.autograd.gradgradcheck(lambda t: math.mean_rotation(Rot(t)).torch(), x)
    half_a_turn_apart = Rot(torch.tensor([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    assert math.mean_rotation(half_a_turn_apart).torch().isfinite().all()


def test_means_of_nothing_are_refused():
    with pytest.raises(TypeError, match="mean_rotation: the rotations are an R2. Expected a Rot"):
        math.mean_rotation(R2.identity())
    for d in (1, -2):
        with pytest.raises(IndexError, match=f"mean_rotation: there is no batch dimension {d} of 1"):
            math.mean_rotation(Rot.rand(3), d=d)
    with pytest.raises(TypeError, match="mean_rotation: the weights are a torch.Tensor. Expected a Scalar or a number"):
        math.mean_rotation(Rot.rand(3), torch.ones(3))


def test_a_matrix_is_a_rotation():
    R = R2(Rot.rand(6)).torch()
    R[1] *= -1.0  # a reflection
    R[2, 0, 1] += 1e-4
    R[3] *= 2.0
    R[4, 0, 0] = torch.nan
    expected = [True, False, False, False, False, True]
    assert math.is_rotation(R2(R)).torch().tolist() == expected and type(math.is_rotation(R2(R))) is Scalar
    assert math.is_rotation(R2(R), tolerance=1e-3).torch().tolist() == [True, False, True, False, False, True]
    found = neml2.vmap(lambda R: math.where(math.is_rotation(R), 1.0, 0.0), R2(R))
    assert found.torch().tolist() == [float(e) for e in expected]
    with pytest.raises(TypeError, match="is_rotation: the matrix is an SR2. Expected an R2"):
        math.is_rotation(SR2.identity())
    with pytest.raises(TypeError, match="is_rotation: the matrix is a Scalar. Expected an R2"):
        neml2.vmap(lambda x: math.where(math.is_rotation(x), 1.0, 0.0), Scalar.rand(2))
    single = R2(Rot.rand(100, dtype=torch.float32))
    assert math.is_rotation(single).torch().all()
    assert neml2.vmap(lambda R: math.where(math.is_rotation(R), 1.0, 0.0), single).torch().all()
