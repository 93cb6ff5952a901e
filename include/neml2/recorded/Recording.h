// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <vector>

/// Formulas recorded as what they do with numbers: straight-line programs, to be interpreted, differentiated, or written as
/// source.
namespace neml2::recorded
{
/// What is done with numbers. A condition is what comparisons give.
enum class Op : uint8_t
{
  input,
  constant,
  negate,
  abs,
  sqrt,
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

/// How many operands an operation has.
constexpr int
operand_count(Op op)
{
  return op <= Op::constant ? 0 : op <= Op::not_ ? 1 : op <= Op::or_ ? 2 : 3;
}
constexpr bool
gives_condition(Op op)
{
  return op == Op::not_ || (op >= Op::less && op <= Op::or_);
}

/// An operation on the values of nodes before it.
struct Node
{
  Op op;
  int32_t operand[3] = {-1, -1, -1};
  double number = 0; ///< of a constant

  friend bool operator==(const Node & a, const Node & b)
  {
    return a.op == b.op && std::memcmp(a.operand, b.operand, sizeof(a.operand)) == 0 &&
           std::memcmp(&a.number, &b.number, sizeof(double)) == 0; // 0 is not -0, NaN is NaN
  }
};

/**
 * What a formula did, as a list of operations each on values before it.
 *
 * The same operation on the same values is there once. What is left out changes no bit of a result: operations on constants
 * are done, a + b is b + a, 1 x and x / 1 are x. But 0 x is not 0, which NaN and infinities would show.
 */
class Recording
{
public:
  /// Where the numbers of a recording become known as they are used: one at a time in a thread.
  class Scope
  {
  public:
    explicit Scope(Recording & r) : _before(current()) { current() = &r; }
    Scope(const Scope &) = delete;
    Scope & operator=(const Scope &) = delete;
    ~Scope() { current() = _before; }

  private:
    Recording * _before;
  };

  /// Which recording of this program the thread is at; 0 where it records none.
  static uint64_t number() { return current() ? current()->_number : 0; }

  /// The one of this thread.
  static Recording & now()
  {
    if (Recording * const r = current())
      return *r;
    throw std::logic_error("A number of a formula was used where no formula is recorded");
  }

  const std::vector<Node> & nodes() const { return _nodes; }
  const Node & node(int32_t i) const { return _nodes[size_t(i)]; }
  const std::vector<int32_t> & inputs() const { return _inputs; }

  int32_t input()
  {
    _nodes.push_back({Op::input, {int32_t(_inputs.size()), -1, -1}});
    _inputs.push_back(int32_t(_nodes.size()) - 1);
    return _inputs.back();
  }

  int32_t constant(double x) { return find_or_append({Op::constant, {-1, -1, -1}, x}); }

  bool is_constant(int32_t i) const { return node(i).op == Op::constant; }
  bool is_constant(int32_t i, double x) const { return is_constant(i) && node(i).number == x; }

  int32_t record(Op op, int32_t a, int32_t b = -1, int32_t c = -1)
  {
    const bool commutes = op == Op::add || op == Op::multiply || op == Op::equal ||
                          op == Op::not_equal || op == Op::and_ || op == Op::or_;
    if (commutes && b < a)
      std::swap(a, b);
    const int32_t known = simplified(op, a, b, c);
    return known >= 0 ? known : find_or_append({op, {a, b, c}});
  }

private:
  uint64_t _number = next_number();
  std::vector<Node> _nodes;
  std::vector<int32_t> _inputs;

  struct Hash
  {
    size_t operator()(const Node & n) const
    {
      uint64_t bits, h = uint64_t(n.op);
      std::memcpy(&bits, &n.number, sizeof(bits));
      for (const uint64_t x :
           {uint64_t(n.operand[0]), uint64_t(n.operand[1]), uint64_t(n.operand[2]), bits})
        h = (h ^ x) * 0x9E3779B97F4A7C15u + (h >> 29);
      return size_t(h ^ (h >> 32));
    }
  };
  std::unordered_map<Node, int32_t, Hash> _known;

  static uint64_t next_number()
  {
    static std::atomic<uint64_t> n{0};
    return ++n;
  }

  static Recording *& current()
  {
    static thread_local Recording * r = nullptr;
    return r;
  }

  int32_t find_or_append(const Node & n)
  {
    constexpr size_t most = 1 << 20;
    const auto [place, is_new] = _known.try_emplace(n, int32_t(_nodes.size()));
    if (is_new)
    {
      if (_nodes.size() >= most)
        throw std::length_error("a formula records at most 1,048,576 operations on numbers");
      _nodes.push_back(n);
    }
    return place->second;
  }

  /// A node that is there and has this value; -1 if it takes an operation.
  int32_t simplified(Op op, int32_t a, int32_t b, int32_t c)
  {
    switch (op)
    {
    case Op::negate:
      if (is_constant(a))
        return constant(-node(a).number);
      if (node(a).op == Op::negate)
        return node(a).operand[0];
      return -1;
    case Op::add:
      return is_constant(a) && is_constant(b) ? constant(node(a).number + node(b).number) : -1;
    case Op::subtract:
      if (is_constant(a) && is_constant(b))
        return constant(node(a).number - node(b).number);
      return is_constant(b, 0) && !std::signbit(node(b).number) ? a : -1;
    case Op::multiply:
      if (is_constant(a) && is_constant(b))
        return constant(node(a).number * node(b).number);
      return is_constant(a, 1) ? b : is_constant(b, 1) ? a : -1;
    case Op::divide:
      if (is_constant(a) && is_constant(b))
        return constant(node(a).number / node(b).number);
      return is_constant(b, 1) ? a : -1;
    case Op::sqrt:
      return is_constant(a) ? constant(std::sqrt(node(a).number)) : -1;
    case Op::abs:
      return is_constant(a) ? constant(std::fabs(node(a).number)) : -1;
    case Op::pow:
      return is_constant(b, 1) ? a : is_constant(b, 2) ? record(Op::multiply, a, a) : -1;
    case Op::where:
      return b == c ? b : -1;
    default:
      return -1;
    }
  }
};
} // namespace neml2::recorded
