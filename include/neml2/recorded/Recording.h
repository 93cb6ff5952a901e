// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Node.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>

/// Recordings of formulas. A recording is the list of a formula's operations on numbers. It is interpreted, differentiated, or written as
/// source.
namespace neml2::recorded
{
/// Thrown for a formula that would have too many operations.
struct TooLong : std::length_error
{
  using std::length_error::length_error;
};

/**
 * The operations of a formula, as a list of nodes. The operands of an operation come before the operation.
 *
 * The same operation on the same values is recorded once. Simplifications change no bit of a result: operations on constants
 * are evaluated, a + b is b + a, 1 x and x / 1 are x. But 0 x is not replaced by 0, since x may be NaN or infinite.
 */
class Recording
{
public:
  /// While a Scope exists, the operations on symbols in its thread are recorded in its recording. A thread makes one recording at a time.
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

  /// The number of the recording that this thread is making, unique in this program; 0 if the thread is not recording.
  static uint64_t number() { return current() ? current()->_number : 0; }

  /// The recording that this thread is making. @throws std::logic_error if there is none.
  static Recording & now()
  {
    if (Recording * const r = current())
      return *r;
    throw std::logic_error("A number of a formula was used where no formula is recorded");
  }

  /// Whether another recording consists of the same nodes.
  bool is_same_as(const Recording & other) const;

  const std::vector<Node> & nodes() const { return _nodes; }
  const Node & node(int32_t i) const { return _nodes[size_t(i)]; }
  const std::vector<int32_t> & inputs() const { return _inputs; }
  const std::vector<Loop> & loops() const { return _loops; }
  const std::vector<System> & systems() const { return _systems; }
  /// The innermost loop that contains a node, -1 if no loop does.
  int32_t loop_of(int32_t i) const { return _loop_of[size_t(i)]; }

  int32_t input();

  /// Opens a loop with these initial states. Operations that are then recorded on its states run in each iteration. Returns the number of
  /// the loop.
  int32_t open_loop(std::vector<int32_t> initial);

  /// Closes the innermost loop. `next` contains its states in the next iteration, and `active` is the index of the state that keeps the
  /// loop running. Returns the final states.
  std::vector<int32_t> close_loop(std::vector<int32_t> next,
                                  size_t active,
                                  int32_t most,
                                  std::optional<NewtonLoop> newton = std::nullopt);

  /// Ends the innermost loop after an error, without results.
  void abandon_loop();

  /// Sets the partial of a number. It is the seed of an argument, or the partial of a solution of newton, which follows from the implicit
  /// function theorem.
  void set_partial(int32_t i, int32_t partial);
  /// The partial that was set for a number; -1 if none was set.
  int32_t partial(int32_t i) const;

  /// A partial that is not available. A differentiation that needs it throws an error with this reason.
  int32_t refused_partial(std::string reason);
  const std::unordered_map<int32_t, std::string> & refused() const { return _refused; }

  /// Sets this rule for its outputs. They are then differentiated by the rule, because differentiating them operation by operation would
  /// lose digits or terms. Outputs that were recorded before node `first` keep their rules.
  void set_rule(Rule rule, size_t first);
  /// The rule of a number, null if there is none.
  std::shared_ptr<const Rule> rule(int32_t i) const;

  int32_t constant(double x);

  /// Counts the calls of any(condition), and throws if there are too many. any(condition) is always true, so a loop that ends only if
  /// any(condition) is false would never end.
  void count_any()
  {
    constexpr int most = 100000;
    if (++_any > most)
      throw TooLong("a formula that is recorded may call any(condition) 100,000 times, which is "
                    "then always true: give its loop a maximum number of iterations.");
  }

  /// A node other than i that has the value of node i, and may have a rule of its own.
  int32_t copy(int32_t i);
  bool is_constant(int32_t i) const { return node(i).op == Op::constant; }
  bool is_constant(int32_t i, double x) const { return is_constant(i) && node(i).number == x; }

  /// Records a System, unless the same system is already recorded. Returns its outputs.
  std::vector<int32_t> record_system(Op op, int32_t n, const std::vector<int32_t> & operands);

  int32_t record(Op op, int32_t a, int32_t b = -1, int32_t c = -1);

private:
  uint64_t _number = next_number();
  int _any = 0;
  std::vector<Node> _nodes;
  std::vector<int32_t> _inputs;
  std::vector<Loop> _loops;
  std::vector<System> _systems;
  std::vector<int32_t> _loop_of; ///< per node
  std::vector<int32_t> _open;    ///< the open loops, the innermost one last
  std::vector<std::shared_ptr<const Rule>> _rules;
  std::unordered_map<int32_t, size_t> _rule_of;
  std::unordered_map<int32_t, int32_t> _partials;
  std::unordered_map<int32_t, std::string> _refused;

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

  static uint64_t next_number();

  static Recording *& current();

  void check_open(int32_t i) const;

  int32_t find_or_append(const Node & n);

  int32_t append(const Node & n, int32_t loop);

  /// An existing node that has the value of this operation; -1 if a new node is needed.
  int32_t simplified(Op op, int32_t a, int32_t b, int32_t c);
};
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/recorded/Recording-inl.h"
#endif
