// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/errors.h"

#include <sstream>

namespace neml2
{
/// Thrown for a label that does not exist.
class NEML2_ONE_A_PROGRAM LabelException : public NEMLException
{
public:
  using NEMLException::NEMLException;
};

/// Thrown for a singular matrix whose inverse is needed.
class NEML2_ONE_A_PROGRAM SingularException : public NEMLException
{
public:
  using NEMLException::NEMLException;
};

/// Thrown if memory cannot be allocated.
class NEML2_ONE_A_PROGRAM OutOfMemoryException : public NEMLException
{
public:
  using NEMLException::NEMLException;
};

namespace core
{
/// Throws an exception of this class, whose message is the parts, one after the other.
template <class Exception, class... Parts>
[[noreturn]] NEML2_COLD void
fail_as(const Parts &... parts)
{
  std::ostringstream message;
  ((message << parts), ...);
  throw Exception(message.str());
}

/// Throws a NEMLException whose message is the parts, one after the other.
template <class... Parts>
[[noreturn]] NEML2_COLD void
fail(const Parts &... parts)
{
  fail_as<NEMLException>(parts...);
}
} // namespace core

/// Throws NEMLException, whose message is the parts, unless `ok` is true.
template <class... Parts>
void
neml_assert(bool ok, const Parts &... parts)
{
  if (!ok)
    core::fail(parts...);
}

/// Another name for neml_assert, from NEML2's documentation.
template <class... Parts>
void
neml2_assert(bool ok, const Parts &... parts)
{
  neml_assert(ok, parts...);
}

#ifdef NDEBUG
#define NEML2_DEBUG_ASSERTIONS false
#else
#define NEML2_DEBUG_ASSERTIONS true
#endif

/// neml_assert in translation units without NDEBUG; with NDEBUG it does nothing. The flag is a template argument, so
/// that translation units of both kinds can be linked together.
template <bool Active = NEML2_DEBUG_ASSERTIONS, class... Parts>
void
neml_assert_dbg([[maybe_unused]] bool ok, [[maybe_unused]] const Parts &... parts)
{
  if constexpr (Active)
    neml_assert(ok, parts...);
}
} // namespace neml2

/// Checks for a mistake of the caller, in every build. The message gives the operation that failed, the values, what was
/// expected and what to do; it is composed only on failure.
#define NEML2_CHECK(ok, ...) NEML2_CHECK_AS(::neml2::NEMLException, ok, __VA_ARGS__)

/// NEML2_CHECK with a more specific exception, for example IndexException.
#define NEML2_CHECK_AS(exception, ok, ...)                                                         \
  do                                                                                               \
  {                                                                                                \
    if (!(ok))                                                                                     \
      ::neml2::core::fail_as<exception>(__VA_ARGS__);                                              \
  } while (false)
