// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/newton_iteration.h"
#include "neml2/recorded/lu.h"

#include <functional>
#include <utility>

/// Records Newton's method. kernels::NewtonIteration is recorded as a loop; the derivative of the solution is recorded after it.
namespace neml2::recorded
{
/// The residual as a function of the unknowns; it returns as many numbers as there are unknowns.
using Residual = std::function<std::vector<Number>(const std::vector<Number> &)>;

/// The results of newton, with their partials.
struct RecordedNewton
{
  std::vector<Number> solution;
  Symbol iterations;
  Condition converged;
};

/// Records newton for another residual, from another guess.
using SolveAgain = std::function<RecordedNewton(const Residual &, const std::vector<Number> &)>;

/// Sets the rule of a solution. If a derivative in the formula replaces numbers on which the solution depends, the rule calls solve_again,
/// which solves the equations for the new numbers. `residual` contains the residual at the solution, and `first` is the number of nodes
/// that were recorded before the solution.
void set_rule_of_newton(const RecordedNewton & solved,
                        const std::vector<Number> & guess,
                        const std::vector<Number> & residual,
                        size_t first,
                        const SolveAgain & solve_again);

/// The residual at x, and its derivatives with respect to x, row by row.
std::pair<std::vector<Symbol>, std::vector<Symbol>>
record_residual_at(const Residual & residual, const std::vector<Symbol> & x);

/// Records the residual r at x, and its derivatives J with respect to x.
template <int n>
void
record_residual(const Residual & residual,
                const Symbol (&x)[n],
                Symbol (&r)[n][1],
                Symbol (&J)[n][n])
{
  const auto [values, derivatives] = record_residual_at(residual, {x, x + n});
  for (int i = 0; i < n; i++)
  {
    r[i][0] = values[size_t(i)];
    for (int j = 0; j < n; j++)
      J[i][j] = derivatives[size_t(n * i + j)];
  }
}

/// Calls number(s) for each state s of the iteration that is a number, and condition(s) for each condition, in a fixed order.
template <int n, class F, class C>
void
each_state(kernels::NewtonIteration<Symbol, n> & s, const F & number, const C & condition)
{
  condition(s.active);
  condition(s.converged);
  condition(s.turned);
  number(s.level);
  number(s.iterations);
  for (int i = 0; i < n; i++)
  {
    for (Symbol * x : {&s.x[i], &s.base[i], &s.base_r[i], &s.d[i], &s.scale[i], &s.lu.over[i]})
      number(*x);
    for (int j = 0; j < n; j++)
    {
      number(s.base_J[i][j]);
      number(s.lu.a[i][j]);
      if (j > i)
        condition(s.lu.swapped[i][j]);
    }
  }
}

/// Records newton for n unknown numbers, from a guess. unknown[k] is the unknown (tensor or number) to which number k belongs.
template <int n>
RecordedNewton
record_newton(const Residual & residual,
              const std::vector<Number> & guess,
              const std::vector<int> & unknown,
              const kernels::NewtonOptions & options)
{
  const Symbol zero(0.0);
  Symbol x[n], J[n][n];
  for (int k = 0; k < n; k++)
  {
    x[k] = guess[size_t(k)].x;
    for (Symbol & entry : J[k])
      entry = zero;
  }
  const kernels::NewtonUnknowns<n> unknowns{options, unknown.data()};
  kernels::NewtonIteration<Symbol, n> points(unknowns, x, J);
  for (int k = 0; k < n; k++)
    for (Condition & c : points.lu.swapped[k])
      c = points.converged; // false at all points

  // The first iteration has no previous step to compare with.
  Condition first = points.active;
  std::vector<int32_t> initial, next;
  const auto all = [&](const auto & number, const auto & condition)
  {
    each_state<n>(points, number, condition);
    condition(first);
  };
  const auto append_to = [](std::vector<int32_t> & ids)
  { return [&ids](const auto & s) { ids.push_back(s.id); }; };
  all(append_to(initial), append_to(initial));
  Recording & recording = Recording::now();
  const size_t first_node = recording.nodes().size();
  const int32_t loop = recording.open_loop(initial);
  size_t k = 0;
  const auto become_state = [&](auto & s) { s.id = recording.loops()[size_t(loop)].states[k++]; };
  all(become_state, become_state);
  NewtonLoop newton;
  newton.has_its_bits = kernels::LU<n, Symbol>::is_one;
  newton.options = options;
  newton.unknown = unknown;
  newton.iterations = points.iterations.id;
  newton.converged = points.converged.id;
  for (const Symbol & v : x)
    newton.x.push_back(v.id);

  try
  {
    record_residual(residual, x, points.r, J);
  }
  catch (...)
  {
    recording.abandon_loop();
    throw;
  }
  for (int i = 0; i < n; i++)
  {
    newton.r.push_back(points.r[i][0].id);
    for (const Symbol & entry : J[i])
      newton.J.push_back(entry.id);
  }
  Condition accept = points.test();
  points.active =
      points.active &
      (accept |
       !first); // a point whose residual at the guess is not finite stops: it has no other iterate
  if (options.halve_steps)
    accept = accept & (first | points.goes_on());
  points.step(accept);
  first = points.converged & !points.converged;
  all(append_to(next), append_to(next));
  k = 0;
  const std::vector<int32_t> results =
      recording.close_loop(next, 0, options.iterations, std::move(newton));
  const auto become_result = [&](auto & s) { s.id = results[k++]; };
  all(become_result, become_result);
  points.finish();

  // r(x(a), a) = 0 gives ∂r/∂x dx = -∂r/∂a da
  std::vector<Number> u(x, x + n);
  for (const Number & c : u)
    recording.set_partial(c.x.id, c.d[0].id);
  const std::vector<Number> at = residual(u);
  Symbol r[n][1], b[n][1];
  bool depends = false;
  for (int i = 0; i < n; i++)
  {
    b[i][0] = -at[size_t(i)].d[0];
    depends = depends || !recording.is_constant(b[i][0].id);
  }
  if (depends)
  {
    record_residual(residual, x, r, J);
    kernels::LU<n, Symbol> lu;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        lu.a[i][j] = J[i][j];
    lu.factor();
    lu.solve(b);
    const Symbol counts =
        where(points.converged, Symbol(1.0), Symbol(std::numeric_limits<double>::quiet_NaN()));
    for (int i = 0; i < n; i++)
    {
      u[size_t(i)].d[0] = b[i][0] * counts;
      recording.set_partial(u[size_t(i)].x.id, u[size_t(i)].d[0].id);
    }
  }
  RecordedNewton solved{std::move(u), points.iterations, points.converged};
  set_rule_of_newton(solved,
                     guess,
                     at,
                     first_node,
                     [options, unknown](const Residual & f, const std::vector<Number> & from)
                     { return record_newton<n>(f, from, unknown, options); });
  return solved;
}
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/recorded/newton-inl.h"
#endif
