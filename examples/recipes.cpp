// SPDX-License-Identifier: MIT
// The recipes of the page "How to": short answers to common needs of material models, one function each.

// begin headers
#include "neml2/neml2.h"

#include <torch/optim/lbfgs.h> // for the calibration

using namespace neml2;
// end headers

#include <cstdio>
#include <cstring>
#include <vector>

// begin stress_update
/// One point: stress and new state from the strain, the state before the step and the material.
constexpr auto radial_return = [](const auto & strain, const auto & old, const auto & material)
{
  const auto & [plastic_strain, alpha] = old;
  const auto & [mu, kappa, yield_stress, modulus] = material;
  const auto trial = 2.0 * mu * dev(strain - plastic_strain);
  const auto mises = maximum(von_mises(trial), 1e-12);
  const auto increment =
      maximum(mises - yield_stress - modulus * alpha, 0.0) / (3.0 * mu + modulus);
  const auto flow = trial * (1.5 * increment / mises);
  return std::tuple(3.0 * kappa * vol(strain) + trial - 2.0 * mu * flow,
                    std::tuple(plastic_strain + flow, alpha + increment));
};

constexpr auto steel = std::tuple(77e3, 167e3, 250.0, 2e3); // MPa
// end stress_update

void
stress_update()
{
  // begin tangent
  const SR2 strain = Scalar::create({0.5e-3, 1e-3, 2e-3, 4e-3}) * SR2::fill(1.0, -0.4, -0.4);
  const std::tuple old(SR2::zeros({4}), Scalar::zeros({4}));
  SR2 stress = SR2::empty({4}); // once, before the first step
  std::tuple state(SR2::empty({4}), Scalar::empty({4}));
  SSR4 tangent = SSR4::empty({4});
  value_and_jacobian_out<0, 0>(std::tie(stress, state, tangent), radial_return, strain, old, steel);
  // end tangent
  std::printf("strain  stress, MPa  C_0000, GPa\n");
  for (Size p = 0; p < 4; p++)
    std::printf("%.4f %12.2f %12.2f\n",
                strain(0, 0)[p].item<double>(),
                stress(0, 0)[p].item<double>(),
                tangent(0, 0, 0, 0)[p].item<double>() / 1e3);
}

// begin calibrate
struct Parameters : PrimitiveTensor<Parameters, 3>
{
  using PrimitiveTensor::PrimitiveTensor;
};

/// Voce's law: the yield stress after a plastic strain.
constexpr auto hardening = [](const auto & strain, const auto & p)
{ return p(0) + p(1) * (1.0 - exp(-p(2) * strain)); };

/// The parameters whose yield stresses are closest to those measured.
Parameters
calibrate(const Scalar & strain, const Scalar & measured, const Parameters & guess)
{
  const at::Tensor x = log(guess).requires_grad_(); // logarithms: all stay positive
  torch::optim::LBFGS optimizer(
      std::vector<at::Tensor>{x},
      torch::optim::LBFGSOptions(1).max_iter(100).line_search_fn("strong_wolfe"));
  const auto misfit = [&]
  {
    optimizer.zero_grad();
    const Scalar error = vmap(with_gradient(hardening), strain, exp(Parameters(x))) - measured;
    const at::Tensor mean = (error * error).mean();
    mean.backward();
    return mean;
  };
  optimizer.step(misfit);
  return exp(Parameters(x.detach()));
}
// end calibrate

void
calibration()
{
  const Scalar strain = Scalar::create({0.0, 0.02, 0.05, 0.1, 0.15, 0.2});
  const auto truth = Parameters::create({250.0, 120.0, 20.0}),
             guess = Parameters::create({100.0, 100.0, 5.0});
  const auto found = calibrate(strain, vmap(hardening, strain, truth), guess);
  const char * const names[] = {"yield", "saturation", "rate"};
  for (Size i = 0; i < 3; i++)
    std::printf("%-10s %8.3f\n", names[i], found[i].item<double>());
}

// begin crystal
/// Rotates the stiffness to the axes of the sample: only once, if the crystals do not rotate.
SR2
stress_by_stiffness(const SSR4 & C, const SR2 & strain, const Rot & to_crystal)
{
  return C.rotate(to_crystal.inverse()) * strain;
}

/// Rotates the strain to the axes of the crystal and the stress back, for a law in these axes.
constexpr auto stress_by_strain = [](const auto & C, const auto & strain, const auto & to_crystal)
{
  const auto R = euler_rodrigues(to_crystal);
  return rotate(C * rotate(strain, R), transpose(R));
};
// end crystal

void
crystal()
{
  // begin angles
  const auto angles = Vec::create({{0.0, 0.0, 0.0}, {0.0, 45.0, 0.0}, {20.0, 54.7356, 45.0}});
  const auto to_crystal = Rot::fill_euler_angles(angles, "bunge", "degrees"); // of φ1, Φ, φ2
  const auto copper = SSR4::cubic(168.4e3, 121.4e3, 75.4e3); // MPa, in the crystal's axes
  const auto strain = SR2::fill(0.0, 0.0, 1e-3);             // in the sample's axes
  const SR2 stress = stress_by_stiffness(copper, strain, to_crystal);
  const SR2 same = vmap(stress_by_strain, copper, strain, to_crystal);
  // end angles
  std::printf("Stress along z, MPa:");
  for (Size p = 0; p < 3; p++)
    std::printf(" %.1f", stress(2, 2)[p].item<double>());
  const bool agree = (stress - same).abs().max().item<double>() < 1e-10;
  std::printf("\nBoth ways give %s\n", agree ? "one stress" : "DIFFERENT STRESSES");
}

// begin table
constexpr std::array<double, 4> temperatures{20, 200, 400, 600}, // °C
    moduli{210e3, 202e3, 185e3, 160e3};                          // MPa

/// Elasticity whose modulus is a table.
constexpr auto thermoelastic = [](const auto & strain, const auto & T, const auto & nu)
{
  const auto E = interpolate(T, temperatures, moduli);
  return isotropic_E_nu(E, nu) * strain;
};

/// The stress, and its derivative by the temperature.
std::pair<SR2, SR2>
stress_by_temperature(const SR2 & strain, const Scalar & T)
{
  return value_and_jacobian<1>(thermoelastic, strain, T, 0.3);
}
// end table

void
table()
{
  const Scalar T = Scalar::create({100.0, 300.0, 500.0});
  const auto [stress, by_T] = stress_by_temperature(SR2::fill(1e-3, 0.0, 0.0), T);
  std::printf("   T   stress, MPa   by T, MPa/K\n");
  for (Size p = 0; p < 3; p++)
    std::printf("%4.0f %13.2f %13.4f\n",
                T[p].item<double>(),
                stress(0, 0)[p].item<double>(),
                by_T(0, 0)[p].item<double>());
}

// begin residual
LabeledAxis
labeled_axis(const char * tensor, const char * scalar)
{
  LabeledAxis a;
  a.add<SR2>(tensor).add<Scalar>(scalar).setup_layout();
  return a;
}

const LabeledAxis unknown_axis = labeled_axis("stress", "creep_strain"),
                  equation_axis = labeled_axis("elasticity", "creep_law");
const LabeledVariables<SR2, Scalar> of_unknowns(unknown_axis, {"stress", "creep_strain"});
const LabeledVariables<SR2, Scalar> of_equations(equation_axis, {"elasticity", "creep_law"});

/// The residuals at the end of a step of creep from rest: elasticity and Norton's law.
constexpr auto creep = [](const auto & x, const auto & strain, const auto & C, const auto & dt)
{
  const auto & [stress, creep_strain] = x;
  const auto mises = von_mises(stress);
  const auto elastic_strain = strain - 1.5 * creep_strain / mises * dev(stress);
  return std::tuple((stress - C * elastic_strain) / 1e5,
                    creep_strain - 1e-6 * dt * pow(mises / 100.0, 3.0));
};

/// The residual, and its exact Jacobian.
std::pair<LabeledVector, LabeledMatrix>
assemble(const LabeledVector & x, const SR2 & strain, const SSR4 & C, double dt)
{
  return of_equations.value_and_jacobian<0>(of_unknowns, creep, of_unknowns.of(x), strain, C, dt);
}
// end residual

void
residual()
{
  const SR2 strain = Scalar::create({0.5e-3, 1e-3, 2e-3}) * SR2::fill(1.0, -0.4, -0.4);
  // begin newton
  const auto C = SSR4::isotropic_E_nu(160e3, 0.3);
  auto x = LabeledVector::assemble(unknown_axis, {{"stress", C * strain}});
  for (int i = 0; i < 8; i++)
  {
    const auto [r, J] = assemble(x, strain, C, 100.0);
    x = LabeledVector(x.tensor() - linalg::solve(J, r), {&unknown_axis});
  }
  const auto [r, J] = assemble(x, strain, C, 100.0);
  const Tensor by_stress = J.base_index({"creep_law", "stress"}); // a view
  // end newton
  const bool solved = r.tensor().abs().max().item<double>() < 1e-12;
  std::printf("The equations %s; a block of the Jacobian is (%d; %d, %d)\n",
              solved ? "hold" : "DO NOT HOLD",
              int(by_stress.size(0)),
              int(by_stress.size(1)),
              int(by_stress.size(2)));
  std::printf("strain  stress, MPa  creep strain\n");
  const auto [stress, creep_strain] = of_unknowns.of(x);
  for (Size p = 0; p < 3; p++)
    std::printf("%.4f %12.2f %13.6f\n",
                strain(0, 0)[p].item<double>(),
                stress(0, 0)[p].item<double>(),
                creep_strain[p].item<double>());
}

// begin points
/// The data of an integration point in a finite-element code, in Voigt's notation.
struct Point
{
  double strain[6], stress[6], tangent[36];
  double old_state[7], state[7]; // plastic strain as stored in an SR2, equivalent plastic strain
};

/// A member of n points: rows of m numbers, one row per point. Nothing is copied.
at::Tensor
rows_of(double * first, Size n, Size m)
{
  return at::from_blob(first, {n, m}, {sizeof(Point) / sizeof(double), 1}, kFloat64);
}

std::tuple<SR2, Scalar>
state_of(double * first, Size n)
{
  const at::Tensor all = rows_of(first, n, 7);
  return {SR2(all.slice(1, 0, 6)), Scalar(all.select(1, 6))};
}
// end points

// begin update
/// Stress, new state and tangent of n points from their strain and old state.
void
update(Point * points, Size n)
{
  const SR2 strain = from_voigt_strain(rows_of(points->strain, n, 6));
  auto state = state_of(points->state, n); // the place of the new state
  SR2 stress = SR2::empty({n});
  SSR4 tangent = SSR4::empty({n});
  value_and_jacobian_out<0, 0>(std::tie(stress, state, tangent),
                               radial_return,
                               strain,
                               state_of(points->old_state, n),
                               steel);
  rows_of(points->stress, n, 6).copy_(to_voigt_stress(stress));
  rows_of(points->tangent, n, 36).copy_(stiffness_to_voigt(tangent).base_flatten());
}
// end update

// begin in_voigt
struct Voigt : PrimitiveTensor<Voigt, 6>
{
  using PrimitiveTensor::PrimitiveTensor;
};

/// radial_return of a strain in Voigt's notation; the stress is in Voigt's notation, too.
constexpr auto in_voigt = [](const auto & e, const auto & old, const auto & material)
{
  const auto strain = SR2::fill(e(0), e(1), e(2), 0.5 * e(3), 0.5 * e(4), 0.5 * e(5));
  const auto [s, state] = radial_return(strain, old, material);
  return std::tuple(Voigt::fill(s(0, 0), s(1, 1), s(2, 2), s(1, 2), s(0, 2), s(0, 1)), state);
};

void
update_in_one_pass(Point * points, Size n)
{
  const Voigt strain(rows_of(points->strain, n, 6));
  Voigt stress(rows_of(points->stress, n, 6));
  auto state = state_of(points->state, n);
  SSR4 tangent(rows_of(points->tangent, n, 36).view({n, 6, 6})); // in Voigt's notation, too
  value_and_jacobian_out<0, 0>(
      std::tie(stress, state, tangent), in_voigt, strain, state_of(points->old_state, n), steel);
}
// end in_voigt

void
finite_elements()
{
  const Size n = 1000, ranks = 3;
  std::vector<Point> points(n);
  for (Size p = 0; p < n; p++)
    points[p].strain[5] = 1e-5 * double(p + 1); // an angle γ_12
  std::vector<Point> parts = points, whole = points;
  for (Size rank = 0; rank < ranks; rank++)
  {
    // begin rank
    at::set_num_threads(1); // once, at the start of each rank
    const Size first = n * rank / ranks, end = n * (rank + 1) / ranks; // the points of this rank
    update(points.data() + first, end - first);
    // end rank
  }
  update(whole.data(), n);
  const bool same = std::memcmp(points.data(), whole.data(), n * sizeof(Point)) == 0;
  update_in_one_pass(parts.data(), n);
  double most = 0;
  for (Size p = 0; p < n; p++)
  {
    for (int i = 0; i < 6; i++)
      most = std::max(most, std::abs(parts[p].stress[i] - whole[p].stress[i]));
    for (int i = 0; i < 36; i++)
      most = std::max(most, 1e-3 * std::abs(parts[p].tangent[i] - whole[p].tangent[i]));
  }
  std::printf("Shear stress of an angle of 0.001: %.3f MPa, tangent %.1f MPa\n",
              points[99].stress[5],
              points[99].tangent[35]);
  std::printf(
      "after yield: %.3f MPa, tangent %.1f MPa\n", points[999].stress[5], points[999].tangent[35]);
  std::printf("%s bits from one rank and from three; in one pass %s\n",
              same ? "The same" : "OTHER",
              most < 1e-9 ? "the same to 1e-9 MPa" : "OTHER NUMBERS");
}

int
main()
{
  const std::pair<const char *, void (*)()> recipes[] = {{"A stress update", stress_update},
                                                         {"Calibration", calibration},
                                                         {"A crystal", crystal},
                                                         {"A table", table},
                                                         {"A residual", residual},
                                                         {"Finite elements", finite_elements}};
  for (const auto & [title, recipe] : recipes)
  {
    std::printf("# %s\n", title);
    recipe();
  }
}
