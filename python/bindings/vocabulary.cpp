// SPDX-License-Identifier: MIT
#include "bindings/row_functions.h"

#include "bindings/messages.h"

#include <unordered_map>

namespace neml2::python
{
namespace
{
std::unordered_map<std::string, std::vector<RowFunction>> &
vocabulary()
{
  static std::unordered_map<std::string, std::vector<RowFunction>> functions;
  return functions;
}

template <class A, size_t... I>
bool
find_component(const Row & row,
               const std::vector<int> & index,
               Row & result,
               std::index_sequence<I...>)
{
  using R = recorded_row_t<A>;
  if constexpr (std::is_invocable_v<const R &, std::conditional_t<I != size_t(-1), int, void>...>)
    if (row.type == type_info<A>() && index.size() == sizeof...(I))
    {
      const R r = as_kernel<A>(row);
      result = {&scalar_type(), {RecordedNumber(r(index[I]...))}};
      return true;
    }
  return false;
}

template <class A>
bool
find_component(const Row & row, const std::vector<int> & index, Row & result)
{
  if constexpr (std::is_same_v<A, Scalar>)
    return false;
  else
    return find_component<A>(row, index, result, std::make_index_sequence<1>()) ||
           find_component<A>(row, index, result, std::make_index_sequence<2>()) ||
           find_component<A>(row, index, result, std::make_index_sequence<3>()) ||
           find_component<A>(row, index, result, std::make_index_sequence<4>());
}

[[noreturn]] void
fail_indices(const Row & row, const std::vector<int> & index)
{
  const std::string message = "component: " + with_article(row.type->name) +
                              " of a formula has no component of " + std::to_string(index.size()) +
                              " indices.";
  throw nb::type_error(message.c_str());
}

template <class... A>
Row
component_of(const Row & row, const std::vector<int> & index, engine::Types<A...>)
{
  Row result(&scalar_type(), {});
  if ((find_component<A>(row, index, result) || ...))
    return result;
  fail_indices(row, index);
}

std::string
types_text(const Rows & rows)
{
  std::string text;
  for (size_t i = 0; i < rows.size(); i++)
    text += (i == 0 ? "" : i + 1 < rows.size() ? ", " : " and ") + std::string(rows[i].type->name);
  return text;
}
} // namespace

const TypeInfo &
scalar_type()
{
  static const TypeInfo & type = info(nb::type<Scalar>());
  return type;
}

const TypeInfo &
tensor_type()
{
  static const TypeInfo & type = info(nb::type<Tensor>());
  return type;
}

void
add(const std::string & name, RowFunction f)
{
  vocabulary()[name].push_back(std::move(f));
}

const std::vector<RowFunction> &
row_functions(const std::string & name)
{
  static const std::vector<RowFunction> none;
  if (vocabulary().empty())
    add_row_functions();
  const auto found = vocabulary().find(name);
  return found == vocabulary().end() ? none : found->second;
}

nb::list
row_vocabulary()
{
  row_functions("");
  nb::list all;
  for (const auto & [name, functions] : vocabulary())
    for (const auto & f : functions)
    {
      nb::list types;
      for (const TypeInfo * t : f.arguments)
        types.append(t->cls);
      all.append(nb::make_tuple(name, nb::tuple(types)));
    }
  return all;
}

const RowFunction *
find_row_function(const std::string & name, const Rows & arguments)
{
  for (const auto & f : row_functions(name))
  {
    bool fits = f.arguments.size() == arguments.size();
    for (size_t i = 0; fits && i < arguments.size(); i++)
      fits = f.arguments[i] == arguments[i].type;
    if (fits)
      return &f;
  }
  return nullptr;
}

Rows
call_rows(const std::string & name, const Rows & arguments)
{
  if (const RowFunction * const f = find_row_function(name, arguments))
    return f->call(arguments);
  const std::string message =
      row_functions(name).empty()
          ? name + ": not available in formulas, which run point by point. Call it "
                   "on the batch, and hand the "
                   "result to the formula."
          : name + ": not defined in formulas for " + types_text(arguments) + ".";
  throw nb::type_error(message.c_str());
}

Row
component(const Row & row, const std::vector<int> & index)
{
  // If there are as many indices as base dimensions, they mean a stored component; otherwise they mean a component of the full tensor.
  const bool is_stored = index.size() == row.base.size();
  for (size_t k = 0; k < index.size(); k++)
    if (const Size size = is_stored ? row.base[k] : 3; index[k] < 0 || index[k] >= size)
    {
      const std::string message = "component: index " + std::to_string(k) + " is " +
                                  std::to_string(index[k]) + ". Expected 0 to " +
                                  std::to_string(size - 1) + " of " + with_article(row.type->name) +
                                  " of a formula.";
      throw nb::index_error(message.c_str());
    }
  if (row.type != &tensor_type())
    return component_of(row, index, RowTypes());
  if (!is_stored)
    fail_indices(row, index);
  size_t place = 0;
  for (size_t k = 0; k < index.size(); k++)
    place = place * size_t(row.base[k]) + size_t(index[k]);
  return {&scalar_type(), {row.components[place]}};
}
} // namespace neml2::python
