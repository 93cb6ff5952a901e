// SPDX-License-Identifier: MIT
#include "bindings/common.h"
#include "bindings/labels.h"
#include "bindings/messages.h"
#include "neml2/tensors/LabeledTensor3D.h"

namespace neml2::python
{
namespace
{
/// Views of a labeled tensor: Batch for its batch dimensions, Base for its base dimensions, which are indexed by labels. A view holds a
/// copy of the tensor that shares the tensor's storage.
template <class T>
struct Batch
{
  T parent;
};
template <class T>
struct Base
{
  T parent;
};

template <class T>
constexpr size_t axis_count = std::tuple_size_v<typename T::AxisPointers>;

template <class T>
std::string
name_of()
{
  return nb::cast<std::string>(nb::type<T>().attr("__name__"));
}

template <class T>
T
like(const T & t, const Tensor & tensor)
{
  return T(tensor, t.axes());
}

template <class T>
const T *
instance(nb::handle object)
{
  return nb::isinstance<T>(object) && nb::inst_ready(object) ? nb::inst_ptr<T>(object) : nullptr;
}

/// The axes of the base dimensions, from one axis, or a tuple or list of axes. They are copies, which stay valid if Python changes the
/// originals. A copy shares the layout of an axis that is set up.
template <class T>
struct Axes
{
  std::vector<LabeledAxis> axes;

  explicit Axes(nb::handle given)
  {
    if (PyTuple_Check(given.ptr()) || PyList_Check(given.ptr()))
      for (const nb::handle axis : nb::borrow<nb::sequence>(given))
        add(axis);
    else
      add(given);
    NEML2_CHECK(axes.size() == axis_count<T>,
                "axes: ",
                axes.size(),
                " axes for ",
                axis_count<T>,
                " base dimensions. Give one for each, as in (rows, columns).");
  }
  operator typename T::AxisPointers() const
  {
    typename T::AxisPointers pointers;
    std::transform(
        axes.begin(), axes.end(), pointers.begin(), [](const auto & axis) { return &axis; });
    return pointers;
  }

private:
  void add(nb::handle axis)
  {
    const Axis * a = instance<Axis>(axis);
    if (!a)
      throw nb::type_error((std::string("axes: expected a LabeledAxis for each base dimension, as "
                                        "in (rows, columns), not an object of type ") +
                            Py_TYPE(axis.ptr())->tp_name)
                               .c_str());
    axes.push_back(a->get());
  }
};

/// The tensor held by a tensor of this library, labeled or not; a torch.Tensor gets base_dim base dimensions. nullopt for any other
/// object.
std::optional<Tensor>
tensor_of(nb::handle object, Size base_dim)
{
  if (Any any; nb::try_cast(object, any))
    return any.value();
  if (const auto * v = instance<LabeledVector>(object))
    return v->tensor();
  if (const auto * m = instance<LabeledMatrix>(object))
    return m->tensor();
  if (const auto * t = instance<LabeledTensor3D>(object))
    return t->tensor();
  if (!is_torch_tensor(object))
    return std::nullopt;
  const auto t = nb::cast<at::Tensor>(object);
  NEML2_CHECK(t.dim() >= base_dim,
              "a torch.Tensor of shape ",
              t.sizes(),
              " has fewer than ",
              base_dim,
              " base dimensions.");
  return Tensor(t, t.dim() - base_dim);
}

[[noreturn]] void
refuse(const char * where, nb::handle object, const char * expected)
{
  throw nb::type_error((std::string(where) + ": expected a tensor of this library or of torch" +
                        expected + ", not an object of type " + Py_TYPE(object.ptr())->tp_name)
                           .c_str());
}

Tensor
value_of(const char * where, nb::handle object, Size base_dim)
{
  if (auto t = tensor_of(object, base_dim))
    return *t;
  refuse(where, object, "");
}

/// The labels of all base dimensions, from the key of an indexing expression, such as t.base[key]. A colon means the whole axis, like the empty path.
template <class T>
indexing::TensorLabels
labels_of(nb::handle key)
{
  indexing::TensorLabels labels;
  const auto add = [&](nb::handle label)
  {
    const bool all =
        PySlice_Check(label.ptr()) && label.equal(nb::slice(nb::none(), nb::none(), nb::none()));
    labels.push_back(all ? LabeledAxisAccessor() : path_of(label));
  };
  if (axis_count<T> == 1 || !PyTuple_Check(key.ptr()))
    add(key);
  else
    for (const nb::handle label : nb::borrow<nb::tuple>(key))
      add(label);
  return labels;
}

template <class T>
Tensor
block(const T & t, const indexing::TensorLabels & labels)
{
  core::check_defined(".base[...]", t.tensor());
  return t.base_index(labels);
}

nb::object
reinterpreted(const Tensor & block, nb::handle cls)
{
  const TypeInfo & type = base_type(cls);
  tensors::check_readable_as(with_article(type.name), type.base, block);
  return core::translate_errors("reinterpret",
                                [&]
                                {
                                  const at::Tensor t =
                                      block.view(utils::add_shapes(block.batch_sizes(), type.base));
                                  return type.make({t, block.batch_dim()});
                                });
}

/// The size of the first batch dimension.
template <class T>
Size
length(const Batch<T> & v, const char * where)
{
  core::check_defined(where, v.parent.tensor());
  if (v.parent.batch_dim() == 0)
    throw nb::type_error((std::string(where) + " of a view without dimensions").c_str());
  return v.parent.tensor().sizes()[0];
}

template <class T>
void
bind_batch(nb::class_<T> & parent)
{
  using V = Batch<T>;
  nb::class_<V> cls(parent,
                    "BatchView",
                    nb::is_weak_referenceable(),
                    "The batch dimensions of a labeled tensor.");
  cls.def("__len__", [](const V & v) { return length(v, "len()"); });
  cls.def(
      "__iter__",
      [](const V & v)
      {
        nb::list parts;
        for (Size i = 0, n = length(v, "iteration"); i < n; i++)
          parts.append(v.parent.batch_index({i}));
        return nb::iter(parts);
      },
      "Iterates over the parts [0], [1] ... along the first dimension.",
      nb::sig(("def __iter__(self) -> collections.abc.Iterator[" + name_of<T>() + "]").c_str()));
  cls.def_prop_ro(
      "shape",
      [](const V & v)
      {
        core::check_defined("shape", v.parent.tensor());
        const auto sizes = v.parent.batch_sizes();
        return TensorShape(sizes.begin(), sizes.end());
      },
      "The sizes, as a tuple.",
      nb::sig("def shape(self) -> tuple[int, ...]"));
  cls.def(
      "dim", [](const V & v) { return v.parent.batch_dim(); }, "The number of dimensions.");
  const std::string name = name_of<T>();
  cls.def(
      "__getitem__",
      [](const V & v, nb::handle key)
      {
        const auto i = indices(key);
        return v.parent.batch_index(i);
      },
      nb::arg("index").none(),
      doc("LabeledTensor::batch_index"),
      nb::sig(("def __getitem__(self, index: typing.Any) -> " + name).c_str()));
  cls.def(
      "__setitem__",
      [](V & v, nb::handle key, nb::handle value)
      {
        const auto i = indices(key);
        const auto put = [&](const auto & x) { v.parent.batch_index_put_(i, x); };
        if (const T * other = instance<T>(value))
          for (size_t k = 0; k < axis_count<T>; k++)
            NEML2_CHECK(v.parent.axis(Size(k)) == other->axis(Size(k)),
                        ".batch[...] = value: the axes ",
                        k,
                        " differ.");
        if (const auto t = tensor_of(value, 0))
          put(static_cast<const at::Tensor &>(*t));
        else if (CScalar number; nb::try_cast(value, number))
          put(number);
        else
          refuse(".batch[...] = value", value, ", or a number");
      },
      nb::arg("index").none(),
      nb::arg("value").none(),
      "Writes into the part [index]. The value broadcasts by torch's rules, and is converted to "
      "this tensor's dtype.",
      nb::sig(("def __setitem__(self, index: typing.Any, value: " + name +
               " | TensorBase | torch.Tensor | float) -> None")
                  .c_str()));
}

template <class T>
void
bind_base(nb::class_<T> & parent)
{
  using V = Base<T>;
  nb::class_<V> cls(parent,
                    "BaseView",
                    nb::is_weak_referenceable(),
                    "The base dimensions of a labeled tensor, indexed by labels.");
  cls.def_prop_ro(
      "shape",
      [](const V & v)
      {
        core::check_defined("shape", v.parent.tensor());
        return TensorShape(v.parent.base_sizes());
      },
      "The sizes, as a tuple.",
      nb::sig("def shape(self) -> tuple[int, ...]"));
  cls.def(
      "dim", [](const V &) { return axis_count<T>; }, "The number of dimensions.");
  cls.def(
      "__getitem__",
      [](const V & v, nb::handle key) { return block(v.parent, labels_of<T>(key)); },
      nb::arg("labels"),
      "The block of the items with these labels, one label per axis. A colon means the whole axis. "
      "The result is a view.\n(batch; sizes) -> (batch; sizes of the items)\nRaises KeyError if an "
      "axis does not have the item, IndexError for another number of labels.",
      nb::sig("def __getitem__(self, labels: typing.Any) -> Tensor"));
  cls.def(
      "__setitem__",
      [](V & v, nb::handle key, nb::handle value)
      {
        const auto labels = labels_of<T>(key);
        block(v.parent, labels);
        if (const auto t = tensor_of(value, Size(axis_count<T>)))
          v.parent.base_index_put_(labels, *t);
        else if (CScalar number; nb::try_cast(value, number))
          v.parent.base_index_put_(labels, number);
        else
          refuse(".base[...] = value", value, ", or a number");
      },
      nb::arg("labels"),
      nb::arg("value").none(),
      doc("LabeledTensor::base_index_put_"),
      nb::sig("def __setitem__(self, labels: typing.Any, value: LabeledVector | LabeledMatrix | "
              "LabeledTensor3D | TensorBase | torch.Tensor | float) -> None"));
}

/// Binds a factory that takes the batch shape, the axes and options.
template <class T, class F>
void
bind_factory(nb::class_<T> & cls, const char * name, const char * text, const F & f)
{
  cls.def_static(
      name,
      [f](const TensorShape & batch,
          nb::handle axes,
          OptionalDtype dtype,
          const OptionalDevice & device,
          bool grad) -> T { return f(batch, Axes<T>(axes), options(dtype, device, grad)); },
      nb::arg("batch"),
      nb::arg("axes"),
      nb::kw_only(),
      nb::arg("dtype") = nb::none(),
      nb::arg("device") = nb::none(),
      nb::arg("requires_grad") = false,
      text,
      nb::sig(
          (std::string("def ") + name +
           "(batch: int | collections.abc.Sequence[int], axes: LabeledAxis | "
           "collections.abc.Sequence[LabeledAxis], *, dtype: torch.dtype | None = None, device: "
           "torch.device | str | None = None, requires_grad: bool = False) -> " +
           name_of<T>())
              .c_str()));
}

template <class T>
void
bind_making(nb::class_<T> & cls)
{
  cls.def(
      "__init__",
      [](T * self) { new (self) T(); },
      "An undefined tensor, which has neither values nor axes.");
  cls.def(
      "__init__",
      [](T * self, nb::handle tensor, nb::handle axes)
      {
        const Tensor t = value_of("tensor", tensor, Size(axis_count<T>));
        new (self) T(t, Axes<T>(axes));
      },
      nb::arg("tensor"),
      nb::arg("axes"),
      "Gives the base dimensions of a tensor labels. The base dimensions of a torch.Tensor are its "
      "last ones. Shares storage.\nRaises ValueError unless each base size is the size of its "
      "axis.",
      nb::sig("def __init__(self, tensor: TensorBase | torch.Tensor, axes: LabeledAxis | "
              "collections.abc.Sequence[LabeledAxis]) -> None"));
  bind_factory(cls,
               "empty",
               "A labeled tensor whose values are not set. (batch; sizes of the axes)",
               [](const auto & batch, const auto & axes, const auto & o)
               { return T::empty(batch, axes, o); });
  bind_factory(cls,
               "zeros",
               "A labeled tensor of zeros. (batch; sizes of the axes)",
               [](const auto & batch, const auto & axes, const auto & o)
               { return T::zeros(batch, axes, o); });
}

/// Binds the members that all tensors have. They act on the tensor without labels.
template <class T>
void
bind_as_tensor(nb::class_<T> & cls)
{
  cls.def(
      "tensor",
      [](const T & t) { return t.tensor(); },
      "The tensor without labels. Shares storage.");
  cls.def(
      "torch",
      [](const T & t) { return static_cast<const at::Tensor &>(t.tensor()); },
      "The torch.Tensor of all values. Shares storage.");
  cls.def("defined", &T::defined, "Whether the tensor has values.");
  cls.def("batched", &T::batched, "Whether the tensor has batch dimensions.");
  cls.def("dim", &T::dim, "The number of batch and base dimensions together.");
  cls.def_prop_ro(
      "shape",
      [](const T & t) { return TensorShape(t.sizes()); },
      "The sizes of all dimensions, batch dimensions first. See also .batch.shape and .base.shape.",
      nb::sig("def shape(self) -> tuple[int, ...]"));
  cls.def_prop_ro("dtype", &T::scalar_type, "The torch.dtype of the values.");
  cls.def_prop_ro("device",
                  &T::device,
                  "The torch.device of the values.",
                  nb::sig("def device(self) -> torch.device"));
  cls.def_prop_rw(
      "requires_grad",
      [](const T & t) { return t.defined() && t.requires_grad(); },
      [](const T & t, bool required) { nb::cast(t.tensor()).attr("requires_grad") = required; },
      "Whether autograd records operations on this tensor.");
  cls.def(
      "requires_grad_",
      [](nb::handle_t<T> self, bool required)
      {
        nb::cast(nb::cast<const T &>(self).tensor()).attr("requires_grad") = required;
        return nb::borrow(self);
      },
      nb::arg("requires_grad") = true,
      "Sets whether autograd records operations on this tensor. Returns the tensor.",
      nb::sig("def requires_grad_(self, requires_grad: bool = True) -> typing_extensions.Self"));
  cls.def_prop_ro(
      "grad",
      [](const T & t) -> std::optional<T>
      {
        core::check_defined("grad", t.tensor());
        const at::Tensor grad = t.tensor().grad();
        return grad.defined() ? std::optional<T>(like(t, Tensor(grad, t.batch_dim())))
                              : std::nullopt;
      },
      "The gradient that backward() has added up for this tensor, with the same labels. None "
      "before backward().");
  cls.def("clone", &T::clone, doc("TensorBase::clone"));
  cls.def("detach", &T::detach, doc("TensorBase::detach"));
  const auto conversion = [&](const char * name, const char * text, const char * arguments)
  {
    cls.def(
        name,
        [name](const T & t, const nb::args & args, const nb::kwargs & kwargs)
        { return like(t, nb::cast<Tensor>(nb::cast(t.tensor()).attr(name)(*args, **kwargs))); },
        text,
        nb::sig(
            (std::string("def ") + name + "(self" + arguments + ") -> " + name_of<T>()).c_str()));
  };
  conversion("to",
             "A tensor with the same values in another dtype or on another device, with the "
             "arguments of torch.Tensor.to: .to(dtype), .to(device), .to(other), or by name. If "
             "requires_grad is given and differs from the present value, the result is detached "
             "from autograd's graph; with True it is a leaf of a new graph.",
             ", *args: torch.dtype | torch.device | str | TensorBase | torch.Tensor | bool, dtype: "
             "torch.dtype | None = None, device: torch.device | str | None = None, requires_grad: "
             "bool | None = None, non_blocking: bool = False, copy: bool = False");
  conversion("cuda",
             "A tensor with the same values on a GPU, like torch.Tensor.cuda.",
             ", device: torch.device | int | str | None = None, non_blocking: bool = False");
  conversion("cpu", "A tensor with the same values on the CPU.", "");
  conversion("pin_memory",
             "A tensor with the same values in pinned memory, from which copies to a GPU are fast.",
             "");
  conversion("double", "A tensor with the same values in the dtype torch.float64.", "");
  conversion("float", "A tensor with the same values in the dtype torch.float32.", "");
  conversion("half", "A tensor with the same values in the dtype torch.float16.", "");
  conversion("bfloat16", "A tensor with the same values in the dtype torch.bfloat16.", "");
  cls.def(
      "copy_",
      [](nb::handle_t<T> self, const T & other)
      {
        T t = nb::cast<const T &>(self);
        core::check_defined("copy_", t.tensor());
        t.copy_(other);
        return nb::borrow(self);
      },
      nb::arg("other"),
      "Copies the entries of a tensor with the same axes; its batch broadcasts to the batch of "
      "this "
      "tensor.\nRaises ValueError if the axes differ.",
      nb::sig(("def copy_(self, other: " + name_of<T>() + ") -> typing_extensions.Self").c_str()));
  cls.def(
      "zero_",
      [](nb::handle_t<T> self)
      {
        nb::cast(nb::cast<const T &>(self).tensor()).attr("zero_")();
        return nb::borrow(self);
      },
      "Sets all values to 0. Returns the tensor.",
      nb::sig("def zero_(self) -> typing_extensions.Self"));
  cls.def("__neg__", [](const T & t) { return -t; });
  // Without these, == would only tell whether both operands are the same object. An object still equals itself, because Python's dicts with
  // weak keys compare keys.
  for (const bool equal : {true, false})
  {
    const char * const name = equal ? "__eq__" : "__ne__";
    cls.def(
        name,
        [equal](nb::handle_t<T> self, const nb::object & other) -> nb::object
        {
          if (self.is(other))
            return nb::bool_(equal);
          if (other.is_none() || nb::isinstance<nb::str>(other))
            return nb::not_implemented();
          throw nb::type_error((name_of<T>() + ": labeled tensors are not compared with == or !=. "
                                               "Compare a.tensor() == b.tensor() number by number, "
                                               "and a.axes() == b.axes().")
                                   .c_str());
        },
        nb::arg("other").none(),
        nb::sig(("def " + std::string(name) + "(self, other: object, /) -> bool").c_str()));
  }
  cls.attr("__hash__") = nb::module_::import_("builtins").attr("object").attr("__hash__");
}

template <class T>
void
bind_objects(nb::class_<T> & cls)
{
  cls.def("__repr__",
          [](const T & t)
          {
            std::string s = nb::repr(nb::cast(t.tensor())).c_str();
            return s.replace(1, 6, name_of<T>());
          });
  cls.def("__str__",
          [](const T & t)
          {
            std::string s = nb::str(nb::cast(t.tensor())).c_str();
            return s.replace(0, 6, name_of<T>());
          });
}

template <class T>
void
bind_labeled(nb::class_<T> & cls)
{
  bind_batch(cls);
  bind_base(cls);
  bind_making(cls);
  bind_as_tensor(cls);
  bind_objects(cls);
  cls.def_prop_ro(
      "batch", [](const T & t) { return Batch<T>{t}; }, "The batch dimensions.");
  cls.def_prop_ro(
      "base",
      [](const T & t) { return Base<T>{t}; },
      "The base dimensions, indexed by labels, one per dimension: .base[label].");
  cls.def(
      "axis",
      [](const T & t, Size i) { return Axis(t.axis(i)); },
      nb::arg("i") = 0,
      "The axis of base dimension i.");
  cls.def(
      "axes",
      [](const T & t)
      {
        nb::list axes;
        for (const auto * axis : t.axes())
          axes.append(Axis(*axis));
        return nb::tuple(axes);
      },
      "The axes of all base dimensions.",
      nb::sig("def axes(self) -> tuple[LabeledAxis, ...]"));
  cls.def(
      "reinterpret",
      [](const T & t, nb::handle labels, const nb::type_object & type)
      { return reinterpreted(block(t, labels_of<T>(labels)), type); },
      nb::arg("labels"),
      nb::arg("type"),
      "The block .base[labels] as a tensor of this type. The result is a view.\n(batch; sizes) -> "
      "(batch; base shape)\nRaises ValueError unless the block has as many entries as the base "
      "shape of the type.",
      nb::sig("def reinterpret(self, labels: typing.Any, type: type[neml2_tensors.math.T]) -> "
              "neml2_tensors.math.T"));
  cls.def("fill",
          &T::fill,
          nb::arg("other"),
          nb::arg("recursive") = true,
          doc((name_of<T>() + "::fill").c_str()));
}

/// The pairs of keys and values of a mapping.
nb::list
items(nb::handle values)
{
  if (!nb::hasattr(values, "items"))
    throw nb::type_error(
        (std::string("assemble: expected a dictionary of values, not an object of type ") +
         Py_TYPE(values.ptr())->tp_name)
            .c_str());
  return nb::list(values.attr("items")());
}

void
bind_vector(nb::module_ & m)
{
  nb::class_<LabeledVector> cls(
      m, "LabeledVector", nb::is_weak_referenceable(), doc("LabeledVector"));
  bind_labeled(cls);
  cls.def_static(
      "assemble",
      [](const Axis & axis, nb::handle values)
      {
        LabeledVector::Values parts;
        for (const nb::handle item : items(values))
          parts.emplace_back(path_of(item[0]), value_of("assemble", item[1], 1));
        return LabeledVector::assemble(LabeledAxis(axis.get()), parts);
      },
      nb::arg("axis"),
      nb::arg("values"),
      doc("LabeledVector::assemble"),
      nb::sig("def assemble(axis: LabeledAxis, values: collections.abc.Mapping[typing.Any, "
              "TensorBase | "
              "LabeledVector | torch.Tensor]) -> LabeledVector"));
  cls.def(
      "disassemble",
      [](const LabeledVector & v)
      {
        core::check_defined("disassemble", v.tensor());
        nb::dict r;
        for (const auto & [name, value] : v.disassemble())
          r[nb::cast(name)] = value;
        return r;
      },
      "A dict of all variables in the order of the layout. Each is a vector: (batch; n) -> (batch; "
      "size).",
      nb::sig("def disassemble(self) -> dict[LabeledAxisAccessor | str, Tensor]"));
  cls.def(
      "slice",
      [](const LabeledVector & v, const Path & subaxis) { return v.slice(subaxis); },
      nb::arg("subaxis"),
      doc("LabeledVector::slice"));
  m.def("allclose",
        &utils::allclose,
        nb::arg("a"),
        nb::arg("b"),
        nb::arg("rtol") = 1e-5,
        nb::arg("atol") = 1e-8,
        doc("allclose"));
}

void
bind_matrix(nb::module_ & m)
{
  nb::class_<LabeledMatrix> cls(
      m, "LabeledMatrix", nb::is_weak_referenceable(), doc("LabeledMatrix"));
  bind_labeled(cls);
  cls.def_static(
      "assemble",
      [](const Axis & rows, const Axis & columns, nb::handle blocks)
      {
        std::vector<LabeledMatrix::Block> parts;
        for (const nb::handle item : items(blocks))
        {
          const nb::object key = item[0];
          if (!nb::isinstance<nb::tuple>(key) || nb::len(key) != 2)
            throw nb::type_error("assemble: the key of a block is (row, column)");
          parts.push_back({path_of(key[0]), path_of(key[1]), value_of("assemble", item[1], 2)});
        }
        return LabeledMatrix::assemble(LabeledAxis(rows.get()), LabeledAxis(columns.get()), parts);
      },
      nb::arg("rows"),
      nb::arg("columns"),
      nb::arg("blocks"),
      doc("LabeledMatrix::assemble"),
      nb::sig("def assemble(rows: LabeledAxis, columns: LabeledAxis, blocks: "
              "collections.abc.Mapping[typing.Any, TensorBase | LabeledMatrix | torch.Tensor]) -> "
              "LabeledMatrix"));
  cls.def_static(
      "identity",
      [](const TensorShape & batch,
         const Axis & axis,
         OptionalDtype dtype,
         const OptionalDevice & device,
         bool grad) {
        return LabeledMatrix::identity(
            batch, LabeledAxis(axis.get()), options(dtype, device, grad));
      },
      nb::arg("batch"),
      nb::arg("axis"),
      nb::kw_only(),
      nb::arg("dtype") = nb::none(),
      nb::arg("device") = nb::none(),
      nb::arg("requires_grad") = false,
      doc("LabeledMatrix::identity"),
      nb::sig(
          "def identity(batch: int | collections.abc.Sequence[int], axis: LabeledAxis, *, dtype: "
          "torch.dtype | None = None, device: torch.device | str | None = None, requires_grad: "
          "bool = False) -> LabeledMatrix"));
  cls.def("chain", &LabeledMatrix::chain, nb::arg("other"), doc("LabeledMatrix::chain"));
}
} // namespace

void
bind_labeled_tensors(nb::module_ & m)
{
  bind_vector(m);
  bind_matrix(m);
  nb::class_<LabeledTensor3D> cls(
      m, "LabeledTensor3D", nb::is_weak_referenceable(), doc("LabeledTensor3D"));
  bind_labeled(cls);
  cls.def("chain",
          &LabeledTensor3D::chain,
          nb::arg("other"),
          nb::arg("dself"),
          nb::arg("dother"),
          doc("LabeledTensor3D::chain"));
}
} // namespace neml2::python
