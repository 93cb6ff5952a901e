// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/slip_families-inl.h"

/// The systems that are equivalent by the symmetry of a lattice.
namespace neml2::tensors::glide
{
/// The unit vectors that are equivalent to v, where a vector and its opposite count as one.
NEML2_BODY std::vector<Triple>
equivalent_lines(const Lattice & lattice, const Triple & v)
{
  std::vector<Triple> all;
  for (const Rotation & R : lattice.symmetry)
  {
    const Triple w = unit_of(turned(R, v));
    if (std::none_of(all.begin(), all.end(), [&](const Triple & a) { return same_line(a, w); }))
      all.push_back(w);
  }
  return all;
}

/// Whether w or -w is equivalent to v.
NEML2_BODY bool
equivalent(const Lattice & lattice, const Triple & v, const Triple & w)
{
  const auto all = equivalent_lines(lattice, v);
  return std::any_of(all.begin(), all.end(), [&](const Triple & a) { return same_line(a, w); });
}

/// The pairs that are equivalent to the pair of a family. (n, b) and (-n, -b) count as one pair; (n, -b) is another
/// pair only if with_sense is true.
NEML2_BODY std::vector<System>
equivalent_pairs(const Lattice & lattice, const Family & family, bool with_sense)
{
  const auto & [n, b] = family.system;
  NEML2_CHECK(
      std::abs(product(n, b)) < 1e-9,
      lattice.function,
      ": the direction of ",
      family.text,
      " is not in its plane. Expected indices of a direction in this plane, such as (111)[11-2].");
  std::vector<System> all;
  for (const Rotation & R : lattice.symmetry)
  {
    const System s{unit_of(turned(R, n)), unit_of(turned(R, b))};
    const auto is_same = [&](const System & t)
    {
      return with_sense ? (same(s.n, t.n) && same(s.b, t.b)) ||
                              (same(s.n, opposite(t.n)) && same(s.b, opposite(t.b)))
                        : same_line(s.n, t.n) && same_line(s.b, t.b);
    };
    if (std::none_of(all.begin(), all.end(), is_same))
      all.push_back(s);
  }
  return all;
}

NEML2_BODY std::vector<System>
slip_family(const Lattice & lattice, const Family & family)
{
  if (family.one_pair)
    return equivalent_pairs(lattice, family, /*with_sense=*/false);
  std::vector<System> all;
  const auto directions = equivalent_lines(lattice, family.system.b);
  for (const Triple & n : equivalent_lines(lattice, family.system.n))
    for (const Triple & b : directions)
      if (std::abs(product(n, b)) < 1e-9)
        all.push_back({n, b});
  NEML2_CHECK(!all.empty(),
              lattice.function,
              ": in the lattice ",
              lattice.name,
              ", no direction of ",
              family.text,
              " lies in one of its planes. Expected a family in which some direction is at right "
              "angles to some plane normal.");
  return all;
}

/// The systems of a twin family: planes, and directions in the sense of the shear. For {hkl}<uvw> the sense is known
/// only for the twins in the list `twins`.
NEML2_BODY std::vector<System>
twin_family(const Lattice & lattice, Family family)
{
  if (family.one_pair)
    return equivalent_pairs(lattice, family, /*with_sense=*/true);
  struct Twin
  {
    const char * lattice;
    const char * pair;
    double shear; // positive if the shear is in the direction of the pair
  };
  const double r = lattice.c_over_a;
  const Twin twins[] = {{"fcc", "(111)[11-2]", 1},
                        {"bcc", "(112)[-1-11]", 1},
                        {"hcp", "(10-12)[-1011]", 3 - r * r},
                        {"hcp", "(11-21)[-1-126]", 1},
                        {"hcp", "(11-22)[11-2-3]", r * r - 2},
                        {"hcp", "(10-11)[10-1-2]", 4 * r * r - 9}};
  std::string known;
  for (const Twin & twin : twins)
    if (lattice.name == twin.lattice)
    {
      Family candidate = family_of(lattice, twin.pair);
      known += std::string(known.empty() ? "" : ", ") + twin.pair;
      if (!equivalent(lattice, candidate.system.n, family.system.n) ||
          !equivalent(lattice, candidate.system.b, family.system.b))
        continue;
      if (twin.shear < 0)
        candidate.system.b = opposite(candidate.system.b);
      return equivalent_pairs(lattice, candidate, /*with_sense=*/true);
    }
  core::fail(lattice.function,
             ": the sense of the shear of ",
             family.text,
             " is not known in the lattice ",
             lattice.name,
             known.empty() ? "" : ", where the known twins are equivalent to ",
             known,
             ". Write one plane and one direction in the sense of the shear, such as (111)[11-2].");
}

/// The systems of all families as two tensors with these options; systems_of(family) lists the systems of one family.
template <class F>
std::pair<Vec, Vec>
systems_of_families(const std::string & families,
                    const F & systems_of,
                    const TensorOptions & options)
{
  std::vector<double> n, b;
  for (const std::string & family : separated(families))
    for (const System & s : systems_of(family))
    {
      n.insert(n.end(), s.n.begin(), s.n.end());
      b.insert(b.end(), s.b.begin(), s.b.end());
    }
  const auto tensor = [&](const std::vector<double> & numbers)
  {
    const auto values = at::tensor(numbers, TensorOptions(kFloat64).device(kCPU)).reshape({-1, 3});
    return Vec(values.to(options.requires_grad(false)).set_requires_grad(options.requires_grad()));
  };
  return {tensor(n), tensor(b)};
}
} // namespace neml2::tensors::glide

namespace neml2::crystallography
{
NEML2_BODY std::pair<Vec, Vec>
slip_systems(const std::string & lattice,
             const std::string & families,
             Real c_over_a,
             const TensorOptions & options)
{
  namespace glide = tensors::glide;
  core::check_floating("slip_systems", options);
  const glide::Lattice of = glide::lattice_of("slip_systems", lattice, c_over_a);
  static constexpr std::pair<const char *, const char *> names[] = {
      {"basal", "{0001}<11-20>"},
      {"prismatic", "{10-10}<11-20>"},
      {"pyramidal <a>", "{10-11}<11-20>"},
      {"pyramidal <c+a>", "{11-22}<11-23>"},
      {"first-order pyramidal <c+a>", "{10-11}<11-23>"}};
  const char * const usual = lattice == "fcc"   ? "{111}<110>"
                             : lattice == "bcc" ? "{110}<111>"
                             : lattice == "hcp" ? "basal,prismatic,pyramidal <a>,pyramidal <c+a>"
                                                : "";
  const auto systems_of = [&](std::string family)
  {
    const auto begin = std::min(family.find_first_not_of(' '), family.size());
    const std::string name = family.substr(begin, family.find_last_not_of(' ') + 1 - begin);
    if (lattice == "hcp")
      for (const auto & [known, indices] : names)
        if (name == known)
          family = indices;
    return glide::slip_family(of, glide::family_of(of, family));
  };
  return glide::systems_of_families(families.empty() ? usual : families, systems_of, options);
}

NEML2_BODY std::pair<Vec, Vec>
twin_systems(const std::string & lattice,
             const std::string & families,
             Real c_over_a,
             const TensorOptions & options)
{
  namespace glide = tensors::glide;
  core::check_floating("twin_systems", options);
  const glide::Lattice of = glide::lattice_of("twin_systems", lattice, c_over_a);
  const char * const usual = lattice == "fcc"   ? "{111}<112>"
                             : lattice == "bcc" ? "{112}<111>"
                             : lattice == "hcp" ? "{10-12}<-1011>"
                                                : "";
  const auto systems_of = [&](const std::string & family)
  { return glide::twin_family(of, glide::family_of(of, family)); };
  return glide::systems_of_families(families.empty() ? usual : families, systems_of, options);
}
} // namespace neml2::crystallography
