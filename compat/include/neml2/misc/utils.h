// SPDX-License-Identifier: MIT
#pragma once

/// The helpers that NEML2 2.0 had directly in namespace neml2.
#include "neml2/math/join.h"
#include "neml2/misc/error.h"
#include "neml2/misc/parser_utils.h"
#include "neml2/misc/types.h"
#include "neml2/tensors/shape_utils.h"

namespace neml2
{
using namespace utils;
} // namespace neml2
