// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/evaluate.h"

#include <functional>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

/// Type-erased operations, so that each check of them is compiled only once: it is declared in a header and
/// defined in the .cpp file of that name.
namespace neml2::test
{
/// The outcome of a check: yes, or no with the reason, which REQUIRE prints.
struct Verdict
{
  std::string problem;

  explicit operator bool() const { return problem.empty(); }
};

inline std::ostream &
operator<<(std::ostream & os, const Verdict & v)
{
  return os << (v.problem.empty() ? "yes" : v.problem);
}

template <class... Parts>
Verdict
no(const Parts &... parts)
{
  std::ostringstream s;
  (s << ... << parts);
  return {s.str()};
}

using Arguments = std::vector<at::Tensor>;
using Formula = std::function<at::Tensor(const Arguments &)>;

/// The checks of support/battery.h.
enum class Check
{
  reference,         ///< agrees_with_reference
  both_paths,        ///< same_on_both_paths
  rule,              ///< gradients_are_fused_and_right
  first_derivative,  ///< first_derivatives_are_right
  second_derivative, ///< second_derivatives_are_right
  meta,              ///< gives_shapes_on_meta
  refusals,          ///< refuses_bad_operands
  integers,          ///< is_exact_on_integers, where the operation is defined for them
  device             ///< same_on_device
};
using Checks = std::set<Check>;

/// An operation of the library on tensors of the types it takes.
struct Operation
{
  std::string name; ///< the beginning of its error messages
  core::Accepts accepts;
  std::vector<TensorShape> base; ///< the base shape of each argument
  std::function<Tensor(const Arguments &)> call;
  std::function<bool(const Arguments &)> fuses;
  Formula expected; ///< the result in plain ATen, for arguments of equal batch shapes
  Checks left_out;  ///< checks that do not apply to it

  size_t count() const { return base.size(); }

  /// The operation without these checks, which do not apply to it.
  Operation without(const Checks & checks) const;
};

using Table = std::vector<Operation>;

/// The operations of a table without these checks, which do not apply to them.
Table without(const Checks & checks, const Table & table);

/// One table of several.
Table together(const std::vector<Table> & tables);

/// g of the arguments as tensors of types T...
template <class... T, class G, size_t... I>
auto
apply_as(const Arguments & a, const G & g, std::index_sequence<I...>)
{
  return g(T(a.at(I))...);
}

/// f takes a T..., for example operation<SR2, R2>("rotate", floating, [](const SR2 & s, const R2 & R) { ... }, ...)
template <class... T, class F>
Operation
operation(std::string name, core::Accepts accepts, const F & f, Formula expected = {})
{
  constexpr auto all = std::index_sequence_for<T...>();
  return {std::move(name),
          accepts,
          {T::const_base_sizes...},
          [=](const Arguments & a) { return Tensor(apply_as<T...>(a, f, all)); },
          [=](const Arguments & a)
          {
            return apply_as<T...>(
                a, [](const T &... t) { return engine::can_fuse(t...); }, all);
          },
          std::move(expected),
          {}};
}

/// Batch shapes of an operation's arguments: argument k has element k % size.
using Batches = std::vector<TensorShape>;

/// Batch shapes that are all equal, and for more than one argument also pairs that broadcast.
std::vector<Batches> batches_for(const Operation & op);

/// Values for which any operation is defined, from numbers u within (0, 1): matrices are far from
/// singular, scalars within (0.1, 0.4).
at::Tensor likeable(const at::Tensor & u, TensorShapeRef base);

/// The same for random numbers u.
at::Tensor values(TensorShapeRef batch, TensorShapeRef base, Dtype dtype);

Arguments arguments(const Operation & op, const Batches & batches, Dtype dtype = at::kDouble);

/// The batch shape that the arguments broadcast to, as right-aligned shapes do.
TensorShape common_batch(const Operation & op, const Arguments & a);

/// A text that says how two tensors differ; empty if they are the same.
std::string difference(const at::Tensor & a, const at::Tensor & b, double tolerance);

std::string describe(const Arguments & a);

/// The operation computes what is expected, for all batch shapes.
Verdict agrees_with_reference(const Operation & op);

/// The operation gives tensors of the right shapes on the meta device, which has no values.
Verdict gives_shapes_on_meta(const Operation & op);

/// Integers give the integers that the same values as float64 give.
Verdict is_exact_on_integers(const Operation & op);
} // namespace neml2::test
