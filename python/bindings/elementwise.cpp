// SPDX-License-Identifier: MIT
#include "bindings/math.h"

#include <neml2/neml2.h>

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

/// Functions of an angle, which may be a number, too.
void
of_number(nb::module_ & m, const char * name, double (*f)(double))
{
  m.def(
      name,
      [f](Number a) { return f(a); },
      nb::arg("a"),
      "The same of a number, which is a float.");
}

/// f of the other operand of an operation component by component: a tensor of the same type, a
/// Scalar or a number.
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
  fail_types(
      name,
      a,
      b,
      "Expected two tensors of one type, or a Scalar or a number beside a tensor: convert one");
}

template <class T>
constexpr bool is_number = std::is_same_v<std::decay_t<T>, CScalar>;

/// The arguments of a function of two, and whether they may be numbers.
struct Arguments
{
  const char * left;
  const char * right;
  bool number_left = true, number_right = true;
};

/// f(a, b) of two tensors of one type, or of a tensor and a Scalar or a number.
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
  const std::string scalar = "neml2.tensors.Scalar", scalar_or_number = scalar + " | float";
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

void
bind_unary(nb::module_ & m)
{
  unary(m, "abs", abs<Tensor>);
  unary(m, "sign", sign<Tensor>);
  unary(m, "heaviside", heaviside<Tensor>);
  unary(m, "macaulay", macaulay<Tensor>);
  unary(m, "dmacaulay", dmacaulay<Tensor>);
  unary(m, "sqrt", sqrt<Tensor>);
  unary(m, "cbrt", cbrt<Tensor>);
  unary(m, "exp", exp<Tensor>);
  unary(m, "log", log<Tensor>);
  unary(m, "log10", log10<Tensor>);
  unary(m, "deg2rad", deg2rad<Tensor>);
  unary(m, "rad2deg", rad2deg<Tensor>);
  of_number(m, "deg2rad", [](double a) { return kernels::deg2rad(a); });
  of_number(m, "rad2deg", [](double a) { return kernels::rad2deg(a); });
  unary(m, "sin", sin<Tensor>);
  unary(m, "cos", cos<Tensor>);
  unary(m, "tan", tan<Tensor>);
  unary(m, "asin", asin<Tensor>);
  unary(m, "acos", acos<Tensor>);
  unary(m, "atan", atan<Tensor>);
  unary(m, "sinh", sinh<Tensor>);
  unary(m, "cosh", cosh<Tensor>);
  unary(m, "tanh", tanh<Tensor>);
  unary(m, "asinh", asinh<Tensor>);
  unary(m, "acosh", acosh<Tensor>);
  unary(m, "atanh", atanh<Tensor>);
  unary(m, "normalize_gcd", normalize_gcd<Tensor>);
}

/// f(a, b) for the operands that binary takes; the result is truth values.
template <class F>
void
relation(nb::module_ & m, const char * name, const std::string & text, const F & f)
{
  const std::string scalar = "neml2.tensors.Scalar", number = scalar + " | float";
  const auto define =
      [&](const auto & call, const std::string & a, const std::string & b, bool scalars)
  {
    m.def(name,
          call,
          nb::arg("a"),
          nb::arg("b"),
          text.c_str(),
          nb::sig((std::string("def ") + name + "(a: " + a + ", b: " + b + ") -> " +
                   (scalars ? scalar : "neml2.tensors.Tensor"))
                      .c_str()));
  };
  define([f](const Scalar & x, const Scalar & y) { return f(x, y); }, scalar, scalar, true);
  define([f](const Scalar & x, const CScalar & y) { return f(x, y); }, scalar, "float", true);
  define([f](const CScalar & x, const Scalar & y) { return f(x, y); }, "float", scalar, true);
  define([f](const Factor & x, const Any & y) -> Tensor
         { return x.number ? f(*x.number, y.value()) : f(Scalar(x.value()), y.value()); },
         number,
         "neml2.tensors.TensorBase",
         false);
  define([f, name](const Any & x, const Value & y) -> Tensor
         { return beside(name, x, y, [&](const auto & v) { return f(x.value(), v); }); },
         "T",
         "T | " + number,
         false);
}

void
bind_relations(nb::module_ & m)
{
  const auto described = [&](const char * name, const std::string & text, const auto & f)
  {
    relation(
        m,
        name,
        text + " (...; base), (...; base) -> (...; base) of dtype bool, component by component, of "
               "two tensors of one type, or of a tensor and a Scalar or a number: a Tensor, of "
               "Scalars a Scalar. Shapes broadcast, dtypes mix.",
        f);
  };
  const auto comparison = [&](const char * name, const std::string & text, const auto & f)
  { described(name, text + ", false where one is NaN.", f); };
  comparison("gt", "a > b", [](const auto & x, const auto & y) { return gt(x, y); });
  comparison("lt", "a < b", [](const auto & x, const auto & y) { return lt(x, y); });
  comparison("ge", "a >= b", [](const auto & x, const auto & y) { return ge(x, y); });
  comparison("le", "a <= b", [](const auto & x, const auto & y) { return le(x, y); });
  comparison("eq", "a == b", [](const auto & x, const auto & y) { return eq(x, y); });
  described("ne",
            "a != b, true where one is NaN.",
            [](const auto & x, const auto & y) { return ne(x, y); });
  described("logical_and",
            doc("logical_and"),
            [](const auto & x, const auto & y) { return logical_and(x, y); });
  described("logical_or",
            doc("logical_or"),
            [](const auto & x, const auto & y) { return logical_or(x, y); });
  described("logical_xor",
            doc("logical_xor"),
            [](const auto & x, const auto & y) { return logical_xor(x, y); });
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
}

void
bind_clamp(nb::module_ & m, const char * name, const char * text)
{
  const std::string bound = "T | neml2.tensors.Scalar | float";
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
}

/// f(condition), which may be a raw tensor.
template <class F>
Same
on_condition(nb::handle condition, const F & f)
{
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
  m.def(
      "where",
      [](nb::handle condition, const Any & a, const Value & b) -> Same
      {
        if (b.number)
          return on_condition(
              condition, [&](const auto & c) { return a.like(where(c, a.value(), *b.number)); });
        if (a.type != b.type)
          fail_types(
              "where", a, b, "Expected two tensors of one type, or one and a number: convert one");
        return on_condition(condition,
                            [&](const auto & c) { return a.like(where(c, a.value(), b.value())); });
      },
      nb::arg("condition"),
      nb::arg("a"),
      nb::arg("b"),
      doc("where"),
      nb::sig("def where(condition: neml2.tensors.TensorBase | torch.Tensor, a: T, b: T | float) "
              "-> T"));
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
      nb::sig(
          "def where(condition: neml2.tensors.TensorBase | torch.Tensor, a: float, b: T) -> T"));
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
  binary(m,
         "maximum",
         {"a", "b"},
         doc("maximum"),
         [](const auto & a, const auto & b) { return neml2::maximum(a, b); });
  binary(m,
         "minimum",
         {"a", "b"},
         doc("minimum"),
         [](const auto & a, const auto & b) { return neml2::minimum(a, b); });
  binary(m,
         "fmod",
         {"a", "b", false},
         doc("fmod"),
         [](const auto & a, const auto & b) -> Tensor
         {
           if constexpr (is_number<decltype(a)>)
             throw nb::next_overload();
           else
             return neml2::fmod(a, b);
         });
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
      "atan2",
      [](const Any & y, const Any & x)
      {
        check_same_type("atan2", y, x);
        return y.like(neml2::atan2(y.value(), x.value()));
      },
      nb::arg("y"),
      nb::arg("x"),
      doc("atan2"),
      nb::sig("def atan2(y: T, x: T) -> T"));
  bind_clamp(m, "clamp", doc("clamp"));
  bind_clamp(m, "clip", doc("clamp"));
  bind_where(m);
}
} // namespace neml2::python
