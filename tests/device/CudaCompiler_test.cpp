// SPDX-License-Identifier: MIT
#include "neml2/device/CudaCompiler.h"
#include "neml2/device/headers.h"

#include "neml2/recorded/KernelArguments.h"
#include "neml2/version.h"
#include "support/environment.h"
#include "support/errors.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/version.h>

#include "support/catch.h"

#ifdef NEML2_FAKE_CUDA
namespace CudaCompiler_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::error_of;

namespace
{
/// Stands in for LibTorch's guard of CUDA devices, for machines without CUDA. No function is marked override, because
/// LibTorch 2.9 lacks the last one.
struct Guard : c10::impl::DeviceGuardImplInterface
{
  static inline bool gives_native_streams = true;
  static inline std::string done;

  c10::DeviceType type() const { return kCUDA; }
  c10::Device exchangeDevice(c10::Device d) const { return d; }
  c10::Device getDevice() const { return {kCUDA, 0}; }
  void setDevice(c10::Device) const {}
  void uncheckedSetDevice(c10::Device) const noexcept {}
  c10::Stream getStream(c10::Device d) const noexcept
  {
    return c10::Stream(c10::Stream::UNSAFE, d, 5);
  }
  c10::Stream exchangeStream(c10::Stream s) const noexcept { return s; }
  c10::DeviceIndex deviceCount() const noexcept { return 2; }
  void
  record(void ** event, const c10::Stream & s, const c10::DeviceIndex, const c10::EventFlag) const
  {
    *event = reinterpret_cast<void *>(33);
    done += "recorded on " + std::to_string(s.id()) + ' ';
  }
  void block(void * event, const c10::Stream & s) const
  {
    done += std::to_string(s.id()) + " blocked by " +
            std::to_string(reinterpret_cast<uintptr_t>(event)) + ' ';
  }
  void destroyEvent(void *, const c10::DeviceIndex) const noexcept { done += "destroyed"; }
  void * getStreamNativeHandle(const c10::Stream s) const
  {
    TORCH_CHECK(gives_native_streams, "not known");
    return reinterpret_cast<void *>(1000 + s.id());
  }
};

bool
has_no_gpu()
{
  static const bool registered = [] // where there are GPUs, their guard is kept
  {
    if (c10::impl::hasDeviceGuardImpl(kCUDA))
      return false;
    const c10::impl::DeviceGuardImplRegistrar guard(kCUDA, new Guard);
    return true;
  }();
  return registered;
}

/// The calls that the fake receives after an object of this class is made.
class Log
{
public:
  Log() { reinterpret_cast<void (*)()>(_library.sym("fake_cuda_forget"))(); }
  std::string text()
  {
    return reinterpret_cast<const char * (*)()>(_library.sym("fake_cuda_log"))();
  }

private:
  at::DynamicLibrary _library{NEML2_FAKE_CUDA, nullptr, true};
};

const std::vector<std::string> fake{NEML2_FAKE_CUDA};

/// The class of the exception that f throws.
template <class E, class F>
bool
throws_a(const F & f)
{
  try
  {
    f();
  }
  catch (const E &)
  {
    return true;
  }
  catch (const std::exception &)
  {
  }
  return false;
}
} // namespace

TEST_CASE("The libraries of CUDA are the first that open, and messages say what is missing",
          "[engine][device]")
{
  REQUIRE_THAT(error_of([] { device::CudaCompiler({"libno_driver.so.1"}, fake); }),
               ContainsSubstring("the driver of CUDA was not found") &&
                   ContainsSubstring("libno_driver.so.1"));
  REQUIRE_THAT(error_of([] { device::CudaCompiler(fake, {"libno_nvrtc.so"}); }),
               ContainsSubstring("NVRTC was not found") && ContainsSubstring("libno_nvrtc.so"));
  REQUIRE(error_of(
              [] {
                device::CudaCompiler({"libno_driver.so.1", NEML2_FAKE_CUDA}, fake);
              }) == "no error");
}

TEST_CASE("Sources are compiled for the architecture of the device, or the newest that NVRTC knows",
          "[engine][device]")
{
  device::CudaCompiler compiler(fake, fake);
  REQUIRE(compiler.architecture({kCUDA, 0}) == "sm_90");
  REQUIRE(compiler.architecture({kCUDA, 1}) == "compute_90");
  const std::string code = compiler.compile("text", {kCUDA, 0}),
                    text = compiler.compile("text", {kCUDA, 1});
  REQUIRE_THAT(
      code,
      ContainsSubstring("code of ") && ContainsSubstring("-std=c++17 ") &&
          ContainsSubstring("-fmad=false ") && ContainsSubstring("--gpu-architecture=sm_90 ") &&
          ContainsSubstring("-I" + device::device_headers()) && ContainsSubstring(" cmath "));
  REQUIRE_THAT(text, ContainsSubstring("code as text of ") && ContainsSubstring("=compute_90 "));
  REQUIRE_THAT(error_of(
                   [&] {
                     compiler.compile("#error", {kCUDA, 0});
                   }),
               ContainsSubstring("NVRTC_ERROR_COMPILATION: line 1: it has an error"));
}

TEST_CASE("A device is compiled for by an NVRTC that knows it", "[engine][device]")
{
  const test::Variable here("NEML2_INCLUDE", NEML2_HEADERS);
  device::CudaCompiler compiler({NEML2_FAKE_CUDA_13}, {NEML2_FAKE_CUDA_13, NEML2_FAKE_CUDA});
  const auto by = [&](c10::DeviceIndex device)
  {
    REQUIRE_THAT(compiler.compile("text", {kCUDA, device}),
                 ContainsSubstring("=" + compiler.architecture({kCUDA, device}) + ' '));
    return compiler.version({kCUDA, device}).substr(0, 10) + compiler.architecture({kCUDA, device});
  };
  REQUIRE(by(0) == "NVRTC 13.0sm_90");
  REQUIRE(by(1) == "NVRTC 13.0sm_120");
  REQUIRE(by(2) == "NVRTC 12.4sm_70"); // dropped by NVRTC 13
  REQUIRE_THAT(error_of(
                   [&] {
                     compiler.compile("text", {kCUDA, 3});
                   }),
               ContainsSubstring("a device as old as sm_37 (NVRTC 13.0 for sm_75, sm_80, sm_90, "
                                 "sm_120; NVRTC 12.4 for sm_70, sm_80, sm_90)"));
}

TEST_CASE("A call that fails for lack of memory or in a capture may succeed later",
          "[engine][device]")
{
  device::CudaCompiler compiler(fake, fake);
  const c10::Device device(kCUDA, 0);
  REQUIRE(throws_a<OutOfMemoryException>([&] { compiler.load("too large", device); }));
  REQUIRE(throws_a<OutOfMemoryException>([&] { compiler.compile("too large", device); }));
  REQUIRE(throws_a<device::TransientFailure>(
      [&] { compiler.load("while a stream is captured", device); }));
  for (const bool is_transient :
       {throws_a<device::TransientFailure>([&] { compiler.load("no image", device); }),
        throws_a<OutOfMemoryException>([&] { compiler.load("no image", device); }),
        throws_a<OutOfMemoryException>([&] { compiler.compile("#error", device); })})
    REQUIRE_FALSE(is_transient);
}

TEST_CASE("Images depend on NVRTC's version and the headers", "[engine][device]")
{
  device::CudaCompiler compiler(fake, fake);
  const test::Variable here("NEML2_INCLUDE", NEML2_HEADERS);
  const std::string version = compiler.version({kCUDA, 0});
  REQUIRE_THAT(version,
               ContainsSubstring("NVRTC 12.4 -std=c++17 ") &&
                   ContainsSubstring("-fmad=false, headers "));
  const test::TemporaryFolder folder;
  const test::Variable elsewhere("NEML2_INCLUDE", folder.path());
  REQUIRE_THAT(error_of(
                   [&] {
                     compiler.version({kCUDA, 0});
                   }),
               ContainsSubstring("the headers of neml2 are not in " + folder.path()) &&
                   ContainsSubstring("NEML2_INCLUDE"));
  std::filesystem::create_directories(folder.path() + "/neml2/recorded");
  test::write(folder.path() + "/neml2/recorded/cuda_kernel.h", "another");
  REQUIRE(compiler.version({kCUDA, 0}) != version);
}

TEST_CASE("Kernels are loaded and launched in the device's own context", "[engine][device]")
{
  if (!has_no_gpu())
    return; // with a GPU, the tests of formulas launch kernels
  device::CudaCompiler compiler(fake, fake);
  REQUIRE_THAT(error_of(
                   [&] {
                     compiler.load("something else", {kCUDA, 1});
                   }),
               ContainsSubstring("cuModuleLoadData: device kernel image is invalid"));
  const auto function = compiler.load("code", {kCUDA, 1});
  recorded::KernelArguments<1> arguments{};
  arguments.rows = 300;
  const auto launch = [&]
  {
    compiler.launch(
        {function, 3, 128, &arguments, sizeof arguments, device::current_stream({kCUDA, 1})});
  };
  // On the stream of LibTorch, if LibTorch tells which stream it is.
  Guard::gives_native_streams = true;
  Log first;
  launch();
  const std::string native = "push 111\nlaunch 8: 3 blocks of 128 on stream 1005, rows 300\npop\n";
  // Otherwise between two events.
  const std::string between = "push 111\ncreate stream 1\nstream 9 waits for 33\nlaunch 8: 3 "
                              "blocks of 128 on stream 9, rows 300\n"
                              "record 33 on stream 9\npop\n";
  constexpr bool gives_native_streams =
      TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 10);
  REQUIRE(first.text() == (gives_native_streams ? native : between));
  Guard::gives_native_streams = false;
  Guard::done.clear();
  Log second;
  launch();
  REQUIRE(Guard::done == "recorded on 5 5 blocked by 33 destroyed");
  if (gives_native_streams)
    REQUIRE(second.text() == between);
  Log third;
  launch();
  REQUIRE_THAT(third.text(), !ContainsSubstring("create stream"));
}
} // namespace CudaCompiler_test
#endif
