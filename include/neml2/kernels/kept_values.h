// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/numbers.h"

#include <tuple>

namespace neml2::kernels
{
/// Whether values of type T are kept. A recording (the list of operations of a formula) keeps its numbers itself, and a device has no
/// thread-local variables.
template <class T>
#ifdef NEML2_ON_DEVICE
constexpr bool keeps_values = false;
#else
constexpr bool keeps_values = is_computed<typename innermost_number<T>::type>;
#endif

/**
 * Values of type T that a formula computes without derivatives. Each pass over the formula computes one part of the derivatives, and
 * these values are the same in each pass. The first pass keeps the costly values, and the other passes reuse them in the same order.
 */
template <class T, bool keeps = keeps_values<T>>
class KeptValues
{
public:
  NEML2_INLINE void next_pass() {}

  /// f(), a std::tuple of scalars and tensors of numbers T.
  template <class F>
  NEML2_CALLS_FORMULA static auto once(const F & f)
  {
    return f();
  }
};
#ifndef NEML2_ON_DEVICE // the device's compiler rejects the variable even where the class is not used
template <class T>
class KeptValues<T, true>
{
public:
  NEML2_INLINE KeptValues() : _outer(_now) { _now = this; }
  KeptValues(const KeptValues &) = delete;
  KeptValues & operator=(const KeptValues &) = delete;
  NEML2_INLINE ~KeptValues() { _now = _outer; }

  NEML2_INLINE void next_pass()
  {
    _kept = _next;
    _next = 0;
  }

  template <class F>
  NEML2_CALLS_FORMULA static auto once(const F & f)
  {
    using R = decltype(f());
    static_assert(number_count<R> <= size);
    KeptValues * const now = _now;
    const int place = now == nullptr ? most : now->_next;
    int k = 0;
    R r;
    if (place < most && place < now->_kept)
      for_each_number(r, [&](T & c) NEML2_INLINE_LAMBDA { c = now->_numbers[place][k++]; });
    else
    {
      r = f(); // written once, because the call is inlined
      if (place < most)
        for_each_number(r, [&](const T & c) NEML2_INLINE_LAMBDA { now->_numbers[place][k++] = c; });
    }
    if (place < most)
      now->_next = place + 1; // even if f itself kept values
    return r;
  }

private:
  static constexpr int most = 4,
                       size = 7; // the value and the slope of a function of a symmetric tensor
  T _numbers[most][size];
  int _next = 0, _kept = 0;
  KeptValues * const _outer;
  inline static thread_local KeptValues * _now = nullptr;
};
#endif
} // namespace neml2::kernels
