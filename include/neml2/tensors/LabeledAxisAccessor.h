// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"
#include "neml2/core/types.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace neml2
{
/// The names of a path. The list can be compared with any container of strings.
class LabelNames : public std::vector<std::string>
{
public:
  using std::vector<std::string>::vector;

  template <class Strings>
  friend bool operator==(const LabelNames & a, const Strings & b)
  {
    return std::equal(a.begin(), a.end(), std::begin(b), std::end(b));
  }
  template <class Strings>
  friend bool operator!=(const LabelNames & a, const Strings & b)
  {
    return !(a == b);
  }
};

/**
 * Path to an item of a LabeledAxis: the names of the sub-axes that lead to it, then its own name.
 *
 * A path is printed as `sub/b` and built from its names: LabeledAxisAccessor("sub", "b"). A name must
 * not be empty, and must not contain white space, quotes or any of the characters / . , ;
 */
class LabeledAxisAccessor
{
public:
  /// The empty path. It stands for the axis itself.
  LabeledAxisAccessor() = default;

  /// Each argument is one name.
  /// @throws NEMLException ("Invalid item name ...", "Empty item variable name ...") for an illegal name.
  template <class... Names,
            std::enable_if_t<(std::is_convertible_v<const Names &, std::string> && ...), int> = 0>
  LabeledAxisAccessor(const char * first, const Names &... rest) : _names{text(first), rest...}
  {
    check();
  }
  template <class... Names,
            std::enable_if_t<(std::is_convertible_v<const Names &, std::string> && ...), int> = 0>
  LabeledAxisAccessor(const std::string & first, const Names &... rest) : _names{first, rest...}
  {
    check();
  }
  /// Each element of a container of strings is one name.
  template <class Names,
            std::enable_if_t<
                !std::is_convertible_v<const Names &, std::string> &&
                    !std::is_same_v<Names, LabeledAxisAccessor> &&
                    std::is_convertible_v<decltype(*std::begin(std::declval<const Names &>())),
                                          std::string>,
                int> = 0>
  LabeledAxisAccessor(const Names & names) : _names(std::begin(names), std::end(names))
  {
    check();
  }

  size_t size() const { return _names.size(); }
  bool empty() const { return _names.empty(); }
  auto begin() { return _names.begin(); }
  auto end() { return _names.end(); }
  auto begin() const { return _names.begin(); }
  auto end() const { return _names.end(); }
  const LabelNames & vec() const { return _names; }
  explicit operator std::vector<std::string>() const { return {_names.begin(), _names.end()}; }
  /// @throws NEMLException if the path has no name i.
  const std::string & operator[](size_t i) const
  {
    NEML2_CHECK(i < size(),
                "The path '",
                str(),
                "' has ",
                size(),
                " names; index ",
                i,
                " is out of range.");
    return _names[i];
  }
  /// The names joined by /.
  std::string str() const
  {
    std::string s;
    for (const auto & name : _names)
      s += s.empty() ? name : "/" + name;
    return s;
  }

  /// The path with the suffix appended to its last name.
  /// @throws NEMLException if the path is empty, or the result is not a legal name.
  LabeledAxisAccessor with_suffix(const std::string & suffix) const
  {
    NEML2_CHECK(!empty(), "with_suffix: the path is empty and has no last name.");
    LabeledAxisAccessor r = *this;
    r._names.back() += suffix;
    r.check();
    return r;
  }
  /// The names of this path, then the names of the other path.
  LabeledAxisAccessor append(const LabeledAxisAccessor & other) const
  {
    LabeledAxisAccessor r = *this;
    r._names.insert(r._names.end(), other.begin(), other.end());
    return r;
  }
  /// The names of the other path, then the names of this path.
  LabeledAxisAccessor prepend(const LabeledAxisAccessor & other) const
  {
    return other.append(*this);
  }
  /// The path of the names from position n on; a negative n counts from the end.
  /// @throws NEMLException if n is not in [-size(), size()].
  LabeledAxisAccessor slice(Size n) const { return slice(n, Size(size())); }
  /// The path of the names [n1, n2); negative positions count from the end.
  LabeledAxisAccessor slice(Size n1, Size n2) const
  {
    const Size n = Size(size()), begin = n1 < 0 ? n1 + n : n1, end = n2 < 0 ? n2 + n : n2;
    NEML2_CHECK(0 <= begin && begin <= end && end <= n,
                "slice: names [",
                n1,
                ", ",
                n2,
                ") of the path '",
                str(),
                "', which has ",
                n,
                ".");
    LabeledAxisAccessor r;
    r._names.assign(_names.begin() + begin, _names.begin() + end);
    return r;
  }
  /// Replaces the first n names of this path by the names of another path.
  LabeledAxisAccessor remount(const LabeledAxisAccessor & axis, Size n = 1) const
  {
    return slice(n).prepend(axis);
  }
  /// Whether this path begins with the names of the other path.
  bool start_with(const LabeledAxisAccessor & axis) const
  {
    return size() >= axis.size() && std::equal(axis.begin(), axis.end(), begin());
  }

  // Functions for the sub-axes with reserved names.

  /// Replaces state/... by old_state/..., and forces/... by old_forces/...
  /// @throws NEMLException for any other path.
  LabeledAxisAccessor old() const
  {
    NEML2_CHECK(is_state() || is_force(),
                "old: the path '",
                str(),
                "' starts with neither state nor forces, so it has no old value.");
    return remount("old_" + _names.front());
  }
  /// Replaces old_state/... by state/..., and old_forces/... by forces/...; does not change state/... and forces/...
  /// @throws NEMLException for any other path.
  LabeledAxisAccessor current() const
  {
    if (is_state() || is_force())
      return *this;
    NEML2_CHECK(is_old_state() || is_old_force(),
                "current: the path '",
                str(),
                "' starts with none of state, old_state, forces and old_forces.");
    return remount(_names.front().substr(4));
  }
  bool is_state() const { return is_on("state"); }
  bool is_old_state() const { return is_on("old_state"); }
  bool is_force() const { return is_on("forces"); }
  bool is_old_force() const { return is_on("old_forces"); }
  bool is_residual() const { return is_on("residual"); }
  bool is_parameter() const { return is_on("parameters"); }

  friend bool operator==(const LabeledAxisAccessor & a, const LabeledAxisAccessor & b)
  {
    return a._names == b._names;
  }
  friend bool operator!=(const LabeledAxisAccessor & a, const LabeledAxisAccessor & b)
  {
    return !(a == b);
  }
  /// Compares the paths name by name, and names byte by byte.
  friend bool operator<(const LabeledAxisAccessor & a, const LabeledAxisAccessor & b)
  {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }
  friend std::ostream & operator<<(std::ostream & os, const LabeledAxisAccessor & a)
  {
    return os << a.str();
  }

private:
  static constexpr std::string_view forbidden_characters{" \t\n\v\f\r'\"/.,;\0", 13};

  static std::string text(const char * name)
  {
    NEML2_CHECK(name, "Empty item variable name: a null pointer is not a name.");
    return name;
  }

  bool is_on(std::string_view subaxis) const { return !empty() && _names.front() == subaxis; }

  void check() const
  {
    for (const auto & name : _names)
    {
      NEML2_CHECK(!name.empty(), "Empty item variable name in the path '", str(), "'.");
      const size_t i = name.find_first_of(forbidden_characters);
      NEML2_CHECK(
          i == std::string::npos,
          "Invalid item name '",
          name,
          "': it contains '",
          name[i],
          "'. A name has no white space, quotes or any of / . , ; - a path is built from its "
          "parts, as in LabeledAxisAccessor(\"sub\", \"b\").");
    }
  }

  LabelNames _names;
};

using VariableName = LabeledAxisAccessor;
using SubaxisName = LabeledAxisAccessor;

/// The reserved names of sub-axes.
inline const std::string STATE = "state";
inline const std::string OLD_STATE = "old_state";
inline const std::string FORCES = "forces";
inline const std::string OLD_FORCES = "old_forces";
inline const std::string RESIDUAL = "residual";
inline const std::string PARAMETERS = "parameters";

inline std::vector<std::string>
reserved_subaxis_names()
{
  return {"state", "old_state", "forces", "old_forces", "residual", "parameters"};
}

namespace indexing
{
using TensorLabel = LabeledAxisAccessor;
using TensorLabels = c10::SmallVector<TensorLabel, 3>;
using TensorLabelsRef = c10::ArrayRef<TensorLabel>;
} // namespace indexing
} // namespace neml2
