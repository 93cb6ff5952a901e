// SPDX-License-Identifier: MIT
#pragma once

#include "support/MemoryOfCall.h"
#include "support/guards.h"

#include <algorithm>
#include <iostream>

/// How much memory operations and their gradients take at most, as LibTorch's allocator reports it.
namespace neml2::test
{
inline int64_t
bytes(const Arguments & tensors)
{
  int64_t n = 0;
  for (const auto & t : tensors)
    if (t.defined())
      n += int64_t(t.nbytes());
  return n;
}

/// A line of the table of the memory that operations hold.
inline void
print_held(const Operation & op, const std::string & what, int64_t held, int64_t given)
{
  std::cout << op.name << what << ": " << double(held) / (1 << 20) << " MB for "
            << double(given) / (1 << 20) << "\n";
}

/// Besides the arguments, an operation and its gradients hold at most their results, and one copy of the
/// arguments (which a test may map into its domain) or of the results (which it may join). So no gradient per
/// row exists for an argument that all rows share.
inline Verdict
holds_little(const Operation & op)
{
  constexpr int64_t numbers = 1 << 18, little = 3 << 19;
  if (op.name == "eigh" || op.name == "linalg::slogdet")
    return {}; // they have two results, and the test sees one; slogdet holds the factors, too
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
