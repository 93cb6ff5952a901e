// SPDX-License-Identifier: MIT
// Two headers of NEML2 2.1 that have functions of every kind in one.
#include "neml2/tensors/functions/operators.h"
#include "neml2/tensors/functions/chain_rule.h"

using namespace neml2;

int
main()
{
  const SR2 a = SR2::full({2}, 3.0);
  const Scalar s = Scalar::full({3, 1}, 2.0);
  neml_assert(at::allclose(-a / s + 1 - a * 2, SR2::full({3, 2}, -6.5)));
  neml_assert(at::all(a >= s && !(a == s)).item<bool>());
  neml_assert(at::allclose(SSR4::identity_sym() * a, a));
  SR2 b = a.clone();
  b += 1;
  neml_assert(at::allclose(b, SR2::full({2}, 4.0)));

  // Limits per component, or the same for all components
  const Tensor limits(at::tensor({1, 2, 3, 4, 5, 6}, at::kDouble), 0);
  neml_assert(
      at::equal((a <= limits).to(at::kLong), at::tensor({0, 0, 1, 1, 1, 1}).expand({2, 6})));
  neml_assert(at::all((a > limits) == !(a <= limits)).item<bool>());
  neml_assert(at::all(a <= Tensor::full({}, 4)).item<bool>());
}
