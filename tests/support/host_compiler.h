// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/compilers.h"
#include "support/environment.h"
#include "support/stand_in.h"

#include <cstring>
#include <dlfcn.h>
#include <vector>

/// Kernels on the stand-in, compiled for the host.
namespace neml2::test
{
/// Compiles the sources of kernels with the compiler of the tests, and calls a kernel for each
/// thread.
class HostCompiler : public device::DeviceCompiler
{
public:
  std::vector<std::string> sources; ///< the sources of the kernels that were requested
  size_t launches = 0;

  HostCompiler() = default;
  /// Compiles these sources together, which takes less time.
  explicit HostCompiler(std::vector<std::string> all)
    : _at_once(std::move(all)), _library(open(compiled(_at_once)))
  {
  }

  c10::DeviceType type() const override { return c10::DeviceType::PrivateUse1; }
  std::string version(c10::Device) override { return "of the host"; }
  std::string architecture(c10::Device) override { return "host"; }

  std::string compile(const std::string & source, c10::Device) override
  {
    sources.push_back(source);
    for (size_t k = 0; k < _at_once.size(); k++)
      if (_at_once[k] == source)
        return "run_" + std::to_string(k);
    return compiled({source});
  }

  Function load(const std::string & image, c10::Device) override
  {
    if (image.compare(0, 4, "run_") == 0)
      return dlsym(_library, image.c_str());
    return dlsym(open(image), "run_0"); // stays loaded until the program ends
  }

  void launch(const Launch & l) override
  {
    std::vector<char> arguments(static_cast<const char *>(l.arguments),
                                static_cast<const char *>(l.arguments) + l.bytes);
    constexpr size_t head = 10 * 8, operand = 9 * 8; // rows, dimensions, sizes; address, strides
    for (size_t at = head; at < arguments.size(); at += operand)
    {
      uint64_t address;
      std::memcpy(&address, arguments.data() + at, sizeof address);
      if (address >> 47 == 1 << 7) // an address of the stand-in, which the host cannot read
        address ^= uint64_t(1) << 54;
      std::memcpy(arguments.data() + at, &address, sizeof address);
    }
    launches++;
    reinterpret_cast<void (*)(const void *, unsigned, unsigned)>(l.function)(
        arguments.data(), l.blocks, l.threads);
  }

private:
  TemporaryFolder _folder;
  int _loaded = 0;
  std::vector<std::string> _at_once;
  void * _library = nullptr;

  /// A library with the functions run_0, run_1 and so on.
  std::string compiled(const std::vector<std::string> & all)
  {
    std::string text = "#include \"support/cuda_on_host.h\"\n"
                       "template <class A> void call(void (*kernel)(A), const void * a, unsigned "
                       "blocks, unsigned threads)\n"
                       "{ launch(kernel, blocks, threads, *static_cast<const A *>(a)); }\n";
    const auto names = {"neml2_operation", "Formula", "Tile", "neml2_kernel"};
    for (size_t k = 0; k < all.size(); k++)
    {
      const std::string number = std::to_string(k);
      for (const std::string name : names)
        text += "#define " + name + " " + name + "_" + number + "\n";
      text += all[k] + "extern \"C\" void run_" + number +
              "(const void * a, unsigned blocks, unsigned threads)\n"
              "{ call(neml2_kernel, a, blocks, threads); }\n";
      for (const std::string name : names)
        text += "#undef " + name + "\n";
    }
    const std::string cpp = _folder.path() + "/kernels.cpp",
                      library = _folder.path() + "/kernels.so", errors = _folder.path() + "/errors";
    write(cpp, text);
    const std::string command =
        NEML2_HOST_COMPILER
        " -std=c++17 -O0 -ffp-contract=off -shared -fPIC -w -I " NEML2_HOST_INCLUDE
        " -I " NEML2_HOST_TESTS " " +
        cpp + " -o " + library + " 2> " + errors;
    if (std::system(command.c_str()) != 0)
      throw NEMLException(read(errors).substr(0, 2000));
    return read(library);
  }

  void * open(const std::string & image)
  {
    const std::string library = _folder.path() + "/loaded" + std::to_string(_loaded++) + ".so";
    write(library, image);
    void * const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      throw NEMLException(dlerror());
    return handle;
  }
};

/// Gives the stand-in a HostCompiler with a separate cache, for the lifetime of this object.
class WithHostCompiler
{
public:
  std::shared_ptr<HostCompiler> compiler;

  explicit WithHostCompiler(const std::vector<std::string> & sources = {})
    : compiler(sources.empty() ? std::make_shared<HostCompiler>()
                               : std::make_shared<HostCompiler>(sources))
  {
    device::set_device_compiler(compiler);
  }
  WithHostCompiler(const WithHostCompiler &) = delete;
  WithHostCompiler & operator=(const WithHostCompiler &) = delete;
  ~WithHostCompiler() { device::set_device_compiler(nullptr); }

private:
  TemporaryFolder _folder;
  Variable _cache{"NEML2_CACHE", _folder.path()};
};
} // namespace neml2::test
