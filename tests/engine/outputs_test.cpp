// SPDX-License-Identifier: MIT
#include "neml2/engine/outputs.h"

#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "support/errors.h"

#include <torch/types.h>

#include "support/catch.h"

namespace outputs_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using core::overlaps_itself;
namespace core = neml2::core;
using test::error_of;

namespace
{
at::Tensor
numbers(at::IntArrayRef shape)
{
  return torch::zeros(shape, kFloat64);
}

/// The message that refuses the outputs for this batch shape and these inputs.
std::string
refusal(const std::vector<SR2> & outputs, TensorShapeRef batch, const std::vector<SR2> & inputs)
{
  std::vector<core::Operand> o, i;
  for (const auto & t : outputs)
    o.push_back(core::operand(t));
  for (const auto & t : inputs)
    i.push_back(core::operand(t));
  return error_of([&] { engine::check_outputs("test", o, batch, i); });
}
} // namespace

TEST_CASE("the extent of a tensor is the bytes from its first entry to behind its last",
          "[core][outputs]")
{
  const auto bytes = [](const at::Tensor & t)
  {
    const auto e = core::extent(t);
    REQUIRE(e.first == t.data_ptr());
    return e.second - e.first;
  };
  REQUIRE(bytes(numbers({4, 6})) == 24 * 8);
  REQUIRE(bytes(numbers({4, 6}).to(kFloat32)) == 24 * 4);
  REQUIRE(bytes(numbers({4, 6}).t()) == 24 * 8);
  REQUIRE(bytes(numbers({4, 6}).slice(0, 1, 4, 2)) == 18 * 8);
  REQUIRE(bytes(numbers({4, 6}).select(1, 2)) == 19 * 8);
  REQUIRE(bytes(numbers({6}).expand({4, 6})) == 6 * 8);
  REQUIRE(bytes(numbers({})) == 8);
  REQUIRE(bytes(numbers({0, 6})) == 0);
  REQUIRE(bytes(numbers({4, 0})) == 0);
}

TEST_CASE("a tensor whose entries may be one number in memory is noticed", "[core][outputs]")
{
  const auto t = numbers({4, 5, 6});
  for (const auto & good : {t,
                            numbers({}),
                            numbers({1}),
                            numbers({0, 6}),
                            t.transpose(0, 2),
                            t.permute({1, 2, 0}),
                            t.slice(0, 0, 4, 2).slice(2, 1, 5, 3),
                            t.select(1, 3),
                            t.as_strided({4, 6}, {6, 1}),
                            t.as_strided({6, 2}, {2, 1}),
                            t.slice(1, 0, 1).expand({4, 1, 6}),
                            t.as_strided({1, 6}, {0, 1})})
    REQUIRE(!overlaps_itself(good));
  for (const auto & bad : {numbers({6}).expand({2, 6}),
                           numbers({4, 1}).expand({4, 6}),
                           numbers({}).expand({2}),
                           t.as_strided({4, 6}, {5, 1}),
                           t.as_strided({4, 6}, {1, 1}),
                           t.as_strided({3, 3, 2}, {4, 2, 2})})
    REQUIRE(overlaps_itself(bad));
}

TEST_CASE("tensors that may share memory without being the same entries are noticed",
          "[core][outputs]")
{
  const auto shares = [](const at::Tensor & a, const at::Tensor & b)
  {
    const Tensor x(a, 1), y(b, 1);
    const auto o = core::operand(x), p = core::operand(y);
    return engine::may_share_memory(o, p) && !engine::are_the_same_rows(o, p);
  };
  const auto t = numbers({8, 6});
  REQUIRE(!shares(t.slice(1, 0, 3), t.slice(1, 3, 6))); // columns
  REQUIRE(!shares(t.slice(1, 4, 6), t.slice(1, 0, 3)));
  REQUIRE(shares(t.slice(1, 0, 4), t.slice(1, 3, 6)));
  REQUIRE(!shares(t.slice(1, 0, 6, 2), t.slice(1, 1, 6, 2))); // interleaved
  REQUIRE(shares(t.slice(0, 0, 4).slice(1, 0, 3), t.slice(0, 0, 8, 2).slice(1, 3, 6)));
  REQUIRE(!shares(t, t));
  REQUIRE(!shares(t, t.view({8, 6})));
  REQUIRE(!shares(t, numbers({8, 6})));
  REQUIRE(!shares(t.slice(0, 0, 4), t.slice(0, 4, 8))); // side by side
  REQUIRE(!shares(t.slice(0, 0, 0), t));
  REQUIRE(!shares(t.to(at::kMeta), t.to(at::kMeta)));
  REQUIRE(shares(t.slice(0, 0, 5), t.slice(0, 4, 8)));
  REQUIRE(shares(t, t.slice(0, 0, 4)));
  REQUIRE(shares(t.slice(0, 7, 8), t));
  REQUIRE(shares(t,
                 t.flip(0).copy_(t).view({6, 8}).view({8, 6}).set_(
                     t.storage(), 0, {6, 8}, {1, 6})));            // transposed
  REQUIRE(shares(t.slice(0, 0, 6), t.as_strided({6, 6}, {7, 1}))); // other strides
}

TEST_CASE("outputs are refused with what is wrong and what to do", "[core][outputs]")
{
  const SR2 good(numbers({4, 6})), in(numbers({4, 6}));
  const TensorShape batch{4};
  const auto says = [&](const std::vector<SR2> & outputs, const char * text)
  { REQUIRE_THAT(refusal(outputs, batch, {in}), ContainsSubstring(text)); };
  REQUIRE(refusal({good}, batch, {in}) == "no error");
  REQUIRE(refusal({in}, batch, {in}) == "no error"); // its own output
  REQUIRE(refusal({good, SR2(numbers({6, 4}).t())}, batch, {in, good}) == "no error");
  REQUIRE(refusal({SR2(numbers({0, 6})), SR2(numbers({0, 6}))}, {0}, {in}) == "no error");
  REQUIRE(refusal({SR2(numbers({0, 6}))}, {0}, {}) == "no error");

  says({SR2()}, "test: undefined tensor: an operand of type SR2");
  says({SR2(numbers({3, 6}))},
       "test: the output SR2 (3; 6) does not have the result's batch shape [4]");
  says({SR2(numbers({1, 4, 6}))}, "does not have the result's batch shape");
  says({SR2(numbers({6}))}, "Make one with empty(batch shape)");
  says({good.to(kFloat32)}, "test: operands of different dtypes: SR2 (4; 6) is float64");
  says({good.to(at::kMeta)}, "test: operands on different devices");
  says({SR2(numbers({6})).batch_expand({4})}, "overlaps itself");
  says({SR2(numbers({30}).as_strided({4, 6}, {5, 1}))}, "of strides [5, 1] overlaps itself");
  says({good, good}, "test: the outputs SR2 (4; 6) and SR2 (4; 6) may share memory");
  says({good, SR2(good.view({4, 6}))}, "share memory");
  SR2 reshaped(numbers({4, 6}));
  reshaped.resize_({8, 3});
  says({reshaped}, "base shape mismatch");

  const SR2 whole(numbers({6, 6}));
  const SR2 front(whole.slice(0, 0, 4)), back(whole.slice(0, 2, 6));
  says({front, back}, "share memory");
  REQUIRE_THAT(
      refusal({front}, batch, {back}),
      ContainsSubstring("test: the output SR2 (4; 6) may share memory with the argument SR2 "
                        "(4; 6) without being the same tensor"));
  REQUIRE_THAT(refusal({front}, batch, {good, whole.slice(0, 0, 1)}),
               ContainsSubstring("may share memory with the argument"));
}

TEST_CASE("outputs are refused where a gradient would be lost", "[core][outputs][autograd]")
{
  const SR2 good(numbers({4, 6})), tracked(numbers({4, 6}).requires_grad_());
  REQUIRE_THAT(refusal({good}, {4}, {tracked}),
               ContainsSubstring("the argument SR2 (4; 6) requires grad") &&
                   ContainsSubstring("NoGradGuard"));
  REQUIRE_THAT(refusal({tracked}, {4}, {good}),
               ContainsSubstring("the output SR2 (4; 6) requires grad") &&
                   ContainsSubstring("NoGradGuard"));
  REQUIRE_THAT(refusal({SR2(tracked * 2)}, {4}, {good}), ContainsSubstring("requires grad"));
  const torch::NoGradGuard guard;
  REQUIRE(refusal({good}, {4}, {tracked}) == "no error");
  REQUIRE(refusal({tracked}, {4}, {good}) == "no error");
}
TEST_CASE("Blocks of one matrix are different outputs", "[engine][outputs]")
{
  const bool batched = GENERATE(true, false);
  const at::Tensor all = numbers(batched ? at::IntArrayRef({5, 9, 13}) : at::IntArrayRef({9, 13}));
  const Size d = batched ? 1 : 0;
  const auto refused = [&](const at::Tensor & a, const at::Tensor & b)
  {
    const Tensor s(a, d), t(b, d);
    const core::Operand o[] = {core::operand(s), core::operand(t)};
    return error_of([&] { engine::check_outputs("test", o, a.sizes().slice(0, size_t(d)), {}); });
  };
  const auto block = [&](Size row, Size rows, Size column, Size columns)
  { return all.narrow(d, row, rows).narrow(d + 1, column, columns); };
  const at::Tensor a = block(0, 6, 0, 6);
  REQUIRE(refused(a, block(0, 6, 6, 7)) == "no error");
  REQUIRE(refused(block(0, 6, 6, 7), a) == "no error");
  REQUIRE(refused(a, block(0, 9, 6, 1)) == "no error");
  REQUIRE(refused(a, block(6, 3, 0, 13)) == "no error");
  REQUIRE(refused(block(8, 1, 12, 1), block(0, 8, 0, 13)) == "no error");
  REQUIRE_THAT(refused(a, block(5, 4, 5, 8)), ContainsSubstring("may share memory"));
  REQUIRE_THAT(refused(block(0, 9, 3, 1), block(4, 1, 0, 13)),
               ContainsSubstring("may share memory"));
  if (batched) // of the next row, as another tensor
  {
    const at::Tensor next = all.narrow(0, 1, 4).narrow(1, 0, 6).narrow(2, 0, 6);
    REQUIRE_THAT(refused(a.narrow(0, 0, 4), next), ContainsSubstring("may share memory"));
  }
}
} // namespace outputs_test
