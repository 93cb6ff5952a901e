// SPDX-License-Identifier: MIT
#include "neml2/tensors/slip_systems.h"
#include "neml2/tensors/tensors.h"
#include "support/errors.h"

#include <torch/types.h>

#include "support/catch.h"

namespace slip_systems_test
{
using namespace neml2;
using namespace neml2::crystallography;
using Catch::Matchers::ContainsSubstring;
using test::error_of;

namespace
{
struct Expected
{
  std::string lattice, families;
  Size count;
};

/// The number of systems of each family, from the literature.
const std::vector<Expected> slip{{"fcc", "", 12},
                                 {"fcc", "{111}<110>", 12},
                                 {"bcc", "", 12},
                                 {"bcc", "{110}<111>", 12},
                                 {"bcc", "{112}<111>", 12},
                                 {"bcc", "{123}<111>", 24},
                                 {"bcc", "{110}<111>, {112}<111>, {123}<111>", 48},
                                 {"hcp", "basal", 3},
                                 {"hcp", "prismatic", 3},
                                 {"hcp", "pyramidal <a>", 6},
                                 {"hcp", "pyramidal <c+a>", 6},
                                 {"hcp", "first-order pyramidal <c+a>", 12},
                                 {"hcp", "", 18}};
const std::vector<Expected> twins{{"fcc", "", 12},
                                  {"bcc", "", 12},
                                  {"hcp", "", 6},
                                  {"hcp", "{10-12}<-1011>", 6},
                                  {"hcp", "{11-21}<-1-126>", 6},
                                  {"hcp", "{11-22}<11-2-3>", 6},
                                  {"hcp", "{10-11}<10-1-2>", 6}};

double
ratio(const std::string & lattice)
{
  return lattice == "hcp" ? 1.624 : 0;
}

using Systems = std::pair<Vec, Vec>;

Systems
slip_of(const Expected & e)
{
  return slip_systems(e.lattice, e.families, ratio(e.lattice));
}

Systems
twins_of(const Expected & e)
{
  return twin_systems(e.lattice, e.families, ratio(e.lattice));
}

/// The tensors b_i n_j of the systems.
at::Tensor
schmid(const Systems & s)
{
  return at::einsum("mi,mj->mij", {s.second, s.first});
}

/// For each matrix of a, the number of matrices of b that are equal to it, with either sign if
/// either_sign is given.
at::Tensor
among(const at::Tensor & a, const at::Tensor & b, bool either_sign)
{
  const auto x = a.reshape({-1, 1, 9}), y = b.reshape({1, -1, 9});
  auto is_same = (x - y).abs().amax(-1) < 1e-10;
  if (either_sign)
    is_same = is_same.logical_or((x + y).abs().amax(-1) < 1e-10);
  return is_same.sum(-1);
}

void
check_systems(const Expected & e, const Systems & s, bool either_sign)
{
  const auto & [n, b] = s;
  INFO(e.lattice << " " << e.families);
  REQUIRE(n.batch_sizes() == TensorShape{e.count});
  REQUIRE(b.batch_sizes() == TensorShape{e.count});
  const auto one = at::ones({e.count}, at::kDouble);
  REQUIRE(at::allclose(norm(n), one, 0, 1e-15));
  REQUIRE(at::allclose(norm(b), one, 0, 1e-15));
  REQUIRE(at::allclose(inner(n, b), one * 0, 0, 1e-15));
  const auto P = schmid(s);
  REQUIRE((among(P, P, either_sign) == 1).all().item<bool>()); // no two are the same
  // The systems are closed under the rotations of the class.
  const auto S = symmetry(e.lattice == "hcp" ? "622" : "432");
  const auto turned = at::einsum("gij,mjk,glk->gmil", {S, P, S});
  REQUIRE((among(turned, P, either_sign) == 1).all().item<bool>());
}

/// The systems whose normal and direction are equivalent to these, with any signs.
bool
first_is(const Systems & s, const Vec & n, const Vec & b)
{
  return at::allclose(s.first.select(0, 0), unit(n), 0, 1e-14) &&
         at::allclose(s.second.select(0, 0).outer(s.second.select(0, 0)), unit(b).outer(unit(b)));
}

double
number(const at::Tensor & x)
{
  return x.item<double>();
}
} // namespace

TEST_CASE("Slip systems are as many as in the literature, and closed under the symmetry",
          "[tensors][slip_systems]")
{
  for (const auto & e : slip)
    check_systems(e, slip_of(e), /*either_sign=*/true);
}

TEST_CASE("Twin systems have a sense, which symmetry keeps", "[tensors][slip_systems]")
{
  for (const auto & e : twins)
    check_systems(e, twins_of(e), /*either_sign=*/false);
}

TEST_CASE("Slip systems have the planes and directions of their indices", "[tensors][slip_systems]")
{
  const auto planes_and_directions =
      [](const Systems & s, std::array<double, 3> n, std::array<double, 3> b)
  {
    const auto sorted = [](const at::Tensor & x) { return std::get<0>(x.abs().sort(-1)); };
    const auto expected = [&](std::array<double, 3> x)
    { return unit(Vec::fill(x[0], x[1], x[2])); };
    return at::allclose(sorted(s.first), expected(n).expand_as(s.first)) &&
           at::allclose(sorted(s.second), expected(b).expand_as(s.second));
  };
  REQUIRE(planes_and_directions(slip_systems("fcc"), {1, 1, 1}, {0, 1, 1}));
  REQUIRE(planes_and_directions(slip_systems("bcc"), {0, 1, 1}, {1, 1, 1}));
  REQUIRE(planes_and_directions(slip_systems("bcc", "{112}<111>"), {1, 1, 2}, {1, 1, 1}));
  REQUIRE(planes_and_directions(slip_systems("bcc", "{123}<111>"), {1, 2, 3}, {1, 1, 1}));
  REQUIRE(planes_and_directions(slip_systems("432", "{1 1 12}<110>"), {1, 1, 12}, {0, 1, 1}));
  REQUIRE(planes_and_directions(twin_systems("fcc"), {1, 1, 1}, {1, 1, 2}));
  REQUIRE(planes_and_directions(twin_systems("bcc"), {1, 1, 2}, {1, 1, 1}));
}

TEST_CASE("The axes of hexagonal lattices are x, 120 degrees from it, and z",
          "[tensors][slip_systems]")
{
  const double r = 1.587, root = std::sqrt(3.0);
  const auto of = [&](const char * family) { return slip_systems("hcp", family, r); };
  // [2-1-10] is a1; a normal of (hkil) is h a1* + k a2* + l c*, a1* = (1, 1/√3, 0), a2* = (0, 2/√3, 0)
  REQUIRE(first_is(of("(0001)[2-1-10]"), Vec::fill(0, 0, 1), Vec::fill(1, 0, 0)));
  REQUIRE(first_is(of("(001)[100]"), Vec::fill(0, 0, 1), Vec::fill(1, 0, 0)));
  REQUIRE(first_is(of("(0001)[-12-10]"), Vec::fill(0, 0, 1), Vec::fill(-0.5, root / 2, 0)));
  REQUIRE(first_is(of("(001)[010]"), Vec::fill(0, 0, 1), Vec::fill(-0.5, root / 2, 0)));
  REQUIRE(
      first_is(of("(10-11)[-12-10]"), Vec::fill(1, 1 / root, 1 / r), Vec::fill(-0.5, root / 2, 0)));
  REQUIRE(first_is(of("(101)[010]"), Vec::fill(1, 1 / root, 1 / r), Vec::fill(-0.5, root / 2, 0)));
  // <11-23> is a + a + c: a length of √(1 + r²) a, and an angle of atan r from the basal plane
  const auto b = of("pyramidal <c+a>").second;
  REQUIRE(
      at::allclose(b.select(-1, 2).abs(), at::full({6}, r / std::sqrt(1 + r * r), at::kDouble)));
  // The normals of {11-22} at the angle atan 1/r from the basal plane
  const auto n = of("pyramidal <c+a>").first;
  REQUIRE(
      at::allclose(n.select(-1, 2).abs(), at::full({6}, 1 / std::sqrt(1 + r * r), at::kDouble)));
}

TEST_CASE("A flat or a long hexagonal cell turns pyramids to basal planes or prisms",
          "[tensors][slip_systems]")
{
  const auto normals = [](double r)
  { return slip_systems("hcp", "pyramidal <a>", r).first.select(-1, 2).abs(); };
  REQUIRE(at::allclose(normals(1e-3), at::ones({6}, at::kDouble), 0, 1e-5));
  REQUIRE(at::allclose(normals(1e3), at::zeros({6}, at::kDouble), 0, 1e-3));
}

TEST_CASE("Tetragonal lattices have the ratio of their axes", "[tensors][slip_systems]")
{
  const double r = 0.5456; // c/a of white tin
  REQUIRE(slip_systems("4/mmm", "{110}<001>", r).first.batch_size(0) == 2);
  REQUIRE(slip_systems("42", "{100}<001>", r).first.batch_size(0) == 2);
  const auto s = slip_systems("42", "(101)[-101]", 1);
  REQUIRE(first_is(s, Vec::fill(1, 0, 1), Vec::fill(-1, 0, 1)));
  const auto t = slip_systems("42", "{101}<010>", r);
  REQUIRE(first_is(t, Vec::fill(r, 0, 1), Vec::fill(0, 1, 0)));
}

TEST_CASE("Schmid factors of tension are those of the literature", "[tensors][slip_systems]")
{
  const auto factors = [](const std::string & lattice, const Vec & axis)
  {
    const auto t = unit(axis);
    const auto [n, b] = slip_systems(lattice, "", lattice == "hcp" ? 1.624 : 0);
    return std::get<0>((inner(n, t) * inner(b, t)).abs().sort(-1, true));
  };
  // fcc: 8 systems of 1/√6 along [001], 6 of 2/(3√6) along [111], 4 of 1/√6 along [011], in Hosford (1993), The Mechanics of
  // Crystals and Textured Polycrystals
  const auto along = [&](const Vec & axis, int many, double value)
  {
    const auto m = factors("fcc", axis);
    return at::allclose(m.slice(0, 0, many), at::full({many}, value, at::kDouble)) &&
           number(m.select(0, many)) < value - 0.1;
  };
  REQUIRE(along(Vec::fill(0, 0, 1), 8, 1 / std::sqrt(6.0)));
  REQUIRE(along(Vec::fill(1, 1, 1), 6, 2 / (3 * std::sqrt(6.0))));
  REQUIRE(along(Vec::fill(0, 1, 1), 4, 1 / std::sqrt(6.0)));
  // bcc has the tensors of fcc, transposed
  REQUIRE(at::allclose(factors("bcc", Vec::fill(1, 2, 5)), factors("fcc", Vec::fill(1, 2, 5))));
  // hcp along c: neither basal nor prismatic nor pyramidal <a>, only <c+a>
  const auto c = factors("hcp", Vec::fill(0, 0, 1));
  REQUIRE(number(c.select(0, 5)) > 0.4);
  REQUIRE(number(c.select(0, 6)) < 1e-15);
}

TEST_CASE("The shear of a twin leaves its second plane as it is", "[tensors][slip_systems]")
{
  // (I + s b n) leaves lengths in the planes n and K2 ∝ 2 b + s n; K2 has simple indices only for the right sense
  // (Christian and Mahajan 1995, Prog. Mater. Sci. 39, table 2)
  const auto second_plane =
      [](const std::string & lattice, const std::string & family, double r, double shear)
  {
    const auto [n, b] = twin_systems(lattice, family, r);
    return unit(Vec(b * 2 + n * shear));
  };
  const auto is = [](const Vec & K2, const Vec & plane, const char * group)
  {
    const auto all = unique_bidirectional(symmetry(group), unit(plane));
    const auto cosine = at::einsum("mi,ki->mk", {K2, all}).abs().amax(-1);
    return at::allclose(cosine, at::ones_like(cosine), 0, 1e-14);
  };
  REQUIRE(is(second_plane("fcc", "", 0, std::sqrt(0.5)), Vec::fill(1, 1, -1), "432"));
  REQUIRE(is(second_plane("bcc", "", 0, std::sqrt(0.5)), Vec::fill(1, 1, -2), "432"));
  const double root = std::sqrt(3.0);
  for (const double r : {1.587, 1.624, 1.633, 1.856}) // titanium, magnesium, ideal, zinc
  {
    const auto plane = [&](double h, double k, double l)
    { return Vec::fill(h, (h + 2 * k) / root, l / r); };
    REQUIRE(is(second_plane("hcp", "{10-12}<-1011>", r, std::abs(3 - r * r) / (root * r)),
               plane(-1, 0, 2),
               "622"));
    REQUIRE(is(second_plane("hcp", "{11-21}<-1-126>", r, 1 / r), plane(0, 0, 1), "622"));
    REQUIRE(is(second_plane("hcp", "{11-22}<11-2-3>", r, 2 * (r * r - 2) / (3 * r)),
               plane(1, 1, -4),
               "622"));
    REQUIRE(is(second_plane("hcp", "{10-11}<10-1-2>", r, (4 * r * r - 9) / (4 * root * r)),
               plane(1, 0, -3),
               "622"));
  }
}

TEST_CASE("Twins of {10-12} lengthen c below the ratio root 3 and shorten it above",
          "[tensors][slip_systems]")
{
  const auto strain = [](double r)
  {
    const auto [n, b] = twin_systems("hcp", "", r);
    return at::Tensor(n.select(-1, 2) * b.select(-1, 2));
  };
  REQUIRE((strain(1.624) > 0.1).all().item<bool>());
  REQUIRE((strain(1.856) < -0.1).all().item<bool>());
}

TEST_CASE("A family of one pair has its plane, direction and sense", "[tensors][slip_systems]")
{
  const auto s = twin_systems("fcc", "(111)[11-2]");
  REQUIRE(at::allclose(s.first.select(0, 0), unit(Vec::fill(1, 1, 1))));
  REQUIRE(at::allclose(s.second.select(0, 0), unit(Vec::fill(1, 1, -2))));
  REQUIRE(at::allclose(schmid(s), schmid(twin_systems("fcc"))));
  REQUIRE(at::allclose(schmid(twin_systems("fcc", "(111)[-1-12]")), -schmid(s)));
  const auto t = slip_systems("fcc", "(1,1,1)[1,-1,0]");
  REQUIRE(t.first.batch_size(0) == 12);
  REQUIRE((among(schmid(t), schmid(slip_systems("fcc")), true) == 1).all().item<bool>());
}

TEST_CASE("Systems of other dtypes, of leaves and without a device's values",
          "[tensors][slip_systems]")
{
  const auto [n, b] = slip_systems("fcc", "", 0, kFloat32);
  REQUIRE((n.scalar_type() == kFloat32 && b.scalar_type() == kFloat32));
  const auto leaves = twin_systems("bcc", "", 0, default_tensor_options().requires_grad(true));
  REQUIRE((leaves.first.requires_grad() && leaves.first.is_leaf() && leaves.second.is_leaf()));
  const auto meta = slip_systems("hcp", "basal", 1.6, TensorOptions(kFloat64).device(at::kMeta));
  REQUIRE((meta.first.is_meta() && meta.second.batch_size(0) == 3));
}

TEST_CASE("Systems that cannot be are refused", "[tensors][slip_systems][errors]")
{
  const auto slip_error =
      [](const std::string & lattice, const std::string & families = "", double r = 0)
  { return error_of([&] { (void)slip_systems(lattice, families, r); }); };
  const auto twin_error =
      [](const std::string & lattice, const std::string & families = "", double r = 0)
  { return error_of([&] { (void)twin_systems(lattice, families, r); }); };
  REQUIRE_THAT(slip_error("FCC"), ContainsSubstring("Unknown crystal class \"FCC\""));
  REQUIRE_THAT(slip_error("-3m", "{111}<110>"),
               ContainsSubstring("for class -3m, c_over_a is not enough"));
  REQUIRE_THAT(slip_error("hcp"), ContainsSubstring("c_over_a is 0 for the lattice hcp"));
  REQUIRE_THAT(slip_error("hcp", "", -1), ContainsSubstring("c_over_a is -1"));
  REQUIRE_THAT(slip_error("hcp", "", NAN), ContainsSubstring("Expected the ratio"));
  REQUIRE_THAT(slip_error("fcc", "", 1.6), ContainsSubstring("Leave it out"));
  REQUIRE_THAT(slip_error("fcc", "{111}<100>"), ContainsSubstring("no direction of {111}<100>"));
  REQUIRE_THAT(slip_error("fcc", "(111)[110]"), ContainsSubstring("is not in its plane"));
  REQUIRE_THAT(slip_error("hcp", "octahedral", 1.6), ContainsSubstring("pyramidal <c+a>"));
  for (const char * wrong : {"basal",
                             "{111}",
                             "{111}[110]",
                             "{111}<11>",
                             "{11a}<110>",
                             "{000}<110>",
                             "{0001}<11-20>",
                             "{111}<110> twice",
                             "{111}<110>,",
                             "{111}<1--10>",
                             "{11-}<110>",
                             " "})
    REQUIRE_THAT(slip_error("fcc", wrong), ContainsSubstring("is not a family of the lattice fcc"));
  REQUIRE_THAT(slip_error("hcp", "{1010}<11-20>", 1.6), ContainsSubstring("add up to 0"));
  REQUIRE_THAT(slip_error("432"), ContainsSubstring("is not a family of the lattice 432"));
  REQUIRE_THAT(twin_error("fcc", "{112}<111>"),
               ContainsSubstring("where the known twins are equivalent to (111)[11-2]"));
  REQUIRE_THAT(twin_error("432", "{111}<112>"), ContainsSubstring("sense of the shear"));
  REQUIRE_THAT(twin_error("hcp"), ContainsSubstring("twin_systems: c_over_a"));
  REQUIRE_THAT(error_of([] { (void)slip_systems("fcc", "", 0, kInt64); }),
               ContainsSubstring("floating dtype"));
}
} // namespace slip_systems_test
