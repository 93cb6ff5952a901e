// SPDX-License-Identifier: MIT
#include "bindings/recorded_function.h"

#include "bindings/messages.h"
#include "bindings/rows.h"
#include "neml2/core/modes.h"

namespace neml2::python
{
using engine::RecordedFormula;
using recorded::Recording;

namespace
{
/// An argument of the recording.
Row
input(const Kind & kind, std::vector<RecordedFormula::Tensor> & arguments)
{
  constexpr Size most = 1 << 16;
  Row row(kind.type ? kind.type : &scalar_type(), {}, kind.base);
  RecordedFormula::Tensor t;
  row.is_number = t.is_number = !kind.type;
  t.base = kind.base;
  const Size n = c10::multiply_integers(t.base);
  if (n > most)
    fail_type("vmap: an argument has " + std::to_string(n) + " components per point. Expected " +
              std::to_string(most) + " at most: are batch dimensions among them?");
  for (Size i = 0; i < n; i++)
  {
    RecordedNumber x(recorded::Symbol::input());
    if (kind.type)
    {
      x.d[0] = recorded::Symbol::input();
      recorded::Recording::now().set_partial(x.x.id, x.d[0].id);
    }
    t.values.push_back(x.x.id);
    if (kind.type)
      t.partials.push_back(x.d[0].id);
    row.components.push_back(x);
  }
  arguments.push_back(std::move(t));
  return row;
}

[[noreturn]] void
fail_returned(nb::handle object)
{
  fail_type("vmap: the formula returned " + with_article(name_of_type(object)) +
            ". Expected tensors of the formula, numbers, or groups of them.");
}

/// A result of the recording.
RecordedFormula::Tensor
output(nb::handle object, std::vector<Kind> & results)
{
  const auto row = as_row(object);
  if (!row)
    fail_returned(object);
  RecordedFormula::Tensor t;
  for (const auto & x : row->components)
  {
    t.values.push_back(x.x.id);
    t.partials.push_back(x.d[0].id);
  }
  t.base = row->base;
  results.push_back({row->type, row->base});
  return t;
}

} // namespace

std::shared_ptr<Recorded>
record(const PythonFunction & f, const Call & c)
{
  const core::OutsideOfModes no_modes; // for constants that the function makes
  auto made = share_with_threads<Recorded>();
  made->arguments = c.size();
  made->groups = c.groups;
  made->types = c.types;
  Recording recording;
  std::vector<RecordedFormula::Tensor> arguments, results;
  {
    const Recording::Scope scope(recording);
    size_t i = 0;
    const auto leaf = [&] { return nb::cast(input(c.types[i++], arguments)); };
    const Returned returned = f.call(c.arguments(leaf));
    for (const Leaf & l : returned.leaves)
      results.push_back(output(l.object, made->results));
    if (results.empty() && returned.structure.parts()[0].is == Structure::Is::constant)
      fail_returned(returned.structure.parts()[0].object);
    if (results.empty())
      fail_type(
          "vmap: the formula returned nothing. Expected a tensor, a number, or a group of them.");
    made->returned = returned.structure;
  }
  made->formula = std::make_shared<const RecordedFormula>(
      std::move(recording), std::move(arguments), std::move(results), f.name());
  return made;
}
} // namespace neml2::python
