// SPDX-License-Identifier: MIT
#pragma once

/// Prints an axis, one line per variable. To draw an axis, use picture(axis) of LabeledAxisPicture.h.
#include "neml2/tensors/LabeledAxis.h"
#include "neml2/tensors/LabeledAxisLevels.h"

#include <iomanip>

namespace neml2
{
inline std::ostream &
operator<<(std::ostream & os, const LabeledAxis & axis)
{
  int width = 0;
  tensors::AxisLevels(axis).visit_variables([&](const auto & path, Size, Size)
                                            { width = std::max(width, int(path().str().size())); });
  bool first = true;
  tensors::AxisLevels(axis).visit_variables(
      [&](const auto & path, Size size, Size begin)
      {
        os << (first ? "" : "\n") << std::setw(width) << path().str() << ": " << begin << ":"
           << begin + size << ":1";
        first = false;
      });
  return os;
}
} // namespace neml2
