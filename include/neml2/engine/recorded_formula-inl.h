// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/recorded_formula.h"

#include "neml2/engine/slabs.h"
#include "neml2/engine/vector_jacobian.h"
#include "neml2/recorded/Replay.h"
#include "neml2/recorded/linear.h"

namespace neml2::engine
{
NEML2_BODY
RecordedFormula::RecordedFormula(recorded::Recording recording,
                                 std::vector<Tensor> arguments,
                                 std::vector<Tensor> results,
                                 std::string name,
                                 bool is_last)
  : _name(std::move(name)),
    _recording(std::move(recording)),
    _arguments(std::move(arguments)),
    _results(std::move(results)),
    _value(_name, _recording, program()),
    _is_last(is_last)
{
  NEML2_CHECK(_arguments.size() + _results.size() <= size_t(max_operands),
              "vmap: at most ",
              max_operands,
              " arguments and results are allowed in total");
  for (const auto & r : _results)
    _bases.emplace_back(r.base);
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
places_text(const std::vector<size_t> & places)
{
  std::string s;
  for (const size_t k : places)
    s += (s.empty() ? "" : ", ") + std::to_string(k);
  return s;
}
NEML2_BODY std::string
jacobian_text(const std::vector<size_t> & by, const std::vector<size_t> & of)
{
  return "value, and Jacobian of " + places_text(of) + " by " + places_text(by);
}

/// All values of some tensors, or, if `partials` is true, all their partials.
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

/// The Jacobian of each result in `of` with respect to each argument in `by`. There is one list of components per Jacobian.
NEML2_BODY std::vector<recorded::Components>
RecordedFormula::record_jacobians(recorded::Recording & r,
                                  const Places & by,
                                  const Places & of,
                                  bool by_rules) const
{
  std::vector<Tensor> results;
  for (const size_t i : of)
    results.push_back(_results[i]);
  std::vector<recorded::Components> jacobians;
  for (const auto & result : results)
    for (const size_t k : by)
      jacobians.emplace_back(result.values.size() * _arguments[k].values.size());
  for (size_t m = 0; m < by.size(); m++)
  {
    const recorded::Components & seeds = _arguments[by[m]].partials;
    const recorded::LinearMap map(r, seeds, all(true, results), by_rules);
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
  return jacobians;
}

NEML2_BODY std::unique_ptr<const RecordedProgram>
RecordedFormula::make_jacobian(const Places & by, const Places & of) const
{
  recorded::Recording r = _recording;
  recorded::Program p = program();
  const auto jacobians = record_jacobians(r, by, of, /*by_rules=*/false);
  p.results.insert(p.results.end(), jacobians.begin(), jacobians.end());
  return std::make_unique<const RecordedProgram>(
      _name + ": " + jacobian_text(by, of), r, std::move(p));
}

// ---- Derivatives as formulas ----

/// The formula with this key among the known ones, otherwise the formula that make() returns. Null if a partial is not available, or if the
/// formula would have too many operations.
template <class Key, class Make>
std::shared_ptr<const RecordedFormula>
RecordedFormula::derived(Formulas<Key> & known, const Key & key, const Make & make) const
{
  const std::lock_guard<std::mutex> lock(_mutex);
  const auto found = known.find(key);
  if (found != known.end())
    return found->second;
  std::shared_ptr<const RecordedFormula> made;
  try
  {
    made = make();
  }
  catch (const std::invalid_argument &)
  {
  }
  catch (const std::length_error &)
  {
  }
  return known.emplace(key, std::move(made)).first->second;
}

/// Makes a formula with these results, and records partials of the results that have none.
NEML2_BODY std::shared_ptr<const RecordedFormula>
RecordedFormula::differentiable(recorded::Recording r,
                                std::vector<Tensor> arguments,
                                std::vector<Tensor> results,
                                std::string name)
{
  if (arguments.size() + results.size() > size_t(max_operands))
    return nullptr;
  bool is_last = false;
  {
    const recorded::Recording::Scope scope(r);
    recorded::Components values, seeds, partials;
    for (const auto & t : results)
      if (t.partials.empty())
        values.insert(values.end(), t.values.begin(), t.values.end());
    const std::vector<recorded::Number> numbers = recorded::Replay(r).of(values);
    auto next = numbers.begin();
    for (auto & t : results)
    {
      if (t.partials.empty())
        for (int32_t & value : t.values)
        {
          value = next->x.id;
          t.partials.push_back(next->d[0].id);
          ++next;
        }
      partials.insert(partials.end(), t.partials.begin(), t.partials.end());
    }
    for (const auto & t : arguments)
      seeds.insert(seeds.end(), t.partials.begin(), t.partials.end());
    try
    {
      const recorded::LinearMap available(r, seeds, partials);
    }
    catch (const std::invalid_argument &)
    {
      is_last = true;
    }
  }
  return std::make_shared<const RecordedFormula>(
      std::move(r), std::move(arguments), std::move(results), std::move(name), is_last);
}

/// Makes a new argument that has seeds, in the shape of `like`.
NEML2_BODY RecordedFormula::Tensor
RecordedFormula::new_argument(recorded::Recording & r, const Tensor & like)
{
  Tensor t;
  t.base = like.base;
  for (size_t i = 0; i < like.values.size(); i++)
  {
    t.values.push_back(r.input());
    t.partials.push_back(r.input());
    r.set_partial(t.values.back(), t.partials.back());
  }
  return t;
}

/// Appends tensors that have the shapes of `like`, these values, and no partials.
NEML2_BODY void
RecordedFormula::append_like(std::vector<Tensor> & tensors,
                             const std::vector<Tensor> & like,
                             const recorded::Components & values)
{
  auto next = values.begin();
  for (const auto & other : like)
  {
    Tensor t;
    t.base = other.base;
    const auto n = std::ptrdiff_t(other.values.size());
    t.values.assign(next, next + n);
    next += n;
    tensors.push_back(std::move(t));
  }
}

NEML2_BODY std::vector<RecordedFormula::Tensor>
RecordedFormula::arguments_at(const Places & places) const
{
  std::vector<Tensor> chosen;
  for (const size_t k : places)
    chosen.push_back(_arguments[k]);
  return chosen;
}

NEML2_BODY std::shared_ptr<const RecordedFormula>
RecordedFormula::make_tangent(const Places & by) const
{
  recorded::Recording r = _recording;
  const std::vector<Tensor> variables = arguments_at(by);
  std::vector<Tensor> directions, results;
  for (const auto & v : variables)
    directions.push_back(new_argument(r, v));
  {
    const recorded::Recording::Scope scope(r);
    const recorded::LinearMap map(r, all(true, variables), all(true, _results), /*by_rules=*/true);
    append_like(results, _results, map.of(all(false, directions)));
  }
  std::vector<Tensor> arguments = _arguments;
  arguments.insert(arguments.end(), directions.begin(), directions.end());
  return differentiable(
      std::move(r), std::move(arguments), std::move(results), _name + ": tangent");
}

NEML2_BODY std::shared_ptr<const RecordedFormula>
RecordedFormula::make_gradient(const Places & by) const
{
  recorded::Recording r = _recording;
  const std::vector<Tensor> variables = arguments_at(by);
  std::vector<Tensor> weights, results;
  for (const auto & result : _results)
    weights.push_back(new_argument(r, result));
  {
    const recorded::Recording::Scope scope(r);
    const recorded::LinearMap map(r, all(true, variables), all(true, _results), /*by_rules=*/true);
    append_like(results, variables, map.transposed(all(false, weights)));
  }
  std::vector<Tensor> arguments = _arguments;
  arguments.insert(arguments.end(), weights.begin(), weights.end());
  return differentiable(
      std::move(r), std::move(arguments), std::move(results), _name + ": gradient");
}

NEML2_BODY std::shared_ptr<const RecordedFormula>
RecordedFormula::make_with_jacobians(const Places & by, const Places & of) const
{
  recorded::Recording r = _recording;
  std::vector<Tensor> results = _results;
  const auto bases = bases_with_jacobians(by, of);
  {
    const recorded::Recording::Scope scope(r);
    for (auto & J : record_jacobians(r, by, of, /*by_rules=*/true))
    {
      Tensor t;
      t.base = bases[results.size()];
      t.values = std::move(J);
      results.push_back(std::move(t));
    }
  }
  return differentiable(std::move(r), _arguments, std::move(results), _name + ": Jacobian");
}

NEML2_BODY std::shared_ptr<const RecordedFormula>
RecordedFormula::gradient(const Places & by) const
{
  return derived(_gradients, by, [&] { return make_gradient(by); });
}
NEML2_BODY std::shared_ptr<const RecordedFormula>
RecordedFormula::tangent(const Places & by) const
{
  return derived(_tangents, by, [&] { return make_tangent(by); });
}
NEML2_BODY std::shared_ptr<const RecordedFormula>
RecordedFormula::with_jacobians(const Places & by, const Places & of) const
{
  return derived(_with_jacobians, std::pair(by, of), [&] { return make_with_jacobians(by, of); });
}

NEML2_BODY const RecordedProgram &
RecordedFormula::vector_jacobian(size_t k) const
{
  const std::lock_guard<std::mutex> lock(_mutex);
  auto found = _vector_jacobians.find(k);
  if (found == _vector_jacobians.end()) // made before it is inserted, because making it may throw
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
  const auto add = [&all](const std::string & name, const RecordedFormula * formula, bool is_run)
  {
    if (formula)
      for (const auto & [what, e] : formula->evaluators())
        if (is_run || e != &formula->_value)
          all.emplace_back(e == &formula->_value ? name : what + " of (" + name + ")", e);
  };
  for (const auto & [by, formula] :
       _gradients) // without their values, because programs of _vector_jacobians compute these
    add("gradient by " + places_text(by), formula.get(), false);
  for (const auto & [by, formula] : _tangents)
    add("tangent by " + places_text(by), formula.get(), true);
  for (const auto & [key, formula] : _with_jacobians)
    add(jacobian_text(key.first, key.second) + ", under autograd", formula.get(), true);
  return all;
}

NEML2_BODY size_t
RecordedFormula::evaluator_count() const
{
  const std::lock_guard<std::mutex> lock(_mutex);
  size_t n = 1 + _vector_jacobians.size() + _jacobians.size();
  for (const auto & [by, formula] : _gradients)
    n += formula ? formula->evaluator_count() - 1 : 0;
  for (const auto & [by, formula] : _tangents)
    n += formula ? formula->evaluator_count() : 0;
  for (const auto & [key, formula] : _with_jacobians)
    n += formula ? formula->evaluator_count() : 0;
  return n;
}

NEML2_BODY std::vector<at::Tensor>
RecordedFormula::weights(ArrayRef<Operand> arguments, ArrayRef<at::Tensor> results) const
{
  std::vector<at::Tensor> w;
  for (size_t i = 0; i < _results.size(); i++)
    w.push_back(results[i].defined()
                    ? results[i]
                    : at::zeros(_results[i].base, first_tensor(arguments).options()));
  return w;
}

NEML2_BODY std::vector<Operand>
RecordedFormula::with_weights(ArrayRef<Operand> arguments,
                              const std::vector<at::Tensor> & weights) const
{
  std::vector<Operand> o = arguments.vec();
  for (size_t i = 0; i < _results.size(); i++)
    o.push_back(_results[i].operand(weights[i], "gradient"));
  return o;
}

NEML2_BODY bool
RecordedFormula::backward(ArrayRef<Operand> operands,
                          ArrayRef<bool> needed,
                          at::Tensor * gradients) const
{
  const TensorShape batch = broadcast_batch("vmap", operands.slice(0, _arguments.size()));
  if (operands.size() >= size_t(max_operands) || batch.size() > size_t(max_dims))
    return false;
  const bool on_cpu = _value.loop().run && choose_path(operands) == Path::fused;
  if (!on_cpu && choose_device_path(operands) != Path::fused)
    return false;
  for (size_t k = 0; k < _arguments.size(); k++)
    if (needed[k] && operands[k].tensor)
    {
      const RecordedProgram & p = vector_jacobian(k);
      gradients[k] = on_cpu ? gradient_over_batch(row_formula(p), operands, batch, k)
                            : p.gradient(operands, batch, k, p.numbers());
      if (!gradients[k].defined()) // the device has no kernel
        return false;
    }
  return true;
}
} // namespace neml2::engine
