// SPDX-License-Identifier: MIT
// Values that programs share with shared libraries whose symbols are hidden.
#include "library/process_wide.h"

using namespace neml2;

std::vector<const void *> places_of_the_library();

int
main()
{
  const auto here = places(), there = places_of_the_library();
  neml_assert(here == there, "the library has values of its own");

  neml_assert(!currently_solving_nonlinear_system());
  currently_solving_nonlinear_system() = true;
  neml_assert(currently_solving_nonlinear_system());
  neml_assert(buffer_name_separator() == "." && parameter_name_separator() == ".");
  buffer_name_separator() = "_";
  neml_assert("model" + buffer_name_separator() + "E" == "model_E");
  neml_assert(parameter_name_separator() == ".");

  std::ostringstream message;
  internal::stream_all(message, "a ", 1, ' ', 2.5);
  neml_assert(message.str() == "a 1 2.5");
}
