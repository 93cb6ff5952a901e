// SPDX-License-Identifier: MIT
#include "neml2/engine/evaluate.h"

#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Vec.h"
#include "support/errors.h"

#include <torch/csrc/autograd/forward_grad.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <thread>

#include "support/catch.h"

namespace evaluate_test
{
using namespace neml2;
using engine::can_fuse;
using test::described;

namespace
{
at::Tensor
random(at::IntArrayRef shape, Dtype dtype = kFloat64)
{
  return torch::rand(shape, dtype) + 0.5;
}

enum class Path
{
  none,
  fused,
  composed
};

/// Twice its argument.
struct Twice
{
  static constexpr auto name = "twice";
  template <class A>
  auto operator()(const A & a) const
  {
    return a + a;
  }
};

/// The path that an operation on x actually takes.
template <class Op = Twice>
Path
path_taken(const SR2 & x)
{
  bool composed = false;
  const auto r = engine::evaluate_leaf<SR2>(
      Op(),
      [&](const SR2 & a)
      {
        composed = true;
        return a + a;
      },
      x);
  if (!torch::allclose(r.detach(), x.detach() + x.detach()))
    return Path::none;
  return composed ? Path::composed : Path::fused;
}
} // namespace

TEST_CASE("dense CPU tensors of float32 and float64 take the fused loop, whatever their strides",
          "[core][evaluate]")
{
  for (const auto dtype : {kFloat64, kFloat32})
  {
    const auto o = TensorOptions(dtype);
    for (const auto & s : {SR2::ones(o),
                           SR2::ones({1}, o),
                           SR2::ones({7}, o),
                           SR2::ones({2, 3}, o),
                           SR2::ones({0}, o),
                           SR2::ones({2, 0, 3}, o),
                           SR2::ones({5, 3}, o).batch_transpose(0, 1),
                           SR2::ones({5, 1}, o).batch_expand({4, 5, 3}),
                           SR2::ones(o).batch_expand({1000}),
                           SR2::ones({5, 3}, o).batch_slice(0, indexing::Slice(1, 5, 2)),
                           SR2(torch::ones({5, 12}, o).slice(1, 3, 9)),
                           SR2(torch::ones({5, 12}, o).slice(1, 0, 12, 2)),
                           SR2(torch::ones({6, 5}, o).t()),
                           SR2(torch::ones({5, 1}, o).expand({5, 6})),
                           SR2(torch::ones({5, 3, 3}, o).select(2, 1).repeat({1, 2}))})
    {
      REQUIRE(can_fuse(s));
      REQUIRE(path_taken(s) == Path::fused);
    }
  }
}

TEST_CASE("all operands must allow the fused loop", "[core][evaluate]")
{
  const auto a = SR2::ones({2}), f = SR2::ones({2}, kFloat32);
  REQUIRE(can_fuse(a, a, Scalar::ones()));
  REQUIRE(!can_fuse(a, f));
  REQUIRE(!can_fuse(a, SR2::ones({2}, default_tensor_options().requires_grad(true))));
  REQUIRE(!can_fuse(a, SR2::ones({2}, kInt64)));
}

TEST_CASE("dtypes other than float32 and float64 are composed", "[core][evaluate]")
{
  for (const auto dtype :
       {kInt64, kInt32, kUInt8, kFloat16, c10::kBFloat16, c10::kBool, c10::kComplexDouble})
    REQUIRE(!can_fuse(SR2::ones({2}, dtype)));
  REQUIRE(path_taken(SR2::ones({2}, c10::kBFloat16)) == Path::composed);
}

TEST_CASE("a gradient to record is composed; where none is recorded the loop is fused",
          "[core][evaluate][autograd]")
{
  const auto x = SR2::ones({2}, default_tensor_options().requires_grad(true));
  REQUIRE(!can_fuse(x));
  REQUIRE(!can_fuse(SR2(x * 2)));
  REQUIRE(path_taken(x) == Path::composed);
  REQUIRE((x + x).requires_grad());
  REQUIRE(can_fuse(x.detach()));
  {
    const torch::NoGradGuard guard;
    REQUIRE(can_fuse(x));
    REQUIRE(path_taken(x) == Path::fused);
    REQUIRE(!(x + x).requires_grad());
  }
  REQUIRE(!can_fuse(x));
}

namespace
{
/// The arguments that autograd's hook received.
struct Recorded
{
  int calls = 0;
  std::string name;
  size_t arguments = 0, results = 0;
} recorded;

void
record(std::shared_ptr<const engine::Gradient> gradient,
       ArrayRef<at::Tensor> arguments,
       at::Tensor *,
       size_t count)
{
  recorded = {recorded.calls + 1, gradient->name(), arguments.size(), count};
}

/// A rule that is never called.
struct NamedRule : engine::Gradient
{
  const char * name() const override { return "NamedBackward"; }
  bool
  backward(ArrayRef<at::Tensor>, ArrayRef<at::Tensor>, ArrayRef<bool>, at::Tensor *) const override
  {
    return false;
  }
  void compose(ArrayRef<at::Tensor>, at::Tensor *) const override {}
};

/// Sets autograd's hook and a rule of Twice; the destructor restores both.
struct Hook
{
  engine::RecordGradient const record_before = engine::record_gradient.load();
  const std::shared_ptr<const engine::Gradient> rule = std::make_shared<NamedRule>();

  explicit Hook(engine::RecordGradient f)
  {
    engine::record_gradient.store(f);
    engine::gradient_rule<Twice, SR2>.store(&rule);
    recorded = {};
  }
  ~Hook()
  {
    engine::record_gradient.store(record_before);
    engine::gradient_rule<Twice, SR2>.store(nullptr);
  }
};

/// An operation without a rule.
struct TwiceToo : Twice
{
};

engine::Path
chosen(std::initializer_list<core::Operand> o)
{
  return engine::choose_path(o);
}
} // namespace

TEST_CASE("the path is fused, recorded where a gradient is, and composed for all else",
          "[core][evaluate][autograd]")
{
  const auto track = default_tensor_options().requires_grad(true);
  const auto a = SR2::ones({2}), x = SR2::ones({2}, track);
  const Scalar k = Scalar::ones(track);
  const double number = 2;
  const auto operand = [](const auto & t) { return core::operand(t); };
  REQUIRE(chosen({operand(a)}) == engine::Path::fused);
  REQUIRE(chosen({operand(a), operand(number)}) == engine::Path::fused);
  REQUIRE(chosen({operand(x)}) == engine::Path::recorded);
  REQUIRE(chosen({operand(number), operand(a), operand(k)}) == engine::Path::recorded);
  REQUIRE(chosen({operand(x.detach()), operand(a)}) == engine::Path::fused);
  const auto f = SR2::ones({2}, kFloat32), b = SR2::ones({2}, c10::kBFloat16),
             m = SR2::ones({2}, TensorOptions(kFloat64).device("meta"));
  for (const auto & other : {f, b, m, SR2(torch::_neg_view(a)), SR2(a.to_sparse())})
  {
    REQUIRE(chosen({operand(a), operand(other)}) == engine::Path::composed);
    REQUIRE(chosen({operand(x), operand(other)}) == engine::Path::composed);
    REQUIRE(chosen({operand(other), operand(x)}) == engine::Path::composed);
  }
  {
    const torch::NoGradGuard guard;
    REQUIRE(chosen({operand(x), operand(k)}) == engine::Path::fused);
  }
  {
    const c10::InferenceMode guard;
    REQUIRE(chosen({operand(x)}) == engine::Path::fused);
  }
  {
    const c10::impl::IncludeDispatchKeyGuard guard(c10::DispatchKey::Python);
    REQUIRE(chosen({operand(a)}) == engine::Path::composed);
    REQUIRE(chosen({operand(x)}) == engine::Path::composed);
  }
}

TEST_CASE("a gradient is recorded fused where autograd's hook and the operation's rule are there",
          "[core][evaluate][autograd]")
{
  const auto track = default_tensor_options().requires_grad(true);
  const auto x = SR2::ones({2}, track), a = SR2::ones({2});
  {
    const Hook hook(nullptr);
    REQUIRE(path_taken(x) == Path::composed);
  }
  {
    const Hook hook(record);
    REQUIRE(path_taken<TwiceToo>(x) == Path::composed);
    REQUIRE(recorded.calls == 0);
  }
  {
    const Hook hook(record);
    REQUIRE(path_taken(x) == Path::fused);
    REQUIRE(recorded.calls == 1);
    REQUIRE(recorded.name == "NamedBackward");
    REQUIRE(recorded.arguments == 1);
    REQUIRE(recorded.results == 1);
    REQUIRE(path_taken(a) == Path::fused); // no gradient to record
    REQUIRE(path_taken(SR2::ones({2}, track.dtype(c10::kBFloat16))) == Path::composed);
    const torch::NoGradGuard guard;
    REQUIRE(path_taken(x) == Path::fused);
    REQUIRE(recorded.calls == 1);
  }
  REQUIRE(path_taken(x) == Path::composed);
}

TEST_CASE("a batch of too many dimensions for a plan is composed, and not recorded",
          "[core][evaluate][autograd]")
{
  const Hook hook(record);
  const TensorShape batch(size_t(engine::max_dims) + 1, 3);
  at::Tensor every_second = torch::ones(utils::add_shapes(batch, 6), kFloat64);
  for (Size d = 0; d <= engine::max_dims; d++)
    every_second = every_second.slice(d, 0, 3, 2);
  REQUIRE(path_taken(SR2(every_second)) == Path::composed);
  REQUIRE(path_taken(SR2(every_second.detach().requires_grad_())) == Path::composed);
  REQUIRE(recorded.calls == 0);
  REQUIRE(path_taken(SR2(every_second.select(0, 0))) == Path::fused);
}

TEST_CASE("inference mode takes the fused loop and gives inference tensors", "[core][evaluate]")
{
  const auto outside = SR2::ones({2}),
             graph = SR2::ones({2}, default_tensor_options().requires_grad(true));
  SR2 r;
  {
    const c10::InferenceMode guard;
    const auto inside = SR2::ones({2});
    REQUIRE(can_fuse(outside));
    REQUIRE(can_fuse(inside, outside, graph));
    REQUIRE(path_taken(inside) == Path::fused);
    REQUIRE(path_taken(graph) == Path::fused);
    r = inside + outside;
    REQUIRE(r.is_inference());
    REQUIRE(!(graph * 2).requires_grad());
  }
  REQUIRE(can_fuse(r, outside)); // made in the mode, used outside
  REQUIRE(torch::equal(r + outside, torch::full({2, 6}, 3, kFloat64)));
  REQUIRE(!(outside + outside).is_inference());
}

TEST_CASE("meta tensors are composed and give shapes", "[core][evaluate]")
{
  const auto m = SR2::ones({4, 2}, TensorOptions(kFloat64).device("meta"));
  REQUIRE(!can_fuse(m));
  REQUIRE(described(m.dev()) == "SR2 (4, 2; 6)");
  REQUIRE(described(m * Scalar::ones({3, 1, 1}, m.options())) == "SR2 (3, 4, 2; 6)");
  REQUIRE((m + m).is_meta());
}

TEST_CASE("sparse tensors are composed", "[core][evaluate]")
{
  const SR2 dense(torch::arange(12, kFloat64).reshape({2, 6}));
  const SR2 s(dense.to_sparse());
  REQUIRE(!can_fuse(s));
  REQUIRE(!can_fuse(dense, s));
  REQUIRE(torch::equal((s + s).to_dense(), dense + dense));
  REQUIRE(torch::equal((s * 2).to_dense(), dense * 2));
}

TEST_CASE("lazy negation and conjugation are composed", "[core][evaluate]")
{
  const auto s = SR2(random({3, 6}));
  const SR2 neg(torch::_neg_view(s));
  REQUIRE(neg.is_neg());
  REQUIRE(!can_fuse(neg));
  REQUIRE(path_taken(neg) == Path::composed);
  REQUIRE(torch::equal(neg + s, torch::zeros({3, 6}, kFloat64)));
  REQUIRE(torch::allclose(neg.dev(), -s.dev()));
  const auto z = torch::complex(random({3}), random({3}));
  REQUIRE(
      !can_fuse(Scalar(torch::imag(z.conj())))); // conjugate, then imaginary part: a negative view
  REQUIRE(torch::equal(Scalar(torch::imag(z.conj())) + Scalar(torch::imag(z)),
                       torch::zeros({3}, kFloat64)));
}

TEST_CASE("forward-mode duals are composed and carry their tangents", "[core][evaluate][autograd]")
{
  const auto s = random({3, 6}), t = random({3, 6});
  const auto level = torch::autograd::ForwardADLevel::get_next_idx();
  {
    const SR2 dual(torch::_make_dual(s, t, int64_t(level)));
    REQUIRE(!can_fuse(dual));
    REQUIRE(path_taken(dual) == Path::composed);
    REQUIRE(torch::allclose(dual.dev()._fw_grad(level), SR2(t).dev()));
    REQUIRE(torch::allclose((dual * 3)._fw_grad(level), t * 3));
    const torch::NoGradGuard guard; // forward mode is independent of it
    REQUIRE(!can_fuse(dual));
  }
  torch::autograd::ForwardADLevel::release_idx(level);
  REQUIRE(can_fuse(SR2(s)));
}

TEST_CASE("nothing is fused while a mode of the dispatcher is on", "[core][evaluate]")
{
  const auto s = SR2::ones({2});
  for (const auto key : {c10::DispatchKey::FuncTorchBatched,
                         c10::DispatchKey::AutocastCPU,
                         c10::DispatchKey::Python})
  {
    const c10::impl::IncludeDispatchKeyGuard guard(key);
    REQUIRE(!can_fuse(s));
  }
  REQUIRE(can_fuse(s));
}

TEST_CASE("a composite is the same formula on rows and on batches", "[core][evaluate]")
{
  const auto twice_dev = [](const SR2 & s)
  {
    return engine::evaluate<SR2>(
        "twice_dev", [](const auto & a) { return 2 * dev(a) - vol(a) / 3.0; }, s);
  };
  const SR2 s(random({4, 3, 6}));
  const at::Tensor p =
      s.slice(-1, 0, 3).mean(-1, true) * torch::tensor({1., 1., 1., 0., 0., 0.}, kFloat64);
  const at::Tensor expected = 2 * (s - p) - p / 3;
  REQUIRE(torch::allclose(twice_dev(s), expected, 1e-13, 1e-13));
  const SR2 x(s.clone().set_requires_grad(true));
  REQUIRE(torch::allclose(twice_dev(x).detach(), expected, 1e-13, 1e-13));
  const auto bfloat = twice_dev(s.to(c10::kBFloat16));
  REQUIRE(bfloat.scalar_type() == c10::kBFloat16);
  REQUIRE(torch::allclose(bfloat.to(kFloat64), expected, 0.05, 0.05));
}

TEST_CASE("the fused loop only reads its operands", "[core][evaluate]")
{
  const auto a = SR2(random({37, 6})), b = SR2(random({6})), before_a = a.clone(),
             before_b = b.clone();
  const auto r = a + b * Scalar(random({37}));
  REQUIRE(torch::equal(a, before_a));
  REQUIRE(torch::equal(b, before_b));
  REQUIRE(r.is_contiguous());
  REQUIRE(r.data_ptr() != a.data_ptr());
}

#ifndef __SANITIZE_ADDRESS__ // which ends the program where an allocation fails
TEST_CASE("memory that is not there is an error that names operation and operands",
          "[core][evaluate]")
{
  constexpr int64_t n = 1 << 20; // 2^40 rows of 6 numbers in the result
  const at::Tensor row = torch::ones({1, 1, 6}, at::kDouble);
  const SR2 a(row.expand({n, 1, 6})), b(row.expand({1, n, 6}));
  const SR2 tracked(row.clone().requires_grad_().expand({n, 1, 6}));
  const auto message = [](const auto & f)
  {
    try
    {
      f();
    }
    catch (const OutOfMemoryException & e)
    {
      return std::string(e.what());
    }
    return std::string("no OutOfMemoryException");
  };
  const auto says = [&](const std::string & text, const char * operation)
  {
    return text.rfind(std::string(operation) + ": ", 0) == 0 &&
           text.find("allocate memory") != std::string::npos &&
           text.find("The operands are SR2 (1048576, 1; 6) and SR2 (1, 1048576; 6).") !=
               std::string::npos &&
           text.find("frame #") == std::string::npos; // no backtrace
  };
  REQUIRE(says(message([&] { (void)a.inner(b); }), "inner"));
  REQUIRE(says(message([&] { (void)tracked.inner(b); }), "inner"));
  REQUIRE(says(message([&] { (void)(a + b); }), "+"));
  REQUIRE(says(message([&] { (void)(tracked + b); }), "+"));
  const auto zeros = message([] { (void)SR2::zeros({n, n}); });
  REQUIRE(zeros.find("zeros: ") == 0);
  REQUIRE(zeros.find("The shape is [1048576, 1048576, 6].") != std::string::npos);
}
#endif

TEST_CASE("several threads evaluate at once", "[core][evaluate]")
{
  const R2 A(random({2000, 3, 3}));
  const Vec v(random({3}));
  const at::Tensor expected = A * v;
  std::vector<int> right(4, 0);
  std::vector<std::thread> threads;
  for (auto & count : right)
    threads.emplace_back(
        [&]
        {
          for (int i = 0; i < 50; i++)
            count += torch::equal(A * v, expected);
        });
  for (auto & t : threads)
    t.join();
  REQUIRE(right == std::vector<int>(4, 50));
}

TEST_CASE("the number of threads does not change the result", "[core][evaluate]")
{
  const int before = at::get_num_threads();
  for (const auto dtype : {kFloat64, kFloat32})
  {
    const R2 A(random({70001, 3, 3}, dtype));
    const Vec v(random({2, 1, 3}, dtype));
    at::set_num_threads(1);
    const Vec one = A * v;
    at::set_num_threads(2);
    const Vec two = A * v;
    at::set_num_threads(before);
    REQUIRE(described(two) == "Vec (2, 70001; 3)");
    REQUIRE(torch::equal(one, two));
    REQUIRE(torch::allclose(one, torch::matmul(A, v.unsqueeze(-1)).squeeze(-1)));
  }
}
} // namespace evaluate_test
