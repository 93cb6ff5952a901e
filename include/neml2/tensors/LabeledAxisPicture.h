// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/LabeledAxis.h"
#include "neml2/tensors/LabeledAxisLevels.h"

namespace neml2
{
namespace tensors
{
/// Draws an axis into lines of text: the numbers of the entries on top, the items below them, and each sub-axis below
/// its items.
class AxisPicture
{
public:
  explicit AxisPicture(const LabeledAxis & axis)
  {
    const AxisLevels levels(axis);
    std::vector<Place> places(levels.size());
    axis.size(); // throws for more entries than 64 bits can count
    Size begin = 0;
    for (size_t k = 0; k < levels.size(); k++)
    {
      places[k].begin = begin;
      places[k].level = k == 0 ? 0 : places[levels[k].parent].level + 1;
      _depth = std::max(_depth, places[k].level + 1);
      for (const auto & [name, size] : levels[k].axis->variables())
      {
        places[k].content += 1 + variable_width(name, begin, size);
        begin += size;
      }
    }
    for (size_t k = levels.size() - 1; k > 0; k--) // sub-axes before the axis that contains them
      places[levels[k].parent].content += 1 + places[k].width(*levels[k].name);
    _lines.assign(size_t(1 + 2 * _depth), std::string(size_t(std::max(0, places[0].content)), ' '));
    for (size_t k = 0; k < levels.size(); k++)
    {
      Place & place = places[k];
      if (k > 0)
      {
        Place & on = places[levels[k].parent];
        const int width = place.width(*levels[k].name);
        item(on.level, on.x, width, *levels[k].name);
        place.x = on.x + (width - std::max(0, place.content)) / 2;
        on.x += width + 1;
      }
      draw_variables(levels[k].axis->variables(), place);
    }
  }

  std::string text() const
  {
    std::string s;
    for (const auto & line : _lines)
      s += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    return s;
  }

private:
  /// The place of an axis in the drawing: its level, the width of its items, and the column where its next item begins.
  /// One column separates two items.
  struct Place
  {
    int level = 0, content = -1, x = 0; ///< content and x are in columns of text
    Size begin = 0;                     ///< the first entry of the next variable

    int width(const std::string & name) const { return std::max(2 + int(name.size()), content); }
  };

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

  void put(int line, int x, int width, const std::string & text)
  {
    _lines[size_t(line)].replace(size_t(x + (width - int(text.size())) / 2), text.size(), text);
  }

  /// Draws an item of this level: a bracket, and its name below the bracket.
  void item(int level, int x, int width, const std::string & name)
  {
    const int line = 1 + 2 * (_depth - 1 - level);
    put(line, x, width, "|" + std::string(size_t(width - 2), '-') + "|");
    put(line + 1, x, width, name);
  }

  void draw_variables(const std::map<std::string, Size> & variables, Place & place)
  {
    for (const auto & [name, size] : variables)
    {
      const int width = variable_width(name, place.begin, size);
      put(0, place.x, width, entries(place.begin, place.begin + size));
      for (int line = 1; line < 1 + 2 * (_depth - 1 - place.level); line++) // down to its bracket
      {
        put(line, place.x, 1, "|");
        put(line, place.x + width - 1, 1, "|");
      }
      item(place.level, place.x, width, name);
      place.x += width + 1;
      place.begin += size;
    }
  }

  int _depth = 0;
  std::vector<std::string> _lines;
};
} // namespace tensors

/// Draws the layout of an axis as text for a terminal: the numbers of the entries on top, then the items of the deepest
/// level, then the sub-axes that contain these items.
inline std::string
picture(const LabeledAxis & axis)
{
  return tensors::AxisPicture(axis).text();
}
} // namespace neml2
