// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/Nvrtc.h"

#include <algorithm>
#include <filesystem>

namespace neml2::device
{
#ifndef _WIN32
namespace cuda
{
/// Opens the library of built-in functions in NVRTC's folder. NVRTC itself opens this library
/// afterwards, by its file name alone, and NVRTC 13 from PyPI does not search its own folder.
inline void
open_builtins(const std::string & folder)
{
  std::error_code error;
  std::filesystem::directory_iterator files(folder, error), end;
  for (; !error && !folder.empty() && files != end; files.increment(error))
    if (files->path().filename().string().rfind("libnvrtc-builtins.so.", 0) == 0)
      try
      {
        const at::DynamicLibrary library(files->path().c_str(), nullptr, /*leak_handle=*/true);
      }
      catch (const std::exception &) // NVRTC will report that the library is missing
      {
      }
}
} // namespace cuda
#endif

NEML2_BODY
Nvrtc::Nvrtc(const std::vector<std::string> & names)
  : _library(cuda::first_library("CUDA's run time compiler NVRTC", names), nullptr, true)
{
  cuda::find(_library, "nvrtcGetErrorString", error_string);
  cuda::find(_library, "nvrtcVersion", get_version);
  cuda::find(_library, "nvrtcCreateProgram", create);
  cuda::find(_library, "nvrtcDestroyProgram", destroy);
  cuda::find(_library, "nvrtcCompileProgram", compile);
  cuda::find(_library, "nvrtcGetProgramLogSize", log_size);
  cuda::find(_library, "nvrtcGetProgramLog", log);
  cuda::find(_library, "nvrtcGetCUBINSize", cubin_size);
  cuda::find(_library, "nvrtcGetCUBIN", cubin);
  cuda::find(_library, "nvrtcGetPTXSize", ptx_size);
  cuda::find(_library, "nvrtcGetPTX", ptx);
  cuda::find(_library, "nvrtcGetNumSupportedArchs", architecture_count);
  cuda::find(_library, "nvrtcGetSupportedArchs", architectures);
#ifndef _WIN32
  cuda::open_builtins(cuda::folder_of(get_version));
#endif
  int major_version = 0, minor_version = 0, count = 0;
  check(get_version(&major_version, &minor_version), "nvrtcVersion");
  cuda_version = 1000 * major_version + 10 * minor_version;
  check(architecture_count(&count), "nvrtcGetNumSupportedArchs");
  known.resize(size_t(std::max(count, 1)));
  check(architectures(known.data()), "nvrtcGetSupportedArchs");
  std::sort(known.begin(), known.end());
}

NEML2_BODY int
Nvrtc::newest_until(int architecture) const
{
  const auto newer = std::upper_bound(known.begin(), known.end(), architecture);
  return newer == known.begin() ? 0 : newer[-1];
}

NEML2_BODY std::string
Nvrtc::name() const
{
  return "NVRTC " + std::to_string(cuda_version / 1000) + '.' +
         std::to_string(cuda_version % 1000 / 10);
}

NEML2_BODY std::string
Nvrtc::described() const
{
  std::string s = name() + " for ";
  for (const int a : known)
    s += (a == known.front() ? "sm_" : ", sm_") + std::to_string(a);
  return s;
}

NEML2_BODY void
Nvrtc::check(Result r, const char * what) const
{
  if (r == 0)
    return;
  const std::string message =
      std::string("NVRTC reports an error in ") + what + ": " + error_string(r);
  if (r == out_of_memory)
    throw OutOfMemoryException(message);
  throw NEMLException(message);
}
} // namespace neml2::device
