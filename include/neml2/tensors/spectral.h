// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"
#include "neml2/kernels/spectral.h"
#include "neml2/tensors/fwd.h"

#include <utility>

/**
 * Eigenvalues and eigenvectors of symmetric tensors, and functions that are computed from them.
 *
 * A tensor function of your own, f(s) = Σ_k f(λ_k) v_k v_k, and its derivative:
 *
 *     const auto [l, V] = linalg::eigh(s);
 *     const SR2 value = linalg::ieigh(f(l), V);
 *     const SSR4 derivative = linalg::dsptrf(l, V, f(l), df(l));
 *
 * Do not differentiate through eigenvectors where eigenvalues may be equal: eigenvectors have no derivatives there, and the
 * result is NaN. isotropic.h and matrix_functions.h have functions whose derivatives are exact everywhere.
 */
namespace neml2
{
namespace linalg
{
/**
 * Eigenvalues of s in ascending order, in the unit of s, and unit eigenvectors in the columns of V, so
 * that s_ij = Σ_k λ_k V_ik V_jk. (...; 6) -> (...; 3), (...; 3, 3)
 *
 * V is a rotation: the largest component of each of the first two columns is positive, and the sign of the third column
 * makes det V = 1. The eigenvectors of equal eigenvalues may be any orthonormal vectors of their common
 * eigenspace. NaN where a component of s is not finite.
 *
 * The fused loop uses Jacobi rotations, which are accurate up to round-off for components of any size, and
 * exact for diagonal tensors. Where a gradient is recorded, LibTorch's linalg_eigh is used. Derivatives of the
 * eigenvalues are then correct everywhere. Derivatives of an eigenvector grow as 1 / (λ_i - λ_j), and are
 * undefined for equal eigenvalues.
 *
 * Source: Golub and Van Loan (2013), Matrix Computations, section 8.5.
 */
std::pair<Vec, R2> eigh(const SR2 & s);

/// Σ_k l_k V_ik V_jk. (...; 3), (...; 3, 3) -> (...; 6), in the unit of l.
SR2 ieigh(const Vec & l, const R2 & V);

/**
 * The derivative with respect to s of Σ_k f(λ_k) v_k v_k, from the eigenvalues l and eigenvectors V of s, the values
 * f_k = f(λ_k) and the slopes df_k = f'(λ_k). (...; 3), (...; 3, 3), (...; 3), (...; 3) -> (...; 6, 6), in the
 * unit of df.
 *
 * It is Σ_k f'_k v_k v_k v_k v_k + Σ_{i≠j} θ_ij sym(v_i v_j) sym(v_i v_j) with
 * θ_ij = (f_i - f_j) / (λ_i - λ_j). Where this difference of f is lost in rounding, θ_ij is the mean
 * (f'_i + f'_j) / 2. In the worst case (eigenvalues that differ by 1e-5, and values of f of about 1), about eleven
 * digits are right. For equal eigenvalues all digits are right.
 *
 * Source: Higham (2008), Functions of Matrices, corollary 3.12.
 */
SSR4 dsptrf(const Vec & l, const R2 & V, const Vec & f, const Vec & df);
} // namespace linalg

/// See linalg::eigh(s) and linalg::ieigh(l, V); formulas for vmap call them by these names.
std::pair<Vec, R2> eigh(const SR2 & s);
SR2 ieigh(const Vec & l, const R2 & V);

/// Eigenvalues λ_k of s in ascending order. (...; 6) -> (...; 3), in the unit of s. The gradient of λ_k is
/// v_k v_k. For equal eigenvalues, v_k is any of their eigenvectors, and the second derivative is undefined.
Vec eigenvalues(const SR2 & s);
/// The principal values of a stress or strain. See eigenvalues(s).
Vec principal_values(const SR2 & s);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Vec.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/spectral-inl.h"
#endif
