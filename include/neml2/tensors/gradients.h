// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/autograd.h"
#include "neml2/tensors/tensors.h"

/**
 * Derivative rules of the library's operations.
 *
 * One inclusion in a program, in a source file that is linked into it, is enough to have them evaluated fused also where autograd records them,
 * and their gradients too. For each argument a rule has the gradient by it, from the gradient g by the
 * result and all arguments; gradients are with respect to stored components, which are isometric
 * in Mandel's notation. Every rule is written in the library's own vocabulary, mostly as one formula
 * for rows and for batches, so that gradients can be differentiated again.
 */
namespace neml2
{
namespace core
{
// ---- What rules need besides the operations; each of them for rows and for batches ----

/// -ε_ijk A_ij, the adjoint of skew: A : skew(v) = axial(A) · v.
template <class T>
NEML2_INLINE kernels::Vec<T>
axial(const kernels::R2<T> & A)
{
  return {A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1)};
}
inline Vec
axial(const R2 & A)
{
  return evaluate_leaf<Vec>(
      "axial",
      [](const auto & a) { return axial(a); },
      [](const R2 & a)
      {
        const auto difference = [&](int i, int j) { return raw(a(i, j)) - raw(a(j, i)); };
        return stack<Vec, at::Tensor>({difference(2, 1), difference(0, 2), difference(1, 0)});
      },
      A);
}

/// Cofactors det(A) A_ji^-1, also where A is singular.
template <class T>
NEML2_INLINE kernels::R2<T>
cofactors(const kernels::R2<T> & A)
{
  const kernels::Vec<T> a{A[0], A[1], A[2]}, b{A[3], A[4], A[5]}, c{A[6], A[7], A[8]};
  const kernels::Vec<T> x = cross(b, c), y = cross(c, a), z = cross(a, b);
  return {x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]};
}
inline R2
cofactors(const R2 & A)
{
  return evaluate_leaf<R2>(
      "cofactors",
      [](const auto & a) { return cofactors(a); },
      [](const R2 & M)
      {
        const Vec a = M.row(0), b = M.row(1), c = M.row(2);
        return R2(at::stack({cross(b, c), cross(c, a), cross(a, b)}, -2));
      },
      A);
}

/// The parameters of a rotation as a vector: a Rot has no inner, at::inner would take it. All else as
/// it is.
template <class T>
NEML2_INLINE const T &
vector(const T & t)
{
  return t;
}
template <class T>
NEML2_INLINE kernels::Vec<T>
vector(const kernels::Rot<T> & r)
{
  return {r[0], r[1], r[2]};
}
inline Vec
vector(const Rot & r)
{
  return r;
}

/// Gradient by the parameters r from G by their matrix, I + a W + b W² with W = skew(r), s = r · r,
/// a = 4 (1 - s) / (1 + s)², b = 8 / (1 + s)²; W² = r r - s I.
struct GradientByParameters
{
  template <class G, class R>
  NEML2_INLINE auto operator()(const G & g, const R & parameters) const
  {
    const auto r = vector(parameters), w = axial(g), gr = g * r;
    const auto s = norm_sq(r), t = tr(g);
    const auto i = 1.0 / (1.0 + s), b = 8.0 * i * i;
    const auto by_s = (s - 3.0) * inner(w, r) - 4.0 * (inner(r, gr) - s * t);
    return (w * (0.5 * (1.0 - s)) + gr + transpose(g) * r + r * (i * by_s - 2.0 * t)) * b;
  }
};

/// Gradient by R of R_ik A_kl R_jl.
struct GradientByRotation
{
  template <class G, class A, class R>
  NEML2_INLINE auto operator()(const G & g, const A & a, const R & r) const
  {
    return g * (r * transpose(a)) + transpose(g) * (r * a);
  }
};

/// The matrix that rotates Mandel components.
template <class T>
NEML2_INLINE kernels::SSR4<T>
mandel_matrix(const kernels::R2<T> & R)
{
  return mandel_rotation(R);
}
inline SSR4
mandel_matrix(const R2 & R)
{
  return SSR4(mandel_rotation(R));
}

/// Gradient by R from Q by its mandel_matrix: 2 Q_ijkl R_jl.
template <class T>
NEML2_INLINE kernels::R2<T>
by_matrix(const kernels::SSR4<T> & Q, const kernels::R2<T> & R)
{
  kernels::R2<T> r;
  NEML2_UNROLL
  for (int p = 0; p < 6; p++)
    NEML2_UNROLL
  for (int q = 0; q < 6; q++)
  {
    const int i = kernels::mandel_index[p][0], j = kernels::mandel_index[p][1],
              k = kernels::mandel_index[q][0], l = kernels::mandel_index[q][1];
    const double factor = 2 * (p < 3 ? 1 : kernels::invsqrt2) * (q < 3 ? 1 : kernels::invsqrt2);
    const T x = T(Q(p, q) * factor);
    r(i, k) = r(i, k) + x * R(j, l);
    if (p >= 3)
      r(j, k) = r(j, k) + x * R(i, l);
    if (q >= 3)
      r(i, l) = r(i, l) + x * R(j, k);
    if (p >= 3 && q >= 3)
      r(j, l) = r(j, l) + x * R(i, k);
  }
  return r;
}
inline R2
by_matrix(const SSR4 & Q, const R2 & R)
{
  const at::Tensor basis = mandel_basis(Q.options());
  const at::Tensor full = at::matmul(at::matmul(basis.t(), Q), basis);
  const at::Tensor ik_jl = full.unflatten(-1, at::IntArrayRef({3, 3}))
                               .unflatten(-3, at::IntArrayRef({3, 3}))
                               .transpose(-3, -2)
                               .flatten(-2)
                               .flatten(-3, -2);
  const at::Tensor r = at::matmul(ik_jl, R.flatten(-2).unsqueeze(-1)).squeeze(-1) * 2;
  return R2(r.unflatten(-1, at::IntArrayRef({3, 3})));
}

/// Gradient by a of the rotation a * b (sign 1), or by b (sign -1), each of them as x, the other y.
struct GradientByFactor
{
  double sign;

  template <class G, class X, class Y>
  NEML2_INLINE auto operator()(const G & g_, const X & x_, const Y & y_) const
  {
    const auto g = vector(g_), x = vector(x_), y = vector(y_);
    const auto s = norm_sq(x), t = norm_sq(y), xy = inner(x, y);
    const auto i = 1.0 / (1.0 + s * t - 2.0 * xy);
    const auto gx = inner(g, x), gy = inner(g, y), mixed = sign * inner(g, cross(x, y));
    const auto gc = ((1.0 - t) * gx + (1.0 - s) * gy + 2.0 * mixed) * i; // g · (a * b)
    return (g * (1.0 - t) + cross(y, g) * (2.0 * sign) - x * (2.0 * (gy + gc * t)) +
            y * (2.0 * gc)) *
           i;
  }
};

// ---- The rules ----

/// Gradient by s of a / s, from g · a.
struct ByDivisor
{
  template <class G, class S>
  NEML2_INLINE auto operator()(const G & ga, const S & s) const
  {
    return -ga / (s * s);
  }
};

/// + - * / with a scalar.
template <class T>
bool
add_scalar_rules()
{
  const auto same = [](const T & g, const auto &, const auto &) { return g; };
  const auto negative = [](const T & g, const auto &, const auto &) { return -g; };
  const auto sum = [](const T & g, const auto &, const auto &)
  { return inner(vector(g), vector(T::ones(g.options()))); };
  const auto negative_sum = [](const T & g, const auto &, const auto &)
  { return -inner(vector(g), vector(T::ones(g.options()))); };

  add_gradient_rule<T, T, Scalar>("+", same, sum);
  add_gradient_rule<T, Scalar, T>("+", sum, same);
  add_gradient_rule<T, T, Scalar>("-", same, negative_sum);
  add_gradient_rule<T, Scalar, T>("-", sum, negative);
  add_gradient_rule<T, T, Scalar>(
      "*",
      [](const T & g, const T &, const Scalar & s) { return g * s; },
      [](const T & g, const T & a, const Scalar &) { return inner(vector(g), vector(a)); });
  add_gradient_rule<T, Scalar, T>(
      "*",
      [](const T & g, const Scalar &, const T & a) { return inner(vector(g), vector(a)); },
      [](const T & g, const Scalar & s, const T &) { return g * s; });
  add_gradient_rule<T, T, Scalar>(
      "/",
      [](const T & g, const T &, const Scalar & s) { return g / s; },
      [](const T & g, const T & a, const Scalar & s)
      { return evaluate<Scalar>("/", ByDivisor(), inner(vector(g), vector(a)), s); });
  add_gradient_rule<T, Scalar, T>(
      "/",
      [](const T & g, const Scalar &, const T & a) { return inner(vector(g), vector(1.0 / a)); },
      [](const T & g, const Scalar & s, const T & a) { return g * -s / a / a; });
  return true;
}

/// Contractions, which are alike for all types.
template <class T>
bool
add_contraction_rules()
{
  add_gradient_rule<Scalar, T, T>(
      "inner",
      [](const Scalar & g, const T &, const T & b) { return b * g; },
      [](const Scalar & g, const T & a, const T &) { return a * g; });
  add_gradient_rule<Scalar, T>("norm_sq",
                               [](const Scalar & g, const T & a) { return a * (2.0 * g); });
  // g a / |a|, and 0 where |a| is
  add_gradient_rule<Scalar, T, double>(
      "norm",
      [](const Scalar & g, const T & a, double epsilon)
      {
        return evaluate<T>(
            "norm",
            [](const auto & h, const auto & x, const auto & e)
            {
              const auto n = norm(x, e);
              const auto is_zero = n <= 0.0;
              return x * (where(is_zero, 0.0 * n, h) / where(is_zero, n + 1.0, n));
            },
            g,
            a,
            epsilon);
      },
      nullptr);
  // (g - u (u · g)) / |a|, u = a / |a|
  add_gradient_rule<T, T, double>(
      "unit",
      [](const T & g, const T & a, double epsilon)
      {
        return evaluate<T>(
            "unit",
            [](const auto & h, const auto & x, const auto & e)
            {
              const auto n = norm(x, e);
              const auto u = x / n;
              return (h - u * inner(u, h)) / n;
            },
            g,
            a,
            epsilon);
      },
      nullptr);
  return true;
}

inline const bool has_common_rules =
    add_scalar_rules<Vec>() && add_scalar_rules<R2>() && add_scalar_rules<SR2>() &&
    add_scalar_rules<SSR4>() && add_scalar_rules<Rot>() && add_contraction_rules<Vec>() &&
    add_contraction_rules<R2>() && add_contraction_rules<SR2>() && add_contraction_rules<SSR4>();

inline const bool has_Vec_rules = []
{
  add_gradient_rule<Vec, Vec, Vec>(
      "cross",
      [](const Vec & g, const Vec &, const Vec & b) { return cross(b, g); },
      [](const Vec & g, const Vec & a, const Vec &) { return cross(g, a); });
  add_gradient_rule<R2, Vec, Vec>(
      "outer",
      [](const R2 & g, const Vec &, const Vec & b) { return g * b; },
      [](const R2 & g, const Vec & a, const Vec &) { return transpose(g) * a; });
  add_gradient_rule<SR2, Vec>(
      "self_outer",
      [](const SR2 & g, const Vec & a)
      {
        return evaluate<Vec>(
            "self_outer", [](const auto & h, const auto & v) { return full(h) * v * 2.0; }, g, a);
      });
  add_gradient_rule<R2, Vec>("skew", [](const R2 & g, const Vec &) { return axial(g); });
  add_gradient_rule<Vec, R2>("axial", [](const Vec & g, const R2 &) { return skew(g); });
  add_gradient_rule<Vec, Vec, Rot>(
      "rotate",
      [](const Vec & g, const Vec &, const Rot & r) { return rotate(g, inv(r)); },
      [](const Vec & g, const Vec & a, const Rot & r)
      {
        return evaluate<Vec>(
            "rotate",
            [](const auto & h, const auto & v, const auto & x)
            { return GradientByParameters()(outer(h, v), x); },
            g,
            a,
            r);
      });
  return true;
}();

inline const bool has_R2_rules = []
{
  add_gradient_rule<Scalar, R2>(
      "tr", [](const Scalar & g, const R2 &) { return R2::identity(g.options()) * g; });
  add_gradient_rule<R2, R2>("vol", [](const R2 & g, const R2 &) { return vol(g); });
  add_gradient_rule<R2, R2>("dev", [](const R2 & g, const R2 &) { return dev(g); });
  // ∂det A / ∂A = cof A; source: Holzapfel (2000), Nonlinear Solid Mechanics, eq. 1.241
  add_gradient_rule<Scalar, R2>(
      "det",
      [](const Scalar & g, const R2 & A)
      {
        return evaluate<R2>(
            "det", [](const auto & h, const auto & a) { return cofactors(a) * h; }, g, A);
      });
  // d(A^-1) = -A^-1 dA A^-1; source: ibid., eq. 1.249
  add_gradient_rule<R2, R2>("inv",
                            [](const R2 & g, const R2 & A)
                            {
                              return evaluate<R2>(
                                  "inv",
                                  [](const auto & h, const auto & a)
                                  {
                                    const auto x = transpose(inv(a));
                                    return -(x * h * x);
                                  },
                                  g,
                                  A);
                            });
  add_gradient_rule<R2, R2, R2>(
      "R2 * R2",
      [](const R2 & g, const R2 &, const R2 & b) { return g * transpose(b); },
      [](const R2 & g, const R2 & a, const R2 &) { return transpose(a) * g; });
  add_gradient_rule<Vec, R2, Vec>(
      "R2 * Vec",
      [](const Vec & g, const R2 &, const Vec & v) { return outer(g, v); },
      [](const Vec & g, const R2 & a, const Vec &) { return transpose(a) * g; });
  add_gradient_rule<R2, R2, R2>(
      "rotate",
      [](const R2 & g, const R2 &, const R2 & r) { return rotate(g, transpose(r)); },
      [](const R2 & g, const R2 & a, const R2 & r)
      { return evaluate<R2>("rotate", GradientByRotation(), g, a, r); });
  add_gradient_rule<R2, R2, Rot>(
      "rotate",
      [](const R2 & g, const R2 &, const Rot & r) { return rotate(g, inv(r)); },
      [](const R2 & g, const R2 & a, const Rot & r)
      {
        return evaluate<Vec>(
            "rotate",
            [](const auto & h, const auto & b, const auto & x)
            { return GradientByParameters()(GradientByRotation()(h, b, euler_rodrigues(x)), x); },
            g,
            a,
            r);
      });
  return true;
}();

inline const bool has_SR2_rules = []
{
  add_gradient_rule<Scalar, SR2>(
      "tr", [](const Scalar & g, const SR2 &) { return SR2::identity(g.options()) * g; });
  add_gradient_rule<SR2, SR2>("vol", [](const SR2 & g, const SR2 &) { return vol(g); });
  add_gradient_rule<SR2, SR2>("dev", [](const SR2 & g, const SR2 &) { return dev(g); });
  add_gradient_rule<R2, SR2>("full", [](const R2 & g, const SR2 &) { return sym(g); });
  add_gradient_rule<SR2, R2>("sym", [](const SR2 & g, const R2 &) { return full(g); });
  // As of R2: cof s, and -s^-1 g s^-1
  add_gradient_rule<Scalar, SR2>("det",
                                 [](const Scalar & g, const SR2 & s)
                                 {
                                   return evaluate<SR2>(
                                       "det",
                                       [](const auto & h, const auto & a)
                                       { return sym(cofactors(full(a))) * h; },
                                       g,
                                       s);
                                 });
  add_gradient_rule<SR2, SR2>(
      "inv",
      [](const SR2 & g, const SR2 & s)
      {
        return evaluate<SR2>(
            "inv", [](const auto & h, const auto & a) { return -rotate(h, full(inv(a))); }, g, s);
      });
  add_gradient_rule<SSR4, SR2, SR2>(
      "outer",
      [](const SSR4 & g, const SR2 &, const SR2 & b) { return g * b; },
      [](const SSR4 & g, const SR2 & a, const SR2 &) { return a * g; });
  // By R: 2 g R s, which are symmetric
  add_gradient_rule<SR2, SR2, R2>(
      "rotate",
      [](const SR2 & g, const SR2 &, const R2 & r) { return rotate(g, transpose(r)); },
      [](const SR2 & g, const SR2 & s, const R2 & r)
      {
        return evaluate<R2>(
            "rotate",
            [](const auto & h, const auto & a, const auto & x)
            { return full(h) * (x * full(a)) * 2.0; },
            g,
            s,
            r);
      });
  add_gradient_rule<SR2, SR2, Rot>(
      "rotate",
      [](const SR2 & g, const SR2 &, const Rot & r) { return rotate(g, inv(r)); },
      [](const SR2 & g, const SR2 & s, const Rot & r)
      {
        return evaluate<Vec>(
            "rotate",
            [](const auto & h, const auto & a, const auto & x)
            { return GradientByParameters()(full(h) * (euler_rodrigues(x) * full(a)) * 2.0, x); },
            g,
            s,
            r);
      });
  return true;
}();

inline const bool has_SSR4_rules = []
{
  add_gradient_rule<SSR4, Scalar, Scalar, Scalar>(
      "SSR4::fill_C1_C2_C3",
      [](const SSR4 & g, const auto &...) { return inner(g, SSR4::identity_C1(g.options())); },
      [](const SSR4 & g, const auto &...) { return inner(g, SSR4::identity_C2(g.options())); },
      [](const SSR4 & g, const auto &...) { return inner(g, SSR4::identity_C3(g.options())); });
  // C1 = (1 - ν) p, C2 = ν p, C3 = E / (1 + ν), p = E q, q = 1 / ((1 + ν) (1 - 2ν)), ∂q/∂ν = (1 + 4ν) q²
  add_gradient_rule<SSR4, Scalar, Scalar>(
      "SSR4::isotropic_E_nu",
      [](const SSR4 & g, const Scalar &, const Scalar & nu)
      {
        return evaluate<Scalar>(
            "SSR4::isotropic_E_nu",
            [](const auto & h, const auto & v, const auto & I1, const auto & I2, const auto & I3)
            {
              const auto by_p = (1.0 - v) * inner(h, I1) + v * inner(h, I2);
              return (by_p / (1.0 - 2.0 * v) + inner(h, I3)) / (1.0 + v);
            },
            g,
            nu,
            SSR4::identity_C1(g.options()),
            SSR4::identity_C2(g.options()),
            SSR4::identity_C3(g.options()));
      },
      [](const SSR4 & g, const Scalar & E, const Scalar & nu)
      {
        return evaluate<Scalar>(
            "SSR4::isotropic_E_nu",
            [](const auto & h,
               const auto & e,
               const auto & v,
               const auto & I1,
               const auto & I2,
               const auto & I3)
            {
              const auto d = 1.0 + v, q = 1.0 / (d * (1.0 - 2.0 * v));
              const auto g1 = inner(h, I1), g2 = inner(h, I2), g3 = inner(h, I3);
              const auto by_p = (1.0 - v) * g1 + v * g2;
              return e * ((g2 - g1 + by_p * (1.0 + 4.0 * v) * q) * q - g3 / (d * d));
            },
            g,
            E,
            nu,
            SSR4::identity_C1(g.options()),
            SSR4::identity_C2(g.options()),
            SSR4::identity_C3(g.options()));
      });
  // As of R2, also for the matrices of components
  add_gradient_rule<SSR4, SSR4>("inv",
                                [](const SSR4 & g, const SSR4 & C)
                                {
                                  return evaluate<SSR4>(
                                      "inv",
                                      [](const auto & h, const auto & a)
                                      {
                                        const auto x = transpose_major(inv(a));
                                        return -(x * h * x);
                                      },
                                      g,
                                      C);
                                });
  add_gradient_rule<SR2, SSR4, SR2>(
      "SSR4 * SR2",
      [](const SR2 & g, const SSR4 &, const SR2 & e) { return outer(g, e); },
      [](const SR2 & g, const SSR4 & C, const SR2 &) { return g * C; });
  add_gradient_rule<SR2, SSR4, R2>(
      "SSR4 * R2",
      [](const SR2 & g, const SSR4 &, const R2 & e) { return outer(g, sym(e)); },
      [](const SR2 & g, const SSR4 & C, const R2 &) { return full(g * C); });
  add_gradient_rule<SR2, SR2, SSR4>(
      "SR2 * SSR4",
      [](const SR2 & g, const SR2 &, const SSR4 & C) { return C * g; },
      [](const SR2 & g, const SR2 & e, const SSR4 &) { return outer(e, g); });
  add_gradient_rule<SSR4, SSR4, SSR4>(
      "SSR4 * SSR4",
      [](const SSR4 & g, const SSR4 &, const SSR4 & b) { return g * transpose_major(b); },
      [](const SSR4 & g, const SSR4 & a, const SSR4 &) { return transpose_major(a) * g; });
  // By Q of Q C Qᵀ: g Q Cᵀ + gᵀ Q C
  const auto by_R = [](const SSR4 & g, const SSR4 & C, const R2 & R)
  {
    return evaluate<R2>(
        "rotate",
        [](const auto & h, const auto & a, const auto & r)
        {
          const auto Q = mandel_matrix(r);
          return by_matrix(h * (Q * transpose_major(a)) + transpose_major(h) * (Q * a), r);
        },
        g,
        C,
        R);
  };
  add_gradient_rule<SSR4, SSR4, R2>(
      "rotate",
      [](const SSR4 & g, const SSR4 &, const R2 & R) { return rotate(g, transpose(R)); },
      by_R);
  add_gradient_rule<SSR4, SSR4, Rot>(
      "rotate",
      [](const SSR4 & g, const SSR4 &, const Rot & r)
      { return rotate(g, transpose(euler_rodrigues(r))); }, // compiled for R2 anyway
      [by_R](const SSR4 & g, const SSR4 & C, const Rot & r) {
        return evaluate<Vec>("rotate", GradientByParameters(), by_R(g, C, euler_rodrigues(r)), r);
      });
  return true;
}();

inline const bool has_Rot_rules = []
{
  // Of ρ / (1 + n), n = √(1 + ρ · ρ)
  const auto by_rho = [](const Rot & g, const Scalar & x, const Scalar & y, const Scalar & z)
  {
    return evaluate<Vec>(
        "Rot::fill_rodrigues",
        [](const auto & h, const auto & rho)
        {
          using kernels::sqrt;
          const auto n = sqrt(1.0 + norm_sq(rho)), i = 1.0 / (1.0 + n);
          return (vector(h) - rho * (inner(vector(h), rho) * i / n)) * i;
        },
        g,
        Vec::fill(x, y, z));
  };
  add_gradient_rule<Rot, Scalar, Scalar, Scalar>(
      "Rot::fill_rodrigues",
      [by_rho](const Rot & g, const auto &... rho) { return by_rho(g, rho...)(0); },
      [by_rho](const Rot & g, const auto &... rho) { return by_rho(g, rho...)(1); },
      [by_rho](const Rot & g, const auto &... rho) { return by_rho(g, rho...)(2); });
  add_gradient_rule<R2, Rot>(
      "euler_rodrigues",
      [](const R2 & g, const Rot & r)
      { return evaluate<Vec>("euler_rodrigues", GradientByParameters(), g, r); });
  add_gradient_rule<Rot, Rot, Rot>(
      "Rot * Rot",
      [](const Rot & g, const Rot & a, const Rot & b)
      { return evaluate<Vec>("Rot * Rot", GradientByFactor{1}, g, a, b); },
      [](const Rot & g, const Rot & a, const Rot & b)
      { return evaluate<Vec>("Rot * Rot", GradientByFactor{-1}, g, b, a); });
  return true;
}();
} // namespace core
} // namespace neml2
