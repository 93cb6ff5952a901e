// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/forward_tile.h"
#include "neml2/recorded/Code.h"

#include <atomic>
#include <memory>
#include <mutex>

/// Runs recorded formulas on tiles of rows, an operation after the other on blocks that stay in the cache.
namespace neml2::recorded
{
/// Rows in a block: enough that choosing what to do costs little beside doing it.
constexpr int block_rows = 64;

/**
 * A program as tile loops run it; its operands are the arguments, then the results.
 *
 * It is interpreted: for each choice of which arguments all rows of a tile share, there is a code, made when it is first met.
 * Or its source has been compiled to a loop of its own.
 */
class Evaluator
{
public:
  /// With `sums`, a result that does not move from row to row is the sum over the tile, else any row's.
  Evaluator(const Recording & r, Program p, bool adds_up = false)
    : program(std::move(p)), operations(r, program), sums(adds_up)
  {
  }

  const Program program;
  const Operations operations;
  const bool sums;

  /// The loop that runs it, to which it is the formula.
  packs::TileLoop loop() const;
  /// Has another loop run it from now on, also where it is running.
  void set_compiled(packs::TileLoop loop) const { _compiled.store(new packs::TileLoop(loop)); }
  bool is_compiled() const { return _compiled.load() != nullptr; }

  /// For tiles whose operands have these strides from row to row, and packs of so many rows.
  const Code & code(const int64_t * stride, int width) const;
  /// How many numbers a row reads and writes.
  int numbers() const;

private:
  struct Known
  {
    std::vector<bool> is_shared;
    int width;
    Code code;
  };
  mutable std::atomic<const packs::TileLoop *> _compiled{
      nullptr}; ///< never freed: calls may be reading it
  mutable std::mutex _mutex;
  mutable std::vector<std::unique_ptr<const Known>> _known;
};

/// The loop that interprets an Evaluator.
packs::TileLoop interpreter();

inline packs::TileLoop
Evaluator::loop() const
{
  const packs::TileLoop * const compiled = _compiled.load();
  return compiled ? *compiled : interpreter();
}
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // else the library has the bodies
#include "neml2/recorded/interpreter-inl.h"
#endif
