// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/instruction_set.h"

/// The loop over one tile (a series of rows) for + - * / on whole rows. These operations treat all components alike, so rows need no
/// transposing, and one loop serves all types.
namespace neml2::packs
{
/// The layout of the operands' rows: one operand may have a single number in place of each row.
struct RowPair
{
  int components; ///< how many components a row of the result has
  bool left_is_number, right_is_number;
};

/// Evaluates a op b row by row; `formula` is the address of a RowPair. The result may overwrite an operand of whole rows.
template <class Op>
struct ElementwiseTile
{
  static constexpr bool is_numbers = false;
  static constexpr bool is_wide = false;
  static constexpr bool may_join_products = true; // no sum follows a product

  template <class P>
  NEML2_CALLS_FORMULA static void
  run(const void * formula, double * const * data, const int64_t * stride, int64_t rows)
  {
    const auto & pair = *static_cast<const RowPair *>(formula);
    if (pair.left_is_number)
      run<P, true, false>(pair.components, data, stride, rows);
    else if (pair.right_is_number)
      run<P, false, true>(pair.components, data, stride, rows);
    else
      run<P, false, false>(pair.components, data, stride, rows);
  }

private:
  template <class P, bool LeftIsNumber, bool RightIsNumber>
  NEML2_CALLS_FORMULA static void
  run(int n, double * const * data, const int64_t * stride, int64_t rows)
  {
    const double *a = data[0], *b = data[1];
    double * r = data[2];
    for (; rows > 0; rows--, a += stride[0], b += stride[1], r += stride[2])
    {
      int k = 0;
      each<P, LeftIsNumber, RightIsNumber>(k, n, a, b, r);
      if constexpr (P::width > 2)
        each<Pack<2>, LeftIsNumber, RightIsNumber>(k, n, a, b, r);
      if constexpr (P::width > 1)
        each<Pack<1>, LeftIsNumber, RightIsNumber>(k, n, a, b, r);
    }
  }

  /// Evaluates the components from k on that fill whole packs P, and sets k to the first component after them.
  template <class P, bool LeftIsNumber, bool RightIsNumber>
  NEML2_INLINE static void each(int & k, int n, const double * a, const double * b, double * r)
  {
    const Op op;
    const P left(LeftIsNumber ? a[0] : 0.0), right(RightIsNumber ? b[0] : 0.0);
    for (; k + P::width <= n; k += P::width)
      P(op(LeftIsNumber ? left : P::load(a + k), RightIsNumber ? right : P::load(b + k)))
          .store(r + k);
  }
};
} // namespace neml2::packs
