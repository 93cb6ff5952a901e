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
/// The operations on numbers. Comparisons return conditions.
enum class Op : uint8_t
{
  input,
  constant,
  state, ///< a state of a loop at the beginning of an iteration
  state_condition,
  result, ///< the final state of a loop
  result_condition,
  output, ///< an output of a System
  output_condition,
  factor, ///< the operations from here to dsqrtm belong to a System, which has their operands
  solve,
  solve_transposed,
  expm, ///< functions of a matrix, followed by their derivatives along another matrix
  logm,
  sqrtm,
  inv,
  polar_rotation,
  dexpm,
  dlogm,
  dsqrtm,
  loop, ///< the end of a Loop; the Loop has the operands
  negate,
  abs,
  sqrt,
  norm_of_square, ///< the root of a sum of squares; its derivative at 0 is 0
  macaulay,       ///< the maximum of a and 0; its derivative at 0 is 1/2
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
  hypot,
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
/// Whether op is a function of a matrix, or the derivative of such a function.
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

/// Whether op computes a value from its operands by itself, unlike the operations of loops and of systems.
constexpr bool
is_of_values(Op op)
{
  return op < Op::state || op > Op::loop;
}

/// An operation on the values of earlier nodes. A state or a final state of a loop, or an output of a system, has two operands: the number
/// of the loop or system, and the index of the node among its states or outputs. The end of a loop and the operation of a system have only
/// the number as operand.
struct Node
{
  Op op;
  int32_t operand[3] = {-1, -1, -1};
  double number = 0; ///< the value of a constant

  friend bool operator==(const Node & a, const Node & b)
  {
    return a.op == b.op && std::memcmp(a.operand, b.operand, sizeof(a.operand)) == 0 &&
           std::memcmp(&a.number, &b.number, sizeof(double)) == 0; // 0 is not -0, NaN equals NaN
  }
};

/// Marks a loop that does the same as kernels::NewtonIteration. Only the states that are named here are used after the loop.
struct NewtonLoop
{
  /// Whether kernels::NewtonIteration gives the same bits, and may run the loop. For few unknowns it does not, because the factors of the
  /// Jacobian are recorded operation by operation, which rounds differently.
  bool has_its_bits = false;
  kernels::NewtonOptions options;
  /// For each number, the unknown (tensor or number) to which it belongs.
  std::vector<int> unknown;
  std::vector<int32_t> x;    ///< the states that are the unknowns
  std::vector<int32_t> r, J; ///< the residual, and its derivatives with respect to x, row by row
  int32_t iterations = -1, converged = -1; ///< two more states

  friend bool operator==(const NewtonLoop & a, const NewtonLoop & b)
  {
    return a.options == b.options && a.unknown == b.unknown && a.x == b.x && a.r == b.r &&
           a.J == b.J;
  }
};

/**
 * A loop. It runs while its state `active` is true, at most `most` times. Its body consists of the nodes that depend on its states.
 *
 * When many points are evaluated together, the loop runs as long as any of them needs it. Therefore states whose values are used after the
 * loop must not change at a point that has finished.
 */
struct Loop
{
  std::vector<int32_t> initial, states, next; ///< next is -1 for a state that does not change
  int32_t active = -1, most = 0;
  int32_t node = -1; ///< the node with Op::loop that ends the loop
  std::optional<NewtonLoop> newton = std::nullopt;

  friend bool operator==(const Loop & a, const Loop & b)
  {
    return a.initial == b.initial && a.states == b.states && a.next == b.next &&
           a.active == b.active && a.most == b.most && a.newton == b.newton;
  }

  /// The NewtonLoop if kernels::NewtonIteration may run this loop, otherwise null.
  const NewtonLoop * by_kernel() const
  {
    return newton && newton->has_its_bits ? &*newton : nullptr;
  }
};

/**
 * One operation on a matrix of n × n numbers. Operands and outputs are indices of nodes; a matrix is given row by row.
 *
 * For equations of n unknowns the names are those of kernels::LU. The outputs of a factor are `a`, `over` and `det`, then the conditions
 * swapped[k][i] for i > k. The operands of a solve, or of a transposed solve, are these outputs except `det`, then a right-hand side; the
 * outputs of the solve are the n unknowns.
 *
 * A function of a matrix (n = 3) has a matrix as output. Its derivative has a second matrix as operand, the direction.
 */
struct System
{
  Op op;
  int32_t n;
  std::vector<int32_t> operands, outputs;
  int32_t node = -1;

  friend bool operator==(const System & a, const System & b)
  {
    return a.op == b.op && a.n == b.n && a.operands == b.operands && a.outputs == b.outputs;
  }

  /// The number of outputs of a factor, without the determinant.
  static size_t factor_size(int32_t n) { return size_t(n * n + n + n * (n - 1) / 2); }

  /// The first operand in which the outputs are linear; they are linear in all later operands, too.
  size_t linear_from() const
  {
    return is_matrix_derivative(op)                     ? size_t(n * n)
           : is_matrix_function(op) || op == Op::factor ? operands.size()
                                                        : factor_size(n);
  }
  /// The number of outputs that are numbers; the outputs after them are conditions.
  int32_t number_count() const
  {
    return is_matrix_function(op) ? n * n : op == Op::factor ? n * n + n + 1 : n;
  }
};

/// How the outputs of a Rule are computed on whole batches. All values except the first two name a function, which is called with the
/// rule's operands.
enum class Whole : uint8_t
{
  /// Operation by operation, and autograd may differentiate each operation.
  by_operations,
  /// Operation by operation, but differentiating each operation would give wrong derivatives.
  not_differentiated,
  without_derivative, ///< the value of its operand
  /// The first operands, one per output; 0 where they are not finite and a condition, the next operand, does not hold. With sides 0 also
  /// where another condition does not hold.
  where_taken,
  where_taken_on_sides,
  det, ///< of a matrix or of a symmetric tensor
  inv, ///< of a symmetric tensor
  eigh,
  nearest_rotation,
  hencky_strain,
  expm, ///< a function of a symmetric tensor; the derivatives (dexpm ...) are along a second tensor
  logm,
  sqrtm,
  powm, ///< of a tensor and an exponent
  dexpm,
  dlogm,
  dsqrtm,
  dpowm
};

/// A rule that differentiates several numbers which were computed together, the outputs.
struct Rule
{
  std::vector<int32_t> operands, outputs;
  /// Computes the outputs from the operands. In both lists each number is followed by its partial.
  std::function<std::vector<int32_t>(const std::vector<int32_t> &)> apply;
  /// Empty, or a function that computes the outputs for other values of the operands. It requires outputs that are linear in their last
  /// operands, from the index linear_from on.
  std::function<std::vector<int32_t>(const std::vector<int32_t> &)> linear = {};
  size_t linear_from = 0;
  /// Groups of linear operands. A group has as many operands as there are outputs, and the matrix of the derivatives of the outputs with
  /// respect to these operands is symmetric. Each group is given by the index of its first operand.
  std::vector<size_t> symmetric = {};
  Whole whole = Whole::by_operations;
};
} // namespace neml2::recorded
