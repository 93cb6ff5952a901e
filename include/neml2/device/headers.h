// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/libtorch_devices.h"

#include <string>

/// The headers of this library that the sources of kernels include.
namespace neml2::device
{
/// The folder that contains `neml2`, the folder of the headers. The environment variable NEML2_INCLUDE may name it. Otherwise it is the
/// folder that was set, or else the folder that contained the headers when the program or library was compiled.
std::string device_headers();
void set_device_headers(std::string folder);

/// The digest of all files that sources may include from such a folder. Each folder is read only once. @throws NEMLException if the
/// folder has no such files.
std::string headers_digest(const std::string & folder);
} // namespace neml2::device

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/device/headers-inl.h"
#endif
