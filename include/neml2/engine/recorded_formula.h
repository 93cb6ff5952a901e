// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/DeviceFormula.h"
#include "neml2/engine/evaluate.h"
#include "neml2/recorded/Evaluator.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

/// Evaluates recorded formulas over batches, with gradients and Jacobians. vmap and value_and_jacobian do the same for formulas that the
/// C++ compiler compiles.
namespace neml2::engine
{
/// Set by device/ProgramFormula.h, or by the compiled library.
using MakeProgramFormula = std::unique_ptr<const DeviceFormula> (*)(const std::string & name,
                                                                    const recorded::Evaluator &);
NEML2_ONE_A_PROGRAM inline std::atomic<MakeProgramFormula> make_program_formula{nullptr};

/// A program of a recorded formula. A tile loop runs it on the CPU, a kernel on other devices.
class RecordedProgram : public recorded::Evaluator, public DeviceFormula
{
public:
  RecordedProgram(std::string name,
                  const recorded::Recording & r,
                  recorded::Program p,
                  bool adds_up = false)
    : Evaluator(r, std::move(p), adds_up), _name(std::move(name))
  {
  }

  bool evaluate(const Operation & op,
                ArrayRef<Operand> operands,
                TensorShapeRef batch,
                ArrayRef<TensorShapeRef> bases,
                at::Tensor * results) const override
  {
    const DeviceFormula * const kernel = on_device();
    return kernel && kernel->evaluate(op, operands, batch, bases, results);
  }
  bool evaluate_into(ArrayRef<Operand> operands,
                     TensorShapeRef batch,
                     ArrayRef<at::Tensor> results) const override
  {
    const DeviceFormula * const kernel = on_device();
    return kernel && kernel->evaluate_into(operands, batch, results);
  }
  at::Tensor
  gradient(ArrayRef<Operand> operands, TensorShapeRef batch, size_t k, Size numbers) const override
  {
    const DeviceFormula * const kernel = on_device();
    return kernel ? kernel->gradient(operands, batch, k, numbers) : at::Tensor();
  }

private:
  std::string _name;
  mutable std::mutex _mutex;
  mutable std::unique_ptr<const DeviceFormula> _on_device;

  /// The kernel of this program; null if make_program_formula is not set.
  const DeviceFormula * on_device() const
  {
    const std::lock_guard<std::mutex> lock(_mutex);
    const MakeProgramFormula make = make_program_formula.load();
    if (!_on_device && make)
      _on_device = make(_name, *this);
    return _on_device.get();
  }
};

/**
 * A formula that was recorded with duals (numbers with partials), and the programs that compute its values and derivatives.
 *
 * The program of the values is made with the formula, every other program when it is first needed. A program is an Evaluator, which is
 * interpreted until its source is compiled.
 */
class RecordedFormula
{
public:
  /// The nodes of an argument or a result: its values and their partials. The partials of an argument are its seeds.
  struct Tensor
  {
    recorded::Components values, partials;
    TensorShape base;
    bool is_number = false; ///< whether it is a plain number, not a tensor

    friend bool operator==(const Tensor & a, const Tensor & b)
    {
      return a.values == b.values && a.partials == b.partials && a.base == b.base &&
             a.is_number == b.is_number;
    }

    /// Returns an operand that refers to `value`, a value of this argument or result.
    Operand operand(const at::Tensor & value, const char * type) const
    {
      return {&value, type, value.dim() - Size(base.size()), TensorShapeRef(base)};
    }
  };

  /// `name` is the formula's name in messages.
  RecordedFormula(recorded::Recording recording,
                  std::vector<Tensor> arguments,
                  std::vector<Tensor> results,
                  std::string name = "formula",
                  bool is_last = false);

  /// Whether the derivatives of this formula, which is a derivative itself, need a partial that is not available (see
  /// Recording::refused_partial).
  bool is_last() const { return _is_last; }

  const std::vector<Tensor> & arguments() const { return _arguments; }
  const std::vector<Tensor> & results() const { return _results; }
  const std::vector<TensorShapeRef> & bases() const { return _bases; }
  /// The base shapes of the results, then of the Jacobian of each result in `of` with respect to each argument in `by`.
  std::vector<TensorShape> bases_with_jacobians(const std::vector<size_t> & by,
                                                const std::vector<size_t> & of) const;

  /// Whether another formula was recorded with the same operations, arguments and results.
  bool is_same_as(const RecordedFormula & other) const
  {
    return _recording.is_same_as(other._recording) && _arguments == other._arguments &&
           _results == other._results;
  }

  const RecordedProgram & value() const { return _value; }
  /// The program that computes the gradient with respect to argument k from the arguments and the weights of the results.
  const RecordedProgram & vector_jacobian(size_t k) const;
  /// The program that computes the results, then the Jacobian of each result in `of` with respect to each argument in `by`.
  const RecordedProgram & jacobian(const std::vector<size_t> & by,
                                   const std::vector<size_t> & of) const;

  /// A formula of the arguments and of the weights of the results. It returns the gradients with respect to the arguments in `by`, not
  /// summed over the batch. Null if the formula needs a partial that is not available (see Recording::refused_partial), or if it would have
  /// too many operations.
  std::shared_ptr<const RecordedFormula> gradient(const std::vector<size_t> & by) const;
  /// A formula of the arguments, and of the tangents of the arguments in `by`. It returns the tangents of the results. Null in the same
  /// cases as gradient().
  std::shared_ptr<const RecordedFormula> tangent(const std::vector<size_t> & by) const;
  /// A formula that returns the results, then the Jacobian of each result in `of` with respect to each argument in `by`. Null in the same
  /// cases as gradient().
  std::shared_ptr<const RecordedFormula> with_jacobians(const std::vector<size_t> & by,
                                                        const std::vector<size_t> & of) const;

  /// The weights of the results. A weight is the gradient with respect to a result, or zeros if this gradient is undefined.
  std::vector<at::Tensor> weights(ArrayRef<Operand> arguments, ArrayRef<at::Tensor> results) const;
  /// The operands of a program that takes the arguments, then the weights. They refer to `weights`, which must outlive them.
  std::vector<Operand> with_weights(ArrayRef<Operand> arguments,
                                    const std::vector<at::Tensor> & weights) const;

  /// The programs made so far, with descriptions of their results.
  std::vector<std::pair<std::string, const recorded::Evaluator *>> evaluators() const;
  size_t evaluator_count() const;

  /// Computes the gradients with respect to the needed arguments, as Gradient::backward does, from the operands that with_weights()
  /// returns. Returns false if neither the fused loop nor a kernel can compute the gradients.
  bool backward(ArrayRef<Operand> operands, ArrayRef<bool> needed, at::Tensor * gradients) const;

private:
  template <class Key>
  using Programs = std::map<Key, std::unique_ptr<const RecordedProgram>>;
  using Places = std::vector<size_t>;

  std::string _name;
  recorded::Recording _recording;
  std::vector<Tensor> _arguments, _results;
  std::vector<TensorShapeRef> _bases; ///< base shapes of the results
  RecordedProgram _value;
  bool _is_last;
  mutable std::mutex _mutex;
  mutable Programs<size_t> _vector_jacobians;
  mutable Programs<std::pair<Places, Places>> _jacobians; ///< the key is (by, of)
  template <class Key>
  using Formulas = std::map<Key, std::shared_ptr<const RecordedFormula>>;
  mutable Formulas<Places> _gradients, _tangents;
  mutable Formulas<std::pair<Places, Places>> _with_jacobians; ///< the key is (by, of)

  recorded::Program program() const;
  recorded::Components all(bool partials, const std::vector<Tensor> & tensors) const;
  std::unique_ptr<const RecordedProgram> make_vector_jacobian(size_t k) const;
  std::unique_ptr<const RecordedProgram> make_jacobian(const Places & by, const Places & of) const;
  std::vector<recorded::Components> record_jacobians(recorded::Recording & r,
                                                     const Places & by,
                                                     const Places & of,
                                                     bool by_rules) const;
  std::shared_ptr<const RecordedFormula> make_gradient(const Places & by) const;
  std::shared_ptr<const RecordedFormula> make_tangent(const Places & by) const;
  static Tensor new_argument(recorded::Recording & r, const Tensor & like);
  static void append_like(std::vector<Tensor> & tensors,
                          const std::vector<Tensor> & like,
                          const recorded::Components & values);
  std::vector<Tensor> arguments_at(const Places & places) const;
  std::shared_ptr<const RecordedFormula> make_with_jacobians(const Places & by,
                                                             const Places & of) const;
  static std::shared_ptr<const RecordedFormula> differentiable(recorded::Recording r,
                                                               std::vector<Tensor> arguments,
                                                               std::vector<Tensor> results,
                                                               std::string name);
  template <class Key, class Make>
  std::shared_ptr<const RecordedFormula>
  derived(Formulas<Key> & known, const Key & key, const Make & make) const;
};

inline RowFormula
row_formula(const recorded::Evaluator & e)
{
  return {e.loop(), &e, e.numbers(), {nullptr, 1}};
}
inline RowFormula
row_formula(const RecordedProgram & p)
{
  return with_device_formula(row_formula(static_cast<const recorded::Evaluator &>(p)), p);
}
} // namespace neml2::engine

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/engine/recorded_formula-inl.h"
#endif
