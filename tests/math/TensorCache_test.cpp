// SPDX-License-Identifier: MIT
#include "neml2/math/TensorCache.h"

#include "neml2/tensors/Scalar.h"
#include "support/errors.h"

#include <torch/types.h>

#include <atomic>
#include <thread>

#include "support/catch.h"

namespace TensorCache_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::error_of;

namespace
{
/// A cache of (; 2) that counts how often it makes a tensor.
struct Counting
{
  std::atomic<int> made{0};
  TensorCache cache{[this](const TensorOptions & o)
                    {
                      made++;
                      return Tensor::full({2}, 3, o);
                    }};
};
} // namespace

TEST_CASE("a cache makes one tensor for each dtype and device", "[core][TensorCache]")
{
  Counting c;
  REQUIRE(c.made == 0);
  const Tensor & a = c.cache(kFloat64);
  const Tensor & b = c.cache(kFloat32);
  const Tensor & m = c.cache(TensorOptions(kFloat32).device("meta"));
  REQUIRE(c.made == 3);
  REQUIRE((a.scalar_type() == kFloat64 && b.scalar_type() == kFloat32 && m.is_meta()));
  REQUIRE(torch::equal(a, torch::full({2}, 3, kFloat64)));
  REQUIRE(&c.cache(kFloat64) == &a);
  REQUIRE(&c.cache(kFloat32) == &b);
  REQUIRE(&c.cache(TensorOptions(kFloat32).device("meta")) == &m);
  REQUIRE(&c.cache(TensorOptions(kFloat64).device("cpu").requires_grad(true)) == &a);
  REQUIRE(c.made == 3);
}

TEST_CASE("a tensor that a cache returned stays where it is", "[core][TensorCache]")
{
  Counting c;
  const Tensor & first = c.cache(kFloat64);
  const void * const memory = first.data_ptr();
  for (const auto dtype : {kFloat32, kInt64, kInt32, kInt16, kInt8, kUInt8, kFloat16})
    REQUIRE(c.cache(dtype).scalar_type() == dtype);
  REQUIRE(&c.cache(kFloat64) == &first);
  REQUIRE(first.data_ptr() == memory);
}

TEST_CASE("without options a cache follows the default dtype", "[core][TensorCache]")
{
  Counting c;
  REQUIRE(c.cache().scalar_type() == kFloat64);
  default_dtype() = kFloat32;
  const auto dtype = c.cache().scalar_type(), named = c.cache(Device(kCPU)).scalar_type();
  default_dtype() = kFloat64;
  REQUIRE(dtype == kFloat32);
  REQUIRE(named == kFloat32);
}

TEST_CASE("the tensor a cache makes in inference mode may be saved for gradients",
          "[core][TensorCache][autograd]")
{
  Counting c;
  {
    const c10::InferenceMode on;
    REQUIRE(!c.cache(kFloat64).is_inference());
  }
  const Scalar x = Scalar::full(2, default_tensor_options().requires_grad(true));
  (Tensor(x) * c.cache(kFloat64)).sum().backward();
  REQUIRE(x.grad().item<double>() == 6);
  REQUIRE(!c.cache(kFloat64).requires_grad());
}

TEST_CASE("several threads get the same tensor of a cache", "[core][TensorCache]")
{
  Counting c;
  std::vector<const Tensor *> got(8);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < got.size(); i++)
    threads.emplace_back(
        [&, i]
        {
          for (int k = 0; k < 100; k++)
            got[i] = &c.cache(k % 2 ? kFloat64 : kFloat32);
        });
  for (auto & t : threads)
    t.join();
  for (const auto * t : got)
    REQUIRE(t == &c.cache(kFloat64));
}

TEST_CASE("a maker may use its own cache", "[core][TensorCache]")
{
  TensorCache * self = nullptr;
  TensorCache cache(
      [&](const TensorOptions & o) -> Tensor
      {
        if (o.dtype() == kFloat64)
          return Tensor::ones({2}, o);
        return (*self)(kFloat64).to(o);
      });
  self = &cache;
  REQUIRE(torch::equal(cache(kFloat32), torch::ones({2})));
}

TEST_CASE("a maker that fails is asked again", "[core][TensorCache]")
{
  int calls = 0;
  TensorCache cache(
      [&](const TensorOptions & o)
      {
        if (++calls == 1)
          throw NEMLException("not yet");
        return calls == 2 ? Tensor() : Tensor::ones({2}, o);
      });
  REQUIRE(error_of([&] { cache(kFloat64); }) == "not yet");
  REQUIRE_THAT(error_of([&] { cache(kFloat64); }),
               ContainsSubstring("TensorCache: undefined tensor"));
  REQUIRE(cache(kFloat64).sum().item<double>() == 2);
  REQUIRE(calls == 3);
}
} // namespace TensorCache_test
