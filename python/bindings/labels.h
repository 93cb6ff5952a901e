// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/functions.h"
#include "neml2/tensors/LabeledAxis.h"

/// Labels in Python.
namespace neml2::python
{
/// A path as an argument: "sub/b", ("sub", "b") or a LabeledAxisAccessor. Its names are checked only when it is converted to an accessor,
/// because a conversion from Python must not throw.
struct Path
{
  LabelNames names;

  operator LabeledAxisAccessor() const { return names; }
  /// Reads the path from an object. Returns false if the object is not a path.
  bool read(nb::handle object) noexcept;
};

/// The path that an object describes. Throws TypeError if it is not a path.
LabeledAxisAccessor path_of(nb::handle object);

/// A LabeledAxis, or one of its sub-axes, given by its path. A sub-axis is looked up each time it is used. After clear() of its parent the
/// lookup throws; a pointer would dangle.
struct Axis
{
  std::shared_ptr<LabeledAxis> root = std::make_shared<LabeledAxis>();
  LabeledAxisAccessor path;

  explicit Axis(const LabeledAxis & axis = {}) : root(std::make_shared<LabeledAxis>(axis)) {}
  Axis(const Axis & other, const LabeledAxisAccessor & subaxis)
    : root(other.root), path(other.path.append(subaxis))
  {
    get();
  }
  LabeledAxis & get() const { return root->subaxis(path); }
};

/// The tensor type that a class is, or from which it derives. Throws TypeError if there is none, or if it does not fix a base shape.
const TypeInfo & base_type(nb::handle cls);

/// Binds LabeledVector, LabeledMatrix and LabeledTensor3D.
void bind_labeled_tensors(nb::module_ & tensors);
} // namespace neml2::python

namespace nanobind::detail
{
template <>
struct type_caster<neml2::python::Path>
{
  NB_TYPE_CASTER(
      neml2::python::Path,
      const_name("neml2_tensors.tensors.LabeledAxisAccessor | str | collections.abc.Sequence[str]"))

  bool from_python(handle src, uint8_t, cleanup_list *) noexcept { return value.read(src); }
};
} // namespace nanobind::detail
