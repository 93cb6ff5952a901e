// SPDX-License-Identifier: MIT
#include "neml2/tensors/Rot.h"
#include "support/battery.h"
#include "support/errors.h"
#include "support/quaternion.h"
#include "support/rotation.h"

#include <cmath>

#include "support/catch.h"

using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
/// Vectors with components from 1 to 3.
template <class T>
T
shifted(const T & v)
{
  return v.defined() && v.is_floating_point() ? T(core::raw(v) + 2) : v;
}

/// Rotations whose Euler angles are far from the ends of their ranges.
template <class T>
T
inside(const T & r)
{
  return r.defined() && r.is_floating_point()
             ? T(core::raw(r) * 0.1 + at::tensor({0.3, 0.3, 0.0}, r.options()))
             : r;
}

/// The matrix of the angles a, b, c of Kocks. (..., 3) -> (..., 3, 3)
at::Tensor
kocks_matrix(const at::Tensor & angles)
{
  const auto cos = angles.cos(), sin = angles.sin();
  const auto ca = cos.select(-1, 0), cb = cos.select(-1, 1), cc = cos.select(-1, 2),
             sa = sin.select(-1, 0), sb = sin.select(-1, 1), sc = sin.select(-1, 2);
  return at::stack({-sc * sa - cc * ca * cb,
                    sc * ca - cc * sa * cb,
                    cc * sb,
                    cc * sa - sc * ca * cb,
                    -cc * ca - sc * sa * cb,
                    sc * sb,
                    ca * sb,
                    sa * sb,
                    cb},
                   -1)
      .unflatten(-1, {3, 3});
}

/// The angles of Kocks of Bunge's or Roe's.
at::Tensor
kocks_of(const at::Tensor & angles, const std::string & convention)
{
  const auto c = angles.unbind(-1);
  if (convention == "bunge")
    return at::stack({c[0] - M_PI / 2, c[1], M_PI / 2 - c[2]}, -1);
  return convention == "roe" ? at::stack({c[0], c[1], M_PI - c[2]}, -1) : angles;
}

/// r = n tan(θ/4) by the logarithm of a matrix of 0 < θ < π.
at::Tensor
parameters_of(const at::Tensor & R)
{
  const auto axial = -0.5 * at::einsum("ijk,...jk->...i", {test::permutation(), R}); // n sin θ
  const auto sine = at::sqrt((axial * axial).sum(-1, true));
  const auto cosine = (at::einsum("...ii->...", {R}).unsqueeze(-1) - 1) / 2;
  return axial / sine * at::tan(at::atan2(sine, cosine) / 4);
}

/// Angles of Kocks by the components of the matrix.
at::Tensor
kocks_by_matrix(const at::Tensor & r)
{
  const auto M = test::rotation_of(r);
  const auto m = [&](int i, int j) { return M.select(-2, i).select(-1, j); };
  return at::stack({M_PI / 2 - at::atan2(m(2, 0), m(2, 1)),
                    at::acos(m(2, 2)),
                    M_PI / 2 - at::atan2(m(0, 2), m(1, 2))},
                   -1);
}

/// Angles from 1 to 2 radians.
template <class T>
T
obtuse(const T & angles)
{
  return angles.defined() && angles.is_floating_point() ? T(core::raw(angles) * 0.5 + 1.5) : angles;
}

const std::vector<std::string> conventions{"kocks", "bunge", "roe"};

const test::Table &
operations()
{
  static const test::Table all = []
  {
    test::Table o;
    const auto turn = [](const Arguments & a)
    {
      const auto n = shifted(a[0]) / at::sqrt((shifted(a[0]) * shifted(a[0])).sum(-1, true));
      return n * at::tan(a[1] / 4).unsqueeze(-1);
    };
    o.push_back(operation<Vec, Scalar>(
        "Rot::axis_angle",
        Accepts::floating,
        [](const Vec & n, const Scalar & theta) { return Rot::from_axis_angle(shifted(n), theta); },
        turn));
    o.push_back(operation<Vec, Scalar>(
        "Rot::axis_angle_standard",
        Accepts::floating,
        [](const Vec & n, const Scalar & theta)
        { return Rot::from_axis_angle_standard(shifted(n), theta); },
        turn));
    o.push_back(operation<Vec, Vec>(
        "Rot::rotation_from_to",
        Accepts::floating,
        [](const Vec & a, const Vec & b) { return Rot::rotation_from_to(shifted(a), shifted(b)); },
        [](const Arguments & a)
        {
          const auto u = shifted(a[0]), v = shifted(a[1]);
          const auto n = at::einsum("ijk,...j,...k->...i", {test::permutation(), u, v});
          const auto dot = [](const at::Tensor & x, const at::Tensor & y)
          { return (x * y).sum(-1, true); };
          // of the quaternion (|u| |v| + u · v, u × v), made a unit one
          const auto real = at::sqrt(dot(u, u) * dot(v, v)) + dot(u, v);
          return n / (at::sqrt(real * real + dot(n, n)) + real);
        }));
    o.push_back(operation<Rot>(
        "Rot::axis",
        Accepts::floating,
        [](const Rot & r) { return r.axis(); },
        [](const Arguments & a) { return a[0] / at::sqrt((a[0] * a[0]).sum(-1, true)); }));
    o.push_back(operation<Rot>(
        "Rot::angle",
        Accepts::floating,
        [](const Rot & r) { return r.angle(); },
        [](const Arguments & a) { return 4 * at::atan(at::sqrt((a[0] * a[0]).sum(-1))); }));
    for (const auto & convention : conventions)
      for (const bool degrees : {false, true})
      {
        const double unit = degrees ? M_PI / 180 : 1;
        const std::string type = degrees ? "degrees" : "radians";
        o.push_back(operation<Vec>(
            "Rot::fill_euler_angles",
            Accepts::floating,
            [=](const Vec & v)
            {
              Vec angles = obtuse(v);
              if (angles.defined() && angles.is_floating_point())
                angles = core::raw(angles) / unit;
              return Rot::fill_euler_angles(angles, convention, type);
            },
            [=](const Arguments & a)
            { return parameters_of(kocks_matrix(kocks_of(obtuse(a[0]), convention))); }));
        o.push_back(operation<Rot>(
            "Rot::to_euler_angles",
            Accepts::floating,
            [=](const Rot & r) { return inside(r).to_euler_angles(convention, type); },
            [=](const Arguments & a)
            {
              const auto kocks = kocks_by_matrix(inside(a[0])).unbind(-1);
              if (convention == "bunge")
                return at::stack({kocks[0] + M_PI / 2, kocks[1], M_PI / 2 - kocks[2]}, -1) / unit;
              return at::stack(
                         {kocks[0], kocks[1], convention == "roe" ? M_PI - kocks[2] : kocks[2]},
                         -1) /
                     unit;
            }));
      }
    o.push_back(operation<Vec>(
        "convert_euler_angles_from_kocks",
        Accepts::floating,
        [](const Vec & v) { return convert_euler_angles_from_kocks(v, "bunge"); },
        [](const Arguments & a)
        {
          const auto k = a[0].unbind(-1);
          return at::stack({k[0] + M_PI / 2, k[1], M_PI / 2 - k[2]}, -1);
        }));
    return o;
  }();
  return all;
}
const test::Battery battery([] { return test::without(test::fused_path, operations()); });

/// Angles in degrees: the outer ones of whole turns, the middle one from 0 to 180. (n, 3)
at::Tensor
grid()
{
  const auto outer = at::arange(-180, 181, 45, at::kDouble);
  const auto middle = at::tensor(
      {0.0, 1e-12, 1e-6, 0.01, 30.0, 90.0, 135.0, 179.99, 180 - 1e-6, 180.0}, at::kDouble);
  const auto all = at::meshgrid({outer, middle, outer}, "ij");
  return at::stack({all[0].flatten(), all[1].flatten(), all[2].flatten()}, -1);
}

const at::Tensor zeros = at::zeros({3}, at::kDouble);
} // namespace

TEST_CASE("Conversions of rotations pass the battery", "[tensors][Rot][cuda]")
{
  battery.check();
}

// ---- Axis and angle ----------------------------------------------------------------------------

TEST_CASE("Axis and angle of a rotation are those it was made of", "[tensors][Rot]")
{
  const Vec n(at::tensor({0.6, 0.0, -0.8}, at::kDouble));
  const auto theta = Scalar::create({1e-300, 1e-9, 0.5, 3.0, 3.5, 6.2});
  const auto r = Rot::axis_angle(n, theta);
  REQUIRE(at::allclose(r.axis(), core::raw(n).expand({6, 3}), 0, 1e-15));
  REQUIRE(at::allclose(r.angle(), theta, 1e-14, 0));
  REQUIRE(at::allclose(Rot::axis_angle(r.axis(), r.angle()), r, 1e-13, 0));
  REQUIRE(at::allclose(Rot(-core::raw(r)).angle(), theta, 1e-14, 0));
  const Rot floats = r.to(kFloat32);
  REQUIRE(at::allclose(floats.angle().slice(0, 1), theta.to(kFloat32).slice(0, 1), 1e-6, 0));
}

TEST_CASE("No rotation has the angle 0 about the last axis, with finite derivatives",
          "[tensors][Rot][autograd]")
{
  const Rot none(at::zeros({2, 3}, at::kDouble).requires_grad_());
  REQUIRE(at::equal(none.angle(), at::zeros({2}, at::kDouble)));
  REQUIRE(at::equal(none.axis(), at::tensor({0.0, 0.0, 1.0}, at::kDouble).expand({2, 3})));
  const auto g = torch::autograd::grad(
      {none.angle().sum() + none.axis().sum()}, {none}, {}, true, /*create_graph=*/true)[0];
  REQUIRE(at::equal(g, at::zeros({2, 3}, at::kDouble)));
  REQUIRE(torch::autograd::grad({g.pow(2).sum()}, {none})[0].isfinite().all().item<bool>());
}

TEST_CASE("Standard axis and angle give the same rotation, of an angle up to π", "[tensors][Rot]")
{
  const auto theta = Scalar(at::arange(-20, 21, at::kDouble) * 0.7);
  const Vec n = Vec::fill(1, -2, 2);
  const auto r = Rot::axis_angle(n, theta), s = Rot::axis_angle_standard(n, theta);
  REQUIRE(at::allclose(s.euler_rodrigues(), r.euler_rodrigues(), 0, 1e-13));
  REQUIRE((s.norm() <= 1).all().item<bool>());
  const auto half = Scalar::create({-3.0, -1.0, 0.0, 2.0, 3.1});
  REQUIRE(at::allclose(Rot::axis_angle_standard(n, half), Rot::axis_angle(n, half), 1e-15, 0));
  // n tan(θ/2) and its parameters n tan(θ/4), where the former is finite
  const auto rho = core::raw(n) / 3 * at::tan(core::raw(half) / 2).unsqueeze(-1);
  REQUIRE(at::allclose(Rot::fill_rodrigues(Scalar(rho.select(-1, 0)),
                                           Scalar(rho.select(-1, 1)),
                                           Scalar(rho.select(-1, 2))),
                       Rot::axis_angle_standard(n, half)));
}

// ---- From one direction to another -------------------------------------------------------------

TEST_CASE("The rotation from one direction to another takes it there", "[tensors][Rot]")
{
  for (const auto dtype : {kFloat64, kFloat32})
  {
    const double tolerance = dtype == kFloat64 ? 1e-14 : 1e-6;
    const Vec a(at::randn({100, 3}, dtype)), b(at::randn({100, 3}, dtype));
    const auto r = Rot::rotation_from_to(a, b);
    REQUIRE(at::allclose(unit(a).rotate(r), unit(b), 0, 10 * tolerance));
    REQUIRE((r.norm() <= 1 + tolerance).all().item<bool>());
    REQUIRE(at::allclose(r.dot(a), at::zeros({100}, dtype), 0, 10 * tolerance));
    REQUIRE(at::allclose(Rot::rotation_from_to(a, a), at::zeros({100, 3}, dtype), 0, tolerance));
  }
}

TEST_CASE("The rotation between opposite directions is a half turn about an orthogonal axis",
          "[tensors][Rot][autograd]")
{
  const auto axes = at::cat({at::eye(3, at::kDouble),
                             -at::eye(3, at::kDouble),
                             at::ones({1, 3}, at::kDouble),
                             at::randn({50, 3}, at::kDouble)});
  for (const double off : {0.0, 1e-17, 1e-15, 1e-13, 1e-9, 1e-5})
    for (const auto dtype : {kFloat64, kFloat32})
    {
      const Vec a(axes.to(dtype).detach().requires_grad_()),
          b((-axes + off * at::randn({57, 3}, at::kDouble)).to(dtype).requires_grad_());
      const auto r = Rot::rotation_from_to(a, b);
      const double tolerance = dtype == kFloat64 ? 1e-13 : 1e-5;
      REQUIRE(at::allclose(unit(a).rotate(r), unit(b), 0, tolerance));
      REQUIRE(at::allclose(r.norm(), at::ones({57}, dtype), 0, tolerance + 2 * off * 100));
      for (const auto & g : torch::autograd::grad({r.sum()}, {a, b}))
        REQUIRE(g.isfinite().all().item<bool>());
    }
}

TEST_CASE("There is no rotation from or to a vector of no direction", "[tensors][Rot]")
{
  REQUIRE(Rot::rotation_from_to(Vec(zeros), Vec::fill(1, 0, 0)).isnan().any().item<bool>());
  REQUIRE(Rot::axis_angle(Vec(zeros), Scalar(1.0, kFloat64)).isnan().all().item<bool>());
}

// ---- Euler angles ------------------------------------------------------------------------------

TEST_CASE("Euler angles of Bunge have the check values of the reference", "[tensors][Rot]")
{
  const Vec angles = Vec::fill(30, 50, 40);
  const auto r = Rot::fill_euler_angles(angles, "bunge", "degrees");
  REQUIRE(at::allclose(r, Vec::fill(-0.241626, 0.02113954, -0.2983446), 0, 5.1e-9));
  REQUIRE(at::allclose(r.euler_rodrigues().flatten(),
                       at::tensor({0.45682599,
                                   0.74084306,
                                   0.49240388,
                                   -0.80287234,
                                   0.10504046,
                                   0.58682409,
                                   0.38302222,
                                   -0.66341395,
                                   0.64278761},
                                  at::kDouble),
                       0,
                       5.1e-9));
  REQUIRE(at::equal(angles, Vec::fill(30, 50, 40)));
  REQUIRE(at::allclose(r.to_euler_angles("bunge", "degrees"), angles, 1e-14, 0));
}

TEST_CASE("The matrix of Euler angles is that of their convention, for any angles",
          "[tensors][Rot]")
{
  const auto angles = at::rand({200, 3}, at::kDouble) * 20 - 10; // Φ is not taken modulo π
  for (const auto & convention : conventions)
  {
    const auto copy = angles.clone();
    const auto r = Rot::fill_euler_angles(Vec(copy), convention, "radians");
    REQUIRE(
        at::allclose(r.euler_rodrigues(), kocks_matrix(kocks_of(angles, convention)), 0, 1e-13));
    REQUIRE((r.norm() <= 1 + 1e-15).all().item<bool>());
    REQUIRE(at::equal(copy, angles));
  }
}

TEST_CASE("Euler angles of Bunge turn components about Z, X and Z", "[tensors][Rot]")
{
  const auto passive = [](int axis, double angle)
  {
    Vec n(at::zeros({3}, at::kDouble));
    n.index_put_({axis}, -1.0);
    return Rot::axis_angle(n, Scalar(angle, kFloat64)).euler_rodrigues();
  };
  for (const double phi : {0.5, 2.5, 4.0, -1.0})
  {
    const auto R = Rot::fill_euler_angles(Vec::fill(0.3, phi, -1.2), "bunge", "radians");
    REQUIRE(at::allclose(
        R.euler_rodrigues(), passive(2, -1.2) * passive(0, phi) * passive(2, 0.3), 0, 1e-14));
  }
}

TEST_CASE("Euler angles of a rotation give it back, also where two of them coincide",
          "[tensors][Rot]")
{
  const Vec angles(grid());
  for (const auto & convention : conventions)
    for (const std::string type : {"degrees", "radians"})
    {
      const auto r = Rot::fill_euler_angles(angles, convention, "degrees");
      for (const auto & s : {r, Rot(core::raw(r) * (1 + 1e-14)), r.shadow()})
      {
        if (!s.isfinite().all().item<bool>())
          continue; // the identity has no shadow
        const auto back = s.to_euler_angles(convention, type);
        REQUIRE(at::allclose(Rot::fill_euler_angles(back, convention, type).euler_rodrigues(),
                             r.euler_rodrigues(),
                             0,
                             1e-13));
      }
      const Rot floats = r.to(kFloat32);
      const auto back = floats.to_euler_angles(convention, type);
      REQUIRE(at::allclose(Rot::fill_euler_angles(back, convention, type).euler_rodrigues(),
                           r.euler_rodrigues().to(kFloat32),
                           0,
                           5e-6));
    }
}

TEST_CASE("Euler angles have their documented ranges", "[tensors][Rot]")
{
  const auto r = Rot::fill_euler_angles(Vec(grid()), "bunge", "degrees");
  const auto kocks = r.to_euler_angles("kocks", "radians"),
             bunge = r.to_euler_angles("bunge", "radians");
  const auto within = [](const at::Tensor & x, double lo, double hi)
  { return ((x >= lo - 1e-14) & (x <= hi + 1e-14)).all().item<bool>(); };
  REQUIRE(within(kocks(1), 0, M_PI));
  const auto determined = (kocks(1) > 1e-13) & (kocks(1) < M_PI - 1e-13);
  REQUIRE(within(kocks(0).masked_select(determined), -M_PI / 2, 1.5 * M_PI));
  REQUIRE(within(kocks(2).masked_select(determined), -M_PI / 2, 1.5 * M_PI));
  REQUIRE(within(bunge(0).masked_select(determined), 0, 2 * M_PI));
  REQUIRE(within(bunge(2).masked_select(determined), -M_PI, M_PI));
  // Angles in these ranges are given back themselves
  const Vec some(at::rand({100, 3}, at::kDouble) * at::tensor({6.2, 3.1, 6.2}, at::kDouble) +
                 at::tensor({0.01, 0.01, -3.1}, at::kDouble));
  const auto back =
      Rot::fill_euler_angles(some, "bunge", "radians").to_euler_angles("bunge", "radians");
  REQUIRE(at::allclose(back, some, 0, 1e-11));
}

TEST_CASE("Where two Euler angles coincide, c is -a or 0", "[tensors][Rot]")
{
  const auto of = [](double a, double b, double c)
  {
    return Rot::fill_euler_angles(Vec::fill(a, b, c), "kocks", "radians")
        .to_euler_angles("kocks", "radians");
  };
  REQUIRE(at::allclose(of(-0.2, 0, 0.8), Vec::fill(-0.5, 0, 0.5), 0, 1e-15));
  REQUIRE(at::allclose(of(0.2, 0, -0.8), Vec::fill(0.5 - M_PI, 0, M_PI - 0.5), 0, 1e-15));
  REQUIRE(at::allclose(of(-0.2, M_PI, 0.8), Vec::fill(0.6, M_PI, 0), 0, 1e-15));
  REQUIRE(at::allclose(of(-0.2, M_PI, -0.8), Vec::fill(-1, M_PI, 0), 0, 1e-15));
  // No rotation: (π/2, 0, π/2) turned by -π
  REQUIRE(at::allclose(Rot::identity().to_euler_angles("bunge", "degrees"), zeros, 0, 1e-14));
}

TEST_CASE("Derivatives of Euler angles are finite where two of them coincide",
          "[tensors][Rot][autograd]")
{
  const Rot r(Rot::fill_euler_angles(Vec(grid()), "kocks", "degrees").detach().requires_grad_());
  const auto g = torch::autograd::grad({r.to_euler_angles("roe", "radians").sum()}, {r})[0];
  REQUIRE(g.isfinite().all().item<bool>());
  const Vec angles(grid().requires_grad_());
  const auto h = torch::autograd::grad({Rot::fill_euler_angles(angles, "kocks", "degrees").sum()},
                                       {angles})[0];
  REQUIRE(h.isfinite().all().item<bool>());
}

TEST_CASE("Angles of Kocks are converted to the other conventions", "[tensors][Rot]")
{
  const Vec kocks(at::rand({20, 3}, at::kDouble) * 3);
  for (const auto & convention : conventions)
  {
    const auto angles = convert_euler_angles_from_kocks(kocks, convention);
    REQUIRE(at::allclose(Rot::fill_euler_angles(angles, convention, "radians").euler_rodrigues(),
                         kocks_matrix(kocks),
                         0,
                         1e-14));
  }
  const Vec turned = convert_euler_angles_from_kocks(Vec::fill(6, 1, -6), "bunge");
  REQUIRE(at::allclose(turned, Vec::fill(6 - 1.5 * M_PI, 1, 6 - 1.5 * M_PI), 0, 1e-14));
}

TEST_CASE("Unknown conventions and types of Euler angles are refused", "[tensors][Rot][errors]")
{
  const Vec v(zeros);
  const Rot r = Rot::identity();
  for (const auto & message :
       {test::error_of([&] { (void)Rot::fill_euler_angles(v, "Bunge", "degrees"); }),
        test::error_of([&] { r.to_euler_angles("Bunge", "degrees"); }),
        test::error_of([&] { convert_euler_angles_from_kocks(v, "Bunge"); })})
  {
    REQUIRE(message.find("unknown convention of Euler angles 'Bunge'") != std::string::npos);
    REQUIRE(message.find("\"kocks\", \"bunge\" or \"roe\"") != std::string::npos);
  }
  for (const auto & message :
       {test::error_of([&] { (void)Rot::fill_euler_angles(v, "roe", "deg"); }),
        test::error_of([&] { r.to_euler_angles("roe", "deg"); })})
  {
    REQUIRE(message.find("unknown type of angles 'deg'") != std::string::npos);
    REQUIRE(message.find("\"degrees\" or \"radians\"") != std::string::npos);
  }
}

// ---- Random rotations --------------------------------------------------------------------------

TEST_CASE("Random rotations have the shape and the options asked for", "[tensors][Rot]")
{
  REQUIRE(Rot::fill_random(5).sizes() == TensorShape{5, 3});
  REQUIRE(Rot::fill_random(0u).sizes() == TensorShape{0, 3});
  REQUIRE(Rot::fill_random(5, 1).scalar_type() == kFloat64);
  REQUIRE(Rot::fill_random(5, 1, kFloat32).scalar_type() == kFloat32);
  REQUIRE(Rot::fill_random(5, -1, TensorOptions(kFloat32).requires_grad(true)).is_leaf());
  REQUIRE(Rot::rand().sizes() == TensorShape{3});
  REQUIRE(Rot::rand(kFloat32).scalar_type() == kFloat32);
  REQUIRE(Rot::rand({4, 2}, {}).sizes() == TensorShape{4, 2, 3});
  REQUIRE(Rot::rand({4}, {}, kFloat32).sizes() == TensorShape{4, 3});
  REQUIRE(test::error_of([] { (void)Rot::rand({4}, {2}); }) ==
          "Rot::rand: the intermediate shape [2] was asked for, and no intermediate dimensions are "
          "supported. Append it to the dynamic shape.");
  REQUIRE_THROWS_AS((void)Rot::fill_random(-1), NEMLException);
  REQUIRE_THROWS_AS((void)Rot::fill_random(2, 1, kInt64), NEMLException);
}

TEST_CASE("Random rotations of a seed are the same and touch no other random numbers",
          "[tensors][Rot]")
{
  REQUIRE(at::equal(Rot::fill_random(7, 3), Rot::fill_random(7, 3)));
  REQUIRE(!at::equal(Rot::fill_random(7, 3), Rot::fill_random(7, 4)));
  REQUIRE(at::allclose(Rot::fill_random(7, 3, kFloat32), Rot::fill_random(7, 3).to(kFloat32)));
  at::manual_seed(11);
  const auto expected = at::rand({4});
  at::manual_seed(11);
  REQUIRE(Rot::fill_random(100, 5).defined());
  REQUIRE(at::equal(at::rand({4}), expected));
  // Without one they are those of LibTorch's generator
  at::manual_seed(11);
  const auto first = Rot::fill_random(3);
  REQUIRE(!at::equal(Rot::fill_random(3), first));
  at::manual_seed(11);
  REQUIRE(at::equal(Rot::fill_random(3), first));
}

TEST_CASE("Random rotations are uniformly distributed", "[tensors][Rot]")
{
  constexpr Size n = 100000;
  const auto r = Rot::fill_random(n, 0);
  REQUIRE((r.norm() <= 1).all().item<bool>());
  // The measure of the angles up to θ is (θ - sin θ) / π
  const auto theta = std::get<0>(core::raw(r.angle()).sort());
  const auto rank = at::arange(n, at::kDouble) / n;
  REQUIRE(((theta - theta.sin()) / M_PI - rank).abs().max().item<double>() < 0.006);
  // The axes have no direction; R_ij has the mean 0, R_ij R_kl the mean δ_ik δ_jl / 3
  REQUIRE(r.axis().mean(0).abs().max().item<double>() < 0.01);
  const auto R = r.euler_rodrigues().flatten(-2);
  REQUIRE(R.mean(0).abs().max().item<double>() < 0.01);
  const auto moments = at::matmul(R.t(), R) / n - at::eye(9, at::kDouble) / 3;
  REQUIRE(moments.abs().max().item<double>() < 0.01);
}
