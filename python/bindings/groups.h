// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/Any.h"

#include <memory>

/// Groups: tuples, lists, dicts, named tuples and dataclasses of tensors, numbers and other groups. They are split into their
/// leaves and a structure; groups with equal types, sizes and keys have equal structures.
namespace neml2::python
{
/// A member that is not a group or a constant: a tensor, a number, or an object that is not allowed in groups.
struct Leaf
{
  nb::object object;
  const TypeInfo * type; ///< null if it is not a tensor
};
using Leaves = SmallVector<Leaf, 16>;

/// The structure of one or several objects without their leaves: the types, sizes and keys of groups, and members that are constants (text,
/// bool, None, and members of enums).
class Structure
{
public:
  enum class Is : uint8_t
  {
    leaf,
    constant,
    tuple,     ///< a tuple or list, with its size; the parts of its members follow
    dict,      ///< a dict, with its size; for each member a key follows, then the member's parts
    key,       ///< a key of a dict
    dataclass, ///< its type determines its members; their parts follow
  };
  struct Part
  {
    Is is;
    nb::object object = {}; ///< the constant, the key, or the type
    size_t size = 0;
  };
  using Parts = SmallVector<Part, 16>;

  const Parts & parts() const { return _parts; }
  bool is_leaf(size_t part) const { return _parts[part].is == Is::leaf; }
  friend bool operator==(const Structure & a, const Structure & b);

  /// Appends an object: its parts to this structure, and its leaves to `leaves`. Throws TypeError for a group that contains itself.
  void take_apart(nb::handle object, Leaves & leaves);
  /// The path of each leaf, such as `state.p`. `names` are the names of the objects.
  std::vector<std::string> paths(const std::vector<std::string> & names) const;
  /// The first object's members are counted from 0. For each leaf, the index of the member that contains it; 0 if the first object is not a
  /// group.
  std::vector<size_t> members() const;
  /// The number of members of the first object, constants included.
  size_t member_count() const;

private:
  Parts _parts;
};

/// Builds objects, one after the other, from a function that returns their leaves in order.
class PutTogether
{
public:
  using NextLeaf = c10::function_ref<nb::object()>;

  PutTogether(const Structure & s, NextLeaf leaf, size_t first_part = 0)
    : _parts(s.parts()), _leaf(leaf), _part(first_part)
  {
  }
  nb::object next();

private:
  const Structure::Parts & _parts;
  NextLeaf _leaf;
  size_t _part;

  nb::object tuple(const Structure::Part & p);
  nb::object dict(const Structure::Part & p);
  nb::object dataclass(nb::handle type);
};

/// Makes a shared object that owns Python objects. It may be released in any thread, and after Python has ended.
template <class T, class... A>
std::shared_ptr<T>
share_with_threads(A &&... a)
{
  return {new T{std::forward<A>(a)...},
          [](T * p)
          {
            if (!Py_IsInitialized())
              return;
            const nb::gil_scoped_acquire gil;
            delete p;
          }};
}

/// Builds a group from a list of leaves, for Python.
struct Together
{
  Structure structure;

  nb::object operator()(const nb::list & leaves) const;
};

void bind_groups(nb::module_ & m);
} // namespace neml2::python
