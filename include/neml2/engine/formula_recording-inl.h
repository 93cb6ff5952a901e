// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/formula_recording.h"

#include <algorithm>

namespace neml2::engine
{
struct FormulaRecorder::Parts
{
  recorded::Recording recording;
  std::vector<RecordedFormula::Tensor> arguments, results;
  std::optional<recorded::Recording::Scope> scope{std::in_place, recording};
};

NEML2_BODY
FormulaRecorder::FormulaRecorder() : _parts(std::make_unique<Parts>()) {}
NEML2_BODY
FormulaRecorder::~FormulaRecorder() = default;

NEML2_BODY void
FormulaRecorder::add_argument(TensorShapeRef base, bool is_number, recorded::Number * x, Size n)
{
  RecordedFormula::Tensor t;
  t.base = TensorShape(base);
  t.is_number = is_number;
  for (Size k = 0; k < n; k++)
  {
    x[k] = recorded::Number(recorded::Symbol::input());
    t.values.push_back(x[k].x.id);
    if (is_number)
      continue;
    x[k].d[0] = recorded::Symbol::input();
    _parts->recording.set_partial(x[k].x.id, x[k].d[0].id);
    t.partials.push_back(x[k].d[0].id);
  }
  _parts->arguments.push_back(std::move(t));
}

NEML2_BODY void
FormulaRecorder::add_result(TensorShapeRef base, const recorded::Number * x, Size n)
{
  RecordedFormula::Tensor t;
  t.base = TensorShape(base);
  for (Size k = 0; k < n; k++)
  {
    t.values.push_back(x[k].x.id);
    t.partials.push_back(x[k].d[0].id);
  }
  _parts->results.push_back(std::move(t));
}

NEML2_BODY std::shared_ptr<const RecordedFormula>
FormulaRecorder::finish(std::string name)
{
  _parts->scope.reset();
  return std::make_shared<const RecordedFormula>(std::move(_parts->recording),
                                                 std::move(_parts->arguments),
                                                 std::move(_parts->results),
                                                 std::move(name));
}

NEML2_BODY std::string
name_with_arguments(const char * name, std::initializer_list<const char *> types)
{
  std::string all;
  for (const char * const type : types)
    all += (all.empty() ? "" : ", ") + std::string(type);
  return std::string(name) + "(" + all + ")";
}

/// Records a formula. Throws NEMLException if the recording would have too many operations. Exceptions that the formula throws pass
/// through unchanged.
NEML2_BODY std::shared_ptr<const RecordedFormula>
recorded_or_refused(KnownRecordings::Record record)
{
  try
  {
    return record();
  }
  catch (const recorded::TooLong & e)
  {
    core::fail("vmap: ", e.what());
  }
}

NEML2_BODY std::shared_ptr<const RecordedFormula>
KnownRecordings::find(c10::function_ref<bool(const Known &)> fits)
{
  const std::lock_guard<std::mutex> lock(_mutex);
  for (size_t i = 0; i < _known.size(); i++)
    if (fits(_known[i]))
    {
      std::rotate(
          _known.begin() + std::ptrdiff_t(i), _known.begin() + std::ptrdiff_t(i) + 1, _known.end());
      return _known.back().formula;
    }
  return nullptr;
}

NEML2_BODY std::shared_ptr<const RecordedFormula>
KnownRecordings::of(const std::optional<std::string> & key, Record record)
{
  if (key)
    if (const auto known = find([&](const Known & k) { return k.key == key; }))
      return known;
  std::shared_ptr<const RecordedFormula> made = recorded_or_refused(record);
  if (const auto known = find([&](const Known & k) { return k.formula->is_same_as(*made); }))
  {
    if (!key)
      return known;
    made = known; // the lines below store it under this key, too
  }
  const std::lock_guard<std::mutex> lock(_mutex);
  if (_known.size() == most)
    _known.erase(_known.begin());
  _known.push_back({key, made});
  return made;
}
} // namespace neml2::engine
