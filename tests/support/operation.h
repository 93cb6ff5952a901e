// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/evaluate.h"

#include <functional>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

/// Operations with their types erased, so that every check of them is compiled once.
namespace neml2::test
{
/// Yes, or no and why: REQUIRE prints it.
struct Verdict
{
  std::string problem;

  explicit operator bool() const { return problem.empty(); }
};

inline std::ostream &
operator<<(std::ostream & os, const Verdict & v)
{
  return os << (v.problem.empty() ? "yes" : v.problem);
}

template <class... Parts>
Verdict
no(const Parts &... parts)
{
  std::ostringstream s;
  (s << ... << parts);
  return {s.str()};
}

using Arguments = std::vector<at::Tensor>;
using Formula = std::function<at::Tensor(const Arguments &)>;

/// An operation of the library on tensors of the types it takes.
struct Operation
{
  std::string name; ///< as its error messages begin
  core::Accepts accepts;
  std::vector<TensorShape> base; ///< of each argument
  std::function<Tensor(const Arguments &)> call;
  std::function<bool(const Arguments &)> fuses;
  Formula expected; ///< the same in plain ATen, of arguments with equal batch shapes

  size_t count() const { return base.size(); }
};

using Operations = std::function<std::vector<Operation>()>;

/// All operations that the test files of this program know, for the guards that run over every one.
inline std::vector<Operations> &
known_operations()
{
  static std::vector<Operations> all;
  return all;
}

/// A file of tests makes one of these of its table.
struct Known
{
  explicit Known(Operations f) { known_operations().push_back(std::move(f)); }
};

inline std::vector<Operation>
every_operation()
{
  std::vector<Operation> all;
  for (const auto & f : known_operations())
    for (auto & op : f())
      all.push_back(std::move(op));
  return all;
}

/// g of the arguments as tensors of types T...
template <class... T, class G, size_t... I>
auto
apply_as(const Arguments & a, const G & g, std::index_sequence<I...>)
{
  return g(T(a.at(I))...);
}

/// f takes a T..., for example operation<SR2, R2>("rotate", floating, [](const SR2 & s, const R2 & R) { ... }, ...)
template <class... T, class F>
Operation
operation(std::string name, core::Accepts accepts, const F & f, Formula expected = {})
{
  constexpr auto all = std::index_sequence_for<T...>();
  return {std::move(name),
          accepts,
          {T::const_base_sizes...},
          [=](const Arguments & a) { return Tensor(apply_as<T...>(a, f, all)); },
          [=](const Arguments & a)
          {
            return apply_as<T...>(
                a, [](const T &... t) { return engine::can_fuse(t...); }, all);
          },
          std::move(expected)};
}

/// Batch shapes of an operation's arguments: argument k has element k % size.
using Batches = std::vector<TensorShape>;

/// All equal, and for more than one argument also pairs that broadcast.
inline std::vector<Batches>
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

/// Values that any operation likes, of numbers u within (0, 1): matrices are far from singular, scalars
/// within (0.1, 0.4).
inline at::Tensor
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

/// The same of random numbers.
inline at::Tensor
values(TensorShapeRef batch, TensorShapeRef base, Dtype dtype)
{
  return likeable(at::rand(utils::add_shapes(batch, base), at::kDouble), base).to(dtype);
}

inline Arguments
arguments(const Operation & op, const Batches & batches, Dtype dtype = at::kDouble)
{
  Arguments a;
  for (size_t k = 0; k < op.count(); k++)
    a.push_back(values(batches[k % batches.size()], op.base[k], dtype));
  return a;
}

/// The batch shape that the arguments broadcast to, as right-aligned shapes do.
inline TensorShape
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

/// Why two tensors are not the same; empty if they are.
inline std::string
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

inline std::string
describe(const Arguments & a)
{
  std::ostringstream s;
  for (const auto & t : a)
    s << " " << t.scalar_type() << t.sizes() << " strides " << t.strides() << ",";
  return s.str();
}

/// The operation computes what is expected, for all batch shapes.
inline Verdict
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

/// The operation gives tensors of the right shapes on the meta device, which has no values.
inline Verdict
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

/// Integers give the integers that the same values as float64 give.
inline Verdict
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
