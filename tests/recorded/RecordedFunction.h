// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Symbol.h"
#include "neml2/recorded/interpreter.h"
#include "neml2/recorded/linear.h"

#include <vector>

/// Functions of numbers that are recorded, and run on rows.
namespace neml2::test
{
using recorded::Components;
using recorded::Number;
using recorded::Program;
using recorded::Recording;

/// A recorded function of n numbers, which form one argument.
struct RecordedFunction
{
  Recording recording;
  Components x, seeds, y, partials;

  template <class F>
  RecordedFunction(int n, const F & f)
  {
    const Recording::Scope scope(recording);
    std::vector<Number> arguments;
    for (int i = 0; i < n; i++)
    {
      Number a(recorded::Symbol::input());
      a.d[0] = recorded::Symbol::input();
      x.push_back(a.x.id);
      seeds.push_back(a.d[0].id);
      arguments.push_back(a);
    }
    for (const Number & r : f(arguments))
    {
      y.push_back(r.x.id);
      partials.push_back(r.d[0].id);
    }
  }

  Program value() const { return {{x}, {y}, {}}; }
  /// The program for ∂y_i/∂x_j; the derivatives of one y_i are adjacent.
  Program jacobian()
  {
    const Recording::Scope scope(recording);
    const recorded::LinearMap map(recording, seeds, partials);
    Components all(x.size() * y.size());
    for (size_t j = 0; j < x.size(); j++)
    {
      Components direction(x.size(), -1);
      direction[j] = recording.constant(1);
      const Components column = map.of(direction);
      for (size_t i = 0; i < y.size(); i++)
        all[i * x.size() + j] = column[i];
    }
    return {{x}, {all}, {}};
  }
  /// The program for Σ_i w_i ∂y_i/∂x_j, whose arguments are x and the weights w of y.
  Program gradient()
  {
    const Recording::Scope scope(recording);
    Components weights;
    for (size_t i = 0; i < y.size(); i++)
      weights.push_back(recording.input());
    const recorded::LinearMap map(recording, seeds, partials);
    return {{x, weights}, {map.transposed(weights)}, {}};
  }
};

/// The results of a program with one result, for rows of its arguments, one row after the other.
inline std::vector<double>
run(const recorded::Evaluator & e, std::vector<std::vector<double>> arguments, int64_t rows)
{
  std::vector<double *> data;
  std::vector<int64_t> stride;
  for (size_t k = 0; k < arguments.size(); k++)
  {
    data.push_back(arguments[k].data());
    const auto size = int64_t(e.program.arguments[k].size());
    stride.push_back(int64_t(arguments[k].size()) == size && rows != 1 ? 0 : size); // 0: shared
  }
  const auto size = int64_t(e.program.results[0].size());
  std::vector<double> result(size_t(size * rows));
  data.push_back(result.data());
  stride.push_back(size);
  const packs::TileLoop loop = e.loop();
  loop.run(&e, data.data(), stride.data(), rows);
  return result;
}
} // namespace neml2::test
