// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/LoadedKernel.h"

#include "neml2/core/Operand.h"
#include "neml2/device/KernelCache.h"
#include "neml2/version.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace neml2
{
namespace device
{
/// All kernels of a program. No kernel is ever unloaded, because it may be running.
struct NEML2_ONE_A_PROGRAM LoadedKernels
{
  std::mutex mutex;
  /// Each kernel is stored under a string made of its key and device.
  std::vector<std::pair<std::string, std::shared_ptr<LoadedKernel>>> all;
  /// Images by their keys. They have been compiled, but not loaded yet.
  std::map<std::string, std::string> unloaded;
};

NEML2_ONE_A_PROGRAM inline LoadedKernels &
loaded_kernels()
{
  static LoadedKernels * const kernels = new LoadedKernels; // threads may run until exit
  return *kernels;
}

/// Removes and returns the image with this key that was compiled before but could not be loaded. Empty if there is none.
NEML2_BODY std::string
unloaded_image(const std::string & key)
{
  LoadedKernels & k = loaded_kernels();
  const std::lock_guard<std::mutex> lock(k.mutex);
  const auto found = k.unloaded.extract(key);
  return found ? found.mapped() : std::string();
}

NEML2_BODY void
keep_unloaded(const std::string & key, std::string image)
{
  LoadedKernels & k = loaded_kernels();
  const std::lock_guard<std::mutex> lock(k.mutex);
  k.unloaded[key] = std::move(image);
}

NEML2_BODY bool
device_kernels_are(const char * word)
{
  const char * const asked = std::getenv("NEML2_DEVICE_KERNELS");
  return asked && std::strcmp(asked, word) == 0;
}

NEML2_BODY std::shared_ptr<LoadedKernel>
load_kernel(const std::shared_ptr<DeviceCompiler> & compiler,
            const std::string & name,
            const std::string & source,
            Dtype dtype,
            c10::Device device)
{
  const auto start = std::chrono::steady_clock::now();
  const std::string architecture = compiler->architecture(device);
  const std::string key =
      digest(source + '\n' + compiler->version(device) + '\n' + architecture + "\nneml2 " +
             std::to_string(NEML2_VERSION_MAJOR) + '.' + std::to_string(NEML2_VERSION_MINOR) + '.' +
             std::to_string(NEML2_VERSION_PATCH));
  const std::string place = key + ' ' + device.str();
  LoadedKernels & kernels = loaded_kernels();
  const auto find = [&]() -> std::shared_ptr<LoadedKernel>
  {
    for (const auto & k : kernels.all)
      if (k.first == place && k.second->compiler == compiler)
        return k.second;
    return nullptr;
  };
  {
    const std::lock_guard<std::mutex> lock(kernels.mutex);
    if (auto found = find())
      return found;
  }
  const KernelCache cache;
  auto made = std::make_shared<LoadedKernel>();
  std::string image = cache.find(key);
  bool from_cache = !image.empty();
  if (from_cache)
    try
    {
      made->function = compiler->load(image, device);
    }
    catch (const std::exception & e)
    {
      if (is_transient(e))
        throw;
      from_cache = false; // the file is complete, but does not contain a kernel
    }
  if (!from_cache)
  {
    image = unloaded_image(key);
    if (image.empty())
      image = compiler->compile(source, device);
    try
    {
      made->function = compiler->load(image, device);
    }
    catch (const std::exception & e)
    {
      if (is_transient(e))
        keep_unloaded(key, image);
      throw;
    }
    cache.keep(key, image);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  made->compiler = compiler;
  made->made = {name, dtype, device.str(), architecture, from_cache, took.count(), 0};
  if (device_kernels_are("verbose"))
    std::fprintf(stderr,
                 "neml2: %s (%s) for %s on %s: %s in %.0f ms\n",
                 name.c_str(),
                 core::dtype_name(dtype),
                 architecture.c_str(),
                 device.str().c_str(),
                 from_cache ? "read from the cache" : "compiled",
                 1e3 * took.count());
  const std::lock_guard<std::mutex> lock(kernels.mutex);
  if (auto found = find()) // made by another thread meanwhile
    return found;
  kernels.all.emplace_back(place, made);
  return made;
}
} // namespace device

NEML2_BODY std::vector<DeviceKernel>
device_kernels()
{
  device::LoadedKernels & kernels = device::loaded_kernels();
  const std::lock_guard<std::mutex> lock(kernels.mutex);
  std::vector<DeviceKernel> all;
  for (const auto & k : kernels.all)
  {
    all.push_back(k.second->made);
    all.back().launches = k.second->launches;
  }
  return all;
}
} // namespace neml2
