// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"
#include "neml2/device/DeviceCompiler.h"

#include <atomic>
#include <vector>

namespace neml2
{
/// A kernel that exists on a device.
struct DeviceKernel
{
  std::string name; ///< the name of the formula and of the results that the kernel computes
  Dtype dtype;      ///< the dtype of all its operands
  std::string device, architecture;
  bool from_cache; ///< whether the kernel was read from the cache on disk
  double seconds;  ///< the time to compile or read the kernel
  int64_t launches;
};

/// The kernels that this program has made so far, in the order in which they were made. A formula without a kernel in this list did not run
/// fused on a device.
std::vector<DeviceKernel> device_kernels();

namespace device
{
/// A kernel that is loaded on a device.
struct LoadedKernel
{
  std::shared_ptr<DeviceCompiler> compiler;
  DeviceCompiler::Function function;
  DeviceKernel made; ///< its properties, except the number of launches
  std::atomic<int64_t> launches{0};
  /// Whether a launch has failed and would fail again; the kernel is then not used again.
  std::atomic<bool> fails{false};
};

/// The kernel of a source. If it is not loaded yet, it is read from the cache, or compiled. @throws the error of the failed step.
std::shared_ptr<LoadedKernel> load_kernel(const std::shared_ptr<DeviceCompiler> & compiler,
                                          const std::string & name,
                                          const std::string & source,
                                          Dtype dtype,
                                          c10::Device device);

/// Whether this word is the value of the environment variable NEML2_DEVICE_KERNELS.
bool device_kernels_are(const char * word);
} // namespace device
} // namespace neml2

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/device/LoadedKernel-inl.h"
#endif
