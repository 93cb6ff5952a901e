// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/CudaDriver.h"
#include "neml2/device/DeviceCompiler.h"
#include "neml2/device/NvrtcLibraries.h"

#include <atomic>
#include <map>
#include <mutex>

/// Kernels for CUDA. NVRTC (CUDA's compiler as a library) compiles them, and CUDA's driver launches them. Both libraries are opened
/// while the program runs.
namespace neml2::device
{
/// Compiles with an NVRTC that supports the device's architecture. If every NVRTC is older than the device, the output is for the newest
/// architecture that an NVRTC supports, and the driver translates it.
class CudaCompiler : public DeviceCompiler
{
public:
  CudaCompiler() : CudaCompiler(cuda_driver_names(), {}) {}
  /// Opens libraries of these names. If `nvrtc` is empty, the names are nvrtc_names for the driver's version.
  CudaCompiler(const std::vector<std::string> & driver, const std::vector<std::string> & nvrtc);

  c10::DeviceType type() const override { return c10::DeviceType::CUDA; }
  std::string architecture(c10::Device device) override;
  std::string version(c10::Device device) override;
  std::string compile(const std::string & source, c10::Device device) override;
  Function load(const std::string & image, c10::Device device) override;
  void launch(const Launch & l) override;

private:
  /// The objects that exist once per device.
  struct OnDevice
  {
    CudaDriver::Handle context = nullptr, stream = nullptr;
    NvrtcTarget target;
  };

  CudaDriver _driver;
  NvrtcLibraries _nvrtc;
  std::mutex _mutex;
  std::map<c10::DeviceIndex, OnDevice> _devices;
  std::atomic<bool> _gives_streams{true}; ///< whether LibTorch returns its streams' handles

  OnDevice & on(c10::Device device);
  CudaDriver::Handle own_stream(c10::Device device);
  void launch_on(const Launch & l, CudaDriver::Handle stream);
  void launch_between_events(const Launch & l);
};
} // namespace neml2::device

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/device/CudaCompiler-inl.h"
#endif
