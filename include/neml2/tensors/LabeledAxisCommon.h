// SPDX-License-Identifier: MIT
#pragma once

/// The comparison of two axes: the ranges of the variables that both have, and whether all their items are the same.
#include "neml2/tensors/LabeledAxis.h"

namespace neml2
{
/// Contiguous entries that two axes have in common: their ranges [begin, end) on both axes.
/// LabeledAxis::common_ranges returns such ranges.
struct CommonRange
{
  AxisRange here, there;

  friend bool operator==(const CommonRange & a, const CommonRange & b)
  {
    return a.here == b.here && a.there == b.there;
  }
  friend bool operator!=(const CommonRange & a, const CommonRange & b) { return !(a == b); }
  friend std::ostream & operator<<(std::ostream & os, const CommonRange & r)
  {
    return os << r.here.first << ":" << r.here.second << " " << r.there.first << ":"
              << r.there.second;
  }
};

template <class F>
void
LabeledAxis::visit_common(const LabeledAxis & other, const F & f, bool recursive) const
{
  check_setup("visit_common");
  other.check_setup("visit_common");
  struct Common
  {
    const LabeledAxis * here;
    Size begin_here;
    const LabeledAxis * there;
    Size begin_there;
  };
  SmallVector<Common, 8> next{{this, 0, &other, 0}};
  while (!next.empty())
  {
    const Common at = next.pop_back_val();
    const Items & a = *at.here->_items;
    const Items & b = *at.there->_items;
    const auto begin_there = [&](const std::string & name)
    { return at.begin_there + b.layout.find(name)->second.first; };
    Size here = at.begin_here;
    for (const auto & item : a.variables)
    {
      const Size begin = here;
      here += item.second;
      if (const auto found = b.variables.find(item.first); found != b.variables.end())
      {
        const Size other_begin = begin_there(item.first);
        f([&] { return at.here->qualify(item.first).slice(Size(qualify({}).size())); },
          AxisRange(begin, here),
          AxisRange(other_begin, other_begin + found->second));
      }
    }
    if (!recursive)
      return;
    here = at.begin_here + a.size;
    // Sub-axes are appended to the list in reverse order, because the last entry of the list is visited first.
    for (auto item = a.subaxes.rbegin(); item != a.subaxes.rend(); ++item)
    {
      here -= item->second->_items->size;
      if (const auto found = b.subaxes.find(item->first); found != b.subaxes.end())
        next.push_back({item->second.get(), here, found->second.get(), begin_there(item->first)});
    }
  }
}

namespace tensors
{
/// Appends a range to a list; merges it with the last range if they are adjacent on both axes.
inline void
append_range(std::vector<CommonRange> & list, const AxisRange & here, const AxisRange & there)
{
  if (!list.empty() && list.back().here.second == here.first &&
      list.back().there.second == there.first)
  {
    list.back().here.second = here.second;
    list.back().there.second = there.second;
  }
  else
    list.push_back({here, there});
}
} // namespace tensors

inline std::vector<CommonRange>
LabeledAxis::common_ranges(const LabeledAxis & other, bool recursive) const
{
  check_setup("common_indices");
  other.check_setup("common_indices");
  std::vector<CommonRange> ranges;
  visit_common(
      other,
      [&](const auto &, const auto & here, const auto & there)
      { tensors::append_range(ranges, here, there); },
      recursive);
  return ranges;
}

inline std::vector<std::pair<indexing::TensorIndex, indexing::TensorIndex>>
LabeledAxis::common_indices(const LabeledAxis & other, bool recursive) const
{
  std::vector<std::pair<indexing::TensorIndex, indexing::TensorIndex>> indices;
  for (const auto & [here, there] : common_ranges(other, recursive))
    indices.emplace_back(indexing::Slice(here.first, here.second),
                         indexing::Slice(there.first, there.second));
  return indices;
}

inline bool
LabeledAxis::equals(const LabeledAxis & other) const
{
  std::vector<std::pair<const Items *, const Items *>> next{{_items.get(), other._items.get()}};
  while (!next.empty())
  {
    const auto [a, b] = next.back();
    next.pop_back();
    if (a == b)
      continue;
    if (a->variables != b->variables || a->subaxes.size() != b->subaxes.size())
      return false;
    for (auto x = a->subaxes.begin(), y = b->subaxes.begin(); x != a->subaxes.end(); ++x, ++y)
    {
      if (x->first != y->first)
        return false;
      next.emplace_back(x->second->_items.get(), y->second->_items.get());
    }
  }
  return true;
}
} // namespace neml2
