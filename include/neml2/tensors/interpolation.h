// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"
#include "neml2/kernels/interpolation.h"
#include "neml2/tensors/fwd.h"

#include <array>
#include <vector>

/**
 * Interpolation in tables of measured or given points, with values beyond the ends.
 *
 *     constexpr std::array<double, 3> temperatures{20, 200, 400}, moduli{210e3, 202e3, 185e3};
 *     const SR2 stress = vmap([](auto C, auto strain, auto T)
 *                             { return interpolate(T, temperatures, moduli) * (C * strain); }, ...);
 */
namespace neml2
{
namespace tensors
{
/// The number of entries of a table whose type fixes its size: a std::array of constants, or a tensor of fixed base shape.
template <class T>
constexpr int
fixed_table_size()
{
  if constexpr (core::is_primitive<T>)
    return int(T::const_base_numel);
  else
    return kernels::table_size<T>;
}
template <class T>
constexpr bool is_table = std::is_same_v<T, Tensor> || (fixed_table_size<T>() > 0);
template <class T>
constexpr bool is_abscissa = std::is_same_v<T, Scalar> || std::is_arithmetic_v<T>;
template <class... T>
constexpr bool has_tensor = (core::is_tensor<T> || ...);
/// Whether all types are Scalar or Tensor: then the overloads for Scalars and Tensors take the arguments.
template <class... T>
constexpr bool is_general = ((std::is_same_v<T, Scalar> || std::is_same_v<T, Tensor>)&&...);

/// Enables an overload if at least one argument is a tensor, and at least one is a number or a table of fixed size.
template <class X, class Xs, class Ys>
using if_fixed_table = std::enable_if_t<is_abscissa<X> && is_table<Xs> && is_table<Ys> &&
                                            has_tensor<X, Xs, Ys> && !is_general<X, Xs, Ys>,
                                        int>;
template <class X, class Y, class Xs, class Ys, class Values>
using if_fixed_table_of_two =
    std::enable_if_t<is_abscissa<X> && is_abscissa<Y> && is_table<Xs> && is_table<Ys> &&
                         is_table<Values> && has_tensor<X, Y, Xs, Ys, Values> &&
                         !is_general<X, Y, Xs, Ys, Values>,
                     int>;
} // namespace tensors

/**
 * The value at x of the table of points (abscissae_i, ordinates_i), in the unit of the ordinates; x and the abscissae
 * have the same unit. (...; ), (...; n), (...; n) -> (...; ) with n at least 2. There is one table for the whole batch,
 * or one per batch entry.
 *
 * Interpolant::linear is a straight line from point to point. Interpolant::monotone_cubic has a continuous derivative,
 * and is monotone where the points are monotone, so that it never overshoots. Its derivative at a point is the slope of
 * the parabola through the point and its two neighbours (at an end, through the three points nearest to the end). This
 * slope is limited to three times the smaller of the two adjacent slopes, and is 0 if the adjacent slopes differ in sign.
 * If the points are on a line, the interpolant is this line. The interpolant is accurate to third order where no slope is
 * limited. Between two points it depends on the four points around them.
 *
 * Beyond the ends, Beyond::constant holds the value at the end, because the points say nothing about values beyond them,
 * and a held value keeps its sign and its bounds. Beyond::extrapolate continues along the tangent at the end. Beyond::nan
 * gives NaN with derivatives 0: if one table serves all batch entries, an x beyond the ends does not spoil the gradient
 * with respect to this table. NaN in x gives NaN.
 *
 * There are derivatives of any order with respect to x, abscissae and ordinates. At a point of a linear table, derivatives
 * differ between the two adjacent intervals: the derivatives of the interval after the point are used, and at the last point
 * the derivatives of the interval before it.
 *
 * The abscissae are checked, and the check synchronises with a GPU. In a formula of vmap, a table must have a type of
 * fixed size or consist of constants.
 * @throws NEMLException also if abscissae or ordinates do not have exactly one base dimension, if they differ in the number
 *   of entries, or if the abscissae are not finite or do not increase strictly.
 *
 * Source: Fritsch and Carlson (1980), SIAM J. Numer. Anal. 17, 238-246; here slopes are limited to the region
 *   [0, 3]² of that paper.
 */
Scalar interpolate(const Scalar & x,
                   const Tensor & abscissae,
                   const Tensor & ordinates,
                   Interpolant interpolant = Interpolant::linear,
                   Beyond beyond = Beyond::constant);
Scalar
interpolate(const Scalar & x, const Tensor & abscissae, const Tensor & ordinates, Beyond beyond);

/**
 * The value at (x, y) of the table of values_ij at (x_abscissae_i, y_abscissae_j), in the unit of the values. It is bilinear:
 * linear along either axis between neighbouring abscissae. (...; ), (...; ), (...; n), (...; m), (...; n, m) -> (...; )
 * with n and m at least 2.
 *
 * Beyond the ends of either axis, Beyond::constant holds the value at the end, Beyond::extrapolate continues the bilinear
 * function of the nearest cell, and Beyond::nan gives NaN. The abscissae are checked, and the check synchronises with a
 * GPU.
 * @throws NEMLException also if the sizes do not fit, or if abscissae are not finite or do not increase strictly.
 */
Scalar interpolate(const Scalar & x,
                   const Scalar & y,
                   const Tensor & x_abscissae,
                   const Tensor & y_abscissae,
                   const Tensor & values,
                   Beyond beyond = Beyond::constant);

/**
 * The value at x of a table of fixed size, in formulas of vmap and on whole batches. Abscissae and ordinates are each a
 * tensor of a type with n components, a std::array of n constants or, on batches, a Tensor; x is a Scalar or a number.
 * (...; ), (...; n), (...; n) -> (...; )
 *
 * Abscissae of a type of fixed size are not checked in advance, so nothing synchronises with a GPU: the value of a
 * batch entry is NaN if its abscissae are not finite and increasing. If an argument is a number or consists of constants,
 * the result is computed in float64, as in the fused pass.
 * @throws std::invalid_argument if constant abscissae are not finite and increasing.
 */
template <class X, class Xs, class Ys, tensors::if_fixed_table<X, Xs, Ys> = 0>
Scalar interpolate(const X & x,
                   const Xs & abscissae,
                   const Ys & ordinates,
                   Interpolant interpolant = Interpolant::linear,
                   Beyond beyond = Beyond::constant);
template <class X, class Xs, class Ys, tensors::if_fixed_table<X, Xs, Ys> = 0>
Scalar interpolate(const X & x, const Xs & abscissae, const Ys & ordinates, Beyond beyond);

/// The bilinear value at (x, y) of a table of fixed size, in formulas of vmap and on whole batches. The values are n × m
/// numbers, in which the values of the same x are adjacent: a tensor of base shape (n, m) or (n m), or constants. The
/// result is NaN if abscissae of a type of fixed size are not finite and increasing. (...; ), (...; ), (...; n), (...; m),
/// (...; n, m) -> (...; )
/// @throws std::invalid_argument if constant abscissae are not finite and increasing.
template <class X,
          class Y,
          class Xs,
          class Ys,
          class Values,
          tensors::if_fixed_table_of_two<X, Y, Xs, Ys, Values> = 0>
Scalar interpolate(const X & x,
                   const Y & y,
                   const Xs & x_abscissae,
                   const Ys & y_abscissae,
                   const Values & values,
                   Beyond beyond = Beyond::constant);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/tensors/Scalar.h"

namespace neml2
{
namespace tensors
{
/// An argument of interpolate. It has any of the allowed types.
struct TableArgument
{
  core::Operand operand;         ///< has no tensor if the argument consists of constants
  std::vector<double> constants; ///< a number counts as one constant
  bool is_general;               ///< whether it is a Tensor; abscissae of a Tensor are checked
};

Scalar interpolate(const TableArgument & x,
                   const TableArgument & abscissae,
                   const TableArgument & ordinates,
                   Interpolant interpolant,
                   Beyond beyond);
Scalar interpolate(const TableArgument & x,
                   const TableArgument & y,
                   const TableArgument & x_abscissae,
                   const TableArgument & y_abscissae,
                   const TableArgument & values,
                   Beyond beyond);

template <class T>
TableArgument
table_argument(const T & a)
{
  if constexpr (core::is_tensor<T>)
    return {core::operand(a), {}, std::is_same_v<T, Tensor>};
  else if constexpr (std::is_arithmetic_v<T>)
    return {{}, {double(a)}, false};
  else
    return {{}, std::vector<double>(a.begin(), a.end()), false};
}

/// @throws std::invalid_argument if constant abscissae are not finite and increasing.
template <class Xs>
void
check_constants([[maybe_unused]] const Xs & xs)
{
  if constexpr (!core::is_tensor<Xs>)
    kernels::check_abscissae(xs);
}
} // namespace tensors

template <class X, class Xs, class Ys, tensors::if_fixed_table<X, Xs, Ys>>
Scalar
interpolate(
    const X & x, const Xs & abscissae, const Ys & ordinates, Interpolant interpolant, Beyond beyond)
{
  using tensors::table_argument;
  tensors::check_constants(abscissae);
  return tensors::interpolate(
      table_argument(x), table_argument(abscissae), table_argument(ordinates), interpolant, beyond);
}
template <class X, class Xs, class Ys, tensors::if_fixed_table<X, Xs, Ys>>
Scalar
interpolate(const X & x, const Xs & abscissae, const Ys & ordinates, Beyond beyond)
{
  return interpolate(x, abscissae, ordinates, Interpolant::linear, beyond);
}

template <class X,
          class Y,
          class Xs,
          class Ys,
          class Values,
          tensors::if_fixed_table_of_two<X, Y, Xs, Ys, Values>>
Scalar
interpolate(const X & x,
            const Y & y,
            const Xs & x_abscissae,
            const Ys & y_abscissae,
            const Values & values,
            Beyond beyond)
{
  using tensors::table_argument;
  tensors::check_constants(x_abscissae);
  tensors::check_constants(y_abscissae);
  return tensors::interpolate(table_argument(x),
                              table_argument(y),
                              table_argument(x_abscissae),
                              table_argument(y_abscissae),
                              table_argument(values),
                              beyond);
}
} // namespace neml2

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/interpolation-inl.h"
#endif
