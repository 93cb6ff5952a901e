// SPDX-License-Identifier: MIT
#include "support/operation.h"

namespace neml2::test
{
Operation
Operation::without(const Checks & checks) const
{
  Operation op = *this;
  op.left_out.insert(checks.begin(), checks.end());
  return op;
}

Table
without(const Checks & checks, const Table & table)
{
  Table all;
  for (const auto & op : table)
    all.push_back(op.without(checks));
  return all;
}

Table
together(const std::vector<Table> & tables)
{
  Table all;
  for (const auto & table : tables)
    all.insert(all.end(), table.begin(), table.end());
  return all;
}

std::vector<Batches>
batches_for(const Operation & op)
{
  std::vector<Batches> all{{{}}, {{0}}, {{1}}, {{7}}, {{2, 3}}, {{300}}};
  if (op.count() > 1)
    for (const auto & pair : std::vector<Batches>{{{2, 3}, {3}},
                                                  {{3}, {2, 3}},
                                                  {{2, 1}, {3}},
                                                  {{}, {7}},
                                                  {{40}, {}},
                                                  {{1}, {0}},
                                                  {{5, 1, 2}, {4, 1}}})
      all.push_back(pair);
  return all;
}

at::Tensor
likeable(const at::Tensor & u, TensorShapeRef base)
{
  if (base.empty())
    return 0.1 + 0.3 * u;
  if (base.size() == 2 && base[0] == base[1])
    return u - 0.5 + 3.0 * at::eye(base[0], at::kDouble);
  if (base.size() == 1 && base[0] == 6)
    return u - 0.5 + at::tensor({3.0, 3.0, 3.0, 0.0, 0.0, 0.0}, at::kDouble);
  return 2.0 * u - 1.0;
}

at::Tensor
values(TensorShapeRef batch, TensorShapeRef base, Dtype dtype)
{
  return likeable(at::rand(utils::add_shapes(batch, base), at::kDouble), base).to(dtype);
}

Arguments
arguments(const Operation & op, const Batches & batches, Dtype dtype)
{
  Arguments a;
  for (size_t k = 0; k < op.count(); k++)
    a.push_back(values(batches[k % batches.size()], op.base[k], dtype));
  return a;
}

TensorShape
common_batch(const Operation & op, const Arguments & a)
{
  TensorShape batch;
  for (size_t k = 0; k < a.size(); k++)
  {
    const auto own = a[k].sizes().slice(0, a[k].sizes().size() - op.base[k].size());
    while (batch.size() < own.size())
      batch.insert(batch.begin(), 1);
    for (size_t d = 1; d <= own.size(); d++)
      if (own[own.size() - d] != 1)
        batch[batch.size() - d] = own[own.size() - d];
  }
  return batch;
}

std::string
difference(const at::Tensor & a, const at::Tensor & b, double tolerance)
{
  std::ostringstream s;
  if (a.sizes() != b.sizes())
    s << "shapes " << a.sizes() << " and " << b.sizes();
  else if (a.scalar_type() != b.scalar_type())
    s << "dtypes " << a.scalar_type() << " and " << b.scalar_type();
  else if (a.numel() > 0)
  {
    const at::Tensor x = a.detach().to(at::kDouble), y = b.detach().to(at::kDouble);
    const double scale = 1 + y.abs().max().item<double>();
    const double d = (x - y).abs().max().item<double>();
    if (!(d <= tolerance * scale)) // also where one is NaN
      s << "values that differ by " << d << " where the largest is " << scale - 1 << ":\n"
        << x << "\n"
        << y;
  }
  return s.str();
}

std::string
describe(const Arguments & a)
{
  std::ostringstream s;
  for (const auto & t : a)
    s << " " << t.scalar_type() << t.sizes() << " strides " << t.strides() << ",";
  return s.str();
}

Verdict
agrees_with_reference(const Operation & op)
{
  for (const auto & batches : batches_for(op))
  {
    const auto a = arguments(op, batches);
    const auto batch = common_batch(op, a);
    Arguments equal;
    for (size_t k = 0; k < a.size(); k++)
      equal.push_back(a[k].expand(utils::add_shapes(batch, op.base[k])).contiguous());
    const auto result = op.call(a);
    if (TensorShape(result.batch_sizes()) != batch)
      return no(op.name, " gives the batch shape ", result.batch_sizes(), " for", describe(a));
    if (const auto d = difference(result, op.expected(equal), 1e-12); !d.empty())
      return no(op.name, " and its reference give ", d, " for", describe(a));
  }
  return {};
}

Verdict
gives_shapes_on_meta(const Operation & op)
{
  for (const auto & batches : batches_for(op))
  {
    const auto a = arguments(op, batches);
    Arguments meta;
    for (const auto & t : a)
      meta.push_back(at::empty_strided(t.sizes(), t.strides(), t.options().device(at::kMeta)));
    const auto expected = op.call(a), result = op.call(meta);
    if (!result.is_meta() || result.sizes() != expected.sizes() ||
        result.batch_dim() != expected.batch_dim() || result.dtype() != expected.dtype())
      return no(
          op.name, " gives ", result.sizes(), " on ", result.device(), " for", describe(meta));
  }
  return {};
}

Verdict
is_exact_on_integers(const Operation & op)
{
  for (const auto dtype : {at::kLong, at::kInt, at::kShort})
    for (const auto & batches : batches_for(op))
    {
      Arguments a, doubles;
      for (const auto & t : arguments(op, batches))
      {
        a.push_back(at::randint(-2, 4, t.sizes(), dtype));
        doubles.push_back(a.back().to(at::kDouble));
      }
      if (op.fuses(a))
        return no(op.name, " would read integers in the fused loop");
      if (const auto d = difference(op.call(a), op.call(doubles).to(dtype), 0); !d.empty())
        return no(op.name, " of integers and of floating numbers give ", d, " for", describe(a));
    }
  return {};
}
} // namespace neml2::test
