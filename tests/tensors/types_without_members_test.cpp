// SPDX-License-Identifier: MIT
#include "neml2/tensors/SFFR4.h"
#include "neml2/tensors/SFR3.h"
#include "neml2/tensors/SFR4.h"
#include "neml2/tensors/WFFR4.h"
#include "neml2/tensors/WFR4.h"

#include "support/battery.h"
#include "support/catch.h"

namespace types_without_members_test
{
/// Types that have only the members of PrimitiveTensor: factories, components, arithmetic.
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::operation;

namespace
{
/// The scalar with as many dimensions of size 1 as T has base dimensions.
template <class T>
at::Tensor
aligned(at::Tensor s)
{
  for (Size d = 0; d < T::const_base_dim; d++)
    s = s.unsqueeze(-1);
  return s;
}

/// Arithmetic; the first two operations run on rows.
template <class T>
test::Table
operations_of()
{
  return {operation<T, Scalar>(
              "*",
              Accepts::any,
              [](const T & a, const Scalar & s) { return a * s; },
              [](const Arguments & a) { return a[0] * aligned<T>(a[1]); }),
          operation<Scalar, T>(
              "-",
              Accepts::any,
              [](const Scalar & s, const T & a) { return s - a; },
              [](const Arguments & a) { return aligned<T>(a[0]) - a[1]; }),
          operation<T, T>(
              "+",
              Accepts::any,
              [](const T & a, const T & b) { return a + b; },
              [](const Arguments & a) { return a[0] + a[1]; }),
          operation<T>(
              "-",
              Accepts::any,
              [](const T & a) { return -a; },
              [](const Arguments & a) { return -a[0]; }),
          operation<T>(
              "/",
              Accepts::any,
              [](const T & a) { return a / 4; },
              [](const Arguments & a) { return a[0] / 4; })
              .without({Check::integers})};
}

test::Table
operations()
{
  // mixed dtypes are promoted
  return test::without({Check::rule, Check::refusals},
                       test::together({operations_of<SFR3>(),
                                       operations_of<SFFR4>(),
                                       operations_of<SFR4>(),
                                       operations_of<WFFR4>(),
                                       operations_of<WFR4>()}));
}
const test::Battery battery(operations);

template <class T>
void
check_factories()
{
  const TensorShape batch{2, 5};
  const auto shape = utils::add_shapes(batch, T::const_base_sizes);
  REQUIRE(at::equal(T::zeros(batch), at::zeros(shape, at::kDouble)));
  REQUIRE(at::equal(T::ones(batch), at::ones(shape, at::kDouble)));
  REQUIRE(at::equal(T::full(batch, 1.5), at::full(shape, 1.5, at::kDouble)));
  REQUIRE(T::empty(batch).sizes() == TensorShapeRef(shape));
  REQUIRE(T::zeros(kFloat32).scalar_type() == kFloat32);
  const T x(at::rand(shape, at::kDouble));
  REQUIRE(x.batch_sizes() == batch);
  REQUIRE(x.base_sizes() == TensorShapeRef(T::const_base_sizes));
  REQUIRE(T(neml2::Tensor(x)).is_alias_of(x));
  REQUIRE_THROWS_AS(T(at::zeros({5, 2}, at::kDouble)), NEMLException);
}

/// The types convert into each other implicitly and share their numbers.
template <class A, class B>
void
check_conversion()
{
  const A a(at::rand(utils::add_shapes(TensorShape{2, 5}, A::const_base_sizes), at::kDouble));
  const B b = a;
  const A back = b;
  REQUIRE(b.is_alias_of(a));
  REQUIRE(at::equal(b, a));
  REQUIRE(b.batch_sizes() == a.batch_sizes());
  REQUIRE(back.is_alias_of(a));
}
} // namespace

TEST_CASE("Types without members are made by the factories", "[tensors]")
{
  check_factories<SFR3>();
  check_factories<SFFR4>();
  check_factories<SFR4>();
  check_factories<WFFR4>();
  check_factories<WFR4>();
}

TEST_CASE("Old and new names of the same type convert into each other", "[tensors]")
{
  check_conversion<SFR4, SFFR4>();
  check_conversion<WFR4, WFFR4>();
}

TEST_CASE("A component of a type without members is a Scalar of its batch", "[tensors]")
{
  const SFFR4 a(at::rand({2, 5, 6, 3, 3}, at::kDouble));
  REQUIRE(at::equal(a(4, 1, -1), a.select(-3, 4).select(-2, 1).select(-1, 2)));
  REQUIRE(a(4, 1, -1).batch_sizes() == TensorShape{2, 5});
  const WFR4 b(at::rand({5, 3, 3, 3}, at::kDouble));
  REQUIRE(at::equal(b(0, 1, 2), b.select(-3, 0).select(-2, 1).select(-1, 2)));
  REQUIRE(SFR3::zeros()(5, 2).batch_dim() == 0);
  REQUIRE_THROWS_AS(SFR3::zeros()(6, 0), NEMLException);
  REQUIRE_THROWS_AS(SFR4::zeros()(0, 3, 0), NEMLException);
}

TEST_CASE("Arithmetic of types without members passes the battery", "[tensors][cuda]")
{
  battery.check();
}
} // namespace types_without_members_test
