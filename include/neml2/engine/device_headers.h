// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/libtorch_devices.h"

#include <string>

/// The headers of this library that sources of kernels include.
namespace neml2::engine
{
/// The folder with the folder neml2 of the headers: NEML2_INCLUDE of the environment, else what was set, else where they were
/// when this was compiled.
std::string device_headers();
void set_device_headers(std::string folder);

/// The digest of all that sources may include from such a folder; of each folder read once. @throws NEMLException if they are
/// not there.
std::string headers_digest(const std::string & folder);
} // namespace neml2::engine

#ifndef NEML2_COMPILED // else the library has the bodies
#include "neml2/engine/device_headers-inl.h"
#endif
