// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/slip_systems.h"

#include "neml2/tensors/crystallography.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

/// Reads families of planes and directions in a lattice from their notation. All values are plain numbers instead of
/// tensors, because the results must not depend on modes of LibTorch.
namespace neml2::tensors::glide
{
using Triple = std::array<double, 3>;
using Rotation = std::array<Triple, 3>;

/// The unit normal of a plane and a unit direction, in the crystal's Cartesian axes.
struct System
{
  Triple n, b;
};

/// A lattice, and the name of the function that reports errors about it.
struct Lattice
{
  std::string function, name;
  std::string rotations; ///< the name of the class of rotations
  double c_over_a;
  std::vector<Rotation> symmetry;

  bool hexagonal() const { return rotations[0] == '6'; }
};

/// A family: its text, and one of its systems. one_pair is true for (hkl)[uvw], and false for {hkl}<uvw>.
struct Family
{
  std::string text;
  System system;
  bool one_pair;
};

inline double
product(const Triple & a, const Triple & b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline Triple
turned(const Rotation & R, const Triple & v)
{
  return {product(R[0], v), product(R[1], v), product(R[2], v)};
}

inline Triple
opposite(const Triple & v)
{
  return {-v[0], -v[1], -v[2]};
}

/// Whether two unit vectors are the same.
inline bool
same(const Triple & a, const Triple & b)
{
  return product(a, b) > 1 - 1e-10;
}

inline bool
same_line(const Triple & a, const Triple & b)
{
  return same(a, b) || same(a, opposite(b));
}

/// The unit vector in the direction of v, without negative zeros.
inline Triple
unit_of(const Triple & v)
{
  const double length = std::sqrt(product(v, v));
  return {v[0] / length + 0.0, v[1] / length + 0.0, v[2] / length + 0.0};
}

/// All rotations of a cubic, tetragonal or hexagonal class, computed as products of generators; the identity is first.
NEML2_BODY std::vector<Rotation>
rotations_of(const std::string & group)
{
  const double h = 0.5, b = std::sqrt(0.75);
  const Rotation twofold_x{{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}},
      twofold_z{{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}}, fourfold{{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}},
      sixfold{{{h, -b, 0}, {b, h, 0}, {0, 0, 1}}}, diagonal{{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
  std::vector<Rotation> generators;
  if (group == "432" || group == "23")
    generators = {group == "432" ? fourfold : twofold_z, diagonal};
  else
    generators = {group[0] == '6' ? sixfold : fourfold};
  if (group == "42" || group == "622")
    generators.push_back(twofold_x);

  std::vector<Rotation> all{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
  for (std::size_t i = 0; i < all.size(); i++)
    for (const Rotation & G : generators)
    {
      Rotation P{};
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
          for (int k = 0; k < 3; k++)
            P[r][c] += G[r][k] * all[i][k][c];
      const auto is_same = [&](const Rotation & Q)
      { return product(P[0], Q[0]) + product(P[1], Q[1]) + product(P[2], Q[2]) > 3 - 1e-6; };
      if (std::none_of(all.begin(), all.end(), is_same))
        all.push_back(P);
    }
  return all;
}

NEML2_BODY Lattice
lattice_of(const std::string & function, const std::string & name, double c_over_a)
{
  const std::string group = name == "fcc" || name == "bcc" ? "432"
                            : name == "hcp"                ? "622"
                                                           : crystallography::rotation_group(name);
  const bool cubic = group == "432" || group == "23";
  NEML2_CHECK(
      cubic || group == "4" || group == "42" || group == "6" || group == "622",
      function,
      ": for class ",
      name,
      ", c_over_a is not enough to define planes and directions by indices. Expected \"fcc\", "
      "\"bcc\", \"hcp\" or a cubic, tetragonal or hexagonal class. For this class, apply "
      "symmetry(\"",
      name,
      "\") to vectors.");
  NEML2_CHECK(!cubic || c_over_a == 0 || c_over_a == 1,
              function,
              ": c_over_a is ",
              c_over_a,
              " for the cubic lattice ",
              name,
              ", whose axes are equal. Leave it out.");
  NEML2_CHECK(cubic || (c_over_a > 0 && std::isfinite(c_over_a)),
              function,
              ": c_over_a is ",
              c_over_a,
              " for the lattice ",
              name,
              ". Expected the ratio of its axes, a number above 0, such as 1.624 of magnesium.");
  return {function, name, group, cubic ? 1.0 : c_over_a, rotations_of(group)};
}

/// The integers between two brackets: digits, each with or without a minus, or numbers separated by spaces or commas.
/// The list is empty if the text is not valid.
NEML2_BODY std::vector<int>
integers(const std::string & text)
{
  const bool apart = text.find_first_of(" ,") != std::string::npos;
  std::vector<int> out;
  for (std::size_t i = 0; i < text.size(); i++)
  {
    if (text[i] == ' ' || text[i] == ',')
      continue;
    const int sign = text[i] == '-' ? -1 : 1;
    i += sign < 0;
    if (i >= text.size() || text[i] < '0' || text[i] > '9' || out.size() == 4)
      return {};
    int value = text[i] - '0';
    for (; apart && i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9' && value < 1000;
         i++)
      value = 10 * value + (text[i + 1] - '0');
    out.push_back(sign * value);
  }
  return out;
}

/// The unit normal of a plane, or a unit direction, from its indices. There are three indices; hexagonal lattices also
/// allow four. The result is empty if the indices are not valid.
NEML2_BODY std::optional<Triple>
of_indices(const Lattice & lattice, const std::vector<int> & i, bool plane)
{
  const bool four = i.size() == 4 && lattice.hexagonal() && i[0] + i[1] + i[2] == 0;
  if (i.size() != 3 && !four)
    return std::nullopt;
  const double x = i[0], y = i[1], z = i.back(), r = lattice.c_over_a, root = std::sqrt(3.0);
  Triple v{x, y, plane ? z / r : z * r};
  if (lattice.hexagonal() && plane)
    v[1] = (x + 2 * y) / root;
  else if (lattice.hexagonal() && four)
    v = {1.5 * x, root / 2 * (x + 2 * y), z * r}; // with t = -u - v
  else if (lattice.hexagonal())
    v = {x - y / 2, root / 2 * y, z * r};
  if (product(v, v) == 0)
    return std::nullopt;
  return unit_of(v);
}

/// Reads a family {hkl}<uvw> or (hkl)[uvw].
NEML2_BODY Family
family_of(const Lattice & lattice, const std::string & text)
{
  const auto wrong = [&]
  {
    core::fail(
        lattice.function,
        ": \"",
        text,
        "\" is not a family of the lattice ",
        lattice.name,
        ". Expected ",
        lattice.hexagonal()
            ? "{10-11}<11-20> or (10-11)[-12-10], with three indices, or with four whose first "
              "three add up to 0"
            : "{111}<110> or (111)[1-10], three indices of a plane and three of a direction",
        lattice.name == "hcp" && lattice.function == "slip_systems"
            ? ", or one of basal, prismatic, pyramidal <a>, pyramidal <c+a> and first-order "
              "pyramidal <c+a>."
            : ".");
  };
  const auto begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  if (begin == std::string::npos)
    wrong();
  const bool one_pair = text[begin] == '(';
  const std::string brackets = one_pair ? "()[]" : "{}<>";
  std::array<std::size_t, 4> at{};
  for (int k = 0; k < 4; k++)
    at[k] = text.find(brackets[k], k == 0 ? begin : at[k - 1]);
  const bool complete = at[0] == begin && at[1] != std::string::npos &&
                        at[2] != std::string::npos && at[3] == end &&
                        text.find_first_not_of(' ', at[1] + 1) == at[2];
  if (!complete)
    wrong();
  const auto n =
      of_indices(lattice, integers(text.substr(at[0] + 1, at[1] - at[0] - 1)), /*plane=*/true);
  const auto b =
      of_indices(lattice, integers(text.substr(at[2] + 1, at[3] - at[2] - 1)), /*plane=*/false);
  if (!n || !b)
    wrong();
  return {text.substr(begin, end - begin + 1), {*n, *b}, one_pair};
}

/// The parts of a text that are separated by commas outside of brackets.
NEML2_BODY std::vector<std::string>
separated(const std::string & families)
{
  std::vector<std::string> out(1);
  int depth = 0;
  for (const char c : families)
  {
    depth += (c == '{' || c == '(' || c == '[' || c == '<') -
             (c == '}' || c == ')' || c == ']' || c == '>');
    if (c == ',' && depth == 0)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}
} // namespace neml2::tensors::glide
