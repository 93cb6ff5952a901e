// SPDX-License-Identifier: MIT
#include "bindings/vocabulary.h"

namespace neml2::python
{
namespace
{
constexpr int most_unknowns = 24; // each number of them is compiled

template <size_t... I>
recorded::RecordedNewton
record_newton(const recorded::Residual & residual,
              const std::vector<RecordedNumber> & guess,
              const std::vector<int> & unknown,
              const kernels::NewtonOptions & options,
              std::index_sequence<I...>)
{
  recorded::RecordedNewton found;
  (void)((guess.size() == I + 1 &&
          (found = recorded::record_newton<int(I) + 1>(residual, guess, unknown, options), true)) ||
         ...);
  return found;
}
} // namespace

recorded::RecordedNewton
record_newton(const recorded::Residual & residual,
              const std::vector<RecordedNumber> & guess,
              const std::vector<int> & unknown,
              const kernels::NewtonOptions & options)
{
  if (guess.empty() || guess.size() > size_t(most_unknowns))
  {
    const std::string message = "newton: in a formula there may be 1 to " +
                                std::to_string(most_unknowns) + " numbers of unknowns, not " +
                                std::to_string(guess.size()) + ".";
    throw nb::value_error(message.c_str());
  }
  return record_newton(
      residual, guess, unknown, options, std::make_index_sequence<size_t(most_unknowns)>());
}
} // namespace neml2::python
