// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/indexing.h"
#include "neml2/core/shape.h"
#include "neml2/tensors/LabeledAxisAccessor.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace neml2
{
namespace tensors
{
class AxisLevels;
struct AxisPlace;
} // namespace tensors

struct CommonRange;

/// Entries [begin, end) of an axis.
using AxisRange = std::pair<Size, Size>;

/// Maps the names of the items of one level to their ranges.
using AxisLayout = std::unordered_map<std::string, AxisRange>;

/// Paths of items in the order of the layout. The list converts to a std::set (ordered by path) for programs
/// that expect a set.
class ItemNames : public std::vector<LabeledAxisAccessor>
{
public:
  using std::vector<LabeledAxisAccessor>::vector;

  operator std::set<LabeledAxisAccessor>() const { return {begin(), end()}; }
};

/**
 * Names for the entries of one dimension. The items of an axis are variables, each with a size, and sub-axes, each of
 * which is itself an axis.
 *
 *     LabeledAxis axis;
 *     axis.add<Scalar>("a").add<SR2>("b").add<Scalar>({"sub", "c"});
 *     axis.setup_layout();   // a 0:1, b 1:7, sub/c 7:8; picture(axis) draws it
 *
 * - On each level, the variables are laid out first, then the sub-axes, both in ascending order of their names (compared
 *   byte by byte).
 * - Names are unique on each level; different levels may repeat them.
 * - setup_layout() freezes the axis. The axis can be modified again only after clear(), or after an axis that is not
 *   frozen has been assigned to it. Copies of a frozen axis share its items, every object made with the axis keeps
 *   these items alive, and any number of threads may read them. A copy of an axis that is not frozen is a deep copy.
 */
class LabeledAxis
{
public:
  using AxisLayout = neml2::AxisLayout;

  /// Orders slices by their first entry. A std::map whose keys come from indices() needs this class, because slices have
  /// no operator <.
  struct AssemblySliceCmp
  {
    /// Whether slice a begins before slice b.
    /// @throws NEMLException for an index that is not a slice.
    bool operator()(const indexing::TensorIndex & a, const indexing::TensorIndex & b) const;
  };

  /// An axis without items.
  LabeledAxis() : _items(std::make_shared<Items>()) {}
  LabeledAxis(const LabeledAxis & other) : _items(other.copied_items()) {}
  LabeledAxis & operator=(const LabeledAxis & other);

  // ---- Setting up: LabeledAxisSetup.h, LabeledAxisLayout.h ------------------------------------

  /// Adds a variable of size T::const_base_storage, or a sub-axis if T is LabeledAxis. Missing sub-axes on the path
  /// are added, too. An existing item of the same kind and size stays unchanged.
  /// @throws NEMLException if an item of another kind or size has this name, or after setup_layout().
  template <class T>
  LabeledAxis & add(const LabeledAxisAccessor & name)
  {
    if constexpr (std::is_same_v<T, LabeledAxis>)
      add_subaxis(name);
    else
      add_variable<T>(name);
    return *this;
  }
  /// Adds a variable of this size; does nothing for the empty path.
  LabeledAxis & add(const LabeledAxisAccessor & name, Size size)
  {
    if (!name.empty())
      add_variable(name, size);
    return *this;
  }
  template <class T>
  void add_variable(const LabeledAxisAccessor & name)
  {
    add_variable(name, T::const_base_storage);
  }
  void add_variable(const LabeledAxisAccessor & name, Size size);
  /// Returns the sub-axis with this path; adds it if it does not exist.
  LabeledAxis & add_subaxis(const LabeledAxisAccessor & path);
  /// Removes all items, and makes the axis modifiable again.
  /// @throws NEMLException for a sub-axis of an axis that is set up.
  void clear();
  /// Computes the range of every item, and freezes the axis and its sub-axes. A second call does nothing.
  /// @throws NEMLException if there are more entries than 64 bits can count.
  void setup_layout();
  /// Whether the axis is frozen: it has a layout and can no longer be changed.
  bool is_setup() const { return _items->is_setup; }

  // ---- Items: LabeledAxisItems.h --------------------------------------------------------------

  /// Whether there is a variable or a sub-axis with this path.
  bool has_item(const LabeledAxisAccessor & a) const { return has_variable(a) || has_subaxis(a); }
  /// Whether there is a variable with this path.
  bool has_variable(const LabeledAxisAccessor & a) const { return find_variable(a) != nullptr; }
  /// Whether there is a variable with this path and the size T::const_base_storage. Several types may have the same
  /// size.
  template <class T>
  bool has_variable(const LabeledAxisAccessor & a) const
  {
    const Size * size = find_variable(a);
    return size && *size == T::const_base_storage;
  }
  /// Whether there is a sub-axis with this path.
  bool has_subaxis(const LabeledAxisAccessor & a) const
  {
    return !a.empty() && find_axis(a.begin(), a.end());
  }
  /// Whether the axis has the sub-axis with the reserved name STATE, OLD_STATE, FORCES, OLD_FORCES, RESIDUAL or
  /// PARAMETERS.
  bool has_state() const { return has_subaxis(STATE); }
  bool has_old_state() const { return has_subaxis(OLD_STATE); }
  bool has_forces() const { return has_subaxis(FORCES); }
  bool has_old_forces() const { return has_subaxis(OLD_FORCES); }
  bool has_residual() const { return has_subaxis(RESIDUAL); }
  bool has_parameters() const { return has_subaxis(PARAMETERS); }

  /// Number of variables, or of sub-axes: on all levels if recursive, otherwise only on this level.
  size_t nvariable(bool recursive = true) const;
  size_t nsubaxis(bool recursive = false) const;
  /// The variables of this level: name -> size.
  const std::map<std::string, Size> & variables() const { return _items->variables; }
  /// Paths of the variables, in the order of the layout.
  ItemNames variable_names(bool recursive = true) const;
  /// Sizes of the variables, in the order of the layout.
  std::vector<Size> variable_sizes() const;
  /// Range [begin, end) of each variable, in the order of the layout.
  std::vector<AxisRange> variable_slices() const;
  /// Names of the sub-axes of this level, in the order of the layout.
  std::vector<std::string> subaxis_names() const;
  ItemNames subaxis_names(bool recursive) const;
  /// The sub-axes of this level, their sizes, and their ranges [begin, end), in the order of the layout.
  std::vector<const LabeledAxis *> subaxes() const;
  std::vector<Size> subaxis_sizes() const;
  std::vector<AxisRange> subaxis_slices() const;
  /// The sub-axis with this path; the axis itself for the empty path.
  /// @throws LabelException if there is no such sub-axis.
  const LabeledAxis & subaxis(const LabeledAxisAccessor & a) const;
  LabeledAxis & subaxis(const LabeledAxisAccessor & a)
  {
    return const_cast<LabeledAxis &>(std::as_const(*this).subaxis(a));
  }
  /// The path of an item from the outermost axis. On the sub-axis "sub" of that axis, qualify("y") is sub/y.
  LabeledAxisAccessor qualify(const LabeledAxisAccessor & a) const;

  // ---- Sizes and places: LabeledAxisLayout.h; places need setup_layout() ----------------------

  /// Number of entries of the whole axis or of one item.
  /// @throws LabelException if there is no such item.
  /// @throws NEMLException if there are more entries than 64 bits can count.
  Size size(const LabeledAxisAccessor & a = {}) const;
  Size storage_size(const LabeledAxisAccessor & a = {}) const { return size(a); }
  Size variable_size(const LabeledAxisAccessor & a) const;
  Size subaxis_size(const LabeledAxisAccessor & a) const { return subaxis(a).size(); }
  /// Position of a variable among all variables; position of a sub-axis of this level among the sub-axes of this level.
  Size variable_id(const LabeledAxisAccessor & a) const;
  Size subaxis_id(const std::string & name) const;
  /// Range [begin, end) of a variable or sub-axis among the entries of this axis; the range of all entries for the
  /// empty path.
  /// @throws LabelException if there is no such item.
  /// @throws NEMLException before setup_layout().
  AxisRange range(const LabeledAxisAccessor & a) const;
  AxisRange variable_slice(const LabeledAxisAccessor & a) const
  {
    variable_size(a);
    return range(a);
  }
  AxisRange subaxis_slice(const LabeledAxisAccessor & a) const
  {
    subaxis(a);
    return range(a);
  }
  /// The entries of a variable or sub-axis as a slice; all entries for the empty path.
  /// @throws LabelException if there is no such item.
  /// @throws NEMLException before setup_layout().
  indexing::Slice slice(const LabeledAxisAccessor & a) const
  {
    const auto [begin, end] = range(a);
    return {begin, end};
  }
  /// The entries of a variable or sub-axis as an index; the whole dimension for the empty path.
  /// @throws LabelException if there is no such item.
  /// @throws NEMLException before setup_layout().
  indexing::TensorIndex indices(const LabeledAxisAccessor & a = {}) const
  {
    return a.empty() ? indexing::TensorIndex(indexing::Slice()) : indexing::TensorIndex(slice(a));
  }
  /// The ranges of the items of this level.
  const AxisLayout & layout() const
  {
    check_setup("layout");
    return _items->layout;
  }
  /// Sorts these items in the order of the layout.
  /// @throws LabelException if an item does not exist.
  /// @throws NEMLException if the set is empty, or before setup_layout().
  std::vector<LabeledAxisAccessor>
  sort_by_assembly_order(const std::set<LabeledAxisAccessor> & items) const;

  // ---- Two axes: LabeledAxisCommon.h ----------------------------------------------------------

  /// For the variables that both axes have: pairs of an index on this axis and an index on the other axis, in the
  /// order of this axis. Ranges that are adjacent on both axes are merged.
  std::vector<std::pair<indexing::TensorIndex, indexing::TensorIndex>>
  common_indices(const LabeledAxis & other, bool recursive = true) const;
  /// For the variables that both axes have: their ranges [begin, end) on this axis and on the other axis, in the
  /// order of this axis. Ranges that are adjacent on both axes are merged.
  std::vector<CommonRange> common_ranges(const LabeledAxis & other, bool recursive = true) const;
  /// Calls f(path, here, there) for each variable that both axes have, in the order of this axis. `here` is the range
  /// [begin, end) of the variable on this axis, and `there` is its range on the other axis. `path` is a function: path()
  /// returns the path of the variable. Call path() only where you need the path, because this call takes longer than
  /// the rest of the visit.
  template <class F>
  void visit_common(const LabeledAxis & other, const F & f, bool recursive = true) const;
  /// Whether the names and sizes of all items are the same.
  bool equals(const LabeledAxis & other) const;
  friend bool operator==(const LabeledAxis & a, const LabeledAxis & b) { return a.equals(b); }
  friend bool operator!=(const LabeledAxis & a, const LabeledAxis & b) { return !a.equals(b); }
  /// Prints one line per variable: `name: begin:end:step`.
  friend std::ostream & operator<<(std::ostream & os, const LabeledAxis & axis);

private:
  friend class tensors::AxisLevels;

  /// The items of this level, shared by copies of an axis that is set up.
  struct Items
  {
    explicit Items(std::shared_ptr<const tensors::AxisPlace> where = nullptr)
      : place(std::move(where))
    {
    }
    ~Items();

    std::shared_ptr<const tensors::AxisPlace> place; ///< null for the outermost axis
    std::map<std::string, Size> variables;
    std::map<std::string, std::unique_ptr<LabeledAxis>> subaxes;
    // Set by setup_layout():
    bool is_setup = false;
    Size size = 0;
    size_t count = 0;                              ///< number of variables on all levels
    AxisLayout layout;                             ///< ranges of the items of this level
    std::unordered_map<std::string, Size> ids;     ///< positions of this level's variables
    std::unordered_map<std::string, Size> offsets; ///< position of each sub-axis's first variable
  };
  using Name = LabelNames::const_iterator;

  /// Shares the items if they are frozen, otherwise copies them.
  std::shared_ptr<Items> copied_items() const
  {
    return is_setup() ? _items : deep_copy(_items->place);
  }
  /// A deep copy of the items without their layout, for an axis at another place.
  std::shared_ptr<Items> deep_copy(const std::shared_ptr<const tensors::AxisPlace> & place) const;
  void check_modifiable(const char * what, bool cleared = false) const;
  void check_setup(const char * what) const
  {
    NEML2_CHECK(
        is_setup(), what, ": the LabeledAxis has no layout yet. Call setup_layout() first.");
  }
  /// find_axis returns the sub-axis with these names, and find_variable the size of a variable. Both return null if there is no such item.
  const LabeledAxis * find_axis(Name first, Name last) const;
  const Size * find_variable(const LabeledAxisAccessor & a) const;
  [[noreturn]] void fail_unknown(const char * kind, const LabeledAxisAccessor & a) const;

  std::shared_ptr<Items> _items;
  bool _is_part = false; ///< whether this is a sub-axis of an axis that is set up
};
} // namespace neml2

// ---- Definitions ----

#include "neml2/tensors/LabeledAxisCommon.h"
#include "neml2/tensors/LabeledAxisItems.h"
#include "neml2/tensors/LabeledAxisLayout.h"
#include "neml2/tensors/LabeledAxisPrinting.h"
#include "neml2/tensors/LabeledAxisSetup.h"
