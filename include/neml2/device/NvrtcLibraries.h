// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/Nvrtc.h"

#include <memory>

namespace neml2::device
{
/// How a device's kernels are compiled.
struct NvrtcTarget
{
  const Nvrtc * nvrtc = nullptr; ///< a library of NvrtcLibraries
  /// For machine code a name such as sm_90; for text (PTX), which the driver translates, a name such as compute_90.
  std::string architecture;
};

/// The libraries of NVRTC on this machine. Each is opened only if the libraries before it do not suffice. Only one thread at a time may
/// use this object.
class NvrtcLibraries
{
public:
  /// Tries libraries of these names or paths, in this order. @throws NEMLException if none can be opened.
  explicit NvrtcLibraries(std::vector<std::string> names);

  /// The target for a device of this architecture, such as 90, with a driver of this version of CUDA (1000 major + 10 minor):
  /// - machine code by the first NVRTC that knows the architecture, and whose major version is not newer than the driver's;
  /// - otherwise PTX for the newest architecture that is not newer than the device's, among those known to an NVRTC that is itself not newer than
  ///   the driver;
  /// - otherwise the output of a newer NVRTC, which the driver may refuse.
  /// @throws NEMLException if all libraries know only newer architectures.
  NvrtcTarget target(int architecture, int driver);

private:
  std::vector<std::string> _names; ///< names that were not tried yet; the last one is tried next
  std::vector<std::unique_ptr<Nvrtc>> _open;
  std::string _why_none;

  const Nvrtc * opened(size_t k);
};

/// The names of NVRTC's library in the order in which they are tried, for a driver whose major version of CUDA is, for example, 12.
std::vector<std::string> nvrtc_names(int driver_major);
} // namespace neml2::device

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/device/NvrtcLibraries-inl.h"
#endif
