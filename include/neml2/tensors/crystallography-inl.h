// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/crystallography.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/crystallography.h"
#include "neml2/kernels/crystallography.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace neml2::crystallography
{
NEML2_BODY Quaternion
crystal_symmetry_operators::tetragonal(const TensorOptions & options)
{
  core::check_floating("crystal_symmetry_operators::tetragonal", options);
  return Quaternion::create({{o, z, z, z},
                             {z, z, o, z},
                             {z, o, z, z},
                             {z, z, z, o},
                             {a, z, z, -a},
                             {a, z, z, a},
                             {z, a, a, z},
                             {z, -a, a, z}},
                            options);
}

NEML2_BODY Quaternion
crystal_symmetry_operators::hexagonal(const TensorOptions & options)
{
  core::check_floating("crystal_symmetry_operators::hexagonal", options);
  return Quaternion::create({{o, z, z, z},
                             {-h, z, z, b},
                             {h, z, z, b},
                             {b, z, z, -h},
                             {z, z, z, o},
                             {b, z, z, h},
                             {z, -h, b, z},
                             {z, o, z, z},
                             {z, h, b, z},
                             {z, b, h, z},
                             {z, z, o, z},
                             {z, b, -h, z}},
                            options);
}

NEML2_BODY Quaternion
crystal_symmetry_operators::cubic(const TensorOptions & options)
{
  core::check_floating("crystal_symmetry_operators::cubic", options);
  return Quaternion::create({{o, z, z, z},   {h, h, h, h},    {-h, h, h, h},  {h, -h, h, h},
                             {h, h, -h, h},  {-h, -h, -h, h}, {h, -h, -h, h}, {-h, -h, h, h},
                             {-h, h, -h, h}, {z, z, o, z},    {z, z, z, o},   {z, o, z, z},
                             {z, -a, z, a},  {z, a, z, a},    {a, z, a, z},   {a, z, -a, z},
                             {z, z, -a, a},  {a, a, z, z},    {a, -a, z, z},  {z, z, a, a},
                             {z, -a, a, z},  {a, z, z, -a},   {z, a, a, z},   {a, z, z, a}},
                            options);
}

NEML2_BODY std::string
rotation_group(const std::string & crystal_class)
{
  // The point groups of each Laue group: their names in the international tables, and other names that files use
  static constexpr std::array<std::pair<const char *, const char *>, 11> groups{
      {{"1", "-1"},
       {"2", "m 2/m"},
       {"222", "mm2 mmm 22"},
       {"3", "-3"},
       {"32", "3m -3m"},
       {"4", "-4 4/m"},
       {"42", "422 4mm -42m -4m2 4/mmm"},
       {"6", "-6 6/m"},
       {"622", "6mm -6m2 -62m 6/mmm 62"},
       {"23", "m-3 m3"},
       {"432", "-43m m-3m m3m 43"}}};
  std::string name = crystal_class;
  name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
  std::string known;
  for (const auto & [rotations, others] : groups)
  {
    const bool is_other =
        (" " + std::string(others) + " ").find(" " + name + " ") != std::string::npos;
    if (name == rotations || (is_other && !name.empty()))
      return rotations;
    known += (known.empty() ? "" : "; ") + std::string(rotations) + " (" + others + ")";
  }
  core::fail("Unknown crystal class \"",
             crystal_class,
             "\". Expected one of 1, 2, 222, 3, 32, 4, 42, 6, 622, 23 and 432, or a point group of "
             "the same Laue "
             "group: ",
             known,
             ".");
}

NEML2_BODY Quaternion
symmetry_quaternions(const std::string & crystal_class, const TensorOptions & options)
{
  const std::string orbifold = rotation_group(crystal_class);
  namespace of = crystal_symmetry_operators;
  const auto some = [&](const Quaternion & all, std::initializer_list<std::pair<Size, Size>> ranges)
  {
    std::vector<at::Tensor> parts;
    for (const auto & [begin, end] : ranges)
      parts.push_back(all.slice(0, begin, end));
    return Quaternion(at::cat(parts, 0).detach().set_requires_grad(options.requires_grad()));
  };
  if (orbifold == "432")
    return of::cubic(options);
  if (orbifold == "23")
    return some(of::cubic(options), {{0, 12}});
  if (orbifold == "622")
    return of::hexagonal(options);
  if (orbifold == "32")
    return some(of::hexagonal(options), {{0, 3}, {9, 12}});
  if (orbifold == "6")
    return some(of::hexagonal(options), {{0, 6}});
  if (orbifold == "3")
    return some(of::hexagonal(options), {{0, 3}});
  if (orbifold == "42")
    return of::tetragonal(options);
  if (orbifold == "4")
    return some(of::tetragonal(options), {{0, 1}, {3, 6}});
  if (orbifold == "222")
    return some(of::tetragonal(options), {{0, 4}});
  if (orbifold == "2")
    return some(of::tetragonal(options), {{0, 2}});
  return some(of::tetragonal(options), {{0, 1}});
}

NEML2_BODY R2
symmetry(const std::string & orbifold, const TensorOptions & options)
{
  return core::translate_errors("symmetry",
                                [&]
                                {
                                  const at::Tensor S =
                                      symmetry_quaternions(orbifold, options.requires_grad(false));
                                  const at::Tensor R = composed::symmetry_matrices(S);
                                  return R2(R.set_requires_grad(options.requires_grad()));
                                });
}

NEML2_BODY Vec
unique_bidirectional(const R2 & T, const Vec & v)
{
  const char * const where = "unique_bidirectional";
  core::check_operands(where, {core::operand(T), core::operand(v)});
  NEML2_CHECK(T.batch_dim() == 1 && v.batch_dim() == 0,
              where,
              ": expected one batch of operations (n; 3, 3) and one vector (; 3), got ",
              core::operand(T),
              " and ",
              core::operand(v),
              ".");
  NEML2_CHECK(core::has_known_values(T) && core::has_known_values(v),
              where,
              ": the number of directions depends on the values of ",
              core::operand(v),
              ", which are not available here (meta or fake tensor, trace or torch.func). Call the "
              "function outside of traces and torch.func, on a tensor that has values.");
  return core::translate_errors(where, [&] { return Vec(composed::unique_directions(T, v)); });
}
} // namespace neml2::crystallography

namespace neml2::tensors
{
/// The operators in the form that the kernels read: their number, and a pointer to the numbers of the tensor. The tensor
/// must live as long as the pointer is used. The pointer is null if the values are not known; no kernel runs in that
/// case.
NEML2_BODY kernels::Symmetries
symmetries(const Quaternion & operators)
{
  const void * const data = has_known_values(operators) ? operators.data_ptr() : nullptr;
  return {static_cast<const double *>(data), int(operators.size(0))};
}

/// The operators P of one class that make different rotations Pᵀ S with the operators S of another class. If h is in
/// both classes, P and h P make the same rotations, because (h P)ᵀ (h S) = Pᵀ S: only the first one is kept. If
/// both classes are equal, only the identity is kept. If values are not known, all operators P are returned.
NEML2_BODY Quaternion
without_repetitions(const Quaternion & P, const Quaternion & S)
{
  if (!has_known_values(P) || !has_known_values(S))
    return P;
  const auto row = [](const Quaternion & q, Size i)
  {
    const double * const x = q.data_ptr<double>() + 4 * i;
    return kernels::Quaternion<double>{x[0], x[1], x[2], x[3]};
  };
  const auto same = [](const auto & a, const auto & b) { return std::abs(inner(a, b)) > 1 - 1e-6; };
  const Size m = P.size(0), n = S.size(0);
  std::vector<int64_t> kept;
  for (Size i = 0; i < m; i++)
  {
    const auto repeats = [&](int64_t k)
    {
      const auto h = row(P, i) * conjugate(row(P, k));
      for (Size j = 0; j < n; j++)
        if (same(h, row(S, j)))
          return true;
      return false;
    };
    if (std::none_of(kept.begin(), kept.end(), repeats))
      kept.push_back(i);
  }
  return Quaternion(P.index_select(0, at::tensor(kept, kInt64)));
}

/// Evaluates a function of the orientations r and q and of the operators of their classes.
template <class Result, class RowBody, class BatchBody>
Result
compare_phases(const char * name,
               const RowBody & row_body,
               const BatchBody & batch_body,
               const Rot & r,
               const Rot & q,
               const std::string & orbifold_of_r,
               const std::string & orbifold_of_q)
{
  using crystallography::symmetry_quaternions;
  const auto of_q = symmetry_quaternions(orbifold_of_q, TensorOptions(kFloat64));
  const auto of_r =
      without_repetitions(symmetry_quaternions(orbifold_of_r, TensorOptions(kFloat64)), of_q);
  return engine::evaluate_leaf<Result>(
      name,
      Wide([row_body, P = symmetries(of_r), S = symmetries(of_q)](const auto & x, const auto & y)
           { return row_body(x, y, P, S); }),
      [&](const at::Tensor & x, const at::Tensor & y) { return batch_body(x, y, of_r, of_q); },
      r,
      q);
}
} // namespace neml2::tensors

namespace neml2::crystallography
{
NEML2_BODY Scalar
misorientation(const Rot & r, const Rot & q, const std::string & orbifold)
{
  const auto operators = symmetry_quaternions(orbifold, TensorOptions(kFloat64));
  return engine::evaluate_leaf<Scalar>(
      "misorientation",
      packs::Wide([S = tensors::symmetries(operators)](const auto & x, const auto & y)
                  { return kernels::misorientation(x, y, S); }),
      [&](const at::Tensor & x, const at::Tensor & y)
      { return composed::misorientation(x, y, operators); },
      r,
      q);
}

NEML2_BODY Scalar
misorientation(const Rot & r,
               const Rot & q,
               const std::string & orbifold_of_r,
               const std::string & orbifold_of_q)
{
  return tensors::compare_phases<Scalar>(
      "misorientation",
      [](const auto &... a) { return kernels::misorientation(a...); },
      [](const auto &... a) { return composed::misorientation(a...); },
      r,
      q,
      orbifold_of_r,
      orbifold_of_q);
}

NEML2_BODY Rot
disorientation(const Rot & r,
               const Rot & q,
               const std::string & orbifold_of_r,
               const std::string & orbifold_of_q)
{
  return tensors::compare_phases<Rot>(
      "disorientation",
      [](const auto &... a) { return kernels::disorientation(a...); },
      [](const auto &... a) { return composed::disorientation(a...); },
      r,
      q,
      orbifold_of_r,
      orbifold_of_q);
}

NEML2_BODY Rot
disorientation(const Rot & r, const Rot & q, const std::string & orbifold)
{
  // Class "1" is enough for r: with D = R(q) R(r)ᵀ, S D Pᵀ has the same angle as Pᵀ S D, and Pᵀ S is in the class.
  return disorientation(r, q, "1", orbifold);
}

NEML2_BODY Rot
move_to_fundamental_zone(const Rot & r, const std::string & orbifold, const Rot & reference)
{
  const auto operators = symmetry_quaternions(orbifold, TensorOptions(kFloat64));
  return engine::evaluate_leaf<Rot>(
      "move_to_fundamental_zone",
      packs::Wide([S = tensors::symmetries(operators)](const auto & x, const auto & near)
                  { return kernels::move_to_fundamental_zone(x, S, near); }),
      [&](const at::Tensor & x, const at::Tensor & near)
      { return composed::closest_orientation(x, near, operators); },
      r,
      reference);
}

NEML2_BODY Rot
move_to_fundamental_zone(const Rot & r, const std::string & orbifold)
{
  core::check_defined("move_to_fundamental_zone", r);
  const auto reference = Rot::fill(0, 0, 0.005, r.options().requires_grad(false));
  return move_to_fundamental_zone(r, orbifold, reference);
}
} // namespace neml2::crystallography
