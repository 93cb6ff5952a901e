// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/groups.h"

/// The arguments of a call of a formula.
namespace neml2::python
{
/// The kind of an argument or a result: a plain number has no type.
struct Kind
{
  const TypeInfo * type;
  TensorShape base;

  friend bool operator==(const Kind & a, const Kind & b)
  {
    return a.type == b.type && a.base == b.base;
  }
};

std::string name_of_type(nb::handle object);

/// The names of a function's parameters.
class Names
{
public:
  Names() = default;
  explicit Names(std::vector<nb::object> all) : _all(std::move(all)) {}

  /// The name of argument k, for a method behind its object; null if it has none.
  nb::handle operator()(size_t k, nb::handle instance) const
  {
    const size_t i = k + (instance ? 1 : 0);
    return i < _all.size() ? nb::handle(_all[i]) : nb::handle();
  }
  /// The names of the first n arguments.
  std::vector<std::string> texts(size_t n, bool of_method) const;

private:
  std::vector<nb::object> _all;
};

/// The arguments of a call, as operands.
class Call
{
public:
  nb::handle instance;
  Structure groups;
  Leaves leaves;
  SmallVector<size_t, 8> first_parts, first_leaves; ///< of each argument, and one more
  std::vector<Kind> types;
  SmallVector<core::Operand, 8> operands;
  const at::Tensor * like = nullptr;

  /// Throws TypeError for an object that cannot be an argument.
  Call(const char * name, nb::handle of, const nb::tuple & arguments, const Names & names);
  Call(const Call &) = delete;
  Call & operator=(const Call &) = delete;

  size_t size() const { return first_parts.size(); }

  /// The same arguments with other leaves.
  nb::list arguments(PutTogether::NextLeaf leaf) const
  {
    return arguments_of(groups, instance, size(), leaf);
  }
  static nb::list
  arguments_of(const Structure & groups, nb::handle instance, size_t n, PutTogether::NextLeaf leaf);

private:
  SmallVector<double, 16> _numbers;

  bool read(const Leaf & l);
  [[noreturn]] void refuse(const std::string & name,
                           const Names & names) const; ///< for a leaf that is not an argument
  size_t argument_of(size_t leaf) const;
};
} // namespace neml2::python
