// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

/// Indices of batch_index, base_index and their put_ forms: torch's own, with short names for lists.
namespace neml2::indexing
{
using namespace at::indexing;

using TensorIndices = c10::SmallVector<TensorIndex, 8>;
using TensorIndicesRef = c10::ArrayRef<TensorIndex>;
} // namespace neml2::indexing
