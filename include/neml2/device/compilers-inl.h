// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"
#include "neml2/device/CudaCompiler.h"
#include "neml2/device/compilers.h"

#include <mutex>

namespace neml2::device
{
/// The compilers that were set for this program.
struct NEML2_ONE_A_PROGRAM DeviceCompilers
{
  std::mutex mutex;
  std::shared_ptr<DeviceCompiler> compiler, cuda;
  std::string why_no_cuda; ///< why the search for CUDA failed
};

NEML2_ONE_A_PROGRAM inline DeviceCompilers &
device_compilers()
{
  static DeviceCompilers * const compilers =
      new DeviceCompilers; // never freed, because kernels may be launched until the program ends
  return *compilers;
}

NEML2_BODY std::shared_ptr<DeviceCompiler>
device_compiler(c10::DeviceType type)
{
  DeviceCompilers & s = device_compilers();
  const std::lock_guard<std::mutex> lock(s.mutex);
  if (s.compiler && s.compiler->type() == type)
    return s.compiler;
  if (type != c10::DeviceType::CUDA || is_rocm()) // ROCm calls AMD's devices CUDA, too
    return nullptr;
  if (!s.cuda && s.why_no_cuda.empty())
    try
    {
      s.cuda = std::make_shared<CudaCompiler>();
    }
    catch (const std::exception & e)
    {
      if (is_transient(e))
        throw;
      s.why_no_cuda = e.what();
    }
  if (!s.cuda)
    throw NEMLException(s.why_no_cuda);
  return s.cuda;
}

NEML2_BODY void
set_device_compiler(std::shared_ptr<DeviceCompiler> compiler)
{
  DeviceCompilers & s = device_compilers();
  const std::lock_guard<std::mutex> lock(s.mutex);
  s.compiler = std::move(compiler);
}
} // namespace neml2::device
