// SPDX-License-Identifier: MIT
#include "neml2/math/vmap_out.h"

#include "neml2/tensors/tensors.h"
#include "support/errors.h"
#include "support/formulas.h"

#include <torch/types.h>

#include "support/catch.h"

namespace vmap_out_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::error_of;

namespace
{
at::Tensor
random(at::IntArrayRef shape, Dtype dtype = kFloat64)
{
  return torch::rand(shape, kFloat64).add(0.5).to(dtype);
}

constexpr auto formula = [](auto a, auto b) { return b * dev(a); };

/// Whether formula(a, b) is written to the output, and not to the memory around it.
bool
writes(const at::Tensor & all, const at::Tensor & output, const SR2 & a, const Scalar & b)
{
  all.fill_(-7);
  const void * const memory = output.data_ptr();
  const Size inside = output.numel();
  SR2 out(output);
  vmap_out(out, formula, a, b);
  const at::Tensor expected = vmap(formula, a, b);
  return out.data_ptr() == memory && torch::equal(output, expected) &&
         all.eq(-7).sum().item<Size>() == all.numel() - inside;
}
} // namespace

TEST_CASE("vmap_out writes what vmap returns, to outputs of any layout", "[math][vmap_out]")
{
  for (const auto dtype : {kFloat64, kFloat32})
    for (const Size n : {1, 2, 3, 4, 5, 31, 32, 33, 127, 128, 129, 300})
    {
      INFO("batch of " << n << " of " << dtype);
      const SR2 a(random({n, 6}, dtype));
      const Scalar b(random({4, 1}, dtype));
      const auto whole = torch::empty({4, n, 6}, dtype);
      REQUIRE(writes(whole, whole, a, b));
      const auto columns = torch::empty({6, 4, n}, dtype); // components outermost
      REQUIRE(writes(columns, columns.permute({1, 2, 0}), a, b));
      const auto turned = torch::empty({n, 4, 6}, dtype); // batch transposed
      REQUIRE(writes(turned, turned.transpose(0, 1), a, b));
      const auto wide = torch::empty({9, 2 * n + 1, 15}, dtype); // every second entry
      REQUIRE(
          writes(wide, wide.slice(0, 1, 9, 2).slice(1, 1, 2 * n + 1, 2).slice(2, 2, 13, 2), a, b));
      const auto one = torch::empty({3, 6}, dtype);
      REQUIRE(
          writes(one, one.select(0, 1), SR2(a.select(0, 0)), Scalar(b.select(0, 0).select(0, 0))));
    }
  const auto none = torch::empty({4, 0, 6}, kFloat64);
  REQUIRE(writes(none, none, SR2(random({0, 6})), Scalar(random({4, 1}))));
}

TEST_CASE("vmap_out takes an argument as its own output", "[math][vmap_out]")
{
  for (const auto dtype : {kFloat64, kFloat32})
    for (const Size n : {1, 7, 8, 129, 1000, 70000})
    {
      const SR2 a(random({n, 6}, dtype));
      const Scalar b(random({n}, dtype));
      const SR2 expected = vmap(formula, a, b), c(random({6, n}, dtype).t().copy_(a));
      SR2 self = a.clone(), strided = c;
      vmap_out(self, formula, self, b);
      REQUIRE(torch::equal(self, expected));
      vmap_out(strided, formula, strided, b);
      REQUIRE(torch::equal(strided, expected));
      REQUIRE(strided.data_ptr() == c.data_ptr());
      SR2 view(self.view({n, 6})); // the same entries by another tensor
      self.copy_(a);
      vmap_out(view, formula, self, b);
      REQUIRE(torch::equal(self, expected));
    }
}

TEST_CASE("vmap_out writes a tuple of outputs, arguments among them", "[math][vmap_out]")
{
  const SR2 strain(random({129, 6})), plastic(random({129, 6}));
  const auto [stress, slip] = vmap(test::radial_return, strain, plastic, 2.0, 0.3, 0.5);
  SR2 s = SR2::empty({129}), p = plastic.clone();
  vmap_out(std::tie(s, p), test::radial_return, strain, p, 2.0, 0.3, 0.5);
  REQUIRE(torch::equal(s, stress));
  REQUIRE(torch::equal(p, slip));
  SR2 a = strain.clone(), b = plastic.clone(); // exchanged, so both are read and written
  vmap_out(
      std::tie(a, b), [](auto x, auto y) { return std::tuple(y, x); }, a, b);
  REQUIRE((torch::equal(a, plastic) && torch::equal(b, strain)));
  Scalar k = Scalar::empty({129}), l = Scalar::empty({129});
  vmap_out(
      std::tie(k), [](auto x) { return std::tuple(tr(x)); }, strain);
  REQUIRE(torch::equal(k, strain.tr()));
  vmap_out(
      std::tie(k, l), [](auto x) { return std::tuple(2.5, det(x)); }, strain);
  REQUIRE(torch::equal(k, torch::full({129}, 2.5, kFloat64)));
  REQUIRE(torch::allclose(l, strain.det(), 1e-14, 1e-15));
}

TEST_CASE("vmap_out composes what the loop cannot write, into the same memory", "[math][vmap_out]")
{
  const Scalar b(random({4, 1}));
  const SR2 a(random({3, 6}));
  const auto check = [&](SR2 out, const SR2 & x, const Scalar & y)
  {
    const void * const memory = out.data_ptr();
    vmap_out(out, formula, x, y);
    return out.data_ptr() == memory &&
           torch::allclose(out.to(kFloat64), SR2(vmap(formula, a, b)), 0.05, 0.05);
  };
  REQUIRE(check(SR2::empty({4, 3}, c10::kBFloat16), a.to(c10::kBFloat16), b.to(c10::kBFloat16)));
  REQUIRE(check(SR2(torch::empty({6, 4, 3}, c10::kBFloat16).permute({1, 2, 0})),
                a.to(c10::kBFloat16),
                b.to(c10::kBFloat16)));
  REQUIRE(check(SR2::empty({4, 3}), SR2(torch::_neg_view(-a)), b));
  {
    SR2 out = SR2::empty({4, 3});
    const SR2 negative(torch::_neg_view(out)); // a lazily negated output
    vmap_out(const_cast<SR2 &>(negative), formula, a, b);
    REQUIRE(torch::allclose(out, -vmap(formula, a, b)));
  }
  {
    const c10::impl::IncludeDispatchKeyGuard guard(c10::DispatchKey::AutocastCPU);
    REQUIRE(check(SR2::empty({4, 3}), a, b));
  }
  SR2 meta = SR2::empty({4, 3}, TensorOptions(kFloat64).device("meta"));
  vmap_out(meta, formula, SR2(a.to(at::kMeta)), Scalar(b.to(at::kMeta)));
  REQUIRE(meta.is_meta());

  at::Tensor many = torch::ones({3, 3, 3, 3, 3, 3, 3, 3, 3, 6}, kFloat64);
  for (int d = 0; d < 9; d++)
    many = many.slice(d, 0, 3, 2);
  SR2 out(torch::empty_strided(many.sizes(), many.strides(), many.options()));
  const SR2 x(torch::rand_like(many));
  vmap_out(out, formula, x, 2.0);
  REQUIRE(torch::allclose(out, 2 * x.dev()));
  SR2 self = x.clone();
  vmap_out(self, formula, self, 2.0);
  REQUIRE(torch::allclose(self, 2 * x.dev()));
}

TEST_CASE("vmap_out leaves the output untouched where it refuses", "[math][vmap_out]")
{
  const SR2 a(random({4, 6}));
  const Scalar b(random({4}));
  const auto refuses =
      [&](const at::Tensor & target, const auto & x, const auto & y, const char * text)
  {
    const bool has_values = target.defined() && !target.is_meta();
    const at::Tensor before = has_values ? target.detach().clone() : at::Tensor();
    const auto version = has_values ? target._version() : 0;
    SR2 out(target);
    REQUIRE_THAT(error_of([&] { vmap_out(out, formula, x, y); }),
                 ContainsSubstring("vmap_out: ") && ContainsSubstring(text));
    if (has_values)
    {
      REQUIRE(torch::equal(target, before));
      REQUIRE(target._version() == version);
    }
  };
  refuses(random({3, 6}), a, b, "does not have the result's batch shape [4]");
  refuses(random({6}), a, b, "does not have the result's batch shape");
  refuses(random({4, 1, 6}), a, b, "does not have the result's batch shape");
  refuses(random({4, 6}, kFloat32), a, b, "different dtypes");
  refuses(random({4, 6}).to(at::kMeta), a, b, "different devices");
  refuses(at::Tensor(), a, b, "undefined tensor");
  refuses(random({6}).expand({4, 6}), a, b, "overlaps itself");
  refuses(random({40}).as_strided({4, 6}, {5, 1}), a, b, "overlaps itself");
  refuses(random({4, 6}), SR2(), b, "undefined tensor");
  refuses(random({4, 6}), a, Scalar(random({3})), "do not broadcast");
  refuses(random({4, 6}), a, Scalar(random({4}, kFloat32)), "different dtypes");

  const auto whole = random({6, 6});
  refuses(whole.slice(0, 0, 4), SR2(whole.slice(0, 2, 6)), b, "may share memory with the argument");
  refuses(whole.slice(0, 0, 4), SR2(whole.slice(0, 3, 4)), b, "may share memory with the argument");
  refuses(a, a, Scalar(a.select(1, 2)), "may share memory with the argument");

  Vec rows(random({3, 3})); // the matrix by which all rows are multiplied
  const Vec before_rows = rows.clone();
  REQUIRE_THAT(
      error_of(
          [&]
          {
            vmap_out(
                rows, [](auto A, auto v) { return A * v; }, R2(at::Tensor(rows)), before_rows);
          }),
      ContainsSubstring("may share memory with the argument R2 (; 3, 3)"));
  REQUIRE(torch::equal(rows, before_rows));

  refuses(random({4, 6}).requires_grad_(), a, b, "the output SR2 (4; 6) requires grad");
  refuses(random({4, 6}), SR2(a.clone().set_requires_grad(true)), b, "the argument");
  refuses(random({4, 6}), a, Scalar(b.clone().set_requires_grad(true)), "the argument Scalar (4;)");

  SR2 x(random({4, 6}));
  const SR2 before = x.clone();
  const auto two = [&](SR2 first, SR2 second)
  {
    return error_of(
        [&]
        {
          vmap_out(
              std::tie(first, second), [](auto y) { return std::tuple(y, 2 * y); }, a);
        });
  };
  REQUIRE_THAT(two(x, x),
               ContainsSubstring("vmap_out: the outputs") && ContainsSubstring("share memory"));
  REQUIRE_THAT(two(x, SR2(x.view({4, 6}))), ContainsSubstring("share memory"));
  REQUIRE_THAT(two(SR2(whole.slice(0, 0, 4)), SR2(whole.slice(0, 1, 5))),
               ContainsSubstring("share memory"));
  REQUIRE_THAT(two(x, SR2(random({5, 6}))), ContainsSubstring("batch shape"));
  REQUIRE(torch::equal(x, before));
}

TEST_CASE("vmap_out records nothing without grad mode", "[math][vmap_out][autograd]")
{
  const SR2 a(random({4, 6}).requires_grad_());
  const Scalar b(random({4}));
  SR2 out = SR2::empty({4}), leaf(random({4, 6}).requires_grad_());
  const torch::NoGradGuard guard;
  vmap_out(out, formula, a, b);
  REQUIRE((!out.requires_grad() && torch::equal(out, vmap(formula, a, b))));
  vmap_out(leaf, formula, a, b);
  REQUIRE((leaf.is_leaf() && torch::equal(leaf, out)));
}

TEST_CASE("vmap_out outdates what autograd has saved of the output", "[math][vmap_out][autograd]")
{
  const SR2 a(random({4, 6}));
  const Scalar b(random({4}));
  for (const bool composed : {false, true})
  {
    SR2 out(random({4, 6}));
    const auto w = random({4, 6}).requires_grad_();
    const at::Tensor product = w * at::Tensor(out); // autograd saves out
    const auto version = out._version();
    if (composed)
    {
      const c10::impl::IncludeDispatchKeyGuard guard(c10::DispatchKey::AutocastCPU);
      vmap_out(out, formula, a, b);
    }
    else
      vmap_out(out, formula, a, b);
    REQUIRE(out._version() > version);
    REQUIRE_THROWS_WITH(product.sum().backward(), ContainsSubstring("modified by an inplace"));
  }
  SR2 x(random({4, 6})), y(random({4, 6}));
  const SR2 leaf(random({4, 6}).requires_grad_());
  const at::Tensor uses_y = at::Tensor(leaf) * at::Tensor(y);
  vmap_out(
      std::tie(x, y), [](auto s) { return std::tuple(s, 2.0 * s); }, a);
  REQUIRE_THROWS_WITH(uses_y.sum().backward(), ContainsSubstring("modified by an inplace"));
}

TEST_CASE("vmap_out works with tensors of inference mode", "[math][vmap_out]")
{
  const SR2 a(random({4, 6}));
  SR2 inside;
  {
    const c10::InferenceMode guard;
    inside = SR2::empty({4});
    vmap_out(inside, formula, a, 2.0);
    REQUIRE(torch::allclose(inside, 2 * dev(a)));
    SR2 normal(random({4, 6}).clone());
    vmap_out(normal, formula, a, 2.0);
    REQUIRE(torch::allclose(normal, 2 * dev(a)));
  }
  // as LibTorch's own in-place functions
  REQUIRE_THAT(error_of([&] { vmap_out(inside, formula, a, 3.0); }),
               ContainsSubstring("vmap_out: ") && ContainsSubstring("nference"));
}

TEST_CASE("vmap_out exchanges its arguments on both paths", "[math][vmap_out]")
{
  const auto exchange = [](auto x, auto y) { return std::tuple(y, x); };
  const auto exchanges = [&](Scalar a, Scalar b)
  {
    const at::Tensor old_a = a.clone(), old_b = b.clone();
    vmap_out(std::tie(a, b), exchange, a, b);
    return torch::equal(a, old_b) && torch::equal(b, old_a);
  };
  REQUIRE(exchanges(Scalar(random({5})), Scalar(random({5}))));
  REQUIRE(exchanges(Scalar(random({5}).to(at::kBFloat16)), Scalar(random({5}).to(at::kBFloat16))));
  const std::vector<int64_t> twos(10, 2), back{9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
  REQUIRE(exchanges(Scalar(random(twos)), Scalar(random(twos).permute(back)))); // dims do not merge
  // the old state and the new state
  SR2 state(random({3, 6}).to(at::kBFloat16)), old = SR2::empty_like(state);
  const at::Tensor before = state.clone();
  vmap_out(
      std::tie(state, old), [](auto s) { return std::tuple(s * 2.0, s); }, state);
  REQUIRE(torch::equal(old, before));
  REQUIRE(torch::equal(state, before * 2));
}

TEST_CASE("vmap_out takes columns of one state", "[math][vmap_out]")
{
  const at::Tensor state = random({4, 12});
  const SR2 strain(state.slice(1, 0, 6));
  SR2 stress(state.slice(1, 6, 12));
  const at::Tensor expected = strain.clone() * 2.0;
  vmap_out(
      stress, [](auto s) { return s * 2.0; }, strain);
  REQUIRE(torch::equal(stress, expected));
  REQUIRE(torch::equal(strain * 2.0, expected));
  SR2 overlapping(state.slice(1, 5, 11));
  REQUIRE_THAT(error_of(
                   [&]
                   {
                     vmap_out(
                         overlapping, [](auto s) { return s; }, strain);
                   }),
               ContainsSubstring("may share memory with the argument"));
}

TEST_CASE("vmap_out notices memory shared by different storages", "[math][vmap_out]")
{
  std::vector<double> numbers(13, 1.0);
  const SR2 in(torch::from_blob(numbers.data(), {2, 6}, at::kDouble));
  SR2 out(torch::from_blob(numbers.data() + 1, {2, 6}, at::kDouble));
  REQUIRE_THAT(error_of(
                   [&]
                   {
                     vmap_out(
                         out, [](auto s) { return s; }, in);
                   }),
               ContainsSubstring("may share memory with the argument"));
}

TEST_CASE("vmap_out takes several outputs on the meta device", "[math][vmap_out]")
{
  const auto meta = TensorOptions(at::kDouble).device("meta");
  SR2 a = SR2::empty({3}, meta), b = SR2::empty({3}, meta);
  vmap_out(
      std::tie(a, b), [](auto s) { return std::tuple(s * 2.0, s + 1.0); }, SR2::empty({3}, meta));
  REQUIRE(a.is_meta());
}

TEST_CASE("vmap_out writes results of integers to float64 only", "[math][vmap_out]")
{
  const Scalar n(at::tensor({1, 2, 3}, kInt64));
  const auto half = [](const auto & x) { return 0.5 * x; };
  Scalar out = Scalar::empty({3});
  vmap_out(out, half, n);
  REQUIRE(torch::equal(out, vmap(half, n)));
  Scalar integers = Scalar::zeros({3}, kInt64);
  REQUIRE_THROWS_WITH(vmap_out(integers, half, n),
                      ContainsSubstring("is of dtype int64. Expected float64"));
  REQUIRE(integers.eq(0).all().item<bool>());
}
} // namespace vmap_out_test
