// SPDX-License-Identifier: MIT
#include "bindings/common.h"

#include "neml2/tensors/Scalar.h"

#include <nanobind/typing.h>

namespace neml2::python
{
namespace
{
/// A view of the batch or base dimensions of a tensor, which it keeps alive.
struct View
{
  Any parent;
  nb::object owner;

  explicit View(const Any & a) : parent(a), owner(nb::borrow(a.object)) {}
  Tensor value() const
  {
    NEML2_CHECK(owner.is_valid(), "the tensor of this view is gone.");
    return parent.value();
  }
};

/// Shows Python's garbage collector the tensor of a view, because a tensor of a derived class may refer to its own view.
int
traverse(PyObject * self, visitproc visit, void * arg)
{
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self))
    Py_VISIT(nb::inst_ptr<View>(self)->owner.ptr());
  return 0;
}
int
clear(PyObject * self)
{
  if (nb::inst_ready(self))
    nb::inst_ptr<View>(self)->owner.reset();
  return 0;
}
PyType_Slot collected[] = {{Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                           {Py_tp_clear, reinterpret_cast<void *>(clear)},
                           {0, nullptr}};
struct BatchView : View
{
  using View::View;
};
struct BaseView : View
{
  using View::View;
};

at::Tensor
index_tensor(nb::handle key)
{
  if (const auto * type = type_of(key); type && nb::inst_ready(key))
  {
    const at::Tensor & t = type->tensor(nb::inst_ptr<void>(key));
    NEML2_CHECK(t.defined(), "index: undefined tensor. Assign it first.");
    return t;
  }
  if (is_torch_tensor(key))
    return nb::cast<at::Tensor>(key);
  // An object whose __class__ wrongly claims that it is a tensor would crash torch.as_tensor.
  const bool impostor = PyObject_IsInstance(key.ptr(), THPVariableClass) != 0;
  PyErr_Clear();
  if (impostor || PyType_Check(key.ptr()) ||
      (!PySequence_Check(key.ptr()) && !nb::hasattr(key, "__array__")))
    throw nb::type_error((std::string("cannot index by ") + Py_TYPE(key.ptr())->tp_name +
                          ": expected integers, slices, None, ... or tensors of indices.")
                             .c_str());
  const auto t =
      nb::cast<at::Tensor>(nb::module_::import_("torch").attr("as_tensor")(nb::borrow(key)));
  // An empty list becomes a tensor of floats, but indices are integers.
  return t.numel() == 0 && t.is_floating_point() ? t.to(kInt64) : t;
}

/// An index as a 64-bit number. A number that is too large is clamped if `clamp` is true; otherwise it causes an IndexError.
int64_t
index_number(nb::handle key, bool clamp)
{
  const Py_ssize_t n = PyNumber_AsSsize_t(key.ptr(), clamp ? nullptr : PyExc_IndexError);
  if (n == -1 && PyErr_Occurred())
    nb::raise_python_error();
  return n;
}

indexing::TensorIndex
index(nb::handle key)
{
  PyObject * k = key.ptr();
  if (k == Py_None)
    return indexing::None;
  if (k == Py_Ellipsis)
    return indexing::Ellipsis;
  if (PyBool_Check(k))
    return indexing::TensorIndex(k == Py_True);
  if (PySlice_Check(k))
  {
    const auto * s = reinterpret_cast<PySliceObject *>(k);
    const auto part = [](PyObject * x) -> std::optional<c10::SymInt>
    { return x == Py_None ? std::nullopt : std::optional<c10::SymInt>(index_number(x, true)); };
    return indexing::Slice(part(s->start), part(s->stop), part(s->step));
  }
  if (!is_torch_tensor(k) && !type_of(key) && PyIndex_Check(k) && !PySequence_Check(k))
    return index_number(key, false);
  return index_tensor(key);
}

/// Calls f with the value to write: a tensor of the library or of torch, or a number.
template <class F>
void
put(nb::handle value, const F & f)
{
  if (const auto * type = type_of(value); type && nb::inst_ready(value))
    f(type->tensor(nb::inst_ptr<void>(value)));
  else if (is_torch_tensor(value))
    f(nb::cast<at::Tensor>(value));
  else if (CScalar number; nb::try_cast(value, number))
    f(number);
  else
    throw nb::type_error(
        (std::string("cannot write ") + Py_TYPE(value.ptr())->tp_name +
         " into a tensor: expected a tensor of this library or of torch, or a number.")
            .c_str());
}

indexing::Slice
slice(std::optional<Size> start, std::optional<Size> stop, std::optional<Size> step)
{
  const auto part = [](std::optional<Size> x) -> std::optional<c10::SymInt>
  { return x ? std::optional<c10::SymInt>(*x) : std::nullopt; };
  return {part(start), part(stop), part(step)};
}

/// Binds the members that both views have. The type Of has the library's functions for the view V.
template <class V, class Of>
void
bind_view(nb::class_<V> & cls, const Of & of)
{
  cls.def_prop_ro(
      "shape",
      [of](const V & v)
      {
        core::check_defined("shape", v.value());
        return TensorShape(of.sizes(v.value()));
      },
      "The sizes, as a tuple.",
      nb::sig("def shape(self) -> tuple[int, ...]"));
  cls.def(
      "dim",
      [of](const V & v) { return Size(of.sizes(v.value()).size()); },
      "The number of dimensions.");
  cls.def(
      "size",
      [of](const V & v, Size i) { return Size(of.size(v.value(), i)); },
      nb::arg("dim"),
      "The size of a dimension; -1 is the last one.");
  cls.def("__len__",
          [of](const V & v)
          {
            const TensorShape shape(of.sizes(v.value()));
            if (shape.empty())
              throw nb::type_error("len() of a view without dimensions");
            return shape[0];
          });
  cls.def(
      "__iter__",
      [of](const V & v)
      {
        core::check_defined("iter", v.value());
        const TensorShape shape(of.sizes(v.value()));
        if (shape.empty())
          throw nb::type_error("iteration over a view without dimensions");
        nb::list parts;
        for (Size i = 0; i < shape[0]; i++)
          parts.append(of.part(v, i));
        return nb::iter(parts);
      },
      "Iterates over the parts [0], [1] ... along the first dimension.",
      nb::sig((std::string("def __iter__(self) -> collections.abc.Iterator[") + of.part_type + "]")
                  .c_str()));
  cls.def(
      "__reduce__",
      [of](const V & v)
      {
        const nb::object attribute = nb::module_::import_("builtins").attr("getattr");
        return nb::make_tuple(attribute, nb::make_tuple(v.owner, of.name));
      },
      nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
  cls.def("__repr__",
          [of](const V & v)
          {
            std::ostringstream s;
            s << '<' << of.name << " of shape " << TensorShapeRef(of.sizes(v.value())) << " of "
              << core::operand(v.value()) << '>';
            return s.str();
          });
}
} // namespace

indexing::TensorIndices
indices(nb::handle key)
{
  indexing::TensorIndices r;
  if (PyTuple_Check(key.ptr()))
    for (const nb::handle k : nb::borrow<nb::tuple>(key))
      r.push_back(index(k));
  else
    r.push_back(index(key));
  return r;
}

namespace
{
struct OfBatch
{
  const char * name = "batch";
  const char * part_type = "_T_co";
  nb::object part(const View & v, Size i) const
  {
    return v.parent.like(v.value().batch_index({i})).object;
  }
  TensorShape sizes(const Tensor & t) const
  {
    return TensorShape(t.sizes().slice(0, size_t(t.batch_dim())));
  }
  Size size(const Tensor & t, Size i) const { return t.batch_size(i); }
};
struct OfBase
{
  const char * name = "base";
  const char * part_type = "Tensor";
  nb::object part(const View & v, Size i) const { return nb::cast(v.value().base_index({i})); }
  TensorShape sizes(const Tensor & t) const { return TensorShape(t.base_sizes()); }
  Size size(const Tensor & t, Size i) const { return t.base_size(i); }
};

void
bind_batch(nb::module_ & m)
{
  m.attr("_T_co") =
      nb::type_var("_T_co", nb::arg("bound") = nb::type<AnyTensor>(), nb::arg("covariant") = true);
  nb::class_<BatchView> cls(
      m,
      "BatchView",
      nb::is_generic(),
      nb::is_weak_referenceable(),
      nb::type_slots(collected),
      nb::sig("class BatchView(typing.Generic[_T_co])"),
      "The batch dimensions of a tensor: their shape, indexing and reshaping. Results have the "
      "tensor's type, and share its storage where results of PyTorch do.");
  bind_view(cls, OfBatch());
  cls.def(
      "__getitem__",
      [](const BatchView & v, const nb::object & key)
      {
        const auto i = indices(key);
        return v.parent.like(v.value().batch_index(i));
      },
      nb::arg("index").none(),
      doc("TensorBase::batch_index"),
      nb::sig("def __getitem__(self, index: typing.Any) -> _T_co"));
  cls.def(
      "__setitem__",
      [](const BatchView & v, const nb::object & key, const nb::object & value)
      {
        const auto i = indices(key);
        put(value, [&](const auto & x) { v.value().batch_index_put_(i, x); });
      },
      nb::arg("index").none(),
      nb::arg("value").none(),
      doc("TensorBase::batch_index_put_"),
      nb::sig("def __setitem__(self, index: typing.Any, value: TensorBase | torch.Tensor | float) "
              "-> None"));
  cls.def(
      "expand",
      [](const BatchView & v, const nb::args & shape)
      { return v.parent.like(v.value().batch_expand(sizes(shape))); },
      doc("TensorBase::batch_expand"),
      nb::sig("def expand(self, *shape: int | collections.abc.Sequence[int]) -> _T_co"));
  cls.def(
      "expand_as",
      [](const BatchView & v, const Any & other)
      { return v.parent.like(v.value().batch_expand_as(other.value())); },
      nb::arg("other"),
      doc("TensorBase::batch_expand_as"),
      nb::sig("def expand_as(self, other: TensorBase) -> _T_co"));
  cls.def(
      "expand_copy",
      [](const BatchView & v, const nb::args & shape)
      { return v.parent.like(v.value().batch_expand_copy(sizes(shape))); },
      doc("TensorBase::batch_expand_copy"),
      nb::sig("def expand_copy(self, *shape: int | collections.abc.Sequence[int]) -> _T_co"));
  cls.def(
      "reshape",
      [](const BatchView & v, const nb::args & shape)
      { return v.parent.like(v.value().batch_reshape(sizes(shape))); },
      doc("TensorBase::batch_reshape"),
      nb::sig("def reshape(self, *shape: int | collections.abc.Sequence[int]) -> _T_co"));
  cls.def(
      "unsqueeze",
      [](const BatchView & v, Size dim, Size n)
      { return v.parent.like(v.value().batch_unsqueeze(dim, n)); },
      nb::arg("dim"),
      nb::arg("n") = 1,
      doc("TensorBase::batch_unsqueeze"),
      nb::sig("def unsqueeze(self, dim: int, n: int = 1) -> _T_co"));
  cls.def(
      "squeeze",
      [](const BatchView & v, Size dim) { return v.parent.like(v.value().batch_squeeze(dim)); },
      nb::arg("dim"),
      doc("TensorBase::batch_squeeze"),
      nb::sig("def squeeze(self, dim: int) -> _T_co"));
  cls.def(
      "transpose",
      [](const BatchView & v, Size dim0, Size dim1)
      { return v.parent.like(v.value().batch_transpose(dim0, dim1)); },
      nb::arg("dim0"),
      nb::arg("dim1"),
      "The tensor with these two batch dimensions interchanged.",
      nb::sig("def transpose(self, dim0: int, dim1: int) -> _T_co"));
  cls.def(
      "movedim",
      [](const BatchView & v, Size source, Size destination)
      { return v.parent.like(v.value().batch_movedim(source, destination)); },
      nb::arg("source"),
      nb::arg("destination"),
      doc("TensorBase::batch_movedim"),
      nb::sig("def movedim(self, source: int, destination: int) -> _T_co"));
  cls.def(
      "flatten",
      [](const BatchView & v) { return v.parent.like(v.value().batch_flatten()); },
      doc("TensorBase::batch_flatten"),
      nb::sig("def flatten(self) -> _T_co"));
  cls.def(
      "slice",
      [](const BatchView & v,
         Size dim,
         std::optional<Size> start,
         std::optional<Size> stop,
         std::optional<Size> step)
      { return v.parent.like(v.value().batch_slice(dim, slice(start, stop, step))); },
      nb::arg("dim"),
      nb::arg("start") = nb::none(),
      nb::arg("stop") = nb::none(),
      nb::arg("step") = nb::none(),
      doc("TensorBase::batch_slice"),
      nb::sig("def slice(self, dim: int, start: int | None = None, stop: int | None = None, step: "
              "int | None "
              "= None) -> _T_co"));
}

void
bind_base(nb::module_ & m)
{
  nb::class_<BaseView> cls(
      m,
      "BaseView",
      nb::is_weak_referenceable(),
      nb::type_slots(collected),
      "The base dimensions of a tensor: their shape, indexing and reshaping. Results are neml2 "
      "Tensors, and share storage where results of PyTorch do.");
  bind_view(cls, OfBase());
  cls.def(
      "__getitem__",
      [](const BaseView & v, const nb::object & key)
      {
        const auto i = indices(key);
        return v.value().base_index(i);
      },
      nb::arg("index").none(),
      doc("TensorBase::base_index"),
      nb::sig("def __getitem__(self, index: typing.Any) -> Tensor"));
  cls.def(
      "__setitem__",
      [](const BaseView & v, const nb::object & key, const nb::object & value)
      {
        const auto i = indices(key);
        put(value, [&](const auto & x) { v.value().base_index_put_(i, x); });
      },
      nb::arg("index").none(),
      nb::arg("value").none(),
      doc("TensorBase::base_index_put_"),
      nb::sig("def __setitem__(self, index: typing.Any, value: TensorBase | torch.Tensor | float) "
              "-> None"));
  cls.def(
      "expand",
      [](const BaseView & v, const nb::args & shape)
      { return v.value().base_expand(sizes(shape)); },
      "Expands base sizes of 1 to the sizes of the shape. (batch; base) -> (batch; shape)",
      nb::sig("def expand(self, *shape: int | collections.abc.Sequence[int]) -> Tensor"));
  cls.def(
      "expand_as",
      [](const BaseView & v, const Any & other) { return v.value().base_expand_as(other.value()); },
      nb::arg("other"),
      "Expands to the base shape of other.");
  cls.def(
      "expand_copy",
      [](const BaseView & v, const nb::args & shape)
      { return v.value().base_expand_copy(sizes(shape)); },
      "A copy of expand(shape), with its own storage.",
      nb::sig("def expand_copy(self, *shape: int | collections.abc.Sequence[int]) -> Tensor"));
  cls.def(
      "reshape",
      [](const BaseView & v, const nb::args & shape)
      { return v.value().base_reshape(sizes(shape)); },
      "Gives the base dimensions another shape with the same number of entries. (batch; base) -> "
      "(batch; shape)",
      nb::sig("def reshape(self, *shape: int | collections.abc.Sequence[int]) -> Tensor"));
  cls.def(
      "unsqueeze",
      [](const BaseView & v, Size dim, Size n) { return v.value().base_unsqueeze(dim, n); },
      nb::arg("dim"),
      nb::arg("n") = 1,
      "Inserts n base dimensions of size 1 at position dim; -1 appends them.");
  cls.def(
      "squeeze",
      [](const BaseView & v, Size dim) { return v.value().base_squeeze(dim); },
      nb::arg("dim"),
      "Removes base dimension dim, whose size must be 1.");
  cls.def(
      "transpose",
      [](const BaseView & v, Size dim0, Size dim1) { return v.value().base_transpose(dim0, dim1); },
      nb::arg("dim0"),
      nb::arg("dim1"),
      "The tensor with these two base dimensions interchanged.");
  cls.def(
      "movedim",
      [](const BaseView & v, Size source, Size destination)
      { return v.value().base_movedim(source, destination); },
      nb::arg("source"),
      nb::arg("destination"),
      "Moves base dimension `source` to position `destination`; the others keep their order.");
  cls.def(
      "flatten",
      [](const BaseView & v, Size start, Size end) { return v.value().base_flatten(start, end); },
      nb::arg("start") = 0,
      nb::arg("end") = -1,
      doc("TensorBase::base_flatten"));
  cls.def(
      "slice",
      [](const BaseView & v,
         Size dim,
         std::optional<Size> start,
         std::optional<Size> stop,
         std::optional<Size> step) { return v.value().base_slice(dim, slice(start, stop, step)); },
      nb::arg("dim"),
      nb::arg("start") = nb::none(),
      nb::arg("stop") = nb::none(),
      nb::arg("step") = nb::none(),
      "The entries [start, stop) of base dimension dim, in steps of `step`.");
}
} // namespace

void
bind_components(AnyClass & cls)
{
  cls.def(
      "__call__",
      [](const Any & a, const nb::args & i)
      {
        const Tensor t = a;
        core::check_defined("()", t);
        if (Size(i.size()) != t.base_dim())
          throw nb::type_error("(): give one index for each base dimension.");
        const auto all = indices(i);
        return Scalar(t.base_index(all));
      },
      "One stored component. It takes one index per base dimension. (batch; base) -> (batch; )",
      nb::sig("def __call__(self, *indices: int) -> Scalar"));
}

namespace
{
[[noreturn]] void
refuse_index(const Any & a)
{
  const std::string name = a.type->name;
  throw nb::type_error(
      (name +
       "[...] does not say which dimensions it means. Write s.batch[...], which is of type " +
       name + ", s.base[...], or s.torch()[...] for those of torch.")
          .c_str());
}
} // namespace

void
bind_views(nb::module_ & m, AnyClass & cls)
{
  bind_components(cls);
  cls.def(
      "__getitem__",
      [](const Any & a, nb::handle) { refuse_index(a); },
      nb::arg("index").none(),
      "Raises TypeError. Use .batch[...] or .base[...].",
      nb::sig("def __getitem__(self, index: typing.Never) -> typing.Never"));
  cls.def(
      "__iter__",
      [](const Any & a) { refuse_index(a); },
      "Raises TypeError. Iterate over .batch or .base.",
      nb::sig("def __iter__(self) -> typing.Never"));
  cls.def(
      "__setitem__",
      [](const Any & a, nb::handle, nb::handle) { refuse_index(a); },
      nb::arg("index").none(),
      nb::arg("value").none(),
      "Raises TypeError. Use .batch[...] or .base[...].",
      nb::sig("def __setitem__(self, index: typing.Never, value: typing.Never) -> None"));
  bind_batch(m);
  bind_base(m);
  cls.def_prop_ro(
      "batch",
      [](const Any & a) { return BatchView(a); },
      "The batch dimensions.",
      nb::sig("def batch(self) -> BatchView[typing_extensions.Self]"));
  cls.def_prop_ro(
      "base", [](const Any & a) { return BaseView(a); }, "The base dimensions.");
}
} // namespace neml2::python
