// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/numbers.h"

#include <utility>

/// The type of a Jacobian in a formula. It is a row type (the type of one tensor), found by the shape of the Jacobian.
namespace neml2::kernels
{
template <class T>
struct Vec;
template <class T>
struct Rot;
template <class T>
struct WR2;
template <class T>
struct SR2;
template <class T>
struct R2;
template <class T>
struct R3;
template <class T>
struct R4;
template <class T>
struct SSR4;
template <class T>
struct SFFR4;

/// The shape of a row; the shape of a scalar is empty.
template <class Row>
struct shape_of
{
  using type = std::conditional_t<is_row<Row>::value, void, std::index_sequence<>>;
};
template <class T>
struct shape_of<Vec<T>>
{
  using type = std::index_sequence<3>;
};
template <class T>
struct shape_of<Rot<T>> : shape_of<Vec<T>>
{
};
template <class T>
struct shape_of<WR2<T>> : shape_of<Vec<T>>
{
};
template <class T>
struct shape_of<SR2<T>>
{
  using type = std::index_sequence<6>;
};
template <class T>
struct shape_of<R2<T>>
{
  using type = std::index_sequence<3, 3>;
};
template <class T>
struct shape_of<R3<T>>
{
  using type = std::index_sequence<3, 3, 3>;
};
template <class T>
struct shape_of<R4<T>>
{
  using type = std::index_sequence<3, 3, 3, 3>;
};
template <class T>
struct shape_of<SSR4<T>>
{
  using type = std::index_sequence<6, 6>;
};
template <class T>
struct shape_of<SFFR4<T>>
{
  using type = std::index_sequence<6, 3, 3>;
};

/// The row type of a shape; void if no single type fits.
template <class T, class Shape>
struct row_of_shape
{
  using type = void;
};
template <class T>
struct row_of_shape<T, std::index_sequence<>>
{
  using type = T;
};
template <class T>
struct row_of_shape<T, std::index_sequence<3>>
{
  using type = Vec<T>;
};
template <class T>
struct row_of_shape<T, std::index_sequence<6>>
{
  using type = SR2<T>;
};
template <class T>
struct row_of_shape<T, std::index_sequence<3, 3>>
{
  using type = R2<T>;
};
template <class T>
struct row_of_shape<T, std::index_sequence<3, 3, 3>>
{
  using type = R3<T>;
};
template <class T>
struct row_of_shape<T, std::index_sequence<3, 3, 3, 3>>
{
  using type = R4<T>;
};
template <class T>
struct row_of_shape<T, std::index_sequence<6, 6>>
{
  using type = SSR4<T>;
};
template <class T>
struct row_of_shape<T, std::index_sequence<6, 3, 3>>
{
  using type = SFFR4<T>;
};

template <size_t... Y, size_t... X>
std::index_sequence<Y..., X...> joined_shape(std::index_sequence<Y...>, std::index_sequence<X...>);
void joined_shape(...);

/// The row type, with numbers T, of the derivative of a Y with respect to an X; void if there is none.
template <class T, class Y, class X, class = void>
struct jacobian_row
{
  using type = void;
};
template <class T, class Y, class X>
struct jacobian_row<T,
                    Y,
                    X,
                    std::enable_if_t<!std::is_void_v<typename shape_of<Y>::type> &&
                                     !std::is_void_v<typename shape_of<X>::type>>>
{
  using shape = decltype(joined_shape(typename shape_of<Y>::type(), typename shape_of<X>::type()));
  using type = typename row_of_shape<T, shape>::type;
};
// Derivatives of any row with respect to a scalar, and of a scalar with respect to any row, are rows of the same type.
template <class T, class Y, class X>
struct jacobian_row<
    T,
    Y,
    X,
    std::enable_if_t<std::is_void_v<typename shape_of<Y>::type> &&
                     std::is_same_v<typename shape_of<X>::type, std::index_sequence<>>>>
{
  using type = with_numbers_t<Y, T>;
};
template <class T, class Y, class X>
struct jacobian_row<
    T,
    Y,
    X,
    std::enable_if_t<std::is_void_v<typename shape_of<X>::type> &&
                     std::is_same_v<typename shape_of<Y>::type, std::index_sequence<>>>>
{
  using type = with_numbers_t<X, T>;
};
} // namespace neml2::kernels
