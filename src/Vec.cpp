// SPDX-License-Identifier: MIT
#include "neml2/gradients/Vec.h"
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/Vec-inl.h"

namespace neml2
{
template Vec cross(const Vec &, const Rot &);
template Vec cross(const Vec &, const WR2 &);
template Vec cross(const Rot &, const Vec &);
template Vec cross(const Rot &, const Rot &);
template Vec cross(const Rot &, const WR2 &);
template Vec cross(const WR2 &, const Vec &);
template Vec cross(const WR2 &, const Rot &);
template Vec cross(const WR2 &, const WR2 &);
template R2 outer(const Vec &, const Rot &);
template R2 outer(const Vec &, const WR2 &);
template R2 outer(const Rot &, const Vec &);
template R2 outer(const Rot &, const Rot &);
template R2 outer(const Rot &, const WR2 &);
template R2 outer(const WR2 &, const Vec &);
template R2 outer(const WR2 &, const Rot &);
template R2 outer(const WR2 &, const WR2 &);
} // namespace neml2

namespace neml2::math
{
template struct ElementwiseOn<Plus, Vec>;
template struct ElementwiseOn<Minus, Vec>;
template struct ElementwiseOn<Times, Vec>;
template struct ElementwiseOn<Over, Vec>;
} // namespace neml2::math
