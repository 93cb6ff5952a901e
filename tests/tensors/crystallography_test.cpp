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

/// Quaternions from words of four letters, of which each may have a minus: o 1, z 0, h 1/2, a 1/√2, b √3/2.
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
  // both are small nowhere at once, so that the angle is accurate also near 0 and π
  const auto sine = ((R - R.transpose(-2, -1)).square().sum({-2, -1}) / 8).clamp_min(1e-300).sqrt(),
             cosine = (at::einsum("...ii->...", {R}) - 1) / 2;
  return at::atan2(sine, cosine).amin(-1);
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
                      // it grows without bound towards 0, and symmetry makes angles small
                      .without(orbifold == "1"
                                   ? test::own_rule
                                   : test::Checks{Check::rule, Check::second_derivative}));
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
    REQUIRE((d < 1e-3).sum().item<int64_t>() == order); // no two alike
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
  // The cube's are the signed permutations of determinant 1, exactly
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
  const auto message = error_of([] { (void)symmetry("m-3m"); });
  REQUIRE_THAT(message, ContainsSubstring("Unknown crystal class \"m-3m\""));
  for (const auto & known : orders)
    REQUIRE_THAT(message, ContainsSubstring(known.first));
  REQUIRE_THROWS_AS(misorientation(Rot::identity(), Rot::identity(), ""), NEMLException);
  REQUIRE_THROWS_AS(move_to_fundamental_zone(Rot::identity(), "433"), NEMLException);
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
  REQUIRE(count(1, 2, 3) == 24); // -(1, 2, 3) is no rotation of it
  REQUIRE(count(1, 1 + 1e-9, 0) == 6);
  REQUIRE(count(1e-20, 1e-20, 2e-20) == 12); // of any length
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
