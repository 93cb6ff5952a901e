// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/groups.h"

#include <functional>
#include <memory>

/// The arguments of a call of a formula.
namespace neml2::python
{
/// The type and base shape of an argument or a result. The type of a plain number is null.
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
  explicit Names(std::vector<nb::object> all)
    : _all(std::make_shared<const std::vector<nb::object>>(std::move(all)))
  {
  }

  /// The name of argument k, or null if it has no name. The arguments of a method are counted without its object.
  nb::handle operator()(size_t k, nb::handle instance) const
  {
    const size_t i = k + (instance ? 1 : 0);
    return _all && i < _all->size() ? nb::handle((*_all)[i]) : nb::handle();
  }
  /// The names of the first n arguments.
  std::vector<std::string> texts(size_t n, bool of_method) const;

private:
  std::shared_ptr<const std::vector<nb::object>>
      _all; ///< copies share it: they stay as they are if a formula is looked at again
};

/// The arguments of a call, as operands.
class Call
{
public:
  nb::handle instance;
  Structure groups;
  Leaves leaves;
  /// The indices of the first part, and of the first leaf, of each argument. first_leaves ends with the number of all leaves.
  SmallVector<size_t, 8> first_parts, first_leaves;
  std::vector<Kind> types;
  SmallVector<core::Operand, 8> operands;
  const at::Tensor * like = nullptr;

  /// Reads the arguments; `of` is the object of a method. Throws TypeError for an object that cannot be an argument.
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

/// Existing tensors for the results of a call: the argument `out`.
class Outputs
{
public:
  std::vector<core::Operand> operands;

  /// `kinds` are the types of the results, and `together` puts their leaves together as the call returns them. Throws TypeError if `out`
  /// has another structure or other types.
  Outputs(const char * name,
          nb::handle out,
          const std::vector<Kind> & kinds,
          const std::function<nb::object(PutTogether::NextLeaf)> & together);
  Outputs(const Outputs &) = delete; ///< operands refer to the members
  Outputs & operator=(const Outputs &) = delete;

private:
  Leaves _leaves;
};
} // namespace neml2::python
