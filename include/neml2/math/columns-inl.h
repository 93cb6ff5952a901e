// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/columns.h"

#include "neml2/composed/isotropic_functions.h"
#include "neml2/composed/kinematics.h"
#include "neml2/composed/solve.h"
#include "neml2/math/Column-inl.h"
#include "neml2/math/composed_newton.h"
#include "neml2/recorded/Sides.h"
#include "neml2/recorded/with_function.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace neml2::math
{
/// Runs a program whose numbers are columns.
class Columns
{
public:
  Columns(const recorded::Evaluator & program, ArrayRef<Operand> arguments, TensorShapeRef batch)
    : _program(program.program),
      _o(with_whole_functions(program)),
      _batch(batch),
      _like(engine::first_tensor(arguments)),
      _options(_like.options().requires_grad(false).dtype(
          _like.device().type() == c10::DeviceType::MPS ? kFloat32 : kFloat64)),
      _left(_o.left_to_newton([](const recorded::Loop & l)
                              { return l.newton ? &*l.newton : nullptr; })),
      _columns(_o.nodes.size())
  {
    for (size_t k = 0; k < arguments.size(); k++)
    {
      set_argument(_program.arguments[k], arguments[k]);
      _is_differentiated = _is_differentiated ||
                           (arguments[k].tensor && (arguments[k].tensor->requires_grad() ||
                                                    core::is_entry_of_vmap(*arguments[k].tensor)));
    }
    _is_differentiated = _is_differentiated && c10::GradMode::is_enabled();
    if (_is_differentiated)
      _sides =
          recorded::Sides(_o, _program, [this](size_t i, const auto & f) { each_operand(i, f); });
    _order = _o.order([this](size_t i) { return _sides.runs_before(i); });
    find_last_uses();
    run(0, _order.size(), -1);
  }

  /// Result number k.
  at::Tensor result(size_t k, TensorShapeRef base) const
  {
    const recorded::Components & c = _program.results[k];
    const TensorShape shape = utils::add_shapes(_batch, base);
    if (c.empty())
      return at::empty(shape, _like.options().requires_grad(false));
    const at::Tensor r = base.empty() ? expanded(c[0]) : stacked(c, _batch, base);
    return r.to(_like.scalar_type());
  }

private:
  using Op = recorded::Op;

  const recorded::Program & _program;
  recorded::Operations _o;
  TensorShapeRef _batch;
  const at::Tensor & _like;
  TensorOptions _options;
  bool _is_differentiated = false;
  std::vector<size_t> _order;                    ///< the nodes, in the order of evaluation
  std::vector<bool> _left;                       ///< per node, whether Newton's method computes it
  std::vector<size_t> _place;                    ///< the place of each node in _order
  std::vector<std::vector<size_t>> _last_needed; ///< per place, the columns not needed after it
  std::vector<Column> _columns;                  ///< one per node

  recorded::Sides _sides; ///< empty if nothing is differentiated
  int32_t _side_now = -1; ///< the side of the node that is computed

  /// The operations of a program. An operation counts as unused if a function on whole batches replaces it.
  static recorded::Operations with_whole_functions(const recorded::Evaluator & program)
  {
    recorded::Operations o = program.operations;
    std::fill(o.uses.begin(), o.uses.end(), 0);
    for (const auto & result : program.program.results)
      for (const int32_t i : result)
        o.uses[size_t(i)]++;
    for (size_t i = o.nodes.size(); i-- > 0;)
      if (o.uses[i] > 0)
      {
        if (const recorded::Rule * const rule = whole_function(o, i))
          for (const int32_t k : rule->operands)
            o.uses[size_t(k)]++;
        else
          o.each_operand(i, [&](size_t k) { o.uses[k]++; });
      }
    return o;
  }
  /// The function on whole batches that computes a node; null if there is none.
  static const recorded::Rule * whole_function(const recorded::Operations & o, size_t i)
  {
    const auto found = o.whole.find(i);
    const bool is_there =
        found != o.whole.end() && found->second->whole > recorded::Whole::not_differentiated;
    return is_there ? found->second.get() : nullptr;
  }

  /// Calls f for each node from which node i is computed.
  template <class F>
  void each_operand(size_t i, const F & f) const
  {
    if (const recorded::Rule * const rule = whole_function(_o, i))
    {
      for (const int32_t k : rule->operands)
        f(size_t(k));
      return;
    }
    _o.each_operand(i, f);
    const Op op = _o.nodes[i].op;
    if (op == Op::solve || op == Op::solve_transposed)
      if (const recorded::System * const factor = factor_of(_o.system(i)))
        for (const int32_t k : factor->operands)
          f(size_t(k));
  }
  /// Fills _place and _last_needed. Columns inside loops are kept.
  void find_last_uses()
  {
    _place.resize(_o.nodes.size());
    for (size_t at = 0; at < _order.size(); at++)
      _place[_order[at]] = at;
    std::vector<size_t> last(_o.nodes.size());
    for (const size_t i : _order)
    {
      size_t outermost = i; // the end of the outermost loop around i
      while (_o.loop_of[outermost] >= 0)
        outermost = size_t(_o.loops[size_t(_o.loop_of[outermost])].node);
      each_operand(i, [&](size_t k) { last[k] = std::max(last[k], _place[outermost]); });
    }
    for (const auto & result : _program.results)
      for (const int32_t i : result)
        last[size_t(i)] = 0;
    _last_needed.resize(_order.size());
    for (size_t i = 0; i < last.size(); i++)
      if (last[i] > 0 && _o.loop_of[i] < 0)
        _last_needed[last[i]].push_back(i);
  }

  // ---- Sides ----

  /// The condition that all sides are taken to which the current node belongs and its operand k does not. Only sides with `guards` count.
  /// Undefined if there are no such sides.
  at::Tensor taken_without(int32_t k) const
  {
    at::Tensor taken;
    for (int32_t s = _side_now; s > _sides.of(size_t(k)); s = _sides[s].outer)
      if (_sides[s].guards)
        if (const at::Tensor & c = _columns[_sides[s].condition].t; c.defined())
        {
          const at::Tensor here = _sides[s].is_first ? c : c.bitwise_not();
          taken = taken.defined() ? taken.bitwise_and(here) : here;
        }
    return taken;
  }

  Column & column(int32_t i) { return _columns[size_t(i)]; }
  at::Tensor tensor(int32_t i) const
  {
    const at::Tensor & t = _columns[size_t(i)].t;
    const at::Tensor taken = taken_without(i);
    return taken.defined() ? select(taken, t, t.detach()) : t;
  }
  at::Tensor expanded(int32_t i) const { return tensor(i).expand(_batch); }

  /// The numbers of these nodes, expanded to `batch`, as one tensor (batch; base).
  at::Tensor
  stacked(const std::vector<int32_t> & nodes, TensorShapeRef batch, TensorShapeRef base) const
  {
    return joined(tensors(nodes), batch, base);
  }
  std::vector<at::Tensor> tensors(const std::vector<int32_t> & nodes) const
  {
    std::vector<at::Tensor> all;
    for (const int32_t i : nodes)
      all.push_back(tensor(i).to(_options.dtype()));
    return all;
  }
  static at::Tensor joined(std::vector<at::Tensor> all, TensorShapeRef batch, TensorShapeRef base)
  {
    for (at::Tensor & t : all)
      t = t.expand(batch);
    return at::stack(all, -1).reshape(utils::add_shapes(batch, base));
  }
  /// The numbers of these nodes, expanded to the shape to which they broadcast, as one tensor (batch; base).
  at::Tensor stacked(const std::vector<int32_t> & nodes, TensorShapeRef base) const
  {
    std::vector<at::Tensor> all = tensors(nodes);
    TensorShape batch;
    for (const at::Tensor & t : all)
      broadcast_into(batch, t.sizes());
    return joined(std::move(all), batch, base);
  }
  /// Sets the columns of nodes from a tensor with one base entry per node.
  void unstack(const std::vector<int32_t> & nodes, const at::Tensor & t, Size base_dim)
  {
    const at::Tensor flat = base_dim == 1 ? t : t.flatten(t.dim() - base_dim);
    for (size_t k = 0; k < nodes.size(); k++)
      column(nodes[k]) = {flat.select(-1, Size(k))};
  }

  void set_argument(const recorded::Components & c, const Operand & argument)
  {
    if (c.empty())
      return;
    if (!argument.tensor)
    {
      column(c[0]) = {at::full({}, *argument.number, _options)};
      return;
    }
    const at::Tensor t = argument.tensor->to(_options.dtype());
    if (argument.base.empty())
      column(c[0]) = {t};
    else
      unstack(c, t, Size(argument.base.size()));
  }

  /// Computes the nodes _order[first] to _order[last - 1]. They lie in the loop number `loop`, or in no loop if `loop` is -1.
  void run(size_t first, size_t last, int32_t loop)
  {
    for (size_t at = first; at < last; at++)
    {
      if (loop < 0 && at > 0)
        for (const size_t k : _last_needed[at - 1])
          _columns[k] = {};
      const size_t i = _order[at];
      const recorded::Node & n = _o.nodes[i];
      const bool is_state = n.op == Op::state || n.op == Op::state_condition;
      if (is_state && n.operand[0] != loop)
      {
        const size_t end = _place[size_t(_o.loop(i).node)];
        run_newton(n.operand[0], at, end);
        at = end;
      }
      else if (n.op == Op::result || n.op == Op::result_condition)
        _columns[i] = column(_o.loop(i).states[size_t(n.operand[1])]);
      else
      {
        _side_now = _sides.of(i);
        if (const recorded::Rule * const rule = whole_function(_o, i))
          compute_whole(*rule, i);
        else if (n.op != Op::input && !is_state && !is_output(n.op) && !_left[i])
          compute(i);
        _side_now = -1;
      }
    }
  }

  /// Computes the needed outputs of a function if node i is the first of them. Eigenvectors are computed apart from the eigenvalues if
  /// other sides need them, or none: where eigenvalues are equal, LibTorch's derivatives of both would be NaN.
  void compute_whole(const recorded::Rule & rule, size_t i)
  {
    using recorded::Whole;
    const auto is_output = [&](int32_t k)
    { return _o.is_needed(size_t(k)) && whole_function(_o, size_t(k)) == &rule; };
    const auto begin = rule.outputs.begin(), end = rule.outputs.end();
    const auto side_of = [&](auto first, auto last)
    {
      std::optional<int32_t> side;
      for (; first != last; ++first)
        if (is_output(*first))
          side = side ? _sides.common(*side, _sides.of(size_t(*first))) : _sides.of(size_t(*first));
      return side;
    };
    auto first = begin, last = end;
    if (rule.whole == Whole::eigh && side_of(begin, begin + 3) != side_of(begin + 3, end))
      (std::find(begin, end, int32_t(i)) < begin + 3 ? last : first) = begin + 3;
    const auto runs_earlier = [&](int32_t k)
    { return is_output(k) && _place[size_t(k)] < _place[i]; };
    if (std::any_of(first, last, runs_earlier))
      return;
    _side_now = *side_of(first, last);
    const auto row = [&](size_t k, Size n)
    {
      const auto from = rule.operands.begin() + std::ptrdiff_t(k);
      return stacked(Nodes(from, from + std::ptrdiff_t(n)), {n});
    };
    const auto matrix = [&] { return row(0, 9).unflatten(-1, at::IntArrayRef({3, 3})); };
    namespace c = composed;
    at::Tensor r;
    switch (rule.whole)
    {
    case Whole::without_derivative:
      r = row(0, 1).detach();
      break;
    case Whole::where_taken:
    case Whole::where_taken_on_sides:
    { // where a is not taken because weights are 0, these weights may have derivatives
      const size_t n = rule.outputs.size();
      const at::Tensor a = row(0, Size(n));
      const auto condition = [&](size_t k) { return tensor(rule.operands[k]).unsqueeze(-1); };
      const at::Tensor taken = condition(n).bitwise_or(a.isfinite());
      const bool has_sides = rule.whole == Whole::where_taken_on_sides;
      r = select(has_sides ? taken.bitwise_and(condition(n + 1)) : taken, a, 0);
      break;
    }
    case Whole::det:
      r = (rule.operands.size() == 6 ? c::det_mandel(row(0, 6)) : c::det(matrix())).unsqueeze(-1);
      break;
    case Whole::inv:
      r = c::inv_mandel(row(0, 6));
      break;
    case Whole::eigh:
    {
      const auto [l, V] = c::eigen_decomposition(row(0, 6));
      r = last == end ? at::cat(std::vector<at::Tensor>{l, V.flatten(-2)}, -1) : l;
      break;
    }
    case Whole::nearest_rotation:
      r = c::nearest_rotation(matrix()).flatten(-2);
      break;
    case Whole::hencky_strain:
      r = c::hencky_strain(matrix());
      break;
    case Whole::powm:
      r = c::isotropic_power(row(0, 6), tensor(rule.operands[6]));
      break;
    case Whole::dpowm:
      r = c::isotropic_power_along(row(0, 6), tensor(rule.operands[6]), row(7, 6));
      break;
    case Whole::dexpm:
    case Whole::dlogm:
    case Whole::dsqrtm:
      r = c::isotropic_function_along(matrix_function_of(rule.whole), row(0, 6), row(6, 6));
      break;
    default:
      r = c::isotropic_function(matrix_function_of(rule.whole), row(0, 6));
    }
    for (; first != last; ++first)
      if (whole_function(_o, size_t(*first)) == &rule)
        column(*first) = {r.select(-1, Size(first - begin))};
  }

  void compute(size_t i)
  {
    const recorded::Node & n = _o.nodes[i];
    if (_is_differentiated && _o.whole.count(i) != 0)
      throw std::invalid_argument(
          "gradient: a third derivative of a function of eigenvalues is not available in formulas");
    const auto of = [&](int k) { return Column{tensor(n.operand[k])}; };
    const auto one = [&](const auto & f) { _columns[i] = f(of(0)); };
    const auto two = [&](const auto & f) { _columns[i] = f(of(0), of(1)); };
    if (n.op == Op::constant)
      _columns[i] = {at::full({}, n.number, _options)};
    else if (is_of_system(n.op))
      compute_system(_o.system(i));
    else if (!recorded::with_function(n.op, one, two))
      _columns[i] = {chosen(n)};
  }

  at::Tensor chosen(const recorded::Node & n) const
  {
    const auto of = [&](int k) { return tensor(n.operand[k]); };
    switch (n.op)
    {
    case Op::not_:
      return of(0).bitwise_not();
    case Op::less:
      return of(0).lt(of(1));
    case Op::less_equal:
      return of(0).le(of(1));
    case Op::equal:
      return of(0).eq(of(1));
    case Op::not_equal:
      return of(0).ne(of(1));
    case Op::and_:
      return of(0).bitwise_and(of(1));
    case Op::or_:
      return of(0).bitwise_or(of(1));
    case Op::where:
      return select(of(0), of(1), of(2));
    case Op::multiply_add:
      return of(0) * of(1) + of(2);
    case Op::multiply_subtract:
      return of(0) * of(1) - of(2);
    case Op::subtract_product:
      return of(2) - of(0) * of(1);
    default:
      throw std::logic_error("an operation of a recording cannot run on whole batches");
    }
  }

  // ---- Systems ----

  using Nodes = std::vector<int32_t>;

  void compute_system(const recorded::System & s)
  {
    const Size shape[] = {s.n, s.n};
    if (s.op == Op::factor) // only the determinant is computed, because solutions use the matrix
      column(s.outputs[size_t(s.n * s.n + s.n)]) = {
          composed::det_of_any(stacked(s.operands, shape))};
    else if (recorded::is_matrix_function(s.op))
    {
      const auto middle = s.operands.begin() + s.n * s.n;
      const at::Tensor A = stacked(Nodes(s.operands.begin(), middle), shape);
      const Nodes E(middle, s.operands.end());
      unstack(s.outputs, matrix_function(s.op, A, E.empty() ? at::Tensor() : stacked(E, shape)), 2);
    }
    else
    {
      const recorded::System * const factor = factor_of(s);
      if (!factor)
        throw std::logic_error("a recorded solution lacks the factor of its matrix");
      const at::Tensor A = stacked(factor->operands, shape);
      const at::Tensor b = stacked(Nodes(s.operands.end() - s.n, s.operands.end()), {s.n});
      const at::Tensor x = composed::solve_vector(s.op == Op::solve ? A : A.transpose(-1, -2), b);
      unstack(s.outputs, x, 1);
    }
  }
  /// The factor with which a system is solved; null if the factor was computed in an earlier iteration.
  const recorded::System * factor_of(const recorded::System & s) const
  {
    const auto first = size_t(s.operands.front());
    const bool is_factor = _o.nodes[first].op == Op::output && _o.system(first).op == Op::factor;
    return is_factor ? &_o.system(first) : nullptr;
  }
  static at::Tensor matrix_function(Op op, const at::Tensor & A, const at::Tensor & E)
  {
    if (op == Op::inv)
      return composed::inv(A);
    if (op == Op::polar_rotation)
      return composed::polar_rotation(A);
    const auto f = matrix_function_of(op);
    return E.defined() ? composed::matrix_function_along(f, A, E) : composed::matrix_function(f, A);
  }
  /// The function that an Op or a Whole names; for a derivative, the function that is differentiated.
  template <class Name>
  static auto matrix_function_of(Name n) -> at::Tensor (*)(const at::Tensor &, Size)
  {
    return n == Name::expm || n == Name::dexpm   ? composed::matrix_exp
           : n == Name::logm || n == Name::dlogm ? composed::matrix_log
                                                 : composed::matrix_sqrt;
  }

  // ---- Newton's method ----

  /// Runs a loop, whose nodes are _order[first] to _order[last - 1].
  void run_newton(int32_t number, size_t first, size_t last)
  {
    const recorded::Loop & loop = _o.loops[size_t(number)];
    if (!loop.newton)
      throw std::logic_error("a recording contains a loop that is not Newton's method");
    const recorded::NewtonLoop & newton = *loop.newton;
    const auto n = Size(newton.x.size());
    std::vector<Size> unknowns(size_t(newton.unknown.back() + 1)); // numbers per unknown
    Nodes guess;
    for (size_t k = 0; k < newton.x.size(); k++)
    {
      unknowns[size_t(newton.unknown[k])]++;
      guess.push_back(_o.initial(size_t(newton.x[k])));
    }
    const auto equations = [&](const at::Tensor & x, const at::Tensor & counts)
    {
      const c10::AutoGradMode records(counts.defined() && c10::GradMode::is_enabled());
      unstack(newton.x, x, 1);
      run(first, last, number);
      return std::pair(stacked(newton.r, _batch, {n}), stacked(newton.J, _batch, {n, n}));
    };
    const bool is_traced = !core::dispatches_plainly(); // derivatives may be taken of the trace
    const ComposedNewton found = composed_newton(stacked(guess, _batch, {n}),
                                                 unknowns,
                                                 newton.options,
                                                 _is_differentiated || is_traced,
                                                 equations);
    unstack(newton.x, found.solution, 1);
    column(newton.iterations) = {found.iterations};
    column(newton.converged) = {found.converged};
  }
};

NEML2_BODY void
evaluate_on_columns(const recorded::Evaluator & program,
                    ArrayRef<Operand> arguments,
                    TensorShapeRef batch,
                    ArrayRef<TensorShapeRef> bases,
                    at::Tensor * results)
{
  const Columns columns(program, arguments, batch);
  for (size_t k = 0; k < bases.size(); k++)
  {
    results[k] = engine::unshared(columns.result(k, bases[k]), arguments);
    for (size_t j = 0; j < k; j++) // copies a result that shares its memory with another
      if (results[k].has_storage() && results[j].has_storage() &&
          results[k].is_alias_of(results[j]))
        results[k] = results[k].clone();
  }
}

NEML2_BODY void
backward_on_columns(const engine::RecordedFormula & formula,
                    ArrayRef<Operand> operands,
                    ArrayRef<bool> needed,
                    at::Tensor * gradients)
{
  const TensorShape batch = broadcast_batch("vmap", operands);
  for (size_t k = 0; k < formula.arguments().size(); k++)
    if (needed[k] && operands[k].tensor)
    {
      at::Tensor each;
      evaluate_on_columns(formula.vector_jacobian(k), operands, batch, {operands[k].base}, &each);
      gradients[k] = each.sum_to_size(operands[k].tensor->sizes());
    }
}
} // namespace neml2::math
