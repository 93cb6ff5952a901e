// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/Any.h"

namespace neml2::python
{
/// The functions of include/neml2/math, of tensors of any type.
void bind_functions(nb::module_ & math);
/// LabeledAxis, LabeledVector, LabeledMatrix and what belongs to them.
void bind_labels(nb::module_ & tensors);
} // namespace neml2::python
