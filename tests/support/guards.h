// SPDX-License-Identifier: MIT
#pragma once

#include "support/derivatives.h"
#include "support/parity.h"

#include <torch/csrc/autograd/function.h>

#include <cfenv>
#include <cmath>

/// Promises that every operation keeps: no row depends on another, and ordinary rows raise no
/// floating-point exception.
namespace neml2::test
{
/// Sets the number of threads until the end of the scope.
class Threads
{
public:
  explicit Threads(int n) : _before(at::get_num_threads()) { at::set_num_threads(n); }
  Threads(const Threads &) = delete;
  Threads & operator=(const Threads &) = delete;
  ~Threads() { at::set_num_threads(_before); }

private:
  int _before;
};

/// Whether the bits are the same; any NaN equals any NaN.
inline bool
same_bits(const at::Tensor & a, const at::Tensor & b)
{
  if (a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type())
    return false;
  const auto bits = [](const at::Tensor & t)
  {
    const at::Tensor x = t.contiguous();
    return x.scalar_type() == kFloat64   ? x.view(at::kLong)
           : x.scalar_type() == kFloat32 ? x.view(at::kInt)
                                         : x;
  };
  const at::Tensor both_nan = a.ne(a).logical_and(b.ne(b));
  return bits(a).eq(bits(b)).logical_or(both_nan).all().item<bool>();
}

/// The value of an operation, then its gradients by the arguments if it has a derivative rule: LibTorch
/// differentiates other operations, and promises less.
inline Arguments
value_and_gradients(const Operation & op, const Arguments & a, const at::Tensor & weight)
{
  Arguments x, r{at::Tensor(op.call(a))};
  if (!weight.defined() || !r[0].is_floating_point())
    return r;
  const at::AutoGradMode grad(true);
  for (const auto & t : a)
    x.push_back(t.detach().requires_grad_());
  const at::Tensor y = op.call(x);
  if (!y.grad_fn() || y.grad_fn()->name() != op.name + "Backward")
    return r;
  for (auto & g : torch::autograd::grad({y}, x, {weight.expand_as(y)}, false, false, true))
    r.push_back(g);
  return r;
}

/// Row p of a batch of one dimension, copied into separate memory.
inline at::Tensor
row_alone(const at::Tensor & t, int64_t p)
{
  return t.select(0, p).contiguous().clone();
}

/// A weight for the gradients of the rows of a batch; undefined for an operation that has no rule.
inline at::Tensor
weight_of_rows(const Operation & op, const Arguments & a)
{
  const at::Tensor y = op.call(a);
  return y.is_floating_point() ? at::rand(y.sizes(), kFloat64).to(y.scalar_type()) + 0.5
                               : at::Tensor();
}

/// The rows of a batch, each evaluated and differentiated alone, side by side.
class RowsAlone
{
public:
  RowsAlone(const Operation & op, const Arguments & a, const at::Tensor & weight) : _op(op)
  {
    std::vector<Arguments> rows;
    for (int64_t p = 0; p < a.at(0).size(0); p++)
    {
      Arguments row;
      for (const auto & t : a)
        row.push_back(row_alone(t, p));
      const auto alone =
          value_and_gradients(op, row, weight.defined() ? row_alone(weight, p) : at::Tensor());
      rows.resize(alone.size());
      for (size_t k = 0; k < alone.size(); k++)
        rows[k].push_back(alone[k]);
    }
    for (const auto & r : rows)
      _alone.push_back(r[0].defined() ? at::stack(r) : at::Tensor());
  }

  /// Whether value and gradients of the batch equal those of its rows from `begin` on, each computed alone,
  /// except the row at `except`; if not, the verdict names the result that differs.
  Verdict are(const Arguments & batch, int64_t begin, int64_t except = -1) const
  {
    for (size_t k = 0; k < batch.size(); k++)
    {
      if (!batch[k].defined())
        continue;
      const int64_t rows = batch[k].size(0);
      const auto alone = _alone[k].slice(0, begin, begin + rows);
      for (int64_t p = 0; p < rows && !same_but(batch[k], alone, except); p++)
        if (p != except && !same_bits(batch[k].select(0, p), alone.select(0, p)))
          return no(k == 0 ? "" : "the gradient by argument " + std::to_string(k - 1) + " of ",
                    _op.name,
                    ", ",
                    batch[k].scalar_type(),
                    ", row ",
                    p,
                    ": ",
                    batch[k].select(0, p),
                    "\nand alone ",
                    alone.select(0, p));
    }
    return {};
  }

private:
  static bool same_but(const at::Tensor & a, const at::Tensor & b, int64_t except)
  {
    return except < 0 ? same_bits(a, b)
                      : same_bits(a.slice(0, 0, except), b.slice(0, 0, except)) &&
                            same_bits(a.slice(0, except + 1), b.slice(0, except + 1));
  }

  const Operation & _op;
  Arguments _alone;
};

/// Bad rows, for which no formula is defined.
inline std::vector<at::Tensor>
bad_rows(TensorShapeRef base)
{
  const auto options = at::TensorOptions(kFloat64);
  std::vector<at::Tensor> all;
  for (const double x :
       {double(NAN), double(INFINITY), -double(INFINITY), 0.0, -1.0, 1e300, 1e-300})
    all.push_back(at::full(base, x, options)); // matrices of these are singular, too
  if (base.size() == 2 && base[0] == base[1])
    all.push_back(-at::eye(base[0], options));
  if (base.size() == 1 && base[0] == 6)
    all.push_back(at::tensor({-1.0, -1.0, -1.0, 0.0, 0.0, 0.0}, options));
  return all;
}

/// Whether the result has the same rows as the arguments, unlike that of an operation that joins tensors.
inline bool
is_of_rows(const Operation & op)
{
  const auto a = arguments(op, {{3}});
  return TensorShape(op.call(a).batch_sizes()) == TensorShape{3};
}

/// With a bad row at any place of a batch, all other rows and their gradients are bitwise the same as
/// when they are computed alone.
inline Verdict
bad_rows_stay_alone(const Operation & op)
{
  if (!is_of_rows(op))
    return {};
  constexpr int64_t rows = 9; // two packs of four and a remainder
  const auto good = arguments(op, {{rows}});
  const at::Tensor weight = weight_of_rows(op, good);
  const RowsAlone alone(op, good, weight);
  for (size_t k = 0; k < op.count(); k++)
    for (const auto & bad : bad_rows(op.base[k]))
      for (int64_t place = 0; place < rows; place++)
      {
        auto a = good;
        a[k] = good[k].clone();
        a[k].select(0, place).copy_(bad);
        Arguments r;
        try
        {
          r = value_and_gradients(op, a, weight);
        }
        catch (const SingularException &)
        {
          continue; // the operation refuses these rows
        }
        if (auto v = alone.are(r, 0, place); !v)
          return no("with argument ", k, " ", bad, "\nin row ", place, ": ", v.problem);
      }
  return {};
}

/// A row is bitwise the same in any batch: of any size, at any place, of any layout in memory, beside
/// operands that all rows share.
inline Verdict
rows_are_alone(const Operation & op)
{
  if (!is_of_rows(op))
    return {};
  for (const auto dtype : {kFloat64, kFloat32})
  {
    constexpr int64_t rows = 21;
    auto a = arguments(op, {{rows}}, dtype);
    const at::Tensor weight = weight_of_rows(op, a);
    for (int layout = 0; layout < layouts; layout++)
    {
      Arguments x;
      for (size_t k = 0; k < a.size(); k++)
        x.push_back(lay_out(Layout((layout + int(k)) % layouts), a[k], op.base[k].size()));
      const RowsAlone alone(op, x, weight); // the expanded layout changes values
      const auto r = value_and_gradients(op, x, weight);
      if (auto v = alone.are(r, 0); !v)
        return no("in layout ", layout, ": ", v.problem);
      for (const int64_t n : {2, 3, 4, 5, 8})
      {
        Arguments part;
        for (const auto & t : x)
          part.push_back(t.slice(0, 13, 13 + n));
        const auto s =
            value_and_gradients(op, part, weight.defined() ? weight.slice(0, 13, 13 + n) : weight);
        if (auto v = alone.are(s, 13); !v)
          return no("in a batch of ", n, ", layout ", layout, ": ", v.problem);
      }
    }
  }
  return {};
}

/// Value and gradients are bitwise the same on any number of threads, also the gradients by operands that all
/// rows share.
inline Verdict
same_on_all_threads(const Operation & op)
{
  for (const auto & batches :
       std::vector<Batches>{{{4099}}, {{4099}, {}}, {{}, {4099}}, {{61, 1}, {67}}})
  {
    if (op.count() == 1 && batches.size() > 1)
      break;
    const auto a = arguments(op, batches);
    const at::Tensor weight = weight_of_rows(op, a);
    Arguments one;
    for (const int threads : {1, 2, 3})
    {
      const Threads set(threads);
      const auto r = value_and_gradients(op, a, weight);
      if (threads == 1)
        one = r;
      for (size_t k = 0; k < r.size(); k++)
        if (r[k].defined() && !same_bits(r[k], one[k]))
          return no(k == 0 ? "" : "the gradient by argument " + std::to_string(k - 1) + " of ",
                    op.name,
                    " on ",
                    threads,
                    " threads differs for",
                    describe(a));
    }
  }
  return {};
}

/// The floating-point exceptions raised since the flags were cleared; only those that finite-element
/// codes trap.
inline std::string
raised()
{
  const int flags = std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  std::string s;
  if (flags & FE_INVALID)
    s += " invalid";
  if (flags & FE_DIVBYZERO)
    s += " division by zero";
  if (flags & FE_OVERFLOW)
    s += " overflow";
  return s;
}

inline bool
all_finite(const Arguments & tensors)
{
  for (const auto & t : tensors)
    if (t.defined() && t.is_floating_point() && !t.isfinite().all().item<bool>())
      return false;
  return true;
}

/// The operation and its gradients raise no floating-point exception on ordinary rows.
inline Verdict
raises_no_exception(const Operation & op)
{
  for (const auto dtype : {kFloat64, kFloat32})
    for (const auto & batches : std::vector<Batches>{{{13}}, {{2, 1}, {3}}})
    {
      const auto a = arguments(op, batches, dtype);
      const at::Tensor weight = weight_of_rows(op, a);
      std::feclearexcept(FE_ALL_EXCEPT);
      const at::Tensor y = op.call(a);
      if (const auto text = raised(); !text.empty())
      {
        if (!all_finite({y}))
          continue; // the operation is not defined for all these rows
        return no(op.name, " raises", text, " for", describe(a));
      }
      Arguments g;
      if (weight.defined())
        g = value_and_gradients(op, a, weight);
      if (const auto text = raised(); !text.empty() && all_finite(g))
        return no("The gradient of ", op.name, " raises", text, " for", describe(a));
    }
  return {};
}
} // namespace neml2::test
