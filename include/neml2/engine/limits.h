// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

namespace neml2::packs
{
}

/// The limits of one pass over memory: operands and dimensions.
namespace neml2::engine
{
using namespace core; // the names of the other folders of include/neml2 that this one uses
using namespace packs;

constexpr int max_dims = 8;       ///< batch dimensions of a fused pass, after merging
constexpr int max_operands = 128; ///< inputs and outputs of one operation
} // namespace neml2::engine
