// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/evaluate.h"
#include "neml2/recorded/interpreter.h"

#include <map>
#include <string>
#include <vector>

/// Recorded formulas over batches: what vmap, gradients and Jacobians are for formulas that C++ did not compile.
namespace neml2::engine
{
/**
 * A formula recorded on duals, and what is derived of it, each made when it is first asked for.
 *
 * Whatever it computes is an Evaluator, which is interpreted until its source is compiled.
 */
class RecordedFormula
{
public:
  /// The numbers of an argument or a result: values, and their partials, of an argument the seeds.
  struct Tensor
  {
    recorded::Components values, partials;
    TensorShape base;
    bool is_number = false; ///< a plain number, no tensor
  };

  RecordedFormula(recorded::Recording recording,
                  std::vector<Tensor> arguments,
                  std::vector<Tensor> results);

  const std::vector<Tensor> & arguments() const { return _arguments; }
  const std::vector<Tensor> & results() const { return _results; }
  std::vector<TensorShapeRef> bases() const;
  /// Base shapes of the results, then of the Jacobians of each of those `of` by each argument `by`.
  std::vector<TensorShape> bases_with_jacobians(const std::vector<size_t> & by,
                                                const std::vector<size_t> & of) const;

  const recorded::Evaluator & value() const { return _value; }
  /// Of the arguments, and weights of the results: the gradient by argument k.
  const recorded::Evaluator & vector_jacobian(size_t k) const;
  /// The results, then the Jacobian of each of those `of` by each argument `by`.
  const recorded::Evaluator & jacobian(const std::vector<size_t> & by,
                                       const std::vector<size_t> & of) const;

  /// Those made so far, with what they compute.
  std::vector<std::pair<std::string, const recorded::Evaluator *>> evaluators() const;
  size_t evaluator_count() const;

  /// The gradients of the needed arguments from those of the results, as Gradient::backward; false if not fused.
  bool backward(ArrayRef<Operand> arguments,
                ArrayRef<at::Tensor> results,
                ArrayRef<bool> needed,
                at::Tensor * gradients) const;

private:
  template <class Key>
  using Evaluators = std::map<Key, std::unique_ptr<const recorded::Evaluator>>;
  using Places = std::vector<size_t>;

  recorded::Recording _recording;
  std::vector<Tensor> _arguments, _results;
  recorded::Evaluator _value;
  mutable std::mutex _mutex;
  mutable Evaluators<size_t> _vector_jacobians;
  mutable Evaluators<std::pair<Places, Places>> _jacobians; ///< by, of

  recorded::Program program() const;
  recorded::Components all(bool partials, const std::vector<Tensor> & tensors) const;
  std::unique_ptr<const recorded::Evaluator> make_vector_jacobian(size_t k) const;
  std::unique_ptr<const recorded::Evaluator> make_jacobian(const Places & by,
                                                           const Places & of) const;
};

inline RowFormula
row_formula(const recorded::Evaluator & e)
{
  return {e.loop(), &e, e.numbers()};
}
} // namespace neml2::engine

#ifndef NEML2_COMPILED // else the library has the bodies
#include "neml2/engine/recorded_formula-inl.h"
#endif
