// SPDX-License-Identifier: MIT
#include "neml2/math/join.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "support/battery.h"
#include "support/derivatives.h"
#include "support/errors.h"
#include "support/parity.h"
#include "support/values.h"

#include <array>

#include "support/catch.h"

namespace join_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::Check;

namespace
{
/// Joins of two tensors of a type along dimensions that all batch shapes have.
template <class T>
void
add(std::vector<test::Operation> & all)
{
  constexpr auto any = Accepts::any;
  const auto n = -Size(T::const_base_dim) - 1; // the new batch dimension that is last
  all.push_back(test::operation<T, T>(
      "batch_stack",
      any,
      [](const T & a, const T & b) {
        return batch_stack({a, b});
      },
      [](const Arguments & a) {
        return at::stack({a[0], a[1]}, 0);
      }));
  all.push_back(test::operation<T, T>(
      "batch_stack",
      any,
      [](const T & a, const T & b) {
        return batch_stack(std::vector<T>{a, b}, -1);
      },
      [=](const Arguments & a) {
        return at::stack({a[0], a[1]}, n);
      }));
  all.push_back(test::operation<T, T>(
      "base_stack",
      any,
      [](const T & a, const T & b) {
        return base_stack({a, b, a}, -1);
      },
      [](const Arguments & a) {
        return at::stack({a[0], a[1], a[0]}, -1);
      }));
  if constexpr (T::const_base_dim > 0)
  {
    all.push_back(test::operation<T, T>(
        "base_stack",
        any,
        [](const T & a, const T & b) {
          return base_stack(std::vector<T>{a, b});
        },
        [=](const Arguments & a) {
          return at::stack({a[0], a[1]}, n);
        }));
    all.push_back(test::operation<T, T>(
        "base_cat",
        any,
        [](const T & a, const T & b) {
          return base_cat({a, b});
        },
        [=](const Arguments & a) {
          return at::cat({a[0], a[1]}, n + 1);
        }));
    all.push_back(test::operation<T, T>(
        "base_cat",
        any,
        [](const T & a, const T & b) {
          return base_cat(std::vector<T>{a, b, b}, -1);
        },
        [](const Arguments & a) {
          return at::cat({a[0], a[1], a[1]}, -1);
        }));
  }
}

const std::vector<test::Operation> &
operations()
{
  static const std::vector<test::Operation> all = []
  {
    std::vector<test::Operation> f;
    add<Scalar>(f);
    add<SR2>(f);
    add<R2>(f);
    const std::array<TensorShape, 2> bases{TensorShape{2, 3}, TensorShape{4, 3}};
    f.push_back(test::operation_on_tensors(
        "base_cat",
        Accepts::any,
        bases,
        [](const neml2::Tensor & a, const neml2::Tensor & b) {
          return base_cat({a, b}, -2);
        },
        [](const Arguments & a) {
          return at::cat({a[0], a[1]}, -2);
        }));
    return f;
  }();
  return all;
}

/// A result stacked along the batch has the batch dimension of neither argument.

/// Joins along a batch dimension: the batch shapes, the dimension and the expected batch shape.
struct Cat
{
  TensorShape first, second;
  Size dim;
  TensorShape batch;
};

bool
keeps_batch(const test::Operation & op)
{
  return op.name != "batch_stack";
}

test::Table
all_operations()
{
  test::Table all;
  for (const auto & op : operations())
    all.push_back(keeps_batch(op) ? op : op.without({test::Check::reference}));
  return test::without(test::own_rule, all);
}
const test::Battery battery(all_operations);
} // namespace

TEST_CASE("batch_stack agrees with LibTorch's on expanded tensors", "[math]")
{
  for (const auto & op : operations())
    if (!keeps_batch(op))
      for (const auto & batches : test::batches_for(op))
      {
        const auto a = test::arguments(op, batches);
        const auto batch = test::common_batch(op, a);
        Arguments equal;
        for (size_t k = 0; k < a.size(); k++)
          equal.push_back(a[k].expand(utils::add_shapes(batch, op.base[k])));
        const auto r = op.call(a);
        REQUIRE(r.batch_dim() == Size(batch.size()) + 1);
        REQUIRE(at::equal(r, op.expected(equal)));
      }
}

TEST_CASE("stack and cat pass the battery", "[math][cuda]")
{
  battery.check();
}

TEST_CASE("stack and cat do not depend on the memory layout", "[math]")
{
  for (int layout = 0; layout < test::layouts; layout++)
    for (const auto dtype : {kFloat64, kFloat32, kInt64})
    {
      const auto x = at::randint(-9, 9, {2, 3, 3, 3}, kInt64).to(dtype);
      const auto y = test::lay_out(test::Layout(layout), x, 2);
      const R2 a(y), b(y.contiguous());
      REQUIRE(at::equal(batch_stack({a, b}, -1), at::stack({y, y}, 2)));
      REQUIRE(at::equal(batch_cat({a, b}, -1), at::cat({y, y}, 1)));
      REQUIRE(at::equal(base_cat({a, b}, 1), at::cat({y, y}, 3)));
      REQUIRE(base_stack({a, b}).scalar_type() == dtype);
    }
}

TEST_CASE("batch_cat joins along a batch dimension and broadcasts the others", "[math]")
{
  for (const auto & c : std::vector<Cat>{{{2}, {3}, 0, {5}},
                                         {{2}, {3}, -1, {5}},
                                         {{2}, {0}, 0, {2}},
                                         {{0}, {0}, 0, {0}},
                                         {{2, 3}, {2, 4}, 1, {2, 7}},
                                         {{2, 3}, {1, 4}, -1, {2, 7}},
                                         {{2, 3}, {4, 1}, 0, {6, 3}},
                                         {{2, 3}, {3}, 0, {3, 3}}, // without dimension 0: one entry
                                         {{3}, {2, 3}, 0, {3, 3}},
                                         {{2, 3}, {5}, 1, {2, 8}},
                                         {{4}, {}, 0, {5}}})
  {
    const SR2 a(test::values(c.first, {6}, kFloat64)), b(test::values(c.second, {6}, kFloat64));
    const auto r = batch_cat({a, b}, c.dim);
    INFO("of " << test::described(a) << " and " << test::described(b));
    REQUIRE(r.batch_sizes() == c.batch);
    const Size n = Size(c.batch.size()), d = c.dim < 0 ? c.dim + n : c.dim;
    const Size m = Size(c.first.size()) == n ? c.first[size_t(d)] : 1;
    const auto head = r.slice(d, 0, m), tail = r.slice(d, m);
    REQUIRE(at::equal(head, a.expand(head.sizes())));
    REQUIRE(at::equal(tail, b.expand(tail.sizes())));
  }
  REQUIRE(test::derivatives_are_right<SR2, Vec>(
      [](const SR2 & a, const Vec & v) {
        return batch_cat({a * a(0), SR2(base_cat({v, v})).batch_unsqueeze(0)});
      }));
}

TEST_CASE("Lists are vectors, arrays, and braces of one or of several types", "[math]")
{
  const Scalar a(at::rand({2}, kFloat64)), b(at::rand({3, 1}, kFloat64)), c(1.5, kFloat64);
  const auto r = base_stack({a, b, c}, -1);
  REQUIRE(r.batch_sizes() == TensorShape{3, 2});
  REQUIRE(r.base_sizes() == TensorShape{3});
  REQUIRE(at::equal(r.select(-1, 1), b.expand({3, 2})));
  REQUIRE(at::equal(base_stack(std::vector<Scalar>{a, b, c}, -1), r));
  REQUIRE(at::equal(base_stack(std::vector<neml2::Tensor>{a, b, c}, -1), r));
  REQUIRE(at::equal(base_stack(std::array<Scalar, 3>{a, b, c}, -1), r));
  const std::vector<neml2::Tensor> list{a, b, c};
  REQUIRE(at::equal(base_stack(ArrayRef<neml2::Tensor>(list), -1), r));
  REQUIRE(at::equal(base_stack({a}), a.unsqueeze(-1)));

  const SR2 s(at::rand({2, 6}, kFloat64));
  static_assert(std::is_same_v<decltype(batch_cat({s, s}, 0)), SR2>);
  static_assert(std::is_same_v<decltype(batch_stack(std::vector<SR2>{s, s})), SR2>);
  static_assert(std::is_same_v<decltype(batch_stack({neml2::Tensor(s), s})), neml2::Tensor>);
  const Vec v(s.slice(1, 0, 3));
  const auto mixed = base_cat({v, s, v}); // of different types, and sizes along d
  REQUIRE(at::equal(mixed, at::cat({v, s, v}, 1)));
  REQUIRE(at::equal(batch_cat({neml2::Tensor(s), s}), at::cat({s, s}, 0)));
  REQUIRE(at::equal(batch_stack({neml2::Tensor(s), s}, 1), at::stack({s, s}, 1)));
}

TEST_CASE("A batch as long as the base is never taken for it", "[math]")
{
  const SR2 s(at::rand({6, 6}, kFloat64));
  const SR2 one(at::rand({6}, kFloat64)); // unbatched
  const auto r = base_stack({s, one}, 0);
  REQUIRE(r.batch_sizes() == TensorShape{6});
  REQUIRE(at::equal(r.select(1, 1), one.expand({6, 6})));
  REQUIRE(at::equal(batch_cat({s, one}), at::cat({s, one.unsqueeze(0)})));
}

TEST_CASE("Lists that cannot be joined are refused", "[math][errors]")
{
  const SR2 s = SR2::ones({2}), one = SR2::ones(), long_one = SR2::ones({3});
  const Vec v = Vec::ones({2});
  const Scalar n = Scalar::ones({2});
  const neml2::Tensor t = s;
  const std::vector<SR2> none;
  const std::pair<std::string, std::string> cases[] = {
      {test::error_of([&] { batch_cat(none); }), "batch_cat: the list is empty"},
      {test::error_of([&] { batch_stack(none); }), "batch_stack: the list is empty"},
      {test::error_of([&] { base_cat({}); }), "base_cat: the list is empty"},
      {test::error_of([&] { base_stack({}); }), "base_stack: the list is empty"},
      {test::error_of(
           [&] {
             batch_cat({s, SR2()});
           }),
       "batch_cat: undefined tensor"},
      {test::error_of(
           [&] {
             base_stack({n, Scalar()});
           }),
       "base_stack: undefined tensor"},
      {test::error_of(
           [&] {
             batch_cat({one, one});
           }),
       "batch_cat: SR2 (; 6) has no batch dimension. Add one (batch_unsqueeze)"},
      {test::error_of(
           [&] {
             base_cat({n, n});
           }),
       "base_cat: Tensor (2;) has no base dimension"},
      {test::error_of(
           [&] {
             batch_cat({s, s}, 1);
           }),
       "batch_cat: The dimension 1 is out of range for SR2 (2; 6): expected one in [-1, 1)"},
      {test::error_of(
           [&] {
             batch_stack({s, s}, 2);
           }),
       "batch_stack: The dimension 2 is out of range for SR2 (2; 6): expected one in [-2, 2)"},
      {test::error_of(
           [&] {
             base_cat({s, s}, -2);
           }),
       "base_cat: The dimension -2 is out of range"},
      {test::error_of(
           [&] {
             base_stack({s, s}, 2);
           }),
       "base_stack: The dimension 2 is out of"},
      {test::error_of(
           [&] {
             batch_stack({s, long_one});
           }),
       "batch_stack: batch shapes [2] and [3] do not broadcast"},
      {test::error_of(
           [&] {
             base_cat({s, long_one});
           }),
       "base_cat: batch shapes [2] and [3] do not broadcast"},
      {test::error_of(
           [&] {
             batch_cat({s.batch_unsqueeze(0), long_one.batch_unsqueeze(0)});
           }),
       "batch_cat: batch shapes [1, 2] and [1, 3] must broadcast, except along dimension 0, which "
       "is joined"},
      {test::error_of(
           [&] {
             base_stack({t, v});
           }),
       "base_stack: base shapes [6] and [3] differ."},
      {test::error_of(
           [&] {
             batch_cat({t, v});
           }),
       "batch_cat: base shapes [6] and [3] differ."},
      {test::error_of(
           [&] {
             base_cat({t, n});
           }),
       "base_cat: base shapes [6] and [] must be equal except along the joined dimension"},
      {test::error_of(
           [&] {
             batch_cat({s, s.to(kFloat32)});
           }),
       "batch_cat: operands of different"}};
  for (const auto & [message, part] : cases)
    REQUIRE_THAT(message, Catch::Matchers::StartsWith(part));
}
} // namespace join_test
