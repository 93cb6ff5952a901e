// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"
#include "neml2/device/libtorch_devices.h"

#include <string>
#include <vector>
#ifndef _WIN32
#include <dlfcn.h>
#endif

/// Libraries of CUDA that are opened while the program runs. They stay open.
namespace neml2::device::cuda
{
inline std::string
first_line(const std::exception & e)
{
  const std::string what = e.what();
  return what.substr(0, what.find('\n'));
}

/// The first of these names or paths whose library can be opened. @throws NEMLException if no library can be opened.
inline const char *
first_library(const char * what, const std::vector<std::string> & names)
{
  std::string why;
  for (const std::string & name : names)
    try
    {
      const at::DynamicLibrary library(name.c_str(), nullptr, /*leak_handle=*/true);
      return name.c_str();
    }
    catch (const std::exception & e)
    {
      if (why.empty())
        why = first_line(e);
    }
  throw NEMLException(std::string(what) + " was not found (" +
                      (names.empty() ? "its location is unknown" : why) + ")");
}

template <class F>
void
find(at::DynamicLibrary & library, const char * name, F *& f)
{
  f = reinterpret_cast<F *>(library.sym(name));
}

/// The folder of the library that contains a function; empty if unknown.
template <class F>
std::string
folder_of([[maybe_unused]] F * function)
{
#ifndef _WIN32
  Dl_info info;
  if (dladdr(reinterpret_cast<const void *>(function), &info) && info.dli_fname)
  {
    const std::string file = info.dli_fname;
    const size_t end = file.rfind('/');
    return end == file.npos ? std::string() : file.substr(0, end + 1);
  }
#endif
  return {};
}
} // namespace neml2::device::cuda
