// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/LabeledAxis.h"

namespace neml2
{
namespace core
{
/// Draws an axis into lines of text: the entries on top, the items below them, sub-axes under theirs.
class AxisPicture
{
public:
  explicit AxisPicture(const LabeledAxis & axis) : _depth(depth(axis))
  {
    _lines.assign(size_t(1 + 2 * _depth), std::string(size_t(content_width(axis, 0)), ' '));
    draw(axis, 0, 0, 0);
  }

  std::string text() const
  {
    std::string s;
    for (const auto & line : _lines)
      s += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    return s;
  }

private:
  static int depth(const LabeledAxis & axis)
  {
    int d = 0;
    for (const auto * subaxis : axis.subaxes())
      d = std::max(d, depth(*subaxis));
    return d + 1;
  }

  static std::string entries(Size begin, Size end)
  {
    if (end - begin > 8)
      return std::to_string(begin) + " ... " + std::to_string(end - 1);
    std::string s;
    for (Size i = begin; i < end; i++)
      s += (s.empty() ? "" : " ") + std::to_string(i);
    return s;
  }

  static int variable_width(const std::string & name, Size begin, Size size)
  {
    return 2 + std::max(int(name.size()), int(entries(begin, begin + size).size()));
  }

  static int content_width(const LabeledAxis & axis, Size begin)
  {
    int width = -1;
    for (const auto & [name, size] : axis.variables())
    {
      width += 1 + variable_width(name, begin, size);
      begin += size;
    }
    for (const auto & name : axis.subaxis_names())
    {
      width += 1 + subaxis_width(axis.subaxis(name), name, begin);
      begin += axis.subaxis(name).size();
    }
    return std::max(0, width);
  }

  static int subaxis_width(const LabeledAxis & axis, const std::string & name, Size begin)
  {
    return std::max(2 + int(name.size()), content_width(axis, begin));
  }

  void put(int line, int x, int width, const std::string & text)
  {
    _lines[size_t(line)].replace(size_t(x + (width - int(text.size())) / 2), text.size(), text);
  }

  /// An item of this level: a bracket over its name.
  void item(int level, int x, int width, const std::string & name)
  {
    const int line = 1 + 2 * (_depth - 1 - level);
    put(line, x, width, "|" + std::string(size_t(width - 2), '-') + "|");
    put(line + 1, x, width, name);
  }

  void draw(const LabeledAxis & axis, int level, int x, Size begin)
  {
    for (const auto & [name, size] : axis.variables())
    {
      const int width = variable_width(name, begin, size);
      put(0, x, width, entries(begin, begin + size));
      for (int line = 1; line < 1 + 2 * (_depth - 1 - level); line++) // up to its entries
      {
        put(line, x, 1, "|");
        put(line, x + width - 1, 1, "|");
      }
      item(level, x, width, name);
      x += width + 1;
      begin += size;
    }
    for (const auto & name : axis.subaxis_names())
    {
      const auto & subaxis = axis.subaxis(name);
      const int width = subaxis_width(subaxis, name, begin);
      draw(subaxis, level + 1, x + (width - content_width(subaxis, begin)) / 2, begin);
      item(level, x, width, name);
      x += width + 1;
      begin += subaxis.size();
    }
  }

  int _depth;
  std::vector<std::string> _lines;
};
} // namespace core

/// A drawing of the layout of an axis for a terminal: entries on top, then the items of the deepest
/// level, then those that hold them.
inline std::string
picture(const LabeledAxis & axis)
{
  return core::AxisPicture(axis).text();
}
} // namespace neml2
