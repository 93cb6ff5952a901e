// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"

namespace neml2
{
/// Thrown when text is read that is not a number, shape or label.
class NEML2_ONE_A_PROGRAM ParserException : public std::exception
{
public:
  explicit ParserException(std::string message) : _message(std::move(message)) {}
  const char * what() const noexcept override { return _message.c_str(); }

private:
  std::string _message;
};
} // namespace neml2
