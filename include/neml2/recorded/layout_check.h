// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/KernelArguments.h"

#include <string>

namespace neml2::recorded
{
/// The text of an assertion for sources. A source does not compile if its headers lay out the arguments of kernels differently from this
/// program.
inline std::string
layout_check()
{
  return "static_assert(sizeof(neml2::recorded::KernelArguments<1>) == " +
         std::to_string(sizeof(KernelArguments<1>)) +
         " && neml2::recorded::block_size == " + std::to_string(block_size) +
         ", \"these headers belong to another version than the program\");\n";
}
} // namespace neml2::recorded
