// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/fwd.h"
#include "neml2/tensors/LabeledAxisAccessor.h"

#include <limits>
#include <memory>
#include <optional>

namespace neml2
{
class LabeledAxis;

namespace tensors
{
/// The place of a sub-axis: its name, and the place of the axis that contains it. The places of the sub-axes directly
/// inside this sub-axis all point to this object.
struct AxisPlace
{
  AxisPlace(std::shared_ptr<const AxisPlace> on, std::string name_)
    : parent(std::move(on)), name(std::move(name_))
  {
  }
  /// Frees unshared parents in a loop, because nested destructors of a deep axis would overflow the stack.
  ~AxisPlace()
  {
    while (parent && parent.use_count() == 1)
      parent = std::shared_ptr<const AxisPlace>(parent->parent);
  }

  std::shared_ptr<const AxisPlace>
      parent; ///< null if this sub-axis is directly inside the outermost axis
  std::string name;
};

inline LabeledAxisAccessor
path_of(const AxisPlace * place)
{
  std::vector<std::string> names;
  for (; place; place = place->parent.get())
    names.push_back(place->name);
  std::reverse(names.begin(), names.end());
  return names;
}

/// A list of an axis and all its sub-axes, in the order of the layout. Loops over this list need no recursion.
class AxisLevels
{
public:
  /// The axis itself, or one of its sub-axes.
  struct Level
  {
    const LabeledAxis * axis;
    const std::string * name; ///< null for the axis itself
    /// Position of the level that contains this one. The axis itself is its own parent.
    size_t parent;
  };

  /// If recursive is false, the only level is the axis itself.
  explicit AxisLevels(const LabeledAxis & axis, bool recursive = true);

  size_t size() const { return _levels.size(); }
  const Level & operator[](size_t k) const { return _levels[k]; }
  auto begin() const { return _levels.begin(); }
  auto end() const { return _levels.end(); }
  auto rbegin() const { return _levels.rbegin(); }
  auto rend() const { return _levels.rend(); }

  /// The path that leads from the axis itself to level k.
  LabeledAxisAccessor path(size_t k) const;
  /// Calls f(path, size, begin) for each variable, in the order of the layout; path() returns the path of the
  /// variable. Returns the total size.
  /// @throws NEMLException if there are more entries than 64 bits can count.
  template <class F>
  Size visit_variables(const F & f) const;

private:
  std::vector<Level> _levels;
};
} // namespace tensors
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/tensors/LabeledAxis.h"
#include "neml2/tensors/LabeledAxisLevels-inl.h"
