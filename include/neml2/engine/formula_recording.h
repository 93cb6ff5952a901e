// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/formula.h"
#include "neml2/engine/recorded_formula.h"
#include "neml2/recorded/calls.h"
#include "neml2/recorded/matrix_functions.h"
#include "neml2/recorded/rules.h"

#include <optional>

/// Recordings of formulas (lists of their operations). A C++ formula is recorded when its recording is first needed: it is called once with
/// symbols, which record the operations on them.
namespace neml2::engine
{
/// Makes a recording. Until finish() is called, the operations of this thread on the formula's numbers are recorded in it.
class FormulaRecorder
{
public:
  FormulaRecorder();
  FormulaRecorder(const FormulaRecorder &) = delete;
  FormulaRecorder & operator=(const FormulaRecorder &) = delete;
  ~FormulaRecorder();

  /// Appends an argument of n numbers, and writes its symbols to x. Numbers that belong to a tensor get seeds (the partials
  /// with which differentiation starts); plain numbers do not.
  void add_argument(TensorShapeRef base, bool is_number, recorded::Number * x, Size n);
  /// Appends a result that consists of these numbers.
  void add_result(TensorShapeRef base, const recorded::Number * x, Size n);
  /// Ends the recording and returns it as a formula; `name` is the formula's name in messages.
  std::shared_ptr<const RecordedFormula> finish(std::string name);

private:
  struct Parts;
  std::unique_ptr<Parts> _parts;
};

/// Appends an argument of type A to the recording, and returns its row of numbers.
template <class A>
row_t<A, recorded::Number>
record_argument(FormulaRecorder & r)
{
  auto row = packs::unset_row<A, recorded::Number>();
  r.add_argument(argument_t<A>::base_shape,
                 std::is_arithmetic_v<A>,
                 packs::components(row),
                 component_count<A>);
  return row;
}

/// Records a result of type R, from the row x that the formula returned.
template <class R, class X>
void
record_result(FormulaRecorder & r, const X & x)
{
  std::array<recorded::Number, size_t(R::const_base_numel)> numbers;
  size_t k = 0;
  kernels::for_each_number(x, [&](const auto & c) { numbers[k++] = recorded::Number(c); });
  r.add_result(R::base_shape, numbers.data(), R::const_base_numel);
}
template <class Returned, class... R, size_t... I>
void
record_results(FormulaRecorder & r, const Returned & x, Types<R...>, std::index_sequence<I...>)
{
  (record_result<R>(r, result_of<I>(x)), ...);
}

/// The name of the type of an argument.
template <class A>
constexpr const char *
name_of_argument()
{
  if constexpr (std::is_arithmetic_v<A>)
    return "number";
  else
    return A::type_name;
}

/// The name of a formula in messages, with the types of its arguments.
std::string name_with_arguments(const char * name, std::initializer_list<const char *> types);

/// Calls a formula with symbols for arguments of types A, and returns the recording.
template <class... A, class F>
std::shared_ptr<const RecordedFormula>
record_formula(const F & f)
{
  using Results = typename Formula<F, A...>::Results;
  FormulaRecorder r;
  const std::tuple<row_t<A, recorded::Number>...> rows{record_argument<A>(r)...};
  record_results(
      r, std::apply(f, rows), Results(), std::make_index_sequence<size_t(Results::count)>());
  return r.finish(name_with_arguments(formula_name<F>(), {name_of_argument<A>()...}));
}

/// The recordings of formulas of one C++ type for one list of argument types. Only a limited number of them is kept.
class KnownRecordings
{
public:
  using Record = c10::function_ref<std::shared_ptr<const RecordedFormula>()>;

  /// Returns the recording with this key, or calls `record` to make it. Formulas with the same key compute the same results. A formula
  /// without a key is recorded in each call. Equal recordings share their programs and kernels.
  std::shared_ptr<const RecordedFormula> of(const std::optional<std::string> & key, Record record);

private:
  struct Known
  {
    std::optional<std::string> key;
    std::shared_ptr<const RecordedFormula> formula;
  };
  static constexpr size_t most = 16;
  std::mutex _mutex;
  std::vector<Known> _known;

  std::shared_ptr<const RecordedFormula> find(c10::function_ref<bool(const Known &)> fits);
};

template <class F, class = void>
constexpr bool has_options = false;
template <class F>
constexpr bool has_options<F, std::void_t<decltype(std::declval<const F &>().key_of_options())>> =
    true;
template <class F, class = void>
constexpr bool is_wrapper = false;
template <class F>
constexpr bool is_wrapper<F, std::void_t<typename F::FormulaWithin>> = true;

/// A key made of the plain numbers that a formula holds. Formulas of one type with the same key compute the same results. A formula that
/// may hold references has no key.
template <class F>
std::optional<std::string>
recording_key(const F & f)
{
  if constexpr (is_wrapper<F>)
  {
    auto key = recording_key(f.f);
    if constexpr (has_options<F>)
      if (key)
        *key += f.key_of_options();
    return key;
  }
  else if constexpr (std::is_empty_v<F>)
    return std::string();
  // If only padding bytes differ, there are two keys for equal recordings, which does no harm.
  else if constexpr (is_kept<F>)
    return std::string(reinterpret_cast<const char *>(&f), sizeof(F));
  else
    return std::nullopt;
}

/// The recording of a formula for arguments of types A. The numbers in the formula's fields and captures become constants.
template <class... A, class F>
std::shared_ptr<const RecordedFormula>
recorded_formula(const F & f)
{
  // Never freed, because other static objects may use it while the program ends.
  static KnownRecordings & known = *new KnownRecordings;
  const auto record = [&] { return record_formula<A...>(f); };
  return known.of(recording_key(f), record);
}

/// The recording of the formula of one call, made when first needed. On devices its program runs as a kernel.
class CallRecording : public DeviceFormula
{
public:
  using Record = KnownRecordings::Record;
  explicit CallRecording(Record record) : _record(record) {}

  const std::shared_ptr<const RecordedFormula> & formula() const
  {
    if (!_formula)
      _formula = _record();
    return _formula;
  }

  bool evaluate(const Operation & op,
                ArrayRef<Operand> operands,
                TensorShapeRef batch,
                ArrayRef<TensorShapeRef> bases,
                at::Tensor * results) const override
  {
    return program().evaluate(op, operands, batch, bases, results);
  }
  bool evaluate_into(ArrayRef<Operand> operands,
                     TensorShapeRef batch,
                     ArrayRef<at::Tensor> results) const override
  {
    return program().evaluate_into(operands, batch, results);
  }
  /// Returns an undefined tensor, because this program computes only the value.
  at::Tensor gradient(ArrayRef<Operand>, TensorShapeRef, size_t, Size) const override { return {}; }

protected:
  virtual const RecordedProgram & program() const { return formula()->value(); }

private:
  Record _record;
  mutable std::shared_ptr<const RecordedFormula> _formula;
};
} // namespace neml2::engine

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/engine/formula_recording-inl.h"
#endif
