// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/LabeledAxisLevels.h"

namespace neml2
{
namespace tensors
{
inline AxisLevels::AxisLevels(const LabeledAxis & axis, bool recursive)
{
  std::vector<Level> next{{&axis, nullptr, 0}};
  while (!next.empty())
  {
    const Level level = next.back();
    next.pop_back();
    const size_t k = _levels.size();
    _levels.push_back(level);
    const auto & subaxes = level.axis->_items->subaxes;
    if (recursive)
      for (auto s = subaxes.rbegin(); s != subaxes.rend(); ++s)
        next.push_back({s->second.get(), &s->first, k});
  }
}

inline LabeledAxisAccessor
AxisLevels::path(size_t k) const
{
  std::vector<std::string> names;
  for (; k != 0; k = _levels[k].parent)
    names.push_back(*_levels[k].name);
  std::reverse(names.begin(), names.end());
  return names;
}

template <class F>
Size
AxisLevels::visit_variables(const F & f) const
{
  Size end = 0;
  for (size_t k = 0; k < _levels.size(); k++)
  {
    std::optional<LabeledAxisAccessor> level; // computed when it is first needed
    for (const auto & item : _levels[k].axis->variables())
    {
      const Size size = item.second;
      const auto path_of_item = [&]
      {
        if (!level)
          level = path(k);
        return level->append(item.first);
      };
      NEML2_CHECK(size <= std::numeric_limits<Size>::max() - end,
                  "The axis has more entries than 64 bits can count: the variable '",
                  path_of_item(),
                  "' of size ",
                  size,
                  " has ",
                  end,
                  " entries before it. Make the variable smaller.");
      f(path_of_item, size, end);
      end += size;
    }
  }
  return end;
}
} // namespace tensors
} // namespace neml2
