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

/// The places of the items of one level of an axis, by name.
using AxisLayout = std::unordered_map<std::string, AxisRange>;

/// A list of the paths of items in the order of the layout. It converts to a set, ordered by path, for programs that
/// were written for a set.
class ItemNames : public std::vector<LabeledAxisAccessor>
{
public:
  using std::vector<LabeledAxisAccessor>::vector;

  operator std::set<LabeledAxisAccessor>() const { return {begin(), end()}; }
};

/**
 * Names for the entries of one dimension: variables, each with a size, and sub-axes, which are axes again.
 *
 *     LabeledAxis axis;
 *     axis.add<Scalar>("a").add<SR2>("b").add<Scalar>({"sub", "c"});
 *     axis.setup_layout();   // a 0:1, b 1:7, sub/c 7:8; picture(axis) draws it
 *
 * - Items are laid out in ascending order of their names (by bytes), variables before sub-axes.
 * - Names are unique on each level; different levels may repeat them.
 * - setup_layout() freezes the axis; only clear() makes it modifiable again. Copies of a frozen axis
 *   share it, everything made with it keeps it alive, and any number of threads may read it. A copy of
 *   an axis that is not frozen is a deep copy.
 */
class LabeledAxis
{
public:
  using AxisLayout = neml2::AxisLayout;

  /// Orders slices by their first entry, for a std::map whose keys come from indices(): slices have
  /// no operator <.
  struct AssemblySliceCmp
  {
    /// AssemblySliceCmp()(a, b): whether slice a begins before b.
    /// @throws NEMLException for an index that is not a slice.
    bool operator()(const indexing::TensorIndex & a, const indexing::TensorIndex & b) const;
  };

  /// An axis without items.
  LabeledAxis() : _items(std::make_shared<Items>()) {}
  LabeledAxis(const LabeledAxis & other) : _items(other.copied_items()) {}
  LabeledAxis & operator=(const LabeledAxis & other);

  // ---- Setting up: LabeledAxisSetup.h, LabeledAxisLayout.h ------------------------------------

  /// Adds a variable of T's base storage, or a sub-axis if T is LabeledAxis; the sub-axes on the path to
  /// it are made. An existing item of the same kind and size stays.
  /// @throws NEMLException if another item has the name, or after setup_layout().
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
  /// The sub-axis of this path, made if it does not exist.
  LabeledAxis & add_subaxis(const LabeledAxisAccessor & path);
  /// Removes all items, and makes the axis modifiable again.
  /// @throws NEMLException for a sub-axis of an axis that is set up.
  void clear();
  /// Computes the place of every item, and freezes the axis with its sub-axes. A second call does nothing.
  /// @throws NEMLException if there are more entries than 64 bits can count.
  void setup_layout();
  /// Whether the axis has a layout, and can no longer be changed.
  bool is_setup() const { return _items->is_setup; }

  // ---- Items: LabeledAxisItems.h --------------------------------------------------------------

  /// Whether there is a variable or a sub-axis of this path.
  bool has_item(const LabeledAxisAccessor & a) const { return has_variable(a) || has_subaxis(a); }
  /// Whether there is a variable of this path.
  bool has_variable(const LabeledAxisAccessor & a) const { return find_variable(a) != nullptr; }
  /// Whether there is a variable of the storage size of T, which other types may share.
  template <class T>
  bool has_variable(const LabeledAxisAccessor & a) const
  {
    const Size * size = find_variable(a);
    return size && *size == T::const_base_storage;
  }
  /// Whether there is a sub-axis of this path.
  bool has_subaxis(const LabeledAxisAccessor & a) const
  {
    return !a.empty() && find_axis(a.begin(), a.end());
  }
  /// Whether there is a sub-axis of this reserved name.
  bool has_state() const { return has_subaxis(STATE); }
  bool has_old_state() const { return has_subaxis(OLD_STATE); }
  bool has_forces() const { return has_subaxis(FORCES); }
  bool has_old_forces() const { return has_subaxis(OLD_FORCES); }
  bool has_residual() const { return has_subaxis(RESIDUAL); }
  bool has_parameters() const { return has_subaxis(PARAMETERS); }

  /// Number of variables, and of sub-axes: on this level only, or on all levels.
  size_t nvariable(bool recursive = true) const;
  size_t nsubaxis(bool recursive = false) const;
  /// The variables of this level: name -> size.
  const std::map<std::string, Size> & variables() const { return _items->variables; }
  /// Paths of the variables, in the order of the layout.
  ItemNames variable_names(bool recursive = true) const;
  /// Sizes of the variables, in the order of the layout.
  std::vector<Size> variable_sizes() const;
  /// [begin, end) of each variable, in the order of the layout.
  std::vector<AxisRange> variable_slices() const;
  /// Names of the sub-axes of this level, in the order of the layout.
  std::vector<std::string> subaxis_names() const;
  ItemNames subaxis_names(bool recursive) const;
  /// The sub-axes of this level, their sizes and their [begin, end), in the order of the layout.
  std::vector<const LabeledAxis *> subaxes() const;
  std::vector<Size> subaxis_sizes() const;
  std::vector<AxisRange> subaxis_slices() const;
  /// The sub-axis of this path; the axis itself for the empty path.
  /// @throws NEMLException if there is none.
  const LabeledAxis & subaxis(const LabeledAxisAccessor & a) const;
  LabeledAxis & subaxis(const LabeledAxisAccessor & a)
  {
    return const_cast<LabeledAxis &>(std::as_const(*this).subaxis(a));
  }
  /// The path from the outermost axis: for "y" of the sub-axis "sub" it is sub/y.
  LabeledAxisAccessor qualify(const LabeledAxisAccessor & a) const;

  // ---- Sizes and places: LabeledAxisLayout.h; places need setup_layout() ----------------------

  /// Number of entries, of the whole axis or of one item.
  /// @throws NEMLException if there is no such item, or more entries than 64 bits can count.
  Size size(const LabeledAxisAccessor & a = {}) const;
  Size storage_size(const LabeledAxisAccessor & a = {}) const { return size(a); }
  Size variable_size(const LabeledAxisAccessor & a) const;
  Size subaxis_size(const LabeledAxisAccessor & a) const { return subaxis(a).size(); }
  /// Position of a variable among all variables; position of a sub-axis among the sub-axes of its
  /// level.
  Size variable_id(const LabeledAxisAccessor & a) const;
  Size subaxis_id(const std::string & name) const;
  /// [begin, end) of a variable or sub-axis in the numbering of this axis; all of it for the empty path.
  /// @throws NEMLException if there is no such item, or before setup_layout().
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
  /// The entries of a variable or sub-axis as a slice, all of them for the empty path.
  /// @throws NEMLException if there is no such item, or before setup_layout().
  indexing::Slice slice(const LabeledAxisAccessor & a) const
  {
    const auto [begin, end] = range(a);
    return {begin, end};
  }
  /// The entries of a variable or sub-axis as an index, the whole dimension for the empty path.
  /// @throws NEMLException if there is no such item, or before setup_layout().
  indexing::TensorIndex indices(const LabeledAxisAccessor & a = {}) const
  {
    return a.empty() ? indexing::TensorIndex(indexing::Slice()) : indexing::TensorIndex(slice(a));
  }
  /// The places of the items of this level.
  const AxisLayout & layout() const
  {
    check_setup("layout");
    return _items->layout;
  }
  /// The items in the order in which they are laid out.
  /// @throws NEMLException for an empty set, or one with an item that does not exist.
  std::vector<LabeledAxisAccessor>
  sort_by_assembly_order(const std::set<LabeledAxisAccessor> & items) const;

  // ---- Two axes: LabeledAxisCommon.h ----------------------------------------------------------

  /// The entries of the variables that both axes have, as indices on this axis and on the other one, in
  /// the order of this axis; adjacent ones are merged.
  std::vector<std::pair<indexing::TensorIndex, indexing::TensorIndex>>
  common_indices(const LabeledAxis & other, bool recursive = true) const;
  /// The entries [begin, end) of the variables that both axes have, on this axis and on the other one, in
  /// the order of this axis; adjacent ones are merged.
  std::vector<CommonRange> common_ranges(const LabeledAxis & other, bool recursive = true) const;
  /// Calls f(path, here, there) for each variable that both axes have, in the order of this axis; here and
  /// there are its entries [begin, end) on this axis and on the other one. path() returns its path, which
  /// takes longer than the rest.
  template <class F>
  void visit_common(const LabeledAxis & other, const F & f, bool recursive = true) const;
  /// Whether names and sizes of all items are the same.
  bool equals(const LabeledAxis & other) const;
  friend bool operator==(const LabeledAxis & a, const LabeledAxis & b) { return a.equals(b); }
  friend bool operator!=(const LabeledAxis & a, const LabeledAxis & b) { return !a.equals(b); }
  /// One line per variable, name: begin:end:step.
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
    size_t count = 0;                              ///< count of variables, recursively
    AxisLayout layout;                             ///< of this level
    std::unordered_map<std::string, Size> ids;     ///< of this level's variables
    std::unordered_map<std::string, Size> offsets; ///< first id of each sub-axis
  };
  using Name = LabelNames::const_iterator;

  /// Frozen items are shared, others are copied.
  std::shared_ptr<Items> copied_items() const
  {
    return is_setup() ? _items : deep_copy(_items->place);
  }
  /// The items without a layout, at another place.
  std::shared_ptr<Items> deep_copy(const std::shared_ptr<const tensors::AxisPlace> & place) const;
  void check_modifiable(const char * what, bool cleared = false) const;
  void check_setup(const char * what) const
  {
    NEML2_CHECK(
        is_setup(), what, ": the LabeledAxis has no layout yet. Call setup_layout() first.");
  }
  /// The sub-axis of these names, and the size of a variable; null if it does not exist.
  const LabeledAxis * find_axis(Name first, Name last) const;
  const Size * find_variable(const LabeledAxisAccessor & a) const;
  [[noreturn]] void fail_unknown(const char * kind, const LabeledAxisAccessor & a) const;

  std::shared_ptr<Items> _items;
  bool _is_part = false; ///< a sub-axis of an axis that is set up
};
} // namespace neml2

// ---- Definitions ----

#include "neml2/tensors/LabeledAxisCommon.h"
#include "neml2/tensors/LabeledAxisItems.h"
#include "neml2/tensors/LabeledAxisLayout.h"
#include "neml2/tensors/LabeledAxisPrinting.h"
#include "neml2/tensors/LabeledAxisSetup.h"
