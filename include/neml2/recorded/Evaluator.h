// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/forward_tile.h"
#include "neml2/recorded/Code.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace neml2::recorded
{
/// Returns the loop that interprets programs. It is set by recorded/interpreter.h, or by the compiled library. Without it only compiled
/// programs run in loops.
NEML2_ONE_A_PROGRAM inline std::atomic<packs::TileLoop (*)()> loop_of_interpreter{nullptr};

/**
 * A program in the form in which tile loops run it (a tile consists of many rows, the points of a batch). Its operands are the arguments,
 * then the results.
 *
 * The program is interpreted until its source has been compiled to a separate loop. The interpreter has one Code for each set of
 * arguments that all rows of a tile share; the Code is made when first needed.
 */
class Evaluator
{
public:
  /// With adds_up, a result of stride 0 is the sum over the rows of a tile. Otherwise it is the value of one of the rows.
  Evaluator(const Recording & r, Program p, bool adds_up = false)
    : program(std::move(p)), operations(r, program), sums(adds_up)
  {
  }

  const Program program;
  const Operations operations;
  const bool sums;

  /// The loop that runs this program; the loop takes this Evaluator as its formula.
  packs::TileLoop loop() const;
  /// From now on loop() returns this compiled loop instead of the interpreter. Other threads may be running the program.
  void set_compiled(packs::TileLoop loop) const { _compiled.store(new packs::TileLoop(loop)); }
  bool is_compiled() const { return _compiled.load() != nullptr; }

  /// The code for packs of `width` rows and for tiles whose operands have these strides from row to row.
  const Code & code(const int64_t * stride, int width) const;
  /// How many numbers are read and written per row.
  int numbers() const
  {
    size_t n = 0;
    for (const auto * group : {&program.arguments, &program.results})
      for (const auto & c : *group)
        n += c.size();
    return int(n);
  }

private:
  struct Known
  {
    std::vector<bool> is_shared;
    int width;
    Code code;
  };
  mutable std::atomic<const packs::TileLoop *> _compiled{
      nullptr}; ///< never freed: running calls may be reading it
  mutable std::mutex _mutex;
  mutable std::vector<std::unique_ptr<const Known>> _known;
};

inline packs::TileLoop
Evaluator::loop() const
{
  if (const packs::TileLoop * const compiled = _compiled.load())
    return *compiled;
  const auto interpreter = loop_of_interpreter.load();
  return interpreter ? interpreter() : packs::TileLoop{nullptr, 1};
}
} // namespace neml2::recorded
