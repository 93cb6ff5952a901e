// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

namespace neml2::python
{
namespace nb = nanobind;

/// Prepares all functions and classes of a module that is complete:
/// - errors explain more than nanobind's do about tensors of torch and objects without __init__;
/// - methods except operators are bound by Python's own instancemethod, as in pybind11:
/// torch.compile does not look into an instancemethod, while it would call nanobind's methods
/// without the object.
void prepare_calls(nb::module_ & m);
} // namespace neml2::python
