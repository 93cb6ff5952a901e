// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/Quaternion.h"

#include <algorithm>
#include <utility>
#include <vector>

/// Functions for the symmetry of crystals, computed by LibTorch calls. A symmetry class is given by its unit quaternions S,
/// of shape (n, 4).
namespace neml2::composed
{
/// The matrices of a class; their entries 0, ±1/2, ±√3/2 and ±1 are exact except for the rounding of √3/2.
/// (n, 4) -> (n, 3, 3)
inline at::Tensor
symmetry_matrices(const at::Tensor & S)
{
  const at::Tensor rounded = quaternion_matrix(S);
  return rounded.sign() * ((4 * rounded * rounded).round() / 4).sqrt();
}

/// T_ij v_j without repetitions; v and -v count as one direction. (n, 3, 3), (3) -> (m, 3)
inline at::Tensor
unique_directions(const at::Tensor & T, const at::Tensor & v)
{
  const at::Tensor all = matrix_vector(T, v);
  const at::Tensor values = all.detach().to(TensorOptions(kFloat64).device(kCPU)).contiguous();
  const double * const x = values.data_ptr<double>();
  const auto distance_sq = [&](Size i, Size k, double sign)
  {
    double sum = 0;
    for (Size c = 0; c < 3; c++)
      sum += (x[3 * i + c] - sign * x[3 * k + c]) * (x[3 * i + c] - sign * x[3 * k + c]);
    return sum;
  };
  std::vector<Size> kept;
  for (Size i = 0; i < values.size(0); i++)
  {
    const double limit = 1e-10 * distance_sq(i, i, -1) / 4; // (1e-5 |v|)²
    const auto is_equal = [&](Size k)
    { return std::min(distance_sq(i, k, 1), distance_sq(i, k, -1)) <= limit; };
    if (std::none_of(kept.begin(), kept.end(), is_equal))
      kept.push_back(i);
  }
  return all.index_select(0, at::tensor(kept, kInt64).to(all.device()));
}

/// r and the S q that is closest to r, as unit quaternions. (..., 3), (..., 3), (n, 4) -> (..., 4), (..., 4)
inline std::pair<at::Tensor, at::Tensor>
closest_equivalent(const at::Tensor & r, const at::Tensor & q, const at::Tensor & operators)
{
  const at::Tensor symmetries =
      operators.to(q.options().requires_grad(false), /*non_blocking=*/true);
  const at::Tensor a = quaternion_of_rotation(r), b = quaternion_of_rotation(q);
  // a · (S b) = S · (a b*), for all S at once in a new last dimension
  const at::Tensor d = quaternion_product(a, quaternion_conjugate(b)).detach().unsqueeze(-2);
  const at::Tensor cosines = at::matmul(d, symmetries.t()).squeeze(-2);
  const at::Tensor index = (cosines * cosines).argmax(-1).flatten().unsqueeze(-1);
  const at::Tensor S = symmetries.take_along_dim(index, 0).reshape(d.squeeze(-2).sizes());
  return {a, quaternion_product(S, b)};
}

/// The smallest angle between r and S q. (..., 3), (..., 3), (n, 4) -> (...)
inline at::Tensor
misorientation(const at::Tensor & r, const at::Tensor & q, const at::Tensor & S)
{
  const auto [a, b] = closest_equivalent(r, q, S);
  return rotation_angle(a, b);
}

/// The P r and the S q that are closest to each other, as unit quaternions. (..., 3), (..., 3), (m, 4), (n, 4) ->
/// (..., 4), (..., 4)
inline std::pair<at::Tensor, at::Tensor>
closest_pair(const at::Tensor & r,
             const at::Tensor & q,
             const at::Tensor & of_r,
             const at::Tensor & of_q)
{
  const auto options = q.options().requires_grad(false);
  const at::Tensor P = of_r.to(options, /*non_blocking=*/true),
                   S = of_q.to(options, /*non_blocking=*/true);
  const at::Tensor a = quaternion_of_rotation(r), b = quaternion_of_rotation(q);
  // (P a) · (S b) = (S* P) · (b a*), for all S* P at once in a new last dimension
  const at::Tensor products =
      quaternion_product(quaternion_conjugate(S).unsqueeze(0), P.unsqueeze(1)).reshape({-1, 4});
  const at::Tensor d = quaternion_product(b, quaternion_conjugate(a)).detach().unsqueeze(-2);
  const at::Tensor cosines = at::matmul(d, products.t()).squeeze(-2);
  const at::Tensor index = (cosines * cosines).argmax(-1).flatten().unsqueeze(-1);
  const auto chosen = [&](const at::Tensor & pairs) // pairs: (m, n, 4)
  {
    return pairs.expand({P.size(0), S.size(0), 4})
        .reshape({-1, 4})
        .take_along_dim(index, 0)
        .reshape(d.squeeze(-2).sizes());
  };
  return {quaternion_product(chosen(P.unsqueeze(1)), a),
          quaternion_product(chosen(S.unsqueeze(0)), b)};
}

/// The smallest angle between P r and S q, over all operators P and S of the two classes. (..., 3), (..., 3), (m, 4), (n, 4) -> (...)
inline at::Tensor
misorientation(const at::Tensor & r,
               const at::Tensor & q,
               const at::Tensor & P,
               const at::Tensor & S)
{
  const auto [a, b] = closest_pair(r, q, P, S);
  return rotation_angle(a, b);
}

/// The rotation S q (P r)⁻¹ of smallest angle. (..., 3), (..., 3), (m, 4), (n, 4) -> (..., 3)
inline at::Tensor
disorientation(const at::Tensor & r,
               const at::Tensor & q,
               const at::Tensor & P,
               const at::Tensor & S)
{
  const auto [a, b] = closest_pair(r, q, P, S);
  return rotation_of_quaternion(quaternion_product(b, quaternion_conjugate(a)));
}

/// The S r that is closest to a reference. (..., 3), (..., 3), (n, 4) -> (..., 3)
inline at::Tensor
closest_orientation(const at::Tensor & r, const at::Tensor & reference, const at::Tensor & S)
{
  return rotation_of_quaternion(closest_equivalent(reference, r, S).second);
}
} // namespace neml2::composed
