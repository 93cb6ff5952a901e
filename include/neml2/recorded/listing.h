// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Evaluator.h"

#include <string>

namespace neml2::recorded
{
/// A program as readable text, one operation per line.
std::string listing(const Evaluator & e);
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/recorded/listing-inl.h"
#endif
