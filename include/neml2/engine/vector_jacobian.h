// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/evaluate.h"
#include "neml2/engine/slabs.h"
#include "neml2/packs/gradient_tile.h"

/// Gradients with respect to one argument of a formula over a batch.
namespace neml2::engine
{
/// Runs a formula (the tile of a vector-Jacobian product) that computes each row's contribution to the gradient with respect to an
/// argument. Returns the gradient in the argument's shape, summed over the dimensions along which the argument was broadcast. The result is
/// undefined if there are too many dimensions.
at::Tensor vector_jacobian(const RowFormula & formula,
                           ArrayRef<Operand> operands,
                           TensorShapeRef batch,
                           const Operand & argument);

/// The gradient with respect to argument k, in the argument's shape. If the argument was broadcast, the sum over the batch is computed slab
/// by slab.
at::Tensor gradient_over_batch(const RowFormula & formula,
                               ArrayRef<Operand> operands,
                               TensorShapeRef batch,
                               size_t k);
} // namespace neml2::engine

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/engine/vector_jacobian-inl.h"
#endif
