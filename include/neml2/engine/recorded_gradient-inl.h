// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/recorded_gradient.h"

#include "neml2/engine/autograd.h"
#include "neml2/engine/formula_jacobian.h"

namespace neml2::engine
{
/// Arguments expanded to the batch as separate variables, since the gradient of each row is wanted.
NEML2_BODY std::vector<at::Tensor>
as_variables(std::vector<at::Tensor> & arguments,
             const std::vector<size_t> & places,
             const std::vector<RecordedFormula::Tensor> & kinds,
             TensorShapeRef batch)
{
  std::vector<at::Tensor> variables;
  for (const size_t k : places)
  {
    const at::Tensor rows =
        arguments[k].expand(utils::add_shapes(batch, TensorShapeRef(kinds[k].base)));
    variables.push_back(rows.requires_grad() ? rows.view_as(rows)
                                             : rows.detach().set_requires_grad(true));
    arguments[k] = variables.back();
  }
  return variables;
}

/// The gradients by the variables among the arguments, from the composed results and their weights, as part of autograd's graph.
NEML2_BODY void
differentiate(const Gradient & gradient,
              ArrayRef<at::Tensor> arguments,
              ArrayRef<at::Tensor> weights,
              const std::vector<at::Tensor> & variables,
              at::Tensor * results)
{
  std::vector<at::Tensor> values(weights.size());
  gradient.compose(arguments, values.data());
  torch::autograd::variable_list outputs, of_outputs, found(variables.size());
  for (size_t i = 0; i < values.size(); i++)
    if (values[i].requires_grad())
    {
      outputs.push_back(values[i]);
      of_outputs.push_back(weights[i].expand_as(values[i]));
    }
  if (!outputs.empty())
    found = torch::autograd::grad(outputs,
                                  variables,
                                  of_outputs,
                                  /*retain_graph=*/true,
                                  /*create_graph=*/true,
                                  /*allow_unused=*/true);
  for (size_t k = 0; k < found.size(); k++)
    results[k] = found[k].defined() ? found[k] : at::zeros_like(variables[k]);
}

NEML2_BODY std::vector<Operand>
RecordedGradient::operands(ArrayRef<at::Tensor> arguments, std::vector<double> & numbers) const
{
  const auto & kinds = _formula->arguments();
  numbers.reserve(arguments.size());
  std::vector<Operand> o;
  for (size_t i = 0; i < arguments.size(); i++)
    if (kinds[i].is_number)
    {
      numbers.push_back(arguments[i].item<double>());
      o.push_back(operand(numbers.back()));
    }
    else
      o.push_back({&arguments[i],
                   "argument",
                   arguments[i].dim() - Size(kinds[i].base.size()),
                   TensorShapeRef(kinds[i].base)});
  return o;
}

/// The gradient of a gradient: of the formula that computes the gradients of another formula by some of its arguments.
class GradientAgain final : public RecordedGradient
{
public:
  GradientAgain(std::shared_ptr<const Gradient> gradient,
                std::shared_ptr<const RecordedFormula> formula,
                std::vector<size_t> by)
    : RecordedGradient(std::move(formula)), _gradient(std::move(gradient)), _by(std::move(by))
  {
  }

  void compose(ArrayRef<at::Tensor> all, at::Tensor * results) const override
  {
    std::vector<double> numbers;
    const TensorShape batch = broadcast_batch("vmap", operands(all, numbers));
    const size_t n = all.size() - weight_count();
    const at::AutoGradMode record(true);
    std::vector<at::Tensor> arguments(all.begin(), all.begin() + n);
    const auto variables = as_variables(arguments, _by, formula().arguments(), batch);
    differentiate(*_gradient, arguments, all.slice(n), variables, results);
  }

private:
  std::shared_ptr<const Gradient> _gradient;
  std::vector<size_t> _by;

  size_t weight_count() const { return formula().weight_count(); }
};

/// The gradient of the gradients of a formula, where it cannot be a formula: computed on whole batches, but only if it is needed.
class GradientOnBatches final : public Gradient
{
public:
  GradientOnBatches(std::shared_ptr<const Gradient> gradient,
                    std::vector<size_t> by,
                    size_t weight_count)
    : _gradient(std::move(gradient)), _by(std::move(by)), _weight_count(weight_count)
  {
  }

  const char * name() const override { return "VmapBackward"; }

  bool
  backward(ArrayRef<at::Tensor>, ArrayRef<at::Tensor>, ArrayRef<bool>, at::Tensor *) const override
  {
    return false;
  }
  void compose(ArrayRef<at::Tensor> all, at::Tensor * results) const override
  {
    const size_t n = all.size() - _weight_count;
    const at::AutoGradMode record(true);
    std::vector<at::Tensor> arguments(all.begin(), all.begin() + n), variables;
    for (const size_t k : _by)
    {
      at::Tensor & a = arguments[k];
      a = a.requires_grad() ? a.view_as(a) : a.detach().set_requires_grad(true);
      variables.push_back(a);
    }
    differentiate(*_gradient, arguments, all.slice(n), variables, results);
  }

private:
  std::shared_ptr<const Gradient> _gradient;
  std::vector<size_t> _by;
  size_t _weight_count;
};

/// See gradient_of_jacobians.
class GradientOfJacobians final : public RecordedGradient
{
public:
  GradientOfJacobians(std::shared_ptr<const Gradient> gradient,
                      std::shared_ptr<const RecordedFormula> formula,
                      std::vector<size_t> by,
                      std::vector<size_t> of)
    : RecordedGradient(std::move(formula)),
      _gradient(std::move(gradient)),
      _by(std::move(by)),
      _of(std::move(of))
  {
  }

  void compose(ArrayRef<at::Tensor> all, at::Tensor * results) const override
  {
    std::vector<double> numbers;
    const TensorShape batch = broadcast_batch("vmap", operands(all, numbers));
    const at::AutoGradMode record(true);
    std::vector<at::Tensor> arguments = all.vec();
    const auto variables = as_variables(arguments, _by, formula().arguments(), batch);
    _gradient->compose(arguments, results);
    at::Tensor * jacobian = results + (formula().results().size() - _by.size() * _of.size());
    for (const size_t i : _of)
      for (const auto & J : composed_jacobians(results[i], Size(batch.size()), variables, true))
        *jacobian++ = J;
  }

private:
  std::shared_ptr<const Gradient> _gradient;
  std::vector<size_t> _by, _of;
};

NEML2_BODY std::shared_ptr<const Gradient>
gradient_of_jacobians(std::shared_ptr<const Gradient> gradient,
                      std::shared_ptr<const RecordedFormula> both,
                      std::vector<size_t> by,
                      std::vector<size_t> of)
{
  return std::make_shared<GradientOfJacobians>(
      std::move(gradient), std::move(both), std::move(by), std::move(of));
}

NEML2_BODY bool
RecordedGradient::backward(ArrayRef<at::Tensor> results,
                           ArrayRef<at::Tensor> arguments,
                           ArrayRef<bool> needed,
                           at::Tensor * gradients) const
{
  std::vector<double> numbers;
  std::vector<Operand> o = operands(arguments, numbers);
  if (!c10::GradMode::is_enabled())
    return _formula->backward(o, results, needed, gradients);

  std::vector<size_t> by;
  for (size_t k = 0; k < arguments.size(); k++)
    if (needed[k] && o[k].tensor)
      by.push_back(k);
  const std::vector<at::Tensor> weights = _formula->weights(o, results);
  if (const std::shared_ptr<const RecordedFormula> again = _formula->gradient(by))
  {
    _formula->append_weights(weights, o);
    const TensorShape batch = broadcast_batch("vmap", o);
    if (o.size() + by.size() > size_t(max_operands) || batch.size() > size_t(max_dims))
      return false;
    const auto of_again = [&]() -> std::shared_ptr<const Gradient>
    { return std::make_shared<GradientAgain>(shared_from_this(), again, by); };
    std::vector<at::Tensor> found(by.size());
    const bool is_fused = evaluate({Operation("vmap", Accepts::any),
                                    o,
                                    batch,
                                    row_formula(again->value()),
                                    again->bases(),
                                    [](at::Tensor *) {},
                                    of_again},
                                   found.data());
    for (size_t i = 0; i < by.size() && is_fused; i++)
      gradients[by[i]] = found[i].sum_to_size(arguments[by[i]].sizes());
    return is_fused;
  }

  std::vector<at::Tensor> all = arguments.vec(), found(arguments.size()), recorded;
  all.insert(all.end(), weights.begin(), weights.end());
  {
    const at::AutoGradMode values(false);
    if (!_formula->backward(o, results, needed, found.data()))
      return false;
  }
  for (const size_t k : by)
    recorded.push_back(found[k]);
  const RecordGradient record = record_gradient.load();
  if (record &&
      std::any_of(all.begin(), all.end(), [](const auto & t) { return t.requires_grad(); }))
    record(std::make_shared<GradientOnBatches>(shared_from_this(), by, weights.size()),
           all,
           recorded.data(),
           recorded.size());
  for (size_t i = 0; i < by.size(); i++)
    gradients[by[i]] = recorded[i];
  return true;
}
} // namespace neml2::engine
