// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/vocabulary.h"

#include <neml2/neml2.h>

#include "neml2/kernels/isotropic_functions.h"
#include "neml2/recorded/matrix_functions.h"
#include "neml2/recorded/rules.h"

/// Templates that register functions of kernels/ for formulas of Python, for all types of rows (single tensors) that a function takes.
namespace neml2::python
{
/// All types except SFR4 and WFR4, whose rows are those of SFFR4 and WFFR4.
using RowTypes = engine::Types<Scalar,
                               Vec,
                               Rot,
                               WR2,
                               R2,
                               SR2,
                               R3,
                               SFR3,
                               R4,
                               SSR4,
                               SFFR4,
                               WFFR4,
                               SWR4,
                               WSR4,
                               WWR4,
                               SSFR5,
                               Quaternion>;

void add(const std::string & name, RowFunction f);

template <class A>
const TypeInfo *
type_info()
{
  return &info(nb::type<A>());
}

template <class A>
using recorded_row_t = typename A::template Row<RecordedNumber>;

template <class A>
recorded_row_t<A>
as_kernel(const Row & r)
{
  if constexpr (std::is_same_v<A, Scalar>)
    return r.components[0];
  else
  {
    recorded_row_t<A> row{kernels::Unset()};
    std::copy(r.components.begin(), r.components.end(), row.v);
    return row;
  }
}

/// Appends the result of a kernel to rows. It is a row, a number with or without partials, or a tuple of these.
template <class R>
void
append(Rows & rows, const R & r)
{
  if constexpr (std::is_same_v<R, RecordedNumber> || std::is_same_v<R, recorded::Symbol> ||
                std::is_arithmetic_v<R>)
    rows.push_back({&scalar_type(), {RecordedNumber(r)}});
  else if constexpr (kernels::is_row<R>::value)
  {
    Row row(type_info<engine::batch_of_row_t<R>>(), {});
    for (const auto & x : r.v)
      row.components.push_back(RecordedNumber(x));
    rows.push_back(std::move(row));
  }
  else
    std::apply([&](const auto &... x) { (append(rows, x), ...); }, r);
}

template <class R>
constexpr bool is_rows = std::is_same_v<R, RecordedNumber> || std::is_same_v<R, recorded::Symbol> ||
                         kernels::is_row<R>::value;
template <class... R>
constexpr bool is_rows<std::tuple<R...>> = (is_rows<R> && ...);
template <class A, class B>
constexpr bool is_rows<std::pair<A, B>> = is_rows<A> && is_rows<B>;

template <class... A, class F, size_t... I>
auto
call_kernel(const F & f, const Rows & x, std::index_sequence<I...>)
{
  return f(as_kernel<A>(x[I])...);
}

/// Registers f for arguments of types A, if f can be called with them.
template <class... A, class F>
void
add_for(const char * name, const F & f)
{
  if constexpr (std::is_invocable_v<F, const recorded_row_t<A> &...>)
    if constexpr (is_rows<std::decay_t<std::invoke_result_t<F, const recorded_row_t<A> &...>>>)
      add(name,
          {{type_info<A>()...},
           [f](const Rows & x)
           {
             Rows rows;
             append(rows, call_kernel<A...>(f, x, std::index_sequence_for<A...>()));
             return rows;
           }});
}

template <class F, class... B>
void
add_unary(const char * name, const F & f, engine::Types<B...>)
{
  (add_for<B>(name, f), ...);
}
template <class A, class F, class... B>
void
add_with_first(const char * name, const F & f, engine::Types<B...>)
{
  (add_for<A, B>(name, f), ...);
}
template <class F, class... A>
void
add_binary(const char * name, const F & f, engine::Types<A...> all)
{
  (add_with_first<A>(name, f, all), ...);
}
template <class F, size_t... I>
void
add_of_scalars(const char * name, const F & f, std::index_sequence<I...>)
{
  add_for<std::conditional_t<I != size_t(-1), Scalar, void>...>(name, f);
}

/// Registers f for n rows of all types that it takes (n is 1 or 2).
template <int n, class F>
void
add_of_rows(const char * name, const F & f)
{
  if constexpr (n == 1)
    add_unary(name, f, RowTypes());
  else
    add_binary(name, f, RowTypes());
}
template <int n, class F>
void
add_of_scalars(const char * name, const F & f)
{
  add_of_scalars(name, f, std::make_index_sequence<size_t(n)>());
}
} // namespace neml2::python
