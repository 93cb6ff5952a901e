// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/compiled.h"

/// The header with which exported formulas are compiled. It evaluates a recorded formula at one point, without LibTorch.
namespace neml2::recorded
{
/// Computes the results of a formula at one point. `arguments` contains the N components of all arguments, one after the other, and
/// `results` the M components of all results. Returns false if a component of a result is NaN.
template <class Formula, int N, int M>
NEML2_ROUNDS_PRODUCTS bool
compute_point(const double * arguments, double * results)
{
  using P = packs::Pack<1>;
  P x[N > 0 ? N : 1], s[Formula::shared > 0 ? Formula::shared : 1], y[M];
  for (int i = 0; i < N; i++)
    x[i] = P(arguments[i]);
  Formula::once(x, s);
  Formula::each(x, s, y);
  bool is_valid = true;
  for (int i = 0; i < M; i++)
  {
    results[i] = y[i].v;
    is_valid = is_valid && results[i] == results[i];
  }
  return is_valid;
}
} // namespace neml2::recorded
