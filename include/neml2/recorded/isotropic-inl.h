// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/isotropic.h"

#include "neml2/kernels/isotropic.h"
#include "neml2/recorded/rules-inl.h"

namespace neml2::recorded
{
/// Computes the partials of Principal. x contains the numbers that Principal takes, then their partials.
struct SlopeOfPrincipal
{
  kernels::SR2<Symbol> operator()(const std::vector<Symbol> & x) const
  {
    Ruled ruled;
    const auto [l, V] = eigh(row_of<kernels::SR2>(x));
    const auto along = rotate(row_of<kernels::SR2>(x, 15), transpose(V));
    kernels::SR2<Symbol> z{kernels::Unset()};
    for (size_t p = 0; p < 3; p++)
      z[int(p)] = x[21 + p]; // dy
    for (int p = 3; p < 6; p++)
    {
      const int i = kernels::mandel_index[p][0], j = kernels::mandel_index[p][1];
      const size_t slopes = 9 + 2 * size_t(p - 3);
      z[p] =
          along[p] * kernels::difference_of_values(
                         l[i], l[j], x[6 + size_t(i)], x[6 + size_t(j)], x[slopes], x[slopes + 1]);
    }
    const kernels::SR2<Symbol> r = rotate(z, V);
    const size_t n = x.size() / 2;
    ruled.differentiate_linear(values_in(x), n, values_in(r.v), *this, {n});
    return r;
  }
  kernels::SR2<Number> operator()(const std::vector<Number> & x) const
  {
    return with_refused_partials(
        (*this)(symbols_of(values_in(x))),
        "gradient: a function of eigenvalues, isotropic, has two derivatives in formulas if it is "
        "a scalar, and one if it is a tensor");
  }
};

/// Σ_i y_i v_i v_i with the eigenvectors v_i of a tensor. x contains the numbers of the tensor, the three y, and, for each pair of
/// eigenvalues in Mandel's order, ∂(y_i - y_j)/∂λ_i and ∂(y_j - y_i)/∂λ_j.
struct Principal
{
  kernels::SR2<Symbol> operator()(const std::vector<Symbol> & x) const
  {
    const auto V = eigh(row_of<kernels::SR2>(x)).second;
    return ieigh(row_of<kernels::Vec>(x, 6), V);
  }
  kernels::SR2<Number> operator()(const std::vector<Number> & x) const
  {
    const kernels::SR2<Symbol> values = (*this)(symbols_of(values_in(x)));
    std::vector<int32_t> ids = joined(values_in(x), partials_in(x));
    const kernels::SR2<Symbol> partials = SlopeOfPrincipal()(symbols_of(ids));
    kernels::SR2<Number> r{kernels::Unset()};
    for (int i = 0; i < 6; i++)
    {
      r[i].x = values[i];
      r[i].d[0] = partials[i];
    }
    return r;
  }
};

/// Σ_i f_i(λ) v_i v_i with the eigenvalues λ and eigenvectors v_i of s. A permutation of the λ must permute the f_i in the same way.
NEML2_BODY kernels::SR2<Number>
record_principal(const NumberFunction & f, const kernels::SR2<Number> & s)
{
  const kernels::Vec<Number> l = eigenvalues(s);
  std::vector<Number> x = elements(s), at = elements(l);
  const auto [y, J] = record_value_and_jacobian(f, at);
  x.insert(x.end(), y.begin(), y.end());
  for (int p = 3; p < 6; p++)
  {
    const auto i = size_t(kernels::mandel_index[p][0]), j = size_t(kernels::mandel_index[p][1]);
    x.push_back(J[4 * i] - J[3 * j + i]);
    x.push_back(J[4 * j] - J[3 * i + j]);
  }
  return record_isotropic(Whole::by_operations, Principal(), SlopeOfPrincipal(), x);
}

/// Records a new operation whose result has the value of a, so that a rule can be set for this operation.
NEML2_BODY Symbol
record_again(const Symbol & a)
{
  return maximum(a, a);
}

/// The eigenvalues without first derivatives, because the rules in this header already contain these. Where a rule is differentiated, the
/// eigenvalues are differentiated, too.
NEML2_BODY std::vector<Number>
record_fixed(const std::vector<Number> & eigenvalues)
{
  std::vector<Number> fixed;
  for (const Number & l : eigenvalues)
  {
    Ruled ruled;
    const Symbol r = record_again(l.x);
    ruled.differentiate({l.x.id},
                        {r.id},
                        [](const std::vector<Number> & x)
                        { return std::vector<Number>{Number(x[0].x)}; });
    fixed.emplace_back(r);
  }
  return fixed;
}

/// The partial of f(λ): the sum of slopes · ds (through the eigenvalues) and the partial of y (through the other arguments).
NEML2_BODY Symbol
slope_of_eigenvalue_function(const Number & y, const Number * slopes, const Number * s)
{
  Symbol sum = y.d[0];
  for (int i = 0; i < 6; i++)
    sum = sum + slopes[i].x * s[i].d[0];
  return sum;
}

NEML2_BODY std::vector<Number>
record_of_eigenvalues(const NumberFunction & f, const kernels::SR2<Number> & s)
{
  const std::vector<Number> l = elements(eigenvalues(s));
  std::vector<Number> without_partials;
  for (const Number & x : l)
    without_partials.emplace_back(x.x);
  const std::vector<Number> y = f(without_partials);
  if (y.size() != 1)
    return elements(record_principal(f, s));

  const auto slopes =
      record_principal([f](const std::vector<Number> & x) { return record_jacobian(f, x); }, s);
  std::vector<Number> operands = elements(s, slopes);
  operands.push_back(f(record_fixed(l))[0]);
  Ruled ruled;
  Number r(record_again(y[0].x));
  ruled.differentiate(values_in(operands),
                      {r.x.id},
                      [](const std::vector<Number> & x)
                      {
                        Number again(x[12].x);
                        again.d[0] = slope_of_eigenvalue_function(x[12], &x[6], &x[0]);
                        return std::vector<Number>{again};
                      });
  r.d[0] = slope_of_eigenvalue_function(y[0], slopes.v, s.v);
  return {r};
}
} // namespace neml2::recorded
