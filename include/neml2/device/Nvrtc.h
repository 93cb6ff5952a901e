// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/CudaLibrary.h"

namespace neml2::device
{
/// The functions of NVRTC (CUDA's compiler as a library) that the library uses, declared as in NVRTC's documentation.
struct Nvrtc
{
  using Program = void *;
  using Result = int; ///< 0 if all went well
  static constexpr Result out_of_memory = 1;

  /// Opens the first of these names or paths whose library can be opened. @throws NEMLException if there is no such library, c10::Error
  /// if the library is older than 11.2.
  explicit Nvrtc(const std::vector<std::string> & names);

  int cuda_version;       ///< the version of CUDA to which it belongs, 1000 major + 10 minor
  std::vector<int> known; ///< architectures for which it compiles, such as 90, in ascending order

  const char * (*error_string)(Result);
  Result (*get_version)(int * major, int * minor);
  Result (*create)(Program *,
                   const char * source,
                   const char * name,
                   int headers,
                   const char * const * texts,
                   const char * const * header_names);
  Result (*destroy)(Program *);
  Result (*compile)(Program, int count, const char * const * options);
  Result (*log_size)(Program, size_t *);
  Result (*log)(Program, char *);
  Result (*cubin_size)(Program, size_t *);
  Result (*cubin)(Program, char *);
  Result (*ptx_size)(Program, size_t *);
  Result (*ptx)(Program, char *);
  Result (*architecture_count)(int *);
  Result (*architectures)(int *);

  /// The newest known architecture that is not newer than this one; 0 if there is none.
  int newest_until(int architecture) const;

  /// The name of this library in messages, such as NVRTC 12.4.
  std::string name() const;

  /// The name and the architectures of this library in messages, such as "NVRTC 12.4 for sm_70, sm_80, sm_90".
  std::string described() const;

  /// Throws if the result is not 0: OutOfMemoryException if there is not enough memory, otherwise NEMLException.
  void check(Result r, const char * what) const;

private:
  at::DynamicLibrary _library;
};
} // namespace neml2::device

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/device/Nvrtc-inl.h"
#endif
