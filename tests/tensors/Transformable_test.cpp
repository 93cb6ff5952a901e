// SPDX-License-Identifier: MIT
#include "neml2/tensors/Transformable.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/Vec.h"
#include "support/battery.h"
#include "support/rotation.h"

#include "support/catch.h"

namespace Transformable_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
at::Tensor
projector(const at::Tensor & n)
{
  return at::einsum("...i,...j->...ij", {n, n});
}

const test::Table &
operations()
{
  static const std::vector<test::Operation> all{
      operation<Quaternion>(
          "rotation_matrix",
          Accepts::floating,
          [](const Quaternion & q) { return transform_from_quaternion(q); },
          [](const Arguments & a) { return at::Tensor(rotation_matrix(Quaternion(a[0]))); }),
      operation<Rot>(
          "euler_rodrigues",
          Accepts::floating,
          [](const Rot & r) { return proper_rotation_transform(r); },
          [](const Arguments & a) { return test::rotation_of(a[0]); }),
      operation<Rot>(
          "improper_rotation_transform",
          Accepts::floating,
          [](const Rot & r) { return improper_rotation_transform(r); },
          [](const Arguments & a)
          {
            const auto n = a[0] / at::sqrt((a[0] * a[0]).sum(-1, true));
            return at::matmul(test::rotation_of(a[0]), test::delta() - 2 * projector(n));
          })
          .without(test::own_rule),
      operation<Vec>(
          "reflection_transform",
          Accepts::floating,
          [](const Vec & n) { return reflection_transform(n); },
          [](const Arguments & a) { return test::delta() - 2 * projector(a[0]); })
          .without(test::own_rule)};
  return all;
}
const test::Battery battery(operations);

/// A type of a user that derives from Transformable, as the vectors of NEML2 2.x do.
class Arrow : public Transformable<Arrow>
{
public:
  explicit Arrow(Vec v) : tip(std::move(v)) {}
  Arrow transform(const R2 & T) const override { return Arrow(T * tip); }
  Vec tip;
};

template <class T>
T
turned_twice(const T & x, const R2 & by)
{
  return x.transform(by).transform(by);
}
} // namespace

TEST_CASE("Transforms pass the battery", "[tensors][Transformable][cuda]")
{
  battery.check();
}

TEST_CASE("Transforms are orthogonal, and turn or mirror", "[tensors][Transformable]")
{
  const Vec n = unit(Vec::fill(1, -2, 0.5));
  const Rot r = Rot::fill(0.1, -0.2, 0.3);
  const auto is_orthogonal = [](const R2 & T, double det)
  {
    return at::allclose(T * T.transpose(), R2::identity(), 0, 1e-15) &&
           at::allclose(T.det(), at::full({}, det, at::kDouble), 0, 1e-15);
  };
  REQUIRE(at::equal(identity_transform(), R2::identity()));
  REQUIRE(at::equal(inversion_transform(), -R2::identity()));
  REQUIRE(inversion_transform(kFloat32).scalar_type() == kFloat32);
  REQUIRE(inversion_transform(default_tensor_options().requires_grad(true)).is_leaf());
  REQUIRE(identity_transform(kFloat32).scalar_type() == kFloat32);
  REQUIRE(is_orthogonal(proper_rotation_transform(r), 1));
  REQUIRE(is_orthogonal(transform_from_quaternion(r), 1));
  REQUIRE(is_orthogonal(reflection_transform(n), -1));
  REQUIRE(is_orthogonal(improper_rotation_transform(r), -1));
  REQUIRE(at::allclose(n.transform(reflection_transform(n)), -n));
  REQUIRE(at::allclose(Vec(r).transform(improper_rotation_transform(r)), -Vec(r)));
  // A half turn and a reflection at the plane normal to its axis together are the inversion.
  const Rot half_turn = Rot(core::raw(n) * 1.0);
  REQUIRE(at::allclose(improper_rotation_transform(half_turn), inversion_transform(), 0, 1e-15));
  REQUIRE(improper_rotation_transform(Rot::identity()).isnan().all().item<bool>()); // no axis
}

TEST_CASE("A vector and a type of a user are transformed alike", "[tensors][Transformable]")
{
  const Vec v = Vec::fill(1, 2, 3);
  const R2 T = proper_rotation_transform(Rot::fill(0.1, 0.2, 0.3));
  REQUIRE(at::allclose(turned_twice(v, T), T * (T * v)));
  REQUIRE(at::equal(turned_twice(Arrow(v), T).tip, turned_twice(v, T)));
  const Transformable<Arrow> & base = Arrow(v);
  REQUIRE(at::equal(base.transform(T).tip, T * v));
  REQUIRE(v.batch_expand({4}).transform(T).batch_sizes() == TensorShape{4});
}
} // namespace Transformable_test
