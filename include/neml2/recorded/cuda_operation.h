// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Quaternion.h"
#include "neml2/kernels/R2.h"
#include "neml2/kernels/R3.h"
#include "neml2/kernels/R4.h"
#include "neml2/kernels/Rot.h"
#include "neml2/kernels/SFFR4.h"
#include "neml2/kernels/SFR3.h"
#include "neml2/kernels/SR2.h"
#include "neml2/kernels/SSFR5.h"
#include "neml2/kernels/SSR4.h"
#include "neml2/kernels/SWR4.h"
#include "neml2/kernels/Transformable.h"
#include "neml2/kernels/Vec.h"
#include "neml2/kernels/Voigt.h"
#include "neml2/kernels/WFFR4.h"
#include "neml2/kernels/WR2.h"
#include "neml2/kernels/WSR4.h"
#include "neml2/kernels/WWR4.h"
#include "neml2/kernels/axis_angle.h"
#include "neml2/kernels/cholesky.h"
#include "neml2/kernels/crystallography.h"
#include "neml2/kernels/drotate.h"
#include "neml2/kernels/euler_angles.h"
#include "neml2/kernels/exponential_map.h"
#include "neml2/kernels/interpolation.h"
#include "neml2/kernels/invariants.h"
#include "neml2/kernels/isotropic_functions.h"
#include "neml2/kernels/kinematics.h"
#include "neml2/kernels/kronecker.h"
#include "neml2/kernels/matrix_functions.h"
#include "neml2/kernels/newton.h"
#include "neml2/kernels/numbers_of.h"
#include "neml2/kernels/rotation_distance.h"
#include "neml2/kernels/skew_products.h"
#include "neml2/kernels/solve.h"
#include "neml2/kernels/spectral.h"
#include "neml2/kernels/stiffness.h"
#include "neml2/packs/forward_tile.h"
#include "neml2/recorded/cuda_kernel.h"

/// The header with which the sources of operations for a CUDA device are compiled. It contains the tensor types, without batches, and the
/// tiles of the CPU. On a device a tile computes a single row, the row of one thread.
namespace neml2
{
namespace recorded
{
/// A tensor type whose rows are R.
template <template <class> class R, int64_t... S>
struct RowsOf
{
  template <class T>
  using Row = R<T>;
  static constexpr int64_t const_base_numel = (int64_t(1) * ... * S);
  static constexpr std::array<int64_t, sizeof...(S)> base_shape = {S...};
};

template <class T>
using Itself = T;

/// The rows of a tensor type that has no row type of its own. Their components have one index per dimension.
template <int64_t... S>
struct Shaped
{
  template <class T>
  struct Row : kernels::Components<T, int((int64_t(1) * ... * S))>
  {
    using shape = std::integer_sequence<int64_t, S...>;
    using kernels::Components<T, int((int64_t(1) * ... * S))>::Components;
    using kernels::Components<T, int((int64_t(1) * ... * S))>::operator();

    template <class... I,
              std::enable_if_t<sizeof...(I) == sizeof...(S) && (sizeof...(S) > 1), int> = 0>
    NEML2_INLINE constexpr const T & operator()(I... i) const
    {
      int k = 0;
      ((k = k * int(S) + kernels::component_index(int(i), int(S))), ...);
      return this->v[k];
    }
  };
};
template <int64_t... S>
using TensorOf = RowsOf<Shaped<S...>::template Row, S...>;
} // namespace recorded

struct Scalar : recorded::RowsOf<recorded::Itself>
{
};
struct Vec : recorded::RowsOf<kernels::Vec, 3>
{
};
struct Rot : recorded::RowsOf<kernels::Rot, 3>
{
};
struct WR2 : recorded::RowsOf<kernels::WR2, 3>
{
};
struct Quaternion : recorded::RowsOf<kernels::Quaternion, 4>
{
};
struct R2 : recorded::RowsOf<kernels::R2, 3, 3>
{
};
struct SR2 : recorded::RowsOf<kernels::SR2, 6>
{
};
struct R3 : recorded::RowsOf<kernels::R3, 3, 3, 3>
{
};
struct SFR3 : recorded::RowsOf<kernels::SFR3, 6, 3>
{
};
struct R4 : recorded::RowsOf<kernels::R4, 3, 3, 3, 3>
{
};
struct SSR4 : recorded::RowsOf<kernels::SSR4, 6, 6>
{
};
struct SWR4 : recorded::RowsOf<kernels::SWR4, 6, 3>
{
};
struct WSR4 : recorded::RowsOf<kernels::WSR4, 3, 6>
{
};
struct WWR4 : recorded::RowsOf<kernels::WWR4, 3, 3>
{
};
struct SFFR4 : recorded::RowsOf<kernels::SFFR4, 6, 3, 3>
{
};
struct SFR4 : recorded::RowsOf<kernels::SFFR4, 6, 3, 3>
{
};
struct WFFR4 : recorded::RowsOf<kernels::WFFR4, 3, 3, 3>
{
};
struct WFR4 : recorded::RowsOf<kernels::WFFR4, 3, 3, 3>
{
};
struct SSFR5 : recorded::RowsOf<kernels::SSFR5, 6, 6, 3>
{
};

namespace recorded
{
/// A tile of an operation, in the form of a formula for Kernel. For one row it computes the components y of the results from the components
/// x of the arguments.
template <class Tile, const auto & operation, class Arguments, class Results>
struct TileOfOperation
{
  static constexpr int shared = 0;

  template <class P>
  static NEML2_INLINE void once(const P *, P *)
  {
  }

  template <class P>
  static NEML2_INLINE void each(const P * x, const P *, P * y)
  {
    constexpr int K = Arguments::count, R = Results::count;
    double from[Arguments::total], to[Results::total], *data[K + R];
    int64_t stride[K + R];
    NEML2_UNROLL
    for (int k = 0; k < Arguments::total; k++)
      from[k] = x[k].v;
    NEML2_UNROLL
    for (int k = 0; k < K; k++)
    {
      data[k] = from + Arguments::before(k);
      stride[k] = 0;
    }
    NEML2_UNROLL
    for (int k = 0; k < R; k++)
    {
      data[K + k] = to + Results::before(k);
      stride[K + k] = Results::size[size_t(k)]; // a stride of 0 would mean a sum
    }
    Tile::template run<P>(&operation, data, stride, 1);
    NEML2_UNROLL
    for (int k = 0; k < Results::total; k++)
      y[k] = P(to[k]);
  }
};
} // namespace recorded
} // namespace neml2
