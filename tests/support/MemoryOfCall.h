// SPDX-License-Identifier: MIT
#pragma once

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <memory>

namespace neml2::test
{
/// The largest number of bytes that a call of one thread holds at once, beyond those allocated
/// before it.
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

  // LibTorch 1 and 2 declare this function differently: only one of the two overrides it, so
  // neither can say `override`.
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
} // namespace neml2::test
