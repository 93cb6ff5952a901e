// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/mandel.h"
#include "neml2/tensors/tensors.h"

namespace neml2::details
{
using neml2::full_to_reduced;
using neml2::reduced_to_full;
} // namespace neml2::details
