// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/engine/DeviceFormula.h"
#include "neml2/engine/limits.h"
#include "neml2/packs/forward_tile.h"
#include "neml2/recorded/TileText.h"

#include <atomic>

/// The source texts of operations, from which their kernels for devices are made.
namespace neml2::engine
{
/// Whether a type has Op::name. An operation is an empty type with Op::name for messages, and with its formula for rows as the call
/// operator. The type also identifies the operation's derivative rules.
template <class Op, class = void>
constexpr bool has_name = false;
template <class Op>
constexpr bool has_name<Op, std::void_t<decltype(Op::name)>> = true;
template <class Op>
using if_operation = std::enable_if_t<std::is_empty_v<Op> && has_name<Op>>;

/// The source text of an operation: Op::source, or its name.
template <class Op, class = void>
constexpr const char * operation_text = Op::name;
template <class Op>
constexpr const char * operation_text<Op, std::void_t<decltype(Op::source)>> = Op::source;

/// The text of an operation's tile, and the formula for devices, which is made from the text when first needed.
struct TileSource
{
  recorded::TileText text;
  const char * name; ///< the operation's name in messages
  int numbers;       ///< the count of numbers in a row
  mutable std::atomic<const DeviceFormula *> formula{nullptr};
};

/// Whether T declares its own row type. The largest types, and types that a user's program defines, use PrimitiveTensor's row type.
template <class T>
constexpr bool has_own_rows = !std::is_same_v<typename T::template Row<double>,
                                              typename T::PrimitiveTensor::template Row<double>>;

template <class A>
constexpr recorded::RowType
row_type()
{
  if constexpr (std::is_arithmetic_v<A> || std::is_same_v<A, Number>)
    return {"Number", nullptr, 0, std::is_arithmetic_v<A>};
  else
    return {has_own_rows<A> ? A::type_name : nullptr,
            A::base_shape.data(),
            int(A::base_shape.size()),
            false};
}
template <class... A>
constexpr recorded::RowType row_types[] = {row_type<A>()...};

/// The text of an operation's tile.
template <class Tile>
struct TextOfTile;
template <class F, class... R, class... A>
struct TextOfTile<ForwardTile<F, Types<R...>, Types<A...>>>
{
  static constexpr recorded::TileText of(const char * text)
  {
    return {text, {row_types<R...>, int(sizeof...(R))}, {row_types<A...>, int(sizeof...(A))}};
  }
};

/// The source of an operation's tile.
template <class Tile, class Op>
inline const TileSource operation_source{
    TextOfTile<Tile>::of(operation_text<Op>), Op::name, Tile::numbers};

/// Set by device/TileFormula.h, or by the compiled library.
using MakeDeviceFormula = const DeviceFormula * (*)(const TileSource &);
NEML2_ONE_A_PROGRAM inline std::atomic<MakeDeviceFormula> make_device_formula{nullptr};
} // namespace neml2::engine
