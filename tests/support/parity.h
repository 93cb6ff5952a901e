// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/formula.h"
#include "support/operation.h"

#include <ATen/core/grad_mode.h>

/// Whether the fused loop and the composed ATen calls give the same results.
namespace neml2::test
{
/// How the entries of an argument lie in memory.
enum class Layout
{
  contiguous,
  transposed_base,
  transposed_batch,
  base_outermost,
  expanded,
  sliced
};

constexpr int layouts = 6;

/// The values of t in this layout; in expanded layouts the first entry of the batch repeats.
at::Tensor lay_out(Layout layout, const at::Tensor & t, size_t base_dim);

/// During the lifetime of this object, operations whose gradients are recorded take the composed
/// path, as in a program without derivative rules.
class WithoutGradientRules
{
public:
  WithoutGradientRules()
    : _recorder(engine::record_gradient.exchange(nullptr)),
      _recorded(math::with_recorded_gradients.exchange(nullptr))
  {
  }
  ~WithoutGradientRules()
  {
    engine::record_gradient.store(_recorder);
    math::with_recorded_gradients.store(_recorded);
  }
  WithoutGradientRules(const WithoutGradientRules &) = delete;
  WithoutGradientRules & operator=(const WithoutGradientRules &) = delete;

private:
  engine::RecordGradient _recorder;
  const math::WithRecordedGradients * _recorded;
};

/// The fused and the composed path are both taken, each where it should be, and agree for all
/// dtypes, batch shapes and layouts in memory.
Verdict same_on_both_paths(const Operation & op);

/// The same check for a function of tensors of types T..., for example same_on_both_paths<SR2>(dev).
template <class First, class... T, class F>
Verdict
same_on_both_paths(const F & f)
{
  return same_on_both_paths(operation<First, T...>("The operation", core::Accepts::floating, f));
}
} // namespace neml2::test
