// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/mandel_rotation.h"
#include "neml2/gradients/rules.h"
#include "neml2/tensors/kronecker-inl.h"

namespace neml2::gradients
{
/// Rules of kron, kron_transposed and sym_kron for operands of types A and B. The gradient of kron with respect to A is
/// g_ijkl B_jl.
template <class A, class B>
bool
add_kron_rules()
{
  add_gradient_rule<tensors::Kron, R4, A, B>(
      [](const R4 & g, const A &, const B & b) { return A(g.transpose(1, 2) * R2(b)); },
      [](const R4 & g, const A & a, const B &) { return B(R2(a) * g.transpose(1, 2)); });
  add_gradient_rule<tensors::KronTransposed, R4, A, B>(
      [](const R4 & g, const A &, const B & b)
      { return A(g.transpose(2, 3).transpose(1, 2) * R2(b)); },
      [](const R4 & g, const A & a, const B &)
      { return B(R2(a) * g.transpose(2, 3).transpose(1, 2)); });
  const auto by_other = [](const SSR4 & g, const R2 & other)
  {
    return evaluate<R2>(
        "sym_kron", [](const auto & h, const auto & x) { return by_matrix(h, x) * 0.5; }, g, other);
  };
  add_gradient_rule<tensors::SymKron, SSR4, A, B>(
      [by_other](const SSR4 & g, const A &, const B & b) { return A(by_other(g, b)); },
      [by_other](const SSR4 & g, const A & a, const B &) { return B(by_other(g, a)); });
  return true;
}

inline const bool has_kron_rules = add_kron_rules<R2, R2>() && add_kron_rules<SR2, SR2>() &&
                                   add_kron_rules<SR2, R2>() && add_kron_rules<R2, SR2>();
} // namespace neml2::gradients
