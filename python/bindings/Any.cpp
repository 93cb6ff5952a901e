// SPDX-License-Identifier: MIT
#include "bindings/Any.h"

#include "neml2/tensors/MillerIndex.h"

#include <unordered_map>

namespace neml2::python
{
namespace
{
std::unordered_map<const PyTypeObject *, TypeInfo> &
registry()
{
  static std::unordered_map<const PyTypeObject *, TypeInfo> types;
  return types;
}

Device
default_device_of_torch()
{
  const nb::object device =
      nb::module_::import_("neml2_tensors._defaults").attr("default_device")();
  return reinterpret_cast<THPDevice *>(device.ptr())->device;
}
} // namespace

void
register_type(nb::handle cls, const TypeInfo & type)
{
  registry()[reinterpret_cast<const PyTypeObject *>(cls.ptr())] = type;
}

const TypeInfo *
type_of_class(const PyTypeObject * cls)
{
  // A class that a user derives from a class of this library counts as that class.
  for (const PyTypeObject * t = cls; t; t = t->tp_base)
    if (const auto found = registry().find(t); found != registry().end())
      return &found->second;
  return nullptr;
}

const TypeInfo *
type_of(nb::handle object)
{
  return type_of_class(Py_TYPE(object.ptr()));
}

const TypeInfo &
info(nb::handle cls)
{
  return registry().at(reinterpret_cast<const PyTypeObject *>(cls.ptr()));
}

bool
holds_integers(const TypeInfo & type)
{
  return type.cls.is(nb::type<MillerIndex>());
}

nb::object
Any::like_derived(const Tensor & t) const
{
  nb::object r = nb::inst_alloc(object.type());
  type->construct(nb::inst_ptr<void>(r), t);
  nb::inst_mark_ready(r);
  return r;
}

TensorOptions
options(OptionalDtype dtype, const OptionalDevice & device, bool requires_grad)
{
  return TensorOptions()
      .dtype(dtype ? *dtype : c10::get_default_dtype_as_scalartype())
      .device(device ? device->get() : default_device_of_torch())
      .requires_grad(requires_grad);
}

TensorOptions
integer_options(OptionalDtype dtype, const OptionalDevice & device, bool requires_grad)
{
  return options(dtype ? dtype : default_integer_dtype(), device, requires_grad);
}
} // namespace neml2::python
