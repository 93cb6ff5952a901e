// SPDX-License-Identifier: MIT
#include "bindings/calls.h"

#include "bindings/messages.h"
#include "bindings/vocabulary.h"

#include <array>
#include <unordered_map>

namespace neml2::python
{
namespace
{
/// Removes the current Python error, and sets it again at the end of its lifetime. Meanwhile code may inspect objects, which it must not do
/// while an error is set.
class Error
{
public:
  Error() { PyErr_Fetch(&_type, &_value, &_trace); }
  Error(const Error &) = delete;
  Error & operator=(const Error &) = delete;
  ~Error() { PyErr_Restore(_type, _value, _trace); }

  bool is_type_error() const { return PyErr_GivenExceptionMatches(_type, PyExc_TypeError); }
  std::string message() const
  {
    const nb::object text = nb::steal(_value ? PyObject_Str(_value) : nullptr);
    const char * s = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
    PyErr_Clear();
    return s ? s : "";
  }
  /// Replaces the error by a TypeError.
  void replace(const std::string & message)
  {
    PyErr_SetString(PyExc_TypeError, message.c_str());
    PyObject * const before[] = {_type, _value, _trace};
    PyErr_Fetch(&_type, &_value, &_trace);
    for (PyObject * o : before)
      Py_XDECREF(o);
  }

private:
  PyObject *_type, *_value, *_trace;
};

/// The first argument whose __init__ was not called. The object that a constructor is about to initialize does not count.
PyObject *
not_initialized(const std::string & function, PyObject * const * arguments, size_t n)
{
  const bool constructs = function == "__init__" || function == "__setstate__";
  for (size_t i = constructs ? 1 : 0; i < n; i++)
    if (nb::inst_check(arguments[i]) && !nb::inst_ready(arguments[i]))
      return arguments[i];
  return nullptr;
}

/// The names of functions, with their classes, such as SR2.fill.
std::unordered_map<const PyObject *, std::string> &
qualified_names()
{
  static std::unordered_map<const PyObject *, std::string> names;
  return names;
}

/// Repeats a failed call in the formula that is being recorded. Returns the result, or null with an error. If no argument belongs to a
/// formula, this is the error of the failed call.
PyObject *
call_recorded(const std::string & name, PyObject * const * arguments, size_t n, PyObject * names)
{
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  nb::object r;
  try
  {
    r = call_in_formula(name, arguments, n, names);
    if (!r.is_valid())
    {
      PyErr_Restore(type, value, trace);
      return nullptr;
    }
  }
  catch (nb::python_error & e)
  {
    e.restore();
  }
  catch (const nb::builtin_exception & e)
  {
    const auto kind = e.type();
    PyErr_SetString(kind == nb::exception_type::value_error   ? PyExc_ValueError
                    : kind == nb::exception_type::index_error ? PyExc_IndexError
                                                              : PyExc_TypeError,
                    e.what());
  }
  catch (const std::exception & e)
  {
    PyErr_SetString(PyExc_ValueError, in_python(e.what()).c_str());
  }
  for (PyObject * o : {type, value, trace})
    Py_XDECREF(o);
  return r.release().ptr();
}

PyObject *
call_recorded(PyObject * function, PyObject * const * arguments, size_t n, PyObject * names)
{
  const auto found = qualified_names().find(function);
  if (found == qualified_names().end())
    return nullptr;
  if (found->second.size() > 9 && found->second.rfind(".__init__") == found->second.size() - 9)
    return nullptr; // construct() repeats constructors
  return call_recorded(found->second, arguments, n, names);
}

/// nanobind's own call function for constructors. Ours, construct(), may return an object of another class: if s belongs to a formula, so
/// does R2(s).
vectorcallfunc construct_original = nullptr;

PyObject *
construct(PyObject * cls, PyObject * const * arguments, size_t nargsf, PyObject * names)
{
  PyObject * r = construct_original(cls, arguments, nargsf, names);
  if (C10_UNLIKELY(!r))
  {
    const std::string name = reinterpret_cast<PyTypeObject *>(cls)->tp_name;
    const size_t n =
        size_t(PyVectorcall_NARGS(nargsf)) + size_t(names ? PyTuple_GET_SIZE(names) : 0);
    r = call_recorded(name.substr(name.rfind('.') + 1), arguments, n, names);
  }
  return r;
}

/// The message that function `of` of neml2_tensors._refusals returns; empty if it returns none.
template <class... A>
std::string
said(const char * of, const A &... a)
{
  try
  {
    const nb::object text = nb::module_::import_("neml2_tensors._refusals").attr(of)(a...);
    return text.is_none() ? std::string() : nb::cast<std::string>(text);
  }
  catch (nb::python_error &)
  {
    return {};
  }
}

/// Replaces the message of a failed call by one that says more; nanobind's message only names types.
void
explain(PyObject * function, PyObject * const * arguments, size_t n)
{
  Error error;
  const std::string name = nb::str(nb::getattr(function, "__name__", nb::str(""))).c_str();
  if (PyObject * a = not_initialized(name, arguments, n))
  {
    error.replace(name + ": this " + Py_TYPE(a)->tp_name +
                  " has not been initialized. A class that derives from it must call "
                  "super().__init__(...) first.");
    return;
  }
  const auto found = qualified_names().find(function);
  if (!error.is_type_error() || found == qualified_names().end())
    return;
  const std::string message = error.message();
  if (message.find("incompatible function arguments") == message.npos)
    return;
  const bool constructs = name == "__init__";
  nb::list given;
  for (size_t i = constructs ? 1 : 0; i < n; i++)
    given.append(nb::handle(arguments[i]));
  if (constructs)
  {
    const std::string cls = n > 0 ? nb::type_name(nb::handle(arguments[0]).type()).c_str() : "";
    const std::string text =
        said("of_constructor", cls.substr(cls.rfind('.') + 1), message, nb::tuple(given));
    if (!text.empty())
      error.replace(text);
    return;
  }
  const nb::object module = nb::getattr(function, "__module__", nb::str(""));
  const std::string text = said("of_call", found->second, module, message, nb::tuple(given));
  if (!text.empty())
    error.replace(text);
}

/// Whether an object is a tensor whose class is one of the library's own, not derived by a user.
bool
is_of_library(nb::handle object)
{
  const TypeInfo * const type = type_of(object);
  return type && object.type().is(type->cls);
}

/// The result of an operator that does not accept its operands. It is NotImplemented if the other operand may still handle the operation.
/// Otherwise it is null with an error, for example for two types of this library that do not have the operation.
PyObject *
refuse_operands(PyObject * function, PyObject * const * arguments, size_t n, PyObject * r)
{
  // A torch.Tensor does not accept tensors of this library either, but a class that derives from torch.Tensor may.
  const bool is_raw = n == 2 && THPVariable_CheckExact(arguments[1]);
  if (n != 2 || !is_of_library(arguments[0]) || !(is_raw || is_of_library(arguments[1])))
    return r;
  const auto found = qualified_names().find(function);
  if (found == qualified_names().end())
    return r;
  const std::string name = found->second.substr(found->second.rfind('.') + 1);
  const std::string text = said(is_raw ? "raw_operand" : "of_operator",
                                name,
                                nb::handle(arguments[0]),
                                nb::handle(arguments[1]));
  if (text.empty())
    return r;
  Py_DECREF(r);
  PyErr_SetString(PyExc_TypeError, text.c_str());
  return nullptr;
}

/// nanobind's own call functions. There is one for each kind of function: with default arguments, with keywords, and so on.
std::array<vectorcallfunc, 8> originals{};

template <size_t i>
PyObject *
call(PyObject * function, PyObject * const * arguments, size_t nargsf, PyObject * names)
{
  PyObject * r = originals[i](function, arguments, nargsf, names);
  if (C10_UNLIKELY(!r)) // the upper bits of nargsf are flags of Python and nanobind
  {
    const size_t n = uint32_t(nargsf) + size_t(names ? PyTuple_GET_SIZE(names) : 0);
    r = call_recorded(function, arguments, n, names);
    if (!r)
      explain(function, arguments, n);
  }
  else if (C10_UNLIKELY(r == Py_NotImplemented))
    r = refuse_operands(function, arguments, uint32_t(nargsf), r);
  return r;
}

template <size_t... i>
constexpr std::array<vectorcallfunc, sizeof...(i)>
explained(std::index_sequence<i...>)
{
  return {call<i>...};
}

/// Changes a function of nanobind so that its error messages explain more.
void
explain_errors_of(nb::handle function, const std::string & name)
{
  qualified_names()[function.ptr()] = name;
  static const auto calls =
      explained(std::make_index_sequence<std::tuple_size_v<decltype(originals)>>());
  PyObject * f = function.ptr();
  auto & entry = *reinterpret_cast<vectorcallfunc *>(reinterpret_cast<char *>(f) +
                                                     Py_TYPE(f)->tp_vectorcall_offset);
  for (size_t i = 0; i < originals.size(); i++)
  {
    if (entry == calls[i])
      return;
    if (!originals[i])
      originals[i] = entry;
    if (entry == originals[i])
    {
      entry = calls[i];
      return;
    }
  }
}

bool
is_a(const char * type, nb::handle object)
{
  return std::strcmp(Py_TYPE(object.ptr())->tp_name, type) == 0;
}

void
prepare_class(nb::handle cls)
{
  const std::string prefix = nb::cast<std::string>(cls.attr("__name__")) + ".";
  vectorcallfunc & constructor = reinterpret_cast<PyTypeObject *>(cls.ptr())->tp_vectorcall;
  if (constructor && (!construct_original || construct_original == constructor))
  {
    construct_original = constructor;
    constructor = construct;
#if PY_VERSION_HEX < 0x030B0000
    // Without this flag Python 3.10 would not call tp_vectorcall, but tp_new and tp_init.
    Py_TYPE(cls.ptr())->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
#endif
  }
  const auto members = nb::borrow<nb::dict>( // a copy, because the loop changes the class
      nb::module_::import_("builtins").attr("dict")(cls.attr("__dict__")));
  for (const auto & [name, member] : members)
  {
    const std::string full = prefix + nb::cast<std::string>(name);
    if (is_a("nanobind.nb_func", member))
      explain_errors_of(member, full);
    else if (is_a("nanobind.nb_method", member))
    {
      explain_errors_of(member, full);
      if (nb::cast<std::string>(name).rfind("__", 0) !=
          0) // operators are left as they are, because binding costs time
        cls.attr(name) = nb::steal(PyInstanceMethod_New(member.ptr()));
    }
    else if (PyType_Check(member.ptr()))
      prepare_class(member);
    else if (is_a("property", member))
      for (const char * part : {"fget", "fset"})
        if (const nb::object f = member.attr(part); !f.is_none())
          explain_errors_of(f, full);
  }
}
} // namespace

void
prepare_calls(nb::module_ & m)
{
  for (const auto & [name, member] : nb::borrow<nb::dict>(m.attr("__dict__")))
    if (is_a("nanobind.nb_func", member))
      explain_errors_of(member, nb::cast<std::string>(name));
    else if (PyType_Check(member.ptr()) && nb::type_check(member))
      prepare_class(member);
}
} // namespace neml2::python
