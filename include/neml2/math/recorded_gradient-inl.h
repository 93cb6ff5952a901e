// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/recorded_gradient.h"

#include "neml2/engine/autograd.h"
#include "neml2/math/columns.h"
#include "neml2/math/formula-inl.h"
#include "neml2/math/formula_into.h"

#include <algorithm>
#include <stdexcept>

namespace neml2::math
{
/// Whether functorch, a trace or another mode observes operations on these operands. This library's nodes of autograd would hide the
/// operations from such a mode.
NEML2_BODY bool
are_observed(ArrayRef<Operand> operands)
{
  bool yes = !core::dispatches_plainly();
  for (const auto & o : operands)
    yes = yes || (o.tensor && (core::is_transformed(*o.tensor) ||
                               o.tensor->key_set().has(c10::DispatchKey::Python) ||
                               o.tensor->_fw_grad(0).defined()));
  return yes;
}

/// Whether autograd records operations on these operands.
NEML2_BODY bool
are_differentiated(ArrayRef<Operand> operands)
{
  bool yes = false;
  for (const auto & o : operands)
    yes = yes || (o.tensor && o.tensor->requires_grad());
  return yes && c10::GradMode::is_enabled();
}

/// The arguments of a formula as operands; `numbers` keeps the plain numbers among them.
NEML2_BODY std::vector<Operand>
recorded_operands(const RecordedFormula & f,
                  ArrayRef<at::Tensor> arguments,
                  std::vector<double> & numbers)
{
  const auto & kinds = f.arguments();
  numbers.reserve(arguments.size());
  std::vector<Operand> o;
  for (size_t i = 0; i < arguments.size(); i++)
    if (kinds[i].is_number)
    {
      numbers.push_back(arguments[i].item<double>());
      o.push_back(operand(numbers.back()));
    }
    else
      o.push_back(kinds[i].operand(arguments[i], "argument"));
  return o;
}

NEML2_BODY void
RecordedGradient::compose(ArrayRef<at::Tensor> arguments, at::Tensor * results) const
{
  const std::shared_ptr<const RecordedFormula> f = formula();
  std::vector<double> numbers;
  const std::vector<Operand> o = recorded_operands(*f, arguments, numbers);
  evaluate_on_columns(f->value(), o, broadcast_batch("vmap", o), f->bases(), results);
}

/// The gradient of a formula; the formula is recorded in the first backward pass.
class GradientOfFormula final : public RecordedGradient
{
public:
  explicit GradientOfFormula(WithRecordedGradients::Record record) : _record(std::move(record)) {}

protected:
  std::shared_ptr<const RecordedFormula> formula() const override { return _record(); }

private:
  WithRecordedGradients::Record _record;
};

NEML2_BODY std::shared_ptr<const engine::Gradient>
gradient_of(WithRecordedGradients::Record record)
{
  return std::make_shared<GradientOfFormula>(std::move(record));
}

/// The gradient that a backward pass computes, as an operation that can be differentiated again. Its results are the gradients of a formula
/// with respect to some of the formula's arguments. Its arguments are the arguments of the formula and the weights of the formula's
/// results.
class GradientAgain final : public RecordedGradient
{
public:
  GradientAgain(std::shared_ptr<const engine::Gradient> gradient,
                std::shared_ptr<const RecordedFormula> of,
                std::vector<size_t> by)
    : _gradient(std::move(gradient)), _of(std::move(of)), _by(std::move(by))
  {
  }

  void compose(ArrayRef<at::Tensor> all, at::Tensor * results) const override
  {
    const size_t n = _of->arguments().size();
    const at::AutoGradMode record(true);
    std::vector<at::Tensor> arguments(all.begin(), all.begin() + n), values(all.size() - n);
    torch::autograd::variable_list variables, outputs, weights;
    for (const size_t k : _by)
      variables.push_back(arguments[k] = engine::as_variable(arguments[k], /*create_graph=*/true));
    _gradient->compose(arguments, values.data());
    for (size_t i = 0; i < values.size(); i++)
      if (values[i].requires_grad())
      {
        outputs.push_back(values[i]);
        weights.push_back(all[n + i].expand_as(values[i]));
      }
    torch::autograd::variable_list found(variables.size());
    if (!outputs.empty())
      found = torch::autograd::grad(outputs,
                                    variables,
                                    weights,
                                    /*retain_graph=*/true,
                                    /*create_graph=*/true,
                                    /*allow_unused=*/true);
    for (size_t k = 0; k < found.size(); k++)
      results[k] = found[k].defined() ? found[k] : at::zeros_like(variables[k]);
  }

protected:
  /// The formula of these gradients, which is recorded when it is first needed.
  std::shared_ptr<const RecordedFormula> formula() const override { return _of->gradient(_by); }

private:
  std::shared_ptr<const engine::Gradient> _gradient;
  std::shared_ptr<const RecordedFormula> _of;
  std::vector<size_t> _by;
};

/// ∂y/∂x of a batch y of results for each x. One backward pass runs per component of y. (...; y), (...; x) -> (...; y, x)
NEML2_BODY std::vector<at::Tensor>
composed_jacobians(const at::Tensor & y, Size batch_dim, const std::vector<at::Tensor> & x)
{
  std::vector<at::Tensor> jacobians;
  const at::Tensor components =
      y.dim() == batch_dim ? y.unsqueeze(-1) : at::Tensor(y.flatten(batch_dim));
  std::vector<std::vector<at::Tensor>> rows(x.size());
  for (Size i = 0; i < components.size(-1) && y.requires_grad(); i++)
  {
    const auto gradients = torch::autograd::grad({components.select(-1, i).sum()},
                                                 x,
                                                 {},
                                                 /*retain_graph=*/true,
                                                 /*create_graph=*/true,
                                                 /*allow_unused=*/true);
    for (size_t k = 0; k < x.size(); k++)
      rows[k].push_back(gradients[k].defined() ? gradients[k] : at::zeros_like(x[k]));
  }
  for (size_t k = 0; k < x.size(); k++)
  {
    const auto shape = utils::add_shapes(y.sizes(), x[k].sizes().slice(size_t(batch_dim)));
    jacobians.push_back(rows[k].empty() ? at::zeros(shape, y.options())
                                        : at::stack(rows[k], batch_dim).reshape(shape));
  }
  return jacobians;
}

/// The results of a formula and their Jacobians. Autograd differentiates the operations of the formula on whole batches.
NEML2_BODY void
compose_jacobians(const RecordedFormula & formula,
                  const std::vector<size_t> & by,
                  const std::vector<size_t> & of,
                  std::vector<Operand> operands,
                  TensorShapeRef batch,
                  at::Tensor * results)
{
  const c10::InferenceMode normal(false); // inference mode would record nothing
  const at::AutoGradMode record(true);
  std::vector<at::Tensor> variables;
  variables.reserve(by.size()); // operands refer to them
  for (const size_t k : by)     // each point is a separate variable
  {
    Operand & o = operands[k];
    const at::Tensor rows = engine::saveable(*o.tensor).expand(utils::add_shapes(batch, o.base));
    variables.push_back(engine::as_variable(rows, /*create_graph=*/true));
    o.tensor = &variables.back();
    o.batch_dim = Size(batch.size());
  }
  const auto & bases = formula.bases();
  evaluate_on_columns(formula.value(), operands, batch, bases, results);
  at::Tensor * jacobian = results + bases.size();
  for (const size_t i : of)
    for (const auto & J : composed_jacobians(results[i], Size(batch.size()), variables))
      *jacobian++ = J;
}

/// The gradient of the formula that gives the results of another formula and their Jacobians; see RecordedFormula::with_jacobians.
class GradientOfJacobians final : public RecordedGradient
{
public:
  GradientOfJacobians(std::shared_ptr<const RecordedFormula> of_results,
                      std::shared_ptr<const RecordedFormula> both,
                      std::vector<size_t> by,
                      std::vector<size_t> of)
    : _of_results(std::move(of_results)),
      _both(std::move(both)),
      _by(std::move(by)),
      _of(std::move(of))
  {
  }

  void compose(ArrayRef<at::Tensor> all, at::Tensor * results) const override
  {
    std::vector<double> numbers;
    const std::vector<Operand> o = recorded_operands(*_both, all, numbers);
    compose_jacobians(*_of_results, _by, _of, o, broadcast_batch("vmap", o), results);
  }

protected:
  std::shared_ptr<const RecordedFormula> formula() const override { return _both; }

private:
  std::shared_ptr<const RecordedFormula> _of_results, _both;
  std::vector<size_t> _by, _of;
};

/// Calls f(). Returns false if f throws std::invalid_argument, which means that a derivative is not available in formulas.
template <class F>
bool
unless_refused(const F & f)
{
  try
  {
    f();
    return true;
  }
  catch (const std::invalid_argument &)
  {
    return false;
  }
}

NEML2_BODY bool
RecordedGradient::backward(ArrayRef<at::Tensor> results,
                           ArrayRef<at::Tensor> arguments,
                           ArrayRef<bool> needed,
                           at::Tensor * gradients) const
{
  const std::shared_ptr<const RecordedFormula> f = formula();
  if (!f)
    return false;
  std::vector<double> numbers;
  const std::vector<Operand> o = recorded_operands(*f, arguments, numbers);
  const std::vector<at::Tensor> weights = f->weights(o, results);
  const std::vector<Operand> both = f->with_weights(o, weights);
  const bool again = c10::GradMode::is_enabled();
  if (are_observed(both)) // if `again`, autograd differentiates compose() instead
    return !again && unless_refused([&] { backward_on_columns(*f, both, needed, gradients); });
  std::vector<at::Tensor> found(arguments.size());
  const auto backward_by_values = [&]
  {
    const at::AutoGradMode values(false);
    if (!f->backward(both, needed, found.data()))
      backward_on_columns(*f, both, needed, found.data());
  };
  if (!unless_refused(backward_by_values))
    return false;
  std::vector<size_t> by;
  std::vector<at::Tensor> all = arguments.vec(), recorded;
  for (size_t k = 0; k < arguments.size(); k++)
    if (found[k].defined())
    {
      by.push_back(k);
      recorded.push_back(found[k]);
    }
  if (again)
  {
    all.insert(all.end(), weights.begin(), weights.end());
    engine::record_fused(std::make_shared<GradientAgain>(shared_from_this(), f, by),
                         all,
                         recorded.data(),
                         recorded.size());
  }
  for (size_t i = 0; i < by.size(); i++)
    gradients[by[i]] = recorded[i];
  return true;
}

/// Evaluates a program: in one pass if possible, otherwise on whole batches. In both cases autograd records `gradient` if it is needed.
NEML2_BODY void
evaluate_program(const Operation & op,
                 const engine::RecordedProgram & program,
                 ArrayRef<Operand> operands,
                 TensorShapeRef batch,
                 ArrayRef<TensorShapeRef> bases,
                 c10::function_ref<std::shared_ptr<const engine::Gradient>()> gradient,
                 at::Tensor * results)
{
  const auto composed = [&](at::Tensor * r)
  {
    const bool is_recorded = are_differentiated(operands) && !are_observed(operands);
    {
      const at::AutoGradMode records(c10::GradMode::is_enabled() && !is_recorded);
      call_translated(
          op.name, [&] { evaluate_on_columns(program, operands, batch, bases, r); }, operands);
    }
    if (is_recorded)
      engine::record_results(op, engine::record_fused, gradient(), operands, r, bases.size());
  };
  engine::evaluate({op, operands, batch, engine::row_formula(program), bases, composed, gradient},
                   results);
}

NEML2_BODY void
evaluate_recorded(const Operation & op,
                  const std::shared_ptr<const RecordedFormula> & formula,
                  ArrayRef<Operand> operands,
                  TensorShapeRef batch,
                  at::Tensor * results)
{
  check_dense(op, operands);
  const auto again = [&](ArrayRef<Operand> wide)
  { evaluate_recorded(op, formula, wide, batch, results); };
  if (evaluate_widened(operands, results, formula->results().size(), again))
    return;
  evaluate_program(
      op,
      formula->value(),
      operands,
      batch,
      formula->bases(),
      [&] { return gradient_of([formula] { return formula; }); },
      results);
}

NEML2_BODY void
evaluate_recorded_jacobians(const Operation & op,
                            const std::shared_ptr<const RecordedFormula> & formula,
                            const std::vector<size_t> & by,
                            const std::vector<size_t> & of,
                            ArrayRef<Operand> operands,
                            TensorShapeRef batch,
                            at::Tensor * results)
{
  const auto shapes = formula->bases_with_jacobians(by, of);
  const std::vector<TensorShapeRef> bases(shapes.begin(), shapes.end());
  check_dense(op, operands);
  const auto again = [&](ArrayRef<Operand> wide)
  { evaluate_recorded_jacobians(op, formula, by, of, wide, batch, results); };
  if (evaluate_widened(operands, results, bases.size(), again))
    return;
  if (!are_differentiated(operands) && !are_observed(operands))
    return evaluate_program(
        op, formula->jacobian(by, of), operands, batch, bases, engine::no_gradient, results);
  const auto both = formula->with_jacobians(by, of);
  const auto would_lose =
      [](const Operand & o) // transforms and tangents, which autograd's variables do not carry
  { return o.tensor && (core::is_transformed(*o.tensor) || o.tensor->_fw_grad(0).defined()); };
  NEML2_CHECK((both && !both->is_last()) ||
                  std::none_of(operands.begin(), operands.end(), would_lose),
              op.name,
              ": derivatives of these Jacobians are not available in formulas, so they cannot be "
              "taken under transforms of torch.func, and cannot have tangents of forward mode.");
  if (!both)
    return compose_jacobians(*formula, by, of, operands.vec(), batch, results);
  evaluate_program(
      op,
      both->value(),
      operands,
      batch,
      bases,
      [&] { return std::make_shared<GradientOfJacobians>(formula, both, by, of); },
      results);
}

NEML2_BODY void
evaluate_recorded_into(const Operation & op,
                       const std::shared_ptr<const RecordedFormula> & formula,
                       ArrayRef<Operand> operands,
                       TensorShapeRef batch,
                       ArrayRef<Operand> outputs)
{
  check_dense(op, operands);
  evaluate_rows_into(op,
                     operands,
                     batch,
                     engine::row_formula(formula->value()),
                     outputs,
                     [&](at::Tensor * r) { evaluate_recorded(op, formula, operands, batch, r); });
}

NEML2_BODY void
evaluate_recorded_jacobians_into(const Operation & op,
                                 const std::shared_ptr<const RecordedFormula> & formula,
                                 const std::vector<size_t> & by,
                                 const std::vector<size_t> & of,
                                 ArrayRef<Operand> operands,
                                 TensorShapeRef batch,
                                 ArrayRef<Operand> outputs)
{
  check_dense(op, operands);
  evaluate_rows_into(op,
                     operands,
                     batch,
                     engine::row_formula(formula->jacobian(by, of)),
                     outputs,
                     [&](at::Tensor * r)
                     { evaluate_recorded_jacobians(op, formula, by, of, operands, batch, r); });
}

/// Registers the functions above, so that header-only programs need only include this header.
NEML2_ONE_A_PROGRAM inline const bool records_gradients_of_formulas = []
{
  static const WithRecordedGradients all{evaluate_recorded, gradient_of};
  const WithRecordedGradients * none =
      nullptr; // only the first of several shared libraries sets with_recorded_gradients
  return with_recorded_gradients.compare_exchange_strong(none, &all) || true;
}();
} // namespace neml2::math
