// SPDX-License-Identifier: MIT
#include "support/cuda.h"

#include <iostream>

namespace neml2::test
{
bool
without_cuda()
{
  struct Count
  {
    int skipped = 0;
    ~Count()
    {
      if (skipped > 0)
        std::cout << "[cuda] " << skipped << " checks skipped: no GPU\n";
    }
  };
  static Count count;
  if (at::hasCUDA())
    return false;
  count.skipped++;
  return true;
}

Verdict
same_on_cuda(const Operation & op)
{
  if (without_cuda())
    return {};
  for (const auto dtype : {at::kDouble, at::kFloat})
    for (const auto & batches : batches_for(op))
    {
      const double tolerance = dtype == at::kDouble ? 1e-11 : 1e-4;
      const auto a = arguments(op, batches, dtype);
      Arguments gpu;
      for (const auto & t : a)
        gpu.push_back(t.to(at::kCUDA));
      const auto expected = op.call(a), result = op.call(gpu);
      if (!result.is_cuda())
        return no(op.name, " leaves the GPU for", describe(a));
      if (const auto d = difference(result.cpu(), expected, tolerance); !d.empty())
        return no(op.name, " on the GPU and on the CPU gives ", d, " for", describe(a));
    }
  return {};
}
} // namespace neml2::test
