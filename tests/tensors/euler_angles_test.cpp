// SPDX-License-Identifier: MIT
#include "neml2/tensors/euler_angles.h"
#include "neml2/tensors/Rot.h"
#include "support/battery.h"
#include "support/errors.h"
#include "support/quaternion.h"
#include "support/rotation.h"

#include <cctype>
#include <cmath>

#include "support/catch.h"

namespace euler_angles_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
/// Rotations whose Euler angles are far from the ends of their ranges.
template <class T>
T
inside(const T & r)
{
  return r.defined() && r.is_floating_point()
             ? T(core::raw(r) * 0.1 + 0.3 * at::eye(2, 3, r.options()).sum(0))
             : r;
}

/// The matrix for the angles a, b, c of Kocks. (..., 3) -> (..., 3, 3)
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

/// The angles of Kocks for angles of Bunge or Roe.
at::Tensor
kocks_of(const at::Tensor & angles, const std::string & convention)
{
  const auto c = angles.unbind(-1);
  if (convention == "bunge")
    return at::stack({c[0] - M_PI / 2, c[1], M_PI / 2 - c[2]}, -1);
  return convention == "roe" ? at::stack({c[0], c[1], M_PI - c[2]}, -1) : angles;
}

/// r = n tan(θ/4) by the logarithm of a matrix with 0 < θ < π.
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

/// Every sequence of three axes: those that turn with the body, then the fixed ones.
const std::vector<std::string> sequences = []
{
  std::vector<std::string> all;
  for (const std::string axes : {"XYZ", "xyz"})
    for (const char i : axes)
      for (const char j : axes)
        for (const char k : axes)
          if (i != j && j != k)
            all.push_back({i, j, k});
  return all;
}();

/// The matrix of a turn by an angle about an axis. (...) -> (..., 3, 3)
at::Tensor
turn(const at::Tensor & angle, char axis)
{
  const int i = std::tolower(axis) - 'x', j = (i + 1) % 3, k = (i + 2) % 3;
  const auto zero = at::zeros_like(angle), one = zero + 1, c = angle.cos(), s = angle.sin();
  std::vector<at::Tensor> m(9, zero);
  m[size_t(4 * i)] = one;
  m[size_t(4 * j)] = m[size_t(4 * k)] = c;
  m[size_t(3 * j + k)] = -s;
  m[size_t(3 * k + j)] = s;
  return at::stack(m, -1).unflatten(-1, {3, 3});
}
/// The matrix of three turns: about axes that turn with the body, or about fixed axes. (..., 3) -> (..., 3, 3)
at::Tensor
sequence_matrix(const at::Tensor & angles, const std::string & axes)
{
  std::vector<at::Tensor> turns;
  for (int n = 0; n < 3; n++)
    turns.push_back(turn(angles.select(-1, n), axes[size_t(n)]));
  return axes[0] < 'a' ? at::matmul(at::matmul(turns[0], turns[1]), turns[2])
                       : at::matmul(at::matmul(turns[2], turns[1]), turns[0]);
}

/// Angles about axes of four kinds by the components of the matrix.
at::Tensor
sequence_by_matrix(const at::Tensor & r, const std::string & axes)
{
  const auto M = test::rotation_of(r);
  const auto m = [&](int i, int j) { return M.select(-2, i).select(-1, j); };
  if (axes == "ZXZ" || axes == "zxz")
  {
    const auto first = at::atan2(m(0, 2), -m(1, 2)), last = at::atan2(m(2, 0), m(2, 1)),
               middle = at::acos(m(2, 2));
    return axes[0] == 'Z' ? at::stack({first, middle, last}, -1)
                          : at::stack({last, middle, first}, -1);
  }
  if (axes == "XYZ")
    return at::stack(
        {at::atan2(-m(1, 2), m(2, 2)), at::asin(m(0, 2)), at::atan2(-m(0, 1), m(0, 0))}, -1);
  return at::stack({at::atan2(m(2, 1), m(2, 2)), -at::asin(m(2, 0)), at::atan2(m(1, 0), m(0, 0))},
                   -1);
}

const test::Table &
operations()
{
  static const test::Table all = []
  {
    test::Table o;
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
    for (const std::string axes : {"ZXZ", "zxz", "XYZ", "xyz"})
    {
      o.push_back(operation<Vec>(
          "Rot::fill_euler_angles",
          Accepts::floating,
          [=](const Vec & v) { return Rot::fill_euler_angles(obtuse(v), axes, "radians"); },
          [=](const Arguments & a) { return parameters_of(sequence_matrix(obtuse(a[0]), axes)); }));
      o.push_back(operation<Rot>(
          "Rot::to_euler_angles",
          Accepts::floating,
          [=](const Rot & r) { return inside(r).to_euler_angles(axes, "degrees"); },
          [=](const Arguments & a)
          { return sequence_by_matrix(inside(a[0]), axes) / (M_PI / 180); }));
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
const test::Battery battery([] { return test::without(test::own_rule, operations()); });

/// Angles in degrees: the first and the last over a whole turn, the middle one from 0 to 180. (n,
/// 3)
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

TEST_CASE("Conversions of Euler angles pass the battery", "[tensors][Rot][cuda]")
{
  battery.check();
}

// ---- From one direction to another -------------------------------------------------------------

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
  // Angles in these ranges come back unchanged.
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

TEST_CASE("Every sequence of axes is three turns, and gives back the rotation and its ranges",
          "[tensors][Rot]")
{
  REQUIRE(sequences.size() == 24);
  const auto within = [](const at::Tensor & x, double lo, double hi)
  { return ((x >= lo - 1e-13) & (x <= hi + 1e-13)).all().item<bool>(); };
  for (const auto & axes : sequences)
  {
    INFO(axes);
    const bool same = axes[0] == axes[2];
    // The middle angle at and near the ends of its range, too.
    const auto angles =
        (grid() - at::tensor({0.0, same ? 0.0 : 90.0, 0.0}, at::kDouble)) * (M_PI / 180);
    const auto r = Rot::fill_euler_angles(Vec(angles), axes, "radians");
    REQUIRE(at::allclose(r.euler_rodrigues(), sequence_matrix(angles, axes), 0, 1e-13));
    for (const auto & s : {r, Rot(core::raw(r) * (1 + 1e-14))})
    {
      const auto back = s.to_euler_angles(axes, "radians");
      REQUIRE(at::allclose(sequence_matrix(back, axes), r.euler_rodrigues(), 0, 1e-13));
      REQUIRE(within(back(0), -M_PI, M_PI));
      REQUIRE(within(back(1), same ? 0 : -M_PI / 2, same ? M_PI : M_PI / 2));
      REQUIRE(within(back(2), -M_PI, M_PI));
    }
    const auto end = (angles.select(-1, 1) - (same ? M_PI / 2 : 0)).abs() > M_PI / 2 - 1e-15;
    REQUIRE(end.sum().item<int64_t>() == 162);
    REQUIRE(r.to_euler_angles(axes, "radians")(2).masked_select(end).eq(0).all().item<bool>());
    const auto floats = r.to(kFloat32).to_euler_angles(axes, "degrees");
    REQUIRE(at::allclose(sequence_matrix(floats * (M_PI / 180), axes).to(kFloat32),
                         r.euler_rodrigues().to(kFloat32),
                         0,
                         5e-6));
    const auto some =
        (at::rand({100, 3}, at::kDouble) * 2 - 1) * at::tensor({3.1, 1.5, 3.1}, at::kDouble) +
        at::tensor({0.0, same ? M_PI / 2 : 0.0, 0.0}, at::kDouble);
    REQUIRE(at::allclose(
        Rot::fill_euler_angles(Vec(some), axes, "radians").to_euler_angles(axes, "radians"),
        some,
        0,
        1e-10));
    const Rot leaf(r.detach().requires_grad_());
    REQUIRE(torch::autograd::grad({leaf.to_euler_angles(axes, "radians").sum()}, {leaf})[0]
                .isfinite()
                .all()
                .item<bool>());
  }
}

TEST_CASE("Bunge's angles about Z, X and Z are the inverse rotation; roll, pitch and yaw are about "
          "x, y and z",
          "[tensors][Rot]")
{
  const Vec angles = Vec::fill(30, 50, 40);
  REQUIRE(at::allclose(Rot::fill_euler_angles(angles, "ZXZ", "degrees"),
                       Rot::fill_euler_angles(angles, "bunge", "degrees").inverse(),
                       0,
                       1e-15));
  const Rot yaw = Rot::fill_euler_angles(Vec::fill(0, 0, 90), "xyz", "degrees");
  REQUIRE(at::allclose(Vec::fill(1, 0, 0).rotate(yaw), Vec::fill(0, 1, 0), 0, 1e-15));
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
  for (const std::string axes : {"xxz", "xzz", "xyZ", "xy", "xyzx", "abc", ""})
    for (const auto & message :
         {test::error_of([&] { (void)Rot::fill_euler_angles(v, axes, "degrees"); }),
          test::error_of([&] { r.to_euler_angles(axes, "degrees"); })})
      REQUIRE(
          message.find("'" + axes + "'. Expected \"kocks\", \"bunge\" or \"roe\", or three axes") !=
          std::string::npos);
  REQUIRE(test::error_of([&] { convert_euler_angles_from_kocks(v, "xyz"); }).find("axes") ==
          std::string::npos);
  for (const auto & message :
       {test::error_of([&] { (void)Rot::fill_euler_angles(v, "roe", "deg"); }),
        test::error_of([&] { r.to_euler_angles("roe", "deg"); })})
  {
    REQUIRE(message.find("unknown type of angles 'deg'") != std::string::npos);
    REQUIRE(message.find("\"degrees\" or \"radians\"") != std::string::npos);
  }
}
} // namespace euler_angles_test
