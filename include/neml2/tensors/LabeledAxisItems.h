// SPDX-License-Identifier: MIT
#pragma once

/// The items of an axis: how they are found by their paths, counted and listed.
#include "neml2/tensors/LabeledAxis.h"
#include "neml2/tensors/LabeledAxisLevels.h"

#include <sstream>

namespace neml2
{
inline const LabeledAxis *
LabeledAxis::find_axis(Name first, Name last) const
{
  const LabeledAxis * axis = this;
  for (; first != last; ++first)
  {
    const auto found = axis->_items->subaxes.find(*first);
    if (found == axis->_items->subaxes.end())
      return nullptr;
    axis = found->second.get();
  }
  return axis;
}

inline const Size *
LabeledAxis::find_variable(const LabeledAxisAccessor & a) const
{
  if (a.empty())
    return nullptr;
  const LabeledAxis * axis = find_axis(a.begin(), a.end() - 1);
  if (!axis)
    return nullptr;
  const auto found = axis->_items->variables.find(*(a.end() - 1));
  return found == axis->_items->variables.end() ? nullptr : &found->second;
}

inline void
LabeledAxis::fail_unknown(const char * kind, const LabeledAxisAccessor & a) const
{
  std::ostringstream names;
  size_t n = 0;
  tensors::AxisLevels(*this).visit_variables(
      [&](const auto & path, Size, Size)
      {
        if (n++ < 20)
          names << (n > 1 ? ", " : "") << path();
      });
  core::fail_as<LabelException>("The axis has no ",
                                kind,
                                " '",
                                a,
                                "'. Its variables are: ",
                                n ? names.str() : "none",
                                n > 20 ? ", ..." : "",
                                ".");
}

inline size_t
LabeledAxis::nvariable(bool recursive) const
{
  size_t n = 0;
  for (const auto & level : tensors::AxisLevels(*this, recursive))
    n += level.axis->variables().size();
  return n;
}

inline size_t
LabeledAxis::nsubaxis(bool recursive) const
{
  return recursive ? tensors::AxisLevels(*this).size() - 1 : _items->subaxes.size();
}

inline ItemNames
LabeledAxis::variable_names(bool recursive) const
{
  ItemNames names;
  tensors::AxisLevels(*this, recursive)
      .visit_variables([&](const auto & path, Size, Size) { names.push_back(path()); });
  return names;
}

inline std::vector<Size>
LabeledAxis::variable_sizes() const
{
  std::vector<Size> sizes;
  tensors::AxisLevels(*this).visit_variables([&](const auto &, Size size, Size)
                                             { sizes.push_back(size); });
  return sizes;
}

inline std::vector<AxisRange>
LabeledAxis::variable_slices() const
{
  check_setup("variable_slices");
  std::vector<AxisRange> slices;
  tensors::AxisLevels(*this).visit_variables([&](const auto &, Size size, Size begin)
                                             { slices.emplace_back(begin, begin + size); });
  return slices;
}

inline std::vector<std::string>
LabeledAxis::subaxis_names() const
{
  std::vector<std::string> names;
  for (const auto & item : _items->subaxes)
    names.push_back(item.first);
  return names;
}

inline ItemNames
LabeledAxis::subaxis_names(bool recursive) const
{
  ItemNames names;
  if (!recursive)
    for (const auto & item : _items->subaxes)
      names.push_back(item.first);
  else
  {
    const tensors::AxisLevels all(*this);
    for (size_t k = 1; k < all.size(); k++)
      names.push_back(all.path(k));
  }
  return names;
}

inline std::vector<const LabeledAxis *>
LabeledAxis::subaxes() const
{
  std::vector<const LabeledAxis *> axes;
  for (const auto & item : _items->subaxes)
    axes.push_back(item.second.get());
  return axes;
}

inline std::vector<Size>
LabeledAxis::subaxis_sizes() const
{
  std::vector<Size> sizes;
  for (const auto * axis : subaxes())
    sizes.push_back(axis->size());
  return sizes;
}

inline std::vector<AxisRange>
LabeledAxis::subaxis_slices() const
{
  std::vector<AxisRange> slices;
  for (const auto & name : subaxis_names())
    slices.push_back(range(name));
  return slices;
}

inline const LabeledAxis &
LabeledAxis::subaxis(const LabeledAxisAccessor & a) const
{
  const LabeledAxis * axis = find_axis(a.begin(), a.end());
  if (!axis)
    fail_unknown("sub-axis", a);
  return *axis;
}

inline LabeledAxisAccessor
LabeledAxis::qualify(const LabeledAxisAccessor & a) const
{
  return a.prepend(tensors::path_of(_items->place.get()));
}
} // namespace neml2
