// SPDX-License-Identifier: MIT
#include "neml2/tensors/crystallography.h"
#include "support/battery.h"
#include "support/errors.h"
#include "support/rotation.h"

#include <map>

#include "support/catch.h"

namespace crystallography_test
{
using namespace neml2;
using namespace neml2::crystallography;
using Catch::Matchers::ContainsSubstring;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::error_of;
using test::operation;

namespace
{
/// The order of each class.
const std::map<std::string, Size> orders{{"1", 1},
                                         {"2", 2},
                                         {"222", 4},
                                         {"3", 3},
                                         {"32", 6},
                                         {"4", 4},
                                         {"42", 8},
                                         {"6", 6},
                                         {"622", 12},
                                         {"23", 12},
                                         {"432", 24}};

/// Quaternions from words of four letters, each with or without a minus: o 1, z 0, h 1/2, a 1/√2, b √3/2.
Quaternion
of_letters(const std::string & words)
{
  const std::map<char, double> values{
      {'o', 1}, {'z', 0}, {'h', 0.5}, {'a', std::sqrt(0.5)}, {'b', std::sqrt(0.75)}};
  std::vector<double> numbers;
  double sign = 1;
  for (const char c : words)
    if (c == '-')
      sign = -1;
    else if (c != ' ')
    {
      numbers.push_back(sign * values.at(c));
      sign = 1;
    }
  return Quaternion(at::tensor(numbers, at::kDouble).reshape({-1, 4}));
}

/// For each matrix of a, whether it is one of b.
at::Tensor
among(const at::Tensor & a, const at::Tensor & b)
{
  const auto d = (a.reshape({-1, 1, 9}) - b.reshape({1, -1, 9})).abs().amax(-1);
  return (d < 1e-12).any(-1);
}

/// min over S of the angle θ of R = R(r)ᵀ S R(q), accurate near 0: 1 + tr R = 4 cos²(θ/2),
/// ‖R - I‖² = 8 sin²(θ/2)
at::Tensor
smallest_angle(const at::Tensor & r, const at::Tensor & q, const std::string & orbifold)
{
  const auto R = at::einsum("...ki,nkl,...lj->...nij",
                            {test::rotation_of(r), symmetry(orbifold), test::rotation_of(q)});
  // sine and cosine are never small together, so that the angle is accurate also near 0 and π
  const auto sine = ((R - R.transpose(-2, -1)).square().sum({-2, -1}) / 8).clamp_min(1e-300).sqrt(),
             cosine = (at::einsum("...ii->...", {R}) - 1) / 2;
  return at::atan2(sine, cosine).amin(-1);
}

/// All S R(q) R(r)ᵀ Pᵀ, (..., n, 3, 3), P in the first class and S in the second.
at::Tensor
all_between(const at::Tensor & r,
            const at::Tensor & q,
            const std::string & of_r,
            const std::string & of_q)
{
  return at::einsum("sij,...jk,...lk,pml->...psim",
                    {symmetry(of_q), test::rotation_of(q), test::rotation_of(r), symmetry(of_r)})
      .flatten(-4, -3);
}

/// The same for two phases.
at::Tensor
smallest_angle(const at::Tensor & r,
               const at::Tensor & q,
               const std::string & of_r,
               const std::string & of_q)
{
  const auto R = all_between(r, q, of_r, of_q);
  const auto sine = ((R - R.transpose(-2, -1)).square().sum({-2, -1}) / 8).clamp_min(1e-300).sqrt(),
             cosine = (at::einsum("...ii->...", {R}) - 1) / 2;
  return at::atan2(sine, cosine).amin(-1);
}

/// The rotation of largest trace, as modified Rodrigues parameters.
at::Tensor
smallest_rotation(const at::Tensor & r,
                  const at::Tensor & q,
                  const std::string & of_r,
                  const std::string & of_q)
{
  const auto R = all_between(r, q, of_r, of_q);
  const auto best = at::einsum("...ii->...", {R}).argmax(-1, true).unsqueeze(-1).unsqueeze(-1);
  return at::Tensor(Rot::fill_matrix(R2(R.take_along_dim(best, -3).squeeze(-3))));
}

test::Table
operations()
{
  test::Table all;
  for (const std::string orbifold : {"1", "432", "622"})
  {
    all.push_back(operation<Rot, Rot>(
                      "misorientation",
                      Accepts::floating,
                      [=](const Rot & r, const Rot & q) { return misorientation(r, q, orbifold); },
                      [=](const Arguments & a) { return smallest_angle(a[0], a[1], orbifold); })
                      // second derivatives have no bound near 0, and symmetry makes angles small
                      .without(orbifold == "1"
                                   ? test::own_rule
                                   : test::Checks{Check::rule, Check::second_derivative}));
    all.push_back(
        operation<Rot, Rot>(
            "misorientation",
            Accepts::floating,
            [=](const Rot & r, const Rot & q) { return misorientation(r, q, "222", orbifold); },
            [=](const Arguments & a) { return smallest_angle(a[0], a[1], "222", orbifold); })
            .without(test::Checks{Check::rule, Check::second_derivative}));
    all.push_back(
        operation<Rot, Rot>(
            "disorientation",
            Accepts::floating,
            [=](const Rot & r, const Rot & q) { return disorientation(r, q, "222", orbifold); },
            [=](const Arguments & a) { return smallest_rotation(a[0], a[1], "222", orbifold); })
            .without(test::own_rule));
    all.push_back(
        operation<Rot, Rot>(
            "move_to_fundamental_zone",
            Accepts::floating,
            [=](const Rot & r, const Rot & reference)
            { return move_to_fundamental_zone(r, orbifold, reference); },
            [=](const Arguments & a)
            {
              const auto S = symmetry(orbifold);
              const auto R = at::einsum("nij,...jk->...nik", {S, test::rotation_of(a[0])});
              const auto trace = at::einsum("...nij,...ij->...n", {R, test::rotation_of(a[1])});
              const auto best = trace.argmax(-1, true).unsqueeze(-1).unsqueeze(-1);
              return at::Tensor(Rot::fill_matrix(R2(R.take_along_dim(best, -3).squeeze(-3))));
            })
            .without(test::own_rule));
  }
  return all;
}
const test::Battery battery(operations);

bool
close(const at::Tensor & a, const at::Tensor & b, double tolerance)
{
  return at::allclose(a, b, 0, tolerance);
}

Rot
random_rotations(Size n)
{
  return unit(Quaternion(at::randn({n, 4}, at::kDouble))).to_rot();
}
} // namespace

TEST_CASE("Symmetry operations of each class are a group of rotations of the right order",
          "[tensors][crystallography]")
{
  for (const auto & [orbifold, order] : orders)
  {
    const auto S = symmetry(orbifold);
    REQUIRE(S.batch_sizes() == TensorShape{order});
    REQUIRE(at::equal(S.select(0, 0), R2::identity()));
    REQUIRE(close(S * S.transpose(), R2::identity().expand_as(S), 1e-15));
    REQUIRE(close(S.det(), at::ones({order}, at::kDouble), 1e-15));
    const R2 products = R2(S.unsqueeze(0)) * R2(S.unsqueeze(1));
    REQUIRE(among(products, S).all().item<bool>());      // closed
    REQUIRE(among(S.transpose(), S).all().item<bool>()); // inverses
    REQUIRE(among(S, S).sum().item<int64_t>() == order);
    const auto d = (S.reshape({-1, 1, 9}) - S.reshape({1, -1, 9})).abs().amax(-1);
    REQUIRE((d < 1e-3).sum().item<int64_t>() == order); // no two are the same
    REQUIRE(at::equal(S, symmetry(orbifold)));
    REQUIRE(close(S, symmetry_quaternions(orbifold).rotation_matrix(), 1e-15));
  }
}

TEST_CASE("Classes are subgroups of one another", "[tensors][crystallography]")
{
  const auto within = [](const char * a, const char * b)
  { return among(symmetry(a), symmetry(b)).all().item<bool>(); };
  for (const auto * a : {"1", "2", "222", "4", "42", "23"})
    REQUIRE(within(a, "432"));
  for (const auto * a : {"1", "2", "222", "3", "32", "6"})
    REQUIRE(within(a, "622"));
  for (const auto * a : {"1", "2", "222", "4"})
    REQUIRE(within(a, "42"));
  REQUIRE(within("3", "6"));
  REQUIRE(within("3", "32"));
  REQUIRE_FALSE(within("6", "432"));
}

TEST_CASE("The operators come in the order of the tables", "[tensors][crystallography]")
{
  using namespace crystal_symmetry_operators;
  REQUIRE(at::allclose(tetragonal(), of_letters("ozzz zzoz zozz zzzo azz-a azza zaaz z-aaz")));
  REQUIRE(at::allclose(hexagonal(),
                       of_letters("ozzz -hzzb hzzb bzz-h zzzo bzzh z-hbz zozz zhbz zbhz zzoz "
                                  "zb-hz")));
  REQUIRE(at::allclose(cubic(),
                       of_letters("ozzz hhhh -hhhh h-hhh hh-hh -h-h-hh h-h-hh -h-hhh -hh-hh zzoz "
                                  "zzzo zozz z-aza zaza azaz az-az zz-aa aazz a-azz zzaa z-aaz "
                                  "azz-a zaaz azza")));
}

TEST_CASE("The largest classes are those of cube, square and hexagonal prism",
          "[tensors][crystallography]")
{
  using namespace crystal_symmetry_operators;
  REQUIRE(cubic().batch_sizes() == TensorShape{24});
  REQUIRE(hexagonal().batch_sizes() == TensorShape{12});
  REQUIRE(tetragonal().batch_sizes() == TensorShape{8});
  REQUIRE(hexagonal(kFloat32).scalar_type() == kFloat32);
  // The rotations of the cube are exactly the signed permutations of determinant 1.
  const auto S = symmetry("432");
  REQUIRE(at::equal(S.abs().sum(-1), at::ones({24, 3}, at::kDouble)));
  REQUIRE(at::equal(S, S.round()));
  // Turns about z by multiples of 60° are in 6, by 90° in 4, by 120° in 3
  const auto about_z = [](int n)
  {
    const Scalar angles(at::arange(n, at::kDouble) * (2 * pi / n));
    return Quaternion::axis_angle(Vec::fill(0, 0, 1), angles).rotation_matrix();
  };
  REQUIRE(among(about_z(6), symmetry("6")).all().item<bool>());
  REQUIRE(among(about_z(4), symmetry("4")).all().item<bool>());
  REQUIRE(among(about_z(3), symmetry("3")).all().item<bool>());
  const auto half_turn = [](double x, double y, double zz)
  { return Quaternion::axis_angle(Vec::fill(x, y, zz), Scalar(pi, kFloat64)).rotation_matrix(); };
  REQUIRE(among(half_turn(1, 0, 0), symmetry("622")).all().item<bool>());
  REQUIRE(among(half_turn(0, 1, 0), symmetry("32")).all().item<bool>());
  REQUIRE(among(half_turn(0, 1, 0), symmetry("2")).all().item<bool>());
  REQUIRE(symmetry("622", kFloat32).scalar_type() == kFloat32);
}

TEST_CASE("An unknown class is refused with the known ones", "[tensors][crystallography][errors]")
{
  const auto message = error_of([] { (void)symmetry("m-5"); });
  REQUIRE_THAT(message, ContainsSubstring("Unknown crystal class \"m-5\""));
  for (const auto & known : orders)
    REQUIRE_THAT(message, ContainsSubstring(known.first));
  REQUIRE_THAT(message, ContainsSubstring("432 (-43m m-3m m3m 43)"));
  for (const char * wrong : {"", " ", "-43m m-3m", "M-3M", "-31m", "cubic"})
    REQUIRE_THROWS_AS(rotation_group(wrong), NEMLException);
  REQUIRE_THROWS_AS(misorientation(Rot::identity(), Rot::identity(), ""), NEMLException);
  REQUIRE_THROWS_AS(move_to_fundamental_zone(Rot::identity(), "433"), NEMLException);
}

TEST_CASE("The names of the 32 point groups are classes, each with the rotations of its Laue group",
          "[tensors][crystallography]")
{
  // Hahn (2005), International Tables for Crystallography A: the point groups by their Laue group
  const std::map<std::string, std::vector<std::string>> laue{
      {"1", {"1", "-1"}},
      {"2", {"2", "m", "2/m"}},
      {"222", {"222", "mm2", "mmm"}},
      {"4", {"4", "-4", "4/m"}},
      {"42", {"422", "4mm", "-42m", "4/mmm"}},
      {"3", {"3", "-3"}},
      {"32", {"32", "3m", "-3m"}},
      {"6", {"6", "-6", "6/m"}},
      {"622", {"622", "6mm", "-6m2", "6/mmm"}},
      {"23", {"23", "m-3"}},
      {"432", {"432", "-43m", "m-3m"}}};
  std::size_t count = 0;
  for (const auto & [rotations, groups] : laue)
    for (const auto & group : groups)
    {
      count++;
      INFO(group);
      REQUIRE(rotation_group(group) == rotations);
      REQUIRE(at::equal(symmetry(group), symmetry(rotations)));
      REQUIRE(at::equal(symmetry_quaternions(group), symmetry_quaternions(rotations)));
    }
  REQUIRE(count == 32);
  REQUIRE(rotation_group("m -3 m") == "432");
  REQUIRE(rotation_group("43") == "432");
  REQUIRE(rotation_group("62") == "622");
  REQUIRE(rotation_group("22") == "222");
  for (const auto & known : orders)
    REQUIRE(rotation_group(known.first) == known.first);
  const auto r = random_rotations(5), q = random_rotations(5);
  REQUIRE(at::equal(misorientation(r, q, "m-3m"), misorientation(r, q, "432")));
  REQUIRE(at::equal(move_to_fundamental_zone(r, "6/mmm"), move_to_fundamental_zone(r, "622")));
}

TEST_CASE("Symmetry operations are leaves of a floating dtype", "[tensors][crystallography]")
{
  const auto options = default_tensor_options().requires_grad(true);
  for (const auto & known : orders)
  {
    const auto S = symmetry(known.first, options);
    const auto q = symmetry_quaternions(known.first, options);
    REQUIRE((S.is_leaf() && S.requires_grad() && q.is_leaf() && q.requires_grad()));
    // 1/2 would be 0
    REQUIRE_THAT(error_of([&] { (void)symmetry(known.first, kInt64); }),
                 ContainsSubstring("expected options of a floating dtype"));
  }
}

TEST_CASE("Equivalent directions are counted once, without their sign",
          "[tensors][crystallography]")
{
  const auto S = symmetry("432");
  const auto count = [&](double x, double y, double zz)
  { return unique_bidirectional(S, Vec::fill(x, y, zz)).batch_size(0).concrete(); };
  REQUIRE(count(1, 0, 0) == 3);
  REQUIRE(count(1, 1, 1) == 4);
  REQUIRE(count(1, 1, 0) == 6);
  REQUIRE(count(1, 1, 2) == 12);
  REQUIRE(count(1, 2, 3) == 24); // no rotation maps it to -(1, 2, 3)
  REQUIRE(count(1, 1 + 1e-9, 0) == 6);
  REQUIRE(count(1e-20, 1e-20, 2e-20) == 12); // the length does not matter
  REQUIRE(count(0, 0, 0) == 1);
  REQUIRE(unique_bidirectional(symmetry("6"), Vec::fill(1, 0, 0)).batch_sizes() == TensorShape{3});
  REQUIRE(unique_bidirectional(symmetry("6"), Vec::fill(0, 0, 1)).batch_sizes() == TensorShape{1});
  const auto v = unique_bidirectional(S, Vec::fill(1, 0, 0));
  REQUIRE(at::equal(v.select(0, 0), Vec::fill(1, 0, 0))); // the first is v itself
  REQUIRE(at::allclose(v.abs().sum(0), at::ones({3}, at::kDouble)));
}

TEST_CASE("Equivalent directions can be differentiated", "[tensors][crystallography][autograd]")
{
  const Vec v(Vec::fill(1, 2, 3).requires_grad_());
  const auto all = unique_bidirectional(symmetry("4"), v);
  REQUIRE(all.batch_sizes() == TensorShape{4});
  const auto g = torch::autograd::grad({all.norm_sq().sum()}, {v})[0];
  REQUIRE(at::allclose(g, core::raw(v) * 8)); // each has the length of v
}

TEST_CASE("Equivalent directions need one vector and one batch of operations",
          "[tensors][crystallography][errors]")
{
  const auto S = symmetry("4");
  const auto refused = [](const R2 & T, const Vec & v)
  { return error_of([&] { (void)unique_bidirectional(T, v); }); };
  REQUIRE_THAT(refused(S, Vec::zeros({2})), ContainsSubstring("Vec (2; 3)"));
  REQUIRE_THAT(refused(R2::identity(), Vec::zeros()), ContainsSubstring("R2 (; 3, 3)"));
  REQUIRE_THAT(refused(S, Vec::zeros(kFloat32)), ContainsSubstring("different dtypes"));
  REQUIRE_THAT(refused(S, Vec()), ContainsSubstring("undefined"));
  const auto meta = TensorOptions(kFloat64).device(at::kMeta);
  REQUIRE_THAT(refused(R2(S.to(meta)), Vec::zeros(meta)), ContainsSubstring("meta"));
}

TEST_CASE("Operations on orientations pass the battery", "[tensors][crystallography][cuda]")
{
  battery.check();
}

TEST_CASE("Misorientation does not change with equivalent orientations",
          "[tensors][crystallography]")
{
  const auto r = random_rotations(24), q = random_rotations(24);
  for (const auto & [orbifold, order] : orders)
  {
    const auto S = symmetry_quaternions(orbifold);
    const Rot equivalent = (Quaternion(S.unsqueeze(1)) * Quaternion(r)).to_rot();
    REQUIRE(equivalent.batch_sizes() == TensorShape{order, 24});
    const auto angle = misorientation(r, q, orbifold);
    REQUIRE(close(misorientation(equivalent, q, orbifold), angle.expand({order, 24}), 1e-14));
    REQUIRE(close(misorientation(q, equivalent, orbifold), angle.expand({order, 24}), 1e-14));
    REQUIRE(
        close(misorientation(equivalent, r, orbifold), at::zeros({order, 24}, at::kDouble), 2e-15));
  }
  // No two orientations of cubes are further apart than 62.8° (Mackenzie 1958, Biometrika 45, 229-240)
  const auto many = misorientation(random_rotations(5000), random_rotations(5000), "432");
  REQUIRE(many.max().item<double>() < 62.81 * pi / 180);
  REQUIRE(many.max().item<double>() > 60 * pi / 180);
}

TEST_CASE("The disorientation is an equivalent of the rotation between two crystals, of the "
          "smallest angle",
          "[tensors][crystallography]")
{
  const auto r = random_rotations(20), q = random_rotations(20);
  for (const auto & [orbifold, order] : orders)
  {
    const Rot D = disorientation(r, q, orbifold);
    REQUIRE(close(D.angle(), misorientation(r, q, orbifold), 1e-14));
    // D = S R(q) R(r)ᵀ, so S = D R(r) R(q)ᵀ is in the class
    const auto operators = at::einsum(
        "nij,njk,nlk->nil", {D.euler_rodrigues(), test::rotation_of(r), test::rotation_of(q)});
    REQUIRE(among(operators, symmetry(orbifold)).all().item<bool>());
    // one class for both crystals, or the same class for each
    REQUIRE(close(misorientation(r, q, orbifold, orbifold), D.angle(), 1e-14));
    REQUIRE(at::equal(disorientation(r, q, orbifold, orbifold), D));
  }
  const Rot D = disorientation(r, q);
  REQUIRE(close(D.euler_rodrigues(),
                at::einsum("nij,nkj->nik", {test::rotation_of(q), test::rotation_of(r)}),
                1e-14));
  // The axis has the same components in the axes of both crystals
  REQUIRE(close(D.axis().rotate(D), D.axis(), 1e-14));
}

namespace
{
/// The components of axes without their signs, in ascending order: cubic symmetry makes axes with the same ones equivalent.
at::Tensor
cubic_axis(const Rot & D)
{
  return std::get<0>(D.axis().abs().sort(-1));
}

at::Tensor
numbers(std::initializer_list<double> values)
{
  return at::tensor(std::vector<double>(values), at::kDouble);
}
} // namespace

TEST_CASE("Coincidence site lattices have the angles and axes of the literature",
          "[tensors][crystallography]")
{
  // Grimmer, Bollmann and Warrington (1974), Acta Cryst. A 30, 197-207: Σ, the angle in degrees, the axis
  struct Coincidence
  {
    double angle;
    std::array<double, 3> axis;
  };
  const double degree = pi / 180;
  for (const auto & [angle, axis] : {Coincidence{60, {1, 1, 1}},       // Σ 3
                                     Coincidence{36.8699, {1, 0, 0}},  // Σ 5
                                     Coincidence{38.2132, {1, 1, 1}},  // Σ 7
                                     Coincidence{38.9424, {1, 1, 0}},  // Σ 9
                                     Coincidence{50.4788, {1, 1, 0}}}) // Σ 11
  {
    const auto n = Vec::fill(axis[0], axis[1], axis[2]);
    const auto turn = Quaternion::axis_angle(n, Scalar(angle * degree, kFloat64));
    // The same for any equivalent orientation of either crystal
    const auto r = random_rotations(6);
    const auto S = symmetry_quaternions("432");
    const Rot q = (Quaternion(S.unsqueeze(1)) * turn * Quaternion(r)).to_rot();
    const Rot D = disorientation(r, q, "m-3m");
    REQUIRE(close(D.angle() / degree, at::full({24, 6}, angle, at::kDouble), 1e-4));
    const auto expected = std::get<0>(unit(n).sort(-1)).expand({24, 6, 3});
    REQUIRE(close(cubic_axis(D), expected, 1e-10));
  }
  // Σ 3 as half a turn about <111> or about <112>: both give the same twin.
  const auto half = Quaternion::axis_angle(Vec::fill(1, 1, 2), Scalar(pi, kFloat64)).to_rot();
  const Rot D = disorientation(Rot::identity(), half, "432");
  REQUIRE(close(D.angle(), numbers({pi / 3}).squeeze(0), 1e-14));
  REQUIRE(close(cubic_axis(D), numbers({1, 1, 1}) / std::sqrt(3.0), 1e-14));
}

TEST_CASE("The relation of Kurdjumov and Sachs has 24 variants at 42.85 degrees about <0.968 0.178 "
          "0.178>",
          "[tensors][crystallography]")
{
  // (111) of austenite || (011) of ferrite, [-101] || [-1-11] (Kurdjumov and Sachs 1930, Z. Phys. 64, 325-343; the
  // angle and axis: Morito et al. 2003, Acta Mater. 51, 1789-1799)
  const auto axes = [](const Vec & plane, const Vec & direction)
  {
    const auto n = unit(plane), b = unit(direction);
    return R2(at::stack({b, cross(n, b), n}, -1)); // the matrix with these columns
  };
  const auto austenite = axes(Vec::fill(1, 1, 1), Vec::fill(-1, 0, 1)),
             ferrite = axes(Vec::fill(0, 1, 1), Vec::fill(-1, -1, 1));
  const Rot r = random_rotations(1);
  // Takes components in the axes of austenite to those in the axes of ferrite
  const R2 between = ferrite * austenite.transpose();
  const Rot q = Rot::fill_matrix(between * R2(r.euler_rodrigues()));
  const Rot D = disorientation(r, q, "m-3m", "m-3m");
  REQUIRE(close(D.angle() * (180 / pi), numbers({42.85}), 5e-3));
  REQUIRE(close(cubic_axis(D), numbers({0.178, 0.178, 0.968}).expand({1, 3}), 6e-4));
  REQUIRE(close(misorientation(r, q, "m-3m", "m-3m"), D.angle(), 1e-14));
  // Variants: the orientations of ferrite that one crystal of austenite can form, up to the symmetry of ferrite
  const auto S = symmetry("432");
  const R2 variants(at::matmul(between, S)); // (24; 3, 3)
  const auto to_rot = [](const R2 & R) { return Rot::fill_matrix(R); };
  const auto apart =
      misorientation(to_rot(R2(variants.unsqueeze(0))), to_rot(R2(variants.unsqueeze(1))), "432");
  REQUIRE((apart < 1e-6).sum().item<int64_t>() == 24);
  // The smallest angle between two variants is 10.53 degrees, of V1 and V2 60 about <111> (Morito et al. 2003)
  const auto others = std::get<0>((apart + 10 * at::eye(24, at::kDouble)).min(-1));
  REQUIRE(close(others * (180 / pi), at::full({24}, 10.53, at::kDouble), 5e-3));
}

TEST_CASE("Crystals of two phases are compared by the symmetry of each",
          "[tensors][crystallography]")
{
  const auto r = random_rotations(12), q = random_rotations(12);
  const auto a = misorientation(r, q, "432", "622");
  REQUIRE(close(a, misorientation(q, r, "622", "432"), 1e-14));
  REQUIRE((a <= misorientation(r, q, "432") + 1e-14).all().item<bool>());
  REQUIRE((a <= misorientation(r, q, "622") + 1e-14).all().item<bool>());
  for (const auto & [P, S] : {std::pair{"432", "622"}, {"42", "1"}, {"1", "3"}})
  {
    const Rot D = disorientation(r, q, P, S);
    REQUIRE(close(D.angle(), misorientation(r, q, P, S), 1e-14));
    // for any equivalents of both crystals
    const auto p = symmetry_quaternions(P), s = symmetry_quaternions(S);
    const Rot of_r = (Quaternion(p.unsqueeze(1)) * Quaternion(r)).to_rot(),
              of_q = (Quaternion(s.unsqueeze(1)) * Quaternion(q)).to_rot();
    REQUIRE(close(misorientation(of_r, q, P, S), D.angle().expand({p.size(0), 12}), 1e-14));
    REQUIRE(close(misorientation(r, of_q, P, S), D.angle().expand({s.size(0), 12}), 1e-14));
  }
  REQUIRE_THROWS_AS(misorientation(r, q, "432", "x"), NEMLException);
  REQUIRE_THROWS_AS(disorientation(r, q, "x"), NEMLException);
  const Rot many = random_rotations(6);
  REQUIRE(disorientation(Rot(many.unsqueeze(1)), many, "432").batch_sizes() == TensorShape{6, 6});
  REQUIRE(disorientation(Rot::zeros({0}), many.batch_index({0}), "432").batch_sizes() ==
          TensorShape{0});
}

TEST_CASE("Misorientation is accurate where it is small, and 0 of an orientation with itself",
          "[tensors][crystallography]")
{
  const auto r = random_rotations(10);
  const auto angles = Scalar::create({{1e-13}, {1e-9}, {1e-5}, {0.01}});
  const auto turn = Quaternion::axis_angle(Vec::fill(1, 2, -1), angles);
  const Rot q = (Quaternion(r) * turn).to_rot();
  for (const auto & orbifold : {"1", "432", "622"})
  {
    REQUIRE(close(misorientation(r, q, orbifold), at::Tensor(angles).expand({4, 10}), 3e-15));
    REQUIRE(at::equal(misorientation(r, r, orbifold), at::zeros({10}, at::kDouble)));
  }
  const Rot x(r.detach().requires_grad_());
  const auto g = torch::autograd::grad({misorientation(x, r, "432").sum()}, {x})[0];
  REQUIRE(at::equal(g, at::zeros({10, 3}, at::kDouble)));
}

TEST_CASE("The fundamental zone has one orientation of each equivalent lot, the closest one",
          "[tensors][crystallography]")
{
  const auto r = random_rotations(24);
  for (const auto & [orbifold, order] : orders)
  {
    const auto S = symmetry_quaternions(orbifold);
    const Rot equivalent = (Quaternion(S.unsqueeze(1)) * Quaternion(r)).to_rot();
    const Rot reference = Rot::fill(0, 0, 0.005);
    const auto moved = move_to_fundamental_zone(r, orbifold);
    REQUIRE(moved.batch_sizes() == TensorShape{24});
    REQUIRE(
        close(move_to_fundamental_zone(equivalent, orbifold), moved.expand({order, 24, 3}), 1e-14));
    REQUIRE(at::equal(move_to_fundamental_zone(r, orbifold, reference), moved));
    REQUIRE(close(misorientation(moved, r, orbifold), at::zeros({24}, at::kDouble), 2e-15));
    const auto distance = Quaternion(moved).dist(Quaternion(reference));
    REQUIRE(close(distance, Quaternion(equivalent).dist(Quaternion(reference)).amin(0), 1e-14));
    REQUIRE((moved.norm_sq() <= 1 + 1e-14).all().item<bool>());
  }
  REQUIRE(move_to_fundamental_zone(Rot::identity(kFloat32), "432").scalar_type() == kFloat32);
  REQUIRE_THROWS_AS(move_to_fundamental_zone(Rot(), "432"), NEMLException);
}

TEST_CASE("Batches as long as the group do not mix with it", "[tensors][crystallography]")
{
  const auto r = random_rotations(24), one = random_rotations(1);
  const auto angles = misorientation(r, one, "432");
  REQUIRE(angles.batch_sizes() == TensorShape{24});
  for (Size i = 0; i < 24; i++)
    REQUIRE(close(angles.batch_index({i}),
                  misorientation(r.batch_index({i}), one.batch_index({0}), "432"),
                  1e-14));
}
} // namespace crystallography_test
