// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/random_rotations.h"
#include "neml2/tensors/Rot.h"

/// Uniformly distributed rotations: bodies of Rot::fill_random and Rot::rand, which Rot.h declares.
namespace neml2
{
namespace tensors
{
/// Random rotations by angles of at most π, with the given batch shape. They are computed from unit quaternions. (..., 3)
NEML2_BODY at::Tensor
random_rotations(const char * where, TensorShapeRef batch, Size seed, const TensorOptions & options)
{
  check_floating(where, options);
  const auto uniform = [&](TensorShapeRef shape, const TensorOptions & o)
  {
    // The numbers are drawn in float64 for every dtype. With a seed they come from a new generator
    // on the CPU.
    if (seed < 0)
      return at::rand(shape, o.dtype(kFloat64));
    return at::rand(shape,
                    at::detail::createCPUGenerator(uint64_t(seed)),
                    TensorOptions(kFloat64).device(kCPU))
        .to(o.device());
  };
  return make(where,
              utils::add_shapes(batch, TensorShapeRef(3)),
              options,
              [&](TensorShapeRef shape, const TensorOptions & o)
              {
                const at::Tensor q = composed::quaternion_of_uniform(uniform(shape, o));
                return composed::rotation_of_quaternion(q).to(o.dtype());
              });
}
} // namespace tensors

NEML2_BODY Rot
Rot::fill_random(Size n, Size seed, const TensorOptions & options)
{
  return Rot(tensors::random_rotations("Rot::fill_random", n, seed, options));
}

NEML2_BODY Rot
Rot::rand()
{
  return rand(TraceableTensorShape(), TraceableTensorShape());
}

NEML2_BODY Rot
Rot::rand(const TraceableTensorShape & dynamic,
          const TraceableTensorShape & intermediate,
          const TensorOptions & options)
{
  core::check_no_intmd("Rot::rand", intermediate);
  return Rot(tensors::random_rotations("Rot::rand", dynamic, -1, options));
}
} // namespace neml2
