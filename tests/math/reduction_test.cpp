// SPDX-License-Identifier: MIT
#include "neml2/math/reduction.h"
#include "neml2/math/sum.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "support/battery.h"
#include "support/device.h"
#include "support/derivatives.h"
#include "support/errors.h"
#include "support/parity.h"
#include "support/values.h"

#include <cmath>

#include "support/catch.h"

namespace reduction_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::integers;
using test::numbers;
using test::same;
using test::slopes;

namespace
{
/// A reduction; the dimensions that it names are counted from the end of all dimensions.
struct Reduction
{
  test::Operation op;
  Size batch_dims; ///< how many more batch dimensions the result has
  bool of_nothing; ///< whether the reduction of no entries has a value
};

/// f along the last batch dimension of tensors of a type, by LibTorch g.
template <class T, class F, class G>
void
add_batch(std::vector<Reduction> & all,
          const char * name,
          Accepts accepts,
          const F & f,
          const G & g,
          bool of_nothing,
          bool keeps = false)
{
  const Size d = -Size(T::const_base_dim) - 1;
  all.push_back({test::operation<T>(
                     name,
                     accepts,
                     [=](const T & a) { return f(a, -1); },
                     [=](const Arguments & a) { return g(a[0], d); }),
                 keeps ? 0 : -1,
                 of_nothing});
}

template <class F, class G>
void
add_batches(std::vector<Reduction> & all,
            const char * name,
            Accepts accepts,
            const F & f,
            const G & g,
            bool of_nothing,
            bool keeps = false)
{
  add_batch<Scalar>(all, name, accepts, f, g, of_nothing, keeps);
  add_batch<SR2>(all, name, accepts, f, g, of_nothing, keeps);
  add_batch<R2>(all, name, accepts, f, g, of_nothing, keeps);
  const std::array<TensorShape, 1> base{TensorShape{2, 4}};
  all.push_back({test::operation_on_tensors(
                     name,
                     accepts,
                     base,
                     [=](const neml2::Tensor & a) { return f(a, -1); },
                     [=](const Arguments & a) { return g(a[0], Size(-3)); }),
                 keeps ? 0 : -1,
                 of_nothing});
}

const auto sum_along = [](const at::Tensor & x, Size d) { return x.sum(d); };
const auto mean_along = [](const at::Tensor & x, Size d) { return x.mean(d); };
const auto max_along = [](const at::Tensor & x, Size d) { return std::get<0>(x.max(d)); };
const auto min_along = [](const at::Tensor & x, Size d) { return std::get<0>(x.min(d)); };
const auto argmax_along = [](const at::Tensor & x, Size d) { return x.argmax(d, true); };
const auto argmin_along = [](const at::Tensor & x, Size d) { return x.argmin(d, true); };

const std::vector<Reduction> &
batch_reductions()
{
  static const std::vector<Reduction> all = []
  {
    std::vector<Reduction> r;
    constexpr auto any = Accepts::any, numbers = Accepts::numbers, floating = Accepts::floating;
    const auto sum = [](const auto & a, Size d) { return batch_sum(a, d); };
    const auto mean = [](const auto & a, Size d) { return batch_mean(a, d); };
    const auto max = [](const auto & a, Size d) { return batch_max(a, d); };
    const auto min = [](const auto & a, Size d) { return batch_min(a, d); };
    const auto argmax = [](const auto & a, Size d) { return batch_argmax(a, d); };
    const auto argmin = [](const auto & a, Size d) { return batch_argmin(a, d); };
    add_batches(r, "batch_sum", any, sum, sum_along, true);
    add_batches(r, "batch_mean", floating, mean, mean_along, false);
    add_batches(r, "batch_max", numbers, max, max_along, false);
    add_batches(r, "batch_min", numbers, min, min_along, false);
    add_batches(r, "batch_argmax", numbers, argmax, argmax_along, false, true);
    add_batches(r, "batch_argmin", numbers, argmin, argmin_along, false, true);
    return r;
  }();
  return all;
}

/// f along the first base dimension, of a vector, a matrix and a Tensor, by LibTorch g.
template <class F, class G>
void
add_base(std::vector<test::Operation> & all,
         const char * name,
         Accepts accepts,
         const F & f,
         const G & g)
{
  const auto along = [=](Size d) { return [=](const Arguments & a) { return g(a[0], d); }; };
  all.push_back(test::operation<SR2>(name, accepts, f, along(-1)));
  all.push_back(test::operation<R2>(name, accepts, f, along(-2)));
  const std::array<TensorShape, 1> base{TensorShape{4, 3, 2}};
  all.push_back(test::operation_on_tensors(name, accepts, base, f, along(-3)));
}

const std::vector<test::Operation> &
base_reductions()
{
  static const std::vector<test::Operation> all = []
  {
    std::vector<test::Operation> r;
    constexpr auto any = Accepts::any, numbers = Accepts::numbers, floating = Accepts::floating;
    add_base(
        r, "base_sum", any, [](const auto & a) { return base_sum(a); }, sum_along);
    add_base(
        r, "base_mean", floating, [](const auto & a) { return base_mean(a); }, mean_along);
    add_base(
        r, "base_max", numbers, [](const auto & a) { return base_max(a); }, max_along);
    add_base(
        r, "base_min", numbers, [](const auto & a) { return base_min(a); }, min_along);
    add_base(
        r, "base_argmax", numbers, [](const auto & a) { return base_argmax(a); }, argmax_along);
    add_base(
        r, "base_argmin", numbers, [](const auto & a) { return base_argmin(a); }, argmin_along);
    return r;
  }();
  return all;
}

bool
is_index(const test::Operation & op)
{
  return op.name.find("arg") != std::string::npos;
}

test::Table
all_operations()
{
  test::Table all;
  for (auto op : base_reductions())
  {
    if (is_index(op) || op.name == "base_sum") // gives int64 for all integers
      op = op.without({test::Check::integers});
    if (is_index(op)) // without a derivative the path is unknown
      op = op.without({test::Check::both_paths});
    all.push_back(op);
  }
  return test::without(test::own_rule, all);
}

/// Operations whose results have another batch than the arguments; their shapes and values are tested below.
test::Table
along_the_batch()
{
  test::Table all;
  for (const auto & r : batch_reductions())
    all.push_back(r.op);
  return test::without({test::Check::both_paths,
                        test::Check::rule,
                        test::Check::reference,
                        test::Check::meta,
                        test::Check::integers,
                        test::Check::device},
                       all);
}
const test::Battery battery(all_operations);
} // namespace

TEST_CASE("Reductions of the batch agree with LibTorch's in any memory layout", "[math]")
{
  for (const auto & [op, more, of_nothing] : batch_reductions())
    for (const auto & batch : std::vector<TensorShape>{{1}, {7}, {2, 3}, {0, 2}, {2, 0}, {300}})
      for (int layout = 0; layout < test::layouts; layout++)
      {
        if (batch.back() == 0 && !of_nothing)
          continue;
        const auto x = test::lay_out(
            test::Layout(layout), test::values(batch, op.base[0], kFloat64), op.base[0].size());
        const auto r = op.call({x});
        const auto expected = op.expected({x.contiguous()});
        INFO(op.name << " of " << x.sizes() << " in layout " << layout);
        REQUIRE(r.batch_dim() == Size(batch.size()) + more);
        REQUIRE(r.sizes() == expected.sizes());
        REQUIRE(r.scalar_type() == expected.scalar_type());
        REQUIRE(at::allclose(r, expected));
        REQUIRE(op.call({x.to(kFloat32)}).scalar_type() == (is_index(op) ? kInt64 : kFloat32));
      }
}

TEST_CASE("Reductions of the base agree with LibTorch's in any memory layout", "[math]")
{
  for (const auto & op : base_reductions())
    for (int layout = 0; layout < test::layouts; layout++)
    {
      const auto x = test::values({2, 3}, op.base[0], kFloat64);
      const auto y = test::lay_out(test::Layout(layout), x, op.base[0].size());
      REQUIRE(at::allclose(op.call({y}), op.expected({y.contiguous()})));
    }
}

TEST_CASE("Sums to a size have the derivatives of their difference quotients", "[math][autograd]")
{
  const auto square = [](const SR2 & a) { return base_sum_to_size(a * a(0), {1}); };
  REQUIRE(test::derivatives_are_right<SR2>(square));
  REQUIRE(test::derivatives_are_right<SR2>([](const SR2 & a)
                                           { return batch_sum_to_size(a * a(0), {1}); }));
}

TEST_CASE("Reductions of the batch give shapes on the meta device", "[math]")
{
  for (const auto & r : batch_reductions())
  {
    const auto x = test::values({4, 5}, r.op.base[0], kFloat64);
    const auto on_meta = r.op.call({x.to(at::kMeta)}), expected = r.op.call({x});
    REQUIRE(on_meta.is_meta());
    REQUIRE(on_meta.sizes() == expected.sizes());
    REQUIRE(on_meta.scalar_type() == expected.scalar_type());
  }
  const auto s = SR2::ones({4, 5}, TensorOptions(kFloat64).device(at::kMeta));
  REQUIRE(batch_sum_to_size(s, {1, 5}).batch_sizes() == TensorShape{1, 5});
  REQUIRE(base_sum_to_size(s, {}).base_dim() == 0);
}

TEST_CASE("Reductions of the batch give the same on a device", "[math][cuda]")
{
  for (const auto & r : batch_reductions())
  {
    const auto x = test::values({300, 7}, r.op.base[0], kFloat64);
    REQUIRE(at::allclose(r.op.call({x.to(test::device())}).cpu(), r.op.call({x})));
  }
}

TEST_CASE("Reductions pass the battery", "[math][cuda]")
{
  battery.check();
  test::check_operations(along_the_batch());
}

TEST_CASE("A reduction removes the dimension it is told, and no base dimension", "[math]")
{
  const SR2 s(at::rand({2, 5, 6}, kFloat64));
  REQUIRE(batch_sum(s).batch_sizes() == TensorShape{5});
  REQUIRE(at::equal(batch_sum(s, 0), s.sum(0)));
  REQUIRE(at::equal(batch_sum(s, 1), s.sum(1)));
  REQUIRE(at::equal(batch_mean(s, -1), s.mean(1)));
  REQUIRE(at::equal(batch_max(s, -2), s.amax(0)));
  REQUIRE(at::equal(batch_min(s), s.amin(0)));
  REQUIRE(batch_argmax(s, 1).batch_sizes() == TensorShape{2, 1});
  static_assert(std::is_same_v<decltype(batch_argmin(s)), SR2>);
  const R2 a(at::rand({5, 3, 3}, kFloat64));
  REQUIRE(base_sum(a, 0).base_sizes() == TensorShape{3});
  REQUIRE(at::equal(base_sum(a, -1), a.sum(2)));
  REQUIRE(at::equal(base_sum(a, {0, 1}), a.sum({1, 2})));
  REQUIRE(at::equal(base_sum(a, {-1, 0}, true), a.sum({1, 2}, true)));
  REQUIRE(base_sum(a, {0, 1}, true).base_sizes() == TensorShape{1, 1});
  REQUIRE(base_sum(neml2::Tensor(s), 0).batch_sizes() == TensorShape{2, 5});
  REQUIRE(at::equal(base_mean(a, -1), a.mean(2)));
  REQUIRE(base_argmax(a, 1).base_sizes() == TensorShape{3, 1});
}

TEST_CASE("Sums of integers and of truth values are int64, extrema keep the dtype", "[math]")
{
  const Vec i(at::arange(12, kInt64).reshape({4, 3}).to(kInt16));
  REQUIRE(batch_sum(i).scalar_type() == kInt64);
  REQUIRE(at::equal(batch_sum(i), at::tensor(std::vector<int64_t>{18, 22, 26}, kInt64)));
  REQUIRE(batch_sum(Vec(i > 5)).sum().item<int64_t>() == 6);
  REQUIRE(batch_max(i).scalar_type() == kInt16);
  REQUIRE(base_min(i).scalar_type() == kInt16);
  REQUIRE(batch_sum_to_size(i, {1}).scalar_type() == kInt16);
  REQUIRE(at::equal(batch_argmax(integers({1, 7, 3})), integers({1})));
}

TEST_CASE("NaN is the largest and the smallest, and ties share the derivative", "[math][autograd]")
{
  const auto a = numbers({1, NAN, 3});
  REQUIRE(std::isnan(batch_max(a).item<double>()));
  REQUIRE(std::isnan(batch_min(a).item<double>()));
  REQUIRE(batch_argmax(a).item<int64_t>() == 1);
  REQUIRE(batch_argmin(a).item<int64_t>() == 1);
  const auto x = numbers({2, 1, 2}).requires_grad_();
  REQUIRE(same(slopes(batch_max(Scalar(x)), {x})[0], {0.5, 0, 0.5}));
  REQUIRE(std::isnan(batch_mean(Scalar::ones({0})).item<double>()));
  REQUIRE(batch_sum(Scalar::ones({0})).item<double>() == 0);
}

TEST_CASE("sum_to_size is the reverse of expand", "[math]")
{
  const SR2 s(at::rand({4, 2, 5, 6}, kFloat64));
  for (const auto & shape : std::vector<TensorShape>{
           {4, 2, 5}, {4, 1, 5}, {2, 5}, {1, 5}, {2, 1}, {5}, {1}, {}, {1, 1, 1}})
  {
    const auto r = batch_sum_to_size(s, shape);
    REQUIRE(r.batch_sizes() == shape);
    REQUIRE(at::allclose(r, s.sum_to_size(utils::add_shapes(shape, 6))));
  }
  const neml2::Tensor t(s, 1);                // (4; 2, 5, 6)
  const auto r = base_sum_to_size(t, {1, 6}); // not aligned with the batch
  REQUIRE(r.batch_sizes() == TensorShape{4});
  REQUIRE(at::allclose(r, s.sum({1, 2}).unsqueeze(1)));
  REQUIRE(at::allclose(base_sum_to_size(t, {}), s.sum({1, 2, 3})));
  REQUIRE(at::equal(base_sum_to_size(t, {2, 5, 6}), s));
}

TEST_CASE("Reductions along what is not there are refused", "[math][errors]")
{
  const SR2 s = SR2::ones({2, 5}), one = SR2::ones(), none = SR2::ones({0});
  const Scalar n = Scalar::ones({2});
  const std::pair<std::string, std::string> cases[] = {
      {test::error_of([&] { batch_sum(one); }),
       "batch_sum: SR2 (; 6) has no batch dimension. Add one (batch_unsqueeze)"},
      {test::error_of([&] { batch_mean(one); }), "batch_mean: SR2 (; 6) has no batch dimension"},
      {test::error_of([&] { batch_sum(s, 2); }),
       "batch_sum: The dimension 2 is out of range for SR2 (2, 5; 6): expected one in [-2, 2)"},
      {test::error_of([&] { batch_max(s, -3); }), "batch_max: The dimension -3 is out of range"},
      {test::error_of([&] { base_sum(n); }), "base_sum: Scalar (2;) has no base dimension"},
      {test::error_of([&] { base_max(s, 1); }),
       "base_max: The dimension 1 is out of range for SR2 (2, 5; 6): expected one in [-1, 1)"},
      {test::error_of(
           [&] {
             base_sum(s, {0, 1});
           }),
       "base_sum: The dimension 1 is out of range"},
      {test::error_of([&] { base_sum(s, TensorShapeRef()); }),
       "base_sum: name the base dimensions"},
      {test::error_of(
           [&] {
             base_sum(R2::ones(), {0, -2});
           }),
       "base_sum: dim 0 appears multiple"},
      {test::error_of([&] { batch_max(none); }), "batch_max: there are no entries along dim"},
      {test::error_of([&] { batch_min(none); }), "batch_min: there are no entries along dim"},
      {test::error_of([&] { batch_argmax(none); }), "batch_argmax: there are no entries along dim"},
      {test::error_of([&] { batch_sum_to_size(s, {3}); }),
       "batch_sum_to_size: the shape [3] does not expand to [2, 5] of SR2 (2, 5; 6)"},
      {test::error_of(
           [&] {
             batch_sum_to_size(s, {1, 2, 5});
           }),
       "batch_sum_to_size: the shape [1, 2, 5] does not expand"},
      {test::error_of([&] { base_sum_to_size(s, {2}); }), "base_sum_to_size: the shape [2] does"},
      {test::error_of([&] { base_sum_to_size(SR2(), {1}); }), "base_sum_to_size: undefined"},
      {test::error_of([&] { batch_mean(Scalar::ones({2}, kInt64)); }),
       "batch_mean: not defined for dtype int64"}};
  for (const auto & [message, part] : cases)
    REQUIRE_THAT(message, Catch::Matchers::StartsWith(part));
}
} // namespace reduction_test
