// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/instruction_set.h"

/// The tile of + - * / on whole rows. These treat all components alike, so that rows need no transposing, and one loop serves all types.
namespace neml2::packs
{
/// The rows of the operands: one of the two may have a single number per row of the other.
struct RowPair
{
  int components; ///< of the rows of the result
  bool left_is_number, right_is_number;
};

/// Evaluates a op b row by row; the formula that tiles receive is a RowPair. The result may be an operand.
template <class Op>
struct ElementwiseTile
{
  static constexpr bool is_numbers = false;
  static constexpr bool is_wide = false;
  static constexpr bool may_join_products = true; // it has no product and sum

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
    const Op op;
    const double *a = data[0], *b = data[1];
    double * r = data[2];
    for (; rows > 0; rows--, a += stride[0], b += stride[1], r += stride[2])
      if (n < P::width)
      {
        const double left = a[0], right = b[0];
        for (int k = 0; k < n; k++)
          r[k] = op(LeftIsNumber ? left : a[k], RightIsNumber ? right : b[k]);
      }
      else
      {
        const P left(LeftIsNumber ? a[0] : 0.0), right(RightIsNumber ? b[0] : 0.0);
        const auto at = [&](int k) NEML2_INLINE_LAMBDA {
          return P(
              op(LeftIsNumber ? left : P::load(a + k), RightIsNumber ? right : P::load(b + k)));
        };
        // The last pack may overlap the one before, so its numbers are loaded first: the result may be an operand.
        const P last = at(n - P::width);
        for (int k = 0; k < n - P::width; k += P::width)
          at(k).store(r + k);
        last.store(r + n - P::width);
      }
  }
};
} // namespace neml2::packs
