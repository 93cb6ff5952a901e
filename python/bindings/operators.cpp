// SPDX-License-Identifier: MIT
#include "bindings/operators.h"

#include "bindings/functions_of_python.h"
#include "neml2/math/logic.h"
#include "neml2/math/elementwise.h"
#include "neml2/math/products.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/Vec.h"

namespace neml2::python
{
namespace
{
Same
not_implemented()
{
  return {nb::borrow(Py_NotImplemented)};
}

/// The meaning of an operator for two tensors of one type: it works component by component, or it is a special product or does not exist.
enum class OfOneType
{
  elementwise,
  product
};

bool
combine(const Any & a, const Any & b, OfOneType kind)
{
  return a.type == b.type &&
         (kind == OfOneType::elementwise || !a.type->fixed_base || is_scalar(a));
}

/// Binds f for a tensor and a number.
template <class F>
void
bind_number(AnyClass & cls, const char * name, const F & f)
{
  cls.def(
      name,
      [f](const Any & a, const CScalar & b)
      { return a.like(without_gil([&] { return f(a.value(), b); })); },
      nb::arg("other").noconvert(),
      nb::is_operator());
}

/// Binds f for a number on the left and a tensor on the right.
template <class F>
void
bind_number_on_the_left(AnyClass & cls, const char * name, const F & f)
{
  cls.def(
      name,
      [f](const Any & a, const CScalar & b)
      { return a.like(without_gil([&] { return f(b, a.value()); })); },
      nb::arg("other").noconvert(),
      nb::is_operator());
}

/// Binds f for two tensors of one type, for a tensor and a Scalar, and for a tensor and a number.
template <class F>
void
bind(AnyClass & cls, const char * name, const F & f, OfOneType kind = OfOneType::elementwise)
{
  cls.def(
      name,
      [f, kind](const Any & a, const Other & b) -> Same
      {
        if (combine(a, b, kind))
          return a.like(without_gil([&] { return f(a.value(), b.value()); }));
        if (is_scalar(b))
          return a.like(without_gil([&] { return f(a.value(), Scalar(b.value())); }));
        if (is_scalar(a))
          return b.like(without_gil([&] { return f(Scalar(a.value()), b.value()); }));
        return not_implemented();
      },
      nb::arg("other").noconvert(),
      nb::is_operator());
  bind_number(cls, name, f);
}

/// Binds f for a number or a Scalar on the left and a tensor on the right. The operators of Scalar itself do not take other types.
template <class F>
void
bind_reflected(AnyClass & cls, const char * name, const F & f)
{
  cls.def(
      name,
      [f](const Any & a, const Scalar & b)
      { return a.like(without_gil([&] { return f(b, a.value()); })); },
      nb::arg("other").noconvert(),
      nb::is_operator());
  bind_number_on_the_left(cls, name, f);
}

[[noreturn]] void
refuse(const char * symbol, const Any & a, nb::handle b)
{
  throw nb::type_error((std::string(symbol) + ": cannot write the result with " +
                        Py_TYPE(b.ptr())->tp_name + " into " + a.type->name +
                        ". Expected a Scalar, a number, or a tensor of the same type unless its * "
                        "is a product: write "
                        "a = a * b.")
                           .c_str());
}

template <class F>
void
bind_in_place(AnyClass & cls,
              const char * name,
              const char * symbol,
              const F & f,
              OfOneType kind = OfOneType::elementwise)
{
  const auto other = nb::arg("other").noconvert();
  cls.def(
      name,
      [f, kind, symbol](const Any & a, const Other & b) -> Same
      {
        Tensor x = a;
        if (combine(a, b, kind))
          f(x, b.value());
        else if (is_scalar(b))
          f(x, Scalar(b.value()));
        else
          refuse(symbol, a, b.object);
        return {nb::borrow(a.object)};
      },
      other,
      nb::is_operator());
  cls.def(
      name,
      [f](const Any & a, const CScalar & b) -> Same
      {
        Tensor x = a;
        f(x, b);
        return {nb::borrow(a.object)};
      },
      other,
      nb::is_operator());
  // Without this overload, Python would fall back to the operator that returns a new tensor, and assign the new tensor to the name on the
  // left.
  cls.def(
      name,
      [symbol](const Any & a, const nb::object & b) -> Same { refuse(symbol, a, b); },
      nb::arg("other").none(),
      nb::sig((std::string("def ") + name + "(self, other: typing.Never) -> typing_extensions.Self")
                  .c_str()));
}

/// Binds a comparison for the operands that `bind` takes.
template <class F>
void
bind_comparison(AnyClass & cls, const char * name, const F & f)
{
  const std::string typed = std::string("def ") + name + "(self, other: ";
  cls.def(
      name,
      [f](const Any & a, const Other & b) -> nb::object
      {
        if (a.type == b.type)
          return truth_values(a, without_gil([&] { return f(a.value(), b.value()); }));
        if (is_scalar(b))
          return truth_values(a, without_gil([&] { return f(a.value(), Scalar(b.value())); }));
        return not_implemented().object;
      },
      nb::arg("other").noconvert(),
      nb::is_operator(),
      nb::sig((typed + "typing_extensions.Self | Scalar) -> Tensor").c_str()));
  cls.def(
      name,
      [f](const Any & a, const CScalar & b)
      { return truth_values(a, without_gil([&] { return f(a.value(), b); })); },
      nb::arg("other").noconvert(),
      nb::is_operator(),
      nb::sig((typed + "float) -> Tensor").c_str()));
}

template <class F>
void
bind_scalar_comparison(nb::class_<Scalar> & cls, const char * name, const F & f)
{
  const auto other = nb::arg("other").noconvert();
  const auto op = nb::is_operator();
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  cls.def(
      name, [f](const Scalar & a, const Scalar & b) { return f(a, b); }, other, op, free);
  cls.def(
      name, [f](const Scalar & a, const CScalar & b) { return f(a, b); }, other, op, free);
  cls.def(
      name,
      [f](const Scalar & a, const Any & b)
      { return without_gil([&] { return Tensor(f(a, b.value())); }); },
      other,
      op);
}

const auto less = [](const auto & x, const auto & y) { return x < y; };
const auto less_equal = [](const auto & x, const auto & y) { return x <= y; };
const auto greater = [](const auto & x, const auto & y) { return x > y; };
const auto greater_equal = [](const auto & x, const auto & y) { return x >= y; };
const auto equal = [](const auto & x, const auto & y) { return x == y; };
const auto not_equal = [](const auto & x, const auto & y) { return x != y; };

template <class F>
void
for_each_comparison(const F & f)
{
  f("__lt__", less);
  f("__le__", less_equal);
  f("__gt__", greater);
  f("__ge__", greater_equal);
  f("__eq__", equal);
  f("__ne__", not_equal);
}

const auto plus = [](const auto & x, const auto & y) { return x + y; };
const auto minus = [](const auto & x, const auto & y) { return x - y; };
const auto times = [](const auto & x, const auto & y) { return x * y; };
const auto over = [](const auto & x, const auto & y) { return x / y; };
const auto power = [](const auto & x, const auto & y) { return pow(x, y); };
} // namespace

void
bind_numbers(AnyClass & cls)
{
  bind_number(cls, "__add__", plus);
  bind_number(cls, "__sub__", minus);
  bind_number(cls, "__mul__", times);
  bind_number(cls, "__truediv__", over);
  bind_number_on_the_left(cls, "__radd__", plus);
  bind_number_on_the_left(cls, "__rsub__", minus);
  bind_number_on_the_left(cls, "__rmul__", times);
  bind_number_on_the_left(cls, "__rtruediv__", over);
}

void
bind_rotations()
{
  const auto other = nb::arg("other").noconvert();
  for (const char * name : {"__mul__", "__matmul__"})
  {
    nb::borrow<nb::class_<Rot>>(nb::type<Rot>())
        .def(
            name,
            [](const Rot & r, const Vec & v) { return v.rotate(r); },
            other,
            nb::is_operator(),
            "The rotated vector, v.rotate(r).");
  }
  nb::borrow<nb::class_<Tensor>>(nb::type<Tensor>())
      .def(
          "__matmul__",
          [](const Tensor & a, const Tensor & b) -> Tensor
          {
            core::check_defined("@", a);
            core::check_defined("@", b);
            const Size m = a.base_dim(), n = b.base_dim();
            if (m == 2 && n == 2)
              return mm(a, b);
            if (m == 2 && n == 1)
              return mv(a, b);
            if (m == 1 && n == 1)
              return vdot(a, b);
            core::fail("@: not defined for ",
                       core::operand(a),
                       " and ",
                       core::operand(b),
                       ". Expected base shapes of two matrices, a matrix and a vector, or two "
                       "vectors.");
          },
          other,
          nb::is_operator(),
          "The product of two matrices, of a matrix and a vector, or of two vectors, depending on "
          "their base shapes. Batch shapes broadcast.\n(...; m, k), (...; k, n) -> (...; m, n); "
          "(...; m, k), (...; k) -> (...; m); (...; k), (...; k) -> (...; )");
}

void
bind_scalar_comparisons()
{
  auto cls = nb::borrow<nb::class_<Scalar>>(nb::type<Scalar>());
  for_each_comparison([&](const char * name, const auto & f)
                      { bind_scalar_comparison(cls, name, f); });
}

void
bind_operators(AnyClass & cls)
{
  bind(cls, "__add__", plus);
  bind(cls, "__sub__", minus);
  bind(cls, "__mul__", times, OfOneType::product);
  bind(cls, "__truediv__", over);
  bind(cls, "__pow__", power);
  // Types that have products redefine this operator. For all other types it only leads to the error message.
  cls.def(
      "__matmul__",
      [](const Any &, const nb::object &) { return not_implemented(); },
      nb::arg("other").none(),
      nb::is_operator(),
      nb::sig("def __matmul__(self, other: typing.Never) -> typing.Never"));
  bind_reflected(cls, "__radd__", plus);
  bind_reflected(cls, "__rsub__", minus);
  bind_reflected(cls, "__rmul__", times);
  bind_reflected(cls, "__rtruediv__", over);
  bind_reflected(cls, "__rpow__", power);

  bind_in_place(cls, "__iadd__", "+=", [](Tensor & x, const auto & y) { x += y; });
  bind_in_place(cls, "__isub__", "-=", [](Tensor & x, const auto & y) { x -= y; });
  bind_in_place(
      cls, "__imul__", "*=", [](Tensor & x, const auto & y) { x *= y; }, OfOneType::product);
  bind_in_place(cls, "__itruediv__", "/=", [](Tensor & x, const auto & y) { x /= y; });

  cls.def("__neg__", [](const Any & a) { return a.like(-a.value()); });
  cls.def("__pos__", [](const Any & a) -> Same { return {nb::borrow(a.object)}; });
  cls.def("__abs__", [](const Any & a) { return a.like(abs(a.value())); });

  for_each_comparison([&](const char * name, const auto & f) { bind_comparison(cls, name, f); });
  bind(cls, "__and__", [](const auto & x, const auto & y) { return x & y; });
  bind(cls, "__or__", [](const auto & x, const auto & y) { return x | y; });
  bind(cls, "__xor__", [](const auto & x, const auto & y) { return x ^ y; });
  cls.def("__invert__", [](const Any & a) { return a.like(~a.value()); });
  cls.attr("__hash__") = nb::module_::import_("builtins").attr("object").attr("__hash__");
}
} // namespace neml2::python
