// SPDX-License-Identifier: MIT
#include "neml2/gradients/Rot.h"
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/rotation_distance-inl.h"
#include "neml2/tensors/random_rotations-inl.h"
#include "neml2/tensors/axis_angle-inl.h"
#include "neml2/tensors/Rot-inl.h"

namespace neml2
{
template Rot operator*(const Rot &, const Rot &);
} // namespace neml2

namespace neml2::math
{
template struct ElementwiseOn<Plus, Rot>;
template struct ElementwiseOn<Minus, Rot>;
template struct ElementwiseOn<Times, Rot>;
template struct ElementwiseOn<Over, Rot>;
} // namespace neml2::math
