// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/DeviceCompiler.h"

/// A program's compilers for devices.
namespace neml2::device
{
/// The compiler for devices of this type. It is the compiler that was set, otherwise CUDA's compiler for CUDA devices; null if there is
/// no compiler. @throws NEMLException if a part of CUDA cannot be opened or used; the message says which.
std::shared_ptr<DeviceCompiler> device_compiler(c10::DeviceType type);

/// Sets another compiler for devices of its type, such as a test's compiler. With null only CUDA's compiler remains.
void set_device_compiler(std::shared_ptr<DeviceCompiler> compiler);
} // namespace neml2::device

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/device/compilers-inl.h"
#endif
