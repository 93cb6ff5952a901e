// SPDX-License-Identifier: MIT
// Taylor's model of a polycrystal of ten thousand crystals of random orientation. Each crystal has the strain rate of the
// polycrystal, and slips on the twelve systems of face-centred cubic metals by a power law. In each crystal the stress solves six
// equations; as the exponent of the law grows, slip becomes independent of the rate. The Taylor factor is compared with the
// literature (Taylor 1938; 3.06 to 3.07, Kocks 1970, Metall. Trans. 1, 1121-1143), and tension turns the crystals until
// <111> or <100> lie along it.
#include "neml2/math/newton.h"
#include "neml2/math/numbers_of.h"
#include "neml2/tensors/exponential_map.h"
#include "neml2/tensors/tensors.h"

#include <ATen/ATen.h>

#include <cstdio>
#include <fstream>

using namespace neml2;

/// The slip systems {111}<110>: Mandel components of the symmetric parts of b n, axial vectors of the skew parts.
struct SlipSystems
{
  double symmetric[12][6] = {}, axial[12][3] = {};

  constexpr SlipSystems()
  {
    constexpr int normals[4][3] = {{1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}};
    constexpr int directions[6][3] = {
        {0, 1, 1}, {0, 1, -1}, {1, 0, 1}, {1, 0, -1}, {1, 1, 0}, {1, -1, 0}};
    constexpr double over_sqrt6 = 0.40824829046386307, sqrt2 = 1.4142135623730951;
    int a = 0;
    for (const auto & n : normals)
      for (const auto & b : directions)
        if (n[0] * b[0] + n[1] * b[1] + n[2] * b[2] == 0)
        {
          for (int i = 0; i < 3; i++)
          {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            symmetric[a][i] = over_sqrt6 * n[i] * b[i];
            symmetric[a][3 + i] = over_sqrt6 / sqrt2 * (n[j] * b[k] + n[k] * b[j]);
            axial[a][i] = over_sqrt6 / 2 * (n[j] * b[k] - n[k] * b[j]);
          }
          a++;
        }
  }
};
constexpr SlipSystems slip;

/// Rate of plastic strain and spin for the stress s: slip rates |τ|^(n-1) τ of the stresses τ resolved on the systems.
constexpr auto flow = [](const auto & s, const auto & n)
{
  using T = scalar_of<decltype(s)>;
  std::array<T, 9> sum;
  sum.fill(0.0 * s(0));
  for (int a = 0; a < 12; a++)
  {
    T stress = slip.symmetric[a][0] * s(0);
    for (int k = 1; k < 6; k++)
      stress = stress + slip.symmetric[a][k] * s(k);
    const T rate = pow(abs(stress), n - 1.0) * stress;
    for (int k = 0; k < 9; k++)
      sum[size_t(k)] =
          sum[size_t(k)] + rate * (k < 6 ? slip.symmetric[a][k] : slip.axial[a][k - 6]);
  }
  return tensors_of<SR2, WR2>(sum);
};

/// The equations: the deviatoric stress must make the crystal flow at the given rate.
constexpr auto equations = [](const auto & s, const auto & rate, const auto & n)
{ return std::get<0>(flow(s, n)) - rate + vol(s); };

/// A step of one crystal for a given exponent. It returns the stress power σ : D and the new orientation, which maps the frame of the
/// crystal to the frame of the sample.
struct Crystal
{
  double exponent;

  template <class R, class D, class T>
  auto operator()(const R & orientation, const D & rate, const T & dt) const
  {
    const auto own_rate = rotate(rate, transpose(euler_rodrigues(orientation)));
    auto s = 2.0 * own_rate;                           // exponent 1
    for (double n = 5;; n = std::min(2 * n, exponent)) // a smaller exponent gives the guess
    {
      s = newton(equations, s, own_rate, n);
      if (n == exponent)
        break;
    }
    const auto spin = std::get<1>(flow(s, exponent));
    return std::tuple(inner(s, own_rate), orientation * exp_map(-dt * spin));
  }
};

/// The fraction of crystals with one of the directions within 15 degrees of the axis of tension.
double
share(const Rot & orientation, const std::vector<Vec> & directions)
{
  at::Tensor near = at::zeros({orientation.size(0)}, at::kBool);
  for (const auto & d : directions)
    near = near.bitwise_or(at::abs(rotate(d, orientation)(2)).gt(std::cos(15 * M_PI / 180)));
  return 100 * near.to(at::kDouble).mean().item<double>();
}

int
main(int count, char ** arguments)
{
  set_default_dtype(kFloat64);
  at::manual_seed(0);
  const Size N = 10000;
  Rot orientation = Rot::rand({N}, {}, kFloat64);
  const SR2 rate = SR2::fill(-0.5, -0.5, 1.0, 0.0, 0.0, 0.0); // tension along the third axis

  std::printf("exponent   Taylor factor\n");
  double factor[2] = {};
  for (const double n : {20.0, 40.0, 80.0, 160.0})
  {
    const auto [M, turned] = vmap(Crystal{n}, orientation, rate, 0.0);
    factor[0] = factor[1];
    factor[1] = at::Tensor(M).mean().item<double>();
    std::printf("%8.0f   %6.3f\n", n, factor[1]);
  }
  std::printf("   limit   %6.2f\n\n", 2 * factor[1] - factor[0]); // linear in 1/n

  const double half = std::sqrt(0.5), third = std::sqrt(1.0 / 3);
  const std::vector<Vec> cube{
      Vec::fill(1.0, 0.0, 0.0), Vec::fill(0.0, 1.0, 0.0), Vec::fill(0.0, 0.0, 1.0)},
      octahedron{Vec::fill(third, third, third),
                 Vec::fill(-third, third, third),
                 Vec::fill(third, -third, third),
                 Vec::fill(third, third, -third)},
      dodecahedron{Vec::fill(half, half, 0.0),
                   Vec::fill(half, -half, 0.0),
                   Vec::fill(half, 0.0, half),
                   Vec::fill(half, 0.0, -half),
                   Vec::fill(0.0, half, half),
                   Vec::fill(0.0, half, -half)};
  std::ofstream poles; // of {111}, for a plot
  if (count > 1)
    poles.open(arguments[1]);
  std::printf("strain   crystals within 15 degrees of <111>  <100>  <110>\n");
  const int steps = 25;
  for (int step = 0; step <= steps; step++)
  {
    if (step > 0)
      orientation = std::get<1>(vmap(Crystal{20}, orientation, rate, 0.5 / steps));
    if (step == 0 || step == steps)
      for (const auto & d : octahedron)
      {
        const at::Tensor v = rotate(d, orientation);
        for (Size i = 0; i < N && poles.is_open(); i++)
          poles << step << ' ' << v[i][0].item<double>() << ' ' << v[i][1].item<double>() << ' '
                << v[i][2].item<double>() << '\n';
      }
    if (step % 5 == 0)
      std::printf("%6.1f   %32.0f %% %4.0f %% %4.0f %%\n",
                  0.5 * step / steps,
                  share(orientation, octahedron),
                  share(orientation, cube),
                  share(orientation, dodecahedron));
  }
}
