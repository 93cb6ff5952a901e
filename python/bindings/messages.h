// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace neml2::python
{
/// A message of the library with Python's names: .batch.unsqueeze for batch_unsqueeze, torch.float64 for kFloat64, SR2.fill for SR2::fill.
/// Quoted text is not changed, because it comes from the user.
std::string in_python(const std::string & message);
/// The name of a type with its article, such as "an SR2" or "a Vec".
std::string with_article(const std::string & name);
} // namespace neml2::python
