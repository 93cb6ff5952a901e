// SPDX-License-Identifier: MIT
// The ways to compute a derivative, shown on one law: by dual numbers in the pass, by autograd, of a solution of equations,
// second derivatives, and differences, which check them.

// begin headers
#include "neml2/neml2.h"

#include <torch/csrc/autograd/autograd.h> // torch::autograd::grad

using namespace neml2;
// end headers

#include <cstdio>
#include <iostream>

// begin law
/// One point of a solid that softens in shear: strains in 1e-3, moduli in GPa, stresses in MPa.
constexpr auto stress_of =
    [](const auto & strain, const auto & K, const auto & G, const auto & limit)
{
  const auto e = dev(strain);
  return 3.0 * K * vol(strain) + 2.0 * G / sqrt(1.0 + norm_sq(e) / (limit * limit)) * e;
};
// end law

// begin energy
/// The energy whose derivative by the strain is this stress, in kJ/m³.
constexpr auto energy_of =
    [](const auto & strain, const auto & K, const auto & G, const auto & limit)
{
  const auto volume = tr(strain), square = limit * limit;
  return 0.5 * K * volume * volume +
         2.0 * G * square * (sqrt(1.0 + norm_sq(dev(strain)) / square) - 1.0);
};
// end energy

// begin inverse
/// The strain at which the law gives this stress.
constexpr auto strain_of =
    [](const auto & stress, const auto & K, const auto & G, const auto & limit)
{
  const auto residual = [](const auto & x, const auto & s, const auto &... material)
  { return (stress_of(x, material...) - s) / 100.0; };
  return newton(residual, 0.0 * stress, stress, K, G, limit);
};
// end inverse

void
print(const char * what, const at::Tensor & t)
{
  std::cout << what << " " << t.sizes() << "\n";
}

void
check(const char * what, const at::Tensor & a, const at::Tensor & b, double relative)
{
  const double error = ((a - b).abs().max() / b.abs().max()).item<double>();
  std::printf(error < relative ? "%s, to %.0e\n" : "%s: NO, not to %.0e\n", what, relative);
}

int
main()
{
  // begin tangent
  const Scalar load = Scalar::create({{1.0}, {2.0}, {4.0}}); // (3, 1; )
  const SR2 strain = load * SR2::fill(1.0, -0.4, -0.4);      // (3, 1; 6)
  const Scalar G = Scalar::create({60.0, 80.0});             // (2; ), of two materials
  const auto [stress, tangent] = value_and_jacobian<0>(stress_of, strain, 160.0, G, 2.0);
  // end tangent
  print("stress", stress);
  print("tangent", tangent);

  // begin loss
  Scalar modulus = G.clone();
  modulus.requires_grad_();
  const SR2 computed = vmap(with_gradient(stress_of), strain, 160.0, modulus, 2.0);
  const at::Tensor loss = norm_sq(computed - 0.9 * stress).mean();
  loss.backward();
  // end loss
  print("gradient by G", modulus.grad());
  for (const Size material : {0, 1})
    std::printf("  of material %d: %.4f\n", int(material), modulus.grad()[material].item<double>());

  // begin batches
  SR2 each = strain.batch_expand({3, 2}).clone(); // a separate strain for each stress
  each.requires_grad_();
  const SR2 by_operators = stress_of(each, 160.0, G, 2.0); // the same formula, on whole batches
  const Tensor by_rows = jacrev(by_operators, each);
  // end batches
  check("jacrev gives the same tangent", by_rows, tangent, 1e-12);

  // begin hessian
  const Scalar energy = vmap(energy_of, each, 160.0, G, 2.0);
  const at::Tensor first =
      torch::autograd::grad({energy.sum()}, {each}, {}, true, /*create_graph=*/true)[0];
  const SR2 direction = SR2::fill(0.0, 0.0, 0.0, 0.0, 0.0, 1.0).batch_expand({3, 2});
  const at::Tensor product = torch::autograd::grad({first}, {each}, {direction})[0];
  // end hessian
  check("The energy's gradient is the stress", first, stress, 1e-12);
  check("its Hessian times a direction is the tangent's", product, tangent * direction, 1e-12);

  // begin solution
  const auto [found, compliance] = value_and_jacobian<0>(strain_of, stress, 160.0, G, 2.0);
  // end solution
  check("Newton's method finds the strain", found, each.detach(), 1e-10);
  check("The derivative of the solution is the inverse of the tangent",
        compliance,
        inv(tangent),
        1e-8);

  // begin differences
  const double h = 1e-4; // of a strain of about 1
  std::vector<at::Tensor> columns;
  for (Size i = 0; i < 6; i++)
  {
    SR2 d = SR2::zeros({});
    d.base_index_put_({i}, h);
    const SR2 after = vmap(stress_of, strain + d, 160.0, G, 2.0),
              before = vmap(stress_of, strain - d, 160.0, G, 2.0);
    columns.push_back((after - before) / (2.0 * h));
  }
  const at::Tensor differences = at::stack(columns, -1);
  // end differences
  check("Differences agree with the tangent", differences, tangent, 1e-7);
}
