// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/R4.h"
#include "neml2/gradients/SSR4.h"
#include "neml2/tensors/kronecker.h"
#include "neml2/tensors/skew_products.h"

namespace neml2::gradients
{
/// a_ij b_kl of gradients.
inline R4
pair_outer(const R2 & a, const R2 & b)
{
  return R4(a.unsqueeze(-1).unsqueeze(-1) * b.unsqueeze(-3).unsqueeze(-3));
}

inline const bool has_R4_rules = []
{
  // Mandel components are isometric: each is the adjoint of the other
  add_gradient_rule<tensors::Full, R4, SSR4>([](const R4 & g, const SSR4 &) { return sym(g); });
  add_gradient_rule<tensors::Sym, SSR4, R4>([](const SSR4 & g, const R4 &) { return full(g); });
  add_gradient_rule<tensors::R4TimesR2, R2, R4, R2>(
      [](const R2 & g, const R4 &, const R2 & a) { return pair_outer(g, a); },
      [](const R2 & g, const R4 & T, const R2 &) { return g * T; });
  add_gradient_rule<tensors::R2TimesR4, R2, R2, R4>(
      [](const R2 & g, const R2 &, const R4 & T) { return T * g; },
      [](const R2 & g, const R2 & a, const R4 &) { return pair_outer(a, g); });
  add_gradient_rule<tensors::R4TimesR4, R4, R4, R4>(
      [](const R4 & g, const R4 &, const R4 & U) { return g * transpose_major(U); },
      [](const R4 & g, const R4 & T, const R4 &) { return transpose_major(T) * g; });
  return true;
}();

/// kron, kron_transposed and sym_kron of an A and a B. That of kron by A is g_ijkl B_jl.
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

inline const bool has_skew_product_rules = []
{
  // The product is skew in e, and each of the two functions half the adjoint of the other
  add_gradient_rule<tensors::SkewAndSymToSym, SR2, SR2, WR2>(
      [](const SR2 & g, const SR2 &, const WR2 & w) { return -skew_and_sym_to_sym(g, w); },
      [](const SR2 & g, const SR2 & e, const WR2 &) { return multiply_and_make_skew(g, e) * 2.0; });
  add_gradient_rule<tensors::MultiplyAndMakeSkew, WR2, SR2, SR2>(
      [](const WR2 & g, const SR2 &, const SR2 & b) { return skew_and_sym_to_sym(b, g) * 0.5; },
      [](const WR2 & g, const SR2 & a, const SR2 &) { return skew_and_sym_to_sym(a, g) * -0.5; });
  return true;
}();

inline const bool has_stiffness_rules = []
{
  add_gradient_rule<tensors::SSR4IsotropicKG, SSR4, Scalar, Scalar>(
      [](const SSR4 & g, const auto &...) { return inner(g, SSR4::identity(g.options())); },
      [](const SSR4 & g, const auto &...)
      { return inner(g, SSR4::identity_dev(g.options())) * 2.0; });
  add_gradient_rule<tensors::SSR4IsotropicLambdaMu, SSR4, Scalar, Scalar>(
      [](const SSR4 & g, const auto &...) { return inner(g, SSR4::identity(g.options())); },
      [](const SSR4 & g, const auto &...)
      { return inner(g, SSR4::identity_sym(g.options())) * 2.0; });
  add_gradient_rule<tensors::SSR4Cubic, SSR4, Scalar, Scalar, Scalar>(
      [](const SSR4 & g, const auto &...) { return inner(g, SSR4::identity_C1(g.options())); },
      [](const SSR4 & g, const auto &...) { return inner(g, SSR4::identity_C2(g.options())); },
      [](const SSR4 & g, const auto &...)
      { return inner(g, SSR4::identity_C3(g.options())) * 2.0; });
  return true;
}();
} // namespace neml2::gradients
