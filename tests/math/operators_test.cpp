// SPDX-License-Identifier: MIT
#include "neml2/math/operators.h"

#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Vec.h"
#include "support/errors.h"

#include <torch/types.h>

#include "support/catch.h"

namespace operators_test
{
using namespace neml2;
using test::described;

namespace
{
at::Tensor
random(at::IntArrayRef shape, Dtype dtype = kFloat64)
{
  return torch::rand(shape, dtype) + 0.5;
}

/// Base dimensions of size 1 behind those of t, so that torch's alignment at the last dimension is right.
at::Tensor
widened(const at::Tensor & t, Size base_dim)
{
  at::Tensor r = t;
  for (Size d = 0; d < base_dim; d++)
    r = r.unsqueeze(-1);
  return r;
}

bool
close(const at::Tensor & a, const at::Tensor & b)
{
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
         torch::allclose(a, b, 1e-12, 1e-12);
}

/// Checks that a result has this type, this description, and torch's values.
template <class Expected, class T>
bool
is(const T & result, const std::string & shape, const at::Tensor & values)
{
  static_assert(std::is_same_v<T, Expected>);
  return described(result) == shape && close(result, values);
}

template <class P>
void
test_with_scalar_and_numbers(const std::string & shape)
{
  const P a(random(utils::add_shapes({4, 3}, P::const_base_sizes)));
  const Scalar k(random({3}));
  const at::Tensor x = a, y = widened(k, P::const_base_dim);
  REQUIRE(is<P>(a + k, shape, x + y));
  REQUIRE(is<P>(k + a, shape, y + x));
  REQUIRE(is<P>(a - k, shape, x - y));
  REQUIRE(is<P>(k - a, shape, y - x));
  REQUIRE(is<P>(a * k, shape, x * y));
  REQUIRE(is<P>(k * a, shape, y * x));
  REQUIRE(is<P>(a / k, shape, x / y));
  REQUIRE(is<P>(k / a, shape, y / x));
  REQUIRE(is<P>(a + 2, shape, x + 2));
  REQUIRE(is<P>(2 + a, shape, x + 2));
  REQUIRE(is<P>(a - 2.5f, shape, x - 2.5));
  REQUIRE(is<P>(2.5 - a, shape, 2.5 - x));
  REQUIRE(is<P>(a * 3, shape, x * 3));
  REQUIRE(is<P>(3.5 * a, shape, x * 3.5));
  REQUIRE(is<P>(a / 4, shape, x / 4));
  REQUIRE(is<P>(4.0f / a, shape, 4 / x));
}

template <class P>
void
test_with_itself(const std::string & shape)
{
  const P a(random(utils::add_shapes({4, 3}, P::const_base_sizes)));
  const P b(random(utils::add_shapes({4, 1}, P::const_base_sizes)));
  const at::Tensor x = a, y = b;
  REQUIRE(is<P>(a + b, shape, x + y));
  REQUIRE(is<P>(b - a, shape, y - x));
  REQUIRE(is<P>(a / b, shape, x / y));
  REQUIRE(is<P>(-a, shape, -x));
}

/// (2; 3, 4) and (5, 1; 4) make the batch and the base align at different dimensions.
const auto base_broadcast = [](const auto & f)
{
  const Tensor a(random({2, 3, 4}), 1), b(random({5, 1, 4}), 2);
  return std::make_pair(f(a, b), f(a.unsqueeze(0), b.unsqueeze(2)));
};
} // namespace

TEST_CASE("a primitive type combines with itself, elementwise", "[core][operators]")
{
  test_with_itself<Scalar>("Scalar (4, 3;)");
  test_with_itself<Vec>("Vec (4, 3; 3)");
  test_with_itself<SR2>("SR2 (4, 3; 6)");
  test_with_itself<R2>("R2 (4, 3; 3, 3)");
  test_with_itself<SSR4>("SSR4 (4, 3; 6, 6)");
}

TEST_CASE("a primitive type combines with Scalar and with numbers, in both orders",
          "[core][operators]")
{
  test_with_scalar_and_numbers<Scalar>("Scalar (4, 3;)");
  test_with_scalar_and_numbers<Vec>("Vec (4, 3; 3)");
  test_with_scalar_and_numbers<SR2>("SR2 (4, 3; 6)");
  test_with_scalar_and_numbers<R2>("R2 (4, 3; 3, 3)");
  test_with_scalar_and_numbers<SSR4>("SSR4 (4, 3; 6, 6)");
}

TEST_CASE("Scalars multiply", "[core][operators]")
{
  const Scalar a(random({4, 1})), b(random({3}));
  REQUIRE(is<Scalar>(a * b, "Scalar (4, 3;)", at::Tensor(a) * b));
}

TEST_CASE("Tensor combines elementwise with Tensor, Scalar and numbers, in both orders",
          "[core][operators]")
{
  const Tensor a(random({4, 3, 2, 5}), 2), b(random({3, 2, 5}), 1);
  const Scalar k(random({3}));
  const at::Tensor x = a, y = b, z = widened(k, 2);
  const std::string shape = "Tensor (4, 3; 2, 5)";
  REQUIRE(is<Tensor>(a + b, shape, x + y));
  REQUIRE(is<Tensor>(b - a, shape, y - x));
  REQUIRE(is<Tensor>(a * b, shape, x * y));
  REQUIRE(is<Tensor>(b / a, shape, y / x));
  REQUIRE(is<Tensor>(a + k, shape, x + z));
  REQUIRE(is<Tensor>(k + a, shape, x + z));
  REQUIRE(is<Tensor>(a - k, shape, x - z));
  REQUIRE(is<Tensor>(k - a, shape, z - x));
  REQUIRE(is<Tensor>(a * k, shape, x * z));
  REQUIRE(is<Tensor>(k * a, shape, x * z));
  REQUIRE(is<Tensor>(a / k, shape, x / z));
  REQUIRE(is<Tensor>(k / a, shape, z / x));
  REQUIRE(is<Tensor>(a + 2, shape, x + 2));
  REQUIRE(is<Tensor>(2 - a, shape, 2 - x));
  REQUIRE(is<Tensor>(2.5 * a, shape, x * 2.5));
  REQUIRE(is<Tensor>(a / 2.0f, shape, x / 2));
  REQUIRE(is<Tensor>(1 / a, shape, 1 / x));
  REQUIRE(is<Tensor>(-a, shape, -x));
}

TEST_CASE("batch and base shapes of Tensors are each aligned at their own last dimension",
          "[core][operators]")
{
  const auto [sum, expected] = base_broadcast([](const auto & a, const auto & b) { return a + b; });
  REQUIRE(is<Tensor>(sum, "Tensor (5, 2; 3, 4)", expected));
  const auto [product, expected_product] =
      base_broadcast([](const auto & a, const auto & b) { return b * a; });
  REQUIRE(is<Tensor>(product, "Tensor (5, 2; 3, 4)", expected_product));
}

TEST_CASE("Numbers and float32 give LibTorch's values, few of them and many", "[core][operators]")
{
  for (const Size n : {Size(1), Size(100), math::few_numbers / 6, math::few_numbers})
  {
    const SR2 s(at::rand({n, 6}, kFloat32) + 0.5);
    const at::Tensor t = s;
    REQUIRE(at::equal(s * 0.1, t * 0.1));
    REQUIRE(at::equal(s + 0.1, t + 0.1));
    REQUIRE(at::equal(0.1 - s, 0.1 - t));
    REQUIRE(at::equal(s / 0.3, t / 0.3));
    REQUIRE(at::allclose(0.1 / s, 0.1 / t, 1e-6));
    REQUIRE(at::equal((s * 1e300).isinf(), at::ones({n, 6}, at::kBool)));
    REQUIRE(at::equal(s - s * 2.0, t - t * 2));
  }
}

TEST_CASE("Columns give columns, of the values of rows", "[core][operators]")
{
  const bool tracked = GENERATE(false, true);
  for (const auto dtype : {kFloat64, kFloat32})
    for (const Size n : {Size(3), math::few_numbers})
    {
      const auto random = [&] { return at::rand({n, 6}, dtype) + 0.5; };
      const at::Tensor s = random(), t = random();
      const auto columns = [&](const at::Tensor & x)
      { return SR2(x.t().contiguous().requires_grad_(tracked).t()); };
      const SR2 a = columns(s), b = columns(t);
      REQUIRE(at::equal(a + b, s + t));
      REQUIRE(at::equal(a - b, s - t));
      REQUIRE(at::equal(a * 2.0, s * 2.0));
      REQUIRE(at::equal(a / 3.0, SR2(s) / 3.0));
      REQUIRE(at::equal(2.0 - a, 2.0 - s));
      if (!tracked) // otherwise by LibTorch: t.reciprocal() * 49
        REQUIRE(at::equal(49.0 / a, at::full({}, 49.0, kFloat64).to(dtype) / s));
      REQUIRE(at::equal(a + SR2(t), s + t)); // columns and rows
      REQUIRE(at::equal(a + SR2(t[0]), s + t[0]));
      if (n == math::few_numbers)
        REQUIRE((a + b).strides() == at::IntArrayRef({1, n}));
    }
}
} // namespace operators_test
