// SPDX-License-Identifier: MIT
#include "neml2/gradients/kronecker.h"
#include "neml2/tensors/kronecker-inl.h"

namespace neml2
{
template R4 kron(const R2 &, const R2 &);
template R4 kron(const R2 &, const SR2 &);
template R4 kron(const SR2 &, const R2 &);
template R4 kron(const SR2 &, const SR2 &);
template R4 kron_transposed(const R2 &, const R2 &);
template R4 kron_transposed(const R2 &, const SR2 &);
template R4 kron_transposed(const SR2 &, const R2 &);
template R4 kron_transposed(const SR2 &, const SR2 &);
template SSR4 sym_kron(const R2 &, const R2 &);
template SSR4 sym_kron(const R2 &, const SR2 &);
template SSR4 sym_kron(const SR2 &, const R2 &);
template SSR4 sym_kron(const SR2 &, const SR2 &);
} // namespace neml2
