// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/LabeledVector.h"

namespace neml2
{
namespace tensors
{
/// The ranges that `fill` copies. Throws if a variable has different sizes on the two axes.
NEML2_BODY std::vector<CommonRange>
fill_ranges(const LabeledAxis & a, const LabeledAxis & b, bool recursive)
{
  std::vector<CommonRange> ranges;
  a.visit_common(
      b,
      [&](const auto & path, const auto & here, const auto & there)
      {
        NEML2_CHECK(here.second - here.first == there.second - there.first,
                    "fill: the variable '",
                    path(),
                    "' has size ",
                    here.second - here.first,
                    " here and ",
                    there.second - there.first,
                    " in the other tensor.");
        append_range(ranges, here, there);
      },
      recursive);
  return ranges;
}

/// Copies ranges of base dimension 0 from `from` to `to`.
NEML2_BODY void
fill_slices(Tensor & to, const Tensor & from, const std::vector<CommonRange> & ranges)
{
  const Operand o[] = {operand(to), operand(from)};
  check_operands(Operation("fill", Accepts::any), o, /*mixed_dtypes=*/true);
  NEML2_CHECK(TensorShapeRef(broadcast_batch("fill", o)) == o[0].batch(),
              "fill: the batch of ",
              o[1],
              " does not fit the batch of ",
              o[0],
              ".");
  const bool shared = to.has_storage() && from.has_storage() && to.is_alias_of(from);
  const Tensor source =
      shared ? from.clone() : from; // without a copy, entries would change before they are read
  for (const auto & [here, there] : ranges)
  {
    Tensor block(to.slice(to.batch_dim(), here.first, here.second), to.batch_dim());
    const Size d = source.batch_dim();
    block.copy_(Tensor(source.slice(d, there.first, there.second), d));
  }
}

/// The value of a variable in the form that `assemble` concatenates: (batch; size).
NEML2_BODY at::Tensor
flat_value(const Tensor & value, Size size, const LabeledAxisAccessor & name, TensorShapeRef batch)
{
  NEML2_CHECK(value.base_storage() == size,
              "assemble: the value of '",
              name,
              "', ",
              operand(value),
              ", has ",
              value.base_storage(),
              " base entries, the variable ",
              size,
              ".");
  return value.base_reshape({size}).batch_expand(batch);
}
} // namespace tensors

NEML2_BODY LabeledVector
LabeledVector::assemble(const LabeledAxis & axis, const Values & values)
{
  NEML2_CHECK(!values.empty(),
              "assemble: there are no values, so the dtype is unknown; use zeros instead.");
  std::map<LabeledAxisAccessor, const Tensor *> given;
  std::vector<core::Operand> o;
  for (const auto & [name, value] : values)
  {
    axis.variable_size(name);
    NEML2_CHECK(given.emplace(name, &value).second, "assemble: '", name, "' is given twice.");
    o.push_back(core::operand(value));
  }
  const core::Operation op("assemble", core::Accepts::any);
  core::check_operands(op, o);
  const TensorShape batch = core::broadcast_batch(op, o);
  std::vector<at::Tensor> parts;
  for (const auto & name : axis.variable_names())
  {
    const Size size = axis.variable_size(name);
    const auto found = given.find(name);
    parts.push_back(found != given.end()
                        ? tensors::flat_value(*found->second, size, name, batch)
                        : at::zeros(utils::add_shapes(batch, size),
                                    values.front().second.options().requires_grad(false)));
  }
  return LabeledVector(Tensor(at::cat(parts, -1), Size(batch.size())), {&axis});
}

NEML2_BODY LabeledVector::Values
LabeledVector::disassemble() const
{
  Values values;
  for (const auto & name : axis().variable_names())
    values.emplace_back(name, base_index({name}));
  return values;
}

NEML2_BODY void
LabeledVector::fill(const LabeledVector & other, bool recursive)
{
  tensors::fill_slices(
      tensor(), other.tensor(), tensors::fill_ranges(axis(), other.axis(), recursive));
}

namespace utils
{
NEML2_BODY bool
allclose(const LabeledVector & a, const LabeledVector & b, Real rtol, Real atol)
{
  const core::Operation op("allclose", core::Accepts::any);
  core::check_operands(op, {core::operand(a.tensor()), core::operand(b.tensor())});
  return a.axis() == b.axis() && a.sizes() == b.sizes() &&
         core::translate_errors(op.name,
                                [&] { return a.tensor().allclose(b.tensor(), rtol, atol); });
}
} // namespace utils
} // namespace neml2
