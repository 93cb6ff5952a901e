// SPDX-License-Identifier: MIT
#pragma once

/// Setting up an axis: how variables and sub-axes are added, copied and freed.
#include "neml2/tensors/LabeledAxis.h"
#include "neml2/tensors/LabeledAxisLevels.h"

namespace neml2
{
// Frees sub-axes one after the other, because nested destructors of a deep axis would overflow the stack.
inline LabeledAxis::Items::~Items()
{
  thread_local std::multimap<std::string, std::unique_ptr<LabeledAxis>> * waiting = nullptr;
  if (waiting)
  {
    waiting->merge(subaxes);
    return;
  }
  std::multimap<std::string, std::unique_ptr<LabeledAxis>> all;
  all.merge(subaxes);
  waiting = &all;
  while (!all.empty())
    all.extract(all.begin());
  waiting = nullptr;
}

inline std::shared_ptr<LabeledAxis::Items>
LabeledAxis::deep_copy(const std::shared_ptr<const tensors::AxisPlace> & place) const
{
  std::vector<std::shared_ptr<Items>> copies;
  for (const auto & [axis, name, parent] : tensors::AxisLevels(*this))
  {
    auto copy = std::make_shared<Items>(place);
    copy->variables = axis->_items->variables;
    if (!copies.empty())
    {
      Items & on = *copies[parent];
      copy->place = std::make_shared<tensors::AxisPlace>(on.place, *name);
      auto subaxis = std::make_unique<LabeledAxis>();
      subaxis->_items = copy;
      on.subaxes.emplace(*name, std::move(subaxis));
    }
    copies.push_back(std::move(copy));
  }
  return copies.front();
}

inline LabeledAxis &
LabeledAxis::operator=(const LabeledAxis & other)
{
  check_modifiable("assign", /*cleared=*/true);
  // A sub-axis keeps its place. It gets its own layout from setup_layout() later.
  _items = _items->place ? other.deep_copy(_items->place) : other.copied_items();
  return *this;
}

inline void
LabeledAxis::check_modifiable(const char * what, bool cleared) const
{
  NEML2_CHECK(!_is_part && (cleared || !is_setup()),
              "Cannot modify (",
              what,
              ") a LabeledAxis or its sub-axes after setup_layout(). Call clear() on the whole "
              "axis first.");
}

inline void
LabeledAxis::clear()
{
  check_modifiable("clear", /*cleared=*/true);
  _items = std::make_shared<Items>(_items->place);
}

inline void
LabeledAxis::add_variable(const LabeledAxisAccessor & name, Size size)
{
  check_modifiable("add a variable");
  NEML2_CHECK(!name.empty(), "add_variable: the path of a variable cannot be empty.");
  NEML2_CHECK(
      size >= 0, "add_variable: the size of '", name, "' is ", size, ", expected at least 0.");
  // All errors are thrown before the first sub-axis is made.
  if (const Size * there = find_variable(name))
    NEML2_CHECK(*there == size,
                "add_variable: the axis already has a variable '",
                name,
                "' of size ",
                *there,
                "; a variable of size ",
                size,
                " needs another name.");
  NEML2_CHECK(!has_subaxis(name),
              "add_variable: '",
              name,
              "' is a sub-axis already; a variable needs another name.");
  LabeledAxis & axis = name.size() > 1 ? add_subaxis(name.slice(0, -1)) : *this;
  axis._items->variables.emplace(*(name.end() - 1), size);
}

inline LabeledAxis &
LabeledAxis::add_subaxis(const LabeledAxisAccessor & path)
{
  check_modifiable("add a sub-axis");
  NEML2_CHECK(!path.empty(), "add_subaxis: the path of a sub-axis cannot be empty.");
  LabeledAxis * axis = this;
  for (auto name = path.begin(); name != path.end(); ++name)
  {
    // This check can fail only before the first new sub-axis is made, because a new sub-axis has no variables.
    NEML2_CHECK(axis->_items->variables.count(*name) == 0,
                "add_subaxis: '",
                path.slice(0, name + 1 - path.begin()),
                "' is a variable already; a sub-axis needs another name.");
    auto & subaxis = axis->_items->subaxes[*name];
    if (!subaxis)
    {
      subaxis = std::make_unique<LabeledAxis>();
      subaxis->_items->place = std::make_shared<tensors::AxisPlace>(axis->_items->place, *name);
    }
    axis = subaxis.get();
    axis->check_modifiable("add a sub-axis");
  }
  return *axis;
}
} // namespace neml2
