// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"

namespace neml2
{
/// Thrown for a text that should be a number, a shape or a label, but is not.
class NEML2_ONE_A_PROGRAM ParserException : public std::exception
{
public:
  explicit ParserException(std::string message) : _message(std::move(message)) {}
  const char * what() const noexcept override { return _message.c_str(); }

private:
  std::string _message;
};
} // namespace neml2
