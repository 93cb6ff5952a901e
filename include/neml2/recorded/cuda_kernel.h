// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/KernelArguments.h"
#include "neml2/recorded/compiled.h"

/// The header with which the sources of recorded formulas for a CUDA device are compiled.
namespace neml2::recorded
{
/// For each argument, whether it is a plain number.
template <bool... is_number>
struct IsNumber
{
};

/// Adjacent numbers that a thread reads or writes at once, if their address is a multiple of their size.
template <class E, int W>
struct alignas(W * sizeof(E)) Part
{
  E number[W];

  static NEML2_INLINE bool fits(const void * p) { return size_t(p) % sizeof(Part) == 0; }
};

/// How many of N numbers a thread reads or writes at once: 16 bytes, 8 bytes, or a single number.
template <class E, int N>
constexpr int part_of = N * sizeof(E) % 16 == 0  ? 16 / int(sizeof(E))
                        : N * sizeof(E) % 8 == 0 ? 8 / int(sizeof(E))
                                                 : 1;

template <int N, class P, class E>
NEML2_INLINE void
read_row(P * x, const E * from)
{
  constexpr int W = part_of<E, N>;
  if constexpr (W > 1)
    if (Part<E, W>::fits(from))
    {
      NEML2_UNROLL
      for (int i = 0; i < N / W; i++)
      {
        const Part<E, W> part = reinterpret_cast<const Part<E, W> *>(from)[i];
        NEML2_UNROLL
        for (int k = 0; k < W; k++)
          x[i * W + k] = P(double(part.number[k]));
      }
      return;
    }
  NEML2_UNROLL
  for (int i = 0; i < N; i++)
    x[i] = P(double(from[i]));
}

template <int N, class P, class E>
NEML2_INLINE void
write_row(const P * y, E * to)
{
  constexpr int W = part_of<E, N>;
  if constexpr (W > 1)
    if (Part<E, W>::fits(to))
    {
      NEML2_UNROLL
      for (int i = 0; i < N / W; i++)
      {
        Part<E, W> part;
        NEML2_UNROLL
        for (int k = 0; k < W; k++)
          part.number[k] = E(y[i * W + k].v);
        reinterpret_cast<Part<E, W> *>(to)[i] = part;
      }
      return;
    }
  NEML2_UNROLL
  for (int i = 0; i < N; i++)
    to[i] = E(y[i].v);
}

/// The place of row number `row` in each of K operands, beginning with operand `first`.
template <int K, class Int, int n>
NEML2_INLINE void
find_row(const KernelArguments<n> & a, int first, Int row, int64_t (&place)[K])
{
  NEML2_UNROLL
  for (int k = 0; k < K; k++)
    place[k] = 0;
  NEML2_KEEP_LOOP
  for (int d = int(a.dims) - 1; d > 0; d--)
  {
    const Int size = Int(a.size[d]), above = row / size, index = row - above * size;
    NEML2_UNROLL
    for (int k = 0; k < K; k++)
      place[k] += int64_t(index) * a.operand[first + k].stride[d];
    row = above;
  }
  NEML2_UNROLL
  for (int k = 0; k < K; k++)
    place[k] += int64_t(row) * a.operand[first + k].stride[0];
}
template <int K, int n>
NEML2_INLINE void
find_row(const KernelArguments<n> & a, int first, int64_t row, int64_t (&place)[K])
{
  if (a.rows <= 0x7fffffff) // 32-bit divisions are much faster than 64-bit divisions
    find_row<K, uint32_t>(a, first, uint32_t(row), place);
  else
    find_row<K, int64_t>(a, first, row, place);
}

template <class Formula, class E, class Arguments, class Results, class Are>
struct Kernel;

/// The kernel of a formula. The formula computes the components y of the results from the components x of a row, and from the values that
/// `once` has computed from plain numbers. A thread computes one row, then advances by as many rows as there are threads.
template <class Formula, class E, class Arguments, class Results, bool... is_number>
struct Kernel<Formula, E, Arguments, Results, IsNumber<is_number...>>
{
  static constexpr int K = Arguments::count, R = Results::count;

  static NEML2_INLINE void run(const KernelArguments<K + R> & a)
  {
    run(a, std::make_index_sequence<size_t(K)>(), std::make_index_sequence<size_t(R)>());
  }

private:
  using P = packs::Pack<1>;

  template <size_t... I, size_t... J>
  static NEML2_INLINE void
  run(const KernelArguments<K + R> & a, std::index_sequence<I...>, std::index_sequence<J...>)
  {
    P x[Arguments::total > 0 ? Arguments::total : 1], s[Formula::shared > 0 ? Formula::shared : 1];
    ((is_number ? void(x[Arguments::before(I)] = P(a.operand[I].number)) : void()), ...);
    Formula::once(x, s);
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    NEML2_KEEP_LOOP
    for (int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; row < a.rows; row += step)
    {
      if constexpr (K > 0)
      {
        int64_t place[K];
        find_row(a, 0, row, place);
        (read<I, is_number>(x, a.operand[I].data, place[I]), ...);
      }
      P y[Results::total];
      Formula::each(x, s, y);
      int64_t place[R];
      find_row(a, K, row, place);
      (write_row<Results::size[J]>(y + Results::before(J),
                                   static_cast<E *>(a.operand[K + int(J)].data) + place[J]),
       ...);
    }
  }

  template <size_t I, bool number>
  static NEML2_INLINE void read(P * x, const void * data, int64_t place)
  {
    if constexpr (!number)
      read_row<Arguments::size[I]>(x + Arguments::before(int(I)),
                                   static_cast<const E *>(data) + place);
  }
};
} // namespace neml2::recorded
