// SPDX-License-Identifier: MIT
// The header of Tensor alone, which in NEML2 2.x included the functions of tensors.
#include "neml2/tensors/Tensor.h"

using namespace neml2;
using namespace neml2::indexing;

int
main()
{
  const auto & DTO = default_tensor_options();
  const auto a = Tensor(torch::rand({5, 2, 2}, DTO) + torch::eye(2, DTO), 1);
  neml_assert(torch::allclose(math::pow(math::sqrt(a), 2.0), a));
  neml_assert(torch::allclose(math::bmm(a, math::linalg::inv(a)), torch::eye(2, DTO)));
  neml_assert(math::batch_cat({a, a}).batch_sizes() == TensorShape{10});
  neml_assert(math::base_sum(a, 0).base_sizes() == TensorShape{2} && math::eps < 1e-15);
  neml_assert(utils::add_shapes(a.batch_sizes(), 3) == TensorShape{5, 3});
  neml_assert(a.batch_index({Slice(0, 2)}).batch_size(0) == 2);
}
