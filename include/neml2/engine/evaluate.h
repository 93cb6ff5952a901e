// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Tensor.h"
#include "neml2/core/modes.h"
#include "neml2/engine/Gradient.h"
#include "neml2/engine/tiles.h"

/**
 * Runs an operation over a batch: the only place that chooses how.
 *
 * A leaf has a row body, a formula on one tensor, and a batch body of a few coarse ATen calls. A
 * composite is one generic lambda over leaves, and serves as both. Dense CPU tensors of float32 or
 * float64 take one fused pass over memory, also where autograd records the operation and it has a
 * derivative rule; everything else (CUDA, other dtypes, functorch, tracing) runs the batch body
 * through LibTorch's dispatcher.
 */
namespace neml2::engine
{
/// How to evaluate an operation on some operands.
enum class Path
{
  fused,
  recorded, ///< fused, with a node for autograd
  composed
};

inline Path
choose_path(ArrayRef<Operand> operands)
{
  const at::Tensor * first = nullptr;
  bool recorded = false;
  const bool grad_mode =
      c10::GradMode::is_enabled() && !c10::impl::tls_local_dispatch_key_set().excluded_.has(
                                         c10::DispatchKey::AutogradFunctionality);
  for (const auto & x : operands)
    if (x.tensor)
    {
      const at::Tensor & t = *x.tensor;
      const auto dtype = t.scalar_type();
      if (first ? dtype != first->scalar_type() : dtype != kFloat64 && dtype != kFloat32)
        return Path::composed;
      if (!is_plain(t))
        return Path::composed;
      recorded = recorded || (grad_mode && t.requires_grad());
      first = &t;
    }
  if (!dispatches_plainly())
    return Path::composed;
  return recorded ? Path::recorded : Path::fused;
}

/// Whether these operands take the fused loop, and no gradient is to be recorded.
inline bool
are_fusible(ArrayRef<Operand> operands)
{
  return choose_path(operands) == Path::fused;
}

/// Whether an operation on these tensors would take the fused loop (for tests and benchmarks: the
/// answer is the same either way, only slow).
template <class... A>
bool
can_fuse(const A &... a)
{
  return are_fusible({operand(a)...});
}

/// A formula for rows, with its types erased.
struct RowFormula
{
  TileLoop loop;
  const void * object;
  int numbers; ///< that a row reads and writes
};

template <class Tile, class F>
RowFormula
row_formula(const F & f)
{
  return {tile_loop<Tile>(), &f, Tile::numbers};
}

/// The memory of operands and results, in the order that a tile loop takes them.
using Memories = SmallVector<Memory, max_operands>;

inline Memories
memories(ArrayRef<Operand> operands)
{
  Memories m;
  for (const auto & x : operands)
    if (x.tensor)
      m.push_back(memory(*x.tensor, x.batch_dim));
    else
      m.push_back({reinterpret_cast<char *>(const_cast<double *>(x.number)), {}, {}, 0});
  return m;
}

/// Evaluates into results. False, with nothing computed, if the batch has more dimensions that do not
/// merge than a plan holds.
inline bool
evaluate_into(const RowFormula & formula,
              ArrayRef<Operand> operands,
              TensorShapeRef batch,
              ArrayRef<at::Tensor> results)
{
  Memories m = memories(operands);
  for (const auto & r : results)
    m.push_back(memory(r, Size(batch.size())));
  Plan plan;
  if (!plan.set(batch, m, int(operands.size())))
    return false;
  const Size tile = tile_rows(formula.loop, plan, formula.numbers);
  run(formula.loop, formula.object, plan, tile, formula.numbers);
  return true;
}

/// Evaluates fusible operands into new tensors, one for each base shape. False if there are too many
/// dimensions for it.
inline bool
evaluate_rows(const Operation & op,
              const RowFormula & formula,
              ArrayRef<Operand> operands,
              TensorShapeRef batch,
              ArrayRef<TensorShapeRef> bases,
              at::Tensor * results)
{
  const Dtype dtype = first_tensor(operands).scalar_type();
  call_translated(
      op.name,
      [&]
      {
        for (size_t i = 0; i < bases.size(); i++)
          results[i] = at::detail::empty_cpu(utils::add_shapes(batch, bases[i]), dtype);
      },
      operands);
  return evaluate_into(formula, operands, batch, {results, bases.size()});
}

/// A tensor that autograd may save.
inline at::Tensor
saveable(const at::Tensor & t)
{
  return t.is_inference() ? t.clone() : t;
}

/// Makes results part of autograd's graph. Numbers among the arguments are kept as scalars.
inline void
record_results(const Operation & op,
               RecordGradient record,
               std::shared_ptr<const Gradient> gradient,
               ArrayRef<Operand> operands,
               at::Tensor * results,
               size_t count)
{
  call_translated(op.name,
                  [&]
                  {
                    SmallVector<at::Tensor, max_operands> arguments;
                    for (const auto & x : operands)
                      arguments.push_back(x.tensor
                                              ? saveable(*x.tensor)
                                              : at::full({}, *x.number, TensorOptions(kFloat64)));
                    record(std::move(gradient), arguments, results, count);
                  });
}

/// A result of LibTorch's operations as the fused loop would return it: not the argument itself, a
/// view of it, or expanded.
inline at::Tensor
unshared(const at::Tensor & result, ArrayRef<Operand> operands)
{
  if (!result.has_storage() || result.layout() != kStrided)
    return result;
  bool shared = false;
  for (const auto & x : operands)
    shared = shared || (x.tensor && x.tensor->has_storage() && result.is_alias_of(*x.tensor));
  for (Size d = 0; d < result.dim(); d++)
    shared = shared || (result.stride(d) == 0 && result.size(d) > 1);
  return shared ? result.clone(at::MemoryFormat::Contiguous) : result;
}

/// The fused evaluation of an operation with one result; undefined where it cannot be.
inline at::Tensor
fused(const Operation & op,
      const RowFormula & formula,
      const std::atomic<const GradientRule *> & rules,
      ArrayRef<Operand> operands,
      TensorShapeRef batch,
      TensorShapeRef base)
{
  at::Tensor result;
  const Path path = choose_path(operands);
  if (path == Path::composed)
    return result;
  const RecordGradient record = path == Path::recorded ? record_gradient.load() : nullptr;
  const GradientRule * const rule = record ? find_rule(rules, op.name) : nullptr;
  if (path == Path::recorded && !rule)
    return result;
  if (!evaluate_rows(op, formula, operands, batch, {base}, &result))
    return at::Tensor();
  if (rule)
    record_results(op, record, rule->gradient, operands, &result, 1);
  return result;
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
  using Tile = ForwardTile<RowBody, Types<Result>, Types<A...>>;
  const Operand o[] = {operand(a)...};
  check_operands(op, o);
  const TensorShape batch = broadcast_batch(op, o);
  if (at::Tensor r = fused(op,
                           row_formula<Tile>(row_body),
                           gradient_rules<Result, A...>,
                           o,
                           batch,
                           Result::base_shape);
      r.defined())
    return Result(Trusted(), std::move(r), Size(batch.size()));
  Result result;
  call_translated(
      op.name, [&] { result = batch_body(a...); }, o);
  return result;
}

/// Evaluates a composite: one formula for rows and for batches.
template <class Result, class F, class... A>
Result
evaluate(const Operation & op, const F & formula, const A &... a)
{
  return evaluate_leaf<Result>(op, formula, formula, a...);
}

/// The result of f, a few calls of LibTorch, for operands that are checked first: how operations
/// run that are not worth a fused loop.
template <class Result, class F, class... A>
Result
composed(const Operation & op, const F & f, const A &... a)
{
  const Operand o[] = {operand(a)...};
  check_operands(op, o);
  broadcast_batch(op, o);
  return translate_errors(
      op.name, [&] { return Result(f(a...)); }, o);
}
} // namespace neml2::engine
