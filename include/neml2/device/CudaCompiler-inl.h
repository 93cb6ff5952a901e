// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/CudaCompiler.h"

#include "neml2/device/headers.h"
#include "neml2/recorded/cuda_standard.h"

#include <algorithm>
#include <array>
#include <memory>

namespace neml2::device
{
namespace cuda
{
/// During the lifetime of this object a context is the current context of its thread.
class Current
{
public:
  Current(const CudaDriver & driver, CudaDriver::Handle context) : _driver(driver)
  {
    driver.check(driver.push_context(context), "cuCtxPushCurrent");
  }
  Current(const Current &) = delete;
  Current & operator=(const Current &) = delete;
  ~Current()
  {
    CudaDriver::Handle context;
    _driver.pop_context(&context);
  }

private:
  const CudaDriver & _driver;
};

/// Gets CUDA's handle of a stream of LibTorch. Only LibTorch 2.10 and newer have a function that returns the handle.
template <class Guard, class = void>
struct NativeStream
{
  static constexpr bool known = false;
  static void * of(const Guard &, c10::Stream) { return nullptr; }
};
template <class Guard>
struct NativeStream<Guard,
                    std::void_t<decltype(std::declval<const Guard &>().getStreamNativeHandle(
                        std::declval<c10::Stream>()))>>
{
  static constexpr bool known = true;
  static void * of(const Guard & guard, c10::Stream s) { return guard.getStreamNativeHandle(s); }
};
} // namespace cuda

NEML2_BODY
CudaCompiler::CudaCompiler(const std::vector<std::string> & driver,
                           const std::vector<std::string> & nvrtc)
  : _driver(driver), _nvrtc(nvrtc.empty() ? nvrtc_names(_driver.cuda_version() / 1000) : nvrtc)
{
}

/// The options of every compilation; compile() adds the architecture and the folder of headers. fmad=false keeps NVRTC
/// from fusing products and sums, because a formula itself says which of them are rounded only once.
constexpr std::array<const char *, 3> nvrtc_options = {
    "-std=c++17", "-default-device", "-fmad=false"};

NEML2_BODY std::string
CudaCompiler::version(c10::Device device)
{
  std::string text = on(device).target.nvrtc->name();
  for (const char * const option : nvrtc_options)
    text += std::string(" ") + option;
  return text + ", headers " + headers_digest(device_headers());
}

NEML2_BODY CudaCompiler::OnDevice &
CudaCompiler::on(c10::Device device)
{
  const std::lock_guard<std::mutex> lock(_mutex);
  OnDevice & d = _devices[device.index()];
  if (d.context)
    return d;
  CudaDriver::Device number = 0;
  _driver.check(_driver.device(&number, device.index()), "cuDeviceGet");
  int major = 0, minor = 0;
  constexpr int capability_major = 75, capability_minor = 76; // CU_DEVICE_ATTRIBUTE_COMPUTE_...
  _driver.check(_driver.device_attribute(&major, capability_major, number), "cuDeviceGetAttribute");
  _driver.check(_driver.device_attribute(&minor, capability_minor, number), "cuDeviceGetAttribute");
  d.target = _nvrtc.target(10 * major + minor, _driver.cuda_version());
  _driver.check(_driver.retain_primary_context(&d.context, number), "cuDevicePrimaryCtxRetain");
  return d;
}

NEML2_BODY std::string
CudaCompiler::architecture(c10::Device device)
{
  return on(device).target.architecture;
}

NEML2_BODY std::string
CudaCompiler::compile(const std::string & source, c10::Device device)
{
  const auto & [nvrtc_of_it, architecture] = on(device).target;
  const Nvrtc & nvrtc = *nvrtc_of_it;
  const auto check = [&nvrtc](Nvrtc::Result r, const char * what) { nvrtc.check(r, what); };
  constexpr size_t headers = recorded::cuda_header_names.size();
  std::vector<const char *> texts(headers, recorded::cuda_standard_header);
  Nvrtc::Program p = nullptr;
  check(nvrtc.create(&p,
                     source.c_str(),
                     "neml2_kernel.cu",
                     int(headers),
                     texts.data(),
                     recorded::cuda_header_names.data()),
        "nvrtcCreateProgram");
  const auto destroy = [&nvrtc](void * program) { nvrtc.destroy(&program); };
  const std::unique_ptr<void, decltype(destroy)> owner(p, destroy);
  const std::string own[] = {"--gpu-architecture=" + architecture, "-I" + device_headers()};
  std::vector<const char *> o(nvrtc_options.begin(), nvrtc_options.end());
  for (const std::string & option : own)
    o.push_back(option.c_str());
  const Nvrtc::Result r = nvrtc.compile(p, int(o.size()), o.data());
  if (r == Nvrtc::out_of_memory)
    check(r, "nvrtcCompileProgram");
  if (r != 0)
  {
    size_t n = 0;
    check(nvrtc.log_size(p, &n), "nvrtcGetProgramLogSize");
    std::string log(n, '\0');
    check(nvrtc.log(p, log.data()), "nvrtcGetProgramLog");
    throw NEMLException(std::string("NVRTC: ") + nvrtc.error_string(r) + ": " +
                        log.substr(0, 1000));
  }
  const bool is_code = architecture.compare(0, 3, "sm_") == 0;
  size_t n = 0;
  check((is_code ? nvrtc.cubin_size : nvrtc.ptx_size)(p, &n), "nvrtcGetCUBINSize");
  std::string image(n, '\0');
  check((is_code ? nvrtc.cubin : nvrtc.ptx)(p, image.data()), "nvrtcGetCUBIN");
  return image;
}

NEML2_BODY DeviceCompiler::Function
CudaCompiler::load(const std::string & image, c10::Device device)
{
  const cuda::Current current(_driver, on(device).context);
  CudaDriver::Handle module = nullptr, function = nullptr;
  _driver.check(_driver.load_module(&module, image.data()), "cuModuleLoadData");
  _driver.check(_driver.module_function(&function, module, "neml2_kernel"), "cuModuleGetFunction");
  return function;
}

NEML2_BODY void
CudaCompiler::launch(const Launch & l)
{
  const cuda::Current current(_driver, on(l.stream.device()).context);
  using Native = cuda::NativeStream<c10::impl::VirtualGuardImpl>;
  if (Native::known && _gives_streams)
  {
    void * stream = nullptr;
    try
    {
      stream = Native::of(c10::impl::VirtualGuardImpl(l.stream.device_type()), l.stream);
    }
    catch (const std::exception &)
    {
      _gives_streams = false;
    }
    if (_gives_streams)
      return launch_on(l, stream);
  }
  launch_between_events(l);
}

NEML2_BODY void
CudaCompiler::launch_on(const Launch & l, CudaDriver::Handle stream)
{
  void * arguments[] = {const_cast<void *>(l.arguments)};
  _driver.check(
      _driver.launch(l.function, l.blocks, 1, 1, l.threads, 1, 1, 0, stream, arguments, nullptr),
      "cuLaunchKernel");
}

NEML2_BODY CudaDriver::Handle
CudaCompiler::own_stream(c10::Device device)
{
  OnDevice & d = on(device);
  const std::lock_guard<std::mutex> lock(_mutex);
  constexpr unsigned int non_blocking = 1; // CU_STREAM_NON_BLOCKING
  if (!d.stream)
    _driver.check(_driver.create_stream(&d.stream, non_blocking), "cuStreamCreate");
  return d.stream;
}

/// Launches on a stream of our own, which first waits for the work on LibTorch's stream. LibTorch's stream then waits for the kernel.
/// This needs no handle of LibTorch's stream, because LibTorch's events are CUDA's events.
NEML2_BODY void
CudaCompiler::launch_between_events(const Launch & l)
{
  const c10::impl::VirtualGuardImpl libtorch(l.stream.device_type());
  const CudaDriver::Handle own = own_stream(l.stream.device());
  const auto index = l.stream.device_index();
  void * event = nullptr;
  const auto destroy = [&](void **) { libtorch.destroyEvent(event, index); };
  const std::unique_ptr<void *, decltype(destroy)> owner(&event, destroy);
  libtorch.record(&event, l.stream, index, c10::EventFlag::PYTORCH_DEFAULT);
  _driver.check(_driver.wait_event(own, event, 0), "cuStreamWaitEvent");
  launch_on(l, own);
  _driver.check(_driver.record_event(event, own), "cuEventRecord");
  libtorch.block(event, l.stream);
}
} // namespace neml2::device
