// SPDX-License-Identifier: MIT
#pragma once

/// Products of labeled tensors with any axes. The results have no labels; products by the member function chain() keep labels.
#include "neml2/math/linalg.h"
#include "neml2/tensors/LabeledTensor.h"
#include "neml2/tensors/Scalar.h"

namespace neml2
{
namespace tensors
{
template <class Derived, Size D>
const Tensor &
unlabeled(const LabeledTensor<Derived, D> & t)
{
  return t.tensor();
}
template <class T, if_tensor<T> = 0>
const T &
unlabeled(const T & t)
{
  return t;
}

template <class Derived, Size D>
std::true_type has_axes(const LabeledTensor<Derived, D> *);
std::false_type has_axes(const void *);
template <class T>
constexpr bool is_labeled = decltype(has_axes(static_cast<const T *>(nullptr)))::value;
/// Enables an overload for tensors, at least one of them with labels.
template <class... T>
using if_labeled =
    std::enable_if_t<((is_tensor<T> || is_labeled<T>)&&...) && (is_labeled<T> || ...), int>;
} // namespace tensors

/// A_ik B_kj. (...; m, k), (...; k, n) -> (...; m, n)
template <class A, class B, tensors::if_labeled<A, B> = 0>
Tensor
bmm(const A & a, const B & b)
{
  return bmm(tensors::unlabeled(a), tensors::unlabeled(b));
}
/// A_ik v_k. (...; m, k), (...; k) -> (...; m)
template <class A, class B, tensors::if_labeled<A, B> = 0>
Tensor
bmv(const A & a, const B & v)
{
  return bmv(tensors::unlabeled(a), tensors::unlabeled(v));
}
/// a_k b_k. (...; k), (...; k) -> (...; )
template <class A, class B, tensors::if_labeled<A, B> = 0>
Scalar
bvv(const A & a, const B & b)
{
  return bvv(tensors::unlabeled(a), tensors::unlabeled(b));
}
namespace linalg
{
/// √(v_i v_i). (...; n) -> (...; )
template <class T, tensors::if_labeled<T> = 0>
Scalar
vector_norm(const T & v)
{
  return vector_norm(tensors::unlabeled(v));
}
} // namespace linalg
} // namespace neml2
