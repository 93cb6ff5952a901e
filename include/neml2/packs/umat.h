// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/R2.h"
#include "neml2/kernels/SSR4.h"
#include "neml2/kernels/WR2.h"
#include "neml2/packs/subroutine.h"

#include <limits>

/**
 * The arguments and results of a user subroutine UMAT of Abaqus/Standard, or of another code with the same interface, as tensors at one
 * point. This header includes nothing of LibTorch.
 *
 *     #include "neml2/packs/at_point.h"
 *     #include "neml2/packs/umat.h"
 *
 *     NEML2_UMAT(call)
 *     {
 *       if (!call.fits(0, 2))
 *         return;
 *       const auto [stress, tangent] = neml2::value_and_jacobian_at_point<0>(stress_of, call.strain(), call.props[0], call.props[1]);
 *       call.give(stress, tangent);
 *     }
 *
 * Source: the conventions of UMAT in the Abaqus User Subroutines Reference Guide: the order of components is 11, 22, 33, 12, 13, 23; shear
 * strains are γ = 2 ε; matrices are stored by columns.
 */
namespace neml2::packs
{
/// The arguments of UMAT that models use, under their names in UMAT; only TIME is called `times`.
struct Umat
{
  double *stress, *statev, *ddsdde, *pnewdt;
  const double *stran, *dstran, *times, *dtime, *temp, *dtemp, *props, *drot, *dfgrd0, *dfgrd1;
  int ndi, nshr, nstatv, nprops;

  // ---- Arguments ----

  kernels::SR2<double> strain_before() const { return strain_of(stran, nullptr); }
  kernels::SR2<double> strain_increment() const { return strain_of(dstran, nullptr); }
  /// STRAN + DSTRAN
  kernels::SR2<double> strain() const { return strain_of(stran, dstran); }
  /// The stress before the increment; the solver has already rotated it.
  kernels::SR2<double> stress_before() const
  {
    kernels::SR2<double> s{};
    for (int i = 0; i < size(); i++)
      s[place[i]] = stress[i] * to_mandel[i];
    return s;
  }
  kernels::R2<double> deformation_gradient() const { return by_columns(dfgrd1); }
  kernels::R2<double> deformation_gradient_before() const { return by_columns(dfgrd0); }
  double time_step() const { return *dtime; }
  /// The total time at the end of the increment.
  double time() const { return times[1] + *dtime; }
  /// The temperature at the end of the increment.
  double temperature() const { return *temp + *dtemp; }

  // ---- States ----

  /// A tensor T of the state, from STATEV(first + 1) on, rotated by DROT as the solver rotates the stress.
  template <class T>
  T read(int first) const
  {
    T t{};
    for (int i = 0; i < T::n; i++)
      t[i] = statev[first + i];
    return turns() ? kernels::rotate(t, by_columns(drot)) : t;
  }
  template <class T>
  void write(int first, const T & t) const
  {
    for (int i = 0; i < T::n; i++)
      statev[first + i] = t[i];
  }

  // ---- Results ----

  /// Whether the element has three normal and one to three shear components, and at least as many states and properties as given. If not,
  /// all stresses and their derivatives become NaN, which no solver accepts, and a message on stderr says once per thread what is wrong.
  bool fits(int states, int properties, const char * name = "UMAT") const
  {
    if (Element{ndi, nshr, nstatv, nprops}.fits(states, properties, name, "NSTATV"))
      return true;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const int n = ndi + nshr;
    for (int i = 0; i < n; i++)
      stress[i] = nan;
    for (int i = 0; i < n * n; i++)
      ddsdde[i] = nan;
    return false;
  }

  /// Asks the solver to try again with an increment `factor` times as long, because the update did not succeed.
  void retry(double factor = 0.5) const
  {
    if (factor < *pnewdt)
      *pnewdt = factor;
  }

  /// Sets STRESS to s, and DDSDDE to the derivative with respect to the strain.
  void give(const kernels::SR2<double> & s, const kernels::SSR4<double> & tangent) const
  {
    const int n = size();
    for (int i = 0; i < n; i++)
      stress[i] = s[place[i]] * from_mandel[i];
    for (int j = 0; j < n; j++)
    {
      const bool is_shear = j >= 3;
      for (int i = 0; i < n; i++)
        ddsdde[n * j + i] =
            tangent[6 * place[i] + place[j]] * (is_shear ? of_shear[i] : from_mandel[i]);
    }
  }

private:
  int size() const { return ndi + nshr; }
  /// The place of component i of UMAT (11, 22, 33, 12, 13, 23) in an SR2.
  static constexpr int place[] = {0, 1, 2, 5, 4, 3};
  static constexpr double of_shear[] = {
      kernels::invsqrt2, kernels::invsqrt2, kernels::invsqrt2, 0.5, 0.5, 0.5};

  kernels::SR2<double> strain_of(const double * a, const double * b) const
  {
    kernels::SR2<double> e{};
    for (int i = 0; i < size(); i++)
      e[place[i]] = (b ? a[i] + b[i] : a[i]) * from_mandel[i];
    return e;
  }
  static kernels::R2<double> by_columns(const double * a)
  {
    kernels::R2<double> m{};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        m[3 * i + j] = a[3 * j + i];
    return m;
  }
  /// Whether DROT differs from the identity.
  bool turns() const
  {
    for (int i = 0; i < 9; i++)
      if (drot[i] != (i % 4 == 0 ? 1.0 : 0.0))
        return true;
    return false;
  }
};
} // namespace neml2::packs

namespace neml2
{
using packs::Umat;
}

/// The name of the subroutine, spelled as the solver's Fortran compiler spells it.
#ifndef NEML2_UMAT_NAME
#ifdef _WIN32
#define NEML2_UMAT_NAME UMAT
#else
#define NEML2_UMAT_NAME umat_
#endif
#endif

/// Defines the subroutine UMAT. The function body follows the macro; in it, `call` is a neml2::Umat.
#define NEML2_UMAT(call) NEML2_UMAT_NAMED(NEML2_UMAT_NAME, call)

/// Defines the subroutine under another name, spelled as the Fortran compiler spells it. It is for programs that choose among subroutines.
#define NEML2_UMAT_NAMED(name, call)                                                               \
  static void name##_of_point(const neml2::Umat & call);                                           \
  extern "C" NEML2_C void name(double * stress,                                                    \
                               double * statev,                                                    \
                               double * ddsdde,                                                    \
                               double *,                                                           \
                               double *,                                                           \
                               double *,                                                           \
                               double *,                                                           \
                               double *,                                                           \
                               double *,                                                           \
                               double *,                                                           \
                               const double * stran,                                               \
                               const double * dstran,                                              \
                               const double * time,                                                \
                               const double * dtime,                                               \
                               const double * temp,                                                \
                               const double * dtemp,                                               \
                               const double *,                                                     \
                               const double *,                                                     \
                               const char *,                                                       \
                               const int * ndi,                                                    \
                               const int * nshr,                                                   \
                               const int *,                                                        \
                               const int * nstatv,                                                 \
                               const double * props,                                               \
                               const int * nprops,                                                 \
                               const double *,                                                     \
                               const double * drot,                                                \
                               double * pnewdt,                                                    \
                               const double *,                                                     \
                               const double * dfgrd0,                                              \
                               const double * dfgrd1,                                              \
                               const int *,                                                        \
                               const int *,                                                        \
                               const int *,                                                        \
                               const int *,                                                        \
                               const int *,                                                        \
                               const int *)                                                        \
  {                                                                                                \
    name##_of_point({stress,                                                                       \
                     statev,                                                                       \
                     ddsdde,                                                                       \
                     pnewdt,                                                                       \
                     stran,                                                                        \
                     dstran,                                                                       \
                     time,                                                                         \
                     dtime,                                                                        \
                     temp,                                                                         \
                     dtemp,                                                                        \
                     props,                                                                        \
                     drot,                                                                         \
                     dfgrd0,                                                                       \
                     dfgrd1,                                                                       \
                     *ndi,                                                                         \
                     *nshr,                                                                        \
                     *nstatv,                                                                      \
                     *nprops});                                                                    \
  }                                                                                                \
  static void name##_of_point([[maybe_unused]] const neml2::Umat & call)
