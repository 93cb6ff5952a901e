// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/evaluate.h"
#include "neml2/engine/slabs.h"
#include "neml2/packs/Dual.h"

/// Tiles that differentiate a formula by dual numbers.
namespace neml2::core
{
/// Derivatives carried at once: the largest divisor of n up to 6. Larger chunks lose to spilled
/// registers, smaller ones evaluate the formula more often.
constexpr int
partials_at_once(int n)
{
  int c = n < 6 ? n : 6;
  while (n % c != 0)
    c--;
  return c;
}

/// The rows of all arguments for packs P, and the formula on them with argument V active.
template <class F, int V, class Arguments>
struct DualCall;
template <class F, int V, class... A>
struct DualCall<F, V, Types<A...>>
{
  using Active = std::tuple_element_t<size_t(V), std::tuple<A...>>;
  static constexpr int n = component_count<Active>, chunk = partials_at_once(n);

  template <class P>
  using Rows = RowSlots<std::index_sequence_for<A...>, row_t<A, P>...>;

  /// Loads a row of each argument.
  template <class P, size_t... I>
  NEML2_INLINE static void load(
      Rows<P> & rows, const Size * stride, double * const * p, Size left, std::index_sequence<I...>)
  {
    (load_either<component_count<A>>(components(row_of<I>(rows)), stride[I], p[I], left), ...);
  }

  /// The formula with derivatives by components [first, first + chunk) of argument V.
  template <class P, size_t... I>
  NEML2_CALLS_FORMULA static auto
  call(const F & f, Rows<P> & rows, int first, std::index_sequence<I...>)
  {
    return f(argument<P, int(I)>(row_of<I>(rows), first)...);
  }

private:
  template <class P, int I, class Row>
  NEML2_INLINE static decltype(auto) argument(const Row & row, int first)
  {
    if constexpr (I != V)
      return (row);
    else
    {
      auto d = unset_row<Active, kernels::Dual<P, chunk>>();
      NEML2_UNROLL
      for (int k = 0; k < n; k++)
      {
        auto & c = components(d)[k];
        c.x = components(row)[k];
        NEML2_UNROLL
        for (int j = 0; j < chunk; j++)
          c.d[j] = P(k == first + j ? 1.0 : 0.0);
      }
      return d;
    }
  }
};

/// One in the lanes that hold a row, zero in those past the end.
template <class P>
NEML2_INLINE P
lanes_in_use(Size rows)
{
  P p;
  for (int w = 0; w < P::width; w++)
    p.lane(w, w < rows ? 1.0 : 0.0);
  return p;
}

/// Gradient by argument V from the gradients of the results: operands are the arguments, the results'
/// gradients, then the argument's gradient. Where that does not move from row to row it is the sum over
/// the tile.
template <class F, int V, class Results, class Arguments>
struct VectorJacobianTile;
template <class F, int V, class... R, class... A>
struct VectorJacobianTile<F, V, Types<R...>, Types<A...>>
{
  using Call = DualCall<F, V, Types<A...>>;
  static constexpr int n = Call::n;
  static constexpr int numbers = (component_count<A> + ... + (component_count<R> + ... + n));
  static constexpr int baseline_width = 1; // rarely used: one plain row at a time compiles faster

  template <class P>
  NEML2_INLINE static void
  run(const void * formula, double * const * data, const Size * stride, Size rows)
  {
    run<P>(*static_cast<const F *>(formula),
           data,
           stride,
           rows,
           std::index_sequence_for<A...>(),
           std::index_sequence_for<R...>());
  }

private:
  static constexpr int K = sizeof...(A), all = K + int(sizeof...(R)) + 1;

  template <class P, size_t... I, size_t... J>
  NEML2_INLINE static void run(const F & f,
                               double * const * data,
                               const Size * stride,
                               Size rows,
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
    for (Size left = rows; left > 0; left -= P::width)
    {
      typename Call::template Rows<P> row;
      Call::template load<P>(row, stride, p, left, each_argument);
      RowSlots<std::index_sequence_for<R...>, row_t<R, P>...> weight;
      (load_either<component_count<R>>(
           components(row_of<J>(weight)), stride[K + int(J)], p[K + int(J)], left),
       ...);
      P gradient[n];
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

  /// gradient_j += Σ_o weight_o ∂r_o/∂x_j
  template <int M, class P, class T>
  NEML2_INLINE static void add(P * gradient, const P * weight, const T * r)
  {
    NEML2_UNROLL
    for (int o = 0; o < M; o++)
      NEML2_UNROLL
    for (int j = 0; j < Call::chunk; j++)
      gradient[j] = gradient[j] + weight[o] * kernels::derivative(r[o], j);
  }
};

/// Runs a vector-Jacobian tile over the batch: the gradient by the argument, of its shape, summed over
/// the dimensions it was broadcast along. Undefined if there are too many dimensions.
inline at::Tensor
vector_jacobian(const RowFormula & formula,
                ArrayRef<Operand> operands,
                TensorShapeRef batch,
                const Operand & argument)
{
  const at::Tensor & x = *argument.tensor;
  const at::Tensor dense = at::detail::empty_cpu(x.sizes(), x.scalar_type());
  Memories m = memories(operands);
  m.push_back(memory(dense, argument.batch_dim));
  Plan plan;
  if (!plan.set(batch, m, int(operands.size())))
    return at::Tensor();
  RowLayout & o = plan.operand[plan.operands - 1];
  const Size tile = tile_rows(formula.loop, plan, formula.numbers);
  // Along dimensions the argument was broadcast: a sum a tile along the lanes, else each row's own.
  TensorShape parts, sums;
  bool broadcast = false;
  for (int d = 0; d < plan.dims; d++)
  {
    const bool is_lane = d == plan.lane_dim;
    const bool shared = o.stride[d] == 0 && plan.size[d] != 1;
    broadcast = broadcast || shared;
    parts.push_back(is_lane && shared ? (plan.size[d] + tile - 1) / tile : plan.size[d]);
    sums.push_back(shared ? 1 : plan.size[d]);
  }
  at::Tensor partial;
  if (broadcast)
  {
    parts.push_back(o.components);
    sums.push_back(o.components);
    partial = at::detail::empty_cpu(parts, kFloat64);
    Size rows = o.components;
    o.data = static_cast<char *>(partial.data_ptr());
    o.offset = nullptr;
    o.is_float = false;
    for (int d = plan.dims - 1; d >= 0; d--)
    {
      const bool is_sum = d == plan.lane_dim && o.stride[d] == 0;
      o.stride[d] = is_sum ? 0 : rows;
      if (is_sum)
        o.tile_stride = rows;
      rows *= parts[size_t(d)];
    }
  }
  run(formula.loop, formula.object, plan, tile, formula.numbers);
  return broadcast ? summed(partial, sums, 1).reshape(x.sizes()) : dense;
}
} // namespace neml2::core
