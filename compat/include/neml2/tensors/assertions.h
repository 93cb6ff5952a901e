// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/broadcastable.h"

/// Dynamic dimensions are batch dimensions, static ones are base dimensions, and there are no intermediate ones.
namespace neml2
{
template <class... T>
void
neml_assert_dynamic_broadcastable(const T &... tensors)
{
  neml_assert_batch_broadcastable(tensors...);
}
template <class... T>
void
neml_assert_intmd_broadcastable(const T &...)
{
}
template <class... T>
void
neml_assert_static_broadcastable(const T &... tensors)
{
  neml_assert_base_broadcastable(tensors...);
}

template <bool Active = NEML2_DEBUG_ASSERTIONS, class... T>
void
neml_assert_dynamic_broadcastable_dbg(const T &... tensors)
{
  neml_assert_batch_broadcastable_dbg<Active>(tensors...);
}
template <bool Active = NEML2_DEBUG_ASSERTIONS, class... T>
void
neml_assert_intmd_broadcastable_dbg(const T &...)
{
}
template <bool Active = NEML2_DEBUG_ASSERTIONS, class... T>
void
neml_assert_static_broadcastable_dbg(const T &... tensors)
{
  neml_assert_base_broadcastable_dbg<Active>(tensors...);
}
} // namespace neml2
