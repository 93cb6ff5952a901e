// SPDX-License-Identifier: MIT
#include "bindings/math.h"

#include <neml2/neml2.h>

namespace neml2::python
{
namespace
{
using Along = Tensor (*)(const Tensor &, Size);

/// Binds f(a, d) along a batch dimension.
void
along_batch(nb::module_ & m, const char * name, Along f, Size d)
{
  const std::string signature =
      std::string("def ") + name + "(a: T, d: int = " + std::to_string(d) + ") -> T";
  m.def(
      name,
      [f](const Any & a, Size k) { return a.like(f(a.value(), k)); },
      nb::arg("a"),
      nb::arg("d") = d,
      doc(name),
      nb::sig(signature.c_str()));
}

/// Binds f(a, d) along a base dimension.
void
along_base(nb::module_ & m, const char * name, Along f, Size d, const std::string & text)
{
  m.def(
      name,
      [f](const Any & a, Size k) { return f(a.value(), k); },
      nb::arg("a"),
      nb::arg("d") = d,
      text.c_str());
}

void
bind_reductions(nb::module_ & m)
{
  along_batch(m, "batch_sum", batch_sum<Tensor>, 0);
  along_batch(m, "batch_mean", batch_mean<Tensor>, 0);
  along_batch(m, "batch_max", batch_max<Tensor>, 0);
  along_batch(m, "batch_min", batch_min<Tensor>, 0);
  along_batch(m, "batch_argmax", batch_argmax<Tensor>, 0);
  along_batch(m, "batch_argmin", batch_argmin<Tensor>, 0);
  along_base(m, "base_mean", base_mean<Tensor>, 0, doc("base_mean"));
  along_base(m, "base_max", base_max<Tensor>, 0, doc("base_max"));
  along_base(m, "base_min", base_min<Tensor>, 0, doc("base_min"));
  along_base(m, "base_argmax", base_argmax<Tensor>, 0, doc("base_argmax"));
  along_base(m, "base_argmin", base_argmin<Tensor>, 0, doc("base_argmin"));
  m.def(
      "base_sum",
      [](const Any & a, const TensorShape & d, bool keepdim)
      { return base_sum(a.value(), TensorShapeRef(d), keepdim); },
      nb::arg("a"),
      nb::arg("d") = 0,
      nb::arg("keepdim") = false,
      doc("base_sum"),
      nb::sig("def base_sum(a: neml2_tensors.tensors.TensorBase, d: int | "
              "collections.abc.Sequence[int] = 0, "
              "keepdim: bool = False) -> neml2_tensors.tensors.Tensor"));
  m.def(
      "batch_sum_to_size",
      [](const Any & a, const TensorShape & shape)
      { return a.like(batch_sum_to_size(a.value(), shape)); },
      nb::arg("a"),
      nb::arg("shape"),
      doc("batch_sum_to_size"),
      nb::sig("def batch_sum_to_size(a: T, shape: int | collections.abc.Sequence[int]) -> T"));
  m.def(
      "base_sum_to_size",
      [](const Any & a, const TensorShape & shape)
      { return base_sum_to_size(a.value(), TensorShapeRef(shape)); },
      nb::arg("a"),
      nb::arg("shape"),
      doc("base_sum_to_size"),
      nb::sig("def base_sum_to_size(a: neml2_tensors.tensors.TensorBase, shape: int | "
              "collections.abc.Sequence[int]) -> neml2_tensors.tensors.Tensor"));
}

void
bind_diagonals(nb::module_ & m)
{
  m.def(
      "batch_diag_embed",
      [](const Any & a, Size offset, Size d1, Size d2)
      { return a.like(batch_diag_embed(a.value(), offset, d1, d2)); },
      nb::arg("a"),
      nb::arg("offset") = 0,
      nb::arg("d1") = -2,
      nb::arg("d2") = -1,
      doc("batch_diag_embed"),
      nb::sig("def batch_diag_embed(a: T, offset: int = 0, d1: int = -2, d2: int = -1) -> T"));
  m.def(
      "base_diag_embed",
      [](const Any & a, Size offset, Size d1, Size d2)
      { return base_diag_embed(a.value(), offset, d1, d2); },
      nb::arg("a"),
      nb::arg("offset") = 0,
      nb::arg("d1") = -2,
      nb::arg("d2") = -1,
      doc("base_diag_embed"));
  along_batch(m, "batch_diagonalize", batch_diagonalize<Tensor>, -1);
  along_base(m, "base_diagonalize", base_diagonalize<Tensor>, -1, doc("base_diagonalize"));
}

void
bind_differences(nb::module_ & m)
{
  m.def(
      "batch_diff",
      [](const Any & a, Size n, Size d) { return a.like(batch_diff(a.value(), n, d)); },
      nb::arg("a"),
      nb::arg("n") = 1,
      nb::arg("d") = -1,
      doc("batch_diff"),
      nb::sig("def batch_diff(a: T, n: int = 1, d: int = -1) -> T"));
  m.def(
      "base_diff",
      [](const Any & a, Size n, Size d) { return base_diff(a.value(), n, d); },
      nb::arg("a"),
      nb::arg("n") = 1,
      nb::arg("d") = -1,
      doc("base_diff"));
  m.def(
      "diff",
      [](const Any & a, Size n, Size d)
      {
        const Tensor r = diff(a.value(), n, d);
        if (a.type->fixed_base && TensorShapeRef(a.type->base) != r.base_sizes())
          core::fail(
              "diff: dimension ",
              d,
              " of a ",
              a.type->name,
              " is a base dimension, whose size the type fixes. Use base_diff, which returns a "
              "Tensor, or batch_diff.");
        return a.like(r);
      },
      nb::arg("a"),
      nb::arg("n") = 1,
      nb::arg("d") = -1,
      doc("diff"),
      nb::sig("def diff(a: T, n: int = 1, d: int = -1) -> T"));
}

void
bind_spaces(nb::module_ & m)
{
  m.def(
      "batch_linspace",
      [](const Any & start, const Any & end, Size nstep, Size d)
      {
        check_same_type("batch_linspace", start, end);
        return start.like(batch_linspace(start.value(), end.value(), nstep, d));
      },
      nb::arg("start"),
      nb::arg("end"),
      nb::arg("nstep"),
      nb::arg("d") = 0,
      doc("batch_linspace"),
      nb::sig("def batch_linspace(start: T, end: T, nstep: int, d: int = 0) -> T"));
  m.def(
      "base_linspace",
      [](const Any & start, const Any & end, Size nstep, Size d)
      {
        check_same_type("base_linspace", start, end);
        return base_linspace(start.value(), end.value(), nstep, d);
      },
      nb::arg("start"),
      nb::arg("end"),
      nb::arg("nstep"),
      nb::arg("d") = 0,
      doc("base_linspace"),
      nb::sig("def base_linspace(start: T, end: T, nstep: int, d: int = 0) -> "
              "neml2_tensors.tensors.Tensor"));
  m.def(
      "batch_logspace",
      [](const Any & start, const Any & end, Size nstep, Size d, Number base)
      {
        check_same_type("batch_logspace", start, end);
        return start.like(batch_logspace(start.value(), end.value(), nstep, d, base));
      },
      nb::arg("start"),
      nb::arg("end"),
      nb::arg("nstep"),
      nb::arg("d") = 0,
      nb::arg("base") = 10.0,
      doc("batch_logspace"),
      nb::sig(
          "def batch_logspace(start: T, end: T, nstep: int, d: int = 0, base: float = 10) -> T"));
  m.def(
      "base_logspace",
      [](const Any & start, const Any & end, Size nstep, Size d, Number base)
      {
        check_same_type("base_logspace", start, end);
        return base_logspace(start.value(), end.value(), nstep, d, base);
      },
      nb::arg("start"),
      nb::arg("end"),
      nb::arg("nstep"),
      nb::arg("d") = 0,
      nb::arg("base") = 10.0,
      doc("base_logspace"),
      nb::sig("def base_logspace(start: T, end: T, nstep: int, d: int = 0, base: float = 10) -> "
              "neml2_tensors.tensors.Tensor"));
}

using Join = Tensor (*)(const std::vector<Tensor> &, Size);

void
join_batch(nb::module_ & m, const char * name, Join f)
{
  const std::string signature =
      std::string("def ") + name + "(list: collections.abc.Sequence[T], d: int = 0) -> T";
  m.def(
      name,
      [name, f](const Tensors & list, Size d)
      {
        for (const auto & t : list)
          check_same_type(name, list[0], t);
        const Tensor r = f(values(list), d); // throws for an empty list
        return list[0].like(r);
      },
      nb::arg("list"),
      nb::arg("d") = 0,
      doc(name),
      nb::sig(signature.c_str()));
}

void
join_base(nb::module_ & m, const char * name, Join f)
{
  m.def(
      name,
      [f](const Tensors & list, Size d) { return f(values(list), d); },
      nb::arg("list"),
      nb::arg("d") = 0,
      doc(name));
}
} // namespace

void
bind_dimensions(nb::module_ & m)
{
  bind_reductions(m);
  bind_diagonals(m);
  bind_differences(m);
  bind_spaces(m);
  join_batch(m, "batch_cat", batch_cat<std::vector<Tensor>>);
  join_batch(m, "batch_stack", batch_stack<std::vector<Tensor>>);
  join_base(m, "base_cat", base_cat<std::vector<Tensor>>);
  join_base(m, "base_stack", base_stack<std::vector<Tensor>>);
}
} // namespace neml2::python
