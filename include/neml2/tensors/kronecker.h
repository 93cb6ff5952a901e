// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"
#include "neml2/kernels/kronecker.h"
#include "neml2/tensors/fwd.h"

/// Fourth order tensors made from two second order tensors A and B, each an R2 or an SR2. They are linear maps
/// of a tensor K, such as K -> A K Bᵀ, and occur in derivatives of products, inverses and rotations.
/// outer(A, B), which is A_ij B_kl, is in R2.h and SR2.h.
namespace neml2
{
namespace tensors
{
template <class T>
constexpr bool is_second_order = std::is_same_v<T, R2> || std::is_same_v<T, SR2>;
template <class A, class B>
using if_second_order = std::enable_if_t<is_second_order<A> && is_second_order<B>, int>;
} // namespace tensors

/// A_ik B_jl, which maps K to A K Bᵀ; kron(A, B) * kron(C, D) = kron(A * C, B * D).
/// (...; 3, 3) or (...; 6), twice -> (...; 3, 3, 3, 3), unit of A × unit of B.
///
/// Source: Del Piero (1979), J. Elast. 9, 245-261.
template <class A, class B, tensors::if_second_order<A, B> = 0>
R4 kron(const A & a, const B & b);
/// A_il B_jk, which maps K to A Kᵀ Bᵀ. (...; 3, 3) or (...; 6), twice -> (...; 3, 3, 3, 3), unit of A ×
/// unit of B.
template <class A, class B, tensors::if_second_order<A, B> = 0>
R4 kron_transposed(const A & a, const B & b);
/// (A_ik B_jl + A_il B_jk + B_ik A_jl + B_il A_jk) / 4, which maps a symmetric K to (A K Bᵀ + B K Aᵀ) / 2.
/// sym_kron(A, B) = sym_kron(B, A). With a rotation matrix R, sym_kron(R, R) * s is rotate(s, R). (...; 3, 3)
/// or (...; 6), twice -> (...; 6, 6), unit of A × unit of B.
///
/// Source: Alizadeh, Haeberly and Overton (1998), SIAM J. Optim. 8, 746-768, appendix.
template <class A, class B, tensors::if_second_order<A, B> = 0>
SSR4 sym_kron(const A & a, const B & b);

/// Does not compile. Without this overload, at::kron would accept other tensors, and treat their batch dimensions as base
/// dimensions.
template <class A, class B>
auto
kron(const TensorBase<A> &, const TensorBase<B> &)
{
  return math::no_such_operation<A, B>();
}
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R4.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/kronecker-inl.h"
#endif
