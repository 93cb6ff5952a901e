// SPDX-License-Identifier: MIT
#include "neml2/gradients/Quaternion.h"
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/Quaternion-inl.h"

namespace neml2
{
template Quaternion::Quaternion(const Rot &);
template Quaternion operator*(const Quaternion &, const Quaternion &);
} // namespace neml2

namespace neml2::math
{
template struct ElementwiseOn<Plus, Quaternion>;
template struct ElementwiseOn<Minus, Quaternion>;
template struct ElementwiseOn<Times, Quaternion>;
template struct ElementwiseOn<Over, Quaternion>;
} // namespace neml2::math
