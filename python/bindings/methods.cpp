// SPDX-License-Identifier: MIT
#include "bindings/common.h"

#include "neml2/core/modes.h"
#include "neml2/math/operators.h"

#include <ATen/EmptyTensor.h>

namespace neml2::python
{
namespace
{
void
check_defined(const char * where, const Any & a)
{
  core::check_defined(where, a.value());
}

/// An argument in a form that torch accepts: a tensor of this library becomes its torch.Tensor.
nb::object
for_torch(nb::handle x)
{
  if (const auto * type = type_of(x); type && nb::inst_ready(x))
    return nb::cast(type->tensor(nb::inst_ptr<void>(x)));
  return nb::borrow(x);
}

/// Calls a method of torch.Tensor with the same arguments.
nb::object
call(const Any & a, const char * name, const nb::args & args, const nb::kwargs & kwargs)
{
  check_defined(name, a);
  nb::list values;
  for (const nb::handle x : args)
    values.append(for_torch(x));
  nb::dict named;
  for (const auto [key, x] : kwargs)
    named[key] = for_torch(x);
  return nb::cast(*a.tensor).attr(name)(*nb::tuple(values), **named);
}

/// Calls a method of torch.Tensor that changes neither the shape nor the order of the values.
Same
converted(const Any & a, const char * name, const nb::args & args, const nb::kwargs & kwargs)
{
  return a.like({nb::cast<at::Tensor>(call(a, name, args, kwargs)), a.batch_dim});
}

void
bind_conversions(AnyClass & cls)
{
  cls.def(
      "to",
      [](const Any & a, const nb::args & args, const nb::kwargs & kwargs)
      {
        check_defined("to", a);
        nb::kwargs given;
        nb::object grad = nb::none();
        for (const auto [key, x] : kwargs)
        {
          const std::string name = nb::cast<std::string>(key);
          if (!x.is_none() && ((name == "dtype" && !THPDtype_Check(x.ptr())) ||
                               (name == "requires_grad" && !nb::isinstance<nb::bool_>(x))))
            throw nb::type_error(("to: " + name + " cannot be an object of type " +
                                  Py_TYPE(x.ptr())->tp_name + ", expected a " +
                                  (name == "dtype" ? "torch.dtype" : "bool") + " or None.")
                                     .c_str());
          if (name == "requires_grad")
            grad = nb::borrow(x);
          else if (!x.is_none())
            given[key] = x;
        }
        const bool nothing = args.size() == 0 && given.size() == 0;
        const Same r = nothing ? a.like(a) : converted(a, "to", args, given);
        const Any result = nb::cast<Any>(r.object);
        if (grad.is_none() || grad.is(result.tensor->requires_grad() ? Py_True : Py_False))
          return r;
        const Tensor leaf = result.value().detach();
        core::translate_errors("to", [&] { leaf.set_requires_grad(grad.is(Py_True)); });
        return a.like(leaf);
      },
      "A tensor with the same values in another dtype or on another device, with the arguments of "
      "torch.Tensor.to: .to(dtype), .to(device), .to(other), or by name. If requires_grad is given "
      "and differs from the present value, the result is detached from autograd's graph; with True "
      "it is a leaf of a new graph.",
      nb::sig("def to(self, *args: torch.dtype | torch.device | str | TensorBase | torch.Tensor | "
              "bool, dtype: torch.dtype | None = None, device: torch.device | str | None = None, "
              "requires_grad: bool | None = None, non_blocking: bool = False, copy: bool = False) "
              "-> typing_extensions.Self"));
  cls.def(
      "cuda",
      [](const Any & a, const nb::args & args, const nb::kwargs & kwargs)
      { return converted(a, "cuda", args, kwargs); },
      "A tensor with the same values on a GPU, like torch.Tensor.cuda.",
      nb::sig("def cuda(self, device: torch.device | int | str | None = None, non_blocking: bool = "
              "False) -> typing_extensions.Self"));
  const auto method = [&](const char * name, const char * text)
  {
    cls.def(
        name,
        [name](const Any & a) { return converted(a, name, {}, {}); },
        text,
        nb::sig((std::string("def ") + name + "(self) -> typing_extensions.Self").c_str()));
  };
  method("cpu", "A tensor with the same values on the CPU.");
  method("pin_memory",
         "A tensor with the same values in pinned memory, from which copies to a GPU are fast.");
  method("double", "A tensor with the same values in the dtype torch.float64.");
  method("float", "A tensor with the same values in the dtype torch.float32.");
  method("half", "A tensor with the same values in the dtype torch.float16.");
  method("bfloat16", "A tensor with the same values in the dtype torch.bfloat16.");
  method("long", "A tensor with the same values in the dtype torch.int64.");
  method("int", "A tensor with the same values in the dtype torch.int32.");
}

/// The batch shape and the base shape as a text such as "[2][6]".
std::string
shape_text(const Any & a)
{
  std::ostringstream s;
  const auto sizes = a.tensor->sym_sizes(); // while torch traces, the sizes may be unknown
  const size_t n = std::min(size_t(a.batch_dim), sizes.size());
  for (const auto group : {sizes.slice(0, n), sizes.slice(n)})
  {
    s << '[';
    for (size_t i = 0; i < group.size(); i++)
      s << (i ? ", " : "") << group[i];
    s << ']';
  }
  return s.str();
}

/// Whether the memory of a tensor exists. It may have been freed, as FSDP frees memory that it does not need.
bool
has_memory(const at::Tensor & t)
{
  return t.storage().nbytes() >=
         at::detail::computeStorageNbytes(
             t.sizes(), t.strides(), t.dtype().itemsize(), size_t(t.storage_offset()));
}

/// The text that torch prints for the values of a small tensor, such as ": [0., 1., 2.], dtype=torch.float32". It is empty if there are
/// many values. It is also empty if reading the values would disturb a computation (on a GPU, which would have to finish first; under a
/// transform or a trace), and for meta, fake and similar tensors, which have no values.
std::string
values_text(const at::Tensor & t)
{
  constexpr int64_t few = 100;
  if (!core::dispatches_plainly() || !core::is_plain(t) || t.numel() == 0 || t.numel() > few ||
      !has_memory(t))
    return "";
  const nb::object print = nb::module_::import_("torch").attr("Tensor").attr("__repr__");
  const auto printed =
      nb::cast<std::string>(print(nb::cast(t))); // tensor([[0., 1.],\n        [2., 3.]])
  const size_t begin = printed.find('(') + 1;
  if (begin == 0 || printed.back() != ')')
    return "";
  const std::string values = printed.substr(begin, printed.size() - begin - 1),
                    margin = '\n' + std::string(begin, ' ');
  if (values.find('\n') == values.npos)
    return ": " + values;
  std::string r = ":\n " + values;
  for (size_t i = 0; (i = r.find(margin, i)) != r.npos; i++)
    r.replace(i, margin.size(), "\n ");
  return r;
}

/// The result of f, or the text `otherwise` if f throws, because functions that print an object must not throw.
template <class F>
std::string
unless_it_fails(const F & f, const char * otherwise)
{
  try
  {
    return f();
  }
  catch (nb::python_error & e)
  {
    if (!e.matches(PyExc_Exception)) // for example after Ctrl-C
      throw;
  }
  catch (const std::exception &)
  {
    PyErr_Clear(); // a Python error that PyTorch left behind
  }
  return otherwise;
}

std::string
repr(const Any & a)
{
  const std::string name = std::string("<") + a.type->name;
  if (!a.tensor->defined())
    return name + ", undefined>";
  return name + " of " +
         unless_it_fails([&] { return "shape " + shape_text(a); }, "unknown shape") +
         unless_it_fails([&] { return values_text(*a.tensor); }, "") + '>';
}

std::string
text(const Any & a)
{
  std::ostringstream s;
  s << a.value();
  std::string r = s.str();
  return r.replace(0, r.find(' '), a.type->name);
}
} // namespace

void
bind_methods(AnyClass & cls)
{
  // ---- Access ----
  cls.def(
      "torch",
      [](const Any & a) { return *a.tensor; },
      "The torch.Tensor of all values. Shares storage.");
  cls.def(
      "tensor",
      [](const Any & a) { return a.value(); },
      "The same batch as a neml2 Tensor. Shares storage.");
  cls.def(
      "defined",
      [](const Any & a) { return a.tensor->defined(); },
      "Whether the tensor has values; SR2() has none.");
  cls.def(
      "batched",
      [](const Any & a) { return a.value().batched(); },
      "Whether the tensor has batch dimensions.");
  cls.def(
      "dim",
      [](const Any & a)
      {
        check_defined("dim", a);
        return a.tensor->dim();
      },
      "The number of batch and base dimensions together.");
  cls.def_prop_ro(
      "shape",
      [](const Any & a)
      {
        check_defined("shape", a);
        return TensorShape(a.tensor->sizes());
      },
      "The sizes of all dimensions, batch dimensions first. See also .batch.shape and .base.shape.",
      nb::sig("def shape(self) -> tuple[int, ...]"));
  cls.def_prop_ro(
      "dtype",
      [](const Any & a)
      {
        check_defined("dtype", a);
        return a.tensor->scalar_type();
      },
      "The torch.dtype of the values.");
  cls.def_prop_ro(
      "device",
      [](const Any & a)
      {
        check_defined("device", a);
        return a.tensor->device();
      },
      "The torch.device of the values.",
      nb::sig("def device(self) -> torch.device"));
  cls.def(
      "numel", [](const Any & a) { return a.tensor->numel(); }, "The number of values.");
  cls.def(
      "numpy",
      [](const Any & a, const nb::args & args, const nb::kwargs & kwargs)
      { return call(a, "numpy", args, kwargs); },
      "The values as a NumPy array, like torch.Tensor.numpy. Shares storage.",
      nb::sig("def numpy(self, *, force: bool = False) -> typing.Any"));
  cls.def(
      "__array__",
      [](const Any & a, const nb::args & args, const nb::kwargs & kwargs)
      { return call(a, "__array__", args, kwargs); },
      nb::sig("def __array__(self, *args: typing.Any, **kwargs: typing.Any) -> typing.Any"));
  cls.attr("__array_ufunc__") = nb::none(); // makes NumPy's numbers leave operators to this class
  cls.def(
      "item",
      [](const Any & a) { return call(a, "item", {}, {}); },
      "The value of a tensor that has a single value, as a Python number.",
      nb::sig("def item(self) -> float | int | bool"));
  cls.def(
      "tolist",
      [](const Any & a) { return call(a, "tolist", {}, {}); },
      "The values as nested lists.",
      nb::sig("def tolist(self) -> typing.Any"));
  cls.def(
      "__bool__",
      [](const Any & a)
      {
        check_defined("bool", a);
        if (a.tensor->numel() != 1)
          core::fail("bool: ",
                     core::operand(a.value()),
                     " has ",
                     a.tensor->numel(),
                     " values, so its truth value is not defined. Use x.all() or x.any().");
        return call(a, "__bool__", {}, {});
      },
      nb::sig("def __bool__(self) -> bool"));
  cls.def(
      "__float__",
      [](const Any & a) { return call(a, "__float__", {}, {}); },
      nb::sig("def __float__(self) -> float"));
  cls.def(
      "all",
      [](const Any & a) { return call(a, "all", {}, {}).attr("item")(); },
      "Whether all values are true (for numbers: not 0).",
      nb::sig("def all(self) -> bool"));
  cls.def(
      "any",
      [](const Any & a) { return call(a, "any", {}, {}).attr("item")(); },
      "Whether at least one value is true (for numbers: not 0).",
      nb::sig("def any(self) -> bool"));
  cls.def("__repr__", repr);
  cls.def("__str__", text);

  // ---- Copies ----
  cls.def(
      "clone", [](const Any & a) { return a.like(a.value().clone()); }, doc("TensorBase::clone"));
  cls.def(
      "detach",
      [](const Any & a) { return a.like(a.value().detach()); },
      doc("TensorBase::detach"));
  cls.def(
      "contiguous",
      [](const Any & a) { return a.like(a.value().contiguous()); },
      doc("TensorBase::contiguous"));
  bind_conversions(cls);
  cls.def(
      "copy_",
      [](const Any & a, const Any & other) -> Same
      {
        Tensor x = a;
        x.copy_(other.value());
        return {nb::borrow(a.object)};
      },
      nb::arg("other"),
      doc("TensorBase::copy_"));
  cls.def(
      "zero_",
      [](const Any & a) -> Same
      {
        check_defined("zero_", a);
        core::translate_errors("zero_", [&] { a.tensor->zero_(); });
        return {nb::borrow(a.object)};
      },
      "Sets all values to 0. Returns the tensor.");
  cls.def(
      "fill_",
      [](const Any & a, const CScalar & value) -> Same
      {
        check_defined("fill_", a);
        core::translate_errors("fill_", [&] { a.tensor->fill_(value); });
        return {nb::borrow(a.object)};
      },
      nb::arg("value"),
      "Sets all values to this number. Returns the tensor.");

  // ---- Autograd ----
  cls.def_prop_rw(
      "requires_grad",
      [](const Any & a) { return a.tensor->defined() && a.tensor->requires_grad(); },
      [](const Any & a, bool required)
      {
        check_defined("requires_grad", a);
        nb::cast(*a.tensor).attr("requires_grad") = required;
      },
      "Whether autograd records operations on this tensor.");
  cls.def(
      "requires_grad_",
      [](const Any & a, bool required) -> Same
      {
        check_defined("requires_grad_", a);
        nb::cast(*a.tensor).attr("requires_grad") = required;
        return {nb::borrow(a.object)};
      },
      nb::arg("requires_grad") = true,
      "Sets whether autograd records operations on this tensor. Returns the tensor.");
  cls.def_prop_ro(
      "grad",
      [](const Any & a) -> std::optional<Same>
      {
        check_defined("grad", a);
        const nb::object grad = nb::cast(*a.tensor).attr("grad");
        if (grad.is_none())
          return std::nullopt;
        return a.like({nb::cast<at::Tensor>(grad), a.batch_dim});
      },
      "The gradient that backward() has added up for this tensor, of the same type. None before "
      "backward().");
  cls.def_prop_ro(
      "is_leaf",
      [](const Any & a) { return !a.tensor->defined() || a.tensor->is_leaf(); },
      "Whether this tensor is a leaf of autograd's graph, that is, whether autograd did not "
      "compute it from tensors that require grad. backward() sets .grad of leaves only.");
  cls.def(
      "backward",
      [](const Any & a, const nb::args & args, const nb::kwargs & kwargs)
      { return call(a, "backward", args, kwargs); },
      "Computes the gradients of this tensor by all leaves of autograd's graph, and adds them to "
      "the leaves' .grad. The arguments are those of torch.Tensor.backward.",
      nb::sig("def backward(self, gradient: TensorBase | None = None, retain_graph: bool | None = "
              "None, "
              "create_graph: bool = False) -> None"));
}
} // namespace neml2::python
