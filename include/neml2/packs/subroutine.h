// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/mandel.h"

#include <cstdio>

/// The parts that the user subroutines UMAT (umat.h) and VUMAT (vumat.h) have in common.
namespace neml2::packs
{
/// The factors between the components of a solver (three normal components, then the shear components) and Mandel components.
constexpr double to_mandel[] = {1, 1, 1, kernels::sqrt2, kernels::sqrt2, kernels::sqrt2},
                 from_mandel[] = {1, 1, 1, kernels::invsqrt2, kernels::invsqrt2, kernels::invsqrt2};

/// How many normal and shear components, states and properties an element has.
struct Element
{
  int normal, shear, states, properties;

  /// Whether the element has three normal and one to three shear components, and at least as many states and properties as given. If not,
  /// a message on stderr says once per thread what is wrong. `states_name` is the solver's name for the number of states.
  bool
  fits(int needed_states, int needed_properties, const char * name, const char * states_name) const
  {
    if (normal == 3 && shear >= 1 && shear <= 3 && states >= needed_states &&
        properties >= needed_properties)
      return true;
    static thread_local bool is_said = false;
    if (!is_said)
      std::fprintf(stderr,
                   "%s: the element has %d normal and %d shear components, %d states (%s) and "
                   "%d properties (NPROPS). Expected "
                   "3 normal components (three-dimensional, plane strain or axisymmetric "
                   "elements), 1 to 3 shear components, at least %d states "
                   "(*DEPVAR) and %d properties (*USER MATERIAL, CONSTANTS=%d).\n",
                   name,
                   normal,
                   shear,
                   states,
                   states_name,
                   properties,
                   needed_states,
                   needed_properties,
                   needed_properties);
    is_said = true;
    return false;
  }
};
} // namespace neml2::packs
