// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/index_map.h"

/**
 * Transfers values between a vector of degrees of freedom and the elements of a mesh. dof_map has one integer in [0, ndof) per
 * entry of the elements: the index of the degree of freedom to which the entry belongs. ndof is the number of degrees of
 * freedom. All integers of the map are checked; the check synchronises with a GPU.
 */
namespace neml2
{
namespace math
{
/// @throws NEMLException unless v is a vector. Returns its length.
inline Size
check_vector(const Operation & op, const at::Tensor & v)
{
  check_operand(op, {&v, "vector", v.defined() ? v.dim() : 0, {}});
  NEML2_CHECK(v.dim() == 1,
              op.name,
              ": the vector of degrees of freedom has the shape ",
              v.sizes(),
              ". Expected one dimension.");
  return v.size(0);
}

/// The checked map in the form that LibTorch takes: one dimension, int64.
inline at::Tensor
checked_map(const Operation & op, const at::Tensor & values, const Tensor & dof_map, Size ndof)
{
  check_operand(op, {&values, "values", values.defined() ? values.dim() : 0, {}});
  check_index_map(op, operand(dof_map), ndof);
  NEML2_CHECK(values.device() == dof_map.device(),
              op.name,
              ": the values are on ",
              values.device(),
              " and the map on ",
              dof_map.device(),
              ". Move one with .to(device).");
  return dof_map.flatten().to(kInt64);
}

/// checked_map, with a check that there is one value per entry of the map.
inline at::Tensor
checked_map_of(const Operation & op, const at::Tensor & values, const Tensor & dof_map, Size ndof)
{
  const at::Tensor map = checked_map(op, values, dof_map, ndof);
  NEML2_CHECK(values.sizes() == dof_map.sizes(),
              op.name,
              ": the values have the shape ",
              values.sizes(),
              " and the map is ",
              operand(dof_map),
              ". Expected one value for each entry of the map.");
  return map;
}
} // namespace math

namespace discretization
{
/// v[dof_map]: for each entry of the map, the value of the degree of freedom that the entry names. v has the shape (ndof), and
/// the result has the shape of the map, with any number of dimensions. The values may also be integers.
/// @throws NEMLException also for an index outside [0, ndof).
inline Tensor
scatter(const ATensor & v, const Tensor & dof_map)
{
  const core::Operation op("discretization::scatter", core::Accepts::numbers);
  const Size ndof = math::check_vector(op, v);
  const at::Tensor map = math::checked_map(op, v, dof_map, ndof);
  return {core::Trusted(),
          core::translate_errors(op.name,
                                 [&] { return math::entries(v, 0, map).reshape(dof_map.sizes()); }),
          dof_map.batch_dim()};
}

/// Adds each value, in place, to the degree of freedom of v that the map names. v has the shape (ndof); the values and the
/// map have the same shape, with any number of dimensions. The values may also be integers.
/// @throws NEMLException also for an index outside [0, ndof); v is then unchanged.
inline void
assemble_(const ATensor & v, const ATensor & v_scattered, const Tensor & dof_map)
{
  const core::Operation op("discretization::assemble_", core::Accepts::numbers);
  const Size ndof = math::check_vector(op, v);
  const at::Tensor map = math::checked_map_of(op, v_scattered, dof_map, ndof);
  const core::Operand both[] = {{&v, "vector", 1, {}},
                                {&v_scattered, "values", v_scattered.dim(), {}}};
  core::check_operands(op, both);
  core::check_writable(op.name, v);
  core::translate_errors(op.name, [&] { v.index_add_(0, map, v_scattered.flatten()); });
}

/// The sum of the values that the map assigns to each degree of freedom; 0 for a degree of freedom that the map does
/// not name. The values and the map have the same shape, with any number of dimensions; the result has the shape (ndof). The
/// values may also be integers.
/// @throws NEMLException also for an index outside [0, ndof).
inline ATensor
assemble(const ATensor & v_scattered, const Tensor & dof_map, Size ndof)
{
  const core::Operation op("discretization::assemble", core::Accepts::numbers);
  NEML2_CHECK(ndof >= 0, op.name, ": the number of degrees of freedom ", ndof, " is negative.");
  const at::Tensor map = math::checked_map_of(op, v_scattered, dof_map, ndof);
  return core::translate_errors(
      op.name,
      [&]
      {
        const auto options = v_scattered.options().requires_grad(false);
        return at::zeros({ndof}, options).index_add(0, map, v_scattered.flatten());
      });
}

/// u_eq = Σ_d u_ed φ_edq at points q of elements e, from degrees of freedom u and basis functions φ (their values or, for
/// example, their gradients). (..., elements, d; ), (..., elements, d, q; base) -> (..., elements, q; base); the dimensions
/// before the elements broadcast.
/// @throws NEMLException also if the numbers of elements or of degrees of freedom d differ.
inline Tensor
interpolate(const Tensor & elem_dofs, const Tensor & basis)
{
  const core::Operation op("discretization::interpolate");
  const core::Operand o[] = {core::operand(elem_dofs), core::operand(basis)};
  core::check_operands(op, o);
  const TensorShapeRef u = o[0].batch(), phi = o[1].batch();
  const bool fits = o[0].base.empty() && u.size() >= 2 && phi.size() >= 3 &&
                    u.slice(u.size() - 2) == phi.slice(phi.size() - 3, 2);
  NEML2_CHECK(
      fits,
      op.name,
      ": ",
      o[0],
      " and ",
      o[1],
      " do not fit. Expected (..., elements, d; ) and (..., elements, d, points; base) with "
      "equal numbers of elements and of degrees of freedom d.");
  const Size points = phi.back();
  const TensorShape elements = core::translate_errors(
      op.name,
      [&]
      { return utils::broadcast_sizes(u.slice(0, u.size() - 1), phi.slice(0, phi.size() - 2)); });
  const TensorShape batch = utils::add_shapes(elements, points);
  return {core::Trusted(),
          core::translate_errors(op.name,
                                 [&]
                                 {
                                   const auto columns =
                                       utils::add_shapes(phi.slice(0, phi.size() - 1),
                                                         points * utils::numel(o[1].base));
                                   const at::Tensor rows = elem_dofs.unsqueeze(-2);
                                   const at::Tensor r =
                                       at::matmul(rows, basis.reshape(columns)).squeeze(-2);
                                   return r.reshape(utils::add_shapes(batch, o[1].base));
                                 }),
          Size(batch.size())};
}
} // namespace discretization
} // namespace neml2
