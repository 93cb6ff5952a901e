// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/Gradient.h"
#include "neml2/engine/fused.h"
#include "neml2/engine/path.h"

#include <cstring>

/**
 * Runs an operation over a batch: the only place that chooses how.
 *
 * Dense CPU tensors of float32 or float64 take one fused pass over memory, also where autograd records the
 * operation and it has a derivative rule; everything else (CUDA, other dtypes, functorch, tracing) runs the
 * operation's body for whole batches through LibTorch's dispatcher.
 */
namespace neml2::engine
{
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

/// An evaluation, with its types erased: of one of the library's operations, or of a formula of the caller.
struct Evaluation
{
  Operation op;
  ArrayRef<Operand> operands; ///< checked
  TensorShapeRef batch;       ///< what they broadcast to
  RowFormula rows;
  ArrayRef<TensorShapeRef> bases; ///< of the results
  /// The results on whole batches.
  c10::function_ref<void(at::Tensor * results)> composed;
  /// What autograd's node keeps; null if the composed operations must be recorded.
  c10::function_ref<std::shared_ptr<const Gradient>()> gradient;
};

inline std::shared_ptr<const Gradient>
no_gradient()
{
  return nullptr;
}

/// Evaluates into new tensors. True if by the fused pass.
inline bool
evaluate(const Evaluation & e, at::Tensor * results)
{
  const Path path = choose_path(e.operands);
  const RecordGradient record = path == Path::recorded ? record_gradient.load() : nullptr;
  std::shared_ptr<const Gradient> gradient = record ? e.gradient() : nullptr;
  const bool fuses = path == Path::fused || gradient;
  if (!fuses || !fused_pass(e.op, e.rows, e.operands, e.batch, e.bases, results))
  {
    e.composed(results);
    return false;
  }
  if (gradient)
    record_results(e.op, record, std::move(gradient), e.operands, results, e.bases.size());
  return true;
}

/// Evaluates into existing tensors, which the caller has checked, without a gradient.
inline void
evaluate_into(const Evaluation & e, ArrayRef<Operand> outputs, at::Tensor * results)
{
  if (choose_path(e.operands) == Path::fused && choose_path(outputs) != Path::composed)
  {
    for (size_t i = 0; i < outputs.size(); i++) // what autograd has saved of it is outdated
      call_translated(e.op.name, [&] { results[i].unsafeGetTensorImpl()->bump_version(); });
    if (fused_pass_into(e.rows, e.operands, e.batch, {results, outputs.size()}))
      return;
  }
  e.composed(results);
}

/// Evaluates a leaf: the operation's formula for rows, batch_body on whole batches. Op says what it is called
/// and what it accepts (Op::operation), and calls its formula; its derivative rule is found by its type.
template <class Result, class Op, class BatchBody, class... A, class = decltype(Op::operation)>
Result
evaluate_leaf(const Op & op, const BatchBody & batch_body, const A &... a)
{
  static_assert(sizeof...(A) < max_operands);
  using Tile = ForwardTile<Op, Types<Result>, Types<A...>>;
  const Operand o[] = {operand(a)...};
  check_operands(Op::operation, o);
  const TensorShape batch = broadcast_batch(Op::operation, o);
  const TensorShapeRef bases[] = {Result::base_shape};
  const auto composed = [&](at::Tensor * r)
  {
    call_translated(
        Op::operation.name, [&] { *r = batch_body(a...); }, o);
  };
  at::Tensor r;
  if (evaluate({Op::operation, o, batch, row_formula<Tile>(op), bases, composed, rule_of<Op, A...>},
               &r))
    return Result(Trusted(), std::move(r), Size(batch.size()));
  return Result(r);
}

/// Evaluates a composite: one formula for rows and for batches.
template <class Result, class Op, class... A, class = decltype(Op::operation)>
Result
evaluate(const Op & op, const A &... a)
{
  return evaluate_leaf<Result>(op, op, a...);
}

// ---- OLD: operations by name. To be deleted when none is left. ----

/// The derivative rule of an operation, in the list of all rules for its types.
struct GradientRule
{
  const char * operation;
  std::shared_ptr<const Gradient> gradient;
  const GradientRule * next;
};

/// The rules for operations that take these types; filled by tensors/gradients.h.
template <class Result, class... A>
NEML2_ONE_A_PROGRAM inline std::atomic<const GradientRule *> gradient_rules{nullptr};

/// The rule of the operation of this name, or null.
inline const GradientRule *
find_rule(const GradientRule * rule, const char * operation)
{
  while (rule && std::strcmp(rule->operation, operation) != 0)
    rule = rule->next;
  return rule;
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
  if (!fused_pass(op, formula, operands, batch, {base}, &result))
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
