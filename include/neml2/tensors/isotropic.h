// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/isotropic.h"
#include "neml2/math/vmap.h"
#include "neml2/tensors/spectral.h"

/**
 * Isotropic functions of your own: scalar or tensor functions of a symmetric tensor, given as functions of its eigenvalues.
 *
 *     constexpr auto ogden = [](const auto & l, const auto & mu, const auto & alpha) // of the eigenvalues l of C, a Vec
 *     {
 *       const auto p = 0.5 * alpha;
 *       return mu / alpha * (pow(l[0], p) + pow(l[1], p) + pow(l[2], p) - 3.0);
 *     };
 *     const Scalar W = isotropic(ogden, C, mu, alpha);
 *
 * expm, logm, sqrtm and powm are in matrix_functions.h.
 */
namespace neml2
{
namespace tensors
{
/// Makes a formula of a symmetric tensor from a function f of its eigenvalues.
template <class F>
struct Isotropic
{
  F f;

  template <class S, class... A>
  NEML2_CALLS_FORMULA auto operator()(const S & s, const A &... a) const
  {
    return kernels::isotropic(f, s, a...);
  }
};
} // namespace tensors

/**
 * If f returns a scalar, the result is f(λ, a...) with the eigenvalues λ of s; f must not depend on the order of the
 * eigenvalues. If f returns a Vec, the result is Σ_i f_i(λ, a...) v_i v_i with the eigenvectors v_i; a permutation of the
 * eigenvalues must permute the f_i in the same way. (...; 6), ... -> (...; ) or (...; 6), in the unit of f. f takes the three
 * eigenvalues as one Vec, in ascending order, and captures nothing.
 *
 * On batches the call is one pass over memory. In a formula its derivatives are exact, also at equal eigenvalues. The call
 * has two derivatives if f returns a scalar (for a stress and a tangent), and one derivative if f returns a Vec. A further
 * derivative does not compile. Where LibTorch's operations differentiate the recording (the list of operations) on whole
 * batches, as under functorch in C++, they differentiate the eigenvectors: at equal eigenvalues, a derivative that contains
 * derivatives of eigenvectors is NaN.
 *
 * Source: Chadwick and Ogden (1971), Arch. Rational Mech. Anal. 44, 54-68; Miehe (1998), Comput. Struct. 66, 37-43.
 */
template <class F, class... A>
auto
isotropic(const F & f, const SR2 & s, const A &... a)
{
  return vmap(tensors::Isotropic<F>{f}, s, a...);
}
} // namespace neml2
