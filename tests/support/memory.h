// SPDX-License-Identifier: MIT
#pragma once

#include "support/guards.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <iostream>

/// How much memory operations and their gradients take at most, as LibTorch's allocator reports it.
namespace neml2::test
{
/// The bytes that a call of one thread holds at once, beyond those it found.
class MemoryOfCall : public c10::MemoryReportingInfoBase
{
public:
  template <class F>
  static int64_t most(const F & f)
  {
    const auto memory = std::make_shared<MemoryOfCall>();
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, memory);
    f();
    return memory->_most;
  }

  // As LibTorch 1 and 2 declare it; one of the two overrides, so that none can say so.
  void reportMemoryUsage(void *, int64_t bytes, int64_t, int64_t, c10::Device) { add(bytes); }
  void reportMemoryUsage(void *, int64_t bytes, size_t, size_t, c10::Device) { add(bytes); }
  bool memoryProfilingEnabled() const { return true; }

private:
  void add(int64_t bytes)
  {
    _used += bytes;
    _most = std::max(_most, _used);
  }
  int64_t _used = 0, _most = 0;
};

inline int64_t
bytes(const Arguments & tensors)
{
  int64_t n = 0;
  for (const auto & t : tensors)
    if (t.defined())
      n += int64_t(t.nbytes());
  return n;
}

/// A line of the table of what operations hold.
inline void
print_held(const Operation & op, const std::string & what, int64_t held, int64_t given)
{
  std::cout << op.name << what << ": " << double(held) / (1 << 20) << " MB for "
            << double(given) / (1 << 20) << "\n";
}

/// An operation and its gradients hold no more, beside the arguments, than what they give and the arguments once
/// more, which a test may bring into its domain, or the results, which it may join: no gradient a row by an
/// argument that all rows share.
inline Verdict
holds_little(const Operation & op)
{
  constexpr int64_t numbers = 1 << 19, little = 3 << 20;
  if (op.name == "eigh")
    return {}; // gives two results, of which a test knows one
  int64_t components = 1;
  for (const auto & base : op.base)
    components = std::max(components, utils::numel(base));
  components = std::max(components, utils::numel(op.call(arguments(op, {{1}})).base_sizes()));
  const int64_t rows = numbers / components;
  std::vector<Batches> all{{{rows}}};
  for (size_t k = 0; op.count() > 1 && k < op.count(); k++)
  {
    Batches one_shared(op.count(), TensorShape{rows});
    one_shared[k] = {};
    all.push_back(one_shared);
  }
  for (const auto & batches : all)
  {
    const auto a = arguments(op, batches);
    at::Tensor y;
    const int64_t forward = MemoryOfCall::most([&] { y = op.call(a); });
    print_held(op, "", forward, bytes({y}));
    if (forward > bytes({y}) + std::max(bytes(a), bytes({y})) + little)
      return no(op.name, " holds ", forward, " bytes for ", bytes({y}), " of", describe(a));
    if (!y.is_floating_point())
      continue;
    const at::AutoGradMode grad(true);
    for (size_t k = 0; k < a.size(); k++)
    {
      Arguments x(a);
      x[k] = a[k].detach().requires_grad_();
      const at::Tensor z = op.call(x);
      if (!z.grad_fn() || z.grad_fn()->name() != op.name + "Backward")
        break;
      const auto weight = at::rand_like(z.detach());
      Arguments g;
      const int64_t backward =
          MemoryOfCall::most([&] { g = torch::autograd::grad({z}, {x[k]}, {weight}, true); });
      print_held(op, ", gradient by argument " + std::to_string(k), backward, bytes(g));
      if (backward > bytes(g) + bytes(a) + bytes({weight}) + little)
        return no("The gradient by argument ",
                  k,
                  " of ",
                  op.name,
                  " holds ",
                  backward,
                  " bytes for ",
                  bytes(g),
                  " of",
                  describe(a));
    }
  }
  return {};
}
} // namespace neml2::test
