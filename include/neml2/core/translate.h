// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Operand.h"

#include <optional>
#include <stdexcept>
#include <string_view>

/// Translates errors of LibTorch into exceptions of this library, which name the operation.
namespace neml2::core
{
/// Throws OutOfMemoryException, because LibTorch could not allocate memory for an operation on these operands.
[[noreturn]] NEML2_COLD inline void
fail_out_of_memory(const char * where, const c10::Error & e, ArrayRef<Operand> o)
{
  const char * const what = e.what_without_backtrace();
  if (o.empty())
    fail_as<OutOfMemoryException>(where, ": ", what);
  fail_as<OutOfMemoryException>(where, ": ", what, ". The operands are ", OperandsText{o}, ".");
}

/// Calls an operation of LibTorch; its errors become a NEMLException that names the operation.
inline void
call_translated(const char * where, c10::function_ref<void()> f, ArrayRef<Operand> operands = {})
{
  try
  {
    f();
  }
  catch (const c10::OutOfMemoryError & e)
  {
    fail_out_of_memory(where, e, operands);
  }
  catch (const c10::IndexError & e)
  {
    fail_as<IndexException>(where, ": ", e.what_without_backtrace());
  }
  catch (const c10::LinAlgError & e)
  {
    fail_as<SingularException>(where, ": ", e.what_without_backtrace());
  }
  catch (const c10::Error & e)
  {
    const std::string_view what = e.what_without_backtrace();
    if (what.find("allocate memory") != what.npos || what.find("enough memory") != what.npos ||
        what.find("Storage size calculation overflowed") != what.npos)
      fail_out_of_memory(where, e, operands);
    fail(where, ": ", what);
  }
  catch (const std::runtime_error & e) // LibTorch 1 throws it for some shapes
  {
    fail(where, ": ", e.what());
  }
}

/// Returns the result of an operation of LibTorch, and translates its errors.
template <class F>
auto
translate_errors(const char * where, const F & f, ArrayRef<Operand> operands = {})
{
  using Result = decltype(f());
  if constexpr (std::is_void_v<Result>)
    call_translated(where, f, operands);
  else
  {
    std::optional<Result> result;
    call_translated(
        where, [&] { result.emplace(f()); }, operands);
    return *std::move(result);
  }
}
} // namespace neml2::core
