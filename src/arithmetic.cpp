// SPDX-License-Identifier: MIT
/// Elementwise operators: their common part, and the operators of types that define nothing else.
#include "neml2/core/Tensor.h"
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/R5.h"
#include "neml2/tensors/R8.h"
#include "neml2/tensors/SFFR4.h"
#include "neml2/tensors/SFR3.h"
#include "neml2/tensors/SFR4.h"
#include "neml2/tensors/SSFR5.h"
#include "neml2/tensors/SSSSR8.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/WFFR4.h"
#include "neml2/tensors/WFR4.h"

namespace neml2::math
{
template struct Elementwise<Plus>;
template struct Elementwise<Minus>;
template struct Elementwise<Times>;
template struct Elementwise<Over>;

template struct ElementwiseOn<Plus, Tensor>;
template struct ElementwiseOn<Minus, Tensor>;
template struct ElementwiseOn<Times, Tensor>;
template struct ElementwiseOn<Over, Tensor>;
template struct ElementwiseOn<Plus, R5>;
template struct ElementwiseOn<Minus, R5>;
template struct ElementwiseOn<Times, R5>;
template struct ElementwiseOn<Over, R5>;
template struct ElementwiseOn<Plus, R8>;
template struct ElementwiseOn<Minus, R8>;
template struct ElementwiseOn<Times, R8>;
template struct ElementwiseOn<Over, R8>;
template struct ElementwiseOn<Plus, SFFR4>;
template struct ElementwiseOn<Minus, SFFR4>;
template struct ElementwiseOn<Times, SFFR4>;
template struct ElementwiseOn<Over, SFFR4>;
template struct ElementwiseOn<Plus, SFR3>;
template struct ElementwiseOn<Minus, SFR3>;
template struct ElementwiseOn<Times, SFR3>;
template struct ElementwiseOn<Over, SFR3>;
template struct ElementwiseOn<Plus, SFR4>;
template struct ElementwiseOn<Minus, SFR4>;
template struct ElementwiseOn<Times, SFR4>;
template struct ElementwiseOn<Over, SFR4>;
template struct ElementwiseOn<Plus, SSFR5>;
template struct ElementwiseOn<Minus, SSFR5>;
template struct ElementwiseOn<Times, SSFR5>;
template struct ElementwiseOn<Over, SSFR5>;
template struct ElementwiseOn<Plus, SSSSR8>;
template struct ElementwiseOn<Minus, SSSSR8>;
template struct ElementwiseOn<Times, SSSSR8>;
template struct ElementwiseOn<Over, SSSSR8>;
template struct ElementwiseOn<Plus, WFFR4>;
template struct ElementwiseOn<Minus, WFFR4>;
template struct ElementwiseOn<Times, WFFR4>;
template struct ElementwiseOn<Over, WFFR4>;
template struct ElementwiseOn<Plus, WFR4>;
template struct ElementwiseOn<Minus, WFR4>;
template struct ElementwiseOn<Times, WFR4>;
template struct ElementwiseOn<Over, WFR4>;
} // namespace neml2::math
