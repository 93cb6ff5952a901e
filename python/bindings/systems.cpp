// SPDX-License-Identifier: MIT
#include "bindings/vocabulary.h"

#include "neml2/recorded/systems.h"

namespace neml2::python
{
namespace
{
constexpr int most_unknowns = 24; // each number up to this one has its own compiled code

void
check_unknowns(const char * function, size_t n)
{
  if (n > 0 && n <= size_t(most_unknowns))
    return;
  const std::string message =
      std::string(function) + ": in a formula there may be 1 to " + std::to_string(most_unknowns) +
      " unknown numbers, or rows of a matrix, not " + std::to_string(n) + ".";
  throw nb::value_error(message.c_str());
}

template <int n>
using Rank = std::integral_constant<int, n>;

/// Calls f with the number n as a compile-time constant.
template <class Result, class F, size_t... I>
Result
of_rank(size_t n, const F & f, std::index_sequence<I...>)
{
  Result r;
  (void)((n == I + 1 && (r = f(Rank<int(I) + 1>()), true)) || ...);
  return r;
}
template <class Result, class F>
Result
of_rank(const char * function, size_t n, const F & f)
{
  check_unknowns(function, n);
  return of_rank<Result>(n, f, std::make_index_sequence<size_t(most_unknowns)>());
}
} // namespace

recorded::RecordedNewton
record_newton(const recorded::Residual & residual,
              const Numbers & guess,
              const std::vector<int> & unknown,
              const kernels::NewtonOptions & options)
{
  return of_rank<recorded::RecordedNewton>(
      "newton",
      guess.size(),
      [&](auto n) { return recorded::record_newton<n()>(residual, guess, unknown, options); });
}

Numbers
record_solve(const Numbers & A, const Numbers & b, size_t rank)
{
  return of_rank<Numbers>("solve", rank, [&](auto n) { return recorded::solve<n()>(A, b); });
}
Numbers
record_inverse(const Numbers & A, size_t rank)
{
  return of_rank<Numbers>("inv", rank, [&](auto n) { return recorded::inverse<n()>(A); });
}
Numbers
record_determinant(const Numbers & A, size_t rank)
{
  return of_rank<Numbers>(
      "det", rank, [&](auto n) { return Numbers{kernels::determinant<n()>(A)}; });
}
Numbers
record_cholesky(const Numbers & A, size_t rank)
{
  return of_rank<Numbers>("cholesky", rank, [&](auto n) { return recorded::cholesky<n()>(A); });
}
} // namespace neml2::python
