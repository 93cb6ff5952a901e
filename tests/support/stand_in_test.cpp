// SPDX-License-Identifier: MIT
#include "support/stand_in.h"

#include <sys/mman.h>
#include <unistd.h>

#include "support/catch.h"

namespace stand_in_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using Names = std::set<std::string>;

namespace
{
at::Tensor
numbers()
{
  return at::arange(12, at::kDouble).view({3, 4});
}

at::Tensor
there()
{
  return numbers().to(test::stand_in());
}

/// Whether there is memory at this address.
bool
is_mapped(const void * p)
{
  const auto page = uintptr_t(sysconf(_SC_PAGESIZE));
  return msync(reinterpret_cast<void *>(uintptr_t(p) & ~(page - 1)), page, MS_ASYNC) == 0;
}
} // namespace

TEST_CASE("The host cannot read the stand-in's memory", "[support][stand-in]")
{
  const auto t = there();
  REQUIRE(is_mapped(numbers().data_ptr()));
  REQUIRE_FALSE(is_mapped(t.data_ptr()));
  REQUIRE_FALSE(is_mapped(t.t().slice(0, 1).data_ptr()));
  REQUIRE_FALSE(is_mapped((t + 1).data_ptr()));
  REQUIRE(at::equal(t.cpu(), numbers()));
}

TEST_CASE("Views of the stand-in's memory are views", "[support][stand-in]")
{
  auto t = there();
  for (const auto & view : {t.t(), t.slice(1, 0, 4, 2), t.unfold(1, 2, 2), t.view({2, 6}), t[0]})
    REQUIRE(view.is_alias_of(t));
  t.t().slice(0, 1, 4, 2).add_(100);
  auto expected = numbers();
  expected.slice(1, 1, 4, 2).add_(100);
  REQUIRE(at::equal(t.cpu(), expected));
  auto out = at::empty({0}, t.options()); // grows
  at::add_out(out, t, t);
  REQUIRE(at::equal(out.cpu(), 2 * expected));
  out.resize_({2, 2}).fill_(3);
  REQUIRE(at::equal(out.cpu(), at::full({2, 2}, 3.0, at::kDouble)));
}

TEST_CASE("The stand-in computes with no tensor of the CPU but numbers", "[support][stand-in]")
{
  const auto t = there();
  REQUIRE(at::equal((t * at::scalar_tensor(2.0, at::kDouble)).cpu(), 2 * numbers()));
  REQUIRE_THROWS_WITH(t + numbers(), ContainsSubstring("device"));
  REQUIRE_THROWS_WITH(numbers() + t, ContainsSubstring("device"));
  REQUIRE_THROWS_WITH(at::cat({t, numbers()}), ContainsSubstring("device"));
  REQUIRE_THROWS_WITH(at::where(t > 0, t, numbers()), ContainsSubstring("device"));
}

TEST_CASE("Waits for the stand-in are counted", "[support][stand-in]")
{
  const auto t = there();
  const auto waits = [](const auto & f) { return test::waits_of(f); };
  REQUIRE(waits([&] { (t * 2 + t.sum()).t().contiguous().index_select(1, t.argmax(0)); }) ==
          Names{});
  REQUIRE(waits([&] { t.sum().item<double>(); }) == Names{"aten::_local_scalar_dense"});
  REQUIRE(waits([&] { at::is_nonzero(t[0][1]); }) == Names{"aten::_local_scalar_dense"});
  REQUIRE(waits([&] { at::equal(t, t); }) == Names{"aten::equal"});
  REQUIRE(waits([&] { at::allclose(t, t); }) == Names{"aten::_local_scalar_dense"});
  REQUIRE(waits([&] { t.cpu(); }) == Names{"copy to the host"});
  REQUIRE(waits([&] { there(); }) == Names{"copy to the device"});
  REQUIRE(waits([&] { t.clone().to(at::kFloat); }) == Names{});
  REQUIRE(waits([&] { t.nonzero(); }) == Names{"aten::nonzero"});
  REQUIRE(waits([&] { t.masked_select(t > 3); }) == Names{"aten::masked_select"});
  REQUIRE(waits([&] { t.index({t > 3}); }).count("aten::index") == 1);
  REQUIRE(waits([&] { t.index({at::tensor({0, 1}, at::kLong)}); }).count("aten::index") == 1);
  REQUIRE(waits([&] { t.index({t[0].to(at::kLong).clamp_max(2)}); }) == Names{});
}
} // namespace stand_in_test
