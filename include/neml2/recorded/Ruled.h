// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Recording.h"
#include "neml2/recorded/Symbol.h"

#include <utility>

/// Recorded functions with derivative rules: gives rules to the nodes of their results, and converts rows to lists of numbers and nodes.
namespace neml2::recorded
{
/// values_in returns the nodes of symbols, or of the values of numbers. partials_in returns the nodes of the partials of numbers.
template <class Numbers>
std::vector<int32_t>
values_in(const Numbers & x)
{
  std::vector<int32_t> ids;
  for (const auto & a : x)
    ids.push_back(kernels::value(a).id);
  return ids;
}
template <class Numbers>
std::vector<int32_t>
partials_in(const Numbers & x)
{
  std::vector<int32_t> ids;
  for (const Number & a : x)
    ids.push_back(a.d[0].id);
  return ids;
}
/// The numbers of a scalar, or of rows (tensors), in one list.
inline std::vector<Symbol>
elements(const Symbol & a)
{
  return {a};
}
inline std::vector<Number>
elements(const Number & a)
{
  return {a};
}
template <class R, class... Others, class T = typename R::value_type>
std::vector<T>
elements(const R & row, const Others &... others)
{
  std::vector<T> all(std::begin(row.v), std::end(row.v));
  (all.insert(all.end(), std::begin(others.v), std::end(others.v)), ...);
  return all;
}
template <class A, class B>
auto
elements(const std::pair<A, B> & rows)
{
  return elements(rows.first, rows.second);
}
/// A row (tensor) that consists of the numbers of x from index `first` on.
template <template <class> class R, class T>
R<T>
row_of(const std::vector<T> & x, size_t first = 0)
{
  R<T> r{kernels::Unset()};
  for (int i = 0; i < R<T>::n; i++)
    r[i] = x[first + size_t(i)];
  return r;
}
/// symbols_of makes symbols from their nodes. numbers_of makes numbers from pairs of nodes, the value and its partial; nodes_of is its
/// inverse.
inline std::vector<Symbol>
symbols_of(const std::vector<int32_t> & ids)
{
  std::vector<Symbol> x;
  for (const int32_t i : ids)
    x.push_back(Symbol::of(i));
  return x;
}
inline std::vector<Number>
numbers_of(const std::vector<int32_t> & ids)
{
  std::vector<Number> x;
  for (size_t k = 0; k < ids.size(); k += 2)
  {
    x.emplace_back(Symbol::of(ids[k]));
    x.back().d[0].id = ids[k + 1];
  }
  return x;
}
inline std::vector<int32_t>
nodes_of(const std::vector<Number> & x)
{
  std::vector<int32_t> ids;
  for (const Number & a : x)
    ids.insert(ids.end(), {a.x.id, a.d[0].id});
  return ids;
}
inline std::vector<int32_t>
joined(std::vector<int32_t> a, const std::vector<int32_t> & b)
{
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Sets the rules of a function's outputs. Make this object before the function is recorded, or with the number of nodes that were recorded
/// before the function.
class Ruled
{
public:
  explicit Ruled(size_t first = Recording::now().nodes().size()) : _first(first) {}

  /// `rule` computes the outputs from the operands; both are numbers with partials.
  template <class F>
  void differentiate(std::vector<int32_t> operands,
                     std::vector<int32_t> outputs,
                     const F & rule,
                     Whole whole = Whole::by_operations)
  {
    Rule r{std::move(operands), std::move(outputs), {}};
    r.whole = whole;
    r.apply = [rule](const std::vector<int32_t> & ids) { return nodes_of(rule(numbers_of(ids))); };
    Recording::now().set_rule(std::move(r), _first);
  }
  /// `rule` computes a row from the operands; the row is linear in the operands from index `from` on. For `symmetric` see Rule.
  template <class F>
  void differentiate_linear(std::vector<int32_t> operands,
                            size_t from,
                            std::vector<int32_t> outputs,
                            const F & rule,
                            std::vector<size_t> symmetric = {},
                            Whole whole = Whole::not_differentiated)
  {
    Rule r{std::move(operands), std::move(outputs), {}};
    r.whole = whole;
    r.apply = [rule](const std::vector<int32_t> & ids)
    { return nodes_of(elements(rule(numbers_of(ids)))); };
    r.linear = [rule](const std::vector<int32_t> & ids)
    { return values_in(rule(symbols_of(ids)).v); };
    r.linear_from = from;
    r.symmetric = std::move(symmetric);
    Recording::now().set_rule(std::move(r), _first);
  }

private:
  /// The first node that may get a rule: nodes that were recorded earlier keep their rules.
  size_t _first;
};
} // namespace neml2::recorded
