// SPDX-License-Identifier: MIT
#include "bindings/labels.h"
#include "neml2/tensors/LabeledAxisPicture.h"

#include <algorithm>
#include <set>

namespace neml2::python
{
namespace
{
using Paths = std::vector<LabeledAxisAccessor>;

/// The largest depth of an axis. For deeper axes recursive functions could overflow the stack.
constexpr size_t max_depth = 256;

bool
add_names(LabelNames & names, nb::handle text)
{
  Py_ssize_t size = 0;
  const char * s =
      PyUnicode_Check(text.ptr()) ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
  if (!s)
  {
    PyErr_Clear(); // text that is not valid Unicode (a lone surrogate) causes an error
    return false;
  }
  std::string_view rest(s, size_t(size));
  for (size_t end = 0; end != rest.npos; rest.remove_prefix(end == rest.npos ? 0 : end + 1))
  {
    end = rest.find('/');
    names.emplace_back(rest.substr(0, end));
  }
  return true;
}

nb::tuple
names_of(const LabeledAxisAccessor & a)
{
  nb::list names;
  for (const auto & name : a)
    names.append(name);
  return nb::tuple(names);
}

/// Whether a Python object equals this path. A string counts as the path that it spells.
bool
equal(const LabeledAxisAccessor & a, nb::handle other)
{
  return nb::isinstance<LabeledAxisAccessor>(other) ? a == path_of(other)
                                                    : nb::cast<std::string>(other) == a.str();
}

std::string
accessor_repr(const LabeledAxisAccessor & a)
{
  return "LabeledAxisAccessor(" + (a.empty() ? "" : "'" + a.str() + "'") + ")";
}

void
bind_accessor(nb::module_ & m)
{
  using A = LabeledAxisAccessor;
  nb::class_<A> cls(
      m,
      "LabeledAxisAccessor",
      nb::is_weak_referenceable(),
      "The path to an item of a LabeledAxis: the names of the sub-axes that lead to the item, then "
      "the item's own name.\n\nLabeledAxisAccessor('sub/b') is the same as "
      "LabeledAxisAccessor('sub', 'b'). A function that takes a path also takes 'sub/b' or ('sub', "
      "'b'), and a path equals the string that it prints. () is the empty path, the axis itself. A "
      "name must not be empty, and must not contain white space, quotes or any of / . , ;");
  cls.def(
      "__init__",
      [](A * self, const nb::args & names)
      { new (self) A(path_of(names.size() == 1 ? names[0] : nb::handle(names))); },
      "Makes a path from names, or from another path.",
      nb::sig(
          "def __init__(self, *names: str | collections.abc.Sequence[str] | LabeledAxisAccessor) "
          "-> None"));
  cls.def("__len__", &A::size);
  cls.def(
      "__iter__",
      [](const A & a) { return nb::iter(names_of(a)); },
      nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"));
  cls.def(
      "__getitem__",
      [](const A & a, Size i)
      {
        const Size n = Size(a.size());
        if (i < -n || i >= n)
          throw nb::index_error(("The path '" + a.str() + "' has " + std::to_string(n) +
                                 " names; index " + std::to_string(i) + " is out of range.")
                                    .c_str());
        return a[size_t(i < 0 ? i + n : i)];
      },
      nb::arg("i"));
  cls.def(
      "vec",
      [](const A & a) { return nb::list(names_of(a)); },
      "The names.",
      nb::sig("def vec(self) -> list[str]"));
  cls.def("__str__", &A::str);
  cls.def("__repr__", accessor_repr);
  cls.def(
      "__eq__",
      [](const A & a, const nb::object & other) -> nb::object
      {
        if (!nb::isinstance<A>(other) && !nb::isinstance<nb::str>(other))
          return nb::not_implemented();
        return nb::bool_(equal(a, other));
      },
      nb::arg("other"),
      nb::sig("def __eq__(self, other: object, /) -> bool"));
  cls.def("__hash__", [](const A & a) { return nb::hash(nb::str(a.str().c_str())); });
  cls.def(
      "__lt__",
      [](const A & a, const A & b) { return a < b; },
      nb::arg("other"),
      nb::is_operator());
  cls.def(
      "__reduce__",
      [](nb::handle_t<A> self)
      { return nb::make_tuple(self.type(), names_of(nb::cast<const A &>(self))); },
      nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));

  cls.def(
      "with_suffix", &A::with_suffix, nb::arg("suffix"), doc("LabeledAxisAccessor::with_suffix"));
  cls.def(
      "append",
      [](const A & a, const Path & other) { return a.append(other); },
      nb::arg("other"),
      doc("LabeledAxisAccessor::append"));
  cls.def(
      "prepend",
      [](const A & a, const Path & other) { return a.prepend(other); },
      nb::arg("other"),
      doc("LabeledAxisAccessor::prepend"));
  cls.def(
      "slice",
      [](const A & a, Size n1, std::optional<Size> n2)
      { return a.slice(n1, n2 ? *n2 : Size(a.size())); },
      nb::arg("n1"),
      nb::arg("n2") = nb::none(),
      "The path of the names with indices in [n1, n2), or from n1 on. Negative indices count from "
      "the end.");
  cls.def(
      "remount",
      [](const A & a, const Path & axis, Size n) { return a.remount(axis, n); },
      nb::arg("axis"),
      nb::arg("n") = 1,
      doc("LabeledAxisAccessor::remount"));
  cls.def(
      "start_with",
      [](const A & a, const Path & axis) { return a.start_with(axis); },
      nb::arg("axis"),
      doc("LabeledAxisAccessor::start_with"));
  cls.def("old", &A::old, doc("LabeledAxisAccessor::old"));
  cls.def("current", &A::current, doc("LabeledAxisAccessor::current"));
  const auto is_on = [&](const char * name, bool (A::*f)() const, const std::string & axis)
  { cls.def(name, f, ("Whether the first name is " + axis + ".").c_str()); };
  is_on("is_state", &A::is_state, STATE);
  is_on("is_old_state", &A::is_old_state, OLD_STATE);
  is_on("is_force", &A::is_force, FORCES);
  is_on("is_old_force", &A::is_old_force, OLD_FORCES);
  is_on("is_residual", &A::is_residual, RESIDUAL);
  is_on("is_parameter", &A::is_parameter, PARAMETERS);
}

/// The size of an item of an axis, from a type of tensor, a size, or LabeledAxis, which stands for a sub-axis.
struct Extent
{
  bool is_subaxis = false;
  Size size = 0;

  explicit Extent(nb::handle given)
    : is_subaxis(PyType_Check(given.ptr()) && nb::issubclass(given, nb::type<Axis>()))
  {
    if (is_subaxis)
      return;
    if (PyType_Check(given.ptr()))
      size = utils::numel(base_type(given).base);
    else if (PyIndex_Check(given.ptr()))
      size = PyNumber_AsSsize_t(given.ptr(), PyExc_OverflowError);
    else
      throw nb::type_error(
          (std::string("expected a type of tensor such as SR2, or a size, not an object of type ") +
           Py_TYPE(given.ptr())->tp_name)
              .c_str());
    if (PyErr_Occurred())
      nb::raise_python_error();
  }
};

void
check_depth(const Axis & axis, const LabeledAxisAccessor & name)
{
  NEML2_CHECK(axis.path.size() + name.size() <= max_depth,
              "LabeledAxis: a path of ",
              axis.path.size() + name.size(),
              " names is too deep, expected at most ",
              max_depth,
              ".");
}

Axis
add_subaxis(const Axis & axis, const LabeledAxisAccessor & path)
{
  check_depth(axis, path);
  axis.get().add_subaxis(path);
  return Axis(axis, path);
}

void
add_variable(const Axis & axis, const LabeledAxisAccessor & name, Size size)
{
  check_depth(axis, name);
  axis.get().add_variable(name, size);
}

std::vector<Axis>
subaxes(const Axis & axis)
{
  std::vector<Axis> r;
  for (const auto & name : axis.get().subaxis_names())
    r.emplace_back(axis, name);
  return r;
}

nb::slice
python_slice(const AxisRange & range)
{
  return nb::slice(range.first, range.second);
}

/// A text such as <LabeledAxis of size 7: stress, internal/plastic_strain>.
std::string
axis_repr(const Axis & a)
{
  const LabeledAxis & axis = a.get();
  std::string s = "<LabeledAxis of size " + std::to_string(axis.size());
  size_t n = 0;
  for (const auto & name : axis.variable_names())
    if (n++ < 20)
      s += (n > 1 ? ", " : ": ") + name.str();
  return s + (n > 20 ? ", ..." : "") + (axis.is_setup() ? ">" : "; no layout yet>");
}

std::string
axis_text(const Axis & axis)
{
  std::string s = picture(axis.get());
  while (!s.empty() && s.back() == '\n')
    s.pop_back();
  return s;
}

/// The pickled state of an axis: its path, its variables and sub-axes, and whether it is set up.
using AxisState = std::tuple<std::vector<std::string>,
                             std::vector<std::pair<std::vector<std::string>, Size>>,
                             std::vector<std::vector<std::string>>,
                             bool>;

AxisState
state(const Axis & a)
{
  using Names = std::vector<std::string>;
  const LabeledAxis & axis = a.get();
  AxisState s{Names(axis.qualify({})), {}, {}, axis.is_setup()};
  for (const auto & name : axis.variable_names())
    std::get<1>(s).emplace_back(Names(name), axis.variable_size(name));
  for (const auto & name : axis.subaxis_names(true))
    std::get<2>(s).emplace_back(Names(name));
  return s;
}

Axis
restored(const AxisState & state)
{
  const auto & [path, variables, subaxes, is_setup] = state;
  const Axis root;
  const Axis axis = path.empty() ? root : add_subaxis(root, path);
  for (const auto & name : subaxes)
    add_subaxis(axis, name);
  for (const auto & [name, size] : variables)
    add_variable(axis, name, size);
  if (is_setup)
    axis.get().setup_layout();
  return axis;
}

using AxisClass = nb::class_<Axis>;

void
bind_setting_up(AxisClass & cls)
{
  cls.def(
      "__init__", [](Axis * self) { new (self) Axis(); }, "An axis without items.");
  cls.def(
      "__init__",
      [](Axis * self, const Axis & other) { new (self) Axis(other.get()); },
      nb::arg("other"),
      "A copy of an axis. It shares the items of the other axis if that is set up.");
  cls.def("__copy__", [](const Axis & a) { return Axis(a.get()); });
  cls.def(
      "__deepcopy__",
      [](const Axis & a, nb::handle) { return Axis(a.get()); },
      nb::arg("memo"),
      nb::sig("def __deepcopy__(self, memo: dict[int, typing.Any]) -> LabeledAxis"));
  cls.def("__getstate__", state, nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"));
  cls.def(
      "__setstate__",
      [](Axis & self, const AxisState & s) { new (&self) Axis(restored(s)); },
      nb::sig("def __setstate__(self, state: tuple[typing.Any, ...]) -> None"));

  cls.def(
      "add",
      [](nb::handle_t<Axis> self, const Path & path, nb::handle size)
      {
        const LabeledAxisAccessor name = path;
        const Extent extent(size);
        const Axis & a = nb::cast<const Axis &>(self);
        if (extent.is_subaxis)
          add_subaxis(a, name);
        else if (!name.empty())
          add_variable(a, name, extent.size);
        return nb::borrow(self);
      },
      nb::arg("name"),
      nb::arg("size"),
      "Adds a variable, or a sub-axis. size is the variable's number of entries, or a type such as "
      "SR2, which means the number of its stored components; the type LabeledAxis means a "
      "sub-axis. The sub-axes on the path to the new item are made. If the axis already has an "
      "item of this name, kind and size, nothing changes. Returns the axis.\nRaises ValueError if "
      "the name belongs to another item, or after setup_layout().",
      nb::sig(
          "def add(self, name: LabeledAxisAccessor | str | collections.abc.Sequence[str], size: "
          "type[TensorBase] | type[LabeledAxis] | int) -> typing_extensions.Self"));
  cls.def(
      "add_variable",
      [](const Axis & a, const Path & path, nb::handle size)
      {
        const LabeledAxisAccessor name = path;
        const Extent extent(size);
        if (extent.is_subaxis)
          throw nb::type_error("add_variable: a LabeledAxis is not a variable. Use add_subaxis.");
        add_variable(a, name, extent.size);
      },
      nb::arg("name"),
      nb::arg("size"),
      "Adds a variable. size is its number of entries, or a type such as SR2, which means the "
      "number of its stored components. The sub-axes on the path to the variable are made.",
      nb::sig(
          "def add_variable(self, name: LabeledAxisAccessor | str | collections.abc.Sequence[str], "
          "size: type[TensorBase] | int) -> None"));
  cls.def(
      "add_subaxis",
      [](const Axis & a, const Path & path) { return add_subaxis(a, path); },
      nb::arg("path"),
      doc("LabeledAxis::add_subaxis"));
  cls.def(
      "clear", [](const Axis & a) { a.get().clear(); }, doc("LabeledAxis::clear"));
  cls.def(
      "setup_layout",
      [](nb::handle_t<Axis> self)
      {
        nb::cast<const Axis &>(self).get().setup_layout();
        return nb::borrow(self);
      },
      "Computes the positions of all items, and freezes the axis with its sub-axes. A second call "
      "does nothing. Returns the axis.",
      nb::sig("def setup_layout(self) -> typing_extensions.Self"));
  cls.def(
      "is_setup",
      [](const Axis & a) { return a.get().is_setup(); },
      "Whether the axis has a layout, and can no longer be changed.");
}

void
bind_items(AxisClass & cls)
{
  cls.def(
      "has_item",
      [](const Axis & a, const Path & p) { return a.get().has_item(p); },
      nb::arg("a"),
      "Whether the axis has a variable or a sub-axis with this path.");
  cls.def(
      "has_variable",
      [](const Axis & a, const Path & path, std::optional<nb::type_object> type)
      {
        const LabeledAxisAccessor name = path;
        return a.get().has_variable(name) &&
               (!type || a.get().variable_size(name) == utils::numel(base_type(*type).base));
      },
      nb::arg("a"),
      nb::arg("type") = nb::none(),
      "Whether the axis has a variable with this path. If a type is given, the variable must also "
      "have as many entries as the type has stored components; other types may have as many.",
      nb::sig(
          "def has_variable(self, a: LabeledAxisAccessor | str | collections.abc.Sequence[str], "
          "type: type[TensorBase] | None = None) -> bool"));
  cls.def(
      "has_subaxis",
      [](const Axis & a, const Path & p) { return a.get().has_subaxis(p); },
      nb::arg("a"),
      "Whether the axis has a sub-axis with this path.");
  const auto has = [&](const char * name, const std::string & subaxis)
  {
    cls.def(
        name,
        [subaxis](const Axis & a) { return a.get().has_subaxis(subaxis); },
        ("Whether the axis has the sub-axis " + subaxis + ".").c_str());
  };
  has("has_state", STATE);
  has("has_old_state", OLD_STATE);
  has("has_forces", FORCES);
  has("has_old_forces", OLD_FORCES);
  has("has_residual", RESIDUAL);
  has("has_parameters", PARAMETERS);
  cls.def(
      "__contains__",
      [](const Axis & a, const Path & p) { return a.get().has_item(p); },
      nb::arg("a"));
  cls.def(
      "__len__",
      [](const Axis & a) { return a.get().nvariable(); },
      "The number of all variables, also those of sub-axes.");
  cls.def(
      "__iter__",
      [](const Axis & a) { return nb::iter(nb::cast(Paths(a.get().variable_names()))); },
      "Iterates over the paths of all variables, in the order of the layout.",
      nb::sig("def __iter__(self) -> collections.abc.Iterator[LabeledAxisAccessor]"));

  cls.def(
      "nvariable",
      [](const Axis & a, bool recursive) { return a.get().nvariable(recursive); },
      nb::arg("recursive") = true,
      "The number of variables of all levels, or, if recursive is False, of this level only.");
  cls.def(
      "nsubaxis",
      [](const Axis & a, bool recursive) { return a.get().nsubaxis(recursive); },
      nb::arg("recursive") = false,
      "The number of sub-axes of this level, or, if recursive is True, of all levels.");
  cls.def(
      "variables",
      [](const Axis & a)
      {
        const auto variables =
            a.get().variables(); // a copy, because Python code may run while the dictionary grows
        nb::dict r;
        for (const auto & [name, size] : variables)
          r[name.c_str()] = size;
        return r;
      },
      doc("LabeledAxis::variables"),
      nb::sig("def variables(self) -> dict[str, int]"));
  cls.def(
      "variable_names",
      [](const Axis & a, bool recursive) -> Paths { return a.get().variable_names(recursive); },
      nb::arg("recursive") = true,
      doc("LabeledAxis::variable_names"));
  cls.def(
      "variable_sizes",
      [](const Axis & a) { return a.get().variable_sizes(); },
      "The sizes of all variables, in the order of the layout.");
  cls.def(
      "variable_slices",
      [](const Axis & a) { return a.get().variable_slices(); },
      doc("LabeledAxis::variable_slices"));
  cls.def(
      "subaxis_names",
      [](const Axis & a, bool recursive) -> Paths { return a.get().subaxis_names(recursive); },
      nb::arg("recursive") = false,
      "The paths of the sub-axes of this level, or, if recursive is True, of all levels, in the "
      "order of the layout.");
  cls.def("subaxes", subaxes, "The sub-axes of this level, in the order of the layout.");
  cls.def(
      "subaxis_sizes",
      [](const Axis & a) { return a.get().subaxis_sizes(); },
      "The sizes of the sub-axes of this level, in the order of the layout.");
  cls.def(
      "subaxis_slices",
      [](const Axis & a) { return a.get().subaxis_slices(); },
      "The range [begin, end) of each sub-axis of this level.");
  cls.def(
      "subaxis",
      [](const Axis & a, const Path & p) { return Axis(a, p); },
      nb::arg("a"),
      doc("LabeledAxis::subaxis"));
  cls.def(
      "qualify",
      [](const Axis & a, const Path & p) { return a.get().qualify(p); },
      nb::arg("a"),
      doc("LabeledAxis::qualify"));
}

void
bind_places(AxisClass & cls)
{
  for (const char * name : {"size", "storage_size"})
    cls.def(
        name,
        [](const Axis & a, const Path & p) { return a.get().size(p); },
        nb::arg("a") = nb::tuple(),
        doc("LabeledAxis::size"));
  cls.def(
      "variable_size",
      [](const Axis & a, const Path & p) { return a.get().variable_size(p); },
      nb::arg("a"),
      "The number of entries of a variable.");
  cls.def(
      "subaxis_size",
      [](const Axis & a, const Path & p) { return a.get().subaxis_size(p); },
      nb::arg("a"),
      "The number of entries of a sub-axis.");
  cls.def(
      "variable_id",
      [](const Axis & a, const Path & p) { return a.get().variable_id(p); },
      nb::arg("a"),
      "The position of a variable among all variables.");
  cls.def(
      "subaxis_id",
      [](const Axis & a, const std::string & name) { return a.get().subaxis_id(name); },
      nb::arg("name"),
      "The position of a sub-axis among the sub-axes of this level.");
  cls.def(
      "range",
      [](const Axis & a, const Path & p) { return a.get().range(p); },
      nb::arg("a"),
      doc("LabeledAxis::range"));
  cls.def(
      "variable_slice",
      [](const Axis & a, const Path & p) { return a.get().variable_slice(p); },
      nb::arg("a"),
      "The range [begin, end) of a variable's entries, counted from the beginning of this axis.");
  cls.def(
      "subaxis_slice",
      [](const Axis & a, const Path & p) { return a.get().subaxis_slice(p); },
      nb::arg("a"),
      "The range [begin, end) of a sub-axis's entries, counted from the beginning of this axis.");
  cls.def(
      "slice",
      [](const Axis & a, const Path & p) { return python_slice(a.get().range(p)); },
      nb::arg("a"),
      "The entries of an item as a slice, for an index such as v.torch()[..., "
      "axis.slice('stress')].",
      nb::sig("def slice(self, a: LabeledAxisAccessor | str | collections.abc.Sequence[str]) -> "
              "typing.Any"));
  cls.def(
      "layout",
      [](const Axis & a)
      {
        const LabeledAxis & axis = a.get();
        std::vector<std::pair<std::string, AxisRange>> items(axis.layout().begin(),
                                                             axis.layout().end());
        std::sort(items.begin(),
                  items.end(),
                  [](const auto & x, const auto & y)
                  { return std::tie(x.second, x.first) < std::tie(y.second, y.first); });
        nb::dict r;
        for (const auto & [name, range] : items)
          r[name.c_str()] = range;
        return r;
      },
      "A dict from the names of the items of this level to their ranges [begin, end).",
      nb::sig("def layout(self) -> dict[str, tuple[int, int]]"));
  cls.def(
      "common_ranges",
      [](const Axis & a, const Axis & other, bool recursive)
      {
        std::vector<std::pair<AxisRange, AxisRange>> r;
        for (const auto & [here, there] : a.get().common_ranges(other.get(), recursive))
          r.emplace_back(here, there);
        return r;
      },
      nb::arg("other"),
      nb::arg("recursive") = true,
      doc("LabeledAxis::common_ranges"));
  cls.def(
      "common_indices",
      [](const Axis & a, const Axis & other, bool recursive)
      {
        std::vector<std::pair<nb::slice, nb::slice>> r;
        for (const auto & [here, there] : a.get().common_ranges(other.get(), recursive))
          r.emplace_back(python_slice(here), python_slice(there));
        return r;
      },
      nb::arg("other"),
      nb::arg("recursive") = true,
      doc("LabeledAxis::common_indices"),
      nb::sig("def common_indices(self, other: LabeledAxis, recursive: bool = True) -> "
              "list[tuple[typing.Any, typing.Any]]"));
  cls.def(
      "sort_by_assembly_order",
      [](const Axis & a, const nb::iterable & items)
      {
        std::set<LabeledAxisAccessor> paths;
        for (const nb::handle item : items)
          paths.insert(path_of(item));
        return a.get().sort_by_assembly_order(paths);
      },
      nb::arg("items"),
      doc("LabeledAxis::sort_by_assembly_order"),
      nb::sig(
          "def sort_by_assembly_order(self, items: collections.abc.Iterable[LabeledAxisAccessor | "
          "str | collections.abc.Sequence[str]]) -> list[LabeledAxisAccessor]"));
  cls.def(
      "equals",
      [](const Axis & a, const Axis & b) { return a.get().equals(b.get()); },
      nb::arg("other"),
      doc("LabeledAxis::equals"));
  cls.def(
      "__eq__",
      [](const Axis & a, const Axis & b) { return a.get().equals(b.get()); },
      nb::is_operator(),
      nb::sig("def __eq__(self, other: object, /) -> bool"));
  cls.def("__hash__",
          [](const Axis &) -> Size
          { throw nb::type_error("unhashable type: 'LabeledAxis', because it can be changed"); });
  cls.def("__repr__", axis_repr);
  cls.def("__str__", axis_text);
}
} // namespace

bool
Path::read(nb::handle object) noexcept
{
  names.clear();
  if (nb::isinstance<LabeledAxisAccessor>(object))
  {
    if (nb::inst_ready(object))
      names = nb::inst_ptr<LabeledAxisAccessor>(object)->vec();
    return nb::inst_ready(object);
  }
  if (!PyTuple_Check(object.ptr()) && !PyList_Check(object.ptr()))
    return add_names(names, object);
  for (const nb::handle name : nb::borrow<nb::sequence>(object))
    if (!add_names(names, name))
      return false;
  return true;
}

LabeledAxisAccessor
path_of(nb::handle object)
{
  Path path;
  if (!path.read(object))
    throw nb::type_error(
        (std::string("expected a path: 'sub/b', ('sub', 'b') or a LabeledAxisAccessor, not "
                     "an object of type ") +
         Py_TYPE(object.ptr())->tp_name)
            .c_str());
  return path;
}

const TypeInfo &
base_type(nb::handle cls)
{
  const auto * base = reinterpret_cast<const PyTypeObject *>(nb::type<AnyTensor>().ptr());
  auto * t = reinterpret_cast<PyTypeObject *>(cls.ptr());
  while (t && t->tp_base != base)
    t = t->tp_base;
  if (!t || !info(reinterpret_cast<PyObject *>(t)).fixed_base)
    throw nb::type_error(
        (std::string("expected a type of tensor with a base shape, such as SR2, not ") +
         reinterpret_cast<PyTypeObject *>(cls.ptr())->tp_name)
            .c_str());
  return info(reinterpret_cast<PyObject *>(t));
}

void
bind_labels(nb::module_ & m)
{
  bind_accessor(m);
  AxisClass axis(
      m,
      "LabeledAxis",
      nb::is_weak_referenceable(),
      "Names for the entries of one dimension. Its items are variables, each with a size, and "
      "sub-axes, which are axes again.\n\n    axis = LabeledAxis().add('a', Scalar).add('b', "
      "SR2).add('sub/c', Scalar)\n    axis.setup_layout()  # a 0:1, b 1:7, sub/c 7:8; print(axis) "
      "draws it\n\n- Items are laid out in ascending order of their names (compared byte by byte), "
      "variables before sub-axes.\n- Names are unique on each level; different levels may repeat "
      "them.\n- setup_layout() freezes the axis; only clear() makes it changeable again. Copies of "
      "a frozen axis share its items, objects that are made with it keep it alive, and any number "
      "of threads may read it. Before setup_layout(), a copy is a deep copy.");
  bind_setting_up(axis);
  bind_items(axis);
  bind_places(axis);
  m.def("reserved_subaxis_names",
        reserved_subaxis_names,
        "The names of the sub-axes that NEML2 2.x reserves.");
  m.def(
      "picture", [](const Axis & a) { return picture(a.get()); }, nb::arg("axis"), doc("picture"));
  bind_labeled_tensors(m);
}
} // namespace neml2::python
