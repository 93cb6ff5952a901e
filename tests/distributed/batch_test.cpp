// SPDX-License-Identifier: MIT
#include "neml2/distributed/batch.h"
#include "neml2/math/products.h"
#include "neml2/math/reduction.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "processes.h"
#include "support/MemoryOfCall.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <future>
#include <thread>

#include "support/catch.h"

/// Groups of 1 to 4 ranks, each a thread of this program that exchanges tensors with the others by Gloo. Tests with processes that end
/// are in python/tests/test_distributed.py.
namespace batch_test
{
using namespace neml2;
namespace many = neml2::distributed;
using many::Counts;
using many::Group;
using Tensors = std::vector<at::Tensor>;

namespace
{
/// The results of f in each of this many ranks; an exception of a rank is thrown here.
template <class F>
auto
in_ranks(int size, const F & f, std::chrono::milliseconds limit = std::chrono::seconds(30))
{
  using Result = decltype(f(std::declval<Group>()));
  const auto store = c10::make_intrusive<c10d::HashStore>();
  std::vector<Result> results(static_cast<size_t>(size));
  std::vector<std::exception_ptr> errors(results.size());
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; rank++)
    threads.emplace_back(
        [&, rank]
        {
          try
          {
            results[size_t(rank)] = f(gloo_group(store, rank, size, limit));
          }
          catch (...)
          {
            errors[size_t(rank)] = std::current_exception();
          }
        });
  for (auto & t : threads)
    t.join();
  for (const auto & e : errors)
    if (e)
      std::rethrow_exception(e);
  return results;
}

/// The message of each rank's NEMLException.
template <class F>
std::vector<std::string>
messages(int size, const F & f, std::chrono::milliseconds limit = std::chrono::seconds(30))
{
  return in_ranks(
      size,
      [&](const Group & group) -> std::string
      {
        try
        {
          f(group);
        }
        catch (const NEMLException & e)
        {
          return e.what();
        }
        return "nothing was thrown";
      },
      limit);
}

at::Tensor
numbers(at::IntArrayRef shape, Dtype dtype = kFloat64)
{
  Size n = 1;
  for (const Size s : shape)
    n *= s;
  return at::sin(at::arange(1.0, double(n) + 1, at::kDouble) * 12.9898)
      .view(shape)
      .mul(100)
      .to(dtype);
}

at::Tensor
mine(const at::Tensor & whole, const Counts & counts, const Group & group)
{
  return whole.split_with_sizes(counts)[size_t(group->getRank())];
}

const std::vector<Counts> divisions{{13},
                                    {7, 6},
                                    {13, 0},
                                    {0, 13},
                                    {5, 4, 4},
                                    {0, 13, 0},
                                    {4, 3, 3, 3},
                                    {0, 0, 13, 0},
                                    {1, 2, 4, 6}};

/// Whether two tensors have the same dtype, shape and bits.
bool
bitwise(const at::Tensor & a, const at::Tensor & b)
{
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() &&
         a.contiguous().view(-1).view(at::kByte).equal(b.contiguous().view(-1).view(at::kByte));
}

template <class T>
bool
parts_are_right(const Group & group, Size n, Size d)
{
  TensorShape shape{n};
  shape.insert(d == 0 ? shape.end() : shape.begin(), 3);
  const auto base = T::const_base_sizes;
  shape.insert(shape.end(), base.begin(), base.end());
  const T whole(numbers(shape));
  const T part = many::scatter_batch(whole, group, d);
  const auto [begin, end] = many::batch_part(n, group);
  bool right =
      part.equal(whole.slice(d, begin, end)) && many::gather_batch(part, group, d).equal(whole);
  for (int source = 0; source < group->getSize(); source++)
  {
    const T from = many::scatter_batch(group->getRank() == source ? whole : T(), group, d, source);
    right = right && from.equal(part) && from.batch_dim() == 2;
  }
  return right;
}
} // namespace

TEST_CASE("Parts of a batch are scattered and gathered, evenly or not", "[distributed]")
{
  for (int size = 1; size <= 4; size++)
    for (const Size n : {0, 1, 8, 11})
      for (const bool right : in_ranks(size,
                                       [&](const Group & group)
                                       {
                                         return parts_are_right<SR2>(group, n, 0) &&
                                                parts_are_right<R2>(group, n, 1) &&
                                                parts_are_right<Scalar>(group, n, -1);
                                       }))
        REQUIRE(right);
}

TEST_CASE("Reductions over all parts are those of the batch, bitwise the same for any division",
          "[distributed]")
{
  for (const Dtype dtype : {kFloat64, kFloat32, kFloat16, kInt64, kInt32})
  {
    const at::Tensor whole = numbers({13, 2, 6}, dtype);
    Tensors first;
    for (const auto & counts : divisions)
      for (const Tensors & found : in_ranks(int(counts.size()),
                                            [&](const Group & group)
                                            {
                                              const SR2 a(mine(whole, counts, group));
                                              Tensors r{many::batch_sum(a, group),
                                                        many::batch_max(a, group),
                                                        many::batch_min(a, group)};
                                              if (c10::isFloatingType(dtype))
                                                r.push_back(many::batch_mean(a, group));
                                              return r;
                                            }))
      {
        if (first.empty())
          first = found;
        for (size_t k = 0; k < found.size(); k++)
          REQUIRE(bitwise(found[k], first[k]));
      }
    const SR2 a(whole);
    REQUIRE(at::allclose(first[0], batch_sum(a), 1e-3));
    REQUIRE(first[1].equal(batch_max(a)));
    REQUIRE(first[2].equal(batch_min(a)));
    if (c10::isFloatingType(dtype))
      REQUIRE(at::allclose(first[3], batch_mean(a), 1e-3));
  }
}

TEST_CASE("A sum adds the pairs of the whole batch", "[distributed]")
{
  const at::Tensor whole = numbers({13});
  at::Tensor x = whole;
  while (x.size(0) > 1) // 13, 7, 4, 2, 1
  {
    const Size even = x.size(0) / 2 * 2;
    x = at::cat({x.slice(0, 0, even, 2) + x.slice(0, 1, even, 2), x.slice(0, even)});
  }
  for (const auto & counts : divisions)
    for (const auto & found :
         in_ranks(int(counts.size()),
                  [&](const Group & group)
                  { return many::batch_sum(Scalar(mine(whole, counts, group)), group); }))
      REQUIRE(found.item<double>() == x.item<double>());
}

TEST_CASE("Without an entry in any process sums are zero, means NaN, and there is no largest one",
          "[distributed]")
{
  for (const auto & found :
       in_ranks(2,
                [](const Group & group)
                {
                  const Scalar none =
                      Scalar::zeros({0}, {}, default_tensor_options().dtype(kFloat64));
                  return Tensors{many::batch_sum(none, group), many::batch_mean(none, group)};
                }))
  {
    REQUIRE(found[0].item<double>() == 0);
    REQUIRE(std::isnan(found[1].item<double>()));
  }
  for (const auto & m :
       messages(2, [](const Group & group) { many::batch_max(SR2::zeros({0}), group); }))
    REQUIRE(m == "batch_max: no process has an entry along dimension 0. Expected at least one.");
}

namespace
{
/// A loss made of all functions, its gradients and the gradients of their squares: first by tensors that all ranks have (3 per loss),
/// then by parts. Without a group it is the loss of the whole batch, by functions of one process.
std::pair<Tensors, Tensors>
gradients(const Group & group, const Counts & counts)
{
  const Size n = many::sum(counts);
  const at::Tensor whole = (numbers({n, 6}) / 100).requires_grad_();
  const at::Tensor shared = (numbers({6}) / 50).requires_grad_();
  at::Tensor x = numbers({n, 6}) / 70, ties = numbers({n}).sign();
  SR2 own(whole), common(shared.expand({n, 6}));
  if (group)
  {
    x = mine(x, counts, group);
    ties = mine(ties, counts, group);
    own = many::scatter_batch(own, group);
    common = many::expand_batch(SR2(shared), x.size(0), group);
  }
  x = x.clone().requires_grad_();
  ties = ties.clone().requires_grad_();
  const SR2 a(x);
  const Scalar energy((own + common).square().sum(-1) * a.square().sum(-1)), t(ties);
  const auto add = [&](const Scalar & s) -> at::Tensor
  { return group ? many::batch_sum(s, group) : batch_sum(s); };
  const Scalar all = group ? many::gather_batch(energy, group) : energy;
  const at::Tensor loss = add(energy).square() +
                          (group ? many::batch_mean(energy, group) : batch_mean(energy)) +
                          3 * (group ? many::batch_max(t, group) : batch_max(t)) +
                          7 * (group ? many::batch_min(t, group) : batch_min(t)) +
                          (all * at::arange(1.0, double(n) + 1, at::kDouble)).sum();
  const Tensors g = torch::autograd::grad({loss}, {whole, shared, x, ties}, {}, true, true);
  const at::Tensor squares = g[1].square().sum() + add(Scalar(g[2].square().sum(-1)));
  const Tensors h = torch::autograd::grad({squares}, {whole, shared, x});
  return {{loss.detach(), g[0].detach(), g[1].detach(), h[0], h[1]}, {g[2].detach(), g[3], h[2]}};
}
} // namespace

TEST_CASE("Gradients of a loss of all parts are those of the whole batch",
          "[distributed][autograd]")
{
  for (const Size n : {13, 2})
  {
    const auto expected = gradients(nullptr, {n});
    const auto one = in_ranks(1, [&](const Group & group) { return gradients(group, {n}); })[0];
    for (int size = 1; size <= 4; size++)
    {
      const auto found = in_ranks(
          size, [&](const Group & group) { return gradients(group, many::divided(n, size)); });
      for (const auto & f : found)
        for (size_t k = 0; k < f.first.size(); k++)
        {
          REQUIRE(bitwise(f.first[k], one.first[k]));
          REQUIRE(at::allclose(f.first[k], expected.first[k], 1e-11, 1e-11));
        }
      for (size_t k = 0; k < one.second.size(); k++)
      {
        Tensors parts;
        for (const auto & f : found)
          parts.push_back(f.second[k]);
        REQUIRE(bitwise(at::cat(parts), one.second[k]));
        REQUIRE(at::allclose(one.second[k], expected.second[k], 1e-11, 1e-11));
      }
    }
  }
}

TEST_CASE("The process that had the batch gets its gradient", "[distributed][autograd]")
{
  const auto found = in_ranks(3,
                              [](const Group & group)
                              {
                                const bool is_source = group->getRank() == 1;
                                const at::Tensor x = numbers({7, 6}).requires_grad_();
                                const SR2 part =
                                    many::scatter_batch(is_source ? SR2(x) : SR2(), group, 0, 1);
                                many::batch_sum(Scalar(part.square().sum(-1)), group).backward();
                                return is_source ? x.grad() : at::Tensor();
                              });
  REQUIRE(at::allclose(found[1], 2 * numbers({7, 6})));
}

TEST_CASE("Only the process that had the batch gathers its gradient", "[distributed][autograd]")
{
  constexpr Size n = 40000;
  constexpr int64_t whole = n * 6 * sizeof(double);
  const auto held = in_ranks(4,
                             [](const Group & group)
                             {
                               const bool is_source = group->getRank() == 1;
                               const at::Tensor x = numbers({n, 6}).requires_grad_();
                               const SR2 part =
                                   many::scatter_batch(is_source ? SR2(x) : SR2(), group, 0, 1);
                               const at::Tensor weight = at::ones_like(part);
                               return test::MemoryOfCall::most([&] { part.backward(weight); });
                             });
  for (size_t rank = 0; rank < held.size(); rank++)
    REQUIRE((held[rank] >= whole) == (rank == 1));
}

TEST_CASE("A difference between processes is an error in all of them", "[distributed]")
{
  using Catch::Matchers::ContainsSubstring;
  const auto differ = [](const auto & first, const auto & others)
  {
    return messages(3,
                    [&](const Group & group)
                    {
                      if (group->getRank() == 0)
                        first(group);
                      else
                        others(group);
                    });
  };
  const SR2 a(numbers({4, 2, 6}));
  const auto sum_of_a = [&](const Group & group) { many::batch_sum(a, group); };
  for (const auto & m : differ(
           [&](const Group & g) {
             many::batch_sum(SR2(numbers({4, 3, 6})), g);
           },
           sum_of_a))
    REQUIRE_THAT(m,
                 ContainsSubstring("batch_sum: the processes do not make the same call. process 0: "
                                   "batch_sum of SR2 (n, 3, 6) "
                                   "float64") &&
                     ContainsSubstring("; process 1, 2: batch_sum of SR2 (n, 2, 6) float64"));
  for (const auto & m :
       differ([&](const Group & g) { many::batch_sum(SR2(a.to(kFloat32)), g); }, sum_of_a))
    REQUIRE_THAT(m, ContainsSubstring("float32") && ContainsSubstring("float64"));
  for (const auto & m : differ([&](const Group & g) { many::batch_max(a, g); }, sum_of_a))
    REQUIRE_THAT(m,
                 ContainsSubstring("process 0: batch_max of") &&
                     ContainsSubstring("process 1, 2: batch_sum of"));
  for (const auto & m : differ([&](const Group & g) { many::scatter_batch(a, g); },
                               [](const Group & g) {
                                 many::scatter_batch(SR2(numbers({5, 2, 6})), g);
                               }))
    REQUIRE_THAT(m,
                 ContainsSubstring("processes have batches of 4 and 5 entries along dimension 0"));
  const auto refused = differ([&](const Group & g) { many::batch_sum(a, g, 2); }, sum_of_a);
  const std::string own =
      "batch_sum: The dimension 2 is out of range for SR2 (4, 2; 6): expected one in [-2, 2).";
  REQUIRE(refused[0] == own);
  REQUIRE(refused[1] == "batch_sum: process 0 has refused its arguments, " + own);
  REQUIRE(refused[2] == refused[1]);
}

TEST_CASE("Whoever waits longer than the limit of the group gets an error", "[distributed]")
{
  std::promise<void> gave_up;
  const auto said = messages(
      2,
      [&](const Group & group)
      {
        const SR2 a = SR2::zeros({2});
        many::batch_sum(a, group);
        if (group->getRank() == 1)
          gave_up.get_future().wait_for(std::chrono::seconds(20)); // this rank does not call
        else
          try
          {
            many::batch_sum(a, group);
          }
          catch (const NEMLException &)
          {
            gave_up.set_value();
            throw;
          }
      },
      std::chrono::seconds(2));
  REQUIRE_THAT(
      said[0],
      Catch::Matchers::ContainsSubstring(
          "batch_sum: process 0 of 2 got no answer. Another process has ended, or did not make "
          "this call within the time limit of the group"));
}

TEST_CASE("Without a group of processes it says so", "[distributed]")
{
  REQUIRE_THROWS_WITH(
      many::gather_batch(SR2::zeros({2}), Group()),
      "gather_batch: there is no group of processes. Make a c10d::ProcessGroup first.");
}
} // namespace batch_test
