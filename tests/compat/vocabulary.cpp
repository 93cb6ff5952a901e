// SPDX-License-Identifier: MIT
// Shapes and helpers as programs of the 2.x releases use them, and types that a program defines.
#include "neml2/misc/error.h"
#include "neml2/misc/utils.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Transformable.h"
#include "neml2/tensors/Vec.h"

using namespace neml2;
using namespace torch::indexing;

class SlipSystem : public Transformable<SlipSystem>
{
public:
  SlipSystem(Vec d, Vec n) : direction(d), normal(n) {}
  SlipSystem transform(const R2 & op) const override
  {
    return SlipSystem(direction.transform(op), normal.transform(op));
  }
  Vec direction, normal;
};

struct Model
{
  SR2 strain;
  Scalar T;
  SSR4 C = SSR4::isotropic_E_nu(1, 0.3);
  SR2 stress() const { return C * (strain - 1e-5 * T * SR2::identity(strain.options())); }
};

template <class D>
Scalar
length(const VecBase<D> & v)
{
  return v.norm();
}
template <class D>
D
twice(const TensorBase<D> & t)
{
  D copy = t.clone();
  return copy + copy;
}
template <class D>
D
symmetric(const R2Base<D> & t)
{
  return (t + t.transpose()) / 2;
}

int
main()
{
  const SR2 S = SR2::zeros({5, 2});
  TensorShapeRef shape = S.batch_sizes();
  neml_assert(shape == TensorShapeRef{5, 2} && S.batch_sizes().vec() == std::vector<Size>{5, 2});
  neml_assert(torch::zeros({S.batch_size(0), 3}).size(0) == 5);
  neml_assert(utils::add_shapes(S.batch_size(0), S.base_sizes(), 3) == TensorShape{5, 6, 3});
  neml_assert(utils::add_shapes({4, 2}, 7, {1}, S.batch_sizes()) == TensorShape{4, 2, 7, 1, 5, 2});
  neml_assert(utils::add_shapes(std::vector<Size>{4, 2}) == TensorShape{4, 2});
  neml_assert(S.batch_sizes().slice(0, -1) == TensorShape{5} && S.batch_sizes()[1] == 2);
  neml_assert(utils::stringify(S.batch_sizes()) + utils::stringify(true) == "[5, 2]true");
  for (Size i = 0; i < S.batch_size(0); i++)
    neml_assert(S.batch_index({i, Slice()}).batch_dim() == 1);

  const Vec v = Vec::fill(1, 2, 3);
  const SlipSystem s(v, 2 * v);
  neml_assert(torch::allclose(s.transform(inversion_transform()).normal, -2 * v));
  neml_assert(torch::allclose(length(v), Scalar::full(std::sqrt(14.0))));
  neml_assert(torch::allclose(twice(v), v * 2));
  neml_assert(torch::allclose(symmetric(R2::skew(v)), R2::zeros()));

  // A raw tensor can be an operand if its shape determines its type.
  const at::Tensor raw = torch::rand({5, 2, 6}, default_tensor_options());
  const Model m{raw, torch::sum(raw, -1)};
  neml_assert(m.stress().batch_sizes() == TensorShape{5, 2});
  SR2 x = torch::where(raw > 0.5, raw, -raw);
  x.index_put_({Ellipsis, 0}, 1.0);
  neml_assert(torch::allclose(x(0, 0), Scalar::ones({5, 2})));
}
