// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

/**
 * CUDA's driver and its run time compiler, as far as device/CudaCompiler.h calls them, for machines without CUDA: all calls are logged
 * in fake_cuda_log(). Both have the version FAKE_CUDA_VERSION, such as 12040, and the compiler supports FAKE_ARCHITECTURES, such as 70,
 * 80, 90. The devices are an sm_90, an sm_120, an sm_70 and an sm_37.
 */
namespace
{
std::string log;
constexpr int known[] = {FAKE_ARCHITECTURES}, capabilities[] = {90, 120, 70, 37};

struct Program
{
  std::string source, headers, options, messages;
};

int
say(const std::string & text)
{
  log += text + '\n';
  return 0;
}

std::string
name(const void * handle)
{
  return std::to_string(reinterpret_cast<uintptr_t>(handle));
}

void *
handle(uintptr_t number)
{
  return reinterpret_cast<void *>(number);
}

int
give(const std::string & text, char * to)
{
  std::memcpy(to, text.data(), text.size());
  return 0;
}

Program *
program(void * p)
{
  return static_cast<Program *>(p);
}
} // namespace

extern "C"
{
  const char * fake_cuda_log()
  {
    return log.c_str();
  }
  void fake_cuda_forget()
  {
    log.clear();
  }

  // ---- The driver ----

  int cuInit(unsigned)
  {
    return 0;
  }
  int cuGetErrorString(int r, const char ** text)
  {
    *text = r == 200 ? "device kernel image is invalid" : r == 2 ? "out of memory" : "unknown";
    return 0;
  }
  int cuDriverGetVersion(int * version)
  {
    *version = FAKE_CUDA_VERSION;
    return 0;
  }
  int cuDeviceGet(int * device, int ordinal)
  {
    *device = 10 + ordinal;
    return 0;
  }
  int cuDeviceGetAttribute(int * value, int attribute, int device)
  {
    const int capability = capabilities[device - 10];
    *value = attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : -1;
    return 0;
  }
  int cuDevicePrimaryCtxRetain(void ** context, int device)
  {
    *context = handle(uintptr_t(100 + device));
    return say("retain context of " + std::to_string(device));
  }
  int cuCtxPushCurrent_v2(void * context)
  {
    return say("push " + name(context));
  }
  int cuCtxPopCurrent_v2(void **)
  {
    return say("pop");
  }
  int cuModuleLoadData(void ** module, const void * image)
  {
    *module = handle(7);
    const std::string text = static_cast<const char *>(image);
    if (text == "too large")
      return 2;
    if (text == "while a stream is captured")
      return 900;
    return text.compare(0, 4, "code") == 0 ? say("load module") : 200;
  }
  int cuModuleGetFunction(void ** function, void *, const char * kernel)
  {
    *function = handle(8);
    return say(std::string("function ") + kernel);
  }
  int cuLaunchKernel(void * function,
                     unsigned x,
                     unsigned y,
                     unsigned z,
                     unsigned threads_x,
                     unsigned threads_y,
                     unsigned threads_z,
                     unsigned shared,
                     void * stream,
                     void ** arguments,
                     void ** extra)
  {
    int64_t first = 0;
    std::memcpy(&first, arguments[0], sizeof first);
    const unsigned ones = y * z * threads_y * threads_z;
    return say("launch " + name(function) + ": " + std::to_string(x) + " blocks of " +
               std::to_string(threads_x) + " on stream " + name(stream) + ", rows " +
               std::to_string(first) + (ones == 1 && shared == 0 && !extra ? "" : ", wrongly"));
  }
  int cuStreamCreate(void ** stream, unsigned flags)
  {
    *stream = handle(9);
    return say("create stream " + std::to_string(flags));
  }
  int cuStreamWaitEvent(void * stream, void * event, unsigned)
  {
    return say("stream " + name(stream) + " waits for " + name(event));
  }
  int cuEventRecord(void * event, void * stream)
  {
    return say("record " + name(event) + " on stream " + name(stream));
  }

  // ---- The run time compiler ----

  const char * nvrtcGetErrorString(int r)
  {
    return r == 1 ? "NVRTC_ERROR_OUT_OF_MEMORY" : "NVRTC_ERROR_COMPILATION";
  }
  int nvrtcVersion(int * major, int * minor)
  {
    *major = FAKE_CUDA_VERSION / 1000;
    *minor = FAKE_CUDA_VERSION % 1000 / 10;
    return 0;
  }
  int nvrtcCreateProgram(void ** p,
                         const char * source,
                         const char *,
                         int headers,
                         const char * const *,
                         const char * const * names)
  {
    auto * const made = new Program{source, "", "", ""};
    for (int i = 0; i < headers; i++)
      made->headers += std::string(names[i]) + ' ';
    *p = made;
    return 0;
  }
  int nvrtcDestroyProgram(void ** p)
  {
    delete program(*p);
    return say("destroy program");
  }
  int nvrtcCompileProgram(void * p, int count, const char * const * options)
  {
    for (int i = 0; i < count; i++)
      program(p)->options += std::string(options[i]) + ' ';
    if (program(p)->source == "too large")
      return 1;
    if (program(p)->source.find("#error") == std::string::npos)
      return 0;
    program(p)->messages = "line 1: it has an error";
    return 6;
  }
  int nvrtcGetProgramLogSize(void * p, size_t * n)
  {
    *n = program(p)->messages.size() + 1;
    return 0;
  }
  int nvrtcGetProgramLog(void * p, char * to)
  {
    return give(program(p)->messages + '\0', to);
  }
  int nvrtcGetCUBINSize(void * p, size_t * n)
  {
    *n = ("code of " + program(p)->options + program(p)->headers).size();
    return 0;
  }
  int nvrtcGetCUBIN(void * p, char * to)
  {
    return give("code of " + program(p)->options + program(p)->headers, to);
  }
  int nvrtcGetPTXSize(void * p, size_t * n)
  {
    *n = ("code as text of " + program(p)->options).size();
    return 0;
  }
  int nvrtcGetPTX(void * p, char * to)
  {
    return give("code as text of " + program(p)->options, to);
  }
  int nvrtcGetNumSupportedArchs(int * n)
  {
    *n = int(std::size(known));
    return 0;
  }
  int nvrtcGetSupportedArchs(int * all)
  {
    std::copy(std::begin(known), std::end(known), all);
    return 0;
  }
}
