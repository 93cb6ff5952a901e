// SPDX-License-Identifier: MIT
// Replaces the standard library and LibTorch for scripts/headers.py: declares the names that public declarations of this
// library need to be valid C++. Their meaning does not matter, and names that only bodies use are omitted.
// clang-format off
#pragma once

using size_t = decltype(sizeof(0));
using int8_t = signed char;
using int32_t = int;
using int64_t = long long;
using uint64_t = unsigned long long;

namespace std
{
using ::size_t, ::int8_t, ::int32_t, ::int64_t, ::uint64_t;
template <class T> T && declval();
template <class...> constexpr bool is_same_v = true;
template <class...> constexpr bool is_convertible_v = true;
template <class...> constexpr bool is_integral_v = true;
template <class...> constexpr bool is_floating_point_v = true;
template <class...> constexpr bool is_arithmetic_v = true;
template <class...> constexpr bool is_base_of_v = true;
template <class...> constexpr bool is_standard_layout_v = true;
template <class T> struct numeric_limits { static constexpr T epsilon() { return {}; } static constexpr T infinity() { return {}; } };
template <bool, class T = void> struct enable_if { using type = T; };
template <bool condition, class T = void> using enable_if_t = typename enable_if<condition, T>::type;
template <class T> using decay_t = T;
template <class T> using remove_pointer_t = T;
template <class T> using remove_const_t = T;
template <class T, T...> struct integer_sequence {};
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <class C> auto begin(const C & c) -> decltype(c.begin());
template <class T> struct vector { using const_iterator = const T *; };
template <class T> struct initializer_list {};
template <class T, size_t> struct array {};
template <class...> struct set {};
template <class...> struct map {};
template <class...> struct unordered_map {};
template <class...> struct pair {};
template <class...> struct tuple {};
template <class> struct shared_ptr {};
template <class> struct function {};
struct string { string(const char *); };
struct string_view {};
struct ostream;
struct ostringstream;
struct exception { virtual const char * what() const noexcept; };
} // namespace std

namespace c10
{
template <class T> struct ArrayRef { ArrayRef(); ArrayRef(const T &); ArrayRef(std::initializer_list<T>); };
template <class T, unsigned> struct SmallVector {};
template <class> struct OptionalArrayRef {};
template <class> struct CalculateSmallVectorDefaultInlinedElements { static constexpr unsigned value = 1; };
template <class> struct function_ref {};
template <class> struct intrusive_ptr {};
struct Scalar { Scalar(double); };
struct TensorOptions {};
struct Device {};
using DeviceIndex = int8_t;
enum ScalarType { kByte, kChar, kShort, kInt, kLong, kHalf, kFloat, kDouble, kBool, kBFloat16 };
enum class DeviceType { CPU, CUDA };
enum Layout { kStrided, kSparse };
} // namespace c10

namespace at
{
struct Tensor { void index_put_(); };
enum class MemoryFormat { Contiguous };
namespace indexing { struct Slice {}; struct TensorIndex {}; }
} // namespace at

#define USE_DISTRIBUTED
namespace c10d { struct ProcessGroup {}; }
