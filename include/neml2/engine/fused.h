// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/operands.h"
#include "neml2/engine/TileSource.h"
#include "neml2/packs/float_tile.h"

/// One pass over the memory of operands and results.
namespace neml2::engine
{
/// A formula for rows (single tensors of a batch), without its C++ types.
struct RowFormula
{
  TileLoop loop;
  const void * object;
  int numbers; ///< the count of numbers that a row reads and writes
  /// The loop for numbers of float32; null for formulas that are always computed in float64.
  TileLoop float_loop = {nullptr, 1};
  /// The formula for devices other than the CPU. An operation of the library has a `source` instead, from which this formula is made.
  const DeviceFormula * on_device = nullptr;
  const TileSource * source = nullptr;
};

template <class Tile, class F>
RowFormula
row_formula(const F & f)
{
  return {tile_loop<Tile>(), &f, Tile::numbers};
}

/// Returns `rows` with `on_device` as the formula for devices other than the CPU.
inline RowFormula
with_device_formula(RowFormula rows, const DeviceFormula & on_device)
{
  rows.on_device = &on_device;
  return rows;
}

/// The RowFormula of an operation of the library, with its source for devices other than the CPU.
template <class Tile, class Op>
RowFormula
row_formula_of_operation(const Op & op)
{
  RowFormula r = row_formula<Tile>(op);
  r.source = &operation_source<Tile, Op>;
  return r;
}

/// The formula of r for devices other than the CPU; null if there is none.
inline const DeviceFormula *
device_formula(const RowFormula & r)
{
  const MakeDeviceFormula make = r.on_device || !r.source ? nullptr : make_device_formula.load();
  return make ? make(*r.source) : r.on_device;
}

/// The RowFormula of a formula f that takes K numbers and returns one number; Tile is its ForwardTile. The formula is computed in float32
/// for tensors of float32.
template <class Tile, int K, class F>
RowFormula
row_formula_in_float32(const F & f)
{
  static_assert(Tile::is_numbers);
  RowFormula r = row_formula<Tile>(f);
  r.float_loop = float_loop<FloatTile<F, K>>();
  return r;
}

/// Evaluates into existing results. Computes nothing and returns false if there is no loop for this machine, or if the batch has too many
/// dimensions for the fused pass.
bool fused_pass_into(const RowFormula & formula,
                     ArrayRef<Operand> operands,
                     TensorShapeRef batch,
                     ArrayRef<at::Tensor> results);

/// Evaluates fusible operands into new tensors, one for each base shape. Returns false if there is no loop for this machine, or if the
/// batch has too many dimensions for the fused pass.
bool fused_pass(const Operation & op,
                const RowFormula & formula,
                ArrayRef<Operand> operands,
                TensorShapeRef batch,
                ArrayRef<TensorShapeRef> bases,
                at::Tensor * results);
} // namespace neml2::engine

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/engine/fused-inl.h"
#endif
