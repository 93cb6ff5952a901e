// SPDX-License-Identifier: MIT
#include "bindings/recorded_function.h"

#include "bindings/messages.h"
#include "bindings/rows.h"
#include "neml2/core/modes.h"
#include "neml2/engine/formula_recording.h"

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
  return made;
}
} // namespace neml2::python
