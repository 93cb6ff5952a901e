// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/instruction_set.h"
#include "neml2/packs/vumat.h"
#include "neml2/recorded/compiled_point.h"

/**
 * The header with which formulas that are exported as VUMAT are compiled. It evaluates a recorded formula at the points of a block, in
 * packs of points.
 *
 * The exported source defines a class Roles, which says where the arguments and results of the formula are in the subroutine:
 * - arguments, results: the numbers of their components. The stress is the first result. `states` is the number of states.
 * - read_block(block, x) reads the arguments that all points share, and read(points, x) reads the others.
 * - write(points, y) writes the new state, and keep(valid, x, y) replaces it by the old state where valid is false.
 * - elastic_stress(y, increment) is the stress for an increment of strain. It is computed from derivatives, which are some of the results y
 *   of the second formula (WithDerivatives in update_block).
 */
namespace neml2::recorded
{
/// The points of a block at which the stress became NaN.
struct FailedPoints
{
  int count = 0, first = 0; // `first` counts from 0

  void add(int point)
  {
    first = count == 0 ? point : first;
    count++;
  }
  /// Says on stderr, once per thread, where the formula failed.
  void report(const packs::Vumat & block, const char * name) const
  {
    static thread_local bool is_said = false;
    if (count > 0 && !is_said)
    {
      std::fprintf(stderr,
                   "%s: the stress is NaN at %d of the %d points of a block, at the total time %g. "
                   "The first of them is point %d. Either an argument is NaN, or the formula "
                   "has no result for it, for example because newton does not converge. VUMAT "
                   "cannot ask for a smaller increment: the stress stays NaN, and the state stays "
                   "as it was. Try smaller increments. This message does not appear again.\n",
                   name,
                   count,
                   block.nblock,
                   block.totalTime,
                   first + 1);
      is_said = true;
    }
  }
};

// Functions for Roles. `place` is the index of the first number in the state or in the properties, counted from 0.

template <class P>
NEML2_INLINE void
read_tensor(const P & number, P * x)
{
  *x = number;
}
template <template <class> class Tensor, class P>
NEML2_INLINE void
read_tensor(const Tensor<P> & tensor, P * x)
{
  NEML2_UNROLL
  for (int k = 0; k < Tensor<P>::n; k++)
    x[k] = tensor[k];
}
template <int n, class Points, class P>
NEML2_INLINE void
read_states(const Points & points, int place, P * x)
{
  NEML2_UNROLL
  for (int k = 0; k < n; k++)
    x[k] = points.state(place + k);
}
template <int n, class Points, class P>
NEML2_INLINE void
write_states(const Points & points, int place, const P * y)
{
  NEML2_UNROLL
  for (int k = 0; k < n; k++)
    points.state(place + k, y[k]);
}
/// Replaces the new state in y by the old state in x where `valid` is false.
template <int n, class Mask, class P>
NEML2_INLINE void
keep_states(const Mask & valid, const P * x, P * y)
{
  for (int k = 0; k < n; k++)
    y[k] = where(valid, y[k], x[k]);
}
template <int n, class P>
NEML2_INLINE void
read_props(const packs::Vumat & block, int place, P * x)
{
  for (int k = 0; k < n; k++)
    x[k] = P(double(block.props[place + k]));
}
/// The derivative of a stress with respect to a tensor, times the increment of this tensor.
template <int n>
kernels::SR2<double>
product(const double * derivative, const double (&increment)[n])
{
  kernels::SR2<double> s{};
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < n; j++)
      s[i] += derivative[n * i + j] * increment[j];
  return s;
}

/// The loop over the points of a block.
template <class Formula, class Roles>
struct BlockLoop
{
  static constexpr bool is_numbers = false;
  static constexpr bool runs_on_any_machine = true;

  template <class P>
  NEML2_CALLS_FORMULA static void run(const packs::Vumat * block, FailedPoints * failed)
  {
    P x[Roles::arguments], s[Formula::shared > 0 ? Formula::shared : 1], y[Roles::results];
    for (P & argument : x)
      argument = P(0.0); // avoids warnings: `once` does not use arguments that are read later
    Roles::read_block(*block, x);
    Formula::once(x, s);
    for (int i = 0; i < block->nblock; i += P::width)
    {
      const packs::VumatPoints<P> points{*block, i};
      Roles::read(points, x);
      Formula::each(x, s, y);
      auto valid = y[0] == y[0];
      for (int k = 1; k < Roles::results; k++)
        valid = valid & (y[k] == y[k]);
      if (NEML2_RARELY(any(~valid)))
        invalidate(points, valid, x, y, *failed);
      kernels::SR2<P> stress{};
      std::copy_n(y, 6, stress.v);
      points.give(stress);
      Roles::write(points, y);
    }
  }

private:
  /// Makes the stress NaN, and keeps the state, at points where a result is NaN.
  template <class P, class Mask>
  NEML2_INLINE static void invalidate(const packs::VumatPoints<P> & points,
                                      const Mask & valid,
                                      const P * x,
                                      P * y,
                                      FailedPoints & failed)
  {
    for (int k = 0; k < 6; k++)
      y[k] = where(valid, y[k], P(std::numeric_limits<double>::quiet_NaN()));
    Roles::keep(valid, x, y);
    for (int w = 0; w < P::width && w < points.left(); w++)
      if (std::isnan(y[0].lane(w)))
        failed.add(points.first + w);
  }
};

/// A point before the first increment: it is not deformed, and its increment of strain is zero.
struct PointAtRest : packs::VumatPoints<double>
{
  kernels::SR2<double> strain_increment() const { return {}; }
  kernels::SR2<double> strain(int place) const { return strain_before(place); }
  kernels::R2<double> deformation_gradient() const { return kernels::fill_R2(1.0); }
  kernels::R2<double> deformation_gradient_before() const { return kernels::fill_R2(1.0); }
};

/// Updates the points of a block by Formula. Before the first increment it computes only the elastic response, by WithDerivatives. The
/// results of WithDerivatives have results_with_derivatives components.
template <class Formula, class WithDerivatives, int results_with_derivatives, class Roles>
void
update_block(const packs::Vumat & block, const char * name)
{
  FailedPoints failed;
  if (block.is_initial_check())
  {
    block.keep_states(0);
    for (int i = 0; i < block.nblock; i++)
    {
      const PointAtRest point{{block, i}};
      double x[Roles::arguments], y[results_with_derivatives];
      Roles::read_block(block, x);
      Roles::read(point, x);
      const bool valid =
          compute_point<WithDerivatives, Roles::arguments, results_with_derivatives>(x, y);
      const auto stress =
          point.stress_before() + Roles::elastic_stress(y, block.at(i).strain_increment());
      point.give(stress * (valid ? 1.0 : std::numeric_limits<double>::quiet_NaN()));
      if (!valid)
        failed.add(i);
    }
  }
  else
  {
    block.keep_states(Roles::states);
    using Loop = BlockLoop<Formula, Roles>;
    packs::compiled<Loop, const packs::Vumat *, FailedPoints *>().run(&block, &failed);
  }
  failed.report(block, name);
}
} // namespace neml2::recorded
