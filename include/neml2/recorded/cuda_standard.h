// SPDX-License-Identifier: MIT
#pragma once

#include <array>

/// Headers of the standard library for sources that NVRTC compiles, because NVRTC has no such headers.
namespace neml2::recorded
{
/// The names of the headers. All headers have the same text, cuda_standard_header, which may be included any number of times.
constexpr std::array<const char *, 15> cuda_header_names = {"array",
                                                            "atomic",
                                                            "cmath",
                                                            "cstddef",
                                                            "cstdint",
                                                            "cstdio",
                                                            "cstdlib",
                                                            "cstring",
                                                            "limits",
                                                            "stdexcept",
                                                            "string",
                                                            "string_view",
                                                            "tuple",
                                                            "type_traits",
                                                            "utility"};

/// The part of these headers that kernels/ and packs/ use, without exceptions and strings.
constexpr const char * cuda_standard_header = R"(
#ifndef NEML2_CUDA_STANDARD
#define NEML2_CUDA_STANDARD

using int32_t = int;
using int64_t = long long;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;

namespace std
{
using ::int32_t;
using ::int64_t;
using ::uint32_t;
using ::uint64_t;
using size_t = decltype(sizeof(0));

using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::cos;
using ::cosh;
using ::exp;
using ::expm1;
using ::fabs;
using ::fma;
using ::fmod;
using ::hypot;
using ::ilogb;
using ::ldexp;
using ::log;
using ::log10;
using ::log1p;
using ::memcpy;
using ::nan;
using ::pow;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;

template <class T, T v>
struct integral_constant
{
  static constexpr T value = v;
};
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;

template <bool condition, class T = void>
struct enable_if
{
};
template <class T>
struct enable_if<true, T>
{
  using type = T;
};
template <bool condition, class T = void>
using enable_if_t = typename enable_if<condition, T>::type;

template <bool condition, class A, class B>
struct conditional
{
  using type = A;
};
template <class A, class B>
struct conditional<false, A, B>
{
  using type = B;
};
template <bool condition, class A, class B>
using conditional_t = typename conditional<condition, A, B>::type;

template <class...>
struct make_void
{
  using type = void;
};
template <class... T>
using void_t = typename make_void<T...>::type;

template <class T>
struct remove_reference
{
  using type = T;
};
template <class T>
struct remove_reference<T &>
{
  using type = T;
};
template <class T>
struct remove_reference<T &&>
{
  using type = T;
};
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
struct remove_const
{
  using type = T;
};
template <class T>
struct remove_const<const T>
{
  using type = T;
};
template <class T>
using remove_const_t = typename remove_const<T>::type;
template <class T>
struct decay
{
  using type = remove_const_t<remove_reference_t<T>>;
};
template <class T>
using decay_t = typename decay<T>::type;

template <class T>
T && declval();

template <class A, class B>
constexpr bool is_same_v = false;
template <class A>
constexpr bool is_same_v<A, A> = true;
template <class T>
constexpr bool is_void_v = is_same_v<remove_const_t<T>, void>;
template <class A, class B>
using is_same = integral_constant<bool, is_same_v<A, B>>;
template <class A, class B>
constexpr bool is_base_of_v = __is_base_of(A, B);
template <class A, class B>
using is_base_of = integral_constant<bool, is_base_of_v<A, B>>;
template <class T>
constexpr bool is_aggregate_v = __is_aggregate(T);
template <class T>
constexpr bool is_empty_v = __is_empty(T);
template <class T>
constexpr bool is_enum_v = __is_enum(T);
template <class T>
constexpr bool is_trivially_copy_assignable_v = __is_trivially_assignable(T &, const T &);
template <class T, class... U>
constexpr bool is_any_v = (is_same_v<remove_const_t<T>, U> || ...);
template <class T>
constexpr bool is_floating_point_v = is_any_v<T, double, float>;
template <class T>
constexpr bool is_integral_v = is_any_v<T,
                                        bool,
                                        char,
                                        signed char,
                                        unsigned char,
                                        short,
                                        unsigned short,
                                        int,
                                        unsigned int,
                                        long,
                                        unsigned long,
                                        long long,
                                        unsigned long long>;
template <class T>
constexpr bool is_arithmetic_v = is_floating_point_v<T> || is_integral_v<T>;
template <class T>
constexpr bool is_reference_v = false;
template <class T>
constexpr bool is_reference_v<T &> = true;
template <class T>
constexpr bool is_reference_v<T &&> = true;
template <class T>
constexpr size_t extent_v = 0;
template <class T, size_t n>
constexpr size_t extent_v<T[n]> = n;

template <class F, class... A>
using invoke_result_t = decltype(declval<F>()(declval<A>()...));

template <class T, T... i>
struct integer_sequence
{
};
template <size_t... i>
using index_sequence = integer_sequence<size_t, i...>;
template <class A, class B>
struct joined_sequence;
template <size_t... i, size_t... j>
struct joined_sequence<index_sequence<i...>, index_sequence<j...>>
{
  using type = index_sequence<i..., (sizeof...(i) + j)...>;
};
template <size_t n>
struct sequence_of
{
  using type =
      typename joined_sequence<typename sequence_of<n / 2>::type, typename sequence_of<n - n / 2>::type>::type;
};
template <>
struct sequence_of<0>
{
  using type = index_sequence<>;
};
template <>
struct sequence_of<1>
{
  using type = index_sequence<0>;
};
template <size_t n>
using make_index_sequence = typename sequence_of<n>::type;
template <class... T>
using index_sequence_for = make_index_sequence<sizeof...(T)>;

template <class T>
constexpr T &&
forward(remove_reference_t<T> & x)
{
  return static_cast<T &&>(x);
}
template <class T>
constexpr remove_reference_t<T> &&
move(T && x)
{
  return static_cast<remove_reference_t<T> &&>(x);
}

template <class A, class B>
struct pair
{
  A first;
  B second;
};
template <class A, class B>
pair(A, B) -> pair<A, B>;

template <class T, size_t n>
struct array
{
  T numbers[n == 0 ? 1 : n];

  constexpr T & operator[](size_t i) { return numbers[i]; }
  constexpr const T & operator[](size_t i) const { return numbers[i]; }
  constexpr T * begin() { return numbers; }
  constexpr const T * begin() const { return numbers; }
  constexpr T * end() { return numbers + n; }
  constexpr const T * end() const { return numbers + n; }
  constexpr T * data() { return numbers; }
  constexpr const T * data() const { return numbers; }
  constexpr size_t size() const { return n; }
};

template <size_t i, class T>
struct tuple_leaf
{
  T value;
};
template <class I, class... T>
struct tuple_leaves;
template <size_t... i, class... T>
struct tuple_leaves<index_sequence<i...>, T...> : tuple_leaf<i, T>...
{
  constexpr tuple_leaves() = default;
  template <class... U>
  constexpr tuple_leaves(int, U &&... x) : tuple_leaf<i, T>{static_cast<U &&>(x)}...
  {
  }
};
template <class... T>
struct tuple : tuple_leaves<index_sequence_for<T...>, T...>
{
  using leaves = tuple_leaves<index_sequence_for<T...>, T...>;

  constexpr tuple() = default;
  template <class... U, enable_if_t<sizeof...(U) == sizeof...(T) && (sizeof...(U) > 1), int> = 0>
  constexpr tuple(U &&... x) : leaves(0, static_cast<U &&>(x)...)
  {
  }
  template <class U, enable_if_t<sizeof...(T) == 1 && !is_base_of_v<tuple, decay_t<U>>, int> = 0>
  constexpr tuple(U && x) : leaves(0, static_cast<U &&>(x))
  {
  }
  template <class... U>
  constexpr tuple & operator=(const tuple<U...> & other)
  {
    assign(other, index_sequence_for<T...>());
    return *this;
  }

private:
  template <class Other, size_t... i>
  constexpr void assign(const Other & other, index_sequence<i...>)
  {
    ((get<i>(*this) = get<i>(other)), ...);
  }
};
template <class... T>
tuple(T...) -> tuple<T...>;
template <size_t i, class T>
constexpr T &
get(tuple_leaf<i, T> & leaf)
{
  return leaf.value;
}
template <size_t i, class T>
constexpr const T &
get(const tuple_leaf<i, T> & leaf)
{
  return leaf.value;
}
template <class... T>
constexpr tuple<T &...>
tie(T &... x)
{
  return tuple<T &...>(x...);
}
template <class T>
struct tuple_size;
template <class... T>
struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)>
{
};
template <class... T>
struct tuple_size<const tuple<T...>> : tuple_size<tuple<T...>>
{
};
template <size_t i, class T>
struct tuple_element;
template <size_t i, class T, class... U>
struct tuple_element<i, tuple<T, U...>> : tuple_element<i - 1, tuple<U...>>
{
};
template <class T, class... U>
struct tuple_element<0, tuple<T, U...>>
{
  using type = T;
};
template <size_t i, class... T>
struct tuple_element<i, const tuple<T...>>
{
  using type = const typename tuple_element<i, tuple<T...>>::type;
};
template <size_t i, class T>
using tuple_element_t = typename tuple_element<i, T>::type;
template <class F, class Tuple, size_t... i>
constexpr decltype(auto)
apply_places(F && f, Tuple && t, index_sequence<i...>)
{
  return f(get<i>(t)...);
}
template <class F, class Tuple>
constexpr decltype(auto)
apply(F && f, Tuple && t)
{
  return apply_places(f, t, make_index_sequence<tuple_size<decay_t<Tuple>>::value>());
}

template <class T>
struct numeric_limits;
template <>
struct numeric_limits<double>
{
  static constexpr double epsilon() { return 2.2204460492503131e-16; }
  static constexpr double min() { return 2.2250738585072014e-308; }
  static constexpr double max() { return 1.7976931348623157e308; }
  static constexpr double infinity() { return 1.0 / 0.0; }
  static constexpr double quiet_NaN() { return 0.0 / 0.0; }
};
template <>
struct numeric_limits<float>
{
  static constexpr float epsilon() { return 1.1920929e-7f; }
  static constexpr float min() { return 1.17549435e-38f; }
  static constexpr float max() { return 3.40282347e38f; }
  static constexpr float infinity() { return 1.0f / 0.0f; }
  static constexpr float quiet_NaN() { return 0.0f / 0.0f; }
};
} // namespace std
#endif
)";
} // namespace neml2::recorded
