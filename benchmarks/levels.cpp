// SPDX-License-Identifier: MIT
// A function of an INPUT at a LEVEL of derivatives, which is compiled but not run: 0 nothing, 1 its value, 2 the gradient, 3 the
// Hessian, 4 `newton` on the gradient, 5 `newton` with its Jacobian. For the table of docs/energies.md:
//
//     time g++ -std=c++17 -O2 -c -DLEVEL=3 -DINPUT=SR2 -Iinclude … benchmarks/levels.cpp -o /dev/null
#include "neml2/math/elementwise.h"
#include "neml2/math/gradient.h"
#include "neml2/math/newton.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"

#define IS_Scalar 1
#define IS(INPUT) IS_##INPUT
#define IS_INPUT(INPUT) IS(INPUT)

constexpr auto sample = [](const auto & x)
{
#if IS_INPUT(INPUT)
  const auto square = x * x;
#else
  const auto square = inner(x, x);
#endif
  return log(1.0 + square) + exp(-0.1 * square) + 0.5 * square;
};
constexpr auto slope = [](const auto & x) { return neml2::gradient<0>(sample, x); };
constexpr auto residual = [](const auto & x, const auto & b)
{ return neml2::gradient<0>(sample, x) - b; };
constexpr auto inverted = [](const auto & b) { return neml2::newton(residual, 0.5 * b, b); };

auto
levels(const neml2::INPUT & x)
{
#if LEVEL == 1
  return neml2::vmap(sample, x);
#elif LEVEL == 2
  return neml2::gradient<0>(sample, x);
#elif LEVEL == 3
  return neml2::hessian<0>(sample, x);
#elif LEVEL == 4
  return neml2::vmap(inverted, x);
#elif LEVEL == 5
  return neml2::value_and_jacobian<0>(inverted, x);
#else
  return x;
#endif
}
