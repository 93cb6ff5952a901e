// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/cpu.h"

#include <cstdint>
#include <cstring>

/// Copies rows (tensors of a batch) between buffers of adjacent float64 numbers and operands that loops do not read in place.
namespace neml2::packs
{
/// How the rows of an operand lie in memory: rows are `stride` numbers apart, and the n components of a row are at the offsets `offset`, or
/// adjacent if there are no offsets.
struct RowsAt
{
  const int64_t * offset;
  int64_t n, stride;

  int64_t operator()(int64_t row, int64_t component) const
  {
    return row * stride + (offset ? offset[component] : component);
  }
};

/// Copies from the operand to the buffer, or back.
template <bool Back, class E>
NEML2_INLINE void
copy_number(double & buffer, E & number)
{
  if constexpr (Back)
    number = E(buffer);
  else
    buffer = double(number);
}

template <bool Back, class E>
void
copy_one_by_one(double * buffer, E * first, const RowsAt & at, int64_t rows)
{
  if (at.stride == 1)
    for (int64_t c = 0; c < at.n; c++)
      for (int64_t r = 0; r < rows; r++)
        copy_number<Back>(buffer[r * at.n + c], first[at(r, c)]);
  else
    for (int64_t r = 0; r < rows; r++)
      for (int64_t c = 0; c < at.n; c++)
        copy_number<Back>(buffer[r * at.n + c], first[at(r, c)]);
}

#ifdef NEML2_SIMD
namespace simd
{
#define NEML2_FOR_AVX2 __attribute__((target("avx2,fma")))
#define NEML2_FOR_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma")))
typedef double FourNumbers __attribute__((vector_size(32)));
typedef float FourFloats __attribute__((vector_size(16)));

// Arguments are references, because the way in which vectors are passed by value depends on the instruction set.

NEML2_FOR_AVX2 inline void
load_four(FourNumbers & x, const double * from)
{
  std::memcpy(&x, from, sizeof x);
}
NEML2_FOR_AVX2 inline void
load_four(FourNumbers & x, const float * from)
{
  FourFloats f;
  std::memcpy(&f, from, sizeof f);
  x = __builtin_convertvector(f, FourNumbers);
}
NEML2_FOR_AVX2 inline void
store_four(const FourNumbers & x, double * to)
{
  std::memcpy(to, &x, sizeof x);
}
NEML2_FOR_AVX2 inline void
store_four(const FourNumbers & x, float * to)
{
  const FourFloats f = __builtin_convertvector(x, FourFloats);
  std::memcpy(to, &f, sizeof f);
}

/// Copies n adjacent numbers in steps of four; if n is not a multiple of four, the last step overlaps the step before.
template <class From, class To>
NEML2_FOR_AVX2 inline void
copy_run(const From * from, To * to, int64_t n)
{
  if (n < 4)
  {
    for (int64_t i = 0; i < n; i++)
      to[i] = To(from[i]);
    return;
  }
  FourNumbers x;
  for (int64_t i = 0; i + 4 < n; i += 4)
  {
    load_four(x, from + i);
    store_four(x, to + i);
  }
  load_four(x, from + n - 4);
  store_four(x, to + n - 4);
}

/// copy_run in steps of eight numbers.
template <class From, class To>
NEML2_FOR_AVX512 __attribute__((noinline)) inline void
copy_run_avx512(const From * from, To * to, int64_t n)
{
  typedef From Eight __attribute__((vector_size(8 * sizeof(From))));
  typedef To Converted __attribute__((vector_size(8 * sizeof(To))));
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
  {
    Eight x;
    std::memcpy(&x, from + i, sizeof x);
    const Converted y = __builtin_convertvector(x, Converted);
    std::memcpy(to + i, &y, sizeof y);
  }
  copy_run(from + i, to + i, n - i);
}

/// Transposes a block of 4×4 numbers. `from` has the addresses of its rows, and `to` the addresses of the rows of the transposed
/// block.
template <class From, class To>
NEML2_FOR_AVX2 inline void
transpose_four(From * const (&from)[4], To * const (&to)[4])
{
  FourNumbers a, b, c, d;
  load_four(a, from[0]);
  load_four(b, from[1]);
  load_four(c, from[2]);
  load_four(d, from[3]);
  const FourNumbers ab = __builtin_shufflevector(a, b, 0, 4, 2, 6),
                    ba = __builtin_shufflevector(a, b, 1, 5, 3, 7),
                    cd = __builtin_shufflevector(c, d, 0, 4, 2, 6),
                    dc = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  store_four(__builtin_shufflevector(ab, cd, 0, 1, 4, 5), to[0]);
  store_four(__builtin_shufflevector(ba, dc, 0, 1, 4, 5), to[1]);
  store_four(__builtin_shufflevector(ab, cd, 2, 3, 6, 7), to[2]);
  store_four(__builtin_shufflevector(ba, dc, 2, 3, 6, 7), to[3]);
}

/// Copies rows with a stride of 1: the numbers of each component are contiguous. Each step copies four components of four rows. If the
/// number of components or of rows is not a multiple of four, the last step overlaps the step before.
template <bool Back, class E>
NEML2_FOR_AVX2 inline void
copy_columns(double * buffer, E * first, const RowsAt & at, int64_t rows)
{
  const int64_t n = at.n;
  for (int64_t begin = 0; begin < n; begin += 4)
  {
    const int64_t c = begin + 4 <= n ? begin : n - 4;
    E * const at_first[4] = {first + at.offset[c],
                             first + at.offset[c + 1],
                             first + at.offset[c + 2],
                             first + at.offset[c + 3]};
    for (int64_t next = 0; next < rows; next += 4)
    {
      const int64_t r = next + 4 <= rows ? next : rows - 4;
      E * const column[4] = {at_first[0] + r, at_first[1] + r, at_first[2] + r, at_first[3] + r};
      double * const corner = buffer + r * n + c;
      double * const row[4] = {corner, corner + n, corner + 2 * n, corner + 3 * n};
      if constexpr (Back)
        transpose_four(row, column);
      else
        transpose_four(column, row);
    }
  }
}

template <bool Back, class E>
NEML2_FOR_AVX2 __attribute__((noinline)) inline void
copy_rows_avx2(double * buffer, E * first, const RowsAt & at, int64_t rows)
{
  if (at.offset && at.stride == 1 && at.n >= 4 && rows >= 4)
    return copy_columns<Back>(buffer, first, at, rows);
  if (at.offset)
    return copy_one_by_one<Back>(buffer, first, at, rows);
  for (int64_t r = 0; r < rows; r++)
    if constexpr (Back)
      copy_run(buffer + r * at.n, first + r * at.stride, at.n);
    else
      copy_run(first + r * at.stride, buffer + r * at.n, at.n);
}

/// Copies adjacent rows, which are a single run of numbers.
template <class From, class To>
NEML2_FOR_AVX2 __attribute__((noinline)) inline void
copy_run_avx2(const From * from, To * to, int64_t n)
{
  copy_run(from, to, n);
}
#undef NEML2_FOR_AVX2
#undef NEML2_FOR_AVX512
} // namespace simd
#endif

/// Copies n adjacent numbers, and converts them to the type To.
template <class From, class To>
void
copy_numbers(const From * from, To * to, int64_t n)
{
#ifdef NEML2_SIMD
  if (has_avx512())
    return simd::copy_run_avx512(from, to, n);
  if (has_avx2())
    return simd::copy_run_avx2(from, to, n);
#endif
  for (int64_t i = 0; i < n; i++)
    to[i] = To(from[i]);
}

/// Copies rows of numbers of type E to adjacent components of float64, or back.
template <bool Back, class E>
void
copy_rows(double * buffer, E * first, const RowsAt & at, int64_t rows)
{
  if (!at.offset && at.stride == at.n)
    return Back ? copy_numbers(buffer, first, rows * at.n)
                : copy_numbers(first, buffer, rows * at.n);
#ifdef NEML2_SIMD
  if (has_avx2())
    return simd::copy_rows_avx2<Back>(buffer, first, at, rows);
#endif
  copy_one_by_one<Back>(buffer, first, at, rows);
}
} // namespace neml2::packs
