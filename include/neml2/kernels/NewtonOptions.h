// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"

#include <limits>
#include <stdexcept>

namespace neml2::kernels
{
/**
 * The options of newton: when it stops, and how long its steps are. Example:
 * NewtonOptions().tolerance(1e-12).bounds(0, 1).
 *
 * Bounds and the longest step apply to all unknowns, or to one unknown of a group, which is given by its place in the group.
 */
class NewtonOptions
{
public:
  static constexpr int max_unknowns = 8; ///< how many unknowns may have limits of their own

  /// The options chosen for one unknown.
  struct Limits
  {
    double lower, upper, step;

    constexpr bool is_bounded() const
    {
      const double infinity = std::numeric_limits<double>::infinity();
      return lower > -infinity || upper < infinity;
    }
  };

  constexpr NewtonOptions() : limits()
  {
    for (Limits & l : limits) // gcc 12 -O1 loses the member initialisers of Limits
      l = unlimited();
  }

  /// A point has converged if |r_i| <= absolute + relative Σ_j |∂r_i/∂x_j x_j| in every equation i.
  constexpr NewtonOptions & tolerance(double relative, double absolute = 1e-10)
  {
    check(
        relative >= 0 && absolute >= 0 && relative < 1,
        "newton: expected a relative tolerance in [0, 1) and an absolute tolerance of at least 0");
    relative_tolerance = relative;
    absolute_tolerance = absolute;
    return *this;
  }

  /// The largest number of iterations. Each evaluates the residual and its derivatives once.
  constexpr NewtonOptions & max_iterations(int n)
  {
    check(n > 0, "newton: max_iterations must be at least 1");
    iterations = n;
    return *this;
  }

  /// Iterates stay within [lower, upper]: a step that would leave the interval ends at nine tenths of the way to
  /// the bound.
  constexpr NewtonOptions & bounds(double lower, double upper)
  {
    for (int k = 0; k < max_unknowns; k++)
      bounds_of(k, lower, upper);
    return *this;
  }
  constexpr NewtonOptions & bounds_of(int unknown, double lower, double upper)
  {
    check(lower < upper, "newton: expected a lower bound below the upper one");
    limits_of(unknown).lower = lower;
    limits_of(unknown).upper = upper;
    return *this;
  }

  /// No component of an unknown changes by more than this length in one step: a longer step is shortened as a whole.
  constexpr NewtonOptions & max_step(double length)
  {
    for (int k = 0; k < max_unknowns; k++)
      max_step_of(k, length);
    return *this;
  }
  constexpr NewtonOptions & max_step_of(int unknown, double length)
  {
    check(length > 0, "newton: max_step must be above 0");
    limits_of(unknown).step = length;
    return *this;
  }

  /// Whether a step is halved if the step after it, computed with the same derivatives, would not be shorter. On by
  /// default.
  constexpr NewtonOptions & line_search(bool on)
  {
    halve_steps = on;
    return *this;
  }

  /// Points that do not converge keep their last iterate instead of becoming NaN.
  constexpr NewtonOptions & keep_unconverged()
  {
    keep = true;
    return *this;
  }

  /// The limits of one unknown.
  constexpr Limits limits_at(int unknown) const
  {
    return unknown < max_unknowns ? limits[unknown] : unlimited();
  }

  /// All options as numbers; `limited` follows from the limits.
  static constexpr int number_count = 5 + 3 * max_unknowns;
  constexpr void copy_to(double (&x)[number_count]) const
  {
    x[0] = relative_tolerance;
    x[1] = absolute_tolerance;
    x[2] = iterations;
    x[3] = halve_steps;
    x[4] = keep;
    for (int k = 0; k < max_unknowns; k++)
    {
      x[5 + 3 * k] = limits[k].lower;
      x[6 + 3 * k] = limits[k].upper;
      x[7 + 3 * k] = limits[k].step;
    }
  }
  friend constexpr bool operator==(const NewtonOptions & a, const NewtonOptions & b)
  {
    double x[number_count] = {}, y[number_count] = {};
    a.copy_to(x);
    b.copy_to(y);
    bool same = true;
    for (int k = 0; k < number_count; k++)
      same = same && x[k] == y[k];
    return same;
  }

  // The chosen options.

  double relative_tolerance = 1e-8, absolute_tolerance = 1e-10;
  int iterations = 50;
  bool halve_steps = true, keep = false, limited = false;
  Limits limits[max_unknowns];

private:
  static constexpr Limits unlimited()
  {
    const double infinity = std::numeric_limits<double>::infinity();
    return {-infinity, infinity, infinity};
  }
  constexpr Limits & limits_of(int unknown)
  {
    check(0 <= unknown && unknown < max_unknowns,
          "newton: bounds and steps can be chosen for the first 8 unknowns of a group");
    limited = true;
    return limits[unknown];
  }
  static constexpr void check(bool ok, [[maybe_unused]] const char * message)
  {
    if (!ok)
      NEML2_THROW(std::invalid_argument(message));
  }
};
} // namespace neml2::kernels
