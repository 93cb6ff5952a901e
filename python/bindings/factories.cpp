// SPDX-License-Identifier: MIT
#include "bindings/common.h"

#include "neml2/math/linspace.h"
#include "neml2/math/products.h"
#include "neml2/math/linalg.h"
#include "neml2/tensors/tensors.h"

#include <cmath>

namespace neml2::python
{
namespace
{
/// The options of a factory of this type, from its arguments.
TensorOptions
options_for(const TypeInfo & type,
            const OptionalDtype & dtype,
            const OptionalDevice & device,
            bool requires_grad)
{
  return holds_integers(type) ? integer_options(dtype, device, requires_grad)
                              : options(dtype, device, requires_grad);
}

/// The shape of a factory's result, and its number of base dimensions, from the arguments that give the shape.
std::pair<TensorShape, Size>
shape_of(const TypeInfo & type, const nb::args & args)
{
  if (type.fixed_base)
  {
    const TensorShape batch = sizes(args);
    return {utils::add_shapes(batch, type.base), Size(batch.size())};
  }
  TensorShape batch, base;
  const bool both = args.size() == 2;
  if (args.size() < 1 || args.size() > 2 || !nb::try_cast(args[0], both ? batch : base) ||
      (both && !nb::try_cast(args[1], base)))
    throw nb::type_error("Tensor: give the base shape, or the batch and the base shape, as tuples: "
                         "Tensor.zeros((1000, 2), (6, 6)).");
  return {utils::add_shapes(batch, base), Size(batch.size())};
}

std::string
signature(const TypeInfo & type, const char * name, const char * first)
{
  const std::string shape = type.fixed_base ? "*batch_shape: int | collections.abc.Sequence[int]"
                                            : "*shapes: int | collections.abc.Sequence[int]";
  return std::string("def ") + name + "(" + first + shape +
         ", dtype: torch.dtype | None = None, device: torch.device | str | None = None, "
         "requires_grad: bool = False) -> " +
         type.name;
}

/// Binds a static factory of this type that takes a shape.
template <class... First, class F>
void
bind_shaped(AnyClass & cls,
            const TypeInfo & type,
            const char * name,
            const char * first,
            const char * text,
            F f)
{
  const auto dtype = nb::arg("dtype") = nb::none(), device = nb::arg("device") = nb::none();
  const auto grad = nb::arg("requires_grad") = false;
  const std::string typed = signature(type, name, first);
  const auto make = [&type, f](First... x,
                               const nb::args & args,
                               OptionalDtype t,
                               const OptionalDevice & d,
                               bool requires_grad)
  {
    const auto [shape, batch_dim] = shape_of(type, args);
    const TensorOptions o = options_for(type, t, d, requires_grad);
    return type.make({f(x..., shape, o), batch_dim});
  };
  if constexpr (sizeof...(First) == 0)
    cls.def_static(name, make, nb::arg("shape"), dtype, device, grad, text, nb::sig(typed.c_str()));
  else
    cls.def_static(name,
                   make,
                   nb::arg("value"),
                   nb::arg("shape"),
                   dtype,
                   device,
                   grad,
                   text,
                   nb::sig(typed.c_str()));
}

/// Whether a tensor of this type and dtype holds integers only.
bool
is_of_integers(const TypeInfo & type, const TensorOptions & o)
{
  return holds_integers(type) && c10::isIntegralType(c10::typeMetaToScalarType(o.dtype()), true);
}
void
check_exact(const TypeInfo & type, const char * function, const TensorOptions & o, bool is_exact)
{
  NEML2_CHECK(is_exact,
              type.name,
              ".",
              function,
              ": Miller indices are integers, and ",
              core::dtype_name(c10::typeMetaToScalarType(o.dtype())),
              " cannot hold one of the given numbers. Give whole numbers in its range, or a "
              "floating dtype.");
}

void
check_type(const TypeInfo & type, const Any & other)
{
  if (other.type != &type)
    throw nb::type_error((std::string(type.name) + ": expected a tensor of this type").c_str());
}

template <class F>
void
bind_like(AnyClass & cls, const TypeInfo & type, const char * name, const char * text, const F & f)
{
  cls.def_static(
      name,
      [&type, f](const Any & other)
      {
        check_type(type, other);
        return type.make(f(other.value()));
      },
      nb::arg("other"),
      text,
      nb::sig((std::string("def ") + name + "(other: " + type.name + ") -> " + type.name).c_str()));
}
} // namespace

TensorShape
sizes(const nb::args & args)
{
  TensorShape shape;
  if (args.size() == 1 && nb::try_cast(args[0], shape))
    return shape;
  if (!nb::try_cast(args, shape))
    throw nb::type_error("a shape is given by integers, or by one tuple of integers: (1000, 2)");
  return shape;
}

namespace
{
/// Throws the error for an object that cannot become a tensor of this type.
[[noreturn]] void
refuse(const TypeInfo & type, nb::handle given)
{
  if (!type.fixed_base && is_torch_tensor(given))
    throw nb::type_error("Tensor: how many of the dimensions are batch dimensions? "
                         "Tensor(t, batch_dim), or a type of this base shape.");
  std::string message =
      std::string(type.name) + ": cannot be made from " + Py_TYPE(given.ptr())->tp_name +
      ". Expected a torch.Tensor, or a tensor of this library of the same base shape";
  if (PyList_Check(given.ptr()) || PyTuple_Check(given.ptr()))
    message += std::string("; for a list use ") + type.name + ".create(...)";
  else if (nb::hasattr(given, "__array_interface__"))
    message += "; torch.as_tensor(array) makes one that shares the memory of the array";
  throw nb::type_error((message + '.').c_str());
}

void
bind_type(const TypeInfo & type)
{
  auto cls = nb::borrow<AnyClass>(type.cls);
  const char * name = type.name;

  bind_shaped(cls,
              type,
              "empty",
              "",
              "A tensor whose values are not set. (*batch_shape; base)",
              core::make_empty);
  bind_shaped(cls, type, "zeros", "", "A tensor of zeros. (*batch_shape; base)", core::make_zeros);
  bind_shaped(cls,
              type,
              "ones",
              "",
              "A tensor whose stored components are all 1. (*batch_shape; base)",
              core::make_ones);
  if (!cls.is(nb::type<Rot>()))
    bind_shaped(cls,
                type,
                "rand",
                "",
                "Random numbers: each stored component is independent and uniform in [0, 1). "
                "(*batch_shape; base)",
                core::make_rand);
  bind_shaped<const CScalar &>(
      cls,
      type,
      "full",
      "value: float, ",
      "A tensor whose stored components all have this value. (*batch_shape; base)",
      [&type](const CScalar & value, TensorShapeRef shape, const TensorOptions & o)
      {
        if (is_of_integers(type, o) && value.isFloatingPoint())
          check_exact(type, "full", o, std::floor(value.toDouble()) == value.toDouble());
        return core::make_full(shape, value, o);
      });
  bind_like(cls,
            type,
            "empty_like",
            "A tensor whose values are not set, with the shape, dtype and device of other.",
            [](const Tensor & t) { return Tensor::empty_like(t); });
  bind_like(cls,
            type,
            "zeros_like",
            "A tensor of zeros, with the shape, dtype and device of other.",
            [](const Tensor & t) { return Tensor::zeros_like(t); });
  bind_like(
      cls,
      type,
      "ones_like",
      "A tensor whose stored components are all 1, with the shape, dtype and device of other.",
      [](const Tensor & t) { return Tensor::ones_like(t); });
  bind_like(cls,
            type,
            "rand_like",
            "Random numbers, independent and uniform in [0, 1), with the shape, dtype and device "
            "of other.",
            [](const Tensor & t) { return Tensor::rand_like(t); });
  cls.def_static(
      "full_like",
      [&type](const Any & other, const CScalar & value)
      {
        check_type(type, other);
        return type.make(Tensor::full_like(other.value(), value));
      },
      nb::arg("other"),
      nb::arg("value"),
      "A tensor whose stored components all have this value, with the shape, dtype and device of "
      "other.",
      nb::sig(
          (std::string("def full_like(other: ") + name + ", value: float) -> " + name).c_str()));

  cls.def_static(
      "create",
      [&type](const nb::object & data,
              Size batch_dim,
              OptionalDtype dtype,
              const OptionalDevice & device,
              bool grad)
      {
        const TensorOptions o = options_for(type, dtype, device, grad);
        nb::dict options;
        options["dtype"] = nb::cast(c10::typeMetaToScalarType(o.dtype()));
        options["device"] = nb::cast(o.device());
        options["requires_grad"] = grad;
        const nb::object make = nb::module_::import_("torch").attr("tensor");
        const auto raw = nb::cast<at::Tensor>(make(data, **options));
        if (is_of_integers(type, o) && core::has_known_values(raw))
        {
          options["dtype"] = nb::cast(kFloat64);
          const auto numbers = nb::cast<at::Tensor>(make(data, **options));
          check_exact(type, "create", o, raw.to(kFloat64).equal(numbers));
        }
        return type.make({raw, type.fixed_base ? raw.dim() - Size(type.base.size()) : batch_dim});
      },
      nb::arg("data"),
      nb::arg("batch_dim") = 0,
      nb::kw_only(),
      nb::arg("dtype") = nb::none(),
      nb::arg("device") = nb::none(),
      nb::arg("requires_grad") = false,
      "A tensor made from nested lists, like torch.tensor. The last levels are the base shape, all "
      "levels before them are batch dimensions.",
      nb::sig((std::string("def create(data: typing.Any, batch_dim: int = 0, *, dtype: torch.dtype "
                           "| None = None, device: torch.device "
                           "| str | None = None, requires_grad: bool = False) -> ") +
               name)
                  .c_str()));
  cls.def_static(
      "linspace",
      [&type](const Any & start, const Any & end, Size nstep, Size dim)
      { return type.make(Tensor::linspace(start, end, nstep, dim)); },
      nb::arg("start"),
      nb::arg("end"),
      nb::arg("nstep"),
      nb::arg("dim") = 0,
      doc("TensorBase::linspace"),
      nb::sig((std::string("def linspace(start: ") + name + ", end: " + name +
               ", nstep: int, dim: int = 0) -> " + name)
                  .c_str()));
  cls.def_static(
      "logspace",
      [&type](const Any & start, const Any & end, Size nstep, Size dim, Number base)
      { return type.make(Tensor::logspace(start, end, nstep, dim, base)); },
      nb::arg("start"),
      nb::arg("end"),
      nb::arg("nstep"),
      nb::arg("dim") = 0,
      nb::arg("base") = 10.0,
      doc("TensorBase::logspace"),
      nb::sig((std::string("def logspace(start: ") + name + ", end: " + name +
               ", nstep: int, dim: int = 0, base: float = 10.0) -> " + name)
                  .c_str()));
}

/// Binds Scalar.linspace and Scalar.logspace between two numbers.
void
bind_numbers_between()
{
  auto cls = nb::borrow<nb::class_<Scalar>>(nb::type<Scalar>());
  const auto dtype = nb::arg("dtype") = nb::none(), device = nb::arg("device") = nb::none();
  const auto grad = nb::arg("requires_grad") = false;
  cls.def_static(
      "linspace",
      [](const CScalar & start,
         const CScalar & end,
         Size nstep,
         Size dim,
         OptionalDtype t,
         const OptionalDevice & d,
         bool requires_grad)
      {
        const TensorOptions o = options(t, d, false);
        return Scalar(Tensor::linspace(Scalar(core::make_full({}, start, o)),
                                       Scalar(core::make_full({}, end, o)),
                                       nstep,
                                       dim)
                          .set_requires_grad(requires_grad));
      },
      nb::arg("start"),
      nb::arg("end"),
      nb::arg("nstep"),
      nb::arg("dim") = 0,
      nb::kw_only(),
      dtype,
      device,
      grad,
      "nstep numbers at equal distances from start to end, both included, along a batch dimension. "
      "(nstep; )");
  cls.def_static(
      "logspace",
      [](const CScalar & start,
         const CScalar & end,
         Size nstep,
         Size dim,
         Number base,
         OptionalDtype t,
         const OptionalDevice & d,
         bool requires_grad)
      {
        const TensorOptions o = options(t, d, false);
        return Scalar(Tensor::logspace(Scalar(core::make_full({}, start, o)),
                                       Scalar(core::make_full({}, end, o)),
                                       nstep,
                                       dim,
                                       base)
                          .set_requires_grad(requires_grad));
      },
      nb::arg("start"),
      nb::arg("end"),
      nb::arg("nstep"),
      nb::arg("dim") = 0,
      nb::arg("base") = 10.0,
      nb::kw_only(),
      dtype,
      device,
      grad,
      "base to the power of each number that linspace returns. (nstep; )");
}

/// Binds the constructors of a type: without arguments, from a torch.Tensor, and from another type with the same base shape.
template <class T>
void
bind_constructors()
{
  auto cls = nb::borrow<nb::class_<T>>(nb::type<T>());
  const TypeInfo & type = info(cls);
  cls.def(
      "__init__", [](T * self) { new (self) T(); }, "An undefined tensor, which has no values.");
  if constexpr (std::is_same_v<T, Tensor>)
    cls.def(
        "__init__",
        [](T * self, const at::Tensor & t, Size batch_dim) { new (self) T(t, batch_dim); },
        nb::arg("tensor"),
        nb::arg("batch_dim"),
        "Makes a tensor of a torch.Tensor, whose first batch_dim dimensions are batch dimensions. "
        "Shares storage.");
  else
    cls.def(
        "__init__",
        [](T * self, const at::Tensor & t) { new (self) T(t); },
        nb::arg("tensor"),
        "Makes a tensor of a torch.Tensor. Its last dimensions are the base dimensions, all others "
        "batch dimensions. Shares storage.");
  if constexpr (std::is_same_v<T, Scalar>)
    cls.def(
        "__init__",
        [](T * self,
           const CScalar & value,
           OptionalDtype dtype,
           const OptionalDevice & device,
           bool grad) { new (self) T(core::make_full({}, value, options(dtype, device, grad))); },
        nb::arg("value"),
        nb::kw_only(),
        nb::arg("dtype") = nb::none(),
        nb::arg("device") = nb::none(),
        nb::arg("requires_grad") = false,
        "One number, without batch dimensions. (; )");
  cls.def(
      "__init__",
      [](T * self, const Any & other)
      {
        if constexpr (std::is_same_v<T, Rot>)
        {
          const std::string_view given = other.type->name;
          if (given == "R2")
            throw nb::type_error("Rot: the rotation of a matrix R is Rot.fill_matrix(R).");
          if (given == "Quaternion")
            throw nb::type_error("Rot: the rotation of a quaternion q is q.to_rot().");
        }
        new (self) T(other.value());
      },
      nb::arg("other"),
      "Converts a tensor of this library with the same base shape. Shares storage.");
  cls.def(
      "__init__",
      [&type](T *, const nb::object & other) { refuse(type, other); },
      nb::arg("other").none());
}

template <class... T>
void
bind_all(tensors::TypeList<T...>)
{
  (bind_constructors<T>(), ...);
  (bind_type(info(nb::type<T>())), ...);
}
} // namespace

void
bind_factories()
{
  bind_all(tensors::AllTypes());
  bind_numbers_between();
  auto rot = nb::borrow<AnyClass>(nb::type<Rot>());
  const TypeInfo & type = info(rot);
  bind_shaped(rot,
              type,
              "rand",
              "",
              "Random rotations, uniformly distributed over all rotations. (*batch_shape; 3)",
              [](TensorShapeRef shape, const TensorOptions & o) -> at::Tensor
              { return Rot::rand(TraceableTensorShape(shape.slice(0, shape.size() - 1)), {}, o); });
}
} // namespace neml2::python
