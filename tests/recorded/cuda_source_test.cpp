// SPDX-License-Identifier: MIT
#include "support/cuda_on_host.h"

#include "neml2/recorded/cuda_kernel.h"
#include "neml2/recorded/newton.h"
#include "neml2/recorded/source.h"
#include "recorded/RecordedFunction.h"

#include "support/catch.h"

namespace cuda_source_test
{
using namespace neml2;
using namespace neml2::recorded;
using Catch::Matchers::ContainsSubstring;

namespace
{
/// A formula of six numbers a, a plain number k and one number b: its results are a k² + b, and (b, b, k²).
struct ByHand
{
  static constexpr int shared = 1;
  template <class P>
  static void once(const P * x, P * s)
  {
    s[0] = x[6] * x[6];
  }
  template <class P>
  static void each(const P * x, const P * s, P * y)
  {
    for (int i = 0; i < 6; i++)
      y[i] = x[i] * s[0] + x[7];
    y[6] = y[7] = x[7];
    y[8] = s[0];
  }
};

/// The numbers of an operand, and the place of its rows among them.
template <class E>
struct Rows
{
  std::vector<E> numbers;
  std::vector<int64_t> stride;
  int64_t first;

  /// Rows of N numbers at distances of N + gap, after some skipped numbers; along the dimensions in `shared` all rows are the same one.
  /// The innermost dimension is the last, or the first if `reversed`.
  Rows(int64_t N,
       const std::vector<int64_t> & size,
       const std::vector<bool> & shared,
       bool reversed,
       int64_t gap,
       int64_t skipped)
    : stride(size.size()), first(skipped)
  {
    int64_t step = N + gap;
    for (size_t i = 0; i < size.size(); i++)
    {
      const size_t d = reversed ? i : size.size() - 1 - i;
      stride[d] = shared[d] ? 0 : step;
      step *= shared[d] ? 1 : size[d];
    }
    for (int64_t i = 0; i < step + skipped; i++)
      numbers.push_back(E(0.25 * double(i % 1000) - 3));
  }

  E * at(const std::vector<int64_t> & index)
  {
    int64_t place = first;
    for (size_t d = 0; d < index.size(); d++)
      place += index[d] * stride[d];
    return numbers.data() + place;
  }
  void give(KernelOperand & o)
  {
    o.data = numbers.data() + first;
    std::copy(stride.begin(), stride.end(), o.stride);
  }
};

template <class E>
void
check(const std::vector<int64_t> & size, int layout, unsigned blocks)
{
  const size_t dims = size.size();
  std::vector<bool> none(dims), some(dims), others(dims);
  for (size_t d = 0; d < dims; d++)
    (d % 2 == 0 ? some : others)[d] = true;
  const bool reversed = layout % 2 == 1;
  const int64_t gap = layout % 3, skipped = layout % 4;
  Rows<E> a(6, size, layout < 6 ? none : some, reversed, gap, skipped);
  Rows<E> b(1, size, layout < 6 ? none : others, false, gap, skipped);
  Rows<E> y(6, size, none, reversed, gap, skipped), z(3, size, none, false, 0, 0);
  const double k = 1.5;
  KernelArguments<5> arguments{};
  arguments.dims = int64_t(dims);
  arguments.rows = 1;
  for (size_t d = 0; d < dims; d++)
    arguments.rows *= arguments.size[d] = size[d];
  a.give(arguments.operand[0]);
  arguments.operand[1].number = k;
  b.give(arguments.operand[2]);
  y.give(arguments.operand[3]);
  z.give(arguments.operand[4]);
  auto expected = y; // also checks that nothing else is written
  launch(
      [](const KernelArguments<5> & all)
      { Kernel<ByHand, E, Sizes<6, 1, 1>, Sizes<6, 3>, IsNumber<false, true, false>>::run(all); },
      blocks,
      unsigned(block_size),
      arguments);
  std::vector<int64_t> index(dims);
  for (int64_t row = 0; row < arguments.rows; row++)
  {
    int64_t left = row;
    for (size_t d = dims; d-- > 0; left /= size[d])
      index[d] = left % size[d];
    for (int i = 0; i < 6; i++)
      expected.at(index)[i] = E(double(a.at(index)[i]) * (k * k) + double(*b.at(index)));
    const std::vector<E> found(z.at(index), z.at(index) + 3);
    REQUIRE(found == std::vector<E>{*b.at(index), *b.at(index), E(k * k)});
  }
  REQUIRE(y.numbers == expected.numbers);
}
} // namespace

TEST_CASE("a kernel finds rows by any strides", "[recorded]")
{
  const std::vector<std::vector<int64_t>> sizes = {
      {1}, {0}, {7}, {128}, {300}, {3, 5}, {40, 9}, {2, 3, 4}, {2, 1, 3, 1, 2, 2, 3, 2}, {5, 0, 2}};
  for (const auto & size : sizes)
    for (int layout = 0; layout < 12; layout++)
      for (const unsigned blocks : {1u, 3u})
      {
        check<double>(size, layout, blocks);
        check<float>(size, layout, blocks);
      }
}

TEST_CASE("a kernel finds rows beyond those that 32 bits count", "[recorded]")
{
  KernelArguments<1> a{};
  a.dims = 2;
  a.size[0] = 3;
  a.size[1] = int64_t(1) << 32;
  a.rows = a.size[0] * a.size[1];
  a.operand[0].stride[0] = 7;
  a.operand[0].stride[1] = 2;
  int64_t place[1];
  find_row(a, 0, 2 * a.size[1] + 5, place);
  REQUIRE(place[0] == 2 * 7 + 5 * 2);
  a.dims = 1;
  a.size[0] = a.rows;
  find_row(a, 0, a.rows - 1, place);
  REQUIRE(place[0] == 7 * (a.rows - 1));
  a.rows = a.size[0] = (int64_t(1) << 31) - 1; // the largest number of rows that 32 bits can count
  find_row(a, 0, a.rows - 1, place);
  REQUIRE(place[0] == 7 * (a.rows - 1));
}

TEST_CASE("a CUDA source has the formula and its kernel", "[recorded]")
{
  const test::RecordedFunction formula(2,
                                       [](const std::vector<test::Number> & a)
                                       { return std::vector{test::Number(a[0] * a[1] + 1.0)}; });
  test::Program p = formula.value();
  p.arguments = {{p.arguments[0][0]}, {p.arguments[0][1]}};
  p.is_number = {false, true};
  const Evaluator e(formula.recording, p);
  const std::string cuda = cuda_source(e, false), cpp = cpp_source(e);
  REQUIRE_THAT(cuda, ContainsSubstring("neml2_kernel(const KernelArguments<3> arguments)"));
  REQUIRE_THAT(
      cuda,
      ContainsSubstring("Kernel<Formula, double, Sizes<1, 1>, Sizes<1>, IsNumber<false, true>>"));
  REQUIRE_THAT(cuda_source(e, true), ContainsSubstring("Kernel<Formula, float, "));
  const auto formula_of = [](const std::string & text)
  {
    return text.substr(text.find("struct Formula"),
                       text.find("extern") - text.find("struct Formula"));
  };
  REQUIRE(formula_of(cuda) == formula_of(cpp));
}
} // namespace cuda_source_test
