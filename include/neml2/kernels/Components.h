// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Scalar.h"
#include "neml2/kernels/errors.h"

#include <type_traits>
#include <utility>

namespace neml2::kernels
{
/// Tag of the constructors that need not set the components. If the components are dual numbers, zeros that are then overwritten
/// would cost more than the arithmetic itself.
struct Unset
{
};

/// Throws the error for component i of n, with the same message as for batches.
[[noreturn]] NEML2_COLD inline void
refuse_component([[maybe_unused]] int i, [[maybe_unused]] int n)
{
  NEML2_THROW(IndexException("in a formula: the component index " + std::to_string(i) +
                             " is out of range: expected one in [" + std::to_string(-n) + ", " +
                             std::to_string(n) + ")."));
}

/// The place of component i of n; a negative i counts from the end.
NEML2_INLINE constexpr int
component_index(int i, int n)
{
  if (i < -n || i >= n)
    refuse_component(i, n);
  return i < 0 ? i + n : i;
}

/// The place, in row-major order, of the component with one index per dimension; n are the sizes of the dimensions.
template <int... n, class... I>
NEML2_INLINE constexpr int
component_place(I... i)
{
  int k = 0;
  ((k = k * n + component_index(int(i), n)), ...);
  return k;
}

/// The type of members such as dev: it makes s.dev() in a formula an error that names the function to call.
struct Member
{
  template <bool Refused = true, class... A>
  constexpr auto operator()(const A &...) const
  {
    static_assert(!Refused,
                  "in a formula members are functions: write dev(s) for s.dev(), inv(A) for "
                  "A.inverse(), inner(v, w) for v.dot(w)");
    return 0.0;
  }
};
/// The members that batches have and tensors in formulas lack. A call of one does not compile, and the error says why.
struct Members
{
  static constexpr Member tr{}, vol{}, dev{}, det{}, inverse{}, transpose{}, transpose_major{},
      norm{}, norm_sq{}, inner{}, dot{}, outer{}, self_outer{}, cross{}, rotate{}, drotate{}, row{},
      col{}, euler_rodrigues{}, rotation_matrix{};
};

/**
 * The components of one tensor of a batch (a row) in a fixed-size array, row-major.
 *
 * T is the type that the formula runs on: a number, a pack (a SIMD vector with one lane per row) or a
 * dual number. Nothing here branches on the value of a single lane.
 */
template <class T, int N>
struct Components : Members
{
  using value_type = T;
  static constexpr int n = N;

  T v[N];

  /// All components zero.
  NEML2_INLINE constexpr Components() : v{}
  {
    if constexpr (!std::is_arithmetic_v<T>)
    {
      NEML2_UNROLL
      for (int i = 0; i < N; i++)
        v[i] = T(0.0);
    }
  }
  NEML2_INLINE constexpr explicit Components(Unset) : v{} {}

  /// One argument per component, in storage order.
  template <class... U, std::enable_if_t<N != 1 && sizeof...(U) == N, int> = 0>
  NEML2_INLINE constexpr Components(const U &... u) : v{T(u)...}
  {
  }

  /// Stored component i; a negative i counts from the end, as for the batched types.
  NEML2_INLINE constexpr const T & operator()(int i) const { return v[component_index(i, N)]; }

  NEML2_INLINE constexpr T & operator[](int i) { return v[i]; }
  NEML2_INLINE constexpr const T & operator[](int i) const { return v[i]; }
};

/// Type of the sum of an A and a B, where plain numbers, packs and duals may mix.
template <class A, class B>
using sum_t = std::decay_t<decltype(std::declval<const A &>() + std::declval<const B &>())>;

/// Type of the product of an A and a B.
template <class A, class B>
using product_t = std::decay_t<decltype(std::declval<const A &>() * std::declval<const B &>())>;

/// True for the row types, the types of tensors in formulas: class templates R<T> derived from Components<T, N>.
template <class R, class = void>
struct is_row : std::false_type
{
};
template <class R>
struct is_row<R, std::void_t<typename R::value_type, decltype(R::n)>>
  : std::is_base_of<Components<typename R::value_type, R::n>, R>
{
};

/// The type of the numbers of a row; for a number, its own type.
template <class X, class = void>
struct number_of_row
{
  using type = X;
};
template <class X>
struct number_of_row<X, std::enable_if_t<is_row<X>::value>>
{
  using type = typename X::value_type;
};

/// The row with these components, in storage order, all of type T.
template <template <class> class R, class T, class... U>
NEML2_INLINE constexpr R<T>
row_of_components(const T & first, const U &... others)
{
  if constexpr (is_row<R<T>>::value)
  {
    R<T> r{Unset()};
    int i = 0;
    r[i] = first;
    ((r[++i] = others), ...);
    return r;
  }
  else
    return first;
}

/// Enables an overload for row types R<T> only.
template <template <class> class R, class T>
using if_row = std::enable_if_t<is_row<R<T>>::value, int>;

/// Enables an overload for factors that multiply each component of a row: all types except rows.
template <class S>
using if_scalar = std::enable_if_t<!is_row<S>::value, int>;

// Elementwise arithmetic. If the component types differ, the result has the type of their sum or product: a plain stiffness
// times a strain with derivatives costs no derivatives of the stiffness.

template <template <class> class R, class A, class B, if_row<R, A> = 0>
NEML2_INLINE constexpr R<sum_t<A, B>>
operator+(const R<A> & a, const R<B> & b)
{
  R<sum_t<A, B>> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < R<A>::n; i++)
    r[i] = a[i] + b[i];
  return r;
}

template <template <class> class R, class A, class B, if_row<R, A> = 0>
NEML2_INLINE constexpr R<sum_t<A, B>>
operator-(const R<A> & a, const R<B> & b)
{
  R<sum_t<A, B>> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < R<A>::n; i++)
    r[i] = a[i] - b[i];
  return r;
}

template <template <class> class R, class A, if_row<R, A> = 0>
NEML2_INLINE constexpr R<A>
operator-(const R<A> & a)
{
  R<A> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < R<A>::n; i++)
    r[i] = -a[i];
  return r;
}

/// Divides component by component, as the batched types do.
template <template <class> class R, class A, class B, if_row<R, A> = 0>
NEML2_INLINE constexpr R<product_t<A, B>>
operator/(const R<A> & a, const R<B> & b)
{
  R<product_t<A, B>> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < R<A>::n; i++)
    r[i] = a[i] / b[i];
  return r;
}

template <template <class> class R, class A, class S, if_row<R, A> = 0, if_scalar<S> = 0>
NEML2_INLINE constexpr R<sum_t<A, S>>
operator+(const R<A> & a, const S & s)
{
  R<sum_t<A, S>> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < R<A>::n; i++)
    r[i] = a[i] + s;
  return r;
}

template <template <class> class R, class A, class S, if_row<R, A> = 0, if_scalar<S> = 0>
NEML2_INLINE constexpr R<sum_t<A, S>>
operator+(const S & s, const R<A> & a)
{
  return a + s;
}

template <template <class> class R, class A, class S, if_row<R, A> = 0, if_scalar<S> = 0>
NEML2_INLINE constexpr R<sum_t<A, S>>
operator-(const R<A> & a, const S & s)
{
  R<sum_t<A, S>> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < R<A>::n; i++)
    r[i] = a[i] - s;
  return r;
}

template <template <class> class R, class A, class S, if_row<R, A> = 0, if_scalar<S> = 0>
NEML2_INLINE constexpr R<sum_t<A, S>>
operator-(const S & s, const R<A> & a)
{
  R<sum_t<A, S>> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < R<A>::n; i++)
    r[i] = s - a[i];
  return r;
}

template <template <class> class R, class A, class S, if_row<R, A> = 0, if_scalar<S> = 0>
NEML2_INLINE constexpr R<product_t<A, S>>
operator*(const R<A> & a, const S & s)
{
  R<product_t<A, S>> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < R<A>::n; i++)
    r[i] = a[i] * s;
  return r;
}

template <template <class> class R, class A, class S, if_row<R, A> = 0, if_scalar<S> = 0>
NEML2_INLINE constexpr R<product_t<A, S>>
operator*(const S & s, const R<A> & a)
{
  return a * s;
}

template <template <class> class R, class A, class S, if_row<R, A> = 0, if_scalar<S> = 0>
NEML2_INLINE constexpr R<product_t<A, S>>
operator/(const R<A> & a, const S & s)
{
  R<product_t<A, S>> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < R<A>::n; i++)
    r[i] = a[i] / s;
  return r;
}

template <template <class> class R, class A, class S, if_row<R, A> = 0, if_scalar<S> = 0>
NEML2_INLINE constexpr R<product_t<A, S>>
operator/(const S & s, const R<A> & a)
{
  R<product_t<A, S>> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < R<A>::n; i++)
    r[i] = s / a[i];
  return r;
}

// Formulas may not contain x += y: for rows and for their components these operators do not compile.

template <class T>
constexpr bool writes_in_place = std::is_base_of_v<Component<T>, T> || is_row<T>::value;

template <class T, bool Refused = true>
constexpr T &
refuse_in_place(T & a)
{
  static_assert(
      !Refused,
      "no += -= *= /= in a formula: write x = x + y, so that the function means the same if "
      "it is called with batches. If x starts as a number, let it start as 0.0 * y, which "
      "has the right type");
  return a;
}
template <class T, class B, std::enable_if_t<writes_in_place<T>, int> = 0>
constexpr T &
operator+=(T & a, const B &)
{
  return refuse_in_place(a);
}
template <class T, class B, std::enable_if_t<writes_in_place<T>, int> = 0>
constexpr T &
operator-=(T & a, const B &)
{
  return refuse_in_place(a);
}
template <class T, class B, std::enable_if_t<writes_in_place<T>, int> = 0>
constexpr T &
operator*=(T & a, const B &)
{
  return refuse_in_place(a);
}
template <class T, class B, std::enable_if_t<writes_in_place<T>, int> = 0>
constexpr T &
operator/=(T & a, const B &)
{
  return refuse_in_place(a);
}

/// Full contraction of two tensors of one type, Σ_i a_i b_i over all components.
template <template <class> class R, class A, class B, if_row<R, A> = 0>
NEML2_INLINE constexpr product_t<A, B>
inner(const R<A> & a, const R<B> & b)
{
  product_t<A, B> s = a[0] * b[0];
  NEML2_UNROLL
  for (int i = 1; i < R<A>::n; i++)
    s = s + a[i] * b[i];
  return s;
}

/// Σ_i a_i a_i over all components.
template <template <class> class R, class T, if_row<R, T> = 0>
NEML2_INLINE constexpr T
norm_sq(const R<T> & a)
{
  return inner(a, a);
}

/// √(Σ_i a_i a_i) over all components. Its derivative at a = 0 is 0.
template <template <class> class R, class T, if_row<R, T> = 0>
NEML2_INLINE constexpr T
norm(const R<T> & a)
{
  return norm_of_square(norm_sq(a));
}

/// √(Σ_i a_i a_i + epsilon) over all components. The squares do not overflow or underflow, as they may in the norm without epsilon, which
/// is faster.
template <template <class> class R, class T, class E, if_row<R, T> = 0>
NEML2_INLINE constexpr sum_t<T, E>
norm(const R<T> & a, const E & epsilon)
{
  using S = sum_t<T, E>;
  constexpr bool is_short = is_float32<typename plain_number<T>::type>;
  const S square = S(norm_sq(a) + epsilon), plain = norm_of_square(square);
  const auto lost =
      !((square > (is_short ? 1e-30 : 1e-280)) & (square < (is_short ? 1e37 : 1e300)));
  if (!NEML2_RARELY(any(lost)))
    return plain;
  T largest = abs(a[0]);
  NEML2_UNROLL
  for (int i = 1; i < R<T>::n; i++)
    largest = maximum(largest, abs(a[i]));
  const auto is_scaled =
      lost & (largest > 0.0) & (largest <= (is_short ? 3.4028234e38 : 1.7976931348623157e308));
  const T scale = where(is_scaled, largest, T(1.0));
  const R<T> u = a / scale;
  return where(
      is_scaled, S(norm_of_square(S(norm_sq(u) + epsilon / scale / scale)) * scale), plain);
}

/// a / √(Σ_i a_i a_i) over all components.
template <template <class> class R, class T, if_row<R, T> = 0>
NEML2_INLINE constexpr R<T>
unit(const R<T> & a)
{
  return a / norm(a);
}

/// a in the lanes where c holds, otherwise b; the same lanes for all components.
template <template <class> class R, class C, class A, class B, if_row<R, A> = 0>
NEML2_INLINE constexpr R<sum_t<A, B>>
where(const C & c, const R<A> & a, const R<B> & b)
{
  R<sum_t<A, B>> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < R<A>::n; i++)
    r[i] = where(c, a[i], b[i]);
  return r;
}

/// where() component by component, with a number on one of the two sides.
template <template <class> class R, class C, class A, class S, if_row<R, A> = 0, if_scalar<S> = 0>
NEML2_INLINE constexpr R<sum_t<A, S>>
where(const C & c, const R<A> & a, const S & s)
{
  R<sum_t<A, S>> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < R<A>::n; i++)
    r[i] = where(c, a[i], s);
  return r;
}
template <template <class> class R, class C, class A, class S, if_row<R, A> = 0, if_scalar<S> = 0>
NEML2_INLINE constexpr R<sum_t<A, S>>
where(const C & c, const S & s, const R<A> & a)
{
  R<sum_t<A, S>> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < R<A>::n; i++)
    r[i] = where(c, s, a[i]);
  return r;
}
} // namespace neml2::kernels
