// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/Any.h"
#include "neml2/kernels/interpolants.h"

namespace neml2::python
{
/// The functions of include/neml2/math, of tensors of any type.
void bind_functions(nb::module_ & math);
/// LabeledAxis, LabeledVector, LabeledMatrix and their helpers.
void bind_labels(nb::module_ & tensors);

/// The choices of tables by their names in Python; throw for an unknown name.
Interpolant interpolant_named(const std::string & name);
Beyond beyond_named(const std::string & name);
} // namespace neml2::python
