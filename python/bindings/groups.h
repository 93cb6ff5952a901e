// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/Any.h"

#include <memory>

/// Groups: tuples, lists, dicts, named tuples and dataclasses of tensors, numbers and other groups. They are split into their
/// leaves and a structure; groups of the same kind have the same structure.
namespace neml2::python
{
/// An object that is not a group: a tensor, a number, or an object that is not allowed.
struct Leaf
{
  nb::object object;
  const TypeInfo * type; ///< null if it is not a tensor
};
using Leaves = SmallVector<Leaf, 16>;

/// The structure of groups without their leaves: types, sizes and keys, and members that are constants (text, bool, None, and
/// members of enums).
class Structure
{
public:
  enum class Is : uint8_t
  {
    leaf,
    constant,
    tuple,     ///< a tuple or list, with its number of parts
    dict,      ///< with its number of keys; the part of each key follows it
    key,       ///< of a dict
    dataclass, ///< its type determines the parts
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

  /// Adds the parts of an object, and its leaves to other leaves. Throws TypeError for a group that contains
  /// itself.
  void take_apart(nb::handle object, Leaves & leaves);
  /// The place of each leaf, such as `state.p`, in objects with these names.
  std::vector<std::string> paths(const std::vector<std::string> & names) const;
  /// For each leaf the member of the first object to which it belongs; 0 if the object is not a
  /// group.
  std::vector<size_t> members() const;
  /// The number of members of that object, constants included.
  size_t member_count() const;

private:
  Parts _parts;
};

/// Builds groups, one after the other, from a source that returns their leaves in order.
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

/// Shares an owner of Python objects. Its users may release it in any thread, and after Python has ended.
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
