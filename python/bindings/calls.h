// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

namespace neml2::python
{
namespace nb = nanobind;

/// Changes all functions and classes of a module. Call it when the module is complete. Afterwards
/// - error messages explain more than nanobind's about tensors of torch, and about objects whose __init__ was not called;
/// - Python's own instancemethod binds all methods except operators, as in pybind11. torch.compile would call nanobind's methods without
///   the object, but it does not look into an instancemethod.
void prepare_calls(nb::module_ & m);
} // namespace neml2::python
