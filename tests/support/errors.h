// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/operands.h"

#include <sstream>
#include <string>

namespace neml2::test
{
/// The message of the NEMLException that f throws; if f throws something else or nothing, a text
/// that says so.
template <class F>
std::string
error_of(const F & f)
{
  try
  {
    f();
  }
  catch (const NEMLException & e)
  {
    return e.what();
  }
  catch (const std::exception & e)
  {
    return std::string("not a NEMLException: ") + e.what();
  }
  return "no error";
}

/// The text that operator<< prints.
template <class T>
std::string
printed(const T & t)
{
  std::ostringstream os;
  os << t;
  return os.str();
}

/// Type and shape as in messages: SR2 (1000, 2; 6)
template <class T>
std::string
described(const T & t)
{
  return printed(core::operand(t));
}
} // namespace neml2::test
