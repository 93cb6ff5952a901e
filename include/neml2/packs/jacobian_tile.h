// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/dual_call.h"

/// The tile of values and Jacobians by one argument.
namespace neml2::packs
{
/// Values and Jacobians of a formula: operands are the arguments, the values, then the Jacobians by
/// argument V.
template <class F, int V, class Results, class Arguments>
struct JacobianTile;
template <class F, int V, class... R, class... A>
struct JacobianTile<F, V, Types<R...>, Types<A...>>
  : DualTile<JacobianTile<F, V, Types<R...>, Types<A...>>, F, Types<R...>, Types<A...>>
{
  using Call = DualCall<F, V, Types<A...>>;
  static constexpr int n = Call::n;
  static constexpr int numbers =
      (component_count<A> + ... + ((component_count<R> * (1 + n)) + ... + 0));

private:
  static constexpr int K = sizeof...(A), M = sizeof...(R), all = K + 2 * M;

  template <int Count, class P>
  struct Block
  {
    P value[Count], jacobian[Count * n];
  };

  template <size_t J, class B>
  struct BlockSlot : B
  {
  };
  template <class Indices, class P>
  struct Blocks;
  template <size_t... J, class P>
  struct Blocks<std::index_sequence<J...>, P> : BlockSlot<J, Block<component_count<R>, P>>...
  {
  };
  template <size_t J, class B>
  NEML2_INLINE static B & block_of(BlockSlot<J, B> & slot)
  {
    return slot;
  }

public:
  template <class P, size_t... I, size_t... J>
  NEML2_INLINE static void run_rows(const F & f,
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
      (store<component_count<R> * n>(
           block_of<J>(block).jacobian, stride[K + M + int(J)], p[K + M + int(J)], left),
       ...);
      for (int k = 0; k < all; k++)
        p[k] += stride[k] * P::width;
    }
  }

  template <int Count, class P, class T>
  NEML2_INLINE static void keep(Block<Count, P> & block, const T * r, int first)
  {
    NEML2_UNROLL
    for (int o = 0; o < Count; o++)
    {
      block.value[o] = kernels::value(r[o]);
      NEML2_UNROLL
      for (int j = 0; j < Call::chunk; j++)
        block.jacobian[o * n + first + j] = kernels::derivative(r[o], j);
    }
  }
};
} // namespace neml2::packs
