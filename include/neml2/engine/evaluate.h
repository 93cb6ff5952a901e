// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/Gradient.h"
#include "neml2/engine/fused.h"
#include "neml2/engine/path.h"

/**
 * Runs an operation over a batch. Most calls choose their path of evaluation (path.h) here.
 *
 * Dense CPU tensors of float32 or float64 take one fused pass over memory. On other devices, operations and formulas that have a kernel
 * (DeviceFormula.h) run as one kernel. If autograd records the operation, both paths need the operation's derivative rule. In all other
 * cases the operation's body for whole batches, or the recorded operations of a formula, run through LibTorch's dispatcher.
 */
namespace neml2::engine
{
/// Returns t, or a copy of t if t is an inference tensor, which autograd cannot save.
at::Tensor saveable(const at::Tensor & t);

/// Returns a result of LibTorch's operations as a tensor that shares no memory, as the results of the fused loop share none. It is a copy
/// if the result shares memory with an argument or is expanded, otherwise the result itself.
at::Tensor unshared(const at::Tensor & result, ArrayRef<Operand> operands);

/// Records results in autograd's graph. Plain numbers among the operands are kept as scalar tensors.
void record_results(const Operation & op,
                    RecordGradient record,
                    std::shared_ptr<const Gradient> gradient,
                    ArrayRef<Operand> operands,
                    at::Tensor * results,
                    size_t count);

/// One evaluation of an operation of the library, or of a formula of the caller, without their C++ types.
struct Evaluation
{
  Operation op;
  ArrayRef<Operand> operands; ///< these have been checked
  TensorShapeRef batch;       ///< the shape to which the operands broadcast
  RowFormula rows;
  ArrayRef<TensorShapeRef> bases; ///< the base shapes of the results
  /// Computes the results on whole batches.
  c10::function_ref<void(at::Tensor * results)> composed;
  /// Returns the Gradient that autograd's node will keep; null if autograd must record LibTorch's operations instead.
  c10::function_ref<std::shared_ptr<const Gradient>()> gradient;
};

inline std::shared_ptr<const Gradient>
no_gradient()
{
  return nullptr;
}

/// Evaluates into new tensors. Returns true if the fused pass or a kernel computed the results.
bool evaluate(const Evaluation & e, at::Tensor * results);

/// Evaluates into existing tensors, which the caller has checked, without a gradient.
void evaluate_into(const Evaluation & e, ArrayRef<Operand> outputs, at::Tensor * results);

/// Evaluates an operation with one result on operands that have been checked. It uses the formula on rows, or `body` on whole batches.
/// `body` may throw LibTorch's errors.
template <class Result>
Result
evaluate_one(const Operation & op,
             ArrayRef<Operand> operands,
             const RowFormula & rows,
             c10::function_ref<at::Tensor()> body,
             c10::function_ref<std::shared_ptr<const Gradient>()> gradient)
{
  const TensorShape batch = broadcast_batch(op, operands);
  const TensorShapeRef bases[] = {Result::base_shape};
  const auto composed = [&](at::Tensor * r)
  {
    call_translated(
        op.name, [&] { *r = body(); }, operands);
  };
  at::Tensor r;
  if (evaluate({op, operands, batch, rows, bases, composed, gradient}, &r))
    return Result(Trusted(), std::move(r), Size(batch.size()));
  return Result(r);
}

/// Evaluates a leaf, an operation with two bodies: its formula on rows (single tensors of a batch), and batch_body on whole batches.
template <class Result,
          Accepts accepts = Accepts::floating,
          class Op,
          class BatchBody,
          class... A,
          class = if_operation<Op>>
Result
evaluate_leaf(const Op & op, const BatchBody & batch_body, const A &... a)
{
  static_assert(sizeof...(A) < max_operands);
  using Tile = ForwardTile<Op, Types<Result>, Types<A...>>;
  const Operation operation(Op::name, accepts);
  const Operand o[] = {operand(a)...};
  check_operands(operation, o);
  return evaluate_one<Result>(
      operation,
      o,
      row_formula_of_operation<Tile>(op),
      [&] { return at::Tensor(batch_body(a...)); },
      rule_of<Op, A...>);
}

/// Evaluates a composite, an operation with one formula for rows and for whole batches.
template <class Result,
          Accepts accepts = Accepts::floating,
          class Op,
          class... A,
          class = if_operation<Op>>
Result
evaluate(const Op & op, const A &... a)
{
  return evaluate_leaf<Result, accepts>(op, op, a...);
}

/// Evaluates a leaf that has no derivative rule. Autograd differentiates the LibTorch operations of its batch_body.
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
  return evaluate_one<Result>(
      op,
      o,
      row_formula<Tile>(row_body),
      [&] { return at::Tensor(batch_body(a...)); },
      no_gradient);
}
template <class Result, class F, class... A>
Result
evaluate(const Operation & op, const F & formula, const A &... a)
{
  return evaluate_leaf<Result>(op, formula, formula, a...);
}

/// Checks the operands, and returns the result of f, which calls a few operations of LibTorch. It is for operations that are not worth a
/// fused loop.
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

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/engine/evaluate-inl.h"
#endif
