// SPDX-License-Identifier: MIT
#pragma once

/// Mandel components of a symmetric pair of indices: 00, 11, 22, √2 12, √2 02, √2 01.
namespace neml2::kernels
{
constexpr double sqrt2 = 1.4142135623730950488;    ///< √2, the Mandel factor of a shear component
constexpr double invsqrt2 = 0.7071067811865475244; ///< 1/√2

/// Mandel component -> indices (i, j), i <= j.
constexpr int mandel_index[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};

/// Indices (i, j) -> Mandel component.
constexpr int mandel_reverse_index[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
} // namespace neml2::kernels
