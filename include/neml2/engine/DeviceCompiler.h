// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"
#include "neml2/engine/libtorch_devices.h"

#include <memory>
#include <new>
#include <string>

namespace neml2::engine
{
/// What may go well another time, such as to load a kernel while a stream is captured.
class NEML2_ONE_A_PROGRAM TransientFailure : public NEMLException
{
public:
  using NEMLException::NEMLException;
};

/// Whether what failed may go well another time: TransientFailure, and memory that is not there.
inline bool
is_transient(const std::exception & e)
{
  return dynamic_cast<const TransientFailure *>(&e) ||
         dynamic_cast<const OutOfMemoryException *>(&e) || dynamic_cast<const std::bad_alloc *>(&e);
}

/// What compiles kernels while a program runs, for devices of one type, and launches them. Each call throws what went wrong; what
/// is_transient is asked for again. Several threads may call at once.
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
  /// What images for this device are compiled for, such as sm_90.
  virtual std::string architecture(c10::Device device) = 0;
  /// What images for this device depend on besides source and architecture: a version, the headers that sources include.
  virtual std::string version(c10::Device device) = 0;
  virtual std::string compile(const std::string & source, c10::Device device) = 0;
  /// The kernel neml2_kernel of an image, on a device, where it stays.
  virtual Function load(const std::string & image, c10::Device device) = 0;
  virtual void launch(const Launch & l) = 0;
};
} // namespace neml2::engine
