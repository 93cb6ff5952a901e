// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/CudaCompiler.h"

#include "neml2/core/errors.h"
#include "neml2/engine/device_headers.h"
#include "neml2/recorded/cuda_standard.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#ifndef _WIN32
#include <dlfcn.h>
#endif

namespace neml2::engine
{
namespace cuda
{
/// The first library of these names that opens.
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
        why = std::string(e.what()).substr(0, std::string(e.what()).find('\n'));
    }
  throw NEMLException(std::string(what) + " is not there (" +
                      (names.empty() ? "it is not known where it could be" : why) + ")");
}

template <class F>
void
find(at::DynamicLibrary & library, const char * name, F *& f)
{
  f = reinterpret_cast<F *>(library.sym(name));
}

/// The folder of the library that has a function; empty if unknown.
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

#ifndef _WIN32
/// Opens what NVRTC opens by its name, from where NVRTC is: it does not look there itself, as NVRTC 13 of PyPI.
inline void
open_builtins(const std::string & folder)
{
  std::error_code error;
  std::filesystem::directory_iterator files(folder, error), end;
  for (; !error && !folder.empty() && files != end; files.increment(error))
    if (files->path().filename().string().rfind("libnvrtc-builtins.so.", 0) == 0)
      try
      {
        const at::DynamicLibrary library(files->path().c_str(), nullptr, /*leak_handle=*/true);
      }
      catch (const std::exception &) // NVRTC will say that it is missing
      {
      }
}
#endif
} // namespace cuda

NEML2_BODY std::vector<std::string>
cuda_driver_names()
{
#if defined(_WIN32)
  return {"nvcuda.dll"};
#elif defined(__APPLE__)
  return {};
#else
  return {"libcuda.so.1", "libcuda.so"};
#endif
}

NEML2_BODY std::vector<std::string>
nvrtc_names(int driver_major)
{
  std::vector<int> majors{13, 12, 11};
  if (driver_major > majors.front())
    majors.insert(majors.begin(), driver_major);
  // What a newer NVRTC makes a driver may not take: those come last.
  std::stable_partition(
      majors.begin(), majors.end(), [driver_major](int m) { return m <= driver_major; });
  std::vector<std::string> names;
#if defined(_WIN32)
  for (const int m : majors)
    names.push_back("nvrtc64_" + std::to_string(m) + (m == 11 ? "2_0.dll" : "0_0.dll"));
#elif !defined(__APPLE__)
  const std::string folder = cuda::folder_of(&c10::get_default_dtype),
                    packages = folder + "../../nvidia/";
  for (const int m : majors)
  {
    const std::string file = "libnvrtc.so." + std::to_string(m) + (m == 11 ? ".2" : "");
    names.push_back(file); // loaded, or in the search path of this program or of LibTorch
    if (!folder.empty())
      for (const std::string & beside :
           {folder, packages + "cu" + std::to_string(m) + "/lib/", packages + "cuda_nvrtc/lib/"})
        names.push_back(beside + file);
  }
  // Wheels and archives of LibTorch that have all of CUDA in them name it by a digest, too.
  std::error_code error;
  std::filesystem::directory_iterator files(folder, error), end;
  for (; !error && !folder.empty() && files != end; files.increment(error))
    if (const std::string file = files->path().filename().string();
        file.rfind("libnvrtc-", 0) == 0 && file.rfind("libnvrtc-builtins", 0) != 0)
      names.push_back(files->path().string());
#endif
  return names;
}

NEML2_BODY
Nvrtc::Nvrtc(const std::vector<std::string> & names)
  : _library(cuda::first_library("CUDA's run time compiler NVRTC", names), nullptr, true)
{
  cuda::find(_library, "nvrtcGetErrorString", error_string);
  cuda::find(_library, "nvrtcVersion", get_version);
  cuda::find(_library, "nvrtcCreateProgram", create);
  cuda::find(_library, "nvrtcDestroyProgram", destroy);
  cuda::find(_library, "nvrtcCompileProgram", compile);
  cuda::find(_library, "nvrtcGetProgramLogSize", log_size);
  cuda::find(_library, "nvrtcGetProgramLog", log);
  cuda::find(_library, "nvrtcGetCUBINSize", cubin_size);
  cuda::find(_library, "nvrtcGetCUBIN", cubin);
  cuda::find(_library, "nvrtcGetPTXSize", ptx_size);
  cuda::find(_library, "nvrtcGetPTX", ptx);
  cuda::find(_library, "nvrtcGetNumSupportedArchs", architecture_count);
  cuda::find(_library, "nvrtcGetSupportedArchs", architectures);
#ifndef _WIN32
  cuda::open_builtins(cuda::folder_of(get_version));
#endif
}

NEML2_BODY
CudaDriver::CudaDriver(const std::vector<std::string> & names)
  : _library(cuda::first_library("the driver of CUDA", names), nullptr, true)
{
  cuda::find(_library, "cuInit", initialize);
  cuda::find(_library, "cuGetErrorString", error_string);
  cuda::find(_library, "cuDriverGetVersion", version);
  cuda::find(_library, "cuDeviceGet", device);
  cuda::find(_library, "cuDeviceGetAttribute", device_attribute);
  cuda::find(_library, "cuDevicePrimaryCtxRetain", retain_primary_context);
  cuda::find(_library, "cuCtxPushCurrent_v2", push_context);
  cuda::find(_library, "cuCtxPopCurrent_v2", pop_context);
  cuda::find(_library, "cuModuleLoadData", load_module);
  cuda::find(_library, "cuModuleGetFunction", module_function);
  cuda::find(_library, "cuLaunchKernel", launch);
  cuda::find(_library, "cuStreamCreate", create_stream);
  cuda::find(_library, "cuStreamWaitEvent", wait_event);
  cuda::find(_library, "cuEventRecord", record_event);
  check(initialize(0), "cuInit");
}

NEML2_BODY void
CudaDriver::check(Result r, const char * what) const
{
  if (r == 0)
    return;
  const char * text = nullptr;
  error_string(r, &text);
  throw NEMLException(std::string("the driver of CUDA says in ") + what + ": " +
                      (text ? text : "error " + std::to_string(r)));
}

namespace cuda
{
/// A context is the thread's as long as this lives.
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

inline int
driver_major(const CudaDriver & driver)
{
  int version = 0;
  driver.check(driver.version(&version), "cuDriverGetVersion");
  return version / 1000;
}

inline void
check(const Nvrtc & nvrtc, Nvrtc::Result r, const char * what)
{
  if (r != 0)
    throw NEMLException(std::string("NVRTC says in ") + what + ": " + nvrtc.error_string(r));
}

/// What LibTorch calls the stream in CUDA, since version 2.10 of LibTorch.
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
  : _driver(driver), _nvrtc(nvrtc.empty() ? nvrtc_names(cuda::driver_major(_driver)) : nvrtc)
{
}

/// Besides the architecture and the folder of headers; fmad: what is multiplied and added at once says so.
constexpr std::array<const char *, 3> nvrtc_options = {
    "-std=c++17", "-default-device", "-fmad=false"};

NEML2_BODY std::string
CudaCompiler::version()
{
  int major = 0, minor = 0;
  cuda::check(_nvrtc, _nvrtc.get_version(&major, &minor), "nvrtcVersion");
  std::string options;
  for (const char * const option : nvrtc_options)
    options += std::string(" ") + option;
  return "NVRTC " + std::to_string(major) + '.' + std::to_string(minor) + options + ", headers " +
         headers_digest(device_headers());
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
  const int own = 10 * major + minor;
  int count = 0;
  cuda::check(_nvrtc, _nvrtc.architecture_count(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> known(size_t(std::max(count, 1)), own);
  cuda::check(_nvrtc, _nvrtc.architectures(known.data()), "nvrtcGetSupportedArchs");
  int best = 0;
  for (const int a : known)
    best = a <= own ? std::max(best, a) : best;
  if (best == 0)
    throw NEMLException("NVRTC compiles for no device as old as " + device.str() +
                        ", whose architecture is sm_" + std::to_string(own));
  d.architecture = (best == own ? "sm_" : "compute_") + std::to_string(best);
  _driver.check(_driver.retain_primary_context(&d.context, number), "cuDevicePrimaryCtxRetain");
  return d;
}

NEML2_BODY std::string
CudaCompiler::architecture(c10::Device device)
{
  return on(device).architecture;
}

NEML2_BODY std::string
CudaCompiler::compile(const std::string & source, const std::string & architecture)
{
  const auto check = [this](Nvrtc::Result r, const char * what) { cuda::check(_nvrtc, r, what); };
  constexpr size_t headers = recorded::cuda_header_names.size();
  std::vector<const char *> texts(headers, recorded::cuda_standard_header);
  Nvrtc::Program p = nullptr;
  check(_nvrtc.create(&p,
                      source.c_str(),
                      "neml2_kernel.cu",
                      int(headers),
                      texts.data(),
                      recorded::cuda_header_names.data()),
        "nvrtcCreateProgram");
  const auto destroy = [this](void * program) { _nvrtc.destroy(&program); };
  const std::unique_ptr<void, decltype(destroy)> owner(p, destroy);
  const std::string own[] = {"--gpu-architecture=" + architecture, "-I" + device_headers()};
  std::vector<const char *> o(nvrtc_options.begin(), nvrtc_options.end());
  for (const std::string & option : own)
    o.push_back(option.c_str());
  if (const Nvrtc::Result r = _nvrtc.compile(p, int(o.size()), o.data()); r != 0)
  {
    size_t n = 0;
    check(_nvrtc.log_size(p, &n), "nvrtcGetProgramLogSize");
    std::string log(n, '\0');
    check(_nvrtc.log(p, log.data()), "nvrtcGetProgramLog");
    throw NEMLException(std::string("NVRTC: ") + _nvrtc.error_string(r) + ": " +
                        log.substr(0, 1000));
  }
  const bool is_code = architecture.compare(0, 3, "sm_") == 0;
  size_t n = 0;
  check((is_code ? _nvrtc.cubin_size : _nvrtc.ptx_size)(p, &n), "nvrtcGetCUBINSize");
  std::string image(n, '\0');
  check((is_code ? _nvrtc.cubin : _nvrtc.ptx)(p, image.data()), "nvrtcGetCUBIN");
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

/// On a stream of our own, behind what is on LibTorch's, which goes on behind it: LibTorch does not say what its stream is to
/// CUDA, but its events are CUDA's.
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
} // namespace neml2::engine
