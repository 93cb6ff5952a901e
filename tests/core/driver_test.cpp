// SPDX-License-Identifier: MIT
#include "neml2/core/driver.h"

#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Vec.h"
#include "support/errors.h"

#include <torch/torch.h>

#include "support/catch.h"

using namespace neml2;
using test::described;

namespace
{
/// Independent reference: one row after the other, by index, of operands expanded and copied.
template <class E>
bool
product_is_right(const R2 & A, const Vec & v)
{
  const Vec r = A * v;
  const TensorShape batch = utils::broadcast_sizes(A.batch_sizes(), v.batch_sizes());
  if (!(r.batch_sizes() == batch) || !core::can_fuse(A, v))
    return false;
  const auto n = utils::numel(batch);
  const auto a = A.batch_expand(batch).reshape({n, 3, 3}).contiguous();
  const auto b = v.batch_expand(batch).reshape({n, 3}).contiguous();
  const auto c = r.reshape({n, 3}).contiguous();
  const E * const x = a.template data_ptr<E>();
  const E * const y = b.template data_ptr<E>();
  const E * const z = c.template data_ptr<E>();
  const E tolerance = sizeof(E) == 8 ? E(1e-14) : E(1e-5);
  for (Size row = 0; row < n; row++)
    for (Size i = 0; i < 3; i++)
    {
      E sum = 0;
      for (Size k = 0; k < 3; k++)
        sum += x[9 * row + 3 * i + k] * y[3 * row + k];
      if (!(std::abs(sum - z[3 * row + i]) <= tolerance * 10))
        return false;
    }
  return true;
}

bool
product_is_right(const at::Tensor & A, const at::Tensor & v)
{
  return product_is_right<double>(R2(A.to(kFloat64)), Vec(v.to(kFloat64))) &&
         product_is_right<float>(R2(A.to(kFloat32)), Vec(v.to(kFloat32)));
}

at::Tensor
random(at::IntArrayRef shape)
{
  return torch::rand(shape, kFloat64) - 0.5;
}
} // namespace

TEST_CASE("every batch size is evaluated whole, also around packs and tiles", "[core][driver]")
{
  for (const Size n : {0,  1,  2,  3,  4,  5,   6,   7,   8,   9,   15,  16,   17,  31,
                       32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 4099})
  {
    INFO("batch size " << n);
    REQUIRE(product_is_right(random({n, 3, 3}), random({n, 3})));
    REQUIRE(product_is_right(random({3, 3}), random({n, 3})));
    REQUIRE(product_is_right(random({n, 3, 3}), random({3})));
  }
}

TEST_CASE("nothing is written beside the result", "[core][driver]")
{
  // The last, partly filled block of each size: neighbours in memory would notice a store too many.
  for (const Size n : {1, 2, 3, 5, 7, 9, 31, 33})
  {
    std::vector<Vec> results;
    const R2 A(random({n, 3, 3}));
    const Vec v(random({3}));
    const at::Tensor expected = torch::matmul(A, v);
    for (int i = 0; i < 64; i++)
      results.push_back(A * v);
    for (const auto & r : results)
      REQUIRE(torch::allclose(r, expected, 1e-13, 1e-13));
  }
}

TEST_CASE("two batch dimensions of any lengths broadcast in any layout", "[core][driver]")
{
  for (const Size m : {1, 2, 3, 17, 130})
    for (const Size n : {1, 2, 5, 16, 67})
    {
      INFO("batch shape [" << m << ", " << n << "]");
      const auto v = random({m, n, 3});
      REQUIRE(product_is_right(random({m, n, 3, 3}), v));
      REQUIRE(product_is_right(random({n, 3, 3}), v));
      REQUIRE(product_is_right(random({m, 1, 3, 3}), v));
      REQUIRE(product_is_right(random({m, 1, 3, 3}), random({1, n, 3})));
      REQUIRE(product_is_right(random({n, m, 3, 3}).transpose(0, 1), v));
      REQUIRE(product_is_right(random({m, n, 3, 3}), random({n, m, 3}).transpose(0, 1)));
      REQUIRE(product_is_right(random({3, 3}).expand({m, n, 3, 3}), v));
      REQUIRE(product_is_right(random({m, 2 * n, 3, 3}).slice(1, 0, 2 * n, 2), v));
    }
}

TEST_CASE("components may lie anywhere", "[core][driver]")
{
  const auto A = random({7, 3, 3}), v = random({5, 7, 3});
  REQUIRE(product_is_right(A.transpose(1, 2), v));
  REQUIRE(product_is_right(A.permute({1, 2, 0}).contiguous().permute({2, 0, 1}),
                           v)); // components outermost
  REQUIRE(product_is_right(random({7, 3, 1}).expand({7, 3, 3}), v));
  REQUIRE(product_is_right(random({1, 3}).expand({7, 3, 3}), v));
  REQUIRE(product_is_right(A, v.permute({2, 1, 0}).contiguous().permute({2, 1, 0})));
  REQUIRE(product_is_right(A, random({5, 7, 8}).slice(2, 1, 7, 2)));
  REQUIRE(product_is_right(A, random({5, 7, 1}).expand({5, 7, 3})));
  REQUIRE(product_is_right(A, random({}).expand({3})));
  REQUIRE(product_is_right(random({100}).slice(0, 3, 84).as_strided({7, 3, 3}, {11, 2, 5}, 3),
                           v)); // overlapping
}

TEST_CASE("the lanes run along any of three dimensions", "[core][driver]")
{
  for (const auto & shape : {TensorShape{200, 3, 2},
                             TensorShape{3, 200, 2},
                             TensorShape{2, 3, 200},
                             TensorShape{15, 14, 13}})
  {
    const auto full = random(utils::add_shapes(shape, TensorShape{3}));
    const auto A = random({shape[0], 1, shape[2], 3, 3});
    REQUIRE(product_is_right(A, full));
    REQUIRE(product_is_right(A.transpose(0, 2), full.transpose(0, 2)));
    REQUIRE(product_is_right(A, full.slice(1, 0, 2)));
  }
}

TEST_CASE("batches of more dimensions than a plan holds are evaluated all the same",
          "[core][driver]")
{
  for (int dims = 7; dims <= 11; dims++)
  {
    const TensorShape twos(size_t(dims), 2);
    TensorShape reversed;
    for (int d = dims - 1; d >= 0; d--)
      reversed.push_back(d);
    auto order_v = reversed, order_A = reversed;
    order_v.push_back(dims);
    order_A.push_back(dims);
    order_A.push_back(dims + 1);
    const auto A = random(utils::add_shapes(twos, 3, 3)), v = random(utils::add_shapes(twos, 3));
    REQUIRE(product_is_right(A, v));                  // merges to one
    REQUIRE(product_is_right(A, v.permute(order_v))); // does not
    REQUIRE(product_is_right(A.permute(order_A), v));
    TensorShape alternating(size_t(dims), 1);
    for (size_t d = 0; d < alternating.size(); d += 2)
      alternating[d] = 2;
    REQUIRE(product_is_right(random(utils::add_shapes(alternating, 3, 3)), v));
  }
}

TEST_CASE("elementwise operators are right in every layout too", "[core][driver]")
{
  const auto right = [](const SR2 & a, const SR2 & b, const Scalar & k)
  {
    const at::Tensor x = a, y = b, z = k.unsqueeze(-1);
    return torch::equal(a + b, x + y) && torch::equal(a - b, x - y) && torch::equal(a / b, x / y) &&
           torch::equal(a * k, x * z) && torch::equal(k - b, z - y) && torch::equal(2 - a, 2 - x) &&
           torch::equal(b * 3, y * 3);
  };
  for (const auto dtype : {kFloat64, kFloat32})
    for (const Size n : {1, 3, 4, 5, 8, 9, 33, 130})
    {
      const auto a = random({n, 6}).to(dtype) + 1, b = random({4, 1, 6}).to(dtype) + 1,
                 k = random({n}).to(dtype) + 1;
      REQUIRE(right(a, a, k));
      REQUIRE(right(a, b, k));
      REQUIRE(right(b, a, k));
      REQUIRE(right((random({6, n}).to(dtype) + 1).t(), b, k));
      REQUIRE(
          right((random({n, 1}).to(dtype) + 1).expand({n, 6}), b, k.unsqueeze(0).expand({4, n})));
      REQUIRE(right((random({n, 9}).to(dtype) + 1).slice(1, 2, 8),
                    (random({6, 4}).to(dtype) + 1).t().unsqueeze(1),
                    k.flip(0)));
    }
}

TEST_CASE("not-a-number and infinity pass through", "[core][driver]")
{
  auto t = random({9, 6});
  t[3][2] = std::nan("");
  t[8][5] = std::numeric_limits<double>::infinity();
  const SR2 s(t);
  const at::Tensor r = s * 2;
  REQUIRE(torch::equal(r.isnan(), t.isnan()));
  REQUIRE(torch::equal(r.isinf(), t.isinf()));
  REQUIRE(
      torch::equal(torch::signbit(SR2::full({5}, -0.0) * 1), torch::ones({5, 6}, torch::kBool)));
}
