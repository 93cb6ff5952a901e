// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/indexing.h"
#include "neml2/core/shape.h"
#include "neml2/tensors/LabeledAxisAccessor.h"

#ifdef NEML2_COMPAT // utils::stringify and add<SR2>(...), for which programs of NEML2 2.x include nothing
#include "neml2/core/strings.h"
#include "neml2/tensors/tensors.h"
#endif

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace neml2
{
namespace core
{
class AxisPicture;

/// Where a sub-axis is: its name, and that of all that it is on. Shared by what is on it.
struct AxisPlace
{
  AxisPlace(std::shared_ptr<const AxisPlace> on, std::string name_)
    : parent(std::move(on)), name(std::move(name_))
  {
  }
  /// Frees those that nothing else shares one by one: each within the next would exhaust the stack.
  ~AxisPlace()
  {
    while (parent && parent.use_count() == 1)
      parent = std::shared_ptr<const AxisPlace>(parent->parent);
  }

  std::shared_ptr<const AxisPlace> parent; ///< null on the outermost axis
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
} // namespace core

/// Entries [begin, end) of an axis.
using AxisRange = std::pair<Size, Size>;

/// What two axes have in common: its entries on each.
struct CommonRange
{
  AxisRange here, there;

  friend bool operator==(const CommonRange & a, const CommonRange & b)
  {
    return a.here == b.here && a.there == b.there;
  }
  friend bool operator!=(const CommonRange & a, const CommonRange & b) { return !(a == b); }
  friend std::ostream & operator<<(std::ostream & os, const CommonRange & r)
  {
    return os << r.here.first << ":" << r.here.second << " " << r.there.first << ":"
              << r.there.second;
  }
};

/// Where the items of one level of an axis are, by name.
using AxisLayout = std::unordered_map<std::string, AxisRange>;

/// Paths of items in the order of the layout. Also a set, ordered by path, where a program was written for
/// one.
class ItemNames : public std::vector<LabeledAxisAccessor>
{
public:
  using std::vector<LabeledAxisAccessor>::vector;

  operator std::set<LabeledAxisAccessor>() const { return {begin(), end()}; }
};

/**
 * Names for the entries of one dimension: variables of a size each, and sub-axes, which are axes again.
 *
 *     LabeledAxis axis;
 *     axis.add<Scalar>("a").add<SR2>("b").add<Scalar>({"sub", "c"});
 *     axis.setup_layout();   // a 0:1, b 1:7, sub/c 7:8; picture(axis) draws it
 *
 * - Items are laid out in ascending order of their names (of the bytes), variables before sub-axes.
 * - Names are unique on each level; different levels may repeat them.
 * - setup_layout() freezes the axis; only clear() lifts that. From then on copies share it, whatever is
 *   made with it keeps it alive, and any number of threads may read it. Before, a copy is a deep one.
 */
class LabeledAxis
{
public:
  using AxisLayout = neml2::AxisLayout;

  /// Order of slices by where they begin.
  struct AssemblySliceCmp
  {
    /// AssemblySliceCmp()(a, b): whether slice a begins before b, for maps from what indices() gives.
    /// @throws NEMLException for an index that is no slice.
    bool operator()(const indexing::TensorIndex & a, const indexing::TensorIndex & b) const;
  };

  /// Without items.
  LabeledAxis() : _items(std::make_shared<Items>()) {}
  LabeledAxis(const LabeledAxis & other) : _items(other.copied_items()) {}
  LabeledAxis & operator=(const LabeledAxis & other)
  {
    check_modifiable("assign", /*cleared=*/true);
    // A sub-axis keeps its place, and a layout of its own.
    _items = _items->place ? other.deep_copy(_items->place) : other.copied_items();
    return *this;
  }

  // ---- Setting up -----------------------------------------------------------------------------

  /// A variable of T's base storage, or a sub-axis if T is LabeledAxis; the sub-axes on the path to
  /// it are made. An item of the same kind and size that is there already stays.
  /// @throws NEMLException if the name has another item, or after setup_layout().
  template <class T>
  LabeledAxis & add(const LabeledAxisAccessor & name)
  {
    if constexpr (std::is_same_v<T, LabeledAxis>)
      add_subaxis(name);
    else
      add_variable<T>(name);
    return *this;
  }
  /// A variable of this size; nothing for the empty path.
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
  /// The sub-axis of this path, made if it is not there.
  LabeledAxis & add_subaxis(const LabeledAxisAccessor & path);
  /// Back to no items, and modifiable.
  /// @throws NEMLException for a sub-axis of an axis that is set up.
  void clear()
  {
    check_modifiable("clear", /*cleared=*/true);
    _items = std::make_shared<Items>(_items->place);
  }
  /// Computes where everything is, and freezes the axis with its sub-axes. Again: nothing.
  /// @throws NEMLException if there are more entries than 64 bits count.
  void setup_layout();
  bool is_setup() const { return _items->is_setup; }

  // ---- What is there --------------------------------------------------------------------------

  bool has_item(const LabeledAxisAccessor & a) const { return has_variable(a) || has_subaxis(a); }
  bool has_variable(const LabeledAxisAccessor & a) const { return find_variable(a) != nullptr; }
  /// Whether there is a variable of the storage size of T (which may be that of another type, too).
  template <class T>
  bool has_variable(const LabeledAxisAccessor & a) const
  {
    const Size * size = find_variable(a);
    return size && *size == T::const_base_storage;
  }
  bool has_subaxis(const LabeledAxisAccessor & a) const
  {
    return !a.empty() && find_axis(a.begin(), a.end());
  }
  bool has_state() const { return has_subaxis(STATE); }
  bool has_old_state() const { return has_subaxis(OLD_STATE); }
  bool has_forces() const { return has_subaxis(FORCES); }
  bool has_old_forces() const { return has_subaxis(OLD_FORCES); }
  bool has_residual() const { return has_subaxis(RESIDUAL); }
  bool has_parameters() const { return has_subaxis(PARAMETERS); }

  size_t nvariable(bool recursive = true) const;
  size_t nsubaxis(bool recursive = false) const;
  /// The variables of this level: name -> size.
  const std::map<std::string, Size> & variables() const { return _items->variables; }
  /// Paths of the variables, in the order of the layout.
  ItemNames variable_names(bool recursive = true) const;
  std::vector<Size> variable_sizes() const;
  /// [begin, end) of each variable.
  std::vector<AxisRange> variable_slices() const;
  /// Names of the sub-axes of this level, in the order of the layout.
  std::vector<std::string> subaxis_names() const;
  ItemNames subaxis_names(bool recursive) const;
  std::vector<const LabeledAxis *> subaxes() const;
  std::vector<Size> subaxis_sizes() const;
  std::vector<AxisRange> subaxis_slices() const;
  /// The sub-axis of this path, the axis itself for the empty one.
  /// @throws NEMLException if there is none.
  const LabeledAxis & subaxis(const LabeledAxisAccessor & a) const;
  LabeledAxis & subaxis(const LabeledAxisAccessor & a)
  {
    return const_cast<LabeledAxis &>(std::as_const(*this).subaxis(a));
  }
  /// The path from the outermost axis: "y" of the sub-axis "sub" is sub/y.
  LabeledAxisAccessor qualify(const LabeledAxisAccessor & a) const
  {
    return a.prepend(core::path_of(_items->place.get()));
  }

  // ---- Sizes and places; places need setup_layout() -------------------------------------------

  /// Number of entries, of the whole axis or of one item.
  /// @throws NEMLException if there is no such item, or more entries than 64 bits count.
  Size size(const LabeledAxisAccessor & a = {}) const;
  Size storage_size(const LabeledAxisAccessor & a = {}) const { return size(a); }
  Size variable_size(const LabeledAxisAccessor & a) const;
  Size subaxis_size(const LabeledAxisAccessor & a) const { return subaxis(a).size(); }
  /// Position of a variable among all, and of a sub-axis among those of its level.
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
  /// Where the items of this level are.
  const AxisLayout & layout() const
  {
    check_setup("layout");
    return _items->layout;
  }
  /// For the variables that both axes have, the entries here and there as indices, in the order of this
  /// axis; adjacent ones are merged.
  std::vector<std::pair<indexing::TensorIndex, indexing::TensorIndex>>
  common_indices(const LabeledAxis & other, bool recursive = true) const;
  /// For the variables that both axes have, the entries [begin, end) here and there, in the order of this
  /// axis; adjacent ones are merged.
  std::vector<CommonRange> common_ranges(const LabeledAxis & other, bool recursive = true) const;
  /// f(path, here, there) for each variable that both have, in the order of this axis: its entries
  /// [begin, end) here and there. path() is its path, which takes longer than the rest.
  template <class F>
  void visit_common(const LabeledAxis & other, const F & f, bool recursive = true) const;
  /// The items in the order in which they are laid out.
  /// @throws NEMLException for an empty set, or one with an item that is not there.
  std::vector<LabeledAxisAccessor>
  sort_by_assembly_order(const std::set<LabeledAxisAccessor> & items) const;

  /// Whether names and sizes of all items are the same.
  bool equals(const LabeledAxis & other) const;
  friend bool operator==(const LabeledAxis & a, const LabeledAxis & b) { return a.equals(b); }
  friend bool operator!=(const LabeledAxis & a, const LabeledAxis & b) { return !a.equals(b); }
  /// One line a variable, name: begin:end:step.
  friend std::ostream & operator<<(std::ostream & os, const LabeledAxis & axis);

private:
  friend class core::AxisPicture;

  struct Items
  {
    explicit Items(std::shared_ptr<const core::AxisPlace> where = nullptr) : place(std::move(where))
    {
    }
    ~Items();

    std::shared_ptr<const core::AxisPlace> place; ///< null for the outermost axis
    std::map<std::string, Size> variables;
    std::map<std::string, std::unique_ptr<LabeledAxis>> subaxes;
    // Since setup_layout():
    bool is_setup = false;
    Size size = 0;
    size_t count = 0;                              ///< of variables, recursively
    AxisLayout layout;                             ///< of this level
    std::unordered_map<std::string, Size> ids;     ///< of this level's variables
    std::unordered_map<std::string, Size> offsets; ///< ids before each sub-axis
  };
  /// The axis itself, or one of its sub-axes.
  struct Level
  {
    const LabeledAxis * axis;
    const std::string * name;
    size_t parent; ///< among the levels; the axis itself is its own
  };
  using Name = LabelNames::const_iterator;

  /// Frozen items are shared, others are copied.
  std::shared_ptr<Items> copied_items() const
  {
    return is_setup() ? _items : deep_copy(_items->place);
  }
  /// The items without a layout, at another place.
  std::shared_ptr<Items> deep_copy(const std::shared_ptr<const core::AxisPlace> & place) const;
  void check_modifiable(const char * what, bool cleared = false) const
  {
    NEML2_CHECK(
        !_is_part && (cleared || !is_setup()),
        "Cannot modify (",
        what,
        ") a LabeledAxis after setup_layout(), nor its sub-axes. Set it up again after clear().");
  }
  void check_setup(const char * what) const
  {
    NEML2_CHECK(
        is_setup(), what, ": the LabeledAxis has no layout yet. Call setup_layout() first.");
  }
  const LabeledAxis * find_axis(Name first, Name last) const;
  const Size * find_variable(const LabeledAxisAccessor & a) const;
  [[noreturn]] void fail_unknown(const char * kind, const LabeledAxisAccessor & a) const;
  /// The axis and all its sub-axes in the order of the layout: a list, for no walk of them to recurse.
  std::vector<Level> levels(bool recursive = true) const;
  static LabeledAxisAccessor path(const std::vector<Level> & levels, size_t k);
  /// f(path, size, begin) for each variable, in the order of the layout; path() is its path. Returns the size.
  template <class F>
  Size visit(const F & f, bool recursive = true) const;

  std::shared_ptr<Items> _items;
  bool _is_part = false; ///< a sub-axis of an axis that is set up
};
} // namespace neml2

// ---- Definitions ----

#include <iomanip>
#include <sstream>

namespace neml2
{
// Sub-axes are freed one after the other: each within the one that it is on would exhaust the stack.
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

inline std::vector<LabeledAxis::Level>
LabeledAxis::levels(bool recursive) const
{
  std::vector<Level> all, next{{this, nullptr, 0}};
  while (!next.empty())
  {
    const Level level = next.back();
    next.pop_back();
    const size_t k = all.size();
    all.push_back(level);
    const auto & subaxes = level.axis->_items->subaxes;
    if (recursive)
      for (auto s = subaxes.rbegin(); s != subaxes.rend(); ++s)
        next.push_back({s->second.get(), &s->first, k});
  }
  return all;
}

inline LabeledAxisAccessor
LabeledAxis::path(const std::vector<Level> & levels, size_t k)
{
  std::vector<std::string> names;
  for (; k != 0; k = levels[k].parent)
    names.push_back(*levels[k].name);
  std::reverse(names.begin(), names.end());
  return names;
}

inline std::shared_ptr<LabeledAxis::Items>
LabeledAxis::deep_copy(const std::shared_ptr<const core::AxisPlace> & place) const
{
  std::vector<std::shared_ptr<Items>> copies;
  for (const auto & [axis, name, parent] : levels())
  {
    auto copy = std::make_shared<Items>(place);
    copy->variables = axis->_items->variables;
    if (!copies.empty())
    {
      Items & on = *copies[parent];
      copy->place = std::make_shared<core::AxisPlace>(on.place, *name);
      auto subaxis = std::make_unique<LabeledAxis>();
      subaxis->_items = copy;
      on.subaxes.emplace(*name, std::move(subaxis));
    }
    copies.push_back(std::move(copy));
  }
  return copies.front();
}

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
  visit(
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

inline void
LabeledAxis::add_variable(const LabeledAxisAccessor & name, Size size)
{
  check_modifiable("add a variable");
  NEML2_CHECK(!name.empty(), "add_variable: the path of a variable cannot be empty.");
  NEML2_CHECK(
      size >= 0, "add_variable: the size of '", name, "' is ", size, ", expected at least 0.");
  // All that can be refused comes before the first sub-axis is made.
  if (const Size * there = find_variable(name))
    NEML2_CHECK(*there == size,
                "add_variable: the axis has a variable '",
                name,
                "' of size ",
                *there,
                " already; one of size ",
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
    // Before the first sub-axis is made: on a new one there is no variable.
    NEML2_CHECK(axis->_items->variables.count(*name) == 0,
                "add_subaxis: '",
                path.slice(0, name + 1 - path.begin()),
                "' is a variable already; a sub-axis needs another name.");
    auto & subaxis = axis->_items->subaxes[*name];
    if (!subaxis)
    {
      subaxis = std::make_unique<LabeledAxis>();
      subaxis->_items->place = std::make_shared<core::AxisPlace>(axis->_items->place, *name);
    }
    axis = subaxis.get();
    axis->check_modifiable("add a sub-axis");
  }
  return *axis;
}

inline void
LabeledAxis::setup_layout()
{
  if (is_setup())
    return;
  size(); // refuses what 64 bits do not count before anything is set up
  const auto all = levels();
  for (auto level = all.rbegin(); level != all.rend(); ++level) // sub-axes before what they are on
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

template <class F>
Size
LabeledAxis::visit(const F & f, bool recursive) const
{
  Size end = 0;
  const auto all = levels(recursive);
  for (size_t k = 0; k < all.size(); k++)
  {
    std::optional<LabeledAxisAccessor> level; // known once it is asked for
    for (const auto & item : all[k].axis->_items->variables)
    {
      const Size size = item.second;
      const auto path_of_item = [&]
      {
        if (!level)
          level = path(all, k);
        return level->append(item.first);
      };
      NEML2_CHECK(size <= std::numeric_limits<Size>::max() - end,
                  "The axis has more entries than 64 bits count: the variable '",
                  path_of_item(),
                  "' of size ",
                  size,
                  " has ",
                  end,
                  " entries before it. Make it smaller.");
      f(path_of_item, size, end);
      end += size;
    }
  }
  return end;
}

inline size_t
LabeledAxis::nvariable(bool recursive) const
{
  size_t n = 0;
  for (const auto & level : levels(recursive))
    n += level.axis->_items->variables.size();
  return n;
}

inline size_t
LabeledAxis::nsubaxis(bool recursive) const
{
  return recursive ? levels().size() - 1 : _items->subaxes.size();
}

inline ItemNames
LabeledAxis::variable_names(bool recursive) const
{
  ItemNames names;
  visit([&](const auto & path, Size, Size) { names.push_back(path()); }, recursive);
  return names;
}

inline std::vector<Size>
LabeledAxis::variable_sizes() const
{
  std::vector<Size> sizes;
  visit([&](const auto &, Size size, Size) { sizes.push_back(size); });
  return sizes;
}

inline std::vector<AxisRange>
LabeledAxis::variable_slices() const
{
  check_setup("variable_slices");
  std::vector<AxisRange> slices;
  visit([&](const auto &, Size size, Size begin) { slices.emplace_back(begin, begin + size); });
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
    const auto all = levels();
    for (size_t k = 1; k < all.size(); k++)
      names.push_back(path(all, k));
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

inline Size
LabeledAxis::size(const LabeledAxisAccessor & a) const
{
  if (const Size * size = find_variable(a))
    return *size;
  const LabeledAxis * axis = find_axis(a.begin(), a.end());
  if (!axis)
    fail_unknown("item", a);
  return axis->is_setup() ? axis->_items->size : axis->visit([](const auto &, Size, Size) {});
}

inline Size
LabeledAxis::variable_size(const LabeledAxisAccessor & a) const
{
  const Size * size = find_variable(a);
  if (!size)
    fail_unknown("variable", a);
  return *size;
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

template <class F>
void
LabeledAxis::visit_common(const LabeledAxis & other, const F & f, bool recursive) const
{
  check_setup("visit_common");
  other.check_setup("visit_common");
  struct Common
  {
    const LabeledAxis * here;
    Size begin_here;
    const LabeledAxis * there;
    Size begin_there;
  };
  SmallVector<Common, 8> next{{this, 0, &other, 0}};
  while (!next.empty())
  {
    const Common at = next.pop_back_val();
    const Items & a = *at.here->_items;
    const Items & b = *at.there->_items;
    const auto begin_there = [&](const std::string & name)
    { return at.begin_there + b.layout.find(name)->second.first; };
    Size here = at.begin_here;
    for (const auto & item : a.variables)
    {
      const Size begin = here;
      here += item.second;
      if (const auto found = b.variables.find(item.first); found != b.variables.end())
      {
        const Size other_begin = begin_there(item.first);
        f([&] { return at.here->qualify(item.first).slice(Size(qualify({}).size())); },
          AxisRange(begin, here),
          AxisRange(other_begin, other_begin + found->second));
      }
    }
    if (!recursive)
      return;
    here = at.begin_here + a.size;
    for (auto item = a.subaxes.rbegin(); item != a.subaxes.rend(); ++item) // the first is next
    {
      here -= item->second->_items->size;
      if (const auto found = b.subaxes.find(item->first); found != b.subaxes.end())
        next.push_back({item->second.get(), here, found->second.get(), begin_there(item->first)});
    }
  }
}

namespace core
{
/// Adds a range to a list of them; adjacent ones are merged.
inline void
append_range(std::vector<CommonRange> & list, const AxisRange & here, const AxisRange & there)
{
  if (!list.empty() && list.back().here.second == here.first &&
      list.back().there.second == there.first)
  {
    list.back().here.second = here.second;
    list.back().there.second = there.second;
  }
  else
    list.push_back({here, there});
}
} // namespace core

inline std::vector<CommonRange>
LabeledAxis::common_ranges(const LabeledAxis & other, bool recursive) const
{
  check_setup("common_indices");
  other.check_setup("common_indices");
  std::vector<CommonRange> ranges;
  visit_common(
      other,
      [&](const auto &, const auto & here, const auto & there)
      { core::append_range(ranges, here, there); },
      recursive);
  return ranges;
}

inline std::vector<std::pair<indexing::TensorIndex, indexing::TensorIndex>>
LabeledAxis::common_indices(const LabeledAxis & other, bool recursive) const
{
  std::vector<std::pair<indexing::TensorIndex, indexing::TensorIndex>> indices;
  for (const auto & [here, there] : common_ranges(other, recursive))
    indices.emplace_back(indexing::Slice(here.first, here.second),
                         indexing::Slice(there.first, there.second));
  return indices;
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
                " is no slice. Expected what indices() gives.");
  return a.slice().start() < b.slice().start();
}

inline bool
LabeledAxis::equals(const LabeledAxis & other) const
{
  std::vector<std::pair<const Items *, const Items *>> next{{_items.get(), other._items.get()}};
  while (!next.empty())
  {
    const auto [a, b] = next.back();
    next.pop_back();
    if (a == b)
      continue;
    if (a->variables != b->variables || a->subaxes.size() != b->subaxes.size())
      return false;
    for (auto x = a->subaxes.begin(), y = b->subaxes.begin(); x != a->subaxes.end(); ++x, ++y)
    {
      if (x->first != y->first)
        return false;
      next.emplace_back(x->second->_items.get(), y->second->_items.get());
    }
  }
  return true;
}

inline std::ostream &
operator<<(std::ostream & os, const LabeledAxis & axis)
{
  int width = 0;
  axis.visit([&](const auto & path, Size, Size)
             { width = std::max(width, int(path().str().size())); });
  bool first = true;
  axis.visit(
      [&](const auto & path, Size size, Size begin)
      {
        os << (first ? "" : "\n") << std::setw(width) << path().str() << ": " << begin << ":"
           << begin + size << ":1";
        first = false;
      });
  return os;
}
} // namespace neml2
