// SPDX-License-Identifier: MIT
#pragma once

/// Every tensor type by name, for headers that only mention it.
namespace neml2
{
class Tensor;
class Scalar;
class Vec;
class R2;
class SR2;
class SSR4;
} // namespace neml2
