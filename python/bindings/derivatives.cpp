// SPDX-License-Identifier: MIT
#include "bindings/messages.h"
#include "bindings/rows.h"

#include "neml2/recorded/isotropic.h"

/// Derivatives in formulas of Python.
namespace neml2::python
{
const TypeInfo &
type_of_jacobian(TensorShapeRef base)
{
  static const auto types = []
  {
    std::vector<const TypeInfo *> all;
    const nb::object tensors = nb::module_::import_("neml2_tensors.tensors");
    for (const char * name : {"Scalar", "Vec", "SR2", "R2", "SSR4", "R3", "R4"})
      all.push_back(&info(tensors.attr(name)));
    return all;
  }();
  for (const TypeInfo * type : types)
    if (base == type->base)
      return *type;
  return tensor_type();
}

nb::object
as_jacobian(const at::Tensor & t, Size batch_dim)
{
  return type_of_jacobian(t.sizes().slice(size_t(batch_dim))).make(Tensor(t, batch_dim));
}

namespace
{
/// The Jacobians of a function at the rows `at`. For each of the function's results there is a list of its Jacobians with respect to each
/// row. The function takes a list of rows (tensors of a formula), and returns a list of results.
nb::list
jacobian_in_formula(const std::string & name, const nb::callable & function, const nb::list & at)
{
  const Rows variables = rows_in(name, at);
  const Numbers x = numbers_of(variables);
  Rows results;
  const auto numbers_of_results = [&](const Numbers & v)
  {
    results = rows_in(name, nb::cast<nb::list>(function(rows_of_numbers(variables, v))));
    return numbers_of(results);
  };
  const Numbers J = recorded::record_jacobian(numbers_of_results, x);
  nb::list all;
  size_t row = 0;
  for (const Row & y : results)
  {
    nb::list of_result;
    size_t column = 0;
    for (const Row & v : variables)
    {
      const TensorShape base = utils::add_shapes(TensorShapeRef(y.base), TensorShapeRef(v.base));
      Numbers numbers;
      for (size_t i = 0; i < y.components.size(); i++)
        for (size_t j = 0; j < v.components.size(); j++)
          numbers.push_back(J[(row + i) * x.size() + column + j]);
      column += v.components.size();
      of_result.append(nb::cast(Row(&type_of_jacobian(base), std::move(numbers), base)));
    }
    row += y.components.size();
    all.append(of_result);
  }
  return all;
}

/// neml2.isotropic in a formula: a function of the eigenvalues of an SR2. If the function returns a number, the result is a number; if it
/// returns a Vec of three numbers, the result is an SR2.
Row
isotropic_in_formula(const nb::callable & function, const nb::object & tensor)
{
  const Row s = rows_of("isotropic", {tensor})[0];
  const TypeInfo & vector = type_of_jacobian(TensorShape{3});
  if (s.type != &type_of_jacobian(TensorShape{6}))
    fail_type("isotropic: the tensor is " + with_article(s.type->name) + ". Expected an SR2.");
  size_t count = 0;
  const auto of_numbers = [&](const Numbers & l)
  {
    const Row y = rows_of("isotropic", {function(nb::cast(Row(&vector, l)))})[0];
    count = y.components.size();
    if (count != 3 && count != 1)
      fail_type("isotropic: the function returned " + with_article(y.type->name) +
                ". Expected a scalar, or a Vec of the values of the tensor's function.");
    return y.components;
  };
  kernels::SR2<RecordedNumber> row{kernels::Unset()};
  std::copy(s.components.begin(), s.components.end(), row.v);
  Numbers numbers = recorded::record_of_eigenvalues(of_numbers, row);
  if (count == 1)
    return {&scalar_type(), std::move(numbers)};
  return {s.type, std::move(numbers)};
}
} // namespace

void
bind_derivatives(nb::module_ & m)
{
  m.def("jacobian_in_formula", &jacobian_in_formula);
  m.def("isotropic_in_formula", &isotropic_in_formula);
  m.def("with_article", &with_article);
}
} // namespace neml2::python
