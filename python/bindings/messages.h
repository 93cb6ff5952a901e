// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace neml2::python
{
/// A message of the library in the words of Python: .batch.unsqueeze for batch_unsqueeze, torch.float64 for kFloat64,
/// SR2.fill for SR2::fill. Quoted text comes from the user and is not changed.
std::string in_python(const std::string & message);
/// The name of a type with its article: an SR2, a Vec.
std::string with_article(const std::string & name);
} // namespace neml2::python
