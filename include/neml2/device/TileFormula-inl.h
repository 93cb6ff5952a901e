// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/TileFormula.h"

#include "neml2/recorded/tile_source.h"

namespace neml2::device
{
NEML2_BODY
TileFormula::TileFormula(const TileSource & tile) : KernelFormula(tile.text.text), _text(tile.text)
{
}

NEML2_BODY std::string
TileFormula::source(bool is_float) const
{
  return recorded::cuda_source(_text, is_float);
}

NEML2_BODY const DeviceFormula *
tile_formula(const TileSource & tile)
{
  const DeviceFormula * known = tile.formula.load();
  if (known)
    return known;
  auto made = std::make_unique<const TileFormula>(tile);
  return tile.formula.compare_exchange_strong(known, made.get()) ? made.release() : known;
}

/// Registers tile_formula when a header-only program includes this header.
NEML2_ONE_A_PROGRAM inline const bool makes_tile_formulas = []
{
  make_device_formula = tile_formula;
  return true;
}();
} // namespace neml2::device
