// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/TileFormula.h"

#include "neml2/recorded/tile_source.h"

namespace neml2::engine
{
/// The name of a kernel: the operation, or the beginning of the formula's text, and which results are
/// computed.
NEML2_BODY std::string
kernel_name(const recorded::TileText & t)
{
  constexpr size_t most = 60;
  std::string name = t.formula.text;
  if (name.size() > most)
    name = name.substr(0, most) + " ...";
  const auto listed = [](const recorded::List<size_t> & places)
  {
    std::string s;
    for (const size_t k : places)
      s += (s.empty() ? "" : ", ") + std::to_string(k);
    return s;
  };
  if (t.kind == recorded::TileText::Kind::jacobian)
    name += ": value, and Jacobian of " + listed(t.of) + " by " + listed(t.by);
  if (t.kind == recorded::TileText::Kind::gradient)
    name += ": gradient by " + listed(t.by);
  return name;
}

NEML2_BODY
TileFormula::TileFormula(const TileSource & tile)
  : KernelFormula(kernel_name(tile.text)), _text(tile.text)
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

/// Registers tile_formula: header-only programs need only include this header.
NEML2_ONE_A_PROGRAM inline const bool makes_tile_formulas = []
{
  make_device_formula = tile_formula;
  return true;
}();
} // namespace neml2::engine
