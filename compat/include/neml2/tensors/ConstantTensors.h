// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/mandel.h"

namespace neml2
{
/// The maps and factors of Mandel and skew components, with the default dtype and device, under their
/// names in NEML2 2.0.
class ConstantTensors
{
public:
  static const Tensor & full_to_mandel_map() { return neml2::full_to_mandel_map(); }
  static const Tensor & full_to_mandel_factor() { return neml2::full_to_mandel_factor(); }
  static const Tensor & mandel_to_full_map() { return neml2::mandel_to_full_map(); }
  static const Tensor & mandel_to_full_factor() { return neml2::mandel_to_full_factor(); }
  static const Tensor & full_to_skew_map() { return neml2::full_to_skew_map(); }
  static const Tensor & full_to_skew_factor() { return neml2::full_to_skew_factor(); }
  static const Tensor & skew_to_full_map() { return neml2::skew_to_full_map(); }
  static const Tensor & skew_to_full_factor() { return neml2::skew_to_full_factor(); }
};
} // namespace neml2
