// SPDX-License-Identifier: MIT
#include "bindings/rows.h"

#include "neml2/kernels/NewtonOptions.h"

/// Newton's method in formulas of Python.
namespace neml2::python
{
namespace
{
/// The options of newton from its keywords.
kernels::NewtonOptions
newton_options(double relative_tolerance,
               double absolute_tolerance,
               int max_iterations,
               const std::vector<std::tuple<int, double, double>> & bounds,
               const std::vector<std::pair<int, double>> & max_steps,
               bool line_search,
               bool keep_unconverged)
{
  kernels::NewtonOptions o;
  o.tolerance(relative_tolerance, absolute_tolerance)
      .max_iterations(max_iterations)
      .line_search(line_search);
  for (const auto & [k, lower, upper] : bounds) // a place of -1 stands for all unknowns
    k < 0 ? o.bounds(lower, upper) : o.bounds_of(k, lower, upper);
  for (const auto & [k, step] : max_steps)
    k < 0 ? o.max_step(step) : o.max_step_of(k, step);
  if (keep_unconverged)
    o.keep_unconverged();
  return o;
}

/// newton in a formula. The residual takes a list of unknowns, and returns a list of tensors and numbers.
nb::tuple
newton_in_formula(const nb::callable & residual,
                  const nb::list & guess,
                  const kernels::NewtonOptions & options)
{
  const Rows unknowns = rows_in("newton", guess);
  std::vector<int> unknown; // for each number the unknown to which it belongs
  for (size_t k = 0; k < unknowns.size(); k++)
    unknown.insert(unknown.end(), unknowns[k].components.size(), int(k));
  const auto equations = [&](const Numbers & x)
  {
    const auto residuals = nb::cast<nb::list>(residual(rows_of_numbers(unknowns, x)));
    Numbers numbers = numbers_of(rows_in("newton", residuals));
    if (numbers.size() != x.size())
      fail_type("newton: the residual returned " + std::to_string(numbers.size()) +
                " numbers, but there are " + std::to_string(x.size()) +
                " unknown numbers. Expected as many equations as unknowns.");
    return numbers;
  };
  const auto found = record_newton(equations, numbers_of(unknowns), unknown, options);
  return nb::make_tuple(rows_of_numbers(unknowns, found.solution),
                        Row(&scalar_type(), {RecordedNumber(found.iterations)}),
                        Choice({found.converged}, {}));
}
} // namespace

void
bind_newton(nb::module_ & m)
{
  nb::class_<kernels::NewtonOptions>(m, "NewtonOptions")
      .def("__init__",
           [](kernels::NewtonOptions * self,
              double relative_tolerance,
              double absolute_tolerance,
              int max_iterations,
              const std::vector<std::tuple<int, double, double>> & bounds,
              const std::vector<std::pair<int, double>> & max_steps,
              bool line_search,
              bool keep_unconverged)
           {
             new (self) kernels::NewtonOptions(newton_options(relative_tolerance,
                                                              absolute_tolerance,
                                                              max_iterations,
                                                              bounds,
                                                              max_steps,
                                                              line_search,
                                                              keep_unconverged));
           });
  m.def("newton_in_formula", &newton_in_formula);
}
} // namespace neml2::python
