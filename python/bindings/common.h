// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/Any.h"
#include "neml2/core/indexing.h"

/// Binds the members that all tensor types have.
namespace neml2::python
{
/// Binds the methods of TensorBase except operators.
void bind_methods(AnyClass & cls);
/// Binds the call operator, which returns a stored component by its indices, one per base dimension: v(0), A(0, 1). For a class that
/// defines call operators of its own, call this again.
void bind_components(AnyClass & cls);
/// Binds the constructors and factories of each registered type.
void bind_factories();
/// Binds the views .batch and .base of TensorBase.
void bind_views(nb::module_ & m, AnyClass & cls);

/// The shape that arguments describe. They are sizes, as in f(2, 3), or a single tuple, list or torch.Size, as in f((2, 3)).
TensorShape sizes(const nb::args & args);
/// The items between the brackets of an index.
indexing::TensorIndices indices(nb::handle key);
} // namespace neml2::python
