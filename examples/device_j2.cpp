// SPDX-License-Identifier: MIT
// A step of von Mises plasticity (Simo and Hughes, Computational Inelasticity, 1998, section 3.3) at a million points, on a GPU
// if the machine has one. Tensors that are made on the GPU stay there, and only a few numbers come back.
#include "neml2/device/LoadedKernel.h"
#include "neml2/math/jacobian.h"
#include "neml2/math/recordings.h" // kernels in a program of headers alone
#include "neml2/tensors/invariants.h"
#include "neml2/tensors/tensors.h"

#include <ATen/ATen.h>

#include <cmath>
#include <cstdio>

using namespace neml2;

// begin radial_return
/// One point: stress and new equivalent plastic strain α from the strain and the old α. Stresses are in MPa.
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
// end radial_return

int
main()
{
  const Device device = at::hasCUDA() ? Device(kCUDA, 0) : Device(kCPU);
  const auto options = TensorOptions(kFloat64).device(device);
  constexpr Size n = 1000000;
  const Scalar amplitude(at::linspace(0, 0.005, n, options)); // of the strain, made on the device
  const SR2 strain = amplitude * SR2::fill(1, -0.3, -0.3, 0.2, 0, 0.1, options);
  const Scalar alpha = Scalar::zeros({n}, options);
  const auto [stress, new_alpha] = vmap(radial_return, strain, alpha);
  const auto [same, tangent] = value_and_jacobian<0, 0>(radial_return, strain, alpha);
  std::fprintf(
      stderr, "on %s, by %zu kernels of its own\n", device.str().c_str(), device_kernels().size());

  // One transfer for all printed numbers.
  const at::Tensor plastic(new_alpha), moduli(tangent);
  const at::Tensor printed = at::stack({at::Tensor(von_mises(stress)).max(),
                                        plastic.max(),
                                        plastic.gt(0).to(kFloat64).mean(),
                                        moduli.select(-1, 0).select(-1, 0).min()})
                                 .cpu();
  const auto number = [&printed](Size i) { return printed[i].item<double>(); };
  std::printf("largest von Mises stress  %.3f MPa\n", number(0));
  std::printf("largest plastic strain    %.6f\n", number(1));
  std::printf("points that yield         %.4f\n", number(2));
  std::printf("smallest dσ00/dε00        %.0f MPa\n", number(3));
}
