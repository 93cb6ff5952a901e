// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/DeviceCompiler.h"

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

/// Kernels for CUDA by its compiler as a library, NVRTC, and its driver: both are opened while the program runs.
namespace neml2::engine
{
/// The functions of NVRTC that are used, as its documentation has them.
struct Nvrtc
{
  using Program = void *;
  using Result = int; ///< 0 if all went well

  /// Opens the first library of these names or paths that there is. @throws NEMLException if there is none.
  explicit Nvrtc(const std::vector<std::string> & names);

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
  Result (*architectures)(int *); ///< such as 90

private:
  at::DynamicLibrary _library;
};

/// The functions of CUDA's driver that are used.
struct CudaDriver
{
  using Device = int;
  using Handle = void *; ///< of a context, a module, a function, a stream or an event
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

  /// Throws unless the result is 0.
  void check(Result r, const char * what) const;

private:
  at::DynamicLibrary _library;
};

/// The names of the driver's library and of NVRTC's, in the order to try them, for drivers of this version of CUDA, such as 12.
std::vector<std::string> cuda_driver_names();
std::vector<std::string> nvrtc_names(int driver_major);

/// Compiles by NVRTC for the device's architecture, or, where NVRTC is older than the device, for the newest it knows, which
/// the driver translates.
class CudaCompiler : public DeviceCompiler
{
public:
  CudaCompiler() : CudaCompiler(cuda_driver_names(), {}) {}
  /// With libraries of these names; of NVRTC those that fit the driver if there are none.
  CudaCompiler(const std::vector<std::string> & driver, const std::vector<std::string> & nvrtc);

  c10::DeviceType type() const override { return c10::DeviceType::CUDA; }
  std::string version() override;
  std::string architecture(c10::Device device) override;
  std::string compile(const std::string & source, const std::string & architecture) override;
  Function load(const std::string & image, c10::Device device) override;
  void launch(const Launch & l) override;

private:
  /// What there is of a device.
  struct OnDevice
  {
    CudaDriver::Handle context = nullptr, stream = nullptr;
    std::string architecture;
  };

  CudaDriver _driver;
  Nvrtc _nvrtc;
  std::mutex _mutex;
  std::map<c10::DeviceIndex, OnDevice> _devices;
  std::atomic<bool> _gives_streams{true}; ///< LibTorch, as CUDA knows them

  OnDevice & on(c10::Device device);
  CudaDriver::Handle own_stream(c10::Device device);
  void launch_on(const Launch & l, CudaDriver::Handle stream);
  void launch_between_events(const Launch & l);
};
} // namespace neml2::engine

#ifndef NEML2_COMPILED // else the library has the bodies
#include "neml2/engine/CudaCompiler-inl.h"
#endif
