// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/batch.h"
#include "neml2/kernels/SSR4.h"
#include "neml2/tensors/fwd.h"

#include <limits>

namespace neml2
{
/**
 * Batch of fourth order tensors with both minor symmetries C_ijkl = C_jikl = C_ijlk, for example an
 * elastic stiffness or a consistent tangent.
 *
 * Shape (...; 6, 6): any batch shape, then both index pairs in Mandel components (see SR2), so that a
 * double contraction is a product of matrices.
 * Units: the caller's choice, the same for all components.
 */
class SSR4 : public PrimitiveTensor<SSR4, 6, 6>
{
public:
  static constexpr auto type_name = "SSR4";
  /// One batch entry, as the kernels see it.
  template <class T>
  using Row = kernels::SSR4<T>;

  using PrimitiveTensor::PrimitiveTensor;
  SSR4() = default;

  /// δ_ij δ_kl: ones in the upper left 3×3 block. (; 6, 6)
  [[nodiscard]] static SSR4 identity(const TensorOptions & options = default_tensor_options());
  /// (δ_ik δ_jl + δ_il δ_jk) / 2, which maps a symmetric tensor to itself. (; 6, 6)
  [[nodiscard]] static SSR4 identity_sym(const TensorOptions & options = default_tensor_options());
  /// δ_ij δ_kl / 3, which maps a symmetric tensor to its volumetric part. (; 6, 6)
  [[nodiscard]] static SSR4 identity_vol(const TensorOptions & options = default_tensor_options());
  /// identity_sym - identity_vol, which maps a symmetric tensor to its deviator. (; 6, 6)
  [[nodiscard]] static SSR4 identity_dev(const TensorOptions & options = default_tensor_options());
  /// Masks of the cubic stiffness: the normal diagonal, between normals, the shear diagonal. (; 6, 6)
  [[nodiscard]] static SSR4 identity_C1(const TensorOptions & options = default_tensor_options());
  [[nodiscard]] static SSR4 identity_C2(const TensorOptions & options = default_tensor_options());
  [[nodiscard]] static SSR4 identity_C3(const TensorOptions & options = default_tensor_options());

  /// C1 identity_C1 + C2 identity_C2 + C3 identity_C3. (...; ) three times -> (...; 6, 6)
  [[nodiscard]] static SSR4 fill_C1_C2_C3(const Scalar & C1, const Scalar & C2, const Scalar & C3);
  [[nodiscard]] static SSR4 fill_C1_C2_C3(const CScalar & C1,
                                          const CScalar & C2,
                                          const CScalar & C3,
                                          const TensorOptions & options = default_tensor_options());
  /// Isotropic stiffness from Young's modulus E (a stress) and Poisson's ratio ν (-1 < ν < 1/2):
  /// with p = E / ((1 + ν) (1 - 2ν)), C1 = (1 - ν) p, C2 = ν p, C3 = (1 - 2ν) p.
  /// (...; ), (...; ) -> (...; 6, 6), in the unit of E.
  [[nodiscard]] static SSR4 isotropic_E_nu(const Scalar & E, const Scalar & nu);
  [[nodiscard]] static SSR4
  isotropic_E_nu(const CScalar & E,
                 const CScalar & nu,
                 const TensorOptions & options = default_tensor_options());

  using PrimitiveTensor::operator();
  /// Component C_ijkl of the tensor, without the Mandel factors. (...; 6, 6) -> (...; )
  Scalar operator()(Size i, Size j, Size k, Size l) const;

  /// R_im R_jn R_ko R_lp C_mnop, the tensor turned (active) by the rotation matrix R, or by that of r.
  /// (...; 6, 6), (...; 3, 3) or (...; 3) -> (...; 6, 6)
  SSR4 rotate(const R2 & R) const;
  SSR4 rotate(const Rot & r) const;
  /// C^-1 with C^-1 : C = identity_sym; infinite or NaN where a pivot is exactly 0.
  /// A matrix that is singular but for rounding gives large numbers. (...; 6, 6) -> (...; 6, 6)
  SSR4 inverse() const;
  /// C_jikl = C_ijkl.
  SSR4 transpose_minor() const;
  /// C_klij. (...; 6, 6) -> (...; 6, 6)
  SSR4 transpose_major() const;
};

template <>
struct core::batch_of_rows<kernels::SSR4>
{
  using type = SSR4;
};

/// C^-1 with C^-1 : C = identity_sym; infinite or NaN where a pivot is exactly 0.
/// A matrix that is singular but for rounding gives large numbers. (...; 6, 6) -> (...; 6, 6)
SSR4 inv(const SSR4 & C);
/// SSR4::isotropic_E_nu, as formulas for vmap call it. (...; ), (...; ) -> (...; 6, 6)
SSR4 isotropic_E_nu(const Scalar & E, const Scalar & nu);
/// C_klij. (...; 6, 6) -> (...; 6, 6)
SSR4 transpose_major(const SSR4 & C);
/// R_im R_jn R_ko R_lp C_mnop. (...; 6, 6), (...; 3, 3) -> (...; 6, 6)
SSR4 rotate(const SSR4 & C, const R2 & R);
/// The same with the matrix R of r. (...; 6, 6), (...; 3) -> (...; 6, 6)
SSR4 rotate(const SSR4 & C, const Rot & r);
/// A_ijkl B_ijkl. (...; 6, 6), (...; 6, 6) -> (...; )
Scalar inner(const SSR4 & A, const SSR4 & B);
/// C_ijkl C_ijkl. (...; 6, 6) -> (...; )
Scalar norm_sq(const SSR4 & C);
/// √(C_ijkl C_ijkl + epsilon), epsilon in the square of the unit of C. (...; 6, 6) -> (...; ). Its gradient at C = 0 is 0.
Scalar norm(const SSR4 & C, Real epsilon = 0);
/// C / √(C_ijkl C_ijkl + epsilon), without unit. (...; 6, 6) -> (...; 6, 6). NaN where that is 0 / 0.
SSR4 unit(const SSR4 & C, Real epsilon = 0);

/// C_ijkl e_kl. (...; 6, 6), (...; 6) -> (...; 6), unit of C × unit of e.
template <class A, class B, core::if_types<A, SSR4, B, SR2> = 0>
SR2 operator*(const A & C, const B & e);
/// C_ijkl A_kl, of which only the symmetric part of A counts. (...; 6, 6), (...; 3, 3) -> (...; 6)
template <class A, class B, core::if_types<A, SSR4, B, R2> = 0>
SR2 operator*(const A & C, const B & e);
/// e_ij C_ijkl. (...; 6), (...; 6, 6) -> (...; 6)
template <class A, class B, core::if_types<A, SR2, B, SSR4> = 0>
SR2 operator*(const A & e, const B & C);
/// A_ijmn B_mnkl. (...; 6, 6), (...; 6, 6) -> (...; 6, 6)
template <class A, class B, core::if_types<A, SSR4, B, SSR4> = 0>
SSR4 operator*(const A & a, const B & b);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/core/algebra.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"

namespace neml2
{
inline SSR4
SSR4::identity(const TensorOptions & options)
{
  return fill_C1_C2_C3(1, 1, 0, options);
}

inline SSR4
SSR4::identity_sym(const TensorOptions & options)
{
  return fill_C1_C2_C3(1, 0, 1, options);
}

inline SSR4
SSR4::identity_vol(const TensorOptions & options)
{
  core::check_floating("SSR4::identity_vol", options);
  return fill_C1_C2_C3(1.0 / 3.0, 1.0 / 3.0, 0, options);
}

inline SSR4
SSR4::identity_dev(const TensorOptions & options)
{
  core::check_floating("SSR4::identity_dev", options);
  return fill_C1_C2_C3(2.0 / 3.0, -1.0 / 3.0, 1, options);
}

inline SSR4
SSR4::identity_C1(const TensorOptions & options)
{
  return fill_C1_C2_C3(1, 0, 0, options);
}

inline SSR4
SSR4::identity_C2(const TensorOptions & options)
{
  return fill_C1_C2_C3(0, 1, 0, options);
}

inline SSR4
SSR4::identity_C3(const TensorOptions & options)
{
  return fill_C1_C2_C3(0, 0, 1, options);
}

inline SSR4
SSR4::fill_C1_C2_C3(const CScalar & C1,
                    const CScalar & C2,
                    const CScalar & C3,
                    const TensorOptions & options)
{
  const CScalar o(0);
  return from_values({C1, C2, C2, o,  o, o, C2, C1, C2, o, o,  o, C2, C2, C1, o, o, o,
                      o,  o,  o,  C3, o, o, o,  o,  o,  o, C3, o, o,  o,  o,  o, o, C3},
                     options);
}

namespace core
{
/// C1 identity_C1 + C2 identity_C2 + C3 identity_C3 by LibTorch.
inline SSR4
combine_masks(const at::Tensor & C1, const at::Tensor & C2, const at::Tensor & C3)
{
  const auto options = C1.options().requires_grad(false);
  const auto term = [](const at::Tensor & x, const at::Tensor & mask)
  { return x.unsqueeze(-1).unsqueeze(-1) * mask; };
  return SSR4(term(C1, SSR4::identity_C1(options)) + term(C2, SSR4::identity_C2(options)) +
              term(C3, SSR4::identity_C3(options)));
}
} // namespace core

inline SSR4
SSR4::fill_C1_C2_C3(const Scalar & C1, const Scalar & C2, const Scalar & C3)
{
  return core::evaluate_leaf<SSR4>(
      core::Operation("SSR4::fill_C1_C2_C3", core::Accepts::numbers),
      [](const auto & a, const auto & b, const auto & c)
      { return kernels::fill_C1_C2_C3(a, b, c); },
      [](const Scalar & a, const Scalar & b, const Scalar & c)
      { return core::combine_masks(a, b, c); },
      C1,
      C2,
      C3);
}

inline SSR4
SSR4::isotropic_E_nu(const Scalar & E, const Scalar & nu)
{
  return core::evaluate_leaf<SSR4>(
      "SSR4::isotropic_E_nu",
      [](const auto & e, const auto & v) { return kernels::isotropic_E_nu(e, v); },
      [](const Scalar & e, const Scalar & v)
      {
        const at::Tensor a = 1 - core::raw(v), b = 1 - 2 * core::raw(v);
        const at::Tensor p = core::raw(e) / ((1 + core::raw(v)) * b);
        return core::combine_masks(a * p, core::raw(v) * p, b * p);
      },
      E,
      nu);
}

inline SSR4
isotropic_E_nu(const Scalar & E, const Scalar & nu)
{
  return SSR4::isotropic_E_nu(E, nu);
}

inline SSR4
SSR4::isotropic_E_nu(const CScalar & E, const CScalar & nu, const TensorOptions & options)
{
  const auto plain = options.requires_grad(false);
  auto C = isotropic_E_nu(Scalar(E, plain), Scalar(nu, plain));
  C.set_requires_grad(options.requires_grad());
  return C;
}

inline Scalar
SSR4::operator()(Size i, Size j, Size k, Size l) const
{
  const auto pair = [](Size a, Size b)
  {
    return kernels::mandel_reverse_index[utils::normalize_dim(a, 0, 3)]
                                        [utils::normalize_dim(b, 0, 3)];
  };
  const int p = pair(i, j), q = pair(k, l);
  const double factor = (p < 3 ? 1.0 : kernels::invsqrt2) * (q < 3 ? 1.0 : kernels::invsqrt2);
  const Scalar stored = (*this)(p, q);
  return factor == 1.0 ? stored : stored * factor;
}

inline SSR4
inv(const SSR4 & C)
{
  return core::evaluate_leaf<SSR4>(
      "inv",
      [](const auto & a) { return kernels::inv(a); },
      [](const SSR4 & a)
      {
        const auto [inverse, info] = at::linalg_inv_ex(a);
        const at::Tensor singular = (info != 0).unsqueeze(-1).unsqueeze(-1);
        return SSR4(inverse.masked_fill(singular, std::numeric_limits<double>::quiet_NaN()));
      },
      C);
}

inline SSR4
transpose_major(const SSR4 & C)
{
  core::check_defined("transpose_major", C);
  return SSR4(C.transpose(-1, -2), C.batch_dim());
}

inline SSR4
rotate(const SSR4 & C, const R2 & R)
{
  return core::evaluate_leaf<SSR4>(
      "rotate",
      [](const auto & a, const auto & b) { return kernels::rotate(a, b); },
      [](const SSR4 & a, const R2 & b)
      { return SSR4(core::rotate_matrix(a, core::mandel_rotation(b))); },
      C,
      R);
}

inline SSR4
rotate(const SSR4 & C, const Rot & r)
{
  return core::evaluate_leaf<SSR4>(
      "rotate",
      [](const auto & a, const auto & b) { return kernels::rotate(a, b); },
      [](const SSR4 & a, const Rot & b)
      {
        const at::Tensor R = core::rotation_matrix(b);
        return SSR4(core::rotate_matrix(a, core::mandel_rotation(R)));
      },
      C,
      r);
}

inline Scalar
inner(const SSR4 & A, const SSR4 & B)
{
  return core::inner<Scalar>(core::Operation("inner", core::Accepts::numbers), A, B);
}

inline Scalar
norm_sq(const SSR4 & C)
{
  return core::norm_sq<Scalar>(core::Operation("norm_sq", core::Accepts::numbers), C);
}

inline Scalar
norm(const SSR4 & C, Real epsilon)
{
  return core::norm<Scalar>(C, epsilon);
}

inline SSR4
unit(const SSR4 & C, Real epsilon)
{
  return core::unit(C, epsilon);
}

template <class A, class B, core::if_types<A, SSR4, B, SR2>>
SR2
operator*(const A & C, const B & e)
{
  return core::evaluate_leaf<SR2>(
      core::Operation("SSR4 * SR2", core::Accepts::numbers),
      [](const auto & a, const auto & b) { return a * b; },
      [](const SSR4 & a, const SR2 & b) { return SR2(at::matmul(a, b.unsqueeze(-1)).squeeze(-1)); },
      C,
      e);
}

template <class A, class B, core::if_types<A, SSR4, B, R2>>
SR2
operator*(const A & C, const B & e)
{
  return core::evaluate_leaf<SR2>(
      "SSR4 * R2",
      [](const auto & a, const auto & b) { return a * kernels::sym(b); },
      [](const SSR4 & a, const R2 & b)
      { return SR2(at::matmul(a, core::sym(b).unsqueeze(-1)).squeeze(-1)); },
      C,
      e);
}

template <class A, class B, core::if_types<A, SR2, B, SSR4>>
SR2
operator*(const A & e, const B & C)
{
  return core::evaluate_leaf<SR2>(
      core::Operation("SR2 * SSR4", core::Accepts::numbers),
      [](const auto & a, const auto & b) { return a * b; },
      [](const SR2 & a, const SSR4 & b) { return SR2(at::matmul(a.unsqueeze(-2), b).squeeze(-2)); },
      e,
      C);
}

template <class A, class B, core::if_types<A, SSR4, B, SSR4>>
SSR4
operator*(const A & a, const B & b)
{
  return core::evaluate_leaf<SSR4>(
      core::Operation("SSR4 * SSR4", core::Accepts::numbers),
      [](const auto & x, const auto & y) { return x * y; },
      [](const SSR4 & x, const SSR4 & y) { return SSR4(at::matmul(x, y)); },
      a,
      b);
}

inline SSR4
SSR4::inverse() const
{
  return inv(*this);
}

inline SSR4
SSR4::rotate(const R2 & R) const
{
  return neml2::rotate(*this, R);
}

inline SSR4
SSR4::rotate(const Rot & r) const
{
  return neml2::rotate(*this, r);
}

inline SSR4
SSR4::transpose_minor() const
{
  core::check_defined("SSR4::transpose_minor", *this);
  return *this;
}

inline SSR4
SSR4::transpose_major() const
{
  return neml2::transpose_major(*this);
}
} // namespace neml2
