// SPDX-License-Identifier: MIT
#include "neml2/engine/plan.h"
#include "neml2/engine/tiles.h"

#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Vec.h"
#include "support/errors.h"

#include <torch/types.h>

#include <atomic>
#include <cmath>

#include "support/catch.h"

namespace plan_test
{
using namespace neml2;
using test::described;

namespace
{
/// Compares with an independent reference: one row after the other, by index, of operands that are expanded and copied.
/// For float32, the fused result is the sum in float64, rounded.
bool
product_is_right(const R2 & A, const Vec & v, bool fuses)
{
  const Vec r = A * v;
  const TensorShape batch = utils::broadcast_sizes(A.batch_sizes(), v.batch_sizes());
  if (!(r.batch_sizes() == batch) || r.dtype() != A.dtype() || !engine::can_fuse(A, v) ||
      (fuses && !r.is_non_overlapping_and_dense()))
    return false;
  const auto n = utils::numel(batch);
  const auto a = A.batch_expand(batch).reshape({n, 3, 3}).contiguous().to(kFloat64);
  const auto b = v.batch_expand(batch).reshape({n, 3}).contiguous().to(kFloat64);
  const auto c = r.reshape({n, 3}).to(kFloat64);
  const double * const x = a.data_ptr<double>();
  const double * const y = b.data_ptr<double>();
  const double * const z = c.data_ptr<double>();
  const double half_ulp = A.scalar_type() == kFloat64 ? 0 : std::pow(2.0, -24);
  const double slack = fuses || half_ulp == 0 ? 1e-14 : 8 * half_ulp;
  for (Size row = 0; row < n; row++)
    for (Size i = 0; i < 3; i++)
    {
      double sum = 0;
      for (Size k = 0; k < 3; k++)
        sum += x[9 * row + 3 * i + k] * y[3 * row + k];
      if (!(std::abs(sum - z[3 * row + i]) <= slack + half_ulp * std::abs(sum)))
        return false;
    }
  return true;
}

bool
product_is_right(const at::Tensor & A, const at::Tensor & v, bool fuses = true)
{
  return product_is_right(R2(A.to(kFloat64)), Vec(v.to(kFloat64)), fuses) &&
         product_is_right(R2(A.to(kFloat32)), Vec(v.to(kFloat32)), fuses);
}

at::Tensor
random(at::IntArrayRef shape)
{
  return torch::rand(shape, kFloat64) - 0.5;
}

/// A tensor of this shape with unusual strides: its dimensions lie in this order in memory, with gaps between its numbers.
at::Tensor
strided(const TensorShape & shape, std::vector<int64_t> order, Dtype dtype)
{
  std::vector<int64_t> sizes, back(order.size());
  for (size_t d = 0; d < order.size(); d++)
  {
    sizes.push_back(shape[size_t(order[d])]);
    back[size_t(order[d])] = int64_t(d);
  }
  sizes.push_back(2);
  return torch::full(sizes, -7, dtype).select(-1, 1).permute(back);
}

/// A tile loop that reads operand 0, writes operand 1 and counts rows.
struct Recorder
{
  std::atomic<Size> rows{0}, most{0};

  static void run(const void * self, double * const * data, const Size * stride, Size rows)
  {
    auto & r = *static_cast<Recorder *>(const_cast<void *>(self));
    r.rows += rows;
    if (rows > r.most)
      r.most = rows;
    for (Size i = 0; i < rows; i++)
      for (Size k = 0; k < 3; k++)
        data[1][i * stride[1] + k] = 2 * data[0][i * stride[0] + k] + 1;
  }
};

/// Whether every row is visited once, in tiles of no more than this many rows.
bool
visits_all(const at::Tensor & from, const at::Tensor & to, Size tile)
{
  to.fill_(-7);
  const TensorShape batch(to.sizes().begin(), to.sizes().end() - 1);
  engine::Plan plan;
  if (!plan.set(batch, {engine::memory(from, from.dim() - 1), engine::memory(to, to.dim() - 1)}, 1))
    return false;
  Recorder recorder;
  engine::run_tiles({Recorder::run, 1}, &recorder, plan, tile, 6);
  return recorder.rows == utils::numel(batch) && recorder.most <= tile &&
         torch::equal(to, (2 * from + 1).expand(to.sizes()));
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
  // For each size, the last block is partly filled: a store beyond it would change its neighbours in memory.
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
    REQUIRE(product_is_right(A, v));                                            // merges to one
    REQUIRE(product_is_right(A, v.permute(order_v), dims <= engine::max_dims)); // does not
    REQUIRE(product_is_right(A.permute(order_A), v, dims <= engine::max_dims));
    TensorShape alternating(size_t(dims), 1);
    for (size_t d = 0; d < alternating.size(); d += 2)
      alternating[d] = 2;
    REQUIRE(product_is_right(
        random(utils::add_shapes(alternating, 3, 3)), v, dims <= engine::max_dims));
  }
}

TEST_CASE("a plan merges dimensions and takes the lanes along a long one", "[core][driver]")
{
  const auto plan_of = [](const at::Tensor & a, const at::Tensor & b)
  {
    const auto batch = utils::broadcast_sizes(a.sizes().slice(0, size_t(a.dim() - 1)),
                                              b.sizes().slice(0, size_t(b.dim() - 1)));
    engine::Plan p;
    REQUIRE(p.set(batch, {engine::memory(a, a.dim() - 1), engine::memory(b, b.dim() - 1)}, 1));
    std::vector<Size> sizes(p.size, p.size + p.dims);
    sizes.push_back(-p.lane_dim);
    return sizes;
  };
  using Sizes = std::vector<Size>; // sizes, then minus the lane dimension
  REQUIRE(plan_of(random({4, 5, 3}), random({4, 5, 3})) == Sizes{20, 0});
  REQUIRE(plan_of(random({3}), random({3})) == Sizes{1, 0});
  REQUIRE(plan_of(random({1, 1, 3}), random({3})) == Sizes{1, 0});
  REQUIRE(plan_of(random({2, 4, 5, 3}), random({5, 3})) == Sizes{8, 5, 0});
  REQUIRE(plan_of(random({2, 4, 5, 3}), random({2, 1, 1, 3})) == Sizes{2, 20, -1});
  REQUIRE(plan_of(random({40, 1, 3}), random({15, 3})) == Sizes{40, 15, 0});
  REQUIRE(plan_of(random({40, 1, 3}), random({16, 3})) == Sizes{40, 16, -1});
  REQUIRE(plan_of(random({5, 4, 3}).transpose(0, 1), random({4, 5, 3})) == Sizes{4, 5, -1});
  REQUIRE(plan_of(random({0, 5, 3}), random({5, 3})) == Sizes{0, 5, -1});
  // in the order of the memory of the result, the second operand
  REQUIRE(plan_of(random({5, 4, 3}).transpose(0, 1), random({5, 4, 3}).transpose(0, 1)) ==
          Sizes{20, 0});
  REQUIRE(plan_of(random({4, 20, 3}), random({20, 4, 3}).transpose(0, 1)) == Sizes{20, 4, 0});
  REQUIRE(plan_of(random({2, 1, 4, 3}), random({4, 5, 2, 3}).permute({2, 1, 0, 3})) ==
          Sizes{4, 5, 2, -1});
}

TEST_CASE("results lie in memory as the operands do that span the batch", "[core][driver]")
{
  const auto strides_of = [](const at::Tensor & r) { return r.strides().vec(); };
  using Strides = std::vector<int64_t>;
  const auto v = [](at::IntArrayRef shape) { return random(shape); };
  for (const auto dtype : {kFloat64, kFloat32})
  {
    const auto twice = [&](const at::Tensor & t)
    { return strides_of(R2(t.to(dtype)) * Vec::fill(1, 2, 3, dtype)); };
    REQUIRE(twice(v({4, 5, 3, 3})) == Strides{15, 3, 1});
    REQUIRE(twice(v({5, 4, 3, 3}).transpose(0, 1)) == Strides{3, 12, 1});
    REQUIRE(twice(v({5, 4, 1, 3, 3}).permute({2, 1, 0, 3, 4})) == Strides{60, 3, 12, 1});
    REQUIRE(twice(v({6, 5, 4, 3, 3}).permute({1, 2, 0, 3, 4})) == Strides{12, 3, 60, 1});
    REQUIRE(twice(v({5, 8, 3, 3}).slice(1, 0, 8, 2).transpose(0, 1)) == Strides{3, 12, 1});
    REQUIRE(twice(v({5, 1, 3, 3}).expand({5, 4, 3, 3})) == Strides{12, 3, 1});
    REQUIRE(twice(v({0, 4, 3, 3}).transpose(0, 1)) == Strides{3, 12, 1});
  }
  const auto turned = v({5, 4, 3}).transpose(0, 1);
  const R2 A(v({3, 3}));
  REQUIRE(strides_of(A * Vec(turned)) == Strides{3, 12, 1});
  REQUIRE(strides_of(Vec(turned) + Vec(turned)) == Strides{3, 12, 1});
  REQUIRE(strides_of(Vec(turned).cross(Vec(turned))) == Strides{3, 12, 1});
  REQUIRE(strides_of(Vec(turned).cross(Vec(v({4, 5, 3})))) ==
          Strides{15, 3, 1}); // the operands' orders differ
  REQUIRE(strides_of(Vec(turned).cross(Vec(v({5, 3})))) == Strides{3, 12, 1});
  REQUIRE(strides_of(Vec(turned).norm()) == Strides{1, 4});
}

TEST_CASE("every row is visited once, in tiles of any size and layouts of any kind",
          "[core][driver]")
{
  const int threads = at::get_num_threads();
  for (const int n : {1, 2})
  {
    at::set_num_threads(n);
    for (const auto from_dtype : {kFloat64, kFloat32})
      for (const auto to_dtype : {kFloat64, kFloat32})
        for (const Size tile : {1, 3, 8, 32, 256})
        {
          INFO("tiles of " << tile << " rows of " << from_dtype << " and " << to_dtype);
          const auto x = [&](at::IntArrayRef shape)
          { return torch::randint(-50, 50, shape, from_dtype); };
          const auto y = [&](const TensorShape & shape, std::vector<int64_t> order)
          { return strided(shape, std::move(order), to_dtype); };
          REQUIRE(visits_all(x({3}), torch::empty({3}, to_dtype), tile));
          REQUIRE(visits_all(x({0, 3}), torch::empty({0, 3}, to_dtype), tile));
          for (const Size rows : {1, 7, 8, 9, 31, 33, 257})
          {
            REQUIRE(visits_all(x({rows, 3}), torch::empty({rows, 3}, to_dtype), tile));
            REQUIRE(visits_all(x({rows, 3}), y({rows, 3}, {0, 1}), tile));
            REQUIRE(visits_all(x({3, rows}).t(), y({rows, 3}, {1, 0}), tile));
            REQUIRE(visits_all(x({rows, 5}).slice(1, 1, 4), y({rows, 3}, {1, 0}), tile));
            REQUIRE(visits_all(x({rows, 1}).expand({rows, 3}), y({rows, 3}, {0, 1}), tile));
            REQUIRE(visits_all(x({3}), y({rows, 3}, {0, 1}), tile)); // shared by all rows
          }
          for (const auto & order : {std::vector<int64_t>{0, 1, 2, 3},
                                     std::vector<int64_t>{2, 0, 3, 1},
                                     std::vector<int64_t>{3, 1, 2, 0}})
            for (const auto & shape : {TensorShape{20, 2, 3, 3}, TensorShape{2, 40, 5, 3}})
            {
              REQUIRE(visits_all(x(shape), y(shape, order), tile));
              REQUIRE(visits_all(x({shape[0], 1, shape[2], 3}), y(shape, order), tile));
              REQUIRE(visits_all(x({shape[1], 1, 3}), y(shape, order), tile));
            }
        }
    const auto large = TensorShape{2, 60000, 3, 3}; // several tiles per thread
    REQUIRE(visits_all(torch::rand(large, kFloat64), torch::empty(large, kFloat64), 64));
    REQUIRE(visits_all(torch::rand({60000, 1, 3}, kFloat64), torch::empty(large, kFloat64), 64));
  }
  at::set_num_threads(threads);
}

TEST_CASE("float32 is computed in float64 and rounded once", "[core][driver]")
{
  // in float32 the sum of each row would be 0
  const auto A = torch::tensor({1e8, 1.0, -1e8}, kFloat32).expand({3, 3});
  for (const Size n : {1, 31, 32, 33, 300})
  {
    const R2 shared(A), each(A.expand({n, 3, 3}).contiguous()), columns(A.expand({n, 3, 3}));
    const auto ones = Vec::ones({n}, kFloat32);
    for (const auto & m : {shared, each, columns})
      REQUIRE(torch::equal(m * ones, ones));
    REQUIRE(torch::equal(each * Vec(torch::ones({3, n}, kFloat32).t()), ones));
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
} // namespace plan_test
