// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"

#ifndef NEML2_ON_DEVICE
#include <exception>
#include <string>
#include <utility>

namespace neml2
{
/// The library's exception, for example for a wrong shape, dtype, device or index, an undefined tensor, or a bad label.
class NEML2_ONE_A_PROGRAM NEMLException : public std::exception
{
public:
  explicit NEMLException(std::string message) : _message(std::move(message)) {}
  const char * what() const noexcept override { return _message.c_str(); }

private:
  std::string _message;
};

/// The exception for an index, a component or a dimension that does not exist.
class NEML2_ONE_A_PROGRAM IndexException : public NEMLException
{
public:
  using NEMLException::NEMLException;
};
} // namespace neml2
#endif
