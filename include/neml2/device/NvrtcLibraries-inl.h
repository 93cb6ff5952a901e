// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/NvrtcLibraries.h"

#include "neml2/device/DeviceCompiler.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace neml2::device
{
NEML2_BODY
NvrtcLibraries::NvrtcLibraries(std::vector<std::string> names) : _names(std::move(names))
{
  if (_names.empty())
    _open.push_back(std::make_unique<Nvrtc>(_names)); // throws, because there is no library
  std::reverse(_names.begin(), _names.end());
  if (!opened(0))
    throw NEMLException(_why_none);
}

/// Library number k, counted from 0, among the libraries that can be opened; null if there are not that many. Libraries of the same version
/// count as one.
NEML2_BODY const Nvrtc *
NvrtcLibraries::opened(size_t k)
{
  while (_open.size() <= k && !_names.empty())
  {
    try
    {
      auto made = std::make_unique<Nvrtc>(std::vector<std::string>{_names.back()});
      if (std::none_of(_open.begin(),
                       _open.end(),
                       [&](const auto & o) { return o->cuda_version == made->cuda_version; }))
        _open.push_back(std::move(made));
    }
    catch (const std::exception & e)
    {
      if (is_transient(e))
        throw;
      if (_why_none.empty())
        _why_none = cuda::first_line(e);
    }
    _names.pop_back();
  }
  return k < _open.size() ? _open[k].get() : nullptr;
}

NEML2_BODY NvrtcTarget
NvrtcLibraries::target(int architecture, int driver)
{
  enum Fitness
  {
    none,
    refused, ///< the driver may refuse it
    text,
    code
  };
  NvrtcTarget best;
  std::pair<Fitness, int> best_is{none, 0};
  const Nvrtc * n = nullptr;
  for (size_t k = 0; best_is.first != code && (n = opened(k)); k++)
  {
    const int known = n->newest_until(architecture);
    const bool is_code = known == architecture;
    const bool is_taken =
        is_code ? n->cuda_version / 1000 <= driver / 1000 : n->cuda_version <= driver;
    std::pair<Fitness, int> is{none, known};
    if (known != 0)
      is.first = !is_taken ? refused : is_code ? code : text;
    if (is > best_is)
    {
      best_is = is;
      best = {n, (is_code ? "sm_" : "compute_") + std::to_string(known)};
    }
  }
  if (best.nvrtc)
    return best;
  std::string all;
  for (const auto & o : _open)
    all += (all.empty() ? "" : "; ") + o->described();
  throw NEMLException("no installed NVRTC compiles for a device as old as sm_" +
                      std::to_string(architecture) + " (" + all +
                      "). Install an older one, such as PyPI's nvidia-cuda-nvrtc-cu" +
                      (architecture < 50 ? "11" : "12"));
}

NEML2_BODY std::vector<std::string>
nvrtc_names(int driver_major)
{
  std::vector<int> majors{13, 12, 11};
  if (driver_major > majors.front())
    majors.insert(majors.begin(), driver_major);
  // A driver may refuse the output of an NVRTC that is newer than the driver. Therefore such NVRTCs come last.
  std::stable_partition(
      majors.begin(), majors.end(), [driver_major](int m) { return m <= driver_major; });
  std::vector<std::string> names;
#if defined(_WIN32)
  for (const int m : majors)
    names.push_back("nvrtc64_" + std::to_string(m) + (m == 11 ? "2_0.dll" : "0_0.dll"));
#elif !defined(__APPLE__)
  const std::string folder = cuda::folder_of(&c10::get_default_dtype),
                    packages = folder + "../../nvidia/";
  for (const int m : majors)
  {
    const std::string file = "libnvrtc.so." + std::to_string(m) + (m == 11 ? ".2" : "");
    names.push_back(file); // already loaded, or in a search path of the program or of LibTorch
    if (!folder.empty())
      for (const std::string & beside :
           {folder, packages + "cu" + std::to_string(m) + "/lib/", packages + "cuda_nvrtc/lib/"})
        names.push_back(beside + file);
  }
  // In wheels and archives of LibTorch that contain all of CUDA, the library's name also contains a digest.
  std::error_code error;
  std::filesystem::directory_iterator files(folder, error), end;
  for (; !error && !folder.empty() && files != end; files.increment(error))
    if (const std::string file = files->path().filename().string();
        file.rfind("libnvrtc-", 0) == 0 && file.rfind("libnvrtc-builtins", 0) != 0)
      names.push_back(files->path().string());
#endif
  return names;
}
} // namespace neml2::device
