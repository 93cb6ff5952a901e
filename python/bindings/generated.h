// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/Any.h"

/// The functions that generate.py writes.
namespace neml2::python
{
void declare_types(nb::module_ & m);
void bind_generated(nb::module_ & math, nb::module_ & crystallography);
} // namespace neml2::python
