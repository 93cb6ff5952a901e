// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/KernelFormula.h"
#include "neml2/engine/TileSource.h"

/// Kernels for devices, made from the texts of operations.
namespace neml2::device
{
/// An operation's tile (the code that evaluates it on rows) as a kernel.
class TileFormula : public KernelFormula
{
public:
  /// Keeps a reference to the tile, which must exist until the program ends.
  explicit TileFormula(const TileSource & tile);
  std::string source(bool is_float) const override;

private:
  const recorded::TileText & _text;
};

/// The TileFormula of a tile.
const DeviceFormula * tile_formula(const TileSource & tile);
} // namespace neml2::device

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/device/TileFormula-inl.h"
#endif
