// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/NvrtcLibraries.h"

#include <algorithm>
#include <filesystem>

namespace neml2::engine
{
NEML2_BODY std::vector<std::string>
nvrtc_names(int driver_major)
{
  std::vector<int> majors{13, 12, 11};
  if (driver_major > majors.front())
    majors.insert(majors.begin(), driver_major);
  // What a newer NVRTC makes a driver may not take: those come last.
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
    names.push_back(file); // loaded, or in the search path of this program or of LibTorch
    if (!folder.empty())
      for (const std::string & beside :
           {folder, packages + "cu" + std::to_string(m) + "/lib/", packages + "cuda_nvrtc/lib/"})
        names.push_back(beside + file);
  }
  // Wheels and archives of LibTorch that have all of CUDA in them name it by a digest, too.
  std::error_code error;
  std::filesystem::directory_iterator files(folder, error), end;
  for (; !error && !folder.empty() && files != end; files.increment(error))
    if (const std::string file = files->path().filename().string();
        file.rfind("libnvrtc-", 0) == 0 && file.rfind("libnvrtc-builtins", 0) != 0)
      names.push_back(files->path().string());
#endif
  return names;
}
} // namespace neml2::engine
