// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"
#include "neml2/core/types.h"

#include <algorithm>
#include <utility>
#include <vector>

/// The places of a tensor's entries in memory, and whether two entries have the same place.
namespace neml2::core
{
/// The bytes that a tensor's entries occupy, from the first to one past the last.
inline std::pair<const char *, const char *>
extent(const at::Tensor & t)
{
  const char * const first = static_cast<const char *>(t.data_ptr());
  Size last = 0;
  for (Size d = 0; d < t.dim(); d++)
    last += (t.size(d) - 1) * t.stride(d);
  return {first, first + (t.numel() == 0 ? 0 : (last + 1) * Size(t.element_size()))};
}

/// Whether several entries of a tensor are the same number in memory.
inline bool
overlaps_itself(const at::Tensor & t)
{
  if (t.layout() != kStrided || t.numel() < 2 || t.is_non_overlapping_and_dense())
    return false;
  SmallVector<std::pair<Size, Size>, 8> dims; // stride and size
  for (Size d = 0; d < t.dim(); d++)
    if (t.size(d) > 1)
    {
      if (t.stride(d) == 0)
        return true;
      dims.push_back({t.stride(d), t.size(d)});
    }
  std::sort(dims.begin(), dims.end());
  Size reach = 1; // how many places lie from the first to the last entry of the inner dimensions
  bool nested = true;
  for (const auto & [stride, size] : dims)
  {
    nested = nested && stride >= reach;
    reach += (size - 1) * stride;
  }
  if (nested)
    return false;
  if (reach < t.numel())
    return true;
  // the dimensions may overlap, as windows of a signal do: look at each entry
  std::vector<bool> taken(static_cast<size_t>(reach), false);
  SmallVector<Size, 8> at(dims.size(), 0);
  for (Size entry = 0, offset = 0; entry < t.numel(); entry++)
  {
    if (taken[size_t(offset)])
      return true;
    taken[size_t(offset)] = true;
    for (size_t d = 0; d < dims.size(); d++)
    {
      const auto & [stride, size] = dims[d];
      offset += stride;
      if (++at[d] < size)
        break;
      offset -= size * stride;
      at[d] = 0;
    }
  }
  return false;
}

/// Lets autograd notice that a view's storage was put on the graph when another view of the same storage was written to. Until autograd
/// notices this, LibTorch takes the view for a leaf, and refuses to write into it.
inline void
update_view(const at::Tensor & t)
{
  if (c10::GradMode::is_enabled() && t.requires_grad() && t.is_view())
    (void)t.grad_fn();
}

/// Refuses to write where one number in memory stands for several entries.
inline void
check_writable(const char * where, const at::Tensor & t)
{
  update_view(t);
  NEML2_CHECK(!overlaps_itself(t),
              where,
              ": the left side, of shape ",
              t.sizes(),
              " and strides ",
              t.strides(),
              ", overlaps itself: several of its entries share one number in memory, as in an "
              "expanded tensor. clone() it first.");
}
} // namespace neml2::core
