// SPDX-License-Identifier: MIT
#pragma once

/// The layout of an axis: its setup, and the sizes and ranges of items.
#include "neml2/tensors/LabeledAxis.h"
#include "neml2/tensors/LabeledAxisLevels.h"

namespace neml2
{
inline void
LabeledAxis::setup_layout()
{
  if (is_setup())
    return;
  size(); // throws for more entries than 64 bits can count, before anything is set up
  const tensors::AxisLevels all(*this);
  // Sub-axes are set up before the axis that contains them.
  for (auto level = all.rbegin(); level != all.rend(); ++level)
  {
    Items & items = *level->axis->_items;
    if (items.is_setup)
      continue;
    items.layout.reserve(items.variables.size() + items.subaxes.size());
    items.ids.reserve(items.variables.size());
    for (const auto & [name, size] : items.variables)
    {
      items.ids.emplace(name, Size(items.count++));
      items.layout.emplace(name, AxisRange(items.size, items.size + size));
      items.size += size;
    }
    for (const auto & [name, subaxis] : items.subaxes)
    {
      subaxis->_is_part = true;
      items.offsets.emplace(name, Size(items.count));
      items.count += subaxis->_items->count;
      items.layout.emplace(name, AxisRange(items.size, items.size + subaxis->_items->size));
      items.size += subaxis->_items->size;
    }
    items.is_setup = true;
  }
}

inline Size
LabeledAxis::size(const LabeledAxisAccessor & a) const
{
  if (const Size * size = find_variable(a))
    return *size;
  const LabeledAxis * axis = find_axis(a.begin(), a.end());
  if (!axis)
    fail_unknown("item", a);
  return axis->is_setup()
             ? axis->_items->size
             : tensors::AxisLevels(*axis).visit_variables([](const auto &, Size, Size) {});
}

inline Size
LabeledAxis::variable_size(const LabeledAxisAccessor & a) const
{
  const Size * size = find_variable(a);
  if (!size)
    fail_unknown("variable", a);
  return *size;
}

inline AxisRange
LabeledAxis::range(const LabeledAxisAccessor & a) const
{
  check_setup("range");
  AxisRange r(0, _items->size);
  const LabeledAxis * axis = this;
  for (auto name = a.begin(); name != a.end(); ++name)
  {
    const auto found = axis ? axis->_items->layout.find(*name) : AxisLayout::const_iterator();
    if (!axis || found == axis->_items->layout.end())
      fail_unknown("item", a);
    r = {r.first + found->second.first, r.first + found->second.second};
    axis = std::next(name) == a.end() ? nullptr : axis->find_axis(name, std::next(name));
  }
  return r;
}

inline Size
LabeledAxis::variable_id(const LabeledAxisAccessor & a) const
{
  check_setup("variable_id");
  if (!has_variable(a))
    fail_unknown("variable", a);
  Size id = 0;
  const LabeledAxis * axis = this;
  for (const auto & name : a)
    if (const auto found = axis->_items->offsets.find(name); found != axis->_items->offsets.end())
    {
      id += found->second;
      axis = axis->_items->subaxes.find(name)->second.get();
    }
    else
      id += axis->_items->ids.find(name)->second;
  return id;
}

inline Size
LabeledAxis::subaxis_id(const std::string & name) const
{
  const auto found = _items->subaxes.find(name);
  if (found == _items->subaxes.end())
    fail_unknown("sub-axis", name);
  return std::distance(_items->subaxes.begin(), found);
}

inline std::vector<LabeledAxisAccessor>
LabeledAxis::sort_by_assembly_order(const std::set<LabeledAxisAccessor> & items) const
{
  check_setup("sort_by_assembly_order");
  NEML2_CHECK(!items.empty(), "sort_by_assembly_order: there are no items to sort.");
  std::vector<LabeledAxisAccessor> sorted(items.begin(), items.end());
  std::map<LabeledAxisAccessor, Size> begin;
  for (const auto & item : items)
    begin.emplace(item, range(item).first);
  std::stable_sort(sorted.begin(),
                   sorted.end(),
                   [&](const auto & a, const auto & b) { return begin.at(a) < begin.at(b); });
  return sorted;
}

inline bool
LabeledAxis::AssemblySliceCmp::operator()(const indexing::TensorIndex & a,
                                          const indexing::TensorIndex & b) const
{
  for (const auto * i : {&a, &b})
    NEML2_CHECK(i->is_slice(),
                "AssemblySliceCmp: the index ",
                *i,
                " is not a slice. Expected an index that indices() returns.");
  return a.slice().start() < b.slice().start();
}
} // namespace neml2
