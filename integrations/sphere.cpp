// SPDX-License-Identifier: MIT
// A hollow sphere of steel in deal.II, blown up by pressure until all of it flows. The von Mises plasticity is a formula of this library,
// called at each quadrature point; it needs the headers alone, without LibTorch. Displacements are compared with the exact solution.
//
//     sphere [--draw FILE] [--time] [--refinements N]

// begin headers
#include "neml2/packs/at_point.h"

#include "neml2/kernels/invariants.h"
// end headers

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/sparse_direct.h>
#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/numerics/vector_tools.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace dealii;

// ---- The material at one point ----

// begin material
using neml2::kernels::SR2;
using neml2::kernels::SSR4;

template <class S, class A>
struct State
{
  S plastic_strain;
  A p; // accumulated plastic strain
};
template <class S, class A>
State(S, A) -> State<S, A>;

/// Radial return with Voce's hardening. Source: Simo and Hughes (1998), Computational Inelasticity, section 3.3.
constexpr auto update = [](const auto & strain, const auto & old, const auto & material)
{
  const auto & [G, kappa, yield, Q, b] = material;
  const auto trial = 2.0 * G * dev(strain - old.plastic_strain);
  const auto mises = maximum(von_mises(trial), 1e-12);
  const auto overstress = [](const auto & dp, const auto & q, const auto & p, const auto & m)
  {
    const auto & [shear, bulk, first, more, rate] = m;
    return (q - 3.0 * shear * dp - first - more * (1.0 - exp(-rate * (p + dp)))) / first;
  };
  const auto flows = overstress(0.0, mises, old.p, material) > 0.0;
  const auto dp = where(flows, newton(overstress, 0.0, mises, old.p, material), 0.0);
  const auto flow = trial * (1.5 * dp / mises);
  return std::tuple(3.0 * kappa * vol(strain) + trial - 2.0 * G * flow,
                    State{old.plastic_strain + flow, old.p + dp});
};
// end material

const double G = 77e3, kappa = 167e3, yield = 250, Q = 120, b = 15; // MPa

// begin convert
SR2<double>
mandel(const SymmetricTensor<2, 3> & a)
{
  return neml2::kernels::fill_SR2(a[0][0], a[1][1], a[2][2], a[1][2], a[0][2], a[0][1]);
}

SymmetricTensor<2, 3>
tensor(const SR2<double> & a)
{
  SymmetricTensor<2, 3> r;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++)
      r[i][j] = a(i, j);
  return r;
}

SymmetricTensor<4, 3>
tensor(const SSR4<double> & a)
{
  SymmetricTensor<4, 3> r;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < 3; k++)
        for (int l = 0; l <= k; l++)
          r[i][j][k][l] = a(i, j, k, l);
  return r;
}
// end convert

// begin point
/// A quadrature point with its state before and after the step.
struct SteelPoint
{
  State<SR2<double>, double> old{SR2<double>{}, 0.0}, now = old;
  SymmetricTensor<2, 3> strain, stress;
  SymmetricTensor<4, 3> tangent;

  void update_stress()
  {
    const auto [results, slope] = neml2::value_and_jacobian_at_point<0, 0>(
        update, mandel(strain), old, std::tuple(G, kappa, yield, Q, b));
    stress = tensor(std::get<0>(results));
    now = std::get<1>(results);
    tangent = tensor(slope);
  }
};
// end point

/// Stress and tangent of the same material by hand, in deal.II's tensors. Source of the tangent: Simo and Hughes (1998), section 3.3.2.
std::pair<SymmetricTensor<2, 3>, SymmetricTensor<4, 3>>
by_hand(const SymmetricTensor<2, 3> & strain,
        const SymmetricTensor<2, 3> & plastic_strain,
        const double p)
{
  static const auto one = unit_symmetric_tensor<3>();
  static const auto volume = outer_product(one, one), shape = deviator_tensor<3>();
  const auto trial = 2 * G * deviator(strain - plastic_strain);
  const double mises = std::max(std::sqrt(1.5) * trial.norm(), 1e-12);
  const auto overstress = [&](double dp)
  { return mises - 3 * G * dp - yield - Q * (1 - std::exp(-b * (p + dp))); };
  const auto hardening = [&](double dp) { return Q * b * std::exp(-b * (p + dp)); };
  double dp = 0;
  for (double over = overstress(0); over > 1e-13 * yield; over = overstress(dp))
    dp += over / (3 * G + hardening(dp));
  const auto n = trial * (std::sqrt(1.5) / mises);
  const double theta = 1 - 3 * G * dp / mises,
               theta_bar = dp > 0 ? 1 / (1 + hardening(dp) / (3 * G)) - (1 - theta) : 0.0;
  return {kappa * trace(strain) * one + theta * trial,
          kappa * volume + 2 * G * (theta * shape - theta_bar * outer_product(n, n))};
}

// ---- The finite elements: an eighth of the sphere ----

const double inner = 100, outer = 150; // mm

class Stopwatch
{
  std::chrono::steady_clock::time_point begun;

public:
  double seconds = 0;
  void start() { begun = std::chrono::steady_clock::now(); }
  void stop()
  {
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  }
};

class Sphere
{
  FESystem<3> fe{FE_Q<3>(2), 3};
  MappingQ<3> mapping{2};
  QGauss<3> quadrature{3};
  AffineConstraints<double> symmetry;
  SparsityPattern pattern;
  SparseMatrix<double> K;
  Vector<double> u, forces, load; // the load at a pressure of 1 MPa

  /// Integrates a function of the finite elements and a quadrature point over the faces of a side.
  template <class F>
  void over(types::boundary_id side, const F & f) const
  {
    FEFaceValues<3> values(
        mapping, fe, QGauss<2>(3), update_values | update_normal_vectors | update_JxW_values);
    for (const auto & cell : dofs.active_cell_iterators())
      for (const auto & face : cell->face_iterators())
        if (face->at_boundary() && face->boundary_id() == side)
        {
          values.reinit(cell, face);
          f(cell, values);
        }
  }

public:
  Triangulation<3> mesh;
  DoFHandler<3> dofs{mesh};
  std::vector<SteelPoint> points;
  Stopwatch material, assembly, solver;
  static constexpr types::boundary_id inside = 0, outside = 1;

  explicit Sphere(unsigned int refinements)
  {
    GridGenerator::quarter_hyper_shell(mesh, {}, inner, outer, 3, /*colorize=*/true);
    mesh.refine_global(refinements);
    dofs.distribute_dofs(fe);
    for (unsigned int i = 0; i < 3; i++)
    {
      ComponentMask normal(3, false);
      normal.set(i, true);
      DoFTools::make_zero_boundary_constraints(dofs, 2 + i, symmetry, normal);
    }
    symmetry.close();
    DynamicSparsityPattern entries(dofs.n_dofs());
    DoFTools::make_sparsity_pattern(dofs, entries, symmetry, false);
    pattern.copy_from(entries);
    K.reinit(pattern);
    for (Vector<double> * v : {&u, &forces, &load})
      v->reinit(dofs.n_dofs());
    points.resize(mesh.n_active_cells() * quadrature.size());

    Vector<double> of_cell(fe.n_dofs_per_cell());
    std::vector<types::global_dof_index> numbers(fe.n_dofs_per_cell());
    over(inside,
         [&](const auto & cell, const FEFaceValues<3> & values)
         {
           of_cell = 0;
           for (const unsigned int q : values.quadrature_point_indices())
             for (const unsigned int i : values.dof_indices())
               of_cell(i) -= values.shape_value(i, q) * values.JxW(q) *
                             values.normal_vector(q)[fe.system_to_component_index(i).first];
           cell->get_dof_indices(numbers);
           symmetry.distribute_local_to_global(of_cell, numbers, load);
         });
  }

  // begin assemble
  /// Forces and stiffness at the displacements u.
  void assemble()
  {
    const FEValuesExtractors::Vector displacement(0);
    FEValues<3> values(mapping, fe, quadrature, update_gradients | update_JxW_values);
    const unsigned int n = fe.n_dofs_per_cell();
    FullMatrix<double> K_cell(n, n);
    Vector<double> forces_cell(n);
    std::vector<types::global_dof_index> numbers(n);
    std::vector<SymmetricTensor<2, 3>> strains(quadrature.size()), shapes(n);
    K = 0;
    forces = 0;
    for (const auto & cell : dofs.active_cell_iterators())
    {
      values.reinit(cell);
      values[displacement].get_function_symmetric_gradients(u, strains);
      SteelPoint * const of_cell = &points[cell->active_cell_index() * quadrature.size()];
      material.start();
      for (const unsigned int q : values.quadrature_point_indices())
      {
        of_cell[q].strain = strains[q];
        of_cell[q].update_stress();
      }
      material.stop();

      K_cell = 0;
      forces_cell = 0;
      for (const unsigned int q : values.quadrature_point_indices())
      {
        for (const unsigned int i : values.dof_indices())
          shapes[i] = values[displacement].symmetric_gradient(i, q);
        for (const unsigned int i : values.dof_indices())
        {
          const auto slope = of_cell[q].tangent * shapes[i] * values.JxW(q);
          forces_cell(i) += of_cell[q].stress * shapes[i] * values.JxW(q);
          for (unsigned int j = 0; j <= i; j++)
            K_cell(i, j) += slope * shapes[j];
        }
      }
      for (unsigned int i = 0; i < n; i++)
        for (unsigned int j = 0; j < i; j++)
          K_cell(j, i) = K_cell(i, j);
      cell->get_dof_indices(numbers);
      symmetry.distribute_local_to_global(K_cell, forces_cell, numbers, K, forces);
    }
  }
  // end assemble

  // begin newton
  /// Newton's method of the structure. Returns the residuals, relative to the load.
  std::vector<double> equilibrium(double pressure)
  {
    std::vector<double> residuals;
    Vector<double> residual(u.size()), change(u.size());
    while (true)
    {
      assembly.start();
      assemble();
      assembly.stop();
      residual.equ(pressure, load);
      residual -= forces;
      residuals.push_back(residual.l2_norm() / (pressure * load.l2_norm()));
      if (residuals.back() < 1e-10)
        break;
      if (residuals.size() == 20)
        throw std::runtime_error("Newton's method of the sphere did not converge in 20 iterations. "
                                 "Raise the pressure in smaller steps.");
      solver.start();
      SparseDirectUMFPACK inverse;
      inverse.initialize(K);
      inverse.vmult(change, residual);
      solver.stop();
      u += change;
    }
    for (SteelPoint & point : points)
      point.old = point.now;
    return residuals;
  }
  // end newton

  /// The mean of the radial displacement over the inner or the outer side, which is positive outwards.
  double expansion(types::boundary_id side) const
  {
    double integral = 0, area = 0;
    std::vector<Tensor<1, 3>> of_points(9);
    over(side,
         [&](const auto &, const FEFaceValues<3> & values)
         {
           values[FEValuesExtractors::Vector(0)].get_function_values(u, of_points);
           for (const unsigned int q : values.quadrature_point_indices())
           {
             integral += of_points[q] * values.normal_vector(q) * values.JxW(q);
             area += values.JxW(q);
           }
         });
    return (side == inside ? -1 : 1) * integral / area;
  }

  /// Writes the faces on the three planes of symmetry: the mean plastic strain of the cell, in %, and the corners, whose displacements are
  /// multiplied by 20.
  void draw(std::ostream & out) const
  {
    for (const auto & cell : dofs.active_cell_iterators())
      for (const auto & face : cell->face_iterators())
        if (face->at_boundary() && face->boundary_id() != outside)
        {
          double p = 0;
          for (unsigned int q = 0; q < quadrature.size(); q++)
            p += points[cell->active_cell_index() * quadrature.size() + q].now.p;
          out << "face " << 100 * p / quadrature.size();
          for (const int corner : {0, 1, 3, 2})
            for (int i = 0; i < 3; i++)
              out << ' ' << face->vertex(corner)[i] + 20 * u(face->vertex_dof_index(corner, i));
          out << '\n';
        }
  }
};

// ---- The exact solution ----

/// Y is the tangential minus the radial stress, e the tangential minus the radial strain. Equilibrium and compatibility of a sphere give
/// kappa e + 2/3 Y = c / r³, for any hardening. The directions of flow do not change, so that e = Y / (2 G) + 3/2 p.
class Exact
{
  double c = 0;

  static double yield_stress(double p) { return yield + Q * (1 - std::exp(-b * p)); }
  static double left_side(double Y, double p)
  {
    return kappa * (Y / (2 * G) + 1.5 * p) + Y * 2 / 3;
  }

  double plastic(double r) const
  {
    double p = 0;
    if (c / (r * r * r) > left_side(yield, 0))
      for (int i = 0; i < 50; i++)
        p += (c / (r * r * r) - left_side(yield_stress(p), p)) /
             left_side(Q * b * std::exp(-b * p), 1);
    return p;
  }
  double Y(double r) const
  {
    const double p = plastic(r);
    return p > 0 ? yield_stress(p) : c / (r * r * r) / left_side(1, 0);
  }
  /// ∫ 2 Y / r dr, by Gauss's rule on each side of the radius up to which the sphere flows.
  double pressure() const
  {
    const double border = std::clamp(std::cbrt(c / left_side(yield, 0)), inner, outer);
    const QGauss<1> rule(20);
    double integral = 0;
    for (const auto & [from, to] : {std::pair(inner, border), std::pair(border, outer)})
      for (unsigned int q = 0; q < rule.size(); q++)
      {
        const double r = from + (to - from) * rule.point(q)[0];
        integral += (to - from) * rule.weight(q) * 2 * Y(r) / r;
      }
    return integral;
  }

public:
  explicit Exact(double of_pressure)
  {
    double low = 0, high = 100 * left_side(yield, 0) * std::pow(outer, 3);
    while (high - low > 1e-14 * high)
    {
      c = (low + high) / 2;
      (pressure() < of_pressure ? low : high) = c;
    }
  }
  double displacement(double r, double radial_stress) const
  {
    const double e = Y(r) / (2 * G) + 1.5 * plastic(r);
    return r / 3 * (e + (3 * radial_stress + 2 * Y(r)) / (3 * kappa));
  }
};

// ---- The program ----

bool all_passed = true;

void
check(const char * what, double error, double limit)
{
  std::printf(error < limit ? "%s, to %.0e\n" : "%s: NO, not to %.0e\n", what, limit);
  all_passed &= error < limit;
}

/// Prints the time that the points need per call, here and by hand.
void
time_points(std::vector<SteelPoint> points)
{
  double here = 1e9, hand = 1e9;
  for (int repetition = 0; repetition < 20; repetition++)
  {
    Stopwatch of_formula, of_hand;
    of_formula.start();
    for (SteelPoint & point : points)
      point.update_stress();
    of_formula.stop();
    of_hand.start();
    for (SteelPoint & point : points)
      std::tie(point.stress, point.tangent) =
          by_hand(point.strain, tensor(point.old.plastic_strain), point.old.p);
    of_hand.stop();
    here = std::min(here, of_formula.seconds);
    hand = std::min(hand, of_hand.seconds);
  }
  const double each = 1e6 / double(points.size());
  std::printf(
      "Stress and tangent of a point: %.2f µs, by hand %.2f µs\n", here * each, hand * each);
}

int
main(int count, char ** arguments)
{
  const std::vector<std::string> options(arguments + 1, arguments + count);
  const auto option = [&](const char * name)
  { return std::find(options.begin(), options.end(), name); };
  const auto refinements = option("--refinements"), draw = option("--draw");

  Sphere sphere(refinements == options.end() ? 2 : std::stoi(refinements[1]));
  std::ofstream file;
  if (draw != options.end())
    file.open(draw[1]);

  std::printf("%u cells, %zu points, %u displacements\n",
              sphere.mesh.n_active_cells(),
              sphere.points.size(),
              sphere.dofs.n_dofs());
  std::printf("\nResiduals before each iteration, relative to the load\n MPa\n");
  double ratio = 0, error = 0, stress_error = 0, tangent_error = 0;
  std::string table;
  std::vector<SteelPoint> before;
  for (const double pressure : {80.0, 110.0, 130.0, 150.0, 170.0, 190.0, 210.0})
  {
    before = sphere.points;
    const std::vector<double> residuals = sphere.equilibrium(pressure);
    std::printf("%4.0f", pressure);
    file << "residuals " << pressure;
    for (std::size_t i = 0; i < residuals.size(); i++)
    {
      std::printf(residuals[i] < 1e-10 ? " < 1e-10\n" : "%8.0e", residuals[i]);
      file << ' ' << residuals[i];
      if (i > 0 && residuals[i - 1] < 1e-2 && residuals[i] > 1e-10)
        ratio = std::max(ratio, residuals[i] / (residuals[i - 1] * residuals[i - 1]));
    }
    const Exact exact(pressure);
    const double found[] = {sphere.expansion(sphere.inside), sphere.expansion(sphere.outside)},
                 expected[] = {exact.displacement(inner, -pressure), exact.displacement(outer, 0)};
    char line[80];
    const char * const row = "%4.0f %10.4f %8.4f %12.4f %8.4f\n";
    std::snprintf(line, 80, row, pressure, found[0], expected[0], found[1], expected[1]);
    table += line;
    for (int i = 0; i < 2; i++)
      error = std::max(error, std::abs(found[i] / expected[i] - 1));
    file << "\ndisplacement " << pressure << ' ' << found[0] << '\n';
  }
  for (int pressure = 1; pressure < 214; pressure++)
    file << "exact " << pressure << ' ' << Exact(pressure).displacement(inner, -pressure) << '\n';
  sphere.draw(file);
  std::printf("\nbelow 1e-2 each residual is at most %.0f times the square of the one before it\n",
              ratio);
  all_passed &= ratio > 0 && ratio < 50;

  for (std::size_t i = 0; i < before.size(); i++)
  {
    const SteelPoint & point = sphere.points[i];
    const auto [stress, tangent] =
        by_hand(point.strain, tensor(before[i].old.plastic_strain), before[i].old.p);
    stress_error = std::max(stress_error, (stress - point.stress).norm() / yield);
    tangent_error = std::max(tangent_error, (tangent - point.tangent).norm() / G);
  }
  check("the stresses at all points are those by hand", stress_error, 1e-11);
  check("the tangents too", tangent_error, 1e-11);

  std::printf("\nRadial displacement, mm\n MPa     inside    exact      outside    exact\n%s",
              table.c_str());
  check("the displacements are exact", error, 5e-3);

  if (option("--time") != options.end())
  {
    const double all = sphere.assembly.seconds;
    std::printf("\nTime: assembly %.2f s, of that the material %.1f %%; linear solver %.1f s\n",
                all,
                100 * sphere.material.seconds / all,
                sphere.solver.seconds);
    for (std::size_t i = 0; i < before.size(); i++)
      before[i].strain = sphere.points[i].strain;
    time_points(before);
  }
  return all_passed ? 0 : 1;
}
