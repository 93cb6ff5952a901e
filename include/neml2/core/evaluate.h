// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Tensor.h"
#include "neml2/core/tile.h"

/**
 * Runs an operation over a batch: the only place that chooses how.
 *
 * A leaf has a row body, a formula on one tensor, and a batch body of a few
 * coarse ATen calls. A composite is one generic lambda over leaves, and serves
 * as both. Dense CPU tensors of float32 or float64 without gradient take one
 * fused pass over memory; everything else (CUDA, other dtypes, autograd,
 * functorch, tracing) runs the batch body through LibTorch's dispatcher.
 */
namespace neml2::core
{
/// Whether the row loop may read this tensor's memory and nothing watches the
/// operation.
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

/// Whether no mode (functorch, tracing, Python) stands between a call and the
/// CPU.
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

/// Whether an operation on these tensors would take the fused loop (for tests
/// and benchmarks: the answer is the same either way, only slow).
template <class... A>
bool
can_fuse(const A &... a)
{
  return are_fusible({operand(a)...});
}

/// Runs a tile loop over the batch into new tensors, one for each base shape of
/// results. False, with nothing computed, if the batch has more dimensions that
/// do not merge than a plan holds.
inline bool
evaluate_rows(const TileLoop & loop,
              const void * formula,
              int numbers,
              Dtype dtype,
              TensorShapeRef batch,
              SmallVector<Memory, max_operands> & operands,
              ArrayRef<TensorShapeRef> bases,
              at::Tensor * results)
{
  for (size_t i = 0; i < bases.size(); i++)
  {
    results[i] = at::detail::empty_cpu(utils::add_shapes(batch, bases[i]), dtype);
    operands.push_back(memory(results[i], Size(batch.size())));
  }
  Plan plan;
  if (!plan.set(batch, operands))
    return false;
  run(loop, formula, plan, Size(c10::elementSize(dtype)), numbers);
  return true;
}

/// The fused evaluation of fusible operands; undefined if there are too many
/// dimensions for it.
template <class Result, class F, class... A>
at::Tensor
fused(const F & formula, ArrayRef<Operand> o, TensorShapeRef batch)
{
  static_assert(sizeof...(A) < max_operands);
  using Tile = ForwardTile<F, Types<Result>, Types<A...>>;
  constexpr int numbers = (component_count<A> + ... + component_count<Result>);
  const auto dtype = o[0].tensor->scalar_type();
  const auto loop = dtype == kFloat64 ? tile_loop<double, Tile>() : tile_loop<float, Tile>();
  SmallVector<Memory, max_operands> operands;
  for (const auto & x : o)
    operands.push_back(memory(*x.tensor, x.batch_dim));
  at::Tensor result;
  const bool done =
      evaluate_rows(loop, &formula, numbers, dtype, batch, operands, {Result::base_shape}, &result);
  return done ? result : at::Tensor();
}

/// Evaluates a leaf: row_body on each row where it can be fused, else
/// batch_body on whole batches.
template <class Result, class RowBody, class BatchBody, class... A>
Result
evaluate_leaf(const Operation & op,
              const RowBody & row_body,
              const BatchBody & batch_body,
              const A &... a)
{
  const Operand o[] = {operand(a)...};
  check_operands(op, o);
  const TensorShape batch = broadcast_batch(op, o);
  if (are_fusible(o))
  {
    at::Tensor result = fused<Result, RowBody, A...>(row_body, o, batch);
    if (result.defined())
      return Result(Trusted(), std::move(result), Size(batch.size()));
  }
  return translate_errors(op.name, [&] { return batch_body(a...); });
}

/// Evaluates a composite: one formula for rows and for batches.
template <class Result, class F, class... A>
Result
evaluate(const Operation & op, const F & formula, const A &... a)
{
  return evaluate_leaf<Result>(op, formula, formula, a...);
}
} // namespace neml2::core
