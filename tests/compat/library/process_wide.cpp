// SPDX-License-Identifier: MIT
// A shared library that hides all symbols except this function.
#include "process_wide.h"

NEML2_ONE_A_PROGRAM std::vector<const void *> places_of_the_library();

std::vector<const void *>
places_of_the_library()
{
  return places();
}
