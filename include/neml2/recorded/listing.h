// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/interpreter.h"

#include <string>

namespace neml2::recorded
{
/// The program as text for people, one operation per line.
std::string listing(const Evaluator & e);
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // else the library has the bodies
#include "neml2/recorded/listing-inl.h"
#endif
