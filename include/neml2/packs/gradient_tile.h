// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/dual_call.h"

/// The work on one tile (a series of rows) for vector-Jacobian products: the gradient with respect to one argument, from the gradients with
/// respect to the results.
namespace neml2::packs
{
/// One in the lanes that hold a row, zero in the lanes past the end.
template <class P>
NEML2_INLINE P
lanes_in_use(int64_t rows)
{
  P p;
  for (int w = 0; w < P::width; w++)
    p.lane(w, w < rows ? 1.0 : 0.0);
  return p;
}

/// Computes the gradient with respect to argument V from the gradients with respect to the results. The operands are the arguments, then
/// these gradients, then the result. If all rows share this last operand (its stride is 0), the gradient is summed over the tile.
template <class F, int V, class Results, class Arguments>
struct VectorJacobianTile;
template <class F, int V, class... R, class... A>
struct VectorJacobianTile<F, V, Types<R...>, Types<A...>>
  : DualTile<VectorJacobianTile<F, V, Types<R...>, Types<A...>>, F, Types<R...>, Types<A...>>
{
  using Call = DualCall<F, std::index_sequence<size_t(V)>, Types<A...>>;
  static constexpr int n = Call::n;
  static constexpr int numbers = (component_count<A> + ... + (component_count<R> + ... + n));

private:
  static constexpr int K = sizeof...(A), all = K + int(sizeof...(R)) + 1;

public:
  template <class P, size_t... I, size_t... J>
  NEML2_CALLS_FORMULA static void run_rows(const F & f,
                                           double * const * data,
                                           const int64_t * stride,
                                           int64_t rows,
                                           std::index_sequence<I...> each_argument,
                                           std::index_sequence<J...>)
  {
    double * p[all];
    for (int k = 0; k < all; k++)
      p[k] = data[k];
    const bool sums = stride[all - 1] == 0;
    P total[n];
    for (int k = 0; k < n; k++)
      total[k] = P(0.0);
    for (int64_t left = rows; left > 0; left -= P::width)
    {
      typename Call::template Rows<P> row;
      Call::template load<P>(row, stride, p, left, each_argument);
      RowSlots<std::index_sequence_for<R...>, row_t<R, P>...> weight;
      (load_either<component_count<R>>(
           components(row_of<J>(weight)), stride[K + int(J)], p[K + int(J)], left),
       ...);
      P gradient[Call::padded];
      for (int first = 0; first < n; first += Call::chunk)
      {
        const auto r = Call::template call<P>(f, row, first, each_argument);
        for (int j = 0; j < Call::chunk; j++)
          gradient[first + j] = P(0.0);
        (add<component_count<R>>(
             gradient + first, components(row_of<J>(weight)), components(result_of<J>(r))),
         ...);
      }
      if (sums)
      {
        const P used = lanes_in_use<P>(left);
        for (int k = 0; k < n; k++)
          total[k] = total[k] + where(used > 0.0, gradient[k], P(0.0));
      }
      else
        store<n>(gradient, stride[all - 1], p[all - 1], left);
      for (int k = 0; k < all; k++)
        p[k] += stride[k] * P::width;
    }
    if (sums)
      for (int k = 0; k < n; k++)
      {
        double s = 0;
        for (int w = 0; w < P::width; w++)
          s += total[k].lane(w);
        data[all - 1][k] = s;
      }
  }

  /// gradient_j += Σ_o weight_o ∂r_o/∂x_j. A weight of 0 adds nothing, even if the derivative is NaN: a value that where() did
  /// not choose may have no derivative.
  template <int M, class P, class T>
  NEML2_INLINE static void add(P * gradient, const P * weight, const T * r)
  {
    NEML2_UNROLL
    for (int o = 0; o < M; o++)
    {
      const auto counts = weight[o] != P(0.0);
      NEML2_UNROLL
      for (int j = 0; j < Call::chunk; j++)
        gradient[j] = gradient[j] + where(counts, weight[o] * kernels::derivative(r[o], j), P(0.0));
    }
  }
};
} // namespace neml2::packs
