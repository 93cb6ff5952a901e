// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/CudaCompiler.h"
#include "neml2/engine/DeviceCompiler.h"

#include <cstdlib>
#include <mutex>

namespace neml2::engine
{
/// What was set for this program.
struct NEML2_ONE_A_PROGRAM DeviceSettings
{
  std::mutex mutex;
  std::shared_ptr<DeviceCompiler> compiler, cuda;
  std::string why_no_cuda; ///< if it was looked for in vain
  std::string headers;
};

NEML2_ONE_A_PROGRAM inline DeviceSettings &
device_settings()
{
  static DeviceSettings * const settings =
      new DeviceSettings; // kernels may be launched to the very end
  return *settings;
}

NEML2_BODY std::shared_ptr<DeviceCompiler>
device_compiler(c10::DeviceType type)
{
  DeviceSettings & s = device_settings();
  const std::lock_guard<std::mutex> lock(s.mutex);
  if (s.compiler && s.compiler->type() == type)
    return s.compiler;
  if (type != c10::DeviceType::CUDA)
    return nullptr;
  if (!s.cuda && s.why_no_cuda.empty())
    try
    {
      s.cuda = std::make_shared<CudaCompiler>();
    }
    catch (const std::exception & e)
    {
      s.why_no_cuda = e.what();
    }
  if (!s.cuda)
    throw NEMLException(s.why_no_cuda);
  return s.cuda;
}

NEML2_BODY void
set_device_compiler(std::shared_ptr<DeviceCompiler> compiler)
{
  DeviceSettings & s = device_settings();
  const std::lock_guard<std::mutex> lock(s.mutex);
  s.compiler = std::move(compiler);
}

NEML2_BODY std::string
device_headers()
{
  if (const char * const folder = std::getenv("NEML2_INCLUDE"); folder && *folder)
    return folder;
  DeviceSettings & s = device_settings();
  const std::lock_guard<std::mutex> lock(s.mutex);
  if (!s.headers.empty())
    return s.headers;
  std::string here = __FILE__; // .../neml2/engine/DeviceCompiler-inl.h
  for (int levels = 0; levels < 3; levels++)
    here.erase(std::min(here.find_last_of("/\\"), here.size()));
  return here.empty() ? "." : here;
}

NEML2_BODY void
set_device_headers(std::string folder)
{
  DeviceSettings & s = device_settings();
  const std::lock_guard<std::mutex> lock(s.mutex);
  s.headers = std::move(folder);
}
} // namespace neml2::engine
