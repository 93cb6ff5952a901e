// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R2.h"
#include "neml2/core/shape.h"

#include <vector>

/// Elastic stiffnesses in Mandel components, computed by LibTorch calls. Moduli broadcast.
namespace neml2::composed
{
/// C1 on the diagonal of the normal components, C2 between normal components, C3 on the diagonal of the shear components.
/// (...) three times -> (..., 6, 6)
inline at::Tensor
fill_C1_C2_C3(const at::Tensor & C1, const at::Tensor & C2, const at::Tensor & C3)
{
  const at::Tensor I = at::diag_embed(at::ones(3, C1.options().requires_grad(false)));
  const auto term = [](const at::Tensor & x, const at::Tensor & mask)
  { return append_dims(x, 2) * mask; };
  return term(C1, at::constant_pad_nd(I, {0, 3, 0, 3})) +
         term(C2, at::constant_pad_nd(1 - I, {0, 3, 0, 3})) +
         term(C3, at::constant_pad_nd(I, {3, 0, 3, 0}));
}

/// Isotropic stiffness from Young's modulus and Poisson's ratio. (...), (...) -> (..., 6, 6)
inline at::Tensor
isotropic_E_nu(const at::Tensor & E, const at::Tensor & nu)
{
  const at::Tensor a = 1 - nu, b = 1 - 2 * nu, p = E / ((1 + nu) * b);
  return fill_C1_C2_C3(a * p, nu * p, b * p);
}

/// Isotropic stiffness from bulk and shear modulus. (...), (...) -> (..., 6, 6)
inline at::Tensor
isotropic_K_G(const at::Tensor & K, const at::Tensor & G)
{
  return fill_C1_C2_C3(K + G * (4.0 / 3.0), K - G * (2.0 / 3.0), 2 * G);
}

/// Isotropic stiffness from Lamé's parameters. (...), (...) -> (..., 6, 6)
inline at::Tensor
isotropic_lambda_mu(const at::Tensor & lambda, const at::Tensor & mu)
{
  return fill_C1_C2_C3(lambda + 2 * mu, lambda, 2 * mu);
}

/// Cubic stiffness in the axes of the crystal. (...) three times -> (..., 6, 6)
inline at::Tensor
cubic(const at::Tensor & C11, const at::Tensor & C12, const at::Tensor & C44)
{
  return fill_C1_C2_C3(C11, C12, 2 * C44);
}

/// Stacks numbers, which broadcast, as the components of the last dimension. (...) n times -> (..., n)
inline at::Tensor
stack_last(std::initializer_list<at::Tensor> numbers)
{
  TensorShape shape;
  for (const auto & x : numbers)
    broadcast_into(shape, x.sizes());
  std::vector<at::Tensor> expanded;
  for (const auto & x : numbers)
    expanded.push_back(x.expand(shape));
  return at::stack(expanded, -1);
}

/// Orthotropic stiffness, the inverse of the compliance. (...) nine times -> (..., 6, 6)
inline at::Tensor
orthotropic(const at::Tensor & E1,
            const at::Tensor & E2,
            const at::Tensor & E3,
            const at::Tensor & nu12,
            const at::Tensor & nu13,
            const at::Tensor & nu23,
            const at::Tensor & G12,
            const at::Tensor & G13,
            const at::Tensor & G23)
{
  const at::Tensor s1 = 1 / E1, s2 = 1 / E2, s3 = 1 / E3;
  const at::Tensor s12 = -nu12 * s1, s13 = -nu13 * s1, s23 = -nu23 * s2;
  const at::Tensor compliances = stack_last({s1, s12, s13, s12, s2, s23, s13, s23, s3});
  const at::Tensor shear = at::diag_embed(2 * stack_last({G23, G13, G12}));
  return at::constant_pad_nd(inv(compliances.unflatten(-1, at::IntArrayRef({3, 3}))),
                             {0, 3, 0, 3}) +
         at::constant_pad_nd(shear, {3, 0, 3, 0});
}

/// Transversely isotropic stiffness about axis 3; p marks the plane of isotropy, t the direction normal to it.
/// (...) five times -> (..., 6, 6)
inline at::Tensor
transversely_isotropic(const at::Tensor & E_p,
                       const at::Tensor & E_t,
                       const at::Tensor & nu_p,
                       const at::Tensor & nu_pt,
                       const at::Tensor & G_t)
{
  return orthotropic(E_p, E_p, E_t, nu_p, nu_pt, nu_pt, E_p / (2 * (1 + nu_p)), G_t, G_t);
}
} // namespace neml2::composed
