// SPDX-License-Identifier: MIT
#include "neml2/gradients/cholesky.h"
#include "neml2/gradients/solve.h"
#include "neml2/tensors/cholesky-inl.h"
#include "neml2/tensors/solve-inl.h"

namespace neml2
{
template Vec solve(const R2 &, const Vec &);
template R2 solve(const R2 &, const R2 &);
template SR2 solve(const SSR4 &, const SR2 &);
template SSR4 solve(const SSR4 &, const SSR4 &);
template R2 solve(const R4 &, const R2 &);
template R4 solve(const R4 &, const R4 &);
} // namespace neml2
