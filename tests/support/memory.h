// SPDX-License-Identifier: MIT
#pragma once

#include "support/derivatives.h"

#include <c10/core/Allocator.h>

#include <algorithm>

/// How much memory of LibTorch's allocator for the CPU operations take.
namespace neml2::test
{
/// Counts the bytes that are in use, and the most that were.
class MemoryCount
{
public:
  /// Installs itself under LibTorch's allocator, once, for the rest of the program.
  static MemoryCount & get()
  {
    static MemoryCount count;
    return count;
  }
  int64_t used() const { return _used; }
  int64_t peak() const { return _peak; }
  void forget_peak() { _peak = _used; }

private:
  struct Block
  {
    c10::DataPtr data;
    int64_t bytes;
  };

  class Counting : public c10::Allocator
  {
  public:
    explicit Counting(c10::Allocator * original) : _original(original) {}
    c10::DataPtr allocate_(size_t bytes) const
    {
      c10::DataPtr data = _original->allocate(bytes);
      get().add(int64_t(bytes));
      void * const p = data.get();
      const auto device = data.device();
      return {p, new Block{std::move(data), int64_t(bytes)}, &release, device};
    }
#ifdef NEML2_TEST_OLD_ALLOCATOR
    c10::DataPtr allocate(size_t bytes) const override { return allocate_(bytes); }
#else
    c10::DataPtr allocate(size_t bytes) override { return allocate_(bytes); }
    void copy_data(void * to, const void * from, size_t n) const override { default_copy_data(to, from, n); }
#endif
    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }

  private:
    static void release(void * block)
    {
      auto * const b = static_cast<Block *>(block);
      get().add(-b->bytes);
      delete b;
    }
    c10::Allocator * _original;
  };

  MemoryCount() : _allocator(c10::GetCPUAllocator()) { c10::SetCPUAllocator(&_allocator, 255); }

  void add(int64_t bytes)
  {
    _used += bytes;
    _peak = std::max(_peak, _used);
  }

  Counting _allocator;
  int64_t _used = 0, _peak = 0;
};
} // namespace neml2::test
