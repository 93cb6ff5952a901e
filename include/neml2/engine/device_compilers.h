// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/DeviceCompiler.h"

/// The compilers for devices that a program has.
namespace neml2::engine
{
/// The compiler for devices of a type: the one that was set, else that of CUDA for its devices; null if there is none.
/// @throws NEMLException that says what CUDA lacks.
std::shared_ptr<DeviceCompiler> device_compiler(c10::DeviceType type);

/// Sets another compiler for devices of its type, such as one that a test looks into; null leaves only CUDA's.
void set_device_compiler(std::shared_ptr<DeviceCompiler> compiler);
} // namespace neml2::engine

#ifndef NEML2_COMPILED // else the library has the bodies
#include "neml2/engine/device_compilers-inl.h"
#endif
