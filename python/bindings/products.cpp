// SPDX-License-Identifier: MIT
#include "bindings/math.h"

#include "neml2/composed/cholesky.h"

#include <neml2/neml2.h>
#include <nanobind/stl/variant.h>

namespace neml2::python
{
namespace
{
/// Binds f(a, b) for tensors of any types.
template <class R>
void
product(nb::module_ & m,
        const char * name,
        const char * left,
        const char * right,
        R (*f)(const Tensor &, const Tensor &))
{
  m.def(
      name,
      [f](const Any & a, const Any & b) { return f(a.value(), b.value()); },
      nb::arg(left),
      nb::arg(right),
      doc(name));
}

/// Binds f(A) for neml2.Tensor only. Other types have functions of their own, or no function of this name.
template <class R>
void
of_matrices(nb::module_ & m, const char * name, R (*f)(const Tensor &))
{
  m.def(
      name, [f](const Tensor & A) { return f(A); }, nb::arg("A"), doc(name));
}

Tensor
cholesky_of_matrix(const Tensor & A)
{
  core::check_defined("cholesky", A);
  NEML2_CHECK(A.base_dim() == 2 && A.base_size(0) == A.base_size(1),
              "cholesky: expected a square matrix, got ",
              core::operand(A),
              ".");
  return Tensor(composed::cholesky(A), A.batch_dim());
}

bool
is_like_a_vector(const Any & a)
{
  return a.type->fixed_base && a.type->base.size() == 1 && a.type->base[0] == 3;
}

Vec
vector(const Any & a)
{
  return Vec(a.value());
}

void
bind_all_components(nb::module_ & m)
{
  m.def(
      "inner",
      [](const Any & a, const Any & b)
      {
        if (a.type->fixed_base && b.type->fixed_base &&
            TensorShapeRef(a.type->base) != TensorShapeRef(b.type->base))
          fail_types("inner", a, b, "Expected tensors of one base shape: convert one of them");
        return inner(a.value(), b.value());
      },
      nb::arg("a"),
      nb::arg("b"),
      doc("inner"));
  m.def(
      "norm_sq", [](const Any & a) { return norm_sq(a.value()); }, nb::arg("a"), doc("norm_sq"));
  m.def(
      "norm",
      [](const Any & a, Number epsilon) { return norm(a.value(), epsilon); },
      nb::arg("a"),
      nb::arg("epsilon") = 0.0,
      doc("norm"));
  m.def(
      "unit",
      [](const Any & a, Number epsilon) { return a.like(unit(a.value(), epsilon)); },
      nb::arg("a"),
      nb::arg("epsilon") = 0.0,
      doc("unit"),
      nb::sig("def unit(a: T, epsilon: float = 0) -> T"));
  m.def(
      "outer",
      [](const Any & a, const Any & b) -> std::variant<Tensor, R2>
      {
        if (is_like_a_vector(a) && is_like_a_vector(b))
          return outer(vector(a), vector(b));
        return outer(a.value(), b.value());
      },
      nb::arg("a"),
      nb::arg("b"),
      doc("outer"));
  m.def(
      "outer",
      [](const Any & a) -> std::variant<Tensor, R2>
      {
        if (is_like_a_vector(a))
          return outer(vector(a));
        return outer(a.value());
      },
      nb::arg("a"),
      doc("outer"));
  m.def(
      "einsum",
      [](const std::string & equation, const Tensors & operands)
      { return einsum(equation, values(operands)); },
      nb::arg("equation"),
      nb::arg("operands"),
      doc("einsum"));
}

void
bind_linalg(nb::module_ & m)
{
  m.def(
      "vector_norm",
      [](const Any & v) { return linalg::vector_norm(v.value()); },
      nb::arg("v"),
      doc("vector_norm"));
  m.def(
      "solve",
      [](const Any & A, const Any & B, bool check_errors)
      { return linalg::solve(A.value(), B.value(), check_errors); },
      nb::arg("A"),
      nb::arg("B"),
      nb::arg("check_errors") = false,
      doc("solve"));
  m.def(
      "slogdet",
      [](const Any & A) { return linalg::slogdet(A.value()); },
      nb::arg("A"),
      doc("slogdet"));
  m.def(
      "lu_factor",
      [](const Any & A, bool pivot) { return linalg::lu_factor(A.value(), pivot); },
      nb::arg("A"),
      nb::arg("pivot") = true,
      doc("lu_factor"));
  m.def(
      "lu_solve",
      [](const Any & LU, const Any & pivots, const Any & B, bool left, bool adjoint)
      { return linalg::lu_solve(LU.value(), pivots.value(), B.value(), left, adjoint); },
      nb::arg("LU"),
      nb::arg("pivots"),
      nb::arg("B"),
      nb::arg("left") = true,
      nb::arg("adjoint") = false,
      doc("lu_solve"));
}
} // namespace

void
bind_products(nb::module_ & m)
{
  product<Tensor>(m, "bmm", "a", "b", bmm<Tensor, Tensor>);
  product<Tensor>(m, "mm", "a", "b", mm<Tensor, Tensor>);
  product<Tensor>(m, "bmv", "a", "v", bmv<Tensor, Tensor>);
  product<Tensor>(m, "mv", "a", "v", mv<Tensor, Tensor>);
  product<Scalar>(m, "bvv", "a", "b", bvv<Tensor, Tensor>);
  product<Scalar>(m, "vdot", "a", "b", vdot<Tensor, Tensor>);
  product<Scalar>(m, "vecdot", "a", "b", linalg::vecdot<Tensor, Tensor>);
  of_matrices<Scalar>(m, "tr", tr<Tensor>);
  of_matrices<Scalar>(m, "det", det<Tensor>);
  of_matrices<Tensor>(m, "vol", vol<Tensor>);
  of_matrices<Tensor>(m, "dev", dev<Tensor>);
  of_matrices<Tensor>(m, "inv", inv<Tensor>);
  m.def("cholesky",
        &cholesky_of_matrix,
        nb::arg("A"),
        "The lower triangular L with L Lᵀ = the symmetric part of A; NaN where this part is not "
        "positive definite. (...; n, n) -> (...; n, n)");
  bind_all_components(m);
  bind_linalg(m);
}
} // namespace neml2::python
