// SPDX-License-Identifier: MIT
// The C++ programs that scripts/gpu.sh runs, on a GPU if the machine has one: formulas and operations that use most of
// the library.
//
//   gpu checks ROWS     compares them with the CPU
// gpu times LARGEST prints "name | rows | microseconds per call" for 1 row to LARGEST
#include "neml2/neml2.h"
#include "support/environment.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/cuda.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

using namespace neml2;

namespace
{
constexpr auto radial_return = [](const auto & strain, const auto & alpha)
{
  const double mu = 80e3, kappa = 160e3, yield_stress = 250, modulus = 2000;
  const auto trial = 2.0 * mu * dev(strain);
  const auto mises = std::sqrt(1.5) * norm(trial);
  const auto multiplier =
      maximum(mises - (yield_stress + modulus * alpha), 0.0) / (3.0 * mu + modulus);
  const auto increment = trial * (1.5 * multiplier / maximum(mises, 1e-12));
  return std::tuple(3.0 * kappa * vol(strain) + trial - 2.0 * mu * increment, alpha + multiplier);
};

constexpr auto neo_hookean = [](const auto & F)
{
  const auto inverse = transpose(inv(F));
  return 3.0 * (F - inverse) + 5.0 * log(det(F)) * inverse;
};

/// The root of x³ = a.
constexpr auto root = [](const auto & a)
{ return newton([](const auto & x, const auto & b) { return x * x * x - b; }, 1.0 + 0.0 * a, a); };

using Tensors = std::vector<at::Tensor>;

/// Arguments of the cases, all of float64 or float32 on one device.
struct Inputs
{
  SR2 strain, stretch;
  Scalar alpha;
  R2 F;
  Rot r, q;
  SSR4 C, stiffnesses;
  Vec v;
  TensorOptions options;

  Inputs(Size n, TensorOptions to) : options(to)
  {
    at::manual_seed(0);
    const auto made = [&to](const at::Tensor & t) { return t.to(to.device(), to.dtype()); };
    const auto random = [n](const std::vector<Size> & base)
    {
      std::vector<Size> shape{n};
      shape.insert(shape.end(), base.begin(), base.end());
      return at::rand(shape, kFloat64) - 0.5;
    };
    const auto eye = at::eye(6, TensorOptions(kFloat64));
    strain = SR2(made(4e-3 * random({6})), 1);
    stretch =
        SR2(made(0.3 * random({6}) + at::tensor({1.0, 1.5, 2.0, 0.0, 0.0, 0.0}, kFloat64)), 1);
    alpha = Scalar(made(0.5 + random({})), 1);
    F = R2(made(at::eye(3, TensorOptions(kFloat64)) + 0.2 * random({3, 3})), 1);
    r = Rot(made(0.3 * random({3})), 1);
    q = Rot(made(0.3 * random({3})), 1);
    stiffnesses = SSR4(made(2 * eye + 0.1 * random({6, 6})), 1);
    C = SSR4(made(at::Tensor(SSR4::isotropic_E_nu(200e3, 0.3, TensorOptions(kFloat64)))), 0);
    v = Vec(made(random({3})), 1);
  }
};

struct Case
{
  const char * name;
  std::function<Tensors(const Inputs &)> run;
  double tolerance = 1e-11; ///< relative to the largest number, float64
  bool is_slow = false;     ///< slow cases are not timed for the largest batch
};

/// Runs the case by LibTorch's calls, as if there were no kernels.
template <class F>
Tensors
by_calls(F f)
{
  const test::Variable off("NEML2_DEVICE_KERNELS", "0");
  return {at::Tensor(f())};
}

std::vector<Case>
cases()
{
  const double modulus = 80e3; // a constant of the kernel
  const auto plain = [modulus](const auto & strain, const auto & alpha)
  {
    const auto trial = 2.0 * modulus * dev(strain);
    return trial * (1.0 / (1.0 + alpha + norm(trial)));
  };
  return {
      {"J2",
       [](const Inputs & i)
       {
         const auto [s, a] = vmap(radial_return, i.strain, i.alpha);
         return Tensors{s, a};
       }},
      {"J2 with tangent",
       [](const Inputs & i)
       {
         const auto [value, tangent] = value_and_jacobian<0, 0>(radial_return, i.strain, i.alpha);
         return Tensors{std::get<0>(value), std::get<1>(value), tangent};
       }},
      {"J2 and backward",
       [](const Inputs & i)
       {
         const at::Tensor x = at::Tensor(i.strain).detach().requires_grad_();
         const auto [s, a] = vmap(radial_return, SR2(x, 1), i.alpha);
         return torch::autograd::grad({at::Tensor(s).sum()}, {x});
       }},
      {"J2 with a gradient kernel",
       [](const Inputs & i)
       {
         const at::Tensor x = at::Tensor(i.strain).detach().requires_grad_();
         const auto [s, a] = vmap(with_gradient(radial_return), SR2(x, 1), i.alpha);
         return torch::autograd::grad({at::Tensor(s).sum()}, {x});
       }},
      {"neo-Hookean", [](const Inputs & i) { return Tensors{vmap(neo_hookean, i.F)}; }},
      {"newton in a formula", [](const Inputs & i) { return Tensors{vmap(root, i.alpha + 1.0)}; }},
      {"a lambda that captures",
       [plain](const Inputs & i) { return Tensors{vmap(plain, i.strain, i.alpha)}; }},
      {"C * strain", [](const Inputs & i) { return Tensors{i.C * i.strain}; }},
      {"strain + strain", [](const Inputs & i) { return Tensors{i.strain + i.strain}; }},
      {"rotate SR2", [](const Inputs & i) { return Tensors{i.strain.rotate(i.r)}; }},
      {"rotate SSR4", [](const Inputs & i) { return Tensors{i.C.rotate(i.r)}; }, 1e-11, true},
      {"Rot * Rot", [](const Inputs & i) { return Tensors{i.r * i.q}; }},
      {"inv of R2", [](const Inputs & i) { return Tensors{inv(i.F)}; }},
      {"inv of SSR4", [](const Inputs & i) { return Tensors{inv(i.stiffnesses)}; }, 1e-11, true},
      {"solve", [](const Inputs & i) { return Tensors{solve(i.F, i.v)}; }},
      {"det", [](const Inputs & i) { return Tensors{det(i.F)}; }},
      {"von_mises", [](const Inputs & i) { return Tensors{von_mises(i.strain)}; }},
      {"eigenvalues", [](const Inputs & i) { return Tensors{eigenvalues(i.stretch)}; }},
      {"eigenvalues by LibTorch's calls",
       [](const Inputs & i) { return by_calls([&] { return eigenvalues(i.stretch); }); },
       1e-11,
       true},
      {"eigh",
       [](const Inputs & i)
       {
         const auto [l, V] = eigh(i.stretch);
         return Tensors{l, at::Tensor(V).abs()}; // of any sign
       },
       1e-9},
      {"expm of R2", [](const Inputs & i) { return Tensors{expm(i.F)}; }, 1e-11, true},
      {"sqrtm of SR2", [](const Inputs & i) { return Tensors{sqrtm(i.stretch)}; }},
      {"polar_rotation", [](const Inputs & i) { return Tensors{polar_rotation(i.F)}; }},
  };
}

void
wait()
{
  if (at::hasCUDA())
    torch::cuda::synchronize();
}

/// The largest difference, in parts of the largest number; NaN if there is a NaN.
double
difference(const Tensors & found, const Tensors & expected, Device device)
{
  double d = found.size() == expected.size() ? 0 : NAN;
  for (size_t k = 0; k < std::min(found.size(), expected.size()); k++)
  {
    const at::Tensor a = found[k].cpu().to(kFloat64), b = expected[k].to(kFloat64);
    if (a.sizes() != b.sizes() || found[k].device() != device)
      return NAN;
    const double one = ((a - b).abs().max() / b.abs().max().clamp_min(1e-300)).item<double>();
    d = one > d || one != one ? one : d; // NaN stays
  }
  return d;
}

int64_t
launches()
{
  int64_t n = 0;
  for (const auto & kernel : device_kernels())
    n += kernel.launches;
  return n;
}

bool
check(const Case & c, Dtype dtype, Size n, Device device)
{
  const char * const type = dtype == kFloat64 ? "float64" : "float32";
  const double tolerance = dtype == kFloat64 ? c.tolerance : 2e-4;
  try
  {
    const Inputs here(n, TensorOptions(dtype)), there(n, TensorOptions(dtype).device(device));
    const auto before = launches();
    const auto d = difference(c.run(there), c.run(here), device);
    const bool right = d <= tolerance;
    std::printf("%s %-32s %s %8ld rows, difference %.1e, %ld kernels\n",
                right ? "ok    " : "FAILED",
                c.name,
                type,
                long(n),
                d,
                long(launches() - before));
    return right;
  }
  catch (const std::exception & e)
  {
    std::printf("FAILED %-32s %s %8ld rows: %.400s\n", c.name, type, long(n), e.what());
    return false;
  }
}

double
seconds_of(const std::function<void()> & f)
{
  const auto start = std::chrono::steady_clock::now();
  f();
  wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The time of one call among many that wait only at the end; the best of several runs.
double
microseconds(const std::function<void()> & f)
{
  seconds_of(f); // compiles
  const int calls = std::clamp(int(0.02 / seconds_of(f)), 1, 300);
  double best = 1e30;
  for (int k = 0; k < 4; k++)
  {
    const double one = seconds_of(
                           [&]
                           {
                             for (int i = 0; i < calls; i++)
                               f();
                           }) /
                       calls;
    best = std::min(best, one);
    if (one > 0.5)
      break;
  }
  return 1e6 * best;
}

void
times(Size largest, Device device)
{
  const auto options = TensorOptions(kFloat64).device(device);
  for (const Size n : {Size(1), Size(100000), Size(1000000), Size(10000000)})
  {
    if (n > largest)
      return;
    const Inputs there(n, options);
    auto all = cases();
    all.push_back({"at::add", [](const Inputs & i) {
                     return Tensors{at::add(at::Tensor(i.strain), at::Tensor(i.strain))};
                   }});
    for (const auto & c : all)
      if (n <= 1000000 || !c.is_slow)
      {
        try
        {
          std::printf("%s | %ld | %.1f\n", c.name, long(n), microseconds([&] { c.run(there); }));
        }
        catch (const std::exception & e)
        {
          std::printf("%s | %ld | FAILED %.200s\n", c.name, long(n), e.what());
        }
        std::fflush(stdout);
      }
  }
}
} // namespace

int
main(int count, char ** words)
{
  const Device device = at::hasCUDA() ? Device(kCUDA, 0) : Device(kCPU);
  const Size n = count > 2 ? std::atol(words[2]) : 0;
  if (n < 1)
    return 2;
  std::fprintf(stderr, "on %s\n", device.str().c_str());
  if (words[1] == std::string("times"))
  {
    times(n, device);
    return 0;
  }
  int wrong = 0;
  const auto all = cases();
  for (const auto dtype : {kFloat64, kFloat32})
    for (const auto & c : all)
    {
      wrong += !check(c, dtype, n, device);
      std::fflush(stdout);
    }
  std::printf("%zu kinds, %d of %zu wrong, %zu kernels\n",
              all.size(),
              wrong,
              2 * all.size(),
              device_kernels().size());
  return wrong > 0;
}
