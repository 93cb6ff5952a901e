// SPDX-License-Identifier: MIT
#include "bindings/rows.h"

#include "bindings/functions.h"
#include "bindings/messages.h"
#include "neml2/core/modes.h"
#include "neml2/recorded/interpolation.h"

#include <sstream>
#include <string_view>

namespace neml2::python
{
void
fail_type(const std::string & message)
{
  throw nb::type_error(message.c_str());
}

namespace
{
using recorded::Condition;
using recorded::Recording;
using recorded::Symbol;

void
check_recording(uint64_t recording)
{
  if (recording != Recording::number())
    fail_type("vmap: a tensor of another formula, or of one that has ended, is used. Pass it as an "
              "argument, or return it.");
}

Row
row_of_number(double x)
{
  return {&scalar_type(), {RecordedNumber(Symbol(x))}};
}

constexpr size_t most_components = 1 << 16;

/// The row of a tensor that is not an argument. It is a constant, the same for all points.
Row
row_of_constant(const TypeInfo & type, const Tensor & t)
{
  core::check_defined("vmap", t);
  if (t.batch_dim() > 0 || t.requires_grad())
    fail_type(std::string("vmap: a formula uses ") + with_article(type.name) +
              (t.requires_grad() ? " that requires a gradient" : " with batch dimensions") +
              " that is not among its arguments. Pass it as an argument.");
  if (!core::has_known_values(t))
    fail_type(std::string("vmap: a formula uses ") + with_article(type.name) +
              " without values, of a mode or of the device meta. Pass it as an argument.");
  if (t.is_complex())
    fail_type(std::string("vmap: a formula uses ") + with_article(type.name) +
              " of complex numbers. Formulas compute with real numbers: pass real and imaginary "
              "part as two arguments.");
  const at::Tensor x = t.detach().to(kFloat64).cpu().contiguous().flatten();
  if (size_t(x.numel()) > most_components)
    fail_type("vmap: a formula uses a tensor of " + std::to_string(x.numel()) +
              " components. Pass it as an argument, or look it up on the batch.");
  Row r(&type, {}, t.base_sizes());
  for (int64_t i = 0; i < x.numel(); i++)
    r.components.emplace_back(Symbol(x.data_ptr<double>()[i]));
  return r;
}

template <class T>
const T *
part_of_formula(nb::handle object)
{
  const T * p = nullptr;
  if (!nb::try_cast(object, p) || !p)
    return nullptr;
  check_recording(p->recording);
  return p;
}
} // namespace

std::optional<bool>
truth_value(nb::handle object)
{
  const std::string_view type = Py_TYPE(object.ptr())->tp_name;
  if (type != "bool" && type != "numpy.bool" && type != "numpy.bool_")
    return std::nullopt;
  return PyObject_IsTrue(object.ptr()) == 1;
}

std::optional<Row>
as_row(nb::handle object)
{
  if (const Row * row = part_of_formula<Row>(object))
    return *row;
  if (double x = 0;
      PyBool_Check(object.ptr()) || PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr()))
    return nb::try_cast(object, x) ? std::optional<Row>(row_of_number(x)) : std::nullopt;
  if (const TypeInfo * type = type_of(object); type && nb::inst_ready(object))
  {
    const void * p = nb::inst_ptr<void>(object);
    return row_of_constant(
        *type,
        Tensor(core::Trusted(), type->tensor(p), type->batch_dim(p), type->name_in_messages));
  }
  if (c10::Scalar x; nb::try_cast(object, x) && !x.isComplex()) // numbers of NumPy
    return row_of_number(x.toDouble());
  return std::nullopt;
}

Rows
rows_of(const std::string & name, const std::vector<nb::handle> & arguments)
{
  Rows rows;
  for (const nb::handle a : arguments)
    if (auto row = as_row(a))
      rows.push_back(std::move(*row));
    else
      fail_type(formula_name(name) + ": in a formula an argument is " +
                with_article(Py_TYPE(a.ptr())->tp_name) +
                ". Expected tensors of the formula or numbers.");
  return rows;
}

Rows
rows_in(const std::string & name, const nb::list & arguments)
{
  std::vector<nb::handle> all;
  for (const nb::handle a : arguments)
    all.push_back(a);
  return rows_of(name, all);
}

Numbers
numbers_of(const Rows & rows)
{
  Numbers all;
  for (const Row & r : rows)
    all.insert(all.end(), r.components.begin(), r.components.end());
  return all;
}

nb::list
rows_of_numbers(const Rows & like, const Numbers & x)
{
  nb::list rows;
  auto at = x.begin();
  for (const Row & r : like)
  {
    const auto end = at + std::ptrdiff_t(r.components.size());
    rows.append(nb::cast(Row(r.type, {at, end}, r.base)));
    at = end;
  }
  return rows;
}

nb::object
as_object(Rows rows)
{
  if (rows.size() == 1)
    return nb::cast(std::move(rows[0]));
  nb::list all;
  for (auto & r : rows)
    all.append(nb::cast(std::move(r)));
  return nb::tuple(all);
}

namespace
{
// ---- Functions ----

/// where(condition, a, b) in a formula.
nb::object
choose(const std::vector<nb::handle> & arguments)
{
  std::optional<Choice> known; // the condition, if it is a truth value of Python
  if (const auto truth = arguments.size() == 3 ? truth_value(arguments[0]) : std::nullopt)
    known = compare(row_of_number(0.0),
                    row_of_number(*truth ? 1.0 : 0.0),
                    [](const Symbol & x, const Symbol & y) -> Condition { return x < y; });
  const Choice * c = known                   ? &*known
                     : arguments.size() == 3 ? part_of_formula<Choice>(arguments[0])
                                             : nullptr;
  if (!c)
    fail_type("where: in a formula its arguments are a condition of the formula, as a < b gives, "
              "and two values.");
  const Rows x = rows_of("where", {arguments[1], arguments[2]});
  auto r = choose(*c, x[0], x[1]);
  if (!r)
    fail_type(std::string("where: not defined in formulas for ") + with_article(x[0].type->name) +
              " and " + with_article(x[1].type->name) +
              ". Expected tensors of one type, or a scalar, and a condition of scalars or of their "
              "components.");
  return nb::cast(std::move(*r));
}

/// Functions that are defined in Python: functions of lists of tensors, and functions with options.
std::unordered_map<std::string, nb::object> &
definitions()
{
  static auto * const known = new std::unordered_map<std::string, nb::object>; // outlives Python
  return *known;
}

/// Calls the function of this name. `names` are the names of the last arguments.
nb::object
call(const std::string & name,
     const std::vector<PyObject *> & arguments,
     PyObject * names = nullptr)
{
  const std::string own = formula_name(name);
  const size_t named = names ? size_t(PyTuple_GET_SIZE(names)) : 0;
  if (const auto f = definitions().find(own); f != definitions().end())
  {
    PyObject * const r =
        PyObject_Vectorcall(f->second.ptr(), arguments.data(), arguments.size() - named, names);
    if (!r)
      throw nb::python_error();
    return nb::steal(r);
  }
  std::vector<nb::handle> a(arguments.begin(), arguments.end());
  nb::tuple by_place;
  if (named > 0)
  {
    nb::dict keywords;
    for (size_t i = 0; i < named; i++)
      keywords[PyTuple_GET_ITEM(names, i)] = a[a.size() - named + i];
    nb::list placed;
    for (size_t i = 0; i + named < a.size(); i++)
      placed.append(a[i]);
    by_place = nb::cast<nb::tuple>(definitions().at("by_place")(name, placed, keywords));
    a.clear();
    for (const nb::handle x : by_place)
      a.push_back(x);
  }
  return own == "where" ? choose(a) : as_object(call_by_name(name, rows_of(name, a)));
}

/// Rearranges the components of rows in the way in which f rearranges tensors. f is called with tensors that contain the position of each
/// component, and returns a Tensor of positions.
Row
rearranged(const Rows & rows, const nb::callable & f)
{
  const core::OutsideOfModes no_modes;
  Numbers all;
  nb::list of_places;
  for (const Row & r : rows)
  {
    const auto n = Size(r.components.size());
    const at::Tensor t = at::arange(Size(all.size()),
                                    Size(all.size()) + n,
                                    at::TensorOptions(kInt64).device(at::kCPU))
                             .reshape(r.base);
    of_places.append(tensor_type().make(Tensor(t, 0)));
    all.insert(all.end(), r.components.begin(), r.components.end());
  }
  const auto found = nb::cast<Tensor>(f(of_places));
  const at::Tensor place = found.contiguous().flatten();
  Row r(&tensor_type(), {}, found.base_sizes());
  for (Size i = 0; i < place.numel(); i++)
    r.components.push_back(all[size_t(place.data_ptr<int64_t>()[i])]);
  return r;
}

// ---- Tables ----

/// A table of a formula, from a Tensor of the formula or from constants. Error messages contain the name `argument`.
recorded::Table
table_of(nb::handle object, const char * argument, size_t dimensions)
{
  Row r = is_torch_tensor(object)
              ? row_of_constant(tensor_type(), Tensor(nb::cast<at::Tensor>(object), 0))
              : rows_of("interpolate", {object})[0];
  if (r.base.size() != dimensions)
    fail_type(std::string("interpolate: in a formula the ") + argument + " of a table have " +
              std::to_string(r.base.size()) + " base dimensions. Expected " +
              std::to_string(dimensions) + ".");
  return {std::move(r.components), !nb::isinstance<Row>(object)};
}

/// The abscissae of a table. Constants are checked.
recorded::Table
abscissae_of(nb::handle object, const char * argument)
{
  recorded::Table t = table_of(object, argument, 1);
  if (t.numbers.size() < 2)
    throw nb::value_error(("interpolate: the " + std::string(argument) + " of a table are " +
                           std::to_string(t.numbers.size()) + ". Expected at least two points.")
                              .c_str());
  const Recording & r = Recording::now();
  for (size_t i = 1; t.is_constant && i < t.numbers.size(); i++)
  {
    const double before = r.node(t.numbers[i - 1].x.id).number,
                 after = r.node(t.numbers[i].x.id).number;
    if (!kernels::in_order(before, after))
    {
      const auto number = [&](const RecordedNumber & x) { return r.node(x.x.id).number; };
      std::ostringstream message;
      message << "interpolate: " << kernels::abscissae_message(int64_t(i), before, after)
              << " These are the " << argument << " of " << t.numbers.size() << " points from "
              << number(t.numbers.front()) << " to " << number(t.numbers.back()) << ".";
      throw nb::value_error(message.str().c_str());
    }
  }
  return t;
}

void
check_points(const recorded::Table & values, size_t expected)
{
  if (values.numbers.size() != expected)
    throw nb::value_error(("interpolate: a table has " + std::to_string(values.numbers.size()) +
                           " values, and abscissae for " + std::to_string(expected) + ".")
                              .c_str());
}

RecordedNumber
scalar_of(nb::handle object)
{
  const Row r = rows_of("interpolate", {object})[0];
  if (r.type != &scalar_type())
    fail_type(std::string("interpolate: in a formula the value looked up is ") +
              with_article(r.type->name) + ". Expected a Scalar.");
  return r.components[0];
}

Row
interpolate(nb::handle x, nb::handle xs, nb::handle ys, Interpolant interpolant, Beyond beyond)
{
  const recorded::Table a = abscissae_of(xs, "abscissae"), b = table_of(ys, "ordinates", 1);
  check_points(b, a.numbers.size());
  return {&scalar_type(), {recorded::interpolate(scalar_of(x), a, b, interpolant, beyond)}};
}
Row
interpolate(
    nb::handle x, nb::handle y, nb::handle xs, nb::handle ys, nb::handle values, Beyond beyond)
{
  const recorded::Table a = abscissae_of(xs, "x_abscissae"), b = abscissae_of(ys, "y_abscissae"),
                        v = table_of(values, "values", 2);
  check_points(v, a.numbers.size() * b.numbers.size());
  return {&scalar_type(), {recorded::interpolate(scalar_of(x), scalar_of(y), a, b, v, beyond)}};
}

// ---- Classes ----

/// Calls an operator. The result is NotImplemented if an operand cannot be converted to a row.
nb::object
operate(const char * name, nb::handle a, nb::handle b)
{
  const auto x = as_row(a), y = as_row(b);
  if (!x || !y)
    return nb::borrow(Py_NotImplemented);
  return as_object(call_by_name(name, {*x, *y}));
}

nb::object
compare_objects(nb::handle a, nb::handle b, Condition (*less)(const Symbol &, const Symbol &))
{
  const auto x = as_row(a), y = as_row(b);
  if (!x || !y)
    return nb::borrow(Py_NotImplemented);
  auto c = compare(*x, *y, less);
  if (!c)
    fail_type(with_article(x->type->name) + " and " + with_article(y->type->name) +
              " cannot be compared in a formula. Expected tensors of one type, or a scalar.");
  return nb::cast(std::move(*c));
}

/// f of each pair of conditions. Both operands have the same base shape, or one of them is a single condition.
template <class F>
Choice
combine(const Choice & a, const Choice & b, const F & f)
{
  check_recording(a.recording);
  check_recording(b.recording);
  const size_t m = a.conditions.size(), n = b.conditions.size();
  const bool first = n == 1 && b.base.empty();
  if (!first && !(m == 1 && a.base.empty()) && a.base != b.base)
    fail_type("conditions of a formula have different base shapes: & and | take conditions of "
              "equal base shapes.");
  Choice r({}, first ? a.base : b.base);
  for (size_t i = 0; i < std::max(m, n); i++)
    r.conditions.push_back(f(a.conditions[m == 1 ? 0 : i], b.conditions[n == 1 ? 0 : i]));
  return r;
}

void
bind_conditions(nb::module_ & m)
{
  nb::class_<Choice>(m,
                     "Condition",
                     "The result of comparing tensors of a formula. It has one truth value per "
                     "point and component.")
      .def("__and__",
           [](const Choice & a, const Choice & b)
           { return combine(a, b, [](const auto & x, const auto & y) { return x & y; }); })
      .def("__or__",
           [](const Choice & a, const Choice & b)
           { return combine(a, b, [](const auto & x, const auto & y) { return x | y; }); })
      .def("__xor__",
           [](const Choice & a, const Choice & b) {
             return combine(
                 a, b, [](const auto & x, const auto & y) { return (x & ~y) | (~x & y); });
           })
      .def("__invert__",
           [](const Choice & a)
           { return combine(a, a, [](const auto & x, const auto &) { return ~x; }); })
      .def("__bool__",
           [](const Choice &) -> bool
           {
             fail_type("a condition of a formula has a value per point: choose with "
                       "math.where(condition, a, b). Python's if, while, and, or and not take one "
                       "truth value; for conditions write & | ~.");
           });
}

void
bind_row_class(nb::module_ & m)
{
  nb::class_<Row> row(m, "Row", "A tensor of a formula, for one point.");
  row.def("__repr__", [](const Row & r) { return std::string(r.type->name) + " of a formula"; })
      .def_prop_ro(
          "type",
          [](const Row & r) { return nb::borrow(r.type->cls); },
          "The type of the tensor, such as SR2.")
      .def_prop_ro("_sizes", [](const Row & r) { return r.base; })
      .def_ro("_is_number", &Row::is_number)
      .def("__call__",
           [](const Row & r, const nb::args & index)
           {
             check_recording(r.recording);
             std::vector<int> i;
             for (const nb::handle k : index)
               i.push_back(nb::cast<int>(k));
             return component(r, i);
           })
      .def("__neg__", [](nb::handle a) { return call("negate", {a.ptr()}); })
      .def("__pos__", [](const Row & a) { return a; })
      .def("__abs__", [](nb::handle a) { return call("abs", {a.ptr()}); })
      .def("__bool__",
           [](const Row & r) -> bool
           {
             fail_type(
                 with_article(r.type->name) +
                 " of a formula has no truth value: choose with math.where(condition, a, b).");
           })
      .def("__float__",
           [](const Row & r) -> double
           {
             fail_type(with_article(r.type->name) +
                       " of a formula has a value per point, and no value while it is recorded. "
                       "Call Python functions of numbers outside of the formula, or use those of "
                       "neml2.math.");
           })
      .def("__iter__",
           [](const Row & r) -> nb::object
           {
             fail_type(with_article(r.type->name) +
                       " of a formula cannot be iterated: its components are r(0), r(0, 1) ...");
           })
      .def("__getitem__",
           [](const Row & r, nb::handle) -> nb::object
           {
             fail_type(with_article(r.type->name) +
                       " of a formula cannot be indexed: its components are r(0), r(0, 1) ..., or "
                       "r.base[0] as a Tensor.");
           })
      .def("__len__",
           [](const Row & r) -> size_t
           {
             fail_type(with_article(r.type->name) +
                       " of a formula has no length: it is one tensor, r.base.shape its sizes.");
           });
  const auto binary = [&](const char * name, const char * reflected, const char * op)
  {
    row.def(
        name, [op](nb::handle a, nb::handle b) { return operate(op, a, b); }, nb::is_operator());
    row.def(
        reflected,
        [op](nb::handle a, nb::handle b) { return operate(op, b, a); },
        nb::is_operator());
  };
  binary("__add__", "__radd__", "+");
  binary("__sub__", "__rsub__", "-");
  binary("__mul__", "__rmul__", "*");
  binary("__matmul__", "__rmatmul__", "@");
  binary("__truediv__", "__rtruediv__", "/");
  binary("__pow__", "__rpow__", "pow");
  binary("__mod__", "__rmod__", "fmod");
  using S = const Symbol &;
  const auto comparison = [&](const char * name, Condition (*f)(S, S))
  {
    row.def(
        name,
        [f](nb::handle a, nb::handle b) { return compare_objects(a, b, f); },
        nb::is_operator());
  };
  comparison("__lt__", [](S a, S b) { return a < b; });
  comparison("__le__", [](S a, S b) { return a <= b; });
  comparison("__gt__", [](S a, S b) { return a > b; });
  comparison("__ge__", [](S a, S b) { return a >= b; });
  comparison("__eq__", [](S a, S b) { return a == b; });
  comparison("__ne__", [](S a, S b) { return a != b; });
}

// ---- Calls of functions that are bound for tensors ----

bool
is_of_formula(nb::handle a)
{
  return nb::isinstance<Row>(a) || nb::isinstance<Choice>(a);
}

/// Whether an argument is a list, a tuple or a dict that contains a row.
bool
has_member_of_formula(nb::handle a)
{
  if (PyList_Check(a.ptr()) || PyTuple_Check(a.ptr()))
    return std::any_of(PySequence_Fast_ITEMS(a.ptr()),
                       PySequence_Fast_ITEMS(a.ptr()) + PySequence_Fast_GET_SIZE(a.ptr()),
                       is_of_formula);
  if (!PyDict_Check(a.ptr()))
    return false;
  for (const auto & [key, value] : nb::borrow<nb::dict>(a))
    if (is_of_formula(value))
      return true;
  return false;
}
} // namespace

nb::object
call_in_formula(const std::string & function,
                PyObject * const * arguments,
                size_t n,
                PyObject * names)
{
  const bool of_rows = std::any_of(arguments, arguments + n, is_of_formula);
  if (!of_rows && std::none_of(arguments, arguments + n, has_member_of_formula))
    return nb::object();
  if (!of_rows && !definitions().count(formula_name(function)))
    call_rows(formula_name(function) + " of a group", {}); // throws: there is no such function
  return call(function, {arguments, arguments + n}, names);
}

void
bind_rows(nb::module_ & m)
{
  bind_conditions(m);
  bind_row_class(m);
  m.def("call",
        [](const std::string & name, const nb::args & arguments, const nb::kwargs & keywords)
        {
          std::vector<PyObject *> a;
          for (const nb::handle x : arguments)
            a.push_back(x.ptr());
          nb::list names;
          for (const auto & [key, value] : keywords)
          {
            names.append(key);
            a.push_back(value.ptr());
          }
          const nb::tuple named(names);
          return call(name, a, names.size() > 0 ? named.ptr() : nullptr);
        });
  m.def("define",
        [](const std::string & name, const nb::callable & f) { definitions()[name] = f; });
  m.def("rearranged",
        [](const nb::list & tensors, const nb::callable & f)
        {
          std::vector<nb::handle> all;
          for (const nb::handle t : tensors)
            all.push_back(t);
          return rearranged(rows_of("vmap", all), f);
        });
  m.def("interpolate",
        [](nb::handle x,
           nb::handle xs,
           nb::handle ys,
           const std::string & kind,
           const std::string & outside)
        { return interpolate(x, xs, ys, interpolant_named(kind), beyond_named(outside)); });
  m.def("interpolate",
        [](nb::handle x,
           nb::handle y,
           nb::handle xs,
           nb::handle ys,
           nb::handle values,
           const std::string & outside)
        { return interpolate(x, y, xs, ys, values, beyond_named(outside)); });
  m.def("has_function",
        [](const std::string & name)
        { return has_function(name) || definitions().count(formula_name(name)) > 0; });
  m.def("vocabulary",
        &row_vocabulary,
        "The names of all functions for tensors of formulas, each with the types that it takes.");
  m.def("is_recording", [] { return Recording::number() != 0; });
}
} // namespace neml2::python
