// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/kinematics.h"
#include "neml2/kernels/lu.h"
#include "neml2/packs/forward_tile.h"
#include "neml2/recorded/Code.h"
#include "neml2/recorded/ConditionPacks.h"

namespace neml2::recorded
{
/// Runs the operations of Systems in an interpreter that computes with packs P.
template <class P>
struct InterpretedSystems : private ConditionPacks<P>
{
  using Mask = typename P::Mask;
  using ConditionPacks<P>::mask;
  using ConditionPacks<P>::pack;

  /// Matrices in an interpreter's memory, row by row. The entries are numbers (Matrix), or conditions that are kept as packs (MaskMatrix).
  struct Matrix
  {
    P * first;
    int columns;
    NEML2_INLINE P * operator[](int i) const { return first + i * columns; }
  };
  struct MaskMatrix
  {
    struct Entry
    {
      P * p;
      NEML2_INLINE operator Mask() const { return mask(*p); }
      NEML2_INLINE void operator=(const Mask & m) const { *p = pack(m); }
    };
    struct Row
    {
      P * first;
      NEML2_INLINE Entry operator[](int i) const { return {first + i}; }
    };
    P * first;
    int columns;
    NEML2_INLINE Row operator[](int i) const { return {first + i * columns}; }
  };
  /// A value per row that is not kept; it counts as false.
  struct NotKnown
  {
    NEML2_INLINE NotKnown operator[](int) const { return {}; }
    NEML2_INLINE void operator=(bool) const {}
    NEML2_INLINE operator bool() const { return false; }
  };
  /// The members of a kernels::LU that kernels::factor_lu and the solves use.
  struct Factor
  {
    using Condition = Mask;

    Matrix a;
    P * over;
    P det;
    MaskMatrix swapped;
    NotKnown stays;
  };

  /// The number of packs of working memory for a system of n unknowns.
  static size_t size(int n) { return size_t(2 * n * n + 2 * n); }

  NEML2_CALLS_FORMULA static void
  execute_solver(Op op, const SystemCode & s, P * r, int packs, P * work)
  {
    const int n = s.n;
    Factor lu{{work, n}, work + n * n, P(0.0), {work + n * n + n, n}, {}};
    P * const right = work + 2 * n * n + n;
    const Matrix b{right, 1};
    const auto each_exchange = [&](const auto & f) NEML2_INLINE_LAMBDA
    {
      for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
          f(lu.swapped[k].first[i]);
    };
    for (int k = 0; k < packs; k++)
    {
      auto from = s.operands.begin();
      const auto load = [&](P & x) NEML2_INLINE_LAMBDA
      {
        x = r[from->at + k * from->step];
        ++from;
      };
      auto to = s.outputs.begin();
      const auto store = [&](const P & x) NEML2_INLINE_LAMBDA
      {
        if (to->at >= 0)
          r[to->at + k] = x;
        ++to;
      };
      for (int i = 0; i < n * n; i++)
        load(work[i]);
      if (op == Op::factor)
      {
        kernels::factor_lu<any_size>(lu, n);
        for (int i = 0; i < n * n + n; i++)
          store(work[i]);
        store(lu.det);
        each_exchange(store);
        continue;
      }
      for (int i = 0; i < n; i++)
        load(lu.over[i]);
      each_exchange(load);
      for (int i = 0; i < n; i++)
        load(right[i]);
      if (op == Op::solve)
        kernels::solve_lu<any_size>(lu, n, b, 1);
      else
        kernels::solve_lu_transposed<any_size>(lu, n, b, 1);
      for (int i = 0; i < n; i++)
        store(right[i]);
    }
  }
  static constexpr int any_size = 99; // a size for which loops are not unrolled

  /// A function of a matrix, or its derivative at A along E.
  NEML2_CALLS_FORMULA static kernels::R2<P>
  matrix_function(Op op, const kernels::R2<P> & A, const kernels::R2<P> & E)
  {
    switch (op)
    {
    case Op::expm:
      return kernels::expm(A);
    case Op::logm:
      return kernels::logm(A);
    case Op::sqrtm:
      return kernels::sqrtm(A);
    case Op::inv:
      return kernels::inv(A);
    case Op::polar_rotation:
      return kernels::polar_rotation(A);
    case Op::dexpm:
      return kernels::dexpm(A, E);
    case Op::dlogm:
      return kernels::dlogm(A, E);
    default:
      return kernels::dsqrtm(A, E);
    }
  }
  NEML2_CALLS_FORMULA static void
  execute_matrix_function(Op op, const SystemCode & s, P * r, int packs)
  {
    for (int k = 0; k < packs; k++)
    {
      kernels::R2<P> matrices[2];
      for (size_t i = 0; i < s.operands.size(); i++)
        matrices[i / 9][int(i % 9)] = r[s.operands[i].at + k * s.operands[i].step];
      const kernels::R2<P> f = matrix_function(op, matrices[0], matrices[1]);
      for (size_t i = 0; i < s.outputs.size(); i++)
        if (s.outputs[i].at >= 0)
          r[s.outputs[i].at + k] = f[int(i)];
    }
  }

  /// Runs an operation on `packs` packs; `work` has space for size(s.n) packs.
  NEML2_CALLS_FORMULA static void execute(Op op, const SystemCode & s, P * r, int packs, P * work)
  {
    if (is_matrix_function(op))
      execute_matrix_function(op, s, r, packs);
    else
      execute_solver(op, s, r, packs, work);
  }
};
} // namespace neml2::recorded
