// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/drotate.h"
#include "neml2/math/arithmetic.h"
#include "neml2/kernels/stiffness.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of fourth order tensors with both minor symmetries C_ijkl = C_jikl = C_ijlk, for example an
 * elastic stiffness or a consistent tangent.
 *
 * Shape (...; 6, 6): any batch shape, then both index pairs in Mandel components (see SR2), so that a double
 * contraction is a matrix product.
 * Units: the caller's choice, the same for all components.
 *
 * Elsewhere: stiffness functions for formulas, in stiffness.h; full(C), and its inverse sym(T), in R4.h;
 * push-forward in kinematics.h; sym_kron in kronecker.h; Voigt's notation in Voigt.h.
 */
class SSR4 : public PrimitiveTensor<SSR4, 6, 6>
{
public:
  static constexpr auto type_name = "SSR4";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::SSR4<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(SSR4)
  SSR4() = default;
  /// The part with both minor symmetries, see sym(T). (...; 3, 3, 3, 3) -> (...; 6, 6). The constructor is a
  /// template, so that a type that converts to R4 does not also convert to SSR4.
  template <class T, std::enable_if_t<std::is_same_v<T, R4>, int> = 0>
  SSR4(const T & t);

  /// δ_ij δ_kl: ones in the upper left 3×3 block. (; 6, 6)
  [[nodiscard]] static SSR4 identity(const TensorOptions & options = default_tensor_options());
  /// (δ_ik δ_jl + δ_il δ_jk) / 2, which maps a symmetric tensor to itself. (; 6, 6)
  [[nodiscard]] static SSR4 identity_sym(const TensorOptions & options = default_tensor_options());
  /// δ_ij δ_kl / 3, which maps a symmetric tensor to its volumetric part. (; 6, 6)
  [[nodiscard]] static SSR4 identity_vol(const TensorOptions & options = default_tensor_options());
  /// identity_sym - identity_vol, which maps a symmetric tensor to its deviator. (; 6, 6)
  [[nodiscard]] static SSR4 identity_dev(const TensorOptions & options = default_tensor_options());
  /// Masks of the cubic stiffness, with the entries 1 and 0: C1 is 1 on the diagonal of the normal components, C2 is 1
  /// between different normal components, and C3 is 1 on the diagonal of the shear components. (; 6, 6)
  [[nodiscard]] static SSR4 identity_C1(const TensorOptions & options = default_tensor_options());
  [[nodiscard]] static SSR4 identity_C2(const TensorOptions & options = default_tensor_options());
  [[nodiscard]] static SSR4 identity_C3(const TensorOptions & options = default_tensor_options());
  /// The constant of the same name, for use in a formula; `like` is a tensor or a scalar of the formula.
  template <class Like, core::if_like<Like> = 0>
  [[nodiscard]] static auto identity(const Like & like)
  {
    return fill_C1_C2_C3(1.0, 1.0, 0.0, like);
  }
  template <class Like, core::if_like<Like> = 0>
  [[nodiscard]] static auto identity_sym(const Like & like)
  {
    return fill_C1_C2_C3(1.0, 0.0, 1.0, like);
  }
  template <class Like, core::if_like<Like> = 0>
  [[nodiscard]] static auto identity_vol(const Like & like)
  {
    return fill_C1_C2_C3(1.0 / 3.0, 1.0 / 3.0, 0.0, like);
  }
  template <class Like, core::if_like<Like> = 0>
  [[nodiscard]] static auto identity_dev(const Like & like)
  {
    return fill_C1_C2_C3(2.0 / 3.0, -1.0 / 3.0, 1.0, like);
  }

  /// Derivative of an SSR4 with respect to itself, δ_IK δ_JL in Mandel components. (; 6, 6, 6, 6)
  [[nodiscard]] static SSSSR8
  identity_map(const TensorOptions & options = default_tensor_options());

  // ---- Elastic stiffnesses (tensors/stiffness.h) ----------------------------------------------
  // They are made from numbers, or from scalars whose batch shapes broadcast. The moduli and the result have the unit
  // of a stress.

  /// C1 identity_C1 + C2 identity_C2 + C3 identity_C3. (...; ) three times -> (...; 6, 6)
  [[nodiscard]] static SSR4 fill_C1_C2_C3(const Scalar & C1, const Scalar & C2, const Scalar & C3);
  [[nodiscard]] static SSR4 fill_C1_C2_C3(const CScalar & C1,
                                          const CScalar & C2,
                                          const CScalar & C3,
                                          const TensorOptions & options = default_tensor_options());
  /// fill_C1_C2_C3 for formulas of vmap. Each argument is a scalar of the formula or a number. If all are numbers, a
  /// tensor of the formula must follow as the last argument, in place of options.
  template <class... V, core::if_in_formula<V...> = 0>
  [[nodiscard]] static auto fill_C1_C2_C3(const V &... v)
  {
    return core::fill_in_formula<3>([](const auto &... s) { return SSR4::fill_C1_C2_C3(s...); },
                                    [](const auto &... x) { return kernels::fill_C1_C2_C3(x...); },
                                    v...);
  }
  /// Isotropic stiffness from Young's modulus E and Poisson's ratio ν (-1 < ν < 1/2):
  /// with p = E / ((1 + ν) (1 - 2ν)), C1 = (1 - ν) p, C2 = ν p, C3 = (1 - 2ν) p.
  /// (...; ), (...; ) -> (...; 6, 6)
  [[nodiscard]] static SSR4 isotropic_E_nu(const Scalar & E, const Scalar & nu);
  [[nodiscard]] static SSR4
  isotropic_E_nu(const CScalar & E,
                 const CScalar & nu,
                 const TensorOptions & options = default_tensor_options());
  /// isotropic_E_nu for any combination of scalars and numbers, on batches or in a formula of vmap.
  template <class... V, core::if_in_formula<V...> = 0>
  [[nodiscard]] static auto isotropic_E_nu(const V &... v)
  {
    return core::fill_in_formula<2>([](const auto &... s) { return SSR4::isotropic_E_nu(s...); },
                                    [](const auto &... x) { return kernels::isotropic_E_nu(x...); },
                                    v...);
  }
  /// Isotropic stiffness from the bulk modulus K and the shear modulus G: 3K identity_vol + 2G identity_dev.
  /// (...; ), (...; ) -> (...; 6, 6)
  [[nodiscard]] static SSR4 isotropic_K_G(const Scalar & K, const Scalar & G);
  [[nodiscard]] static SSR4 isotropic_K_G(const CScalar & K,
                                          const CScalar & G,
                                          const TensorOptions & options = default_tensor_options());
  /// isotropic_K_G for any combination of scalars and numbers, on batches or in a formula of vmap.
  template <class... V, core::if_in_formula<V...> = 0>
  [[nodiscard]] static auto isotropic_K_G(const V &... v)
  {
    return core::fill_in_formula<2>([](const auto &... s) { return SSR4::isotropic_K_G(s...); },
                                    [](const auto &... x) { return kernels::isotropic_K_G(x...); },
                                    v...);
  }
  /// Isotropic stiffness from Lamé's parameters λ and μ: λ identity + 2μ identity_sym.
  /// (...; ), (...; ) -> (...; 6, 6)
  [[nodiscard]] static SSR4 isotropic_lambda_mu(const Scalar & lambda, const Scalar & mu);
  [[nodiscard]] static SSR4
  isotropic_lambda_mu(const CScalar & lambda,
                      const CScalar & mu,
                      const TensorOptions & options = default_tensor_options());
  /// isotropic_lambda_mu for any combination of scalars and numbers, on batches or in a formula of vmap.
  template <class... V, core::if_in_formula<V...> = 0>
  [[nodiscard]] static auto isotropic_lambda_mu(const V &... v)
  {
    return core::fill_in_formula<2>(
        [](const auto &... s) { return SSR4::isotropic_lambda_mu(s...); },
        [](const auto &... x) { return kernels::isotropic_lambda_mu(x...); },
        v...);
  }
  /// Cubic stiffness in the axes of the crystal, from the constants C_1111, C_1122, C_2323, which tables name C11,
  /// C12, C44: fill_C1_C2_C3(C11, C12, 2 C44). The factor 2 comes from Mandel's notation.
  /// (...; ) three times -> (...; 6, 6)
  [[nodiscard]] static SSR4 cubic(const Scalar & C11, const Scalar & C12, const Scalar & C44);
  [[nodiscard]] static SSR4 cubic(const CScalar & C11,
                                  const CScalar & C12,
                                  const CScalar & C44,
                                  const TensorOptions & options = default_tensor_options());
  /// cubic for any combination of scalars and numbers, on batches or in a formula of vmap.
  template <class... V, core::if_in_formula<V...> = 0>
  [[nodiscard]] static auto cubic(const V &... v)
  {
    return core::fill_in_formula<3>([](const auto &... s) { return SSR4::cubic(s...); },
                                    [](const auto &... x) { return kernels::cubic(x...); },
                                    v...);
  }
  /// Stiffness that is isotropic in the plane (p) of axes 1 and 2; axis 3 (t) is normal to that plane. It is
  /// orthotropic with E1 = E2 = E_p, E3 = E_t, ν12 = nu_p, ν13 = ν23 = nu_pt, G12 = E_p / (2 (1 + nu_p)),
  /// G13 = G23 = G_t. Thus nu_pt describes the contraction along t under a stress along p; the ratio for the
  /// contraction along p under a stress along t is nu_pt E_t / E_p.
  /// (...; ) five times -> (...; 6, 6)
  [[nodiscard]] static SSR4 transversely_isotropic(const Scalar & E_p,
                                                   const Scalar & E_t,
                                                   const Scalar & nu_p,
                                                   const Scalar & nu_pt,
                                                   const Scalar & G_t);
  [[nodiscard]] static SSR4
  transversely_isotropic(const CScalar & E_p,
                         const CScalar & E_t,
                         const CScalar & nu_p,
                         const CScalar & nu_pt,
                         const CScalar & G_t,
                         const TensorOptions & options = default_tensor_options());
  /// transversely_isotropic for any combination of scalars and numbers, on batches or in a formula of vmap.
  template <class... V, core::if_in_formula<V...> = 0>
  [[nodiscard]] static auto transversely_isotropic(const V &... v)
  {
    return core::fill_in_formula<5>(
        [](const auto &... s) { return SSR4::transversely_isotropic(s...); },
        [](const auto &... x) { return kernels::transversely_isotropic(x...); },
        v...);
  }
  /// Orthotropic stiffness in the axes of the material. A normal stress σ along axis i causes the
  /// strains σ / E_i along i and -ν_ij σ / E_i along j (ν_ij / E_i = ν_ji / E_j); a shear stress τ
  /// in the plane ij causes the shear angle 2 e_ij = τ / G_ij. (...; ) nine times -> (...; 6, 6)
  /// The function does not check that the stiffness is positive definite. It is positive definite if all moduli are
  /// positive, ν_ij² < E_i / E_j and 1 - ν12 ν21 - ν13 ν31 - ν23 ν32 - 2 ν21 ν32 ν13 > 0.
  ///
  /// Source: Jones (1999), Mechanics of Composite Materials, 2nd ed., sections 2.3 and 2.4.
  [[nodiscard]] static SSR4 orthotropic(const Scalar & E1,
                                        const Scalar & E2,
                                        const Scalar & E3,
                                        const Scalar & nu12,
                                        const Scalar & nu13,
                                        const Scalar & nu23,
                                        const Scalar & G12,
                                        const Scalar & G13,
                                        const Scalar & G23);
  [[nodiscard]] static SSR4 orthotropic(const CScalar & E1,
                                        const CScalar & E2,
                                        const CScalar & E3,
                                        const CScalar & nu12,
                                        const CScalar & nu13,
                                        const CScalar & nu23,
                                        const CScalar & G12,
                                        const CScalar & G13,
                                        const CScalar & G23,
                                        const TensorOptions & options = default_tensor_options());
  /// orthotropic for any combination of scalars and numbers, on batches or in a formula of vmap.
  template <class... V, core::if_in_formula<V...> = 0>
  [[nodiscard]] static auto orthotropic(const V &... v)
  {
    return core::fill_in_formula<9>([](const auto &... s) { return SSR4::orthotropic(s...); },
                                    [](const auto &... x) { return kernels::orthotropic(x...); },
                                    v...);
  }

  using PrimitiveTensor::operator();
  /// Component C_ijkl of the tensor, without the Mandel factors. (...; 6, 6) -> (...; )
  /// @throws IndexException for an index that is not in [-3, 3).
  Scalar operator()(Size i, Size j, Size k, Size l) const;

  /// See rotate(C, R) and rotate(C, r).
  SSR4 rotate(const R2 & R) const;
  SSR4 rotate(const Rot & r) const;
  /// See drotate(C, r).
  SSFR5 drotate(const Rot & r) const;
  /// Derivative of rotate(C, r) with respect to C: Q_IK Q_JL in Mandel components, where the matrix Q rotates Mandel
  /// components. This is the part of R_im R_jn R_ko R_lp that is symmetric in each pair, expanded to the common batch
  /// shape of C and r. (...; 6, 6), (...; 3) -> (...; 6, 6, 6, 6)
  SSSSR8 drotate_self(const Rot & r) const;
  /// See det(C).
  Scalar det() const;
  /// See inv(C).
  SSR4 inverse() const;
  /// Derivative of inv(C) with respect to C: -C^-1_IK C^-1_LJ in Mandel components. NaN where C is singular.
  /// (...; 6, 6) -> (...; 6, 6, 6, 6), in the square of the inverse of the unit of C.
  SSSSR8 dinverse() const;
  /// C_jikl = C_ijkl. (...; 6, 6) -> (...; 6, 6)
  SSR4 transpose_minor() const;
  /// See transpose_major(C).
  SSR4 transpose_major() const;
};

template <>
struct core::batch_of_rows<kernels::SSR4>
{
  using type = SSR4;
};

/// Determinant of the 6×6 matrix of Mandel components, which is the determinant of C as a map of symmetric tensors;
/// for an isotropic stiffness it is 3 K (2 G)^5. (...; 6, 6) -> (...; ), in the sixth power of the unit of C. Where
/// the determinant is 0, the fused loop gives NaN or infinite derivatives.
Scalar det(const SSR4 & C);
/// C^-1 with C^-1 : C = identity_sym; infinite or NaN where a pivot is exactly 0. A matrix that is
/// singular up to round-off gives large numbers. (...; 6, 6) -> (...; 6, 6), in the inverse of the unit of C.
SSR4 inv(const SSR4 & C);
/// C_klij, as a view. (...; 6, 6) -> (...; 6, 6)
SSR4 transpose_major(const SSR4 & C);
/// R_im R_jn R_ko R_lp C_mnop: C rotated (active) by the rotation matrix R. (...; 6, 6), (...; 3, 3) -> (...; 6, 6),
/// in the unit of C.
SSR4 rotate(const SSR4 & C, const R2 & R);
/// R_im R_jn R_ko R_lp C_mnop: C rotated (active) by r, where R is the matrix of r. (...; 6, 6), (...; 3) ->
/// (...; 6, 6), in the unit of C.
SSR4 rotate(const SSR4 & C, const Rot & r);
/// Derivative of rotate(C, r) with respect to the parameters of r, in the unit of C.
/// (...; 6, 6), (...; 3) -> (...; 6, 6, 3)
SSFR5 drotate(const SSR4 & C, const Rot & r);
/// A_ijkl B_ijkl. (...; 6, 6), (...; 6, 6) -> (...; ), unit of A × unit of B.
Scalar inner(const SSR4 & A, const SSR4 & B);
/// C_ijkl C_ijkl. (...; 6, 6) -> (...; ), in the square of the unit of C.
Scalar norm_sq(const SSR4 & C);
/// √(C_ijkl C_ijkl + epsilon), epsilon in the square of the unit of C. (...; 6, 6) -> (...; ), in the unit
/// of C. Its gradient at C = 0 is 0 (for epsilon = 0, one choice among the subgradients).
Scalar norm(const SSR4 & C, Real epsilon = 0);
/// C / √(C_ijkl C_ijkl + epsilon), without unit. (...; 6, 6) -> (...; 6, 6).
/// NaN where the quotient is 0 / 0.
SSR4 unit(const SSR4 & C, Real epsilon = 0);

/// C_ijkl e_kl. (...; 6, 6), (...; 6) -> (...; 6), unit of C × unit of e.
template <class A, class B, math::if_types<A, SSR4, B, SR2> = 0>
SR2 operator*(const A & C, const B & e);
/// C_ijkl e_kl, which uses only the symmetric part of e. (...; 6, 6), (...; 3, 3) -> (...; 6)
template <class A, class B, math::if_types<A, SSR4, B, R2> = 0>
SR2 operator*(const A & C, const B & e);
/// e_ij C_ijkl. (...; 6), (...; 6, 6) -> (...; 6)
template <class A, class B, math::if_types<A, SR2, B, SSR4> = 0>
SR2 operator*(const A & e, const B & C);
/// A_ijmn B_mnkl. (...; 6, 6), (...; 6, 6) -> (...; 6, 6)
template <class A, class B, math::if_types<A, SSR4, B, SSR4> = 0>
SSR4 operator*(const A & a, const B & b);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R4.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSFR5.h"
#include "neml2/tensors/SSSSR8.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/stiffness.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/SSR4-inl.h"
#endif
