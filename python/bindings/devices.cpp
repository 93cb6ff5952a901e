// SPDX-License-Identifier: MIT
#include "bindings/rows.h"

#include "neml2/device/KernelFormula.h"
#include "neml2/device/compilers.h"
#include "neml2/device/headers.h"

/// Kernels of formulas on devices other than the CPU.
namespace neml2::python
{
namespace
{
/// A compiler whose functions are methods of a Python object. Tests use it.
class PythonCompiler : public device::DeviceCompiler
{
private:
  nb::object _object;
  c10::DeviceType _type;

  /// Calls f with the GIL. An exception of Python becomes a C++ exception with the same message, because C++ code, not Python, called this
  /// function.
  template <class F>
  static auto call(const F & f)
  {
    const nb::gil_scoped_acquire gil;
    try
    {
      return f();
    }
    catch (const nb::python_error & e)
    {
      const std::string what = nb::str(e.value()).c_str();
      if (e.matches(PyExc_MemoryError))
        throw OutOfMemoryException(what);
      throw NEMLException(what);
    }
  }
  template <class F>
  static std::string text(const F & f)
  {
    return call([&] { return nb::cast<std::string>(f()); });
  }

public:
  PythonCompiler(nb::object object, c10::DeviceType type) : _object(std::move(object)), _type(type)
  {
  }
  ~PythonCompiler() override
  {
    if (!Py_IsInitialized())
    {
      _object.release();
      return;
    }
    const nb::gil_scoped_acquire gil;
    _object.reset();
  }

  c10::DeviceType type() const override { return _type; }
  std::string version(c10::Device) override
  {
    return text([&] { return _object.attr("version")(); });
  }
  std::string architecture(c10::Device device) override
  {
    return text([&] { return _object.attr("architecture")(int(device.index())); });
  }
  std::string compile(const std::string & source, c10::Device device) override
  {
    const std::string its = architecture(device);
    return call(
        [&]
        {
          const auto image =
              nb::cast<nb::bytes>(_object.attr("compile")(source.c_str(), its.c_str()));
          return std::string(image.c_str(), image.size());
        });
  }
  Function load(const std::string & image, c10::Device device) override
  {
    return call(
        [&]
        {
          const nb::bytes bytes(image.data(), image.size());
          return reinterpret_cast<Function>(
              nb::cast<size_t>(_object.attr("load")(bytes, int(device.index()))));
        });
  }
  void launch(const Launch & l) override
  {
    call(
        [&]
        {
          _object.attr("launch")(reinterpret_cast<size_t>(l.function),
                                 l.blocks,
                                 l.threads,
                                 nb::bytes(l.arguments, l.bytes),
                                 int64_t(l.stream.id()));
        });
  }
};

nb::list
kernels()
{
  std::vector<DeviceKernel> all;
  {
    const nb::gil_scoped_release release;
    all = device_kernels();
  }
  nb::list made;
  for (const DeviceKernel & k : all)
    made.append(nb::make_tuple(
        k.name, k.dtype, k.device, k.architecture, k.from_cache, k.seconds, k.launches));
  return made;
}
} // namespace

void
bind_devices(nb::module_ & m)
{
  m.def("device_kernels", &kernels);
  m.def("set_device_headers",
        [](const std::string & folder) { device::set_device_headers(folder); });
  m.def(
      "set_device_compiler", // for devices of torch's type PrivateUse1
      [](nb::object compiler)
      {
        const auto type = c10::DeviceType::PrivateUse1;
        std::shared_ptr<device::DeviceCompiler> made;
        if (!compiler.is_none())
          made = std::make_shared<PythonCompiler>(std::move(compiler), type);
        const nb::gil_scoped_release release;
        device::set_device_compiler(std::move(made));
      },
      nb::arg("compiler").none());
}
} // namespace neml2::python
