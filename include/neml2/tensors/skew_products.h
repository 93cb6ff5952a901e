// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"
#include "neml2/kernels/skew_products.h"
#include "neml2/tensors/fwd.h"

/// Products of symmetric tensors with skew tensors and with each other, as in objective rates and plastic
/// spins, and derivatives of the products. Symmetric tensors are stored as Mandel components, and skew tensors
/// as axial vectors (see SR2 and WR2). Derivatives are with respect to the stored components.
namespace neml2
{
/// W_ik e_kj - e_ik W_kj, the rate of a symmetric tensor e that rotates with the spin W. It is symmetric.
/// (...; 6), (...; 3) -> (...; 6), unit of e × unit of w.
SR2 skew_and_sym_to_sym(const SR2 & e, const WR2 & w);
/// Derivative of skew_and_sym_to_sym(e, w) by e. As a 6×6 matrix it is skew. (...; 3) -> (...; 6, 6), in the unit of w.
SSR4 d_skew_and_sym_to_sym_d_sym(const WR2 & w);
/// Derivative of skew_and_sym_to_sym(e, w) by w. (...; 6) -> (...; 6, 3), in the unit of e.
SWR4 d_skew_and_sym_to_sym_d_skew(const SR2 & e);

/// a_ik b_kj - b_ik a_kj. It is skew, and 0 if a and b have common principal axes. (...; 6),
/// (...; 6) -> (...; 3), unit of a × unit of b.
WR2 multiply_and_make_skew(const SR2 & a, const SR2 & b);
/// Derivative of multiply_and_make_skew(a, b) by a. (...; 6) -> (...; 3, 6), in the unit of b.
WSR4 d_multiply_and_make_skew_d_first(const SR2 & b);
/// Derivative of multiply_and_make_skew(a, b) by b. (...; 6) -> (...; 3, 6), in the unit of a.
WSR4 d_multiply_and_make_skew_d_second(const SR2 & a);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/SWR4.h"
#include "neml2/tensors/WR2.h"
#include "neml2/tensors/WSR4.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/skew_products-inl.h"
#endif
