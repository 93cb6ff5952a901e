// SPDX-License-Identifier: MIT
#include "bindings/math.h"
#include "bindings/rows.h"

#include "neml2/kernels/Scalar.h"
#include <neml2/neml2.h>

#include <cmath>
#include <functional>
#include <numeric>

namespace neml2::python
{
namespace
{
using Unary = Tensor (*)(const Tensor &);

void
unary(nb::module_ & m, const char * name, Unary f)
{
  const std::string signature = std::string("def ") + name + "(a: T) -> T";
  m.def(
      name,
      [f](const Any & a) { return a.like(f(a.value())); },
      nb::arg("a"),
      doc(name),
      nb::sig(signature.c_str()));
}

constexpr const char of_numbers[] =
    "The same function for plain numbers. The result is a plain number.";

/// Binds f for plain numbers; the result is a number, as in Python's module math. But where f is not defined, the result is NaN or infinity
/// as for batches, and there is no error.
template <class F, class... Names>
void
number(nb::module_ & m, const char * name, const F & f, const Names &... names)
{
  m.def(
      name,
      [f](const std::conditional_t<true, Number, Names> &... x) { return f(double(x)...); },
      nb::arg(names)...,
      of_numbers);
}

/// Calls f with b, the other operand of an operation on the components of a. b is a tensor of the same type as a, a Scalar or a number.
template <class F>
auto
beside(const char * name, const Any & a, const Value & b, const F & f)
{
  if (b.number)
    return f(*b.number);
  if (b.type == a.type)
    return f(b.value());
  if (is_scalar(b))
    return f(Scalar(b.value()));
  fail_types(name,
             a,
             b,
             "Expected two tensors of one type, or a Scalar or a number beside a tensor: convert "
             "one of them");
}

template <class T>
constexpr bool is_number = std::is_same_v<std::decay_t<T>, CScalar>;

/// The names of the two arguments of a function, and whether each may be a plain number.
struct Arguments
{
  const char * left;
  const char * right;
  bool number_left = true, number_right = true;
};

/// Binds f(a, b) for two tensors of one type, and for a tensor and a Scalar or a number.
template <class F>
void
binary(nb::module_ & m,
       const char * name,
       const Arguments & arguments,
       const std::string & text,
       const F & f)
{
  const auto & [left, right, number_left, number_right] = arguments;
  const std::string head = std::string("def ") + name + "(" + left + ": ",
                    then = std::string(", ") + right + ": T";
  const std::string scalar = "neml2_tensors.tensors.Scalar", scalar_or_number = scalar + " | float";
  m.def(
      name,
      [f](const Factor & x, const Any & y)
      { return y.like(x.number ? f(*x.number, y.value()) : f(Scalar(x.value()), y.value())); },
      nb::arg(left),
      nb::arg(right),
      text.c_str(),
      nb::sig((head + (number_left ? scalar_or_number : scalar) + then + ") -> T").c_str()));
  m.def(
      name,
      [f, name](const Any & x, const Value & y)
      { return beside(name, x, y, [&](const auto & v) { return x.like(f(x.value(), v)); }); },
      nb::arg(left),
      nb::arg(right),
      text.c_str(),
      nb::sig((head + "T" + then + " | " + (number_right ? scalar_or_number : scalar) + ") -> T")
                  .c_str()));
}

/// Binds f(a, b) for two tensors of one type. One of the two may be a plain number instead.
template <class F>
void
of_one_type(nb::module_ & m, const char * name, const char * left, const char * right, const F & f)
{
  const auto define = [&](const auto & call, const char * a, const char * b)
  {
    m.def(name,
          call,
          nb::arg(left),
          nb::arg(right),
          doc(name),
          nb::sig((std::string("def ") + name + "(" + left + ": " + a + ", " + right + ": " + b +
                   ") -> T")
                      .c_str()));
  };
  define(
      [f, name](const Any & a, const Any & b)
      {
        check_same_type(name, a, b);
        return a.like(f(a.value(), b.value()));
      },
      "T",
      "T");
  define([f](const Any & a, Number b) { return a.like(f(a.value(), b.value)); }, "T", "float");
  define([f](Number a, const Any & b) { return b.like(f(a.value, b.value())); }, "float", "T");
}

void
bind_unary(nb::module_ & m)
{
  const auto define = [&](const char * name, Unary f, double (*of_a_number)(double))
  {
    unary(m, name, f);
    number(m, name, of_a_number, "a");
  };
  define("abs", abs<Tensor>, [](double a) { return kernels::abs(a); });
  define("sign", sign<Tensor>, [](double a) { return kernels::sign(a); });
  define("heaviside", heaviside<Tensor>, [](double a) { return kernels::heaviside(a); });
  define("macaulay", macaulay<Tensor>, [](double a) { return kernels::macaulay(a); });
  define("dmacaulay", dmacaulay<Tensor>, [](double a) { return kernels::dmacaulay(a); });
  define("sqrt", sqrt<Tensor>, [](double a) { return std::sqrt(a); });
  define("cbrt", cbrt<Tensor>, [](double a) { return std::cbrt(a); });
  define("exp", exp<Tensor>, [](double a) { return std::exp(a); });
  define("expm1", expm1<Tensor>, [](double a) { return std::expm1(a); });
  define("log", log<Tensor>, [](double a) { return std::log(a); });
  define("log1p", log1p<Tensor>, [](double a) { return std::log1p(a); });
  define("log10", log10<Tensor>, [](double a) { return std::log10(a); });
  define("deg2rad", deg2rad<Tensor>, [](double a) { return kernels::deg2rad(a); });
  define("rad2deg", rad2deg<Tensor>, [](double a) { return kernels::rad2deg(a); });
  define("sin", sin<Tensor>, [](double a) { return std::sin(a); });
  define("cos", cos<Tensor>, [](double a) { return std::cos(a); });
  define("tan", tan<Tensor>, [](double a) { return std::tan(a); });
  define("asin", asin<Tensor>, [](double a) { return std::asin(a); });
  define("acos", acos<Tensor>, [](double a) { return std::acos(a); });
  define("atan", atan<Tensor>, [](double a) { return std::atan(a); });
  define("sinh", sinh<Tensor>, [](double a) { return std::sinh(a); });
  define("cosh", cosh<Tensor>, [](double a) { return std::cosh(a); });
  define("tanh", tanh<Tensor>, [](double a) { return std::tanh(a); });
  define("asinh", asinh<Tensor>, [](double a) { return std::asinh(a); });
  define("acosh", acosh<Tensor>, [](double a) { return std::acosh(a); });
  define("atanh", atanh<Tensor>, [](double a) { return std::atanh(a); });
  unary(m, "normalize_gcd", normalize_gcd<Tensor>);
}

/// Binds f(a, b) for the operands that `binary` takes. The results are truth values.
template <class F>
void
relation(nb::module_ & m, const char * name, const std::string & text, const F & f)
{
  const std::string scalar = "neml2_tensors.tensors.Scalar", scalar_or_number = scalar + " | float";
  const auto define =
      [&](const auto & call, const std::string & a, const std::string & b, bool scalars)
  {
    m.def(name,
          call,
          nb::arg("a"),
          nb::arg("b"),
          text.c_str(),
          nb::sig((std::string("def ") + name + "(a: " + a + ", b: " + b + ") -> " +
                   (scalars ? scalar : "neml2_tensors.tensors.Tensor"))
                      .c_str()));
  };
  define([f](const Scalar & x, const Scalar & y) { return f(x, y); }, scalar, scalar, true);
  define([f](const Scalar & x, const CScalar & y) { return f(x, y); }, scalar, "float", true);
  define([f](const CScalar & x, const Scalar & y) { return f(x, y); }, "float", scalar, true);
  define([f](const Factor & x, const Any & y) -> Tensor
         { return x.number ? f(*x.number, y.value()) : f(Scalar(x.value()), y.value()); },
         scalar_or_number,
         "neml2_tensors.tensors.TensorBase",
         false);
  define([f, name](const Any & x, const Value & y) -> Tensor
         { return beside(name, x, y, [&](const auto & v) { return f(x.value(), v); }); },
         "T",
         "T | " + scalar_or_number,
         false);
}

void
bind_relations(nb::module_ & m)
{
  const auto described =
      [&](const char * name, const std::string & text, const auto & f, const auto & of_two_numbers)
  {
    relation(m,
             name,
             text + " (...; base), (...; base) -> (...; base) of dtype bool. It works component by "
                    "component on two tensors of one type, or on a tensor and a Scalar or a "
                    "number. The result is a Tensor; for Scalars it is a Scalar. Shapes broadcast, "
                    "and dtypes may differ.",
             f);
    m.def(
        name,
        [of_two_numbers](Number a, Number b) { return bool(of_two_numbers(a.value, b.value)); },
        nb::arg("a"),
        nb::arg("b"),
        "The same for two plain numbers. The result is a bool.");
  };
  const auto comparison =
      [&](const char * name, const std::string & text, const auto & f, const auto & of_two_numbers)
  { described(name, text + ", false where a or b is NaN.", f, of_two_numbers); };
  comparison(
      "gt", "a > b", [](const auto & x, const auto & y) { return gt(x, y); }, std::greater<>());
  comparison(
      "lt", "a < b", [](const auto & x, const auto & y) { return lt(x, y); }, std::less<>());
  comparison(
      "ge",
      "a >= b",
      [](const auto & x, const auto & y) { return ge(x, y); },
      std::greater_equal<>());
  comparison(
      "le", "a <= b", [](const auto & x, const auto & y) { return le(x, y); }, std::less_equal<>());
  comparison(
      "eq", "a == b", [](const auto & x, const auto & y) { return eq(x, y); }, std::equal_to<>());
  described(
      "ne",
      "a != b, true where a or b is NaN.",
      [](const auto & x, const auto & y) { return ne(x, y); },
      std::not_equal_to<>());
  described(
      "logical_and",
      doc("logical_and"),
      [](const auto & x, const auto & y) { return logical_and(x, y); },
      std::logical_and<>());
  described(
      "logical_or",
      doc("logical_or"),
      [](const auto & x, const auto & y) { return logical_or(x, y); },
      std::logical_or<>());
  described(
      "logical_xor",
      doc("logical_xor"),
      [](const auto & x, const auto & y) { return logical_xor(x, y); },
      [](double a, double b) { return (a != 0) != (b != 0); });
  m.def(
      "logical_not",
      [](const Scalar & a) { return logical_not(a); },
      nb::arg("a"),
      doc("logical_not"));
  m.def(
      "logical_not",
      [](const Any & a) { return logical_not(a.value()); },
      nb::arg("a"),
      doc("logical_not"));
  m.def(
      "logical_not",
      [](Number a) { return a.value == 0; },
      nb::arg("a"),
      "The same for a plain number. The result is a bool.");
}

void
bind_clamp(nb::module_ & m, const char * name, const char * text)
{
  const std::string bound = "T | neml2_tensors.tensors.Scalar | float";
  const std::string signature =
      std::string("def ") + name + "(a: T, lower: " + bound + ", upper: " + bound + ") -> T";
  m.def(
      name,
      [name](const Any & a, const Value & lower, const Value & upper)
      {
        return beside(name,
                      a,
                      lower,
                      [&](const auto & x)
                      {
                        return beside(name,
                                      a,
                                      upper,
                                      [&](const auto & y)
                                      { return a.like(neml2::clamp(a.value(), x, y)); });
                      });
      },
      nb::arg("a"),
      nb::arg("lower"),
      nb::arg("upper"),
      text,
      nb::sig(signature.c_str()));
  number(
      m,
      name,
      [](double a, double lower, double upper) { return kernels::clamp(a, lower, upper); },
      "a",
      "lower",
      "upper");
}

/// Calls f with a condition, which is a tensor of the library or of torch, or a truth value of Python.
template <class F>
Same
on_condition(nb::handle condition, const F & f)
{
  if (const auto truth = truth_value(condition))
    return f(*truth);
  Any typed;
  if (nb::detail::make_caster<Any>::read(condition, typed))
    return f(typed.value());
  at::Tensor raw;
  if (!nb::try_cast<at::Tensor>(condition, raw))
    throw nb::next_overload();
  return f(raw);
}

void
bind_where(nb::module_ & m)
{
  const std::string head =
      "def where(condition: neml2_tensors.tensors.TensorBase | torch.Tensor | bool, a: ";
  m.def(
      "where",
      [](nb::handle condition, const Any & a, const Value & b) -> Same
      {
        if (b.number)
          return on_condition(
              condition, [&](const auto & c) { return a.like(where(c, a.value(), *b.number)); });
        if (a.type != b.type)
          fail_types(
              "where",
              a,
              b,
              "Expected two tensors of one type, or a tensor and a number: convert one of them");
        return on_condition(condition,
                            [&](const auto & c) { return a.like(where(c, a.value(), b.value())); });
      },
      nb::arg("condition"),
      nb::arg("a"),
      nb::arg("b"),
      doc("where"),
      nb::sig((head + "T, b: T | float) -> T").c_str()));
  m.def(
      "where",
      [](nb::handle condition, const CScalar & a, const Any & b) {
        return on_condition(condition,
                            [&](const auto & c) { return b.like(where(c, a, b.value())); });
      },
      nb::arg("condition"),
      nb::arg("a"),
      nb::arg("b"),
      doc("where"),
      nb::sig((head + "float, b: T) -> T").c_str()));
  m.def(
      "where",
      [](nb::handle condition, Number a, Number b)
      {
        const auto truth = truth_value(condition);
        if (!truth)
          throw nb::next_overload();
        return *truth ? a.value : b.value;
      },
      nb::arg("condition"),
      nb::arg("a"),
      nb::arg("b"),
      of_numbers,
      nb::sig("def where(condition: bool, a: float, b: float) -> float"));
}

/// Binds the constants of Python's module math.
void
bind_constants(nb::module_ & m)
{
  const nb::module_ own = nb::module_::import_("math");
  for (const char * name : {"pi", "e", "tau", "inf", "nan"})
    m.attr(name) = own.attr(name);
}
} // namespace

void
bind_elementwise(nb::module_ & m)
{
  bind_unary(m);
  bind_relations(m);
  binary(m,
         "pow",
         {"a", "n"},
         doc("pow"),
         [](const auto & a, const auto & n) { return neml2::pow(a, n); });
  number(
      m, "pow", [](double a, double n) { return std::pow(a, n); }, "a", "n");
  binary(m,
         "maximum",
         {"a", "b"},
         doc("maximum"),
         [](const auto & a, const auto & b) { return neml2::maximum(a, b); });
  number(m, "maximum", kernels::maximum<double>, "a", "b");
  binary(m,
         "minimum",
         {"a", "b"},
         doc("minimum"),
         [](const auto & a, const auto & b) { return neml2::minimum(a, b); });
  number(m, "minimum", kernels::minimum<double>, "a", "b");
  binary(m,
         "fmod",
         {"a", "b"},
         doc("fmod"),
         [](const auto & a, const auto & b) { return neml2::fmod(a, b); });
  number(
      m, "fmod", [](double a, double b) { return std::fmod(a, b); }, "a", "b");
  binary(m,
         "gcd",
         {"a", "b", false, false},
         doc("gcd"),
         [](const auto & a, const auto & b) -> Tensor
         {
           if constexpr (is_number<decltype(a)> || is_number<decltype(b)>)
             throw nb::next_overload();
           else
             return neml2::gcd(a, b);
         });
  m.def(
      "gcd",
      [](int64_t a, int64_t b) { return std::gcd(a, b); },
      nb::arg("a"),
      nb::arg("b"),
      "The same for two plain integers. The result is a plain integer.");
  of_one_type(
      m, "atan2", "y", "x", [](const auto & y, const auto & x) { return neml2::atan2(y, x); });
  number(
      m, "atan2", [](double y, double x) { return std::atan2(y, x); }, "y", "x");
  of_one_type(
      m, "hypot", "a", "b", [](const auto & a, const auto & b) { return neml2::hypot(a, b); });
  number(
      m, "hypot", [](double a, double b) { return std::hypot(a, b); }, "a", "b");
  bind_clamp(m, "clamp", doc("clamp"));
  bind_clamp(m, "clip", doc("clamp"));
  bind_where(m);
  bind_constants(m);
}
} // namespace neml2::python
