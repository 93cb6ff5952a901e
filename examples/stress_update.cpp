// SPDX-License-Identifier: MIT
// Perfect plasticity of two materials at four strains: the stress and, in the same pass, its exact derivative.

// begin program
#include "neml2/neml2.h"
#include <iostream>

// One point: the elastic stress, whose deviator is scaled back to the yield surface.
constexpr auto stress_of =
    [](const auto & strain, const auto & E, const auto & nu, const auto & yield_stress)
{
  const auto trial = isotropic_E_nu(E, nu) * strain;
  const auto mises = std::sqrt(1.5) * norm(dev(trial));
  return vol(trial) + dev(trial) * minimum(yield_stress / maximum(mises, 1e-12), 1.0);
};

int
main()
{
  using namespace neml2;
  const auto E = Scalar::create({100e3, 200e3});                  // MPa, of two materials: (2; )
  const auto load = Scalar::create({{0.5}, {1.0}, {1.5}, {2.0}}); // (4, 1; )
  const auto strain = load * SR2::fill(1e-3, 0.0, 0.0);           // (4, 1; 6)
  const auto [stress, tangent] = value_and_jacobian<0>(stress_of, strain, E, 0.3, 120.0);

  std::cout << "stress " << stress.batch_sizes() << stress.base_sizes() << ", tangent "
            << tangent.batch_sizes() << tangent.base_sizes() << "\n"
            << von_mises(stress) << "\n";
}
// end program
