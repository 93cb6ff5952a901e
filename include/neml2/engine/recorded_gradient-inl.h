// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/recorded_gradient.h"

#include "neml2/engine/autograd.h"
#include "neml2/engine/formula_jacobian.h"

#include <stdexcept>

namespace neml2::engine
{
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
      o.push_back({&arguments[i],
                   "argument",
                   arguments[i].dim() - Size(kinds[i].base.size()),
                   TensorShapeRef(kinds[i].base)});
  return o;
}

/// The gradient of the gradients of a formula by some of its arguments, from the arguments and the weights of the results.
class GradientAgain final : public RecordedGradient
{
public:
  GradientAgain(std::shared_ptr<const Gradient> gradient,
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
      variables.push_back(arguments[k] = as_variable(arguments[k], /*create_graph=*/true));
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
  /// It is recorded here, when it is first needed.
  std::shared_ptr<const RecordedFormula> formula() const override { return _of->gradient(_by); }

private:
  std::shared_ptr<const Gradient> _gradient;
  std::shared_ptr<const RecordedFormula> _of;
  std::vector<size_t> _by;
};

/// See gradient_of_jacobians.
class GradientOfJacobians final : public RecordedGradient
{
public:
  GradientOfJacobians(std::shared_ptr<const Gradient> gradient,
                      std::shared_ptr<const RecordedFormula> both,
                      std::vector<size_t> by,
                      std::vector<size_t> of)
    : _gradient(std::move(gradient)), _both(std::move(both)), _by(std::move(by)), _of(std::move(of))
  {
  }

  void compose(ArrayRef<at::Tensor> all, at::Tensor * results) const override
  {
    std::vector<double> numbers;
    const TensorShape batch = broadcast_batch("vmap", recorded_operands(*_both, all, numbers));
    const at::AutoGradMode record(true);
    std::vector<at::Tensor> arguments = all.vec(), variables;
    for (const size_t k : _by) // each point is a separate variable
    {
      const TensorShapeRef base(_both->arguments()[k].base);
      const at::Tensor rows = arguments[k].expand(utils::add_shapes(TensorShapeRef(batch), base));
      variables.push_back(arguments[k] = as_variable(rows, /*create_graph=*/true));
    }
    _gradient->compose(arguments, results);
    at::Tensor * jacobian = results + (_both->results().size() - _by.size() * _of.size());
    for (const size_t i : _of)
      for (const auto & J : composed_jacobians(results[i], Size(batch.size()), variables, true))
        *jacobian++ = J;
  }

protected:
  std::shared_ptr<const RecordedFormula> formula() const override { return _both; }

private:
  std::shared_ptr<const Gradient> _gradient;
  std::shared_ptr<const RecordedFormula> _both;
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
  const std::shared_ptr<const RecordedFormula> f = formula();
  if (!f)
    return false;
  std::vector<double> numbers;
  const std::vector<Operand> o = recorded_operands(*f, arguments, numbers);
  if (!c10::GradMode::is_enabled())
    return f->backward(o, results, needed, gradients);

  std::vector<at::Tensor> found(arguments.size());
  try
  {
    const at::AutoGradMode values(false);
    if (!f->backward(o, results, needed, found.data()))
      return false;
  }
  catch (const std::invalid_argument &) // a derivative that is not available in formulas
  {
    return false;
  }
  std::vector<size_t> by;
  std::vector<at::Tensor> all = arguments.vec(), recorded;
  for (size_t k = 0; k < arguments.size(); k++)
    if (found[k].defined())
    {
      by.push_back(k);
      recorded.push_back(found[k]);
    }
  for (const at::Tensor & w : f->weights(o, results))
    all.push_back(w);
  record_fused(std::make_shared<GradientAgain>(shared_from_this(), f, by),
               all,
               recorded.data(),
               recorded.size());
  for (size_t i = 0; i < by.size(); i++)
    gradients[by[i]] = recorded[i];
  return true;
}
} // namespace neml2::engine
