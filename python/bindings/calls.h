// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

namespace neml2::python
{
namespace nb = nanobind;

/// Prepares all functions and classes of a module that is complete:
/// - errors say what nanobind's do not, of tensors of torch and of objects without __init__;
/// - methods but operators are bound by Python's own instancemethod, as those of pybind11:
///   torch.compile knows it for what it must not look into, and would call nanobind's without the
///   object.
void prepare_calls(nb::module_ & m);
} // namespace neml2::python
