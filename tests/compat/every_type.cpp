// SPDX-License-Identifier: MIT
// Runs one body for every type of a list, as tests of the 2.x releases do.
#include "neml2/misc/math.h"
#include "neml2/tensors/macros.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;
using namespace neml2::indexing;

template <class T>
void
factories()
{
  const auto & DTO = default_tensor_options();
  const TensorShape B = {5, 3};
  for (const T & x : {T::zeros(), T::ones(DTO), T::full(1.5), T::empty({}, {}), T::rand(DTO)})
    neml_assert(x.batch_dim() == 0 && x.base_sizes() == T::const_base_sizes);
  for (const T & x : {T::empty(B, DTO),
                      T::zeros({5, 3}),
                      T::zeros({5, 3}, {}),
                      T::full({5, 3}, 2),
                      T::full(B, {}, 1.5),
                      T::rand({5, 3}, {}),
                      T::full_like(T::ones(B), 2)})
    neml_assert(x.batch_sizes() == B && x.scalar_type() == kFloat64);
  neml_assert(T::zeros(B, kFloat32).scalar_type() == kFloat32);
  const T start = T::zeros(B), end = T::full(B, 9.0);
  neml_assert(T::linspace(start, end, 10, 1).batch_sizes() == TensorShape{5, 10, 3});
  neml_assert(torch::allclose(T::linspace(start, end, 10).batch_index({4}), T::full(B, 4.0)));
  neml_assert(torch::allclose(T::logspace(start, end, 10).batch_index({2}), T::full(B, 100.0)));
}

template <class T>
void
shapes()
{
  const TensorShape B = {5, 3, 1, 2};
  const T a(torch::rand(utils::add_shapes(B, T::const_base_sizes), kFloat64));
  neml_assert(a.batch_dim() == 4 && a.base_storage() == T::const_base_storage);
  neml_assert(T(a, 4).batch_sizes() == B && T(a, B).batch_sizes() == B);
  neml_assert(a.batch_index({Slice(0, 2), Ellipsis, 1}).batch_sizes() == TensorShape{2, 3, 1});
  neml_assert(a.batch_expand(4, 2).batch_sizes() == TensorShape{5, 3, 4, 2});
  neml_assert(a.batch_expand({7, 5, 3, 4, 2}).batch_dim() == 5);
  neml_assert(a.batch_reshape({-1, 2}).batch_sizes() == TensorShape{15, 2});
  neml_assert(a.batch_unsqueeze(-1).batch_transpose(0, -1).batch_size(0) == 1);
  neml_assert(a.base_flatten().base_sizes() == TensorShape{T::const_base_storage});
  neml_assert(a.base_unsqueeze(0).base_expand(4, 0).base_size(0) == 4);
  auto b = a.clone();
  b.batch_index_put_({0}, 1.0);
  b.batch_index_put_({Slice(1, 5)}, T::full(2.0));
  b.base_index_put_({Ellipsis}, b.base_index({Ellipsis}) * 3);
  neml_assert(torch::allclose(b.batch_index({0}), T::full({3, 1, 2}, 3.0)));
  neml_assert(torch::allclose(b.batch_index({4}), T::full({3, 1, 2}, 6.0)));
}

template <class T>
void
operations()
{
  const T a = T::full({5, 3}, 4.0), b = T::full({3}, 2.0);
  const auto s = Scalar::full({5, 1}, 0.5);
  neml_assert(torch::allclose((a + b) / 2 - s * b + 3.0f, T::full({5, 3}, 5.0)));
  neml_assert(torch::allclose(1 - 2 * a / s, T::full({5, 3}, -15.0)));
  neml_assert(torch::allclose(s / (-b), T::full({5, 3}, -0.25)));
  auto c = a.clone();
  c += 1;
  c /= s;
  neml_assert(torch::allclose(c, T::full({5, 3}, 10.0)));
  neml_assert(torch::allclose(math::pow(a, s) + math::sqrt(a), T::full({5, 3}, 4.0)));
  neml_assert(torch::allclose(math::macaulay(b - a), T::zeros({5, 3})));
  neml_assert(torch::allclose(where(a > 3.0, b.batch_expand({5, 3}), a), T::full({5, 3}, 2.0)));
  neml_assert(math::batch_cat({a, a}, -1).batch_sizes() == TensorShape{5, 6});
  neml_assert(math::batch_stack({a, a}, -1).batch_sizes() == TensorShape{5, 3, 2});
  neml_assert(torch::allclose(math::batch_sum(a, 0), T::full({3}, 20.0)));
  neml_assert(math::base_stack({a, a}, 0).base_dim() == T::const_base_dim + 1);
  const auto taken = [](const T & x) { return x.batch_dim(); };
  neml_assert(taken(Tensor(a)) == 2);
  bool refused = false;
  try
  {
    (void)(a + T::zeros({4}));
  }
  catch (const NEMLException &)
  {
    refused = true;
  }
  neml_assert(refused);
}

template <class T>
void
run()
{
  factories<T>();
  shapes<T>();
  operations<T>();
}
#define RUN(T) run<T>()

int
main()
{
  FOR_ALL_PRIMITIVETENSOR(RUN);
}
