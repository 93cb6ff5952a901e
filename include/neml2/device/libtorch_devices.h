// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/aten.h"
#include "neml2/engine/limits.h"

#include <ATen/DynamicLibrary.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/hash.h>

/// The parts of LibTorch for devices whose kernels are compiled while a program runs. Only this header includes them.
namespace neml2::device
{
using namespace core; // the namespaces of the folders whose headers this folder includes
using namespace engine;

/// The SHA-1 of a text and a newline: 40 hexadecimal digits. LibTorch 1.12 and newer have this function for their own kernels.
inline std::string
digest(const std::string & text)
{
  return c10::sha1(text + '\n').str(); // sha1 returns no digest for an empty text
}

/// Whether LibTorch was built for AMD's devices, whose device type is also called CUDA.
inline bool
is_rocm()
{
  return at::detail::getCUDAHooks().hasROCM();
}

/// The stream that currently receives a device's work.
inline c10::Stream
current_stream(c10::Device device)
{
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}
} // namespace neml2::device
