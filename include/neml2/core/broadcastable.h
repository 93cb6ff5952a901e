// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/shape.h"

/// Whether the shapes of tensors broadcast.
namespace neml2
{
namespace utils
{
/// Whether the batch shapes of the tensors broadcast.
template <class... T>
bool
batch_broadcastable(const T &... tensors)
{
  return sizes_broadcastable(
      {TensorShapeRef(tensors.sizes().slice(0, size_t(tensors.batch_dim())))...});
}

/// Whether the base shapes of the tensors broadcast.
template <class... T>
bool
base_broadcastable(const T &... tensors)
{
  return sizes_broadcastable({tensors.base_sizes()...});
}

/// Whether the batch shapes broadcast and the base shapes are equal.
template <class First, class... T>
bool
broadcastable(const First & first, const T &... rest)
{
  return ((first.base_sizes() == rest.base_sizes()) && ...) && batch_broadcastable(first, rest...);
}

/// Number of batch dimensions after broadcasting.
template <class... T>
Size
broadcast_batch_dim(const T &... tensors)
{
  return std::max({tensors.batch_dim()...});
}
/// Number of base dimensions after broadcasting.
template <class... T>
Size
broadcast_base_dim(const T &... tensors)
{
  return std::max({tensors.base_dim()...});
}
} // namespace utils

namespace core
{
template <class... T>
void
assert_broadcastable(bool ok, const T &... tensors)
{
  if (ok)
    return;
  std::ostringstream shapes;
  ((shapes << ' ' << tensors.batch_sizes() << tensors.base_sizes()), ...);
  fail("The ",
       sizeof...(T),
       " operands are not broadcastable. Their batch and base shapes are",
       shapes.str(),
       ".");
}
} // namespace core

/// @throws NEMLException unless the batch shapes broadcast and the base shapes are equal.
template <class... T>
void
neml_assert_broadcastable(const T &... tensors)
{
  core::assert_broadcastable(utils::broadcastable(tensors...), tensors...);
}

/// @throws NEMLException unless the batch shapes broadcast.
template <class... T>
void
neml_assert_batch_broadcastable(const T &... tensors)
{
  core::assert_broadcastable(utils::batch_broadcastable(tensors...), tensors...);
}

/// @throws NEMLException unless the base shapes broadcast.
template <class... T>
void
neml_assert_base_broadcastable(const T &... tensors)
{
  core::assert_broadcastable(utils::base_broadcastable(tensors...), tensors...);
}

// These functions check only if NDEBUG is not defined.
template <bool Active = NEML2_DEBUG_ASSERTIONS, class... T>
void
neml_assert_broadcastable_dbg([[maybe_unused]] const T &... tensors)
{
  if constexpr (Active)
    neml_assert_broadcastable(tensors...);
}
template <bool Active = NEML2_DEBUG_ASSERTIONS, class... T>
void
neml_assert_batch_broadcastable_dbg([[maybe_unused]] const T &... tensors)
{
  if constexpr (Active)
    neml_assert_batch_broadcastable(tensors...);
}
template <bool Active = NEML2_DEBUG_ASSERTIONS, class... T>
void
neml_assert_base_broadcastable_dbg([[maybe_unused]] const T &... tensors)
{
  if constexpr (Active)
    neml_assert_base_broadcastable(tensors...);
}
} // namespace neml2
