// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Evaluator.h"

/// The interpreter of recorded formulas. It runs one operation after the other, each on a block of rows (points of a batch), so that the
/// values of a block stay in the cache.
namespace neml2::recorded
{
/// The number of rows per block. It is large enough that selecting an operation costs little compared with running it.
constexpr int block_rows = 64;

/// The tile loop that interprets an Evaluator.
packs::TileLoop interpreter();
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/recorded/interpreter-inl.h"
#endif
