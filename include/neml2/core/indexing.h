// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

/// Indices for batch_index, base_index, batch_index_put_ and base_index_put_: torch's own types, and short names for lists of them.
namespace neml2::indexing
{
using namespace at::indexing;

using TensorIndices = c10::SmallVector<TensorIndex, 8>;
using TensorIndicesRef = c10::ArrayRef<TensorIndex>;
} // namespace neml2::indexing
