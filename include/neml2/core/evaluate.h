// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/core/driver.h"
#include "neml2/kernels/Components.h"

#include <tuple>
#include <type_traits>

/**
 * Runs an operation over a batch: the only place that chooses how.
 *
 * A leaf has a row body, a formula on one tensor, and a batch body of a few coarse ATen calls. A
 * composite is one generic lambda over leaves, and serves as both. Dense CPU tensors of float32 or
 * float64 without gradient take one fused pass over memory; everything else (CUDA, other dtypes,
 * autograd, functorch, tracing) runs the batch body through LibTorch's dispatcher.
 */
namespace neml2::core
{
/// Whether the row loop may read this tensor's memory and nothing watches the operation.
inline bool
is_plain(const at::Tensor & t)
{
  constexpr c10::DispatchKeySet plain_keys({c10::DispatchKey::CPU,
                                            c10::DispatchKey::ADInplaceOrView,
                                            c10::DispatchKey::AutogradCPU,
                                            c10::DispatchKey::AutocastCPU});
  return plain_keys.has_all(t.key_set()) && !t._fw_grad(0).defined() &&
         !(t.requires_grad() && c10::GradMode::is_enabled());
}

/// Whether no mode (functorch, tracing, Python) stands between a call and the CPU.
inline bool
dispatches_plainly()
{
  return c10::default_included_set.has_all(c10::impl::tls_local_dispatch_key_set().included_);
}

/// Whether these operands take the fused loop.
inline bool
are_fusible(ArrayRef<Operand> operands)
{
  const auto dtype = operands[0].tensor->scalar_type();
  if (dtype != kFloat64 && dtype != kFloat32)
    return false;
  for (const auto & x : operands)
    if (!is_plain(*x.tensor) || x.tensor->scalar_type() != dtype)
      return false;
  return dispatches_plainly();
}

/// Whether an operation on these tensors would take the fused loop (for tests and benchmarks: the
/// answer is the same either way, only slow).
template <class... A>
bool
can_fuse(const A &... a)
{
  return are_fusible({operand(a)...});
}

/// Offsets of a row's components where they are not adjacent; empty where they are.
inline void
component_offsets(SmallVector<Size, 0> & offsets, TensorShapeRef sizes, TensorShapeRef strides)
{
  Size dense = 1;
  bool adjacent = true;
  for (size_t d = sizes.size(); d-- > 0;)
  {
    adjacent = adjacent && strides[d] == dense;
    dense *= sizes[d];
  }
  if (adjacent)
    return;
  offsets.resize(size_t(dense), 0);
  for (Size c = 0; c < dense; c++)
  {
    Size rest = c;
    for (size_t d = sizes.size(); d-- > 0;)
    {
      offsets[size_t(c)] += rest % sizes[d] * strides[d];
      rest /= sizes[d];
    }
  }
}

/// Runs a row formula over the batch into a new tensor; undefined if the batch has more dimensions
/// that do not merge than a plan holds.
inline at::Tensor
evaluate_rows(const TileLoop & loop,
              const void * formula,
              ArrayRef<Operand> arguments,
              TensorShapeRef batch,
              TensorShapeRef result_base,
              int numbers)
{
  const auto dtype = arguments[0].tensor->scalar_type();
  at::Tensor result = at::detail::empty_cpu(utils::add_shapes(batch, result_base), dtype);

  const int K = int(arguments.size());
  const Size n = Size(batch.size());
  TensorShapeRef sizes[max_operands], strides[max_operands];
  Size batch_dim[max_operands];
  for (int k = 0; k <= K; k++)
  {
    const at::Tensor & t = k < K ? *arguments[size_t(k)].tensor : result;
    sizes[k] = t.sizes();
    strides[k] = t.strides();
    batch_dim[k] = k < K ? arguments[size_t(k)].batch_dim : n;
  }

  Plan plan;
  plan.operands = K + 1;
  for (Size d = 0; d < n; d++)
  {
    Size stride[max_operands];
    for (int k = 0; k <= K; k++)
    {
      const Size own = d - n + batch_dim[k];
      stride[k] = own < 0 || sizes[k][size_t(own)] == 1 ? 0 : strides[k][size_t(own)];
    }
    if (!plan.add_dim(batch[size_t(d)], stride))
      return {};
  }
  plan.finish();

  SmallVector<Size, 0> offsets[max_operands];
  for (int k = 0; k <= K; k++)
  {
    const size_t b = size_t(batch_dim[k]);
    component_offsets(offsets[k], sizes[k].slice(b), strides[k].slice(b));
    plan.operand[k].data =
        static_cast<char *>((k < K ? *arguments[size_t(k)].tensor : result).data_ptr());
    plan.operand[k].offset = offsets[k].empty() ? nullptr : offsets[k].data();
  }
  run(loop, formula, plan, result.element_size(), numbers);
  return result;
}

/// Number of components of a row.
template <class A>
constexpr int component_count = int(A::const_base_numel);

/// Row of type A for packs P.
template <class A, class P>
using row_t = typename A::template Row<P>;

/// First component of a row: a scalar's row is the component itself.
template <class R>
NEML2_INLINE auto *
components(R & row)
{
  if constexpr (kernels::is_row<std::remove_const_t<R>>::value)
    return row.v;
  else
    return &row;
}

/// The tile of an operation: for each block loads a row of each argument, evaluates, stores.
template <class Result, class F, class... A>
struct ForwardTile
{
  template <class P>
  NEML2_INLINE static void
  run(const void * formula, const Plan & plan, char * const * data, Size rows)
  {
    run<P>(*static_cast<const F *>(formula), plan, data, rows, std::index_sequence_for<A...>());
  }

private:
  template <class P, size_t... I>
  NEML2_INLINE static void run(const F & formula,
                               const Plan & plan,
                               char * const * data,
                               Size rows,
                               std::index_sequence<I...>)
  {
    constexpr int K = sizeof...(A);
    char * p[K + 1];
    Size stride[K + 1];
    for (int k = 0; k <= K; k++)
    {
      p[k] = data[k];
      stride[k] = plan.operand[k].stride[plan.lane_dim];
    }
    std::tuple<row_t<A, P>...> row;
    // A row that all blocks of the tile share is loaded once.
    ((stride[I] == 0 ? load_shared<component_count<A>>(
                           components(std::get<I>(row)), plan.operand[I].offset, p[I])
                     : void()),
     ...);
    for (Size left = rows; left > 0; left -= P::width)
    {
      ((stride[I] != 0
            ? load<component_count<A>>(
                  components(std::get<I>(row)), plan.operand[I].offset, stride[I], p[I], left)
            : void()),
       ...);
      const row_t<Result, P> r = formula(static_cast<const row_t<A, P> &>(std::get<I>(row))...);
      store<component_count<Result>>(components(r), stride[K], p[K], left);
      for (int k = 0; k <= K; k++)
        p[k] += stride[k] * Size(sizeof(typename P::Element)) * P::width;
    }
  }
};

/// Every component a row of its own: what an operation that treats all components alike runs on.
struct Number
{
  template <class T>
  using Row = T;
  static constexpr Size const_base_numel = 1;
  static constexpr std::array<Size, 0> const_base_sizes = {};
};

/// The fused evaluation of operands that are fusible.
template <class Result, class F, class... A>
at::Tensor
fused(const F & formula, ArrayRef<Operand> o, TensorShapeRef batch)
{
  using Tile = ForwardTile<Result, F, A...>;
  const auto loop =
      o[0].tensor->scalar_type() == kFloat64 ? tile_loop<double, Tile>() : tile_loop<float, Tile>();
  constexpr int numbers = (component_count<A> + ... + component_count<Result>);
  return evaluate_rows(loop, &formula, o, batch, Result::const_base_sizes, numbers);
}

/// Evaluates a leaf: row_body on each row where it can be fused, else batch_body on whole batches.
template <class Result, class RowBody, class BatchBody, class... A>
Result
evaluate_leaf(const Operation & op,
              const RowBody & row_body,
              const BatchBody & batch_body,
              const A &... a)
{
  static_assert(sizeof...(A) < max_operands);
  const Operand o[] = {operand(a)...};
  check_operands(op, o);
  const TensorShape batch = broadcast_batch(op, o);
  if (are_fusible(o))
  {
    at::Tensor result = fused<Result, RowBody, A...>(row_body, o, batch);
    if (result.defined())
      return Result(Trusted(), std::move(result), Size(batch.size()));
  }
  return batch_body(a...);
}

/// Evaluates a composite: one formula for rows and for batches.
template <class Result, class F, class... A>
Result
evaluate(const Operation & op, const F & formula, const A &... a)
{
  return evaluate_leaf<Result>(op, formula, formula, a...);
}
} // namespace neml2::core
