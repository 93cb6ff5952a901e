// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/interpreted_systems.h"
#include "neml2/recorded/interpreter.h"
#include "neml2/recorded/with_function.h"

namespace neml2::recorded
{
NEML2_BODY const Code &
Evaluator::code(const int64_t * stride, int width) const
{
  const auto fits = [&](const Known & k)
  {
    bool yes = k.width == width;
    for (size_t i = 0; i < k.is_shared.size(); i++)
      yes = yes && k.is_shared[i] == (stride[i] == 0);
    return yes;
  };
  const std::lock_guard<std::mutex> lock(_mutex);
  for (const auto & k : _known)
    if (fits(*k))
      return k->code;
  std::vector<bool> is_shared;
  for (size_t i = 0; i < program.arguments.size(); i++)
    is_shared.push_back(stride[i] == 0);
  _known.push_back(std::make_unique<const Known>(
      Known{is_shared, width, Code(operations, program, is_shared, block_rows / width)}));
  return _known.back()->code;
}

/// The interpreter, in the form of a tile loop that computes with packs P.
template <class P>
struct Interpreter : private ConditionPacks<P>
{
  using Mask = typename P::Mask;
  using ConditionPacks<P>::mask;
  using ConditionPacks<P>::pack;
  using Systems = InterpretedSystems<P>;
  static constexpr int W = P::width, block = block_rows / W;

  template <class F>
  NEML2_INLINE static void unary(const Instruction & i, P * r, int n, const F & f)
  {
    const P * const a = r + i.operand[0].at;
    P * const to = r + i.to.at;
    for (int k = 0; k < n; k++)
      to[k] = f(a[k * i.operand[0].step]);
  }
  template <class F>
  NEML2_INLINE static void binary(const Instruction & i, P * r, int n, const F & f)
  {
    const P *const a = r + i.operand[0].at, *const b = r + i.operand[1].at;
    P * const to = r + i.to.at;
    for (int k = 0; k < n; k++)
      to[k] = f(a[k * i.operand[0].step], b[k * i.operand[1].step]);
  }
  template <class F>
  NEML2_INLINE static void ternary(const Instruction & i, P * r, int n, const F & f)
  {
    const P *const a = r + i.operand[0].at, *const b = r + i.operand[1].at,
                   *const c = r + i.operand[2].at;
    P * const to = r + i.to.at;
    for (int k = 0; k < n; k++)
      to[k] = f(a[k * i.operand[0].step], b[k * i.operand[1].step], c[k * i.operand[2].step]);
  }

  NEML2_INLINE static void move(const std::vector<LoopCode::Move> & moves, P * r, int n)
  {
    for (const auto & m : moves)
      for (int k = 0; k < n; k++)
        r[m.to.at + k] = r[m.from.at + k * m.from.step];
  }
  NEML2_INLINE static bool any_row(const Place & condition, const P * r, int n)
  {
    bool holds = false;
    for (int k = 0; k < n; k++)
      holds = holds || any(mask(r[condition.at + k]));
    return holds;
  }

  /// Runs the instructions for a block of rows, in order. It repeats the instructions of a loop while any row of the block needs another
  /// iteration.
  NEML2_CALLS_FORMULA static void
  execute_all(const Code & code, P * r, int n, std::vector<int32_t> & iterations, P * work)
  {
    for (size_t at = 0; at < code.each.size(); at++)
    {
      const Instruction & i = code.each[at];
      if (is_of_system(i.op))
      {
        Systems::execute(i.op, code.systems[size_t(i.operand[0].at)], r, n, work);
        continue;
      }
      if (i.op != Op::state && i.op != Op::loop)
      {
        execute(i, r, n);
        continue;
      }
      const auto number = size_t(i.operand[0].at);
      const LoopCode & loop = code.loops[number];
      move(i.op == Op::state ? loop.start : loop.next, r, n);
      iterations[number] = i.op == Op::state ? 0 : iterations[number] + 1;
      const bool again = iterations[number] < loop.most && any_row(loop.active, r, n);
      at = again ? loop.first : loop.last;
    }
  }

  /// Runs one operation on n packs.
  NEML2_CALLS_FORMULA static void execute(const Instruction & i, P * r, int n)
  {
    const auto one = [&](const auto & f) NEML2_INLINE_LAMBDA { unary(i, r, n, f); };
    const auto two = [&](const auto & f) NEML2_INLINE_LAMBDA { binary(i, r, n, f); };
    if (with_function(i.op, one, two))
      return;
    switch (i.op)
    {
    case Op::not_:
      return unary(i, r, n, [](const P & a) NEML2_INLINE_LAMBDA { return pack(~mask(a)); });
    case Op::less:
      return binary(
          i, r, n, [](const P & a, const P & b) NEML2_INLINE_LAMBDA { return pack(a < b); });
    case Op::less_equal:
      return binary(
          i, r, n, [](const P & a, const P & b) NEML2_INLINE_LAMBDA { return pack(a <= b); });
    case Op::equal:
      return binary(
          i, r, n, [](const P & a, const P & b) NEML2_INLINE_LAMBDA { return pack(a == b); });
    case Op::not_equal:
      return binary(
          i, r, n, [](const P & a, const P & b) NEML2_INLINE_LAMBDA { return pack(a != b); });
    case Op::and_:
      return binary(i,
                    r,
                    n,
                    [](const P & a, const P & b) NEML2_INLINE_LAMBDA
                    { return pack(mask(a) & mask(b)); });
    case Op::or_:
      return binary(i,
                    r,
                    n,
                    [](const P & a, const P & b) NEML2_INLINE_LAMBDA
                    { return pack(mask(a) | mask(b)); });
    case Op::where:
      return ternary(i,
                     r,
                     n,
                     [](const P & c, const P & a, const P & b) NEML2_INLINE_LAMBDA
                     { return where(mask(c), a, b); });
    case Op::multiply_add:
      return ternary(i,
                     r,
                     n,
                     [](const P & a, const P & b, const P & c) NEML2_INLINE_LAMBDA
                     { return multiply_add(a, b, c); });
    case Op::multiply_subtract:
      return ternary(i,
                     r,
                     n,
                     [](const P & a, const P & b, const P & c) NEML2_INLINE_LAMBDA
                     { return multiply_subtract(a, b, c); });
    case Op::subtract_product:
      return ternary(i,
                     r,
                     n,
                     [](const P & a, const P & b, const P & c) NEML2_INLINE_LAMBDA
                     { return subtract_product(a, b, c); });
    default: // operations of loops and of systems
      return;
    }
  }

  /// Calls f for groups of N components, with the index of the first component of each group. Returns the index of the
  /// first component that is left.
  template <int N, class F>
  NEML2_INLINE static int chunks(int first, int count, const F & f)
  {
    for (; first + N <= count; first += N)
      f(std::integral_constant<int, N>(), first);
    return first;
  }
  template <class F>
  NEML2_INLINE static void each_chunk(int count, const F & f)
  {
    chunks<1>(chunks<2>(chunks<4>(0, count, f), count, f), count, f);
  }

  /// The lanes of pack number k, counted from the first row.
  NEML2_INLINE static packs::Lanes<P> lanes(double * first, int64_t stride, int64_t rows, int k)
  {
    return packs::Lanes<P>(first + k * W * stride, stride, rows - k * W);
  }

  NEML2_CALLS_FORMULA static void
  load(const std::vector<Place> & c, P * r, double * first, int64_t stride, int64_t rows)
  {
    const int count = int(c.size()), n = int((rows + W - 1) / W);
    for (int k = 0; k < n; k++)
    {
      packs::Lanes<P> row = lanes(first, stride, rows, k);
      const auto load_chunk = [&](auto size, int i) NEML2_INLINE_LAMBDA
      {
        P x[size];
        packs::load_rows<size>(x, row);
        for (int j = 0; j < size; j++)
          if (c[size_t(i + j)].at >= 0)
            r[c[size_t(i + j)].at + k] = x[j];
        for (int w = 0; w < W; w++)
          row.row[w] += size;
      };
      each_chunk(count, load_chunk);
    }
  }

  NEML2_CALLS_FORMULA static void
  store(const std::vector<Place> & c, const P * r, double * first, int64_t stride, int64_t rows)
  {
    const int count = int(c.size()), n = int((rows + W - 1) / W);
    for (int k = 0; k < n; k++)
    {
      const auto store_chunk = [&](auto size, int i) NEML2_INLINE_LAMBDA
      {
        P x[size];
        for (int j = 0; j < size; j++)
          x[j] = r[c[size_t(i + j)].at + k * c[size_t(i + j)].step];
        packs::store<size>(x, stride, first + k * W * stride + i, rows - k * W);
      };
      each_chunk(count, store_chunk);
    }
  }

  /// Adds the values of the rows to `total`, each lane separately. The last pack may have fewer rows.
  NEML2_CALLS_FORMULA static void
  sum(const std::vector<Place> & c, const P * r, P * total, int64_t rows)
  {
    const int n = int((rows + W - 1) / W);
    for (int k = 0; k < n; k++)
    {
      P used;
      for (int w = 0; w < W; w++)
        used.lane(w, k * W + w < rows ? 1.0 : 0.0);
      for (size_t i = 0; i < c.size(); i++)
        total[i] = total[i] + where(used > 0.0, r[c[i].at + k * c[i].step], P(0.0));
    }
  }
  NEML2_CALLS_FORMULA static void write_sum(const P * total, size_t count, double * sum)
  {
    for (size_t i = 0; i < count; i++)
    {
      sum[i] = 0;
      for (int w = 0; w < W; w++)
        sum[i] += total[i].lane(w);
    }
  }

  /// Aligned memory for packs, small enough for the cache. It is set to zero, because lanes without a row are computed, too: they do not
  /// change results, but must not raise floating-point exceptions.
  class Memory
  {
  public:
    explicit Memory(size_t packs) : _numbers(std::make_unique<double[]>(packs * W + 8))
    {
      void * p = _numbers.get();
      size_t space = (packs * W + 8) * sizeof(double);
      _first = static_cast<P *>(std::align(64, packs * sizeof(P), p, space));
    }
    P * get() const { return _first; }

  private:
    std::unique_ptr<double[]> _numbers;
    P * _first;
  };

  NEML2_CALLS_FORMULA static void
  run(const Evaluator & f, double * const * data, const int64_t * stride, int64_t rows)
  {
    const Code & code = f.code(stride, W);
    const size_t K = code.arguments.size();
    size_t totals = 0;
    for (size_t j = 0; f.sums && j < code.results.size(); j++)
      totals += code.results[j].size();
    size_t largest = 0;
    for (const auto & s : code.systems)
      largest = std::max(largest, Systems::size(s.n));
    const Memory memory(size_t(code.size) + totals + largest);
    P *const r = memory.get(), *const total = r + code.size, *const work = total + totals;
    for (const auto & c : code.constants)
      r[c.at] = P(c.number);
    for (size_t k = 0; k < K; k++)
      if (stride[k] == 0)
        for (size_t i = 0; i < code.arguments[k].size(); i++)
          if (code.arguments[k][i].at >= 0)
            r[code.arguments[k][i].at] = P(data[k][i]);
    for (const auto & i : code.once)
      execute(i, r, 1);

    std::vector<int32_t> iterations(code.loops.size());
    for (int64_t first = 0; first < rows; first += block_rows)
    {
      const int64_t left = std::min<int64_t>(block_rows, rows - first);
      const int n = int((left + W - 1) / W);
      for (size_t k = 0; k < K; k++)
        if (stride[k] != 0)
          load(code.arguments[k], r, data[k] + first * stride[k], stride[k], left);
      execute_all(code, r, n, iterations, work);
      P * t = total;
      for (size_t j = 0; j < code.results.size(); t += code.results[j++].size())
        if (f.sums && stride[K + j] == 0)
          sum(code.results[j], r, t, left);
        else
          store(code.results[j], r, data[K + j] + first * stride[K + j], stride[K + j], left);
    }
    const P * t = total;
    for (size_t j = 0; j < code.results.size(); t += code.results[j++].size())
      if (f.sums && stride[K + j] == 0)
        write_sum(t, code.results[j].size(), data[K + j]);
  }
};

/// The code that is compiled once per instruction set.
struct InterpreterTile
{
  static constexpr bool is_numbers = false;
  static constexpr bool runs_on_any_machine = true;

  template <class P>
  NEML2_CALLS_FORMULA static void
  run(const void * formula, double * const * data, const int64_t * stride, int64_t rows)
  {
    Interpreter<P>::run(*static_cast<const Evaluator *>(formula), data, stride, rows);
  }
};

NEML2_BODY packs::TileLoop
interpreter()
{
  return packs::tile_loop<InterpreterTile>();
}

/// Registers the interpreter when a header-only program includes this header.
NEML2_ONE_A_PROGRAM inline const bool interprets = []
{
  loop_of_interpreter = interpreter;
  return true;
}();
} // namespace neml2::recorded
