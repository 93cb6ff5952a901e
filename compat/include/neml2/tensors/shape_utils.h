// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Tensor.h"

#include <tuple>
#include <utility>

/// What several tensors of run-time shapes have in common.
namespace neml2
{
namespace utils
{
/// The batch shape all tensors broadcast to; undefined ones are skipped, an empty list gives [].
/// @throws NEMLException if they do not broadcast.
inline TraceableTensorShape
broadcast_batch_sizes(const std::vector<neml2::Tensor> & tensors)
{
  TensorShape r;
  for (const auto & t : tensors)
    if (t.defined())
      r = broadcast_sizes(r, t.batch_sizes());
  return r;
}
inline TraceableTensorShape
broadcast_dynamic_sizes(const std::vector<neml2::Tensor> & tensors)
{
  return broadcast_batch_sizes(tensors);
}
/// Empty: there are no intermediate dimensions.
inline TensorShape
broadcast_intmd_sizes(const std::vector<neml2::Tensor> &)
{
  return {};
}
} // namespace utils

namespace core
{
/// t with size-1 base dimensions inserted on the left until there are n.
template <class T>
T
with_base_dim(const T & t, Size n)
{
  check_defined("align_static_dim", t);
  if constexpr (std::is_same_v<T, Tensor>)
    return T(Trusted(), align_base(t, t.batch_dim(), n), t.batch_dim());
  else
    NEML2_CHECK(t.base_dim() == n,
                "align_static_dim: ",
                operand(t),
                " would get ",
                n,
                " base dimensions, which its type does not have. Convert it to Tensor.");
  return t;
}
} // namespace core

namespace utils
{
/// The tensors with equally many intermediate dimensions, and that number: as they are, and 0.
template <class T, class... Ts, std::enable_if_t<core::is_tensor<T>, int> = 0>
std::tuple<T, Ts..., Size>
align_intmd_dim(const T & a, const Ts &... more)
{
  return {a, more..., 0};
}
template <class T>
std::pair<std::vector<T>, Size>
align_intmd_dim(const std::vector<T> & tensors)
{
  return {tensors, 0};
}

/// The tensors with equally many base dimensions, of size 1 where some were missing on the left; last
/// the number of intermediate dimensions, 0.
/// @throws NEMLException if the type of one fixes fewer base dimensions.
template <class T, class... Ts, std::enable_if_t<core::is_tensor<T>, int> = 0>
std::tuple<T, Ts..., Size>
align_static_dim(const T & a, const Ts &... more)
{
  const Size n = broadcast_base_dim(a, more...);
  return {core::with_base_dim(a, n), core::with_base_dim(more, n)..., 0};
}
template <class T>
std::pair<std::vector<T>, Size>
align_static_dim(const std::vector<T> & tensors)
{
  Size n = 0;
  for (const auto & t : tensors)
    n = std::max(n, t.base_dim());
  std::vector<T> aligned;
  for (const auto & t : tensors)
    aligned.push_back(core::with_base_dim(t, n));
  return {std::move(aligned), 0};
}
} // namespace utils
} // namespace neml2
