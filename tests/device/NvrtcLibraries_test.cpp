// SPDX-License-Identifier: MIT
#include "neml2/device/NvrtcLibraries.h"

#include "support/errors.h"

#include <algorithm>

#include "support/catch.h"

#ifdef NEML2_FAKE_CUDA
namespace NvrtcLibraries_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::error_of;

namespace
{
const std::string v11 = NEML2_FAKE_CUDA_11, v12 = NEML2_FAKE_CUDA, v13 = NEML2_FAKE_CUDA_13;

/// The target that these libraries give for a device of this architecture and a driver of this
/// version.
std::string
target(const std::vector<std::string> & names, int architecture, int driver)
{
  device::NvrtcLibraries libraries(names);
  const device::NvrtcTarget t = libraries.target(architecture, driver);
  return t.architecture + " by " + std::to_string(t.nvrtc->cuda_version);
}
} // namespace

TEST_CASE("NVRTC is looked for in the versions that the driver takes first", "[engine][device]")
{
  const auto first = [](int driver) { return device::nvrtc_names(driver)[0]; };
  REQUIRE(first(11) == "libnvrtc.so.11.2");
  REQUIRE(first(12) == "libnvrtc.so.12");
  REQUIRE(first(13) == "libnvrtc.so.13");
  REQUIRE(first(14) == "libnvrtc.so.14");
  const auto names = device::nvrtc_names(12);
  const auto has = [&](const std::string & end)
  {
    return std::any_of(names.begin(),
                       names.end(),
                       [&](const std::string & n)
                       { return n.size() > end.size() && n.substr(n.size() - end.size()) == end; });
  };
  REQUIRE(has("/../../nvidia/cuda_nvrtc/lib/libnvrtc.so.12")); // PyPI's place beside torch
  REQUIRE(has("/../../nvidia/cu13/lib/libnvrtc.so.13"));
}

TEST_CASE("The first NVRTC that knows a device compiles for it", "[engine][device]")
{
  REQUIRE(target({v12, v13, v11}, 90, 13000) == "sm_90 by 12040");
  REQUIRE(target({v13, v12, v11}, 90, 13000) == "sm_90 by 13000");
  REQUIRE(target({v13, v12, v11}, 70, 13000) == "sm_70 by 12040");
  REQUIRE(target({v11, v12, v13}, 120, 13000) == "sm_120 by 13000");
  REQUIRE(target({v12, v11}, 80, 12020) == "sm_80 by 12040"); // code of another minor version
}

TEST_CASE("For a device that no NVRTC knows, text for the newest architecture is translated by the "
          "driver",
          "[engine][device]")
{
  REQUIRE(target({v12}, 120, 13000) == "compute_90 by 12040");
  REQUIRE(target({v11, v12}, 120, 13000) == "compute_90 by 12040");
  REQUIRE(target({v12, v13}, 86, 13000) == "compute_80 by 12040");
}

TEST_CASE("An output that a driver may refuse is taken last", "[engine][device]")
{
  REQUIRE(target({v13, v12}, 90, 12040) == "sm_90 by 12040");
  REQUIRE(target({v13, v12}, 120, 12080) == "compute_90 by 12040");
  REQUIRE(target({v12, v11}, 90, 11080) == "compute_80 by 11080");
  REQUIRE(target({v13}, 120, 12080) == "sm_120 by 13000");
  REQUIRE(target({v12, v11}, 86, 12020) == "compute_80 by 11080"); // text of a newer minor version
}

TEST_CASE("Messages say which NVRTC there are, and what they compile for", "[engine][device]")
{
  REQUIRE_THAT(error_of(
                   [] {
                     target({v13, v12, v13}, 60, 13000);
                   }),
               ContainsSubstring("sm_60 (NVRTC 13.0 for sm_75, sm_80, sm_90, sm_120; NVRTC 12.4 "
                                 "for sm_70, sm_80, sm_90). Install an older one, such as PyPI's "
                                 "nvidia-cuda-nvrtc-cu12"));
  REQUIRE_THAT(error_of([] { target({v13}, 37, 13000); }),
               ContainsSubstring("nvidia-cuda-nvrtc-cu11"));
  REQUIRE_THAT(error_of([] { target({"libno_nvrtc.so"}, 60, 13000); }),
               ContainsSubstring("NVRTC was not found") && ContainsSubstring("libno_nvrtc.so"));
  REQUIRE_THAT(error_of([] { target({}, 60, 13000); }),
               ContainsSubstring("its location is unknown"));
}

TEST_CASE("A library that lacks functions, as NVRTC 11.1, is passed over", "[engine][device]")
{
  REQUIRE(target({"libm.so.6", v12}, 90, 13000) == "sm_90 by 12040");
  REQUIRE_THAT(error_of([] { target({"libm.so.6"}, 90, 13000); }), ContainsSubstring("nvrtc"));
}
} // namespace NvrtcLibraries_test
#endif
