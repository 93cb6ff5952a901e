// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"
#include "neml2/device/libtorch_devices.h"

#include <memory>
#include <new>
#include <string>

namespace neml2::device
{
/// A failure that may not occur again if the call is repeated. For example, a kernel cannot be loaded while a stream is captured.
class NEML2_ONE_A_PROGRAM TransientFailure : public NEMLException
{
public:
  using NEMLException::NEMLException;
};

/// Whether a failed call may succeed if it is repeated. This is so after a TransientFailure, and after a lack of memory.
inline bool
is_transient(const std::exception & e)
{
  return dynamic_cast<const TransientFailure *>(&e) ||
         dynamic_cast<const OutOfMemoryException *>(&e) || dynamic_cast<const std::bad_alloc *>(&e);
}

/// Compiles kernels for devices of one type while a program runs, and launches them. A compiled kernel is called an image. A call that
/// fails throws; it may be repeated if the error is_transient. Several threads may call at once.
class NEML2_ONE_A_PROGRAM DeviceCompiler
{
public:
  using Function = void *; ///< a kernel on a device

  struct Launch
  {
    Function function;
    unsigned int blocks, threads; ///< blocks in the grid, threads in a block
    const void * arguments;       ///< the kernel's only argument, a recorded::KernelArguments
    size_t bytes;
    c10::Stream stream;
  };

  virtual ~DeviceCompiler() = default;

  virtual c10::DeviceType type() const = 0;
  /// The architecture of this device, for which its images are compiled, such as sm_90.
  virtual std::string architecture(c10::Device device) = 0;
  /// A text that names everything that images for this device depend on besides source and architecture: the compiler's version and
  /// options, and the headers that sources include.
  virtual std::string version(c10::Device device) = 0;
  virtual std::string compile(const std::string & source, c10::Device device) = 0;
  /// Loads the function neml2_kernel of an image on a device, where the image stays loaded.
  virtual Function load(const std::string & image, c10::Device device) = 0;
  virtual void launch(const Launch & l) = 0;
};
} // namespace neml2::device
