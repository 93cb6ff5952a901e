// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"
#include "neml2/device/headers.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

namespace neml2::device
{
/// The folder that was set for this program.
struct NEML2_ONE_A_PROGRAM DeviceHeaders
{
  std::mutex mutex;
  std::string folder;
};

NEML2_ONE_A_PROGRAM inline DeviceHeaders &
device_headers_set()
{
  static DeviceHeaders * const headers = new DeviceHeaders;
  return *headers;
}

NEML2_BODY std::string
device_headers()
{
  if (const char * const folder = std::getenv("NEML2_INCLUDE"); folder && *folder)
    return folder;
  DeviceHeaders & h = device_headers_set();
  const std::lock_guard<std::mutex> lock(h.mutex);
  if (!h.folder.empty())
    return h.folder;
  std::string here = __FILE__; // .../neml2/device/headers-inl.h
  for (int levels = 0; levels < 3; levels++)
    here.erase(std::min(here.find_last_of("/\\"), here.size()));
  return here.empty() ? "." : here;
}

NEML2_BODY void
set_device_headers(std::string folder)
{
  DeviceHeaders & h = device_headers_set();
  const std::lock_guard<std::mutex> lock(h.mutex);
  h.folder = std::move(folder);
}

NEML2_BODY std::string
headers_digest(const std::string & folder)
{
  namespace fs = std::filesystem;
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::lock_guard<std::mutex> lock(mutex);
  std::string & found = known[folder];
  if (!found.empty())
    return found;
  std::vector<fs::path> headers;
  for (const char * room : {"kernels", "packs", "recorded"})
  {
    std::error_code error;
    fs::directory_iterator files(fs::path(folder) / "neml2" / room, error), end;
    for (; !error && files != end; files.increment(error))
      headers.push_back(files->path());
  }
  if (headers.empty())
  {
    known.erase(folder);
    throw NEMLException("the headers of neml2 are not in " + folder +
                        ". Set the environment variable NEML2_INCLUDE to the folder that "
                        "contains the folder neml2 with the headers");
  }
  std::sort(headers.begin(), headers.end());
  std::string all;
  for (const fs::path & h : headers)
  {
    std::ifstream in(h, std::ios::binary);
    all += h.filename().string() + '\n' +
           std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return found = digest(all);
}
} // namespace neml2::device
