// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/CudaDriver.h"

#include "neml2/device/DeviceCompiler.h"

namespace neml2::device
{
NEML2_BODY std::vector<std::string>
cuda_driver_names()
{
#if defined(_WIN32)
  return {"nvcuda.dll"};
#elif defined(__APPLE__)
  return {};
#else
  return {"libcuda.so.1", "libcuda.so"};
#endif
}

NEML2_BODY
CudaDriver::CudaDriver(const std::vector<std::string> & names)
  : _library(cuda::first_library("the driver of CUDA", names), nullptr, true)
{
  cuda::find(_library, "cuInit", initialize);
  cuda::find(_library, "cuGetErrorString", error_string);
  cuda::find(_library, "cuDriverGetVersion", version);
  cuda::find(_library, "cuDeviceGet", device);
  cuda::find(_library, "cuDeviceGetAttribute", device_attribute);
  cuda::find(_library, "cuDevicePrimaryCtxRetain", retain_primary_context);
  cuda::find(_library, "cuCtxPushCurrent_v2", push_context);
  cuda::find(_library, "cuCtxPopCurrent_v2", pop_context);
  cuda::find(_library, "cuModuleLoadData", load_module);
  cuda::find(_library, "cuModuleGetFunction", module_function);
  cuda::find(_library, "cuLaunchKernel", launch);
  cuda::find(_library, "cuStreamCreate", create_stream);
  cuda::find(_library, "cuStreamWaitEvent", wait_event);
  cuda::find(_library, "cuEventRecord", record_event);
  check(initialize(0), "cuInit");
}

NEML2_BODY void
CudaDriver::check(Result r, const char * what) const
{
  if (r == 0)
    return;
  const char * text = nullptr;
  error_string(r, &text);
  const std::string message = std::string("the driver of CUDA reports an error in ") + what + ": " +
                              (text ? text : "error " + std::to_string(r));
  constexpr Result out_of_memory = 2, first_of_capture = 900, last_of_capture = 908;
  if (r == out_of_memory)
    throw OutOfMemoryException(message);
  if (first_of_capture <= r && r <= last_of_capture)
    throw TransientFailure(message);
  throw NEMLException(message);
}

NEML2_BODY int
CudaDriver::cuda_version() const
{
  int v = 0;
  check(version(&v), "cuDriverGetVersion");
  return v;
}
} // namespace neml2::device
