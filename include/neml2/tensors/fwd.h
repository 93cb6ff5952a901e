// SPDX-License-Identifier: MIT
#pragma once

/// Every tensor type by name, for headers that only mention it.
namespace neml2
{
class Tensor;
class Scalar;
class Vec;
class Rot;
class R2;
class R3;
class SR2;
class SSR4;
} // namespace neml2
