// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/Components.h"
#include "neml2/math/index_map.h"
#include "neml2/math/mandel_maps.h"

/**
 * Converts two base dimensions of sizes (3, 3) to one dimension of Mandel or of skew components, and back, at any
 * position in any tensor. R2, SR2 and WR2 convert into each other directly. The maps and factors are in mandel_maps.h;
 * Voigt's notation is in tensors/Voigt.h.
 */
namespace neml2
{
namespace math
{
/// Entries map[i] of dimension d, each multiplied by factors[i].
inline at::Tensor
selected(const at::Tensor & t, Size d, const at::Tensor & map, const at::Tensor & factors)
{
  return entries(t, d, lifted(map)) * composed::append_dims(lifted(factors), t.dim() - d - 1);
}

/// Checks that base dimensions dim and dim + 1 have the sizes (3, 3). Returns the position of the first one among all
/// dimensions.
inline Size
check_matrix_at(const Operation & op, const Tensor & full, Size dim)
{
  check_operand(op, operand(full));
  const Size d = position(op.name, full, dim, full.batch_dim(), full.dim());
  NEML2_CHECK(d + 1 < full.dim() && full.size(d) == 3 && full.size(d + 1) == 3,
              op.name,
              ": the base dimensions ",
              d - full.batch_dim(),
              " and ",
              d - full.batch_dim() + 1,
              " of ",
              operand(full),
              " are not those of a matrix. Expected 3 and 3.");
  return d;
}

inline Tensor
reduced_from_full(
    const Operation & op, const Tensor & full, const Tensor & map, const Tensor & factors, Size d)
{
  return Tensor(
      Trusted(),
      translate_errors(op.name, [&] { return selected(full.flatten(d, d + 1), d, map, factors); }),
      full.batch_dim());
}

inline Tensor
full_from_reduced(const Operation & op,
                  const Tensor & reduced,
                  const Tensor & map,
                  const Tensor & factors,
                  Size d)
{
  return Tensor(
      Trusted(),
      translate_errors(
          op.name,
          [&] {
            return selected(reduced, d, map, factors).unflatten(d, at::IntArrayRef({3, 3}));
          }),
      reduced.batch_dim());
}

/// Checks that base dimension dim has this size. Returns its position among all dimensions.
inline Size
check_reduced_at(const Operation & op, const Tensor & reduced, Size dim, Size size)
{
  check_operand(op, operand(reduced));
  const Size d = position(op.name, reduced, dim, reduced.batch_dim(), reduced.dim());
  NEML2_CHECK(reduced.size(d) == size,
              op.name,
              ": the base dimension ",
              d - reduced.batch_dim(),
              " of ",
              operand(reduced),
              " has the size ",
              reduced.size(d),
              ". Expected ",
              size,
              ".");
  return d;
}

/// @throws NEMLException unless the indices of the map are in [0, n), there is one factor per index, and the factors have t's dtype.
inline void
check_reduction(
    const Operation & op, const Tensor & t, const Tensor & map, const Tensor & factors, Size n)
{
  const Operand o[] = {operand(t), operand(factors)};
  check_operands(op, o);
  check_index_map(op, operand(map), n);
  NEML2_CHECK(map.dim() == 1 && factors.dim() == 1 && map.size(0) == factors.size(0),
              op.name,
              ": the map ",
              operand(map),
              " and the factors ",
              operand(factors),
              " do not belong together. Expected one dimension each, equally long.");
  NEML2_CHECK(map.device() == t.device(),
              op.name,
              ": the map is on ",
              map.device(),
              ", the tensor on ",
              t.device(),
              ". Move one with .to(device).");
}

inline TensorOptions
index_options_for(const Tensor & t)
{
  return TensorOptions().dtype(kInt64).device(t.device());
}
} // namespace math

/// Replaces base dimensions dim and dim + 1, of sizes (3, 3), by one dimension. The new dimension has the entries that rmap names, each
/// multiplied by its rfactor; the indices in rmap count the nine entries row by row. (...; a, 3, 3, b), (; n), (; n) -> (...; a, n, b)
/// @throws NEMLException also for an index outside [0, 9). The check of the indices synchronises
/// with a GPU.
inline Tensor
full_to_reduced(const Tensor & full, const Tensor & rmap, const Tensor & rfactors, Size dim = 0)
{
  const core::Operation op("full_to_reduced", core::Accepts::numbers);
  const Size d = math::check_matrix_at(op, full, dim);
  math::check_reduction(op, full, rmap, rfactors, 9);
  return math::reduced_from_full(op, full, rmap.to(math::index_options_for(full)), rfactors, d);
}

/// Replaces base dimension dim by two dimensions of sizes (3, 3). For each of the nine new entries, row by row, rmap
/// names the old entry, which is multiplied by its rfactor. (...; a, n, b), (; 9), (; 9) -> (...; a, 3, 3, b)
/// @throws NEMLException also for an index outside [0, n). The check of the indices synchronises
/// with a GPU.
inline Tensor
reduced_to_full(const Tensor & reduced, const Tensor & rmap, const Tensor & rfactors, Size dim = 0)
{
  const core::Operation op("reduced_to_full", core::Accepts::numbers);
  core::check_operand(op, core::operand(reduced));
  const Size d = core::position(op.name, reduced, dim, reduced.batch_dim(), reduced.dim());
  math::check_reduction(op, reduced, rmap, rfactors, reduced.size(d));
  NEML2_CHECK(rmap.size(0) == 9,
              op.name,
              ": the map ",
              core::operand(rmap),
              " has ",
              rmap.size(0),
              " entries. Expected nine.");
  return math::full_from_reduced(
      op, reduced, rmap.to(math::index_options_for(reduced)), rfactors, d);
}

/// Mandel components of base dimensions dim and dim + 1: entries (0,0), (1,1), (2,2) and √2 times (1,2), (0,2), (0,1).
/// The function does not symmetrise: A_ij with i < j is used, and A_ji is ignored. (...; a, 3, 3, b) -> (...; a, 6, b)
inline Tensor
full_to_mandel(const Tensor & full, Size dim = 0)
{
  const core::Operation op("full_to_mandel");
  const Size d = math::check_matrix_at(op, full, dim);
  return math::reduced_from_full(op,
                                 full,
                                 full_to_mandel_map(math::index_options_for(full)),
                                 full_to_mandel_factor(full.options()),
                                 d);
}

/// The symmetric matrices of Mandel components in the base dimension dim.
/// (...; a, 6, b) -> (...; a, 3, 3, b)
inline Tensor
mandel_to_full(const Tensor & mandel, Size dim = 0)
{
  const core::Operation op("mandel_to_full");
  const Size d = math::check_reduced_at(op, mandel, dim, 6);
  return math::full_from_reduced(op,
                                 mandel,
                                 mandel_to_full_map(math::index_options_for(mandel)),
                                 mandel_to_full_factor(mandel.options()),
                                 d);
}

/// Axial vectors (W_21, W_02, W_10) of base dimensions dim and dim + 1. The function does not take the skew part: it
/// ignores the other entries. (...; a, 3, 3, b) -> (...; a, 3, b). Also for integers.
inline Tensor
full_to_skew(const Tensor & full, Size dim = 0)
{
  const core::Operation op("full_to_skew", core::Accepts::numbers);
  const Size d = math::check_matrix_at(op, full, dim);
  return math::reduced_from_full(op,
                                 full,
                                 full_to_skew_map(math::index_options_for(full)),
                                 full_to_skew_factor(full.options()),
                                 d);
}

/// The skew matrices W_ij = -ε_ijk w_k of axial vectors in the base dimension dim.
/// (...; a, 3, b) -> (...; a, 3, 3, b). Also for integers.
inline Tensor
skew_to_full(const Tensor & skew, Size dim = 0)
{
  const core::Operation op("skew_to_full", core::Accepts::numbers);
  const Size d = math::check_reduced_at(op, skew, dim, 3);
  return math::full_from_reduced(op,
                                 skew,
                                 skew_to_full_map(math::index_options_for(skew)),
                                 skew_to_full_factor(skew.options()),
                                 d);
}
} // namespace neml2
