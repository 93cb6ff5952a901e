// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Evaluator.h"

/// Runs recorded formulas on tiles of rows: one operation after the other, on blocks of rows that stay in the cache.
namespace neml2::recorded
{
/// Rows per block: enough rows that the dispatch of an operation costs little compared with its
/// execution.
constexpr int block_rows = 64;

/// The loop that interprets an Evaluator.
packs::TileLoop interpreter();
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/recorded/interpreter-inl.h"
#endif
