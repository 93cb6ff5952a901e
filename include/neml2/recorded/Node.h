// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/NewtonOptions.h"
#include "neml2/kernels/inline.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <vector>

/// The parts of recordings.
namespace neml2::recorded
{
/// The operations on numbers. Comparisons give conditions.
enum class Op : uint8_t
{
  input,
  constant,
  state, ///< a state of a loop at the beginning of an iteration
  state_condition,
  result, ///< a state of a loop that has ended
  result_condition,
  output, ///< an output of a System
  output_condition,
  factor, ///< the operations of a System, which holds their operands
  solve,
  solve_transposed,
  expm, ///< functions of a matrix, then derivatives along another
  logm,
  sqrtm,
  inv,
  polar_rotation,
  dexpm,
  dlogm,
  dsqrtm,
  loop, ///< its operands are those of its Loop
  negate,
  abs,
  sqrt,
  norm_of_square, ///< √ of a sum of squares, of derivative 0 at 0
  macaulay,       ///< a maximum with 0, of derivative 1/2 at 0
  cbrt,
  exp,
  expm1,
  log,
  log1p,
  log10,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  not_,
  add,
  subtract,
  multiply,
  divide,
  pow,
  atan2,
  fmod,
  minimum,
  maximum,
  less,
  less_equal,
  equal,
  not_equal,
  and_,
  or_,
  where,
  multiply_add,      ///< a b + c
  multiply_subtract, ///< a b - c
  subtract_product   ///< c - a b
};

/// The number of operands of an operation.
constexpr int
operand_count(Op op)
{
  return op <= Op::loop ? 0 : op <= Op::not_ ? 1 : op <= Op::or_ ? 2 : 3;
}
constexpr bool
gives_condition(Op op)
{
  return op == Op::not_ || (op >= Op::less && op <= Op::or_) || op == Op::state_condition ||
         op == Op::result_condition || op == Op::output_condition;
}
constexpr bool
is_output(Op op)
{
  return op == Op::output || op == Op::output_condition;
}
constexpr bool
is_of_system(Op op)
{
  return op >= Op::factor && op <= Op::dsqrtm;
}
/// Whether it is a function of a matrix, or the derivative of such a function.
constexpr bool
is_matrix_function(Op op)
{
  return op >= Op::expm && op <= Op::dsqrtm;
}
constexpr bool
is_matrix_derivative(Op op)
{
  return op >= Op::dexpm && op <= Op::dsqrtm;
}

/// Whether it makes a value from its operands by itself, unlike the operations of loops and of systems.
constexpr bool
is_of_values(Op op)
{
  return op < Op::state || op > Op::loop;
}

/// An operation on the values of nodes before it. The operands of a node of a loop or system are the number of the loop or system,
/// and the place of the node among its states or outputs.
struct Node
{
  Op op;
  int32_t operand[3] = {-1, -1, -1};
  double number = 0; ///< the value of a constant

  friend bool operator==(const Node & a, const Node & b)
  {
    return a.op == b.op && std::memcmp(a.operand, b.operand, sizeof(a.operand)) == 0 &&
           std::memcmp(&a.number, &b.number, sizeof(double)) == 0; // 0 is not -0, NaN is NaN
  }
};

/// Marks a loop that is kernels::NewtonIteration, and may be run by it: only the states named here are used after the
/// loop.
struct NewtonLoop
{
  kernels::NewtonOptions options;
  std::vector<int> unknown;                ///< the unknown that each number belongs to
  std::vector<int32_t> x;                  ///< the states that are the unknowns
  std::vector<int32_t> r, J;               ///< their residual, and its derivatives row by row
  int32_t iterations = -1, converged = -1; ///< states
};

/**
 * A loop at each point: while `active`, one of its states, holds, but no more than `most` times.
 *
 * It goes on as long as any point needs it, so a point that is done must not change the states that matter. The body of
 * the loop is the nodes that depend on its states.
 */
struct Loop
{
  std::vector<int32_t> initial, states, next; ///< next is -1 for a state that stays
  int32_t active = -1, most = 0;
  int32_t node = -1; ///< its Op::loop, which closes it
  std::optional<NewtonLoop> newton = std::nullopt;
};

/**
 * The result of one operation on a matrix of n × n numbers, row by row; operands and outputs are numbers of nodes.
 *
 * Equations of n unknowns, as in kernels::LU: a factor gives the LU's a, over and det, then the conditions swapped[k][i], k < i. A solve,
 * or a transposed solve, takes all these except det, and a right side, and gives n unknowns.
 *
 * Functions of a matrix, n = 3, give a matrix; their derivatives take a second matrix, the direction.
 */
struct System
{
  Op op;
  int32_t n;
  std::vector<int32_t> operands, outputs;
  int32_t node = -1;

  /// The size of a factor without the determinant.
  static size_t factor_size(int32_t n) { return size_t(n * n + n + n * (n - 1) / 2); }

  /// The first operand in which it is linear; it is linear in all later ones.
  size_t linear_from() const
  {
    return is_matrix_derivative(op)                     ? size_t(n * n)
           : is_matrix_function(op) || op == Op::factor ? operands.size()
                                                        : factor_size(n);
  }
  /// The number of outputs that are numbers; the outputs behind them are conditions.
  int32_t number_count() const
  {
    return is_matrix_function(op) ? n * n : op == Op::factor ? n * n + n + 1 : n;
  }
};

/// How numbers that were computed together are differentiated.
struct Rule
{
  std::vector<int32_t> operands, outputs;
  /// From the operands, each with its partial behind it: the outputs, each with its partial behind
  /// it.
  std::function<std::vector<int32_t>(const std::vector<int32_t> &)> apply;
  /// For outputs that are linear in their last operands: the outputs for other operands, and the first operand in which they are
  /// linear.
  std::function<std::vector<int32_t>(const std::vector<int32_t> &)> linear = {};
  size_t linear_from = 0;
};
} // namespace neml2::recorded
