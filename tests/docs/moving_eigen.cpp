// SPDX-License-Identifier: MIT
// The table of docs/moving.md for Eigen, row by row: small letters are of one point, large ones of the batch.
#include "neml2/neml2.h"

#include <Eigen/Dense>
#include <iostream>
#include <torch/types.h>
#include <vector>

namespace
{
Eigen::Index point = 0;
int failed = 0;

/// Compares Eigen's result for a point with that point of the batch.
template <class Value>
void
same(const Value & value, const at::Tensor & batch)
{
  at::Tensor theirs = at::empty(0, at::kDouble);
  if constexpr (std::is_arithmetic_v<Value>)
    theirs = at::full({}, value, at::kDouble);
  else
  {
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = value;
    theirs =
        at::from_blob(const_cast<double *>(rows.data()), {rows.rows(), rows.cols()}, at::kDouble)
            .clone();
  }
  const at::Tensor ours = batch[point];
  if (ours.numel() != theirs.numel() ||
      !at::allclose(ours.flatten(), theirs.flatten(), 1e-10, 1e-12))
  {
    std::cerr << "point " << point << ": " << theirs << "\nis here " << ours << "\n";
    failed = 1;
  }
}
} // namespace

int
main()
{
  using namespace neml2;
  using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
  using Vector6 = Eigen::Matrix<double, 6, 1>;

  // Vectors of Eigen's matrices, seen as batches without a copy.
  const Size n = 4;
  std::vector<Matrix> fs(n), gs(n);
  std::vector<Eigen::Matrix3d> columns(n); // the same as fs
  std::vector<Matrix6> cs(n);
  std::vector<Vector6> es(n);
  std::vector<Eigen::Vector3d> us(n), vs(n);
  std::vector<double> as(n);
  for (std::size_t i = 0; i < fs.size(); i++)
  {
    fs[i] = Matrix::Random() + 2 * Matrix::Identity();
    columns[i] = fs[i];
    gs[i] = Matrix::Random();
    cs[i] = Matrix6::Random();
    es[i] = Vector6::Random();
    us[i] = Eigen::Vector3d::Random();
    vs[i] = Eigen::Vector3d::Random();
    as[i] = 0.2 + 0.2 * double(i);
  }
  const R2 F(at::from_blob(fs.data(), {n, 3, 3}, kFloat64));
  const R2 F3(at::from_blob(columns.data(), {n, 3, 3}, kFloat64).transpose(-1, -2));
  const R2 G(at::from_blob(gs.data(), {n, 3, 3}, kFloat64));
  const SSR4 C(at::from_blob(cs.data(), {n, 6, 6}, kFloat64));
  const SR2 E(at::from_blob(es.data(), {n, 6}, kFloat64));
  const Vec U(at::from_blob(us.data(), {n, 3}, kFloat64));
  const Vec V(at::from_blob(vs.data(), {n, 3}, kFloat64));
  const Scalar A(at::from_blob(as.data(), {n}, kFloat64));
  const R2 R(Rot::axis_angle(unit(U), A));

  for (std::size_t i = 0; i < fs.size(); i++)
  {
    point = Eigen::Index(i);
    const Matrix &f = fs[i], &g = gs[i];
    const Matrix6 & c = cs[i];
    const Vector6 & e = es[i];
    const Eigen::Vector3d &u = us[i], &v = vs[i];
    const double a = as[i];
    const Matrix r = Eigen::AngleAxisd(a, u.normalized()).toRotationMatrix();
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(f + f.transpose());

    same(f, F);
    same(a * u, A * U);
    same(f * g, F * G);
    same(f * u, F * U);
    same(f.transpose(), transpose(F));
    same(f.trace(), tr(F));
    same(f.determinant(), det(F));
    same(f.inverse(), inv(F));
    same(f.partialPivLu().solve(u), solve(F, U));
    same(f.cwiseProduct(g).sum(), inner(F, G));
    same(f.norm(), norm(F));
    same(u.dot(v), vdot(U, V));
    same(u.cross(v), cross(U, V));
    same(u * v.transpose(), outer(U, V));
    same(u.normalized(), unit(U));
    same(c * e, C * E);
    same(a > 0.5 ? u : v, where(A > 0.5, U, V));
    same(Eigen::AngleAxisd(a, u.normalized()).toRotationMatrix(), R2(Rot::axis_angle(unit(U), A)));
    same(r * f * r.transpose(), rotate(F, R));
    same(solver.eigenvalues(), eigenvalues(sym(F + transpose(F))));
  }
  if (!at::equal(F, F3))
  {
    std::cerr << "stored by columns: " << F3 << "\nis not " << F << "\n";
    failed = 1;
  }
  return failed;
}
