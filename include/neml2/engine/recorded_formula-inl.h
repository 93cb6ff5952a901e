// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/recorded_formula.h"

#include "neml2/engine/slabs.h"
#include "neml2/engine/vector_jacobian.h"
#include "neml2/recorded/linear.h"
#include "neml2/recorded/source.h"

namespace neml2::engine
{
NEML2_BODY std::string
RecordedProgram::source(bool is_float) const
{
  return recorded::cuda_source(*this, is_float);
}

NEML2_BODY
RecordedFormula::RecordedFormula(recorded::Recording recording,
                                 std::vector<Tensor> arguments,
                                 std::vector<Tensor> results,
                                 std::string name)
  : _name(std::move(name)),
    _recording(std::move(recording)),
    _arguments(std::move(arguments)),
    _results(std::move(results)),
    _value(_name, _recording, program())
{
  NEML2_CHECK(_arguments.size() + _results.size() <= size_t(max_operands),
              "vmap: there may be ",
              max_operands,
              " arguments and results in all");
}

NEML2_BODY recorded::Program
RecordedFormula::program() const
{
  recorded::Program p;
  for (const auto & a : _arguments)
  {
    p.arguments.push_back(a.values);
    p.is_number.push_back(a.is_number);
  }
  for (const auto & r : _results)
    p.results.push_back(r.values);
  return p;
}

NEML2_BODY std::vector<TensorShapeRef>
RecordedFormula::bases() const
{
  std::vector<TensorShapeRef> b;
  for (const auto & r : _results)
    b.emplace_back(r.base);
  return b;
}

NEML2_BODY std::vector<TensorShape>
RecordedFormula::bases_with_jacobians(const Places & by, const Places & of) const
{
  std::vector<TensorShape> b;
  for (const auto & r : _results)
    b.push_back(r.base);
  for (const size_t i : of)
    for (const size_t k : by)
      b.push_back(
          utils::add_shapes(TensorShapeRef(_results[i].base), TensorShapeRef(_arguments[k].base)));
  return b;
}

/// The names of programs.
NEML2_BODY std::string
gradient_text(size_t k)
{
  return "gradient by " + std::to_string(k);
}
NEML2_BODY std::string
jacobian_text(const std::vector<size_t> & by, const std::vector<size_t> & of)
{
  const auto text = [](const std::vector<size_t> & places)
  {
    std::string s;
    for (const size_t k : places)
      s += (s.empty() ? "" : ", ") + std::to_string(k);
    return s;
  };
  return "value, and Jacobian of " + text(of) + " by " + text(by);
}

/// All values, or partials, of some tensors.
NEML2_BODY recorded::Components
RecordedFormula::all(bool partials, const std::vector<Tensor> & tensors) const
{
  recorded::Components c;
  for (const auto & t : tensors)
  {
    const auto & part = partials ? t.partials : t.values;
    c.insert(c.end(), part.begin(), part.end());
  }
  return c;
}

NEML2_BODY std::unique_ptr<const RecordedProgram>
RecordedFormula::make_vector_jacobian(size_t k) const
{
  recorded::Recording r = _recording;
  recorded::Program p = program();
  recorded::Components weights;
  p.results.clear();
  for (const auto & result : _results)
  {
    recorded::Components w;
    for (size_t i = 0; i < result.values.size(); i++)
      w.push_back(r.input());
    weights.insert(weights.end(), w.begin(), w.end());
    p.arguments.push_back(std::move(w));
  }
  recorded::LinearMap map(r, _arguments[k].partials, all(true, _results));
  p.results.push_back(map.transposed(weights));
  return std::make_unique<const RecordedProgram>(
      _name + ": " + gradient_text(k), r, std::move(p), true);
}

NEML2_BODY std::unique_ptr<const RecordedProgram>
RecordedFormula::make_jacobian(const Places & by, const Places & of) const
{
  recorded::Recording r = _recording;
  recorded::Program p = program();
  std::vector<Tensor> results;
  for (const size_t i : of)
    results.push_back(_results[i]);
  std::vector<recorded::Components> jacobians; // of each result by each argument
  for (const auto & result : results)
    for (const size_t k : by)
      jacobians.emplace_back(result.values.size() * _arguments[k].values.size());
  for (size_t m = 0; m < by.size(); m++)
  {
    const recorded::Components & seeds = _arguments[by[m]].partials;
    const recorded::LinearMap map(r, seeds, all(true, results));
    for (size_t j = 0; j < seeds.size(); j++)
    {
      recorded::Components direction(seeds.size(), -1);
      direction[j] = r.constant(1);
      const recorded::Components column = map.of(direction);
      size_t at = 0;
      for (size_t i = 0; i < results.size(); i++)
        for (size_t c = 0; c < results[i].values.size(); c++)
          jacobians[i * by.size() + m][c * seeds.size() + j] = column[at++];
    }
  }
  p.results.insert(p.results.end(), jacobians.begin(), jacobians.end());
  return std::make_unique<const RecordedProgram>(
      _name + ": " + jacobian_text(by, of), r, std::move(p));
}

NEML2_BODY const RecordedProgram &
RecordedFormula::vector_jacobian(size_t k) const
{
  const std::lock_guard<std::mutex> lock(_mutex);
  auto found = _vector_jacobians.find(k);
  if (found == _vector_jacobians.end()) // made before it is inserted, as making it may throw
    found = _vector_jacobians.emplace(k, make_vector_jacobian(k)).first;
  return *found->second;
}

NEML2_BODY const RecordedProgram &
RecordedFormula::jacobian(const Places & by, const Places & of) const
{
  const std::lock_guard<std::mutex> lock(_mutex);
  auto found = _jacobians.find({by, of});
  if (found == _jacobians.end())
    found = _jacobians.emplace(std::pair(by, of), make_jacobian(by, of)).first;
  return *found->second;
}

NEML2_BODY std::vector<std::pair<std::string, const recorded::Evaluator *>>
RecordedFormula::evaluators() const
{
  const std::lock_guard<std::mutex> lock(_mutex);
  std::vector<std::pair<std::string, const recorded::Evaluator *>> all{{"value", &_value}};
  for (const auto & [k, e] : _vector_jacobians)
    all.emplace_back(gradient_text(k), e.get());
  for (const auto & [key, e] : _jacobians)
    all.emplace_back(jacobian_text(key.first, key.second), e.get());
  return all;
}

NEML2_BODY size_t
RecordedFormula::evaluator_count() const
{
  const std::lock_guard<std::mutex> lock(_mutex);
  return 1 + _vector_jacobians.size() + _jacobians.size();
}

NEML2_BODY bool
RecordedFormula::backward(ArrayRef<Operand> arguments,
                          ArrayRef<at::Tensor> results,
                          ArrayRef<bool> needed,
                          at::Tensor * gradients) const
{
  std::vector<Operand> o = arguments.vec();
  const TensorShape batch = broadcast_batch("vmap", o);
  std::vector<at::Tensor> weights;
  for (size_t i = 0; i < _results.size(); i++)
    weights.push_back(results[i].defined()
                          ? results[i]
                          : at::zeros(_results[i].base, first_tensor(arguments).options()));
  for (size_t i = 0; i < _results.size(); i++)
    o.push_back({&weights[i],
                 "gradient",
                 weights[i].dim() - Size(_results[i].base.size()),
                 TensorShapeRef(_results[i].base)});
  if (o.size() >= size_t(max_operands) || batch.size() > size_t(max_dims))
    return false;
  const bool on_cpu = recorded::interpreter().run && choose_path(o) == Path::fused;
  if (!on_cpu && choose_device_path(o) != Path::fused)
    return false;
  for (size_t k = 0; k < arguments.size(); k++)
    if (needed[k] && arguments[k].tensor)
    {
      const RecordedProgram & p = vector_jacobian(k);
      gradients[k] = on_cpu ? gradient_over_batch(row_formula(p), o, batch, k)
                            : p.gradient(o, batch, k, p.numbers());
      if (!gradients[k].defined()) // undefined on a device without a kernel
        return false;
    }
  return true;
}
} // namespace neml2::engine
