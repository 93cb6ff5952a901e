// SPDX-License-Identifier: MIT
// Finite elements of large deformation: a square bar of a neo-Hookean solid is twisted by a whole turn. The batch contains
// the integration points of all elements; one call computes their stresses and exact tangents, and Eigen solves the sparse
// linear systems of Newton's method. A distorted mesh in tension is compared with the closed form (the patch test). The torque
// of the bar is compared with the difference of its energy at two angles and, at small angles, with Saint-Venant's solution
// (Timoshenko and Goodier, Theory of Elasticity, 1970, section 109).
#include "neml2/math/jacobian.h"
#include "neml2/tensors/invariants.h"
#include "neml2/tensors/tensors.h"

#include <ATen/ATen.h>
#include <Eigen/Sparse>

#include <cstdio>
#include <fstream>

using namespace neml2;

/// Compressible neo-Hookean solid: energy and first Piola-Kirchhoff stress of the deformation gradient (Bonet and Wood,
/// Nonlinear Continuum Mechanics for Finite Element Analysis, 2008, section 6.4.3).
constexpr auto energy = [](const auto & F, const auto & mu, const auto & lambda)
{
  const auto ln_J = log(det(F));
  return 0.5 * mu * (norm_sq(F) - 3.0) - mu * ln_J + 0.5 * lambda * ln_J * ln_J;
};
constexpr auto stress = [](const auto & F, const auto & mu, const auto & lambda)
{
  const auto F_inv_T = transpose(inv(F));
  return mu * (F - F_inv_T) + lambda * log(det(F)) * F_inv_T;
};
const double mu = 1, lambda = 1.5; // Poisson's ratio 0.3; the unit of stresses is μ

/// A box 1 x 1 x l / n of trilinear hexahedra with 2 x 2 x 2 Gauss points. In subscripts of einsum, e is an element, q
/// an integration point, a and b are nodes of the element, i, j, k, l directions.
struct Solid
{
  Vec X;                // (nodes; 3), positions in the undeformed solid
  at::Tensor elements;  // (elements, 8), their nodes
  at::Tensor gradients; // (elements, points, 8, 3), ∂N_a/∂X_j of the shape functions
  Scalar weights;       // (elements, points; ), volumes

  Solid(Size n, Size l, double distortion)
  {
    const at::Tensor x = at::arange(n + 1, kFloat64) / n, z = at::arange(l + 1, kFloat64) / n;
    const at::Tensor box = at::cartesian_prod({x, x, z}), inside = (box * (box - 1)).prod(1, true);
    X = Vec(box + distortion * inside * at::arange(box.numel(), kFloat64).sin().view_as(box));

    const at::Tensor number = at::arange(X.size(0)).view({n + 1, n + 1, l + 1});
    std::vector<at::Tensor> corners;
    for (int a = 0; a < 8; a++)
      corners.push_back(
          number.narrow(0, a / 4, n).narrow(1, a / 2 % 2, n).narrow(2, a % 2, l).flatten());
    elements = at::stack(corners, 1);

    const double g = 0.5 + 0.5 / std::sqrt(3.0); // N, dN: (points, nodes) of a line from 0 to 1
    const auto N = Scalar::create({{g, 1 - g}, {1 - g, g}}),
               dN = Scalar::create({{-1, 1}, {-1, 1}});
    const auto kron = [](const auto & a, const auto & b, const auto & c)
    { return at::kron(a, at::kron(b, c)); };
    const at::Tensor local = at::stack({kron(dN, N, N), kron(N, dN, N), kron(N, N, dN)}, -1);
    const R2 map(at::einsum("eai,qaj->eqij", {of_elements(X), local}));
    gradients = at::einsum("qai,eqij->eqaj", {local, inv(map)});
    weights = det(map) / 8.0;
  }

  at::Tensor of_elements(const at::Tensor & of_nodes) const { return of_nodes.index({elements}); }

  R2 F(const Vec & x) const // deformation gradient
  {
    return R2(at::einsum("eai,eqaj->eqij", {of_elements(x), gradients}));
  }

  Vec forces(const R2 & P) const
  {
    const at::Tensor f = at::einsum("eq,eqij,eqaj->eai", {weights, P, gradients});
    return Vec(at::zeros_like(X).index_add(0, elements.flatten(), f.flatten(0, 1)));
  }

  /// The stiffness matrix of the free components; fixed components have an entry on the diagonal
  /// only.
  Eigen::SparseMatrix<double> stiffness(const R4 & A, const at::Tensor & free) const
  {
    const at::Tensor K =
        at::einsum("eq,eqijkl,eqaj,eqbl->eaibk", {weights, A, gradients, gradients});
    const at::Tensor k_ab = K.reshape({-1, 24, 24}), is_free = of_elements(free).flatten(1),
                     row = of_elements(at::arange(X.numel()).view_as(X)).flatten(1);
    const auto k = k_ab.accessor<double, 3>();
    const auto f = is_free.accessor<bool, 2>();
    const auto r = row.accessor<int64_t, 2>();
    std::vector<Eigen::Triplet<double, int64_t>> entries;
    for (int e = 0; e < elements.size(0); e++)
      for (int a = 0; a < 24; a++)
        for (int b = 0; b < 24; b++)
          if (a == b || (f[e][a] && f[e][b]))
            entries.emplace_back(r[e][a], r[e][b], k[e][a][b]);
    Eigen::SparseMatrix<double> matrix(X.numel(), X.numel());
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }
};

/// All numbers of a tensor, for Eigen.
Eigen::Map<Eigen::VectorXd>
vector(const at::Tensor & a)
{
  return {a.data_ptr<double>(), a.numel()};
}

/// Newton's method from the positions x; components that are not free keep their values.
Vec
equilibrium(const Solid & solid, Vec x, const at::Tensor & free, bool print = false)
{
  for (int iteration = 0; iteration < 20; iteration++)
  {
    const auto [P, A] = value_and_jacobian<0>(stress, solid.F(x), mu, lambda);
    const at::Tensor forces = solid.forces(P), residual = forces * free;
    const double error = (residual.norm() / forces.norm()).item<double>();
    if (print)
      std::printf(error < 1e-10 ? "%5d   < 1e-10\n" : "%5d   %7.1e\n", iteration, error);
    if (error < 1e-10)
      break;
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> K(solid.stiffness(A, free));
    const at::Tensor step = at::empty_like(residual);
    vector(step) = K.solve(vector(residual));
    x = x - Vec(step);
  }
  return x;
}

int
main(int count, char ** arguments)
{
  set_default_dtype(kFloat64);

  // The patch test. Sides whose stretch is b are free of stress if ln J = μ/λ (1 - b²).
  const Solid cube(3, 3, 10);
  const double b = 0.9, a = std::exp(mu / lambda * (1 - b * b)) / (b * b);
  at::Tensor free = cube.X.ne(0);
  free.select(1, 2).logical_and_(cube.X.select(1, 2).ne(1));
  const Vec pulled = equilibrium(cube, R2::fill(1.0, 1.0, a) * cube.X, free);
  const Vec error = pulled - R2::fill(b, b, a) * cube.X;
  std::printf("Tension of a distorted mesh to %.4f of its length: stress %.6f, closed form %.6f,\n"
              "and the nodes are %sat their exact positions to 1e-12\n",
              a,
              vmap(stress, cube.F(pulled), mu, lambda)(2, 2).mean().item<double>(),
              mu * (a - b * b / a),
              at::abs(error).max().item<double>() < 1e-12 ? "" : "NOT ");

  const int n = 6, length = 4, steps = 12;
  const Solid bar(n, length * n, 0);
  const Scalar z = bar.X(2);
  free = z.ne(0).logical_and(z.ne(length)).unsqueeze(1).expand_as(bar.X);
  const Vec axis = Vec::fill(0.5, 0.5, 0.0);
  const auto twisted = [&](const Vec & x, double angle, bool print = false)
  {
    const auto turn = Rot::axis_angle(Vec::fill(0, 0, 1), angle / length * z);
    return equilibrium(bar, axis + rotate(x - axis, turn), free, print);
  };
  const auto torque = [&](const Vec & x) // of the forces at the upper end; inner forces are 0
  {
    const Vec forces = bar.forces(vmap(stress, bar.F(x), mu, lambda));
    return (cross(x - axis, forces)(2) * z / length).sum().item<double>();
  };
  const auto total_energy = [&](const Vec & x)
  { return (bar.weights * vmap(energy, bar.F(x), mu, lambda)).sum().item<double>(); };
  const auto mises = [](const auto & F, const auto &... constants) // of Cauchy's stress
  { return von_mises(sym(stress(F, constants...) * transpose(F) / det(F))); };

  std::ofstream file; // angle, stress and nodes of each element, for a plot
  if (count > 1)
    file.open(arguments[1]);
  Vec x = bar.X;
  std::vector<double> torques;
  std::printf("\nBar twisted from 330 to 360 degrees: unbalanced share of the forces\n");
  for (int step = 0; step <= steps; step++)
  {
    if (step > 0)
      x = twisted(x, 2 * M_PI / steps, step == steps);
    torques.push_back(torque(x));
    const at::Tensor mean = vmap(mises, bar.F(x), mu, lambda).mean(1, true),
                     angle = at::full_like(mean, 360.0 * step / steps),
                     rows = at::cat({angle, mean, bar.of_elements(x).flatten(1)}, 1);
    for (Size i = 0; i < rows.numel() && file.is_open() && step % 4 == 0; i++)
      file << rows.data_ptr<double>()[i] << (i % 26 == 25 ? '\n' : ' ');
  }

  std::printf("\n angle   torque   Saint-Venant\n");
  for (const int step : {1, 3, 6, 9, 12})
    std::printf("%6d %8.4f %14.4f\n",
                360 * step / steps,
                torques[step],
                0.1406 * mu * 2 * M_PI * step / steps / length);
  const double h = 1e-4, up = total_energy(twisted(x, h)), down = total_energy(twisted(x, -h));
  std::printf("The last torque is %sthe difference quotient of energy over angle, to 1e-8\n",
              std::abs((up - down) / (2 * h) / torques[steps] - 1) < 1e-8 ? "" : "NOT ");
}
