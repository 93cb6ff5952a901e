// SPDX-License-Identifier: MIT
// Replacements for the intermediate dimensions of NEML2 2.1, which this library does not have.
#include "neml2/neml2.h"

#include <functional>

using namespace neml2;

void
refuses_to_make(const std::string & where, const std::function<void()> & f)
{
  std::string message;
  try
  {
    f();
  }
  catch (const NEMLException & e)
  {
    message = e.what();
  }
  neml_assert(message.find(where + ": the intermediate shape [3]") == 0, where, ": ", message);
  neml_assert(message.find("Append it to the dynamic shape.") != std::string::npos, message);
}

int
main()
{
  refuses_to_make("rand", [] { (void)R2::rand({2, 3}, {3}); });
  refuses_to_make("Rot::rand", [] { (void)Rot::rand({2, 3}, {3}); });
  refuses_to_make("zeros", [] { (void)SR2::zeros({}, {3}); });
  refuses_to_make("full", [] { (void)Scalar::full({2}, {3}, 1.0); });
  refuses_to_make("ones", [] { (void)Tensor::ones({2}, {3}, {6}); });

  // Two materials at each of three sites: in NEML2 2.1 this is one dynamic and one intermediate
  // dimension.
  const auto strength = Scalar::create({10, 20});
  const auto stress = SR2::ones({2, 3}, {});
  const auto scaled = strength.batch_unsqueeze(-1) * stress;
  neml_assert(scaled.batch_sizes() == TensorShape{2, 3} && scaled.intmd_dim() == 0);
  neml_assert(at::allclose(scaled.batch_index({1, 2}), SR2::full(20)));

  // With as many sites as materials, batch shapes alone would have paired materials with sites.
  const auto other = Scalar::create({10, 20, 30});
  const auto square = SR2::ones({3, 3}, {});
  neml_assert(at::allclose((other * square).batch_index({0, 2}), SR2::full(30)));
  neml_assert(
      at::allclose((other.batch_unsqueeze(-1) * square).batch_index({0, 2}), SR2::full(10)));
}
