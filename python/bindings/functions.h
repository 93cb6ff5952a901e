// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/Any.h"
#include "neml2/kernels/interpolants.h"

namespace neml2::python
{
/// Binds the functions of include/neml2/math for tensors of any type.
void bind_functions(nb::module_ & math);
/// Binds LabeledAxis, LabeledVector, LabeledMatrix, LabeledTensor3D and their helpers.
void bind_labels(nb::module_ & tensors);

/// The choices for tables by their names in Python. They throw for an unknown name.
Interpolant interpolant_named(const std::string & name);
Beyond beyond_named(const std::string & name);
} // namespace neml2::python
