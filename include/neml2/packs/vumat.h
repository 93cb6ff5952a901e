// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/SR2.h"
#include "neml2/packs/Pack.h"
#include "neml2/packs/subroutine.h"

#include <algorithm>
#include <limits>

/**
 * The arguments and results of a user subroutine VUMAT of Abaqus/Explicit, or of another code with the same interface, as tensors. A call
 * of VUMAT updates a block of points. This header includes nothing of LibTorch.
 *
 *     #include "neml2/packs/at_point.h"
 *     #include "neml2/packs/vumat.h"
 *
 *     NEML2_VUMAT(block)
 *     {
 *       if (!block.fits(0, 2))
 *         return;
 *       for (int i = 0; i < block.nblock; i++)
 *       {
 *         const auto point = block.at(i);
 *         point.give(neml2::at_point(hypoelastic, point.stress_before(), point.strain_increment(), block.props[0], block.props[1]));
 *       }
 *     }
 *
 * All tensors are in the frame that rotates with the material. If the deformation gradient is F = R U, where R is a rotation and U is
 * symmetric, the rotation of this frame is R: a stress s of the fixed frame is Rᵀ s R in this frame, and F is U.
 *
 * Source: the conventions of VUMAT in the Abaqus User Subroutines Reference Guide: the order of components is 11, 22, 33, 12, 23, 31; shear
 * strains are ε, not γ; the index of the point comes first, and is the fastest in memory.
 */

/// The type of the numbers that the solver passes: double, or float for a solver in single precision.
#ifndef NEML2_VUMAT_REAL
#define NEML2_VUMAT_REAL double
#endif

namespace neml2::packs
{
template <class P>
struct VumatPoints;

/// The arguments of VUMAT that models use, under their names in VUMAT.
struct Vumat
{
  using Real = NEML2_VUMAT_REAL;

  Real *stressNew, *stateNew, *enerInternNew, *enerInelasNew;
  const Real *props, *density, *strainInc, *stretchOld, *stressOld, *stateOld, *enerInternOld,
      *enerInelasOld, *tempNew, *stretchNew;
  double stepTime, totalTime, dt;
  int nblock, ndir, nshr, nstatev, nprops;

  double time_step() const { return dt; }
  double time() const { return totalTime; }

  /// Point i of the block, counted from 0.
  VumatPoints<double> at(int i) const;

  /// Whether this is the call before the first increment, with fictitious strains. The stress must then be the elastic response: the solver
  /// computes the speed of elastic waves from it.
  bool is_initial_check() const { return stepTime == 0 && totalTime == 0; }

  /// Whether the element has three normal and one to three shear components, and at least as many states and properties as given. If not,
  /// all stresses become NaN, and a message on stderr says once per thread what is wrong.
  bool fits(int states, int properties, const char * name = "VUMAT") const
  {
    if (Element{ndir, nshr, nstatev, nprops}.fits(states, properties, name, "NSTATEV"))
      return true;
    std::fill_n(
        stressNew, std::ptrdiff_t(nblock) * (ndir + nshr), std::numeric_limits<Real>::quiet_NaN());
    std::copy_n(enerInternOld, nblock, enerInternNew);
    std::copy_n(enerInelasOld, nblock, enerInelasNew);
    keep_states(0);
    return false;
  }

  /// Copies the states from number `first` on, counted from 0, from stateOld to stateNew.
  void keep_states(int first) const
  {
    const auto begin = std::ptrdiff_t(nblock) * first, end = std::ptrdiff_t(nblock) * nstatev;
    if (stateNew != stateOld && end > begin)
      std::copy(stateOld + begin, stateOld + end, stateNew + begin);
  }
};

/**
 * Consecutive points of a block. P is double for a single point, or a pack that has one point per lane. Lanes past the end of the block
 * read the last point once more, and do not write.
 */
template <class P>
struct VumatPoints
{
  const Vumat & block;
  int first;

  // ---- Arguments ----

  NEML2_INLINE kernels::SR2<P> strain_increment() const { return read(block.strainInc); }
  NEML2_INLINE kernels::SR2<P> stress_before() const { return read(block.stressOld); }
  /// The deformation gradient in the frame that rotates with the material: the right stretch U at the end of the increment.
  NEML2_INLINE kernels::R2<P> deformation_gradient() const { return full(read(block.stretchNew)); }
  NEML2_INLINE kernels::R2<P> deformation_gradient_before() const
  {
    return full(read(block.stretchOld));
  }
  /// The temperature at the end of the increment.
  NEML2_INLINE P temperature() const { return load(block.tempNew); }
  /// The sum of the strain increments before this one. The six states from number `place` on hold the sum.
  NEML2_INLINE kernels::SR2<P> strain_before(int place) const
  {
    return read<kernels::SR2<P>>(place);
  }
  /// The sum of the strain increments, including this one.
  NEML2_INLINE kernels::SR2<P> strain(int place) const
  {
    return strain_before(place) + strain_increment();
  }

  // ---- States ----

  /// A number of the state.
  NEML2_INLINE P state(int place) const { return load(block.stateOld + column(place)); }
  NEML2_INLINE void state(int place, const P & number) const
  {
    store(number, block.stateNew + column(place));
  }
  /// A tensor T of the state, from number `place` on.
  template <class T>
  NEML2_INLINE T read(int place) const
  {
    T t{};
    NEML2_UNROLL
    for (int k = 0; k < T::n; k++)
      t[k] = state(place + k);
    return t;
  }
  template <class T>
  NEML2_INLINE void write(int place, const T & t) const
  {
    NEML2_UNROLL
    for (int k = 0; k < T::n; k++)
      state(place + k, t[k]);
  }

  // ---- Results ----

  /**
   * Sets stressNew to s, and enerInternNew to enerInternOld + (stressOld + s) : strainInc / (2 density). The added term is the work of
   * the stress per unit mass, by the trapezoidal rule. enerInelasNew becomes enerInelasOld.
   */
  NEML2_INLINE void give(const kernels::SR2<P> & s) const
  {
    const auto work = inner(stress_before() + s, strain_increment());
    NEML2_UNROLL
    for (int k = 0; k < 6; k++)
      if (k < size())
        store(P(s[index[k]] * from_mandel[k]), block.stressNew + column(k));
    store(P(load(block.enerInternOld) + work / (load(block.density) * 2.0)), block.enerInternNew);
    store(load(block.enerInelasOld), block.enerInelasNew);
  }

  /// The number of points in the block from the first of these points on.
  int left() const { return block.nblock - first; }

private:
  using Real = Vumat::Real;
  /// The place of component i of VUMAT (11, 22, 33, 12, 23, 31) in an SR2.
  static constexpr int index[] = {0, 1, 2, 5, 3, 4};

  int size() const { return block.ndir + block.nshr; }
  std::ptrdiff_t column(int k) const { return std::ptrdiff_t(block.nblock) * k; }

  NEML2_INLINE P load(const Real * numbers) const
  {
    if constexpr (std::is_arithmetic_v<P>)
      return P(numbers[first]);
    else
    {
      if constexpr (std::is_same_v<Real, double>)
        if (left() >= P::width)
          return P::load(numbers + first);
      P p;
      for (int w = 0; w < P::width; w++)
        p.lane(w, double(numbers[first + (w < left() ? w : left() - 1)]));
      return p;
    }
  }
  NEML2_INLINE void store(const P & p, Real * numbers) const
  {
    if constexpr (std::is_arithmetic_v<P>)
      numbers[first] = Real(p);
    else
    {
      if constexpr (std::is_same_v<Real, double>)
        if (left() >= P::width)
          return p.store(numbers + first);
      for (int w = 0; w < P::width && w < left(); w++)
        numbers[first + w] = Real(p.lane(w));
    }
  }
  NEML2_INLINE kernels::SR2<P> read(const Real * components) const
  {
    kernels::SR2<P> s(P(0.0), P(0.0), P(0.0), P(0.0), P(0.0), P(0.0));
    NEML2_UNROLL
    for (int k = 0; k < 6; k++)
      if (k < size())
        s[index[k]] = P(load(components + column(k)) * to_mandel[k]);
    return s;
  }
};

inline VumatPoints<double>
Vumat::at(int i) const
{
  return {*this, i};
}
} // namespace neml2::packs

namespace neml2
{
using packs::Vumat;
}

/// The name of the subroutine, spelled as the solver's Fortran compiler spells it.
#ifndef NEML2_VUMAT_NAME
#ifdef _WIN32
#define NEML2_VUMAT_NAME VUMAT
#else
#define NEML2_VUMAT_NAME vumat_
#endif
#endif

/// Defines the subroutine VUMAT. The function body follows the macro; in it, `block` is a neml2::Vumat.
#define NEML2_VUMAT(block) NEML2_VUMAT_NAMED(NEML2_VUMAT_NAME, block)

/// Defines the subroutine under another name, spelled as the Fortran compiler spells it. It is for programs that choose among subroutines.
#define NEML2_VUMAT_NAMED(name, block)                                                             \
  static void name##_of_block(const neml2::Vumat & block);                                         \
  extern "C" NEML2_C void name(const int * nblock,                                                 \
                               const int * ndir,                                                   \
                               const int * nshr,                                                   \
                               const int * nstatev,                                                \
                               const int *,                                                        \
                               const int * nprops,                                                 \
                               const int *,                                                        \
                               const NEML2_VUMAT_REAL * step_time,                                 \
                               const NEML2_VUMAT_REAL * total_time,                                \
                               const NEML2_VUMAT_REAL * dt,                                        \
                               const char *,                                                       \
                               const NEML2_VUMAT_REAL *,                                           \
                               const NEML2_VUMAT_REAL *,                                           \
                               const NEML2_VUMAT_REAL * props,                                     \
                               const NEML2_VUMAT_REAL * density,                                   \
                               const NEML2_VUMAT_REAL * strain_increment,                          \
                               const NEML2_VUMAT_REAL *,                                           \
                               const NEML2_VUMAT_REAL *,                                           \
                               const NEML2_VUMAT_REAL * stretch_old,                               \
                               const NEML2_VUMAT_REAL *,                                           \
                               const NEML2_VUMAT_REAL *,                                           \
                               const NEML2_VUMAT_REAL * stress_old,                                \
                               const NEML2_VUMAT_REAL * state_old,                                 \
                               const NEML2_VUMAT_REAL * internal_old,                              \
                               const NEML2_VUMAT_REAL * inelastic_old,                             \
                               const NEML2_VUMAT_REAL * temperature_new,                           \
                               const NEML2_VUMAT_REAL * stretch_new,                               \
                               const NEML2_VUMAT_REAL *,                                           \
                               const NEML2_VUMAT_REAL *,                                           \
                               NEML2_VUMAT_REAL * stress_new,                                      \
                               NEML2_VUMAT_REAL * state_new,                                       \
                               NEML2_VUMAT_REAL * internal_new,                                    \
                               NEML2_VUMAT_REAL * inelastic_new)                                   \
  {                                                                                                \
    name##_of_block({stress_new,                                                                   \
                     state_new,                                                                    \
                     internal_new,                                                                 \
                     inelastic_new,                                                                \
                     props,                                                                        \
                     density,                                                                      \
                     strain_increment,                                                             \
                     stretch_old,                                                                  \
                     stress_old,                                                                   \
                     state_old,                                                                    \
                     internal_old,                                                                 \
                     inelastic_old,                                                                \
                     temperature_new,                                                              \
                     stretch_new,                                                                  \
                     *step_time,                                                                   \
                     *total_time,                                                                  \
                     *dt,                                                                          \
                     *nblock,                                                                      \
                     *ndir,                                                                        \
                     *nshr,                                                                        \
                     *nstatev,                                                                     \
                     *nprops});                                                                    \
  }                                                                                                \
  static void name##_of_block([[maybe_unused]] const neml2::Vumat & block)
