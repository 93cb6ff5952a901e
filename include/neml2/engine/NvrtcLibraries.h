// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/Nvrtc.h"

#include <memory>

namespace neml2::engine
{
/// How a device's kernels are compiled.
struct NvrtcTarget
{
  const Nvrtc * nvrtc = nullptr; ///< one of NvrtcLibraries
  std::string architecture;      ///< sm_90 for code, compute_90 for text that the driver translates
};

/// The existing libraries of NVRTC, each opened when those before it do not suffice. Only one thread at a
/// time may use them.
class NvrtcLibraries
{
public:
  /// Opens libraries of these names or paths, in the order to try them. @throws NEMLException if there is none.
  explicit NvrtcLibraries(std::vector<std::string> names);

  /// The target for a device of this architecture, such as 90, whose driver is of this version of CUDA, 1000 major + 10 minor. The first
  /// choice is code, by the first NVRTC that knows the architecture and whose major version is not newer than that of the driver. The
  /// second is text for the newest architecture known to an NVRTC that is not newer than the driver. The last is the output of a newer
  /// NVRTC, which the driver may refuse.
  /// @throws NEMLException if all libraries know only newer architectures.
  NvrtcTarget target(int architecture, int driver);

private:
  std::vector<std::string> _names; ///< names that were not tried yet, the next one last
  std::vector<std::unique_ptr<Nvrtc>> _open;
  std::string _why_none;

  const Nvrtc * opened(size_t k);
};

/// The names of NVRTC's library, in the order to try them, for drivers of this version of CUDA, such as 12.
std::vector<std::string> nvrtc_names(int driver_major);
} // namespace neml2::engine

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/engine/NvrtcLibraries-inl.h"
#endif
