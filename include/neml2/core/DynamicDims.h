// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/indexing.h"
#include "neml2/core/operands.h"

namespace neml2
{
class Tensor;

namespace core
{
/// Refuses intermediate dimensions.
inline void
check_no_intmd(const char * where, Size n)
{
  NEML2_CHECK(n == 0,
              where,
              ": ",
              n,
              " intermediate dimensions were requested, but none are supported. Make them the last "
              "dynamic dimensions.");
}
inline void
check_no_intmd(const char * where, TensorShapeRef shape)
{
  NEML2_CHECK(shape.empty(),
              where,
              ": the intermediate shape ",
              shape,
              " was requested, but no intermediate dimensions are supported. Append it to the "
              "dynamic shape. A batch shape is one argument, such as {2, 3}.");
}
} // namespace core

/**
 * Names for programs that divide batch dimensions into dynamic and intermediate ones.
 *
 * Here all batch dimensions are dynamic: dynamic_x is batch_x, static_x is base_x, and there are no intermediate
 * dimensions. A request for intermediate dimensions throws NEMLException.
 */
template <class Derived>
class DynamicDims
{
public:
  Size dynamic_dim() const { return self().batch_dim(); }
  TraceableTensorShape dynamic_sizes() const { return self().batch_sizes(); }
  TraceableSize dynamic_size(Size i) const { return self().batch_size(i); }
  Size intmd_dim() const { return 0; }
  TensorShapeRef intmd_sizes() const { return {}; }
  /// @throws NEMLException always, because there are no intermediate dimensions.
  Size intmd_size(Size i) const { return core::position("intmd_size", self(), i, 0, 0); }
  Size static_dim() const { return self().base_dim(); }
  TensorShapeRef static_sizes() const { return self().base_sizes(); }
  Size static_size(Size i) const { return self().base_size(i); }

  Derived dynamic_index(indexing::TensorIndicesRef i) const { return self().batch_index(i); }
  Derived dynamic_slice(Size d, const indexing::Slice & s) const
  {
    return self().batch_slice(d, s);
  }
  template <class V>
  void dynamic_index_put_(indexing::TensorIndicesRef i, const V & v)
  {
    self().batch_index_put_(i, v);
  }
  /// Accepts only Ellipsis, because there are no intermediate dimensions to index.
  /// @throws NEMLException for any other index.
  Derived intmd_index(indexing::TensorIndicesRef i) const
  {
    check_no_index("intmd_index", i);
    return self().batch_index({});
  }
  template <class V>
  void intmd_index_put_(indexing::TensorIndicesRef i, const V & v)
  {
    check_no_index("intmd_index_put_", i);
    self().batch_index_put_({}, v);
  }
  /// @throws NEMLException always, because there are no intermediate dimensions.
  Derived intmd_slice(Size d, const indexing::Slice &) const
  {
    core::position("intmd_slice", self(), d, 0, 0);
    return self();
  }

  Derived dynamic_expand(const TraceableTensorShape & shape) const
  {
    return self().batch_expand(shape);
  }
  Derived dynamic_expand(TraceableSize n, Size d) const { return self().batch_expand(n, d); }
  template <class B>
  Derived dynamic_expand_as(const B & other) const
  {
    return self().batch_expand_as(other);
  }
  Derived intmd_expand(TensorShapeRef shape) const
  {
    core::check_no_intmd("intmd_expand", shape);
    return self();
  }
  neml2::Tensor static_expand(TensorShapeRef intmd, TensorShapeRef base) const;

  Derived dynamic_reshape(const TraceableTensorShape & shape) const
  {
    return self().batch_reshape(shape);
  }
  Derived intmd_reshape(TensorShapeRef shape) const
  {
    core::check_no_intmd("intmd_reshape", shape);
    return self();
  }
  neml2::Tensor static_reshape(TensorShapeRef intmd, TensorShapeRef base) const;

  Derived dynamic_unsqueeze(Size d, Size n = 1) const { return self().batch_unsqueeze(d, n); }
  Derived dynamic_squeeze(Size d) const { return self().batch_squeeze(d); }
  Derived dynamic_transpose(Size d1, Size d2) const { return self().batch_transpose(d1, d2); }
  Derived dynamic_movedim(Size from, Size to) const { return self().batch_movedim(from, to); }
  Derived dynamic_flatten() const { return self().batch_flatten(); }
  neml2::Tensor static_flatten() const;

private:
  const Derived & self() const { return static_cast<const Derived &>(*this); }
  Derived & self() { return static_cast<Derived &>(*this); }

  static void check_no_index(const char * where, indexing::TensorIndicesRef indices)
  {
    for (const auto & i : indices)
      NEML2_CHECK(i.is_ellipsis(),
                  where,
                  ": no intermediate dimensions are supported: there is none to index. Use "
                  "dynamic_index.");
  }
};
} // namespace neml2
