// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/CudaCompiler.h"
#include "neml2/recorded/cuda_standard.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// CUDA's compiler, for machines that may have no GPU.
namespace neml2::test
{
/// NVRTC of PyPI's packages nvidia-cuda-nvrtc, from the folder in the variable NEML2_NVRTC, or from the packages of the Python that
/// CMake has found or of make python-test.
class NvrtcOfTests
{
public:
  NvrtcOfTests()
  {
    std::vector<std::string> names;
    for (const auto & folder : folders())
    {
      std::error_code error;
      std::filesystem::recursive_directory_iterator files(folder, error), end;
      for (; !error && files != end; files.increment(error))
        if (files->path().filename().string().compare(0, 12, "libnvrtc.so.") == 0)
          names.push_back(files->path().string());
    }
    if (!names.empty())
      _nvrtc = std::make_unique<device::Nvrtc>(names);
  }

  bool exists() const { return _nvrtc != nullptr; }

  /// NVRTC's errors for a source that does not compile; empty if the source compiles.
  std::string errors(const std::string & source, const std::string & architecture) const
  {
    constexpr size_t headers = recorded::cuda_header_names.size();
    std::vector<const char *> texts(headers, recorded::cuda_standard_header);
    device::Nvrtc::Program p = nullptr;
    _nvrtc->create(&p,
                   source.c_str(),
                   "neml2_kernel.cu",
                   int(headers),
                   texts.data(),
                   recorded::cuda_header_names.data());
    const std::string target = "--gpu-architecture=" + architecture;
    const char * const options[] = {
        "-std=c++17", "-default-device", "-fmad=false", target.c_str(), "-I" NEML2_HOST_INCLUDE};
    std::string log;
    if (_nvrtc->compile(p, 5, options) != 0)
    {
      size_t n = 0;
      _nvrtc->log_size(p, &n);
      log.assign(n, ' ');
      _nvrtc->log(p, log.data());
    }
    _nvrtc->destroy(&p);
    return log;
  }

private:
  std::unique_ptr<device::Nvrtc> _nvrtc;

  static std::vector<std::string> folders()
  {
    if (const char * const named = std::getenv("NEML2_NVRTC"))
      return {named};
    return {NEML2_SITE_PACKAGES "/nvidia", NEML2_PYTHON_TEST_PACKAGES "/nvidia"};
  }
};
} // namespace neml2::test
