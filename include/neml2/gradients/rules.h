// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/formula.h"
#include "neml2/engine/slabs.h"
#include "neml2/math/autograd.h"
#include "neml2/tensors/fwd.h"

#include <algorithm>

/// Derivative rules of operations, in the form in which the library's autograd node calls them.
namespace neml2::gradients
{
using namespace core; // the namespaces of the folders whose headers this folder includes
using namespace packs;
using namespace engine;
using namespace math;
using namespace tensors;

/// Computes the gradients of an operation with its derivative rule. The rule has one function per argument, and nullptr for a plain
/// number. Each function takes all arguments and the gradient with respect to the result, as batches or slabs of batches, and returns
/// the gradient with respect to its argument. Autograd can record the operations of the function, for derivatives of the gradient.
template <class Result, class Arguments, class Functions>
class RuleGradient;
template <class Result, class... A, class... Functions>
class RuleGradient<Result, Types<A...>, Types<Functions...>> : public Gradient
{
  static_assert(sizeof...(A) == sizeof...(Functions), "a rule needs a function for each argument");

public:
  explicit RuleGradient(const char * operation, const Functions &... f)
    : _name(std::string(operation) + "Backward"), _functions(f...)
  {
  }
  const char * name() const override { return _name.c_str(); }
  bool backward(ArrayRef<at::Tensor> results,
                ArrayRef<at::Tensor> arguments,
                ArrayRef<bool> needed,
                at::Tensor * gradients) const override
  {
    backward(Result(results[0]), arguments, needed, gradients, std::index_sequence_for<A...>());
    return true;
  }
  void compose(ArrayRef<at::Tensor>, at::Tensor *) const override {} // never called

private:
  template <class T>
  static constexpr Size numbers_of()
  {
    if constexpr (is_primitive<T>)
      return T::const_base_numel;
    else
      return 1;
  }
  static constexpr Size numbers = std::max({numbers_of<Result>(), numbers_of<A>()...});

  /// The part of an argument in slab s of the batch.
  template <class T>
  static T of(const Slabs & slabs, const T & x, Size s)
  {
    if constexpr (std::is_arithmetic_v<T>)
      return x;
    else
      return slabs.count == 1 ? x : T(slabs.of(x, x.batch_dim(), s));
  }

  template <size_t... I>
  void backward(const Result & g,
                ArrayRef<at::Tensor> arguments,
                ArrayRef<bool> needed,
                at::Tensor * gradients,
                std::index_sequence<I...>) const
  {
    const std::tuple<A...> a(kept_argument<A>(arguments[I])...);
    const Operand o[] = {operand(g), operand(std::get<I>(a))...};
    // While autograd records a graph, it needs operations on whole batches, so batches are not cut into slabs.
    const bool may_cut = !c10::GradMode::is_enabled() && choose_path(o) != Path::composed;
    const auto one = [&](const auto & f, size_t k)
    {
      if constexpr (!std::is_null_pointer_v<std::decay_t<decltype(f)>>)
        if (needed[k])
        {
          const Slabs slabs(o[0].batch(), o[k + 1].batch(), numbers);
          gradients[k] =
              may_cut && slabs.dim != 0
                  ? sum_of_slabs(
                        slabs,
                        arguments[k],
                        o[k + 1].batch_dim,
                        [&](Size s)
                        { return at::Tensor(f(of(slabs, g, s), of(slabs, std::get<I>(a), s)...)); })
                  : at::Tensor(f(g, std::get<I>(a)...)).sum_to_size(arguments[k].sizes());
        }
    };
    (one(std::get<I>(_functions), I), ...);
  }

  std::string _name;
  std::tuple<Functions...> _functions;
};

/// Adds a rule to the operation on arguments of types A, unless another shared library has already added it; see
/// tensors/gradients.h.
template <class Op, class Result, class... A, class... Functions>
bool
add_gradient_rule(const Functions &... f)
{
  if constexpr (((std::is_arithmetic_v<A> || has_rows<A>)&&...))
    static_assert(std::is_invocable_v<const Op &, const row_t<A, Pack<1>> &...>,
                  "the operation has no formula for these types");
  using Rule = RuleGradient<Result, Types<A...>, Types<Functions...>>;
  auto & rule = gradient_rule<Op, A...>;
  const std::shared_ptr<const Gradient> * none = nullptr;
  if (!rule.load())
  {
    auto * const made = new std::shared_ptr<const Gradient>(std::make_shared<Rule>(Op::name, f...));
    if (!rule.compare_exchange_strong(none, made)) // never freed: it lives as long as the program
      delete made;
  }
  return true;
}
} // namespace neml2::gradients

#ifndef NEML2_COMPILED // otherwise the compiled library contains autograd's node
#include "neml2/engine/autograd.h"
#endif
