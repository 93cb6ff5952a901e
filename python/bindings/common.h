// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/Any.h"
#include "neml2/core/indexing.h"

/// Members that all tensor types have.
namespace neml2::python
{
/// The methods of TensorBase except operators.
void bind_methods(AnyClass & cls);
/// Stored components by their indices, one per base dimension: v(0), A(0, 1). Also for classes that
/// define () themselves.
void bind_components(AnyClass & cls);
/// Constructors and factories of each registered type.
void bind_factories();
/// The views .batch and .base of TensorBase.
void bind_views(nb::module_ & m, AnyClass & cls);

/// Sizes given one by one, or as one tuple, list or torch.Size: (2, 3) or ((2, 3)).
TensorShape sizes(const nb::args & args);
/// The items between the brackets of an index.
indexing::TensorIndices indices(nb::handle key);
} // namespace neml2::python
