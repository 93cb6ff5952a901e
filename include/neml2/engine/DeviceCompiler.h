// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/libtorch_devices.h"

#include <memory>
#include <string>

namespace neml2::engine
{
/// What compiles kernels while a program runs, for devices of one type, and launches them. Each call throws what went wrong.
/// Several threads may call at once.
class NEML2_ONE_A_PROGRAM DeviceCompiler
{
public:
  using Function = void *; ///< a kernel on a device

  struct Launch
  {
    Function function;
    unsigned int blocks, threads; ///< in the grid, in a block
    const void * arguments;       ///< the kernel's one argument, recorded::KernelArguments
    size_t bytes;
    c10::Stream stream;
  };

  virtual ~DeviceCompiler() = default;

  virtual c10::DeviceType type() const = 0;
  /// What images depend on besides source and architecture: a version, the headers that sources include.
  virtual std::string version() = 0;
  /// What images for this device are compiled for, such as sm_90.
  virtual std::string architecture(c10::Device device) = 0;
  virtual std::string compile(const std::string & source, const std::string & architecture) = 0;
  /// The kernel neml2_kernel of an image, on a device, where it stays.
  virtual Function load(const std::string & image, c10::Device device) = 0;
  virtual void launch(const Launch & l) = 0;
};

/// The compiler for devices of a type: the one that was set, else that of CUDA for its devices; null if there is none.
/// @throws NEMLException that says what CUDA lacks.
std::shared_ptr<DeviceCompiler> device_compiler(c10::DeviceType type);

/// Another compiler for devices of its type, such as one that a test looks into; null for none but CUDA's.
void set_device_compiler(std::shared_ptr<DeviceCompiler> compiler);

/// The folder with the folder neml2 of this library's headers, which sources include: NEML2_INCLUDE of the environment, else
/// what was set, else where the headers were when this was compiled.
std::string device_headers();
void set_device_headers(std::string folder);
} // namespace neml2::engine

#ifndef NEML2_COMPILED // else the library has the bodies
#include "neml2/engine/DeviceCompiler-inl.h"
#endif
