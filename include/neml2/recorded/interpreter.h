// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/forward_tile.h"
#include "neml2/recorded/Code.h"

#include <atomic>
#include <memory>
#include <mutex>

/// Runs recorded formulas on tiles of rows, one operation after the other on blocks that stay in the cache.
namespace neml2::recorded
{
/// Rows in a block: enough that choosing an operation costs little compared with running it.
constexpr int block_rows = 64;

/**
 * A program as tile loops run it; its operands are the arguments, then the results.
 *
 * It is interpreted until its source has been compiled to a loop of its own. The interpreter has one Code per set of
 * arguments that all rows of a tile share, made when first needed.
 */
class Evaluator
{
public:
  /// With adds_up, a result of stride 0 is the sum over the tile; without it, the value of any row.
  Evaluator(const Recording & r, Program p, bool adds_up = false)
    : program(std::move(p)), operations(r, program), sums(adds_up)
  {
  }

  const Program program;
  const Operations operations;
  const bool sums;

  /// The loop that runs this program; this object is the formula that it gets.
  packs::TileLoop loop() const;
  /// From now on another loop runs this, also where it is running.
  void set_compiled(packs::TileLoop loop) const { _compiled.store(new packs::TileLoop(loop)); }
  bool is_compiled() const { return _compiled.load() != nullptr; }

  /// The code for tiles whose operands have these strides from row to row, and packs of `width` rows.
  const Code & code(const int64_t * stride, int width) const;
  /// The count of numbers that a row reads and writes.
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
