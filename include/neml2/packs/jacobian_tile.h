// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/dual_call.h"

/// The work on one tile (a series of rows): values, and their Jacobians with respect to some of the arguments.
namespace neml2::packs
{
/// The values of a formula, and the Jacobians of its results Of. The operands are the arguments, then the values, then the Jacobians with
/// respect to the arguments V, result by result.
template <class F, class V, class Results, class Arguments, class Of>
struct JacobianTile;
template <class F, size_t... V, class... R, class... A, size_t... Of>
struct JacobianTile<F,
                    std::index_sequence<V...>,
                    Types<R...>,
                    Types<A...>,
                    std::index_sequence<Of...>> : DualTile<JacobianTile<F,
                                                                        std::index_sequence<V...>,
                                                                        Types<R...>,
                                                                        Types<A...>,
                                                                        std::index_sequence<Of...>>,
                                                           F,
                                                           Types<R...>,
                                                           Types<A...>>
{
  using Call = DualCall<F, std::index_sequence<V...>, Types<A...>>;
  template <size_t J>
  using Result = std::tuple_element_t<J, std::tuple<R...>>;
  template <size_t I>
  using Argument = std::tuple_element_t<I, std::tuple<A...>>;
  static constexpr int n = Call::n, padded = Call::padded;
  static constexpr int entries = n * (0 + ... + component_count<Result<Of>>);
  static constexpr int numbers = (component_count<A> + ... + (component_count<R> + ... + entries));

private:
  static constexpr int K = sizeof...(A), M = sizeof...(R),
                       all = K + M + int(sizeof...(Of) * sizeof...(V));

  template <size_t J>
  static constexpr bool is_differentiated = ((J == Of) || ...);

  template <int Count, class P, bool Differentiated>
  struct Block
  {
    P value[Count > 0 ? Count : 1], jacobian[Differentiated && Count > 0 ? Count *padded : 1];
  };

  template <size_t J, class B>
  struct BlockSlot : B
  {
  };
  template <class Indices, class P>
  struct Blocks;
  template <size_t... J, class P>
  struct Blocks<std::index_sequence<J...>, P>
    : BlockSlot<J, Block<component_count<R>, P, is_differentiated<J>>>...
  {
  };
  template <size_t J, class B>
  NEML2_INLINE static B & block_of(BlockSlot<J, B> & slot)
  {
    return slot;
  }

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
    for (int64_t left = rows; left > 0; left -= P::width)
    {
      typename Call::template Rows<P> row;
      Call::template load<P>(row, stride, p, left, each_argument);
      Blocks<std::index_sequence_for<R...>, P> block;
      for (int first = 0; first < n; first += Call::chunk)
      {
        const auto r = Call::template call<P>(f, row, first, each_argument);
        (keep(block_of<J>(block), components(result_of<J>(r)), first), ...);
      }
      (store<component_count<R>>(block_of<J>(block).value, stride[K + int(J)], p[K + int(J)], left),
       ...);
      int k = K + M;
      (store_jacobians<component_count<Result<Of>>>(
           block_of<Of>(block).jacobian, stride, p, k, left),
       ...);
      for (k = 0; k < all; k++)
        p[k] += stride[k] * P::width;
    }
  }

  /// Stores the Jacobian of a result in parts, one per argument, in the operands from k on.
  template <int Count, class P>
  NEML2_INLINE static void store_jacobians(
      const P * jacobian, const int64_t * stride, double * const * p, int & k, int64_t left)
  {
    (store_columns<Count, Call::template first_of<V>, component_count<Argument<V>>>(
         jacobian, stride[k], p[k], left, k),
     ...);
  }
  template <int Count, int First, int Columns, class P>
  NEML2_INLINE static void
  store_columns(const P * jacobian, int64_t stride, double * p, int64_t left, int & k)
  {
    k++;
    if constexpr (Columns == padded)
      store<Count * Columns>(jacobian, stride, p, left);
    else
    {
      P part[Count * Columns];
      for (int o = 0; o < Count; o++)
        for (int j = 0; j < Columns; j++)
          part[o * Columns + j] = jacobian[o * padded + First + j];
      store<Count * Columns>(part, stride, p, left);
    }
  }

  template <int Count, class P, bool Differentiated, class T>
  NEML2_INLINE static void keep(Block<Count, P, Differentiated> & block, const T * r, int first)
  {
    NEML2_UNROLL
    for (int o = 0; o < Count; o++)
    {
      block.value[o] = kernels::value(r[o]);
      if constexpr (Differentiated)
        NEML2_UNROLL
      for (int j = 0; j < Call::chunk; j++)
        block.jacobian[o * padded + first + j] = kernels::derivative(r[o], j);
    }
  }
};
} // namespace neml2::packs
