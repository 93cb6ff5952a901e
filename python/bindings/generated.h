// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/Any.h"

/// Functions whose bodies are written by generate.py.
namespace neml2::python
{
void declare_types(nb::module_ & m);
void bind_generated(nb::module_ & math, nb::module_ & crystallography);
} // namespace neml2::python
