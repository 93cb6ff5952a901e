// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/CudaLibrary.h"

namespace neml2::device
{
/// The functions of CUDA's driver that the library uses.
struct CudaDriver
{
  using Device = int;
  using Handle = void *; ///< a context, a module, a function, a stream or an event
  using Result = int;    ///< 0 if all went well

  explicit CudaDriver(const std::vector<std::string> & names);

  Result (*initialize)(unsigned int flags);
  Result (*error_string)(Result, const char **);
  Result (*version)(int *);
  Result (*device)(Device *, int ordinal);
  Result (*device_attribute)(int *, int attribute, Device);
  Result (*retain_primary_context)(Handle *, Device);
  Result (*push_context)(Handle);
  Result (*pop_context)(Handle *);
  Result (*load_module)(Handle *, const void * image);
  Result (*module_function)(Handle *, Handle module, const char * name);
  Result (*launch)(Handle function,
                   unsigned int blocks_x,
                   unsigned int blocks_y,
                   unsigned int blocks_z,
                   unsigned int threads_x,
                   unsigned int threads_y,
                   unsigned int threads_z,
                   unsigned int shared_bytes,
                   Handle stream,
                   void ** arguments,
                   void ** extra);
  Result (*create_stream)(Handle *, unsigned int flags);
  Result (*wait_event)(Handle stream, Handle event, unsigned int flags);
  Result (*record_event)(Handle event, Handle stream);

  /// Throws if the result is not 0: OutOfMemoryException, TransientFailure for a call that is forbidden while a stream is captured,
  /// otherwise NEMLException.
  void check(Result r, const char * what) const;

  /// The version of CUDA to which the driver belongs, as the number 1000 major + 10 minor.
  int cuda_version() const;

private:
  at::DynamicLibrary _library;
};

/// The names of the driver's library, in the order in which they are tried.
std::vector<std::string> cuda_driver_names();
} // namespace neml2::device

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/device/CudaDriver-inl.h"
#endif
