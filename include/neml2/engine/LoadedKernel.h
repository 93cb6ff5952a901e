// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"
#include "neml2/engine/DeviceCompiler.h"

#include <atomic>
#include <vector>

namespace neml2
{
/// A kernel that exists on a device.
struct DeviceKernel
{
  std::string name; ///< the formula, and which results are computed
  Dtype dtype;      ///< the dtype of all its operands
  std::string device, architecture;
  bool from_cache; ///< from the cache on disk
  double seconds;  ///< the time it took to compile, or to read
  int64_t launches;
};

/// The kernels of this program so far, in the order in which they were made: a formula without a kernel here did not run fused on a
/// device.
std::vector<DeviceKernel> device_kernels();

namespace engine
{
/// A kernel that is loaded on a device.
struct LoadedKernel
{
  std::shared_ptr<DeviceCompiler> compiler;
  DeviceCompiler::Function function;
  DeviceKernel made; ///< its properties, except for its launches
  std::atomic<int64_t> launches{0};
  std::atomic<bool> fails{false}; ///< whether each of its launches fails
};

/// The kernel of a source: one that is already loaded, one from the cache, or a new one. @throws the error of the failed step.
std::shared_ptr<LoadedKernel> load_kernel(const std::shared_ptr<DeviceCompiler> & compiler,
                                          const std::string & name,
                                          const std::string & source,
                                          Dtype dtype,
                                          c10::Device device);

/// Whether the environment variable NEML2_DEVICE_KERNELS is this word.
bool device_kernels_are(const char * word);
} // namespace engine
} // namespace neml2

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/engine/LoadedKernel-inl.h"
#endif
