// SPDX-License-Identifier: MIT
#pragma once

/// The functions that the shared libraries export; all other symbols are hidden.
extern "C"
{
#pragma GCC visibility push(default)
  /// The node that autograd records for an operation of a tensor, and for an elementwise operation.
  const char * node_of_dev();
  const char * node_of_sinh();
  /// The sum of the gradient of |s|^2 at an s of six threes: 36.
  double gradient_of_norm_sq();
  /// The address where the rule of an operation is stored, and the rule.
  const void * place_of_rule();
  const void * rule();
#pragma GCC visibility pop
}
