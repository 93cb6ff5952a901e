// SPDX-License-Identifier: MIT
#include "bindings/recorded_function.h"

#include "bindings/messages.h"
#include "bindings/rows.h"
#include "neml2/core/modes.h"
#include "neml2/engine/formula_recording.h"

#include <algorithm>
#include <cmath>

namespace neml2::python
{
namespace
{
/// Adds an argument to the recording, and returns it as a row (a tensor of the formula).
Row
input(const Kind & kind, engine::FormulaRecorder & recorder)
{
  constexpr Size most = 1 << 16;
  Row row(kind.type ? kind.type : &scalar_type(), {}, kind.base);
  row.is_number = !kind.type;
  const Size n = c10::multiply_integers(kind.base);
  if (n > most)
    fail_type("vmap: an argument has " + std::to_string(n) + " components per point. Expected " +
              std::to_string(most) + " at most: are batch dimensions among them?");
  row.components.resize(size_t(n));
  recorder.add_argument(kind.base, row.is_number, row.components.data(), n);
  return row;
}

[[noreturn]] void
fail_returned(nb::handle object)
{
  fail_type("vmap: the formula returned " + with_article(name_of_type(object)) +
            ". Expected tensors of the formula, numbers, or groups of them.");
}

/// Adds a result to the recording.
void
output(nb::handle object, engine::FormulaRecorder & recorder, std::vector<Kind> & results)
{
  const auto row = as_row(object);
  if (!row)
    fail_returned(object);
  recorder.add_result(row->base, row->components.data(), Size(row->components.size()));
  results.push_back({row->type, row->base});
}

/// For each result, whether its type holds integers, and its numbers are made of integers by operations that keep them.
std::vector<bool>
integers_among(const std::vector<Kind> & results, const recorded::Evaluator & e)
{
  std::vector<bool> found;
  for (const Kind & r : results)
    found.push_back(holds_integers(*r.type));
  if (std::find(found.begin(), found.end(), true) == found.end())
    return found;
  using recorded::Op;
  const auto & nodes = e.operations.nodes;
  std::vector<bool> is_integer(nodes.size());
  for (size_t k = 0; k < e.program.arguments.size(); k++)
    for (const int32_t i : e.program.arguments[k])
      is_integer[size_t(i)] = !e.program.is_number[k];
  for (size_t i = 0; i < nodes.size(); i++)
  {
    const auto of = [&](int k) { return is_integer[size_t(nodes[i].operand[k])]; };
    switch (nodes[i].op)
    {
    case Op::constant:
      is_integer[i] = std::floor(nodes[i].number) == nodes[i].number &&
                      std::abs(nodes[i].number) <= 9007199254740992.0; // 2^53
      break;
    case Op::negate:
    case Op::abs:
    case Op::macaulay:
      is_integer[i] = of(0);
      break;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::minimum:
    case Op::maximum:
      is_integer[i] = of(0) && of(1);
      break;
    case Op::where:
      is_integer[i] = of(1) && of(2);
      break;
    case Op::multiply_add:
    case Op::multiply_subtract:
    case Op::subtract_product:
      is_integer[i] = of(0) && of(1) && of(2);
      break;
    default:
      break;
    }
  }
  for (size_t k = 0; k < found.size(); k++)
    for (const int32_t i : e.program.results[k])
      found[k] = found[k] && is_integer[size_t(i)];
  return found;
}
} // namespace

std::shared_ptr<Recorded>
record(const PythonFunction & f, const Call & c)
{
  // Constants that the function makes are then ordinary tensors.
  const core::OutsideOfModes no_modes;
  auto made = share_with_threads<Recorded>();
  made->arguments = c.size();
  made->groups = c.groups;
  made->types = c.types;
  engine::FormulaRecorder recorder;
  size_t i = 0;
  const auto leaf = [&] { return nb::cast(input(c.types[i++], recorder)); };
  const Returned returned = f.call(c.arguments(leaf));
  for (const Leaf & l : returned.leaves)
    output(l.object, recorder, made->results);
  if (made->results.empty() && returned.structure.parts()[0].is == Structure::Is::constant)
    fail_returned(returned.structure.parts()[0].object);
  if (made->results.empty())
    fail_type(
        "vmap: the formula returned nothing. Expected a tensor, a number, or a group of them.");
  made->returned = returned.structure;
  made->formula = recorder.finish(f.name());
  made->are_integers = integers_among(made->results, made->formula->value());
  return made;
}
} // namespace neml2::python
