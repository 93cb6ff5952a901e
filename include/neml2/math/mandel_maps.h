// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/TensorCache.h"
#include "neml2/math/operators.h"
#include "neml2/kernels/mandel.h"

/// The conventions of Mandel and of skew components, as numbers and as tensors of indices and
/// factors, which mandel.h applies.
namespace neml2
{
// ---- The conventions ----------------------------------------------------------------------------

using kernels::mandel_index;
using kernels::mandel_reverse_index;

/// The factor that turns a tensor component into the Mandel component i: 1, and √2 for the shear
/// components.
/// @throws IndexException unless i is in [0, 6).
constexpr Real
mandel_factor(Size i)
{
  NEML2_CHECK_AS(IndexException,
                 0 <= i && i < 6,
                 "mandel_factor: the component ",
                 i,
                 " is out of range: expected one in [0, 6).");
  return i < 3 ? 1.0 : sqrt2;
}

/// Loops over components use these two tables: W_ij = w[skew_reverse_index[i][j]] * skew_factor[i][j], where w = (W_21, W_02, W_10) is the
/// axial vector. For a batch w of the type WR2, R2(w) is W.
constexpr int skew_reverse_index[3][3] = {{0, 2, 1}, {2, 0, 0}, {1, 0, 0}};
constexpr Real skew_factor[3][3] = {{0, -1, 1}, {1, 0, -1}, {-1, 1, 0}};

// ---- Their tensors ------------------------------------------------------------------------------

// A map contains, for each reduced component, its place among the nine components (row by row); a reverse map contains,
// for each of the nine components, its place among the reduced ones. A tensor of factors contains the factor of each
// entry. These tensors are made once per dtype and device: never write to them.

namespace math
{
inline TensorOptions
index_options(const char * where, const TensorOptions & options)
{
  const auto o = options.has_dtype() ? options : options.dtype(default_integer_dtype());
  NEML2_CHECK(c10::isIntegralType(c10::typeMetaToScalarType(o.dtype()), /*includeBool=*/false),
              where,
              ": expected options of an integer dtype such as kInt64, got ",
              o.dtype(),
              ": these are indices.");
  return o.requires_grad(false);
}

inline TensorOptions
factor_options(const char * where, const TensorOptions & options)
{
  check_floating(where, options);
  return with_dtype(options).requires_grad(false);
}
} // namespace math

/// The places of the Mandel components among the nine components of a matrix, row by row: 0 4 8 5 2 1. (; 6)
/// Made once for each dtype and device: do not write to it.
/// @throws NEMLException for options that are not of an integer dtype.
inline const Tensor &
full_to_mandel_map(const TensorOptions & options = default_integer_tensor_options())
{
  static TensorCache cache(
      [](const TensorOptions & o) {
        return Tensor::create({0, 4, 8, 5, 2, 1}, o);
      });
  return cache(math::index_options("full_to_mandel_map", options));
}

/// The factors that turn components of a matrix into Mandel components: 1 1 1 √2 √2 √2. (; 6)
/// Made once for each dtype and device: do not write to it.
/// @throws NEMLException for options of an integer dtype.
inline const Tensor &
full_to_mandel_factor(const TensorOptions & options = default_tensor_options())
{
  static TensorCache cache(
      [](const TensorOptions & o) {
        return Tensor::create({1.0, 1.0, 1.0, sqrt2, sqrt2, sqrt2}, o);
      });
  return cache(math::factor_options("full_to_mandel_factor", options));
}

/// The Mandel component for each of the nine components of a matrix, row by row: 0 5 4 5 1 3 4 3 2. (; 9)
/// Made once for each dtype and device: do not write to it.
/// @throws NEMLException for options that are not of an integer dtype.
inline const Tensor &
mandel_to_full_map(const TensorOptions & options = default_integer_tensor_options())
{
  static TensorCache cache(
      [](const TensorOptions & o) {
        return Tensor::create({0, 5, 4, 5, 1, 3, 4, 3, 2}, o);
      });
  return cache(math::index_options("mandel_to_full_map", options));
}

/// The factors that turn Mandel components into the nine components of a matrix, row by row: 1 on the diagonal,
/// otherwise 1/√2. (; 9)
/// Made once for each dtype and device: do not write to it.
/// @throws NEMLException for options of an integer dtype.
inline const Tensor &
mandel_to_full_factor(const TensorOptions & options = default_tensor_options())
{
  constexpr Real s = invsqrt2;
  static TensorCache cache(
      [](const TensorOptions & o) {
        return Tensor::create({1.0, s, s, s, 1.0, s, s, s, 1.0}, o);
      });
  return cache(math::factor_options("mandel_to_full_factor", options));
}

/// The places of the axial vector (W_21, W_02, W_10) among the nine components of a matrix, row by row: 7 2 3. (; 3)
/// Made once for each dtype and device: do not write to it.
/// @throws NEMLException for options that are not of an integer dtype.
inline const Tensor &
full_to_skew_map(const TensorOptions & options = default_integer_tensor_options())
{
  static TensorCache cache([](const TensorOptions & o) { return Tensor::create({7, 2, 3}, o); });
  return cache(math::index_options("full_to_skew_map", options));
}

/// The factors that turn components of a matrix into the axial vector: 1 1 1. (; 3)
/// Made once for each dtype and device: do not write to it.
inline const Tensor &
full_to_skew_factor(const TensorOptions & options = default_tensor_options())
{
  static TensorCache cache([](const TensorOptions & o) { return Tensor::create({1, 1, 1}, o); });
  return cache(core::with_dtype(options).requires_grad(false));
}

/// The component of the axial vector for each of the nine components of a matrix, row by row: 0 2 1 2 0 0 1 0 0, where
/// the diagonal entries are ignored. (; 9)
/// Made once for each dtype and device: do not write to it.
/// @throws NEMLException for options that are not of an integer dtype.
inline const Tensor &
skew_to_full_map(const TensorOptions & options = default_integer_tensor_options())
{
  static TensorCache cache(
      [](const TensorOptions & o) {
        return Tensor::create({0, 2, 1, 2, 0, 0, 1, 0, 0}, o);
      });
  return cache(math::index_options("skew_to_full_map", options));
}

/// The factors that turn components of the axial vector into the nine components of a matrix, row by row:
/// 0 -1 1 1 0 -1 -1 1 0. (; 9)
/// Made once for each dtype and device: do not write to it.
inline const Tensor &
skew_to_full_factor(const TensorOptions & options = default_tensor_options())
{
  static TensorCache cache(
      [](const TensorOptions & o) {
        return Tensor::create({0, -1, 1, 1, 0, -1, -1, 1, 0}, o);
      });
  return cache(core::with_dtype(options).requires_grad(false));
}
} // namespace neml2
