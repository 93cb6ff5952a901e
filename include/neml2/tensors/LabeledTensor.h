// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/operators.h"
#include "neml2/tensors/LabeledBlock.h"

namespace neml2
{
/**
 * A tensor whose D base dimensions are labeled, each by an axis: the base class of LabeledVector, LabeledMatrix and
 * LabeledTensor3D.
 *
 * Shape (batch; size of axis 0, ..., size of axis D - 1). Copies and labeled views share storage. The axes must be
 * set up; the tensor keeps them alive.
 */
template <class Derived, Size D>
class LabeledTensor
{
public:
  /// The axes: {&axis} for a vector, {&rows, &columns} for a matrix.
  using AxisPointers = std::array<const LabeledAxis *, size_t(D)>;
  /// One label per axis, each looked up by bind(axis, label).
  using BoundLabels = std::array<tensors::BoundLabel, size_t(D)>;
  template <class L>
  using if_bound = std::enable_if_t<std::is_same_v<L, BoundLabels>, int>;

  LabeledTensor() = default;
  /// Labels a tensor: LabeledVector(t, {&axis}), LabeledMatrix(t, {&rows, &columns}). The last D dimensions of a raw
  /// tensor are its base dimensions. The pointers are used only during the call.
  /// @throws NEMLException unless each base size is the size of its axis.
  LabeledTensor(const Tensor & tensor, const AxisPointers & axes)
    : LabeledTensor(tensor, handles(axes))
  {
  }
  template <class T, core::if_raw_tensor<T> = 0>
  LabeledTensor(const T & tensor, const AxisPointers & axes)
    : LabeledTensor(marked(static_cast<const at::Tensor &>(tensor)), axes)
  {
  }

  /// A tensor whose values are not set. LabeledVector::empty({5}, {&axis}) has the shape (5; size of the axis).
  [[nodiscard]] static Derived empty(const TraceableTensorShape & batch,
                                     const AxisPointers & axes,
                                     const TensorOptions & options = default_tensor_options())
  {
    return Derived(Tensor::empty(batch, sizes_of(axes), options), axes);
  }
  /// A tensor of zeros. LabeledMatrix::zeros({5}, {&rows, &columns}) has the shape
  /// (5; size of rows, size of columns).
  [[nodiscard]] static Derived zeros(const TraceableTensorShape & batch,
                                     const AxisPointers & axes,
                                     const TensorOptions & options = default_tensor_options())
  {
    return Derived(Tensor::zeros(batch, sizes_of(axes), options), axes);
  }

  /// The tensor without its labels.
  const Tensor & tensor() const { return _tensor; }
  Tensor & tensor() { return _tensor; }
  operator Tensor() const { return _tensor; }
  operator at::Tensor() const { return _tensor; }

  /// Pointers to the axes. They are valid as long as this tensor lives.
  AxisPointers axes() const
  {
    AxisPointers pointers;
    for (size_t i = 0; i < size_t(D); i++)
      pointers[i] = &_axes[i];
    return pointers;
  }
  const LabeledAxis & axis(Size i = 0) const
  {
    NEML2_CHECK_AS(IndexException,
                   0 <= i && i < D,
                   "axis: ",
                   i,
                   " is out of range: expected an axis number in [0, ",
                   D,
                   ").");
    return _axes[size_t(i)];
  }

  // ---- As in TensorBase -----------------------------------------------------------------------

  bool defined() const { return _tensor.defined(); }
  TensorOptions options() const { return checked("options").options(); }
  Dtype scalar_type() const { return checked("scalar_type").scalar_type(); }
  Device device() const { return checked("device").device(); }
  Size dim() const { return checked("dim").dim(); }
  TensorShapeRef sizes() const { return checked("sizes").sizes(); }
  Size size(Size i) const { return checked("size").size(i); }
  bool batched() const { return _tensor.batched(); }
  Size batch_dim() const { return _tensor.batch_dim(); }
  static constexpr Size base_dim() { return D; }
  TraceableTensorShape batch_sizes() const { return _tensor.batch_sizes(); }
  TraceableSize batch_size(Size i) const { return _tensor.batch_size(i); }
  TensorShapeRef base_sizes() const { return _tensor.base_sizes(); }
  Size base_size(Size i) const { return _tensor.base_size(i); }
  Size base_storage() const { return _tensor.base_storage(); }
  bool requires_grad() const { return checked("requires_grad").requires_grad(); }
  Derived & requires_grad_(bool required = true)
  {
    checked("requires_grad_").requires_grad_(required);
    return self();
  }
  Derived clone() const { return like(_tensor.clone()); }
  Derived detach() const { return like(_tensor.detach()); }
  Derived & detach_()
  {
    checked("detach_").detach_();
    return self();
  }
  Derived to(const TensorOptions & options) const { return like(_tensor.to(options)); }
  /// Copies the entries of a tensor with the same axes; its batch broadcasts to the batch of this tensor.
  Derived & copy_(const Derived & other)
  {
    for (size_t i = 0; i < size_t(D); i++)
      NEML2_CHECK(_axes[i] == other.axis(Size(i)), "copy_: the axes ", i, " differ.");
    _tensor.copy_(other.tensor());
    return self();
  }
  /// Copies a tensor whose base sizes are the sizes of the axes. The last D dimensions of a raw tensor are its base
  /// dimensions.
  Derived & copy_(const Tensor & other) { return copy_(Derived(other, axes())); }
  template <class T, core::if_raw_tensor<T> = 0>
  Derived & copy_(const T & other)
  {
    return copy_(marked(static_cast<const at::Tensor &>(other)));
  }
  /// Sets all entries to 0, in place.
  Derived & zero_()
  {
    checked("zero_").zero_();
    return self();
  }
  Derived operator-() const { return like(-_tensor); }

  // ---- Views ----------------------------------------------------------------------------------

  /// Indexes the batch dimensions; the axes are kept.
  Derived batch_index(indexing::TensorIndicesRef indices) const
  {
    return like(_tensor.batch_index(indices));
  }
  template <class V>
  void batch_index_put_(indexing::TensorIndicesRef indices, const V & value)
  {
    _tensor.batch_index_put_(indices, value);
  }

  /// A view of the block of these items. Give one label per axis; an empty label stands for the whole axis.
  /// (batch; sizes) -> (batch; sizes of the items)
  /// @throws NEMLException if the number of labels is not D, or if a label does not exist.
  Tensor base_index(indexing::TensorLabelsRef labels) const { return block("base_index", labels); }
  template <class L, if_bound<L> = 0> // brace lists call the overload above
  Tensor base_index(const L & labels) const
  {
    return block("base_index", labels);
  }
  /// A view of the block of these items, as a tensor of type T. Give one label per axis.
  /// (batch; sizes) -> (batch; base shape of T)
  /// @throws NEMLException as base_index does, and if the block does not have as many entries as T's base, or if T's base
  /// shape does not fit the block: a WSR4 (3, 6) does not fit a block (6, 3).
  template <class T>
  T reinterpret(indexing::TensorLabelsRef labels) const
  {
    return tensors::block_as<T>(base_index(labels));
  }
  template <class T, class L, if_bound<L> = 0>
  T reinterpret(const L & labels) const
  {
    return tensors::block_as<T>(base_index(labels));
  }
  /// Writes a value into the block base_index(labels). The base entries of the value fill the block in storage order:
  /// an SSR4 (...; 6, 6) fits a variable of size 36. The batch of the value broadcasts to the batch of this tensor.
  /// @throws NEMLException if the value does not fit, for example because it has the shape of the transposed block;
  /// this tensor is then unchanged.
  template <class T, core::if_tensor<T> = 0>
  void base_index_put_(indexing::TensorLabelsRef labels, const T & value)
  {
    put(labels, value);
  }
  template <class L, class T, if_bound<L> = 0, core::if_tensor<T> = 0>
  void base_index_put_(const L & labels, const T & value)
  {
    put(labels, value);
  }
  template <class N, core::if_number<N> = 0>
  void base_index_put_(indexing::TensorLabelsRef labels, const N & value)
  {
    Tensor b = base_index(labels);
    core::check_writable("base_index_put_", b);
    core::translate_errors("base_index_put_", [&] { b.fill_(core::number(value)); });
  }

protected:
  using Axes = std::array<LabeledAxis, size_t(D)>;

  LabeledTensor(const Tensor & tensor, Axes axes) : _tensor(tensor), _axes(std::move(axes))
  {
    if (!tensor.defined())
      return;
    NEML2_CHECK(tensor.base_dim() == D,
                "LabeledTensor: ",
                core::operand(tensor),
                " has ",
                tensor.base_dim(),
                " base dimensions, expected ",
                D,
                ", one for each axis.");
    for (Size i = 0; i < D; i++)
      NEML2_CHECK(tensor.base_size(i) == _axes[size_t(i)].size(),
                  "LabeledTensor: base dimension ",
                  i,
                  " does not have the size of its axis: the axis has size ",
                  _axes[size_t(i)].size(),
                  ", the tensor is ",
                  core::operand(tensor),
                  ".");
  }

  Derived & self() { return static_cast<Derived &>(*this); }
  const Derived & self() const { return static_cast<const Derived &>(*this); }
  Derived like(const Tensor & tensor) const { return Derived(tensor, axes()); }

  const Tensor & checked(const char * where) const
  {
    core::check_defined(where, _tensor);
    return _tensor;
  }

  static Axes handles(const AxisPointers & pointers)
  {
    Axes axes;
    for (size_t i = 0; i < size_t(D); i++)
    {
      NEML2_CHECK(pointers[i], "LabeledTensor: axis ", i, " is a null pointer.");
      NEML2_CHECK(pointers[i]->is_setup(),
                  "LabeledTensor: axis ",
                  i,
                  " has no layout yet. Call its setup_layout() first.");
      axes[i] = *pointers[i];
    }
    return axes;
  }

  static TensorShape sizes_of(const AxisPointers & axes)
  {
    TensorShape sizes;
    for (const auto & axis : handles(axes))
      sizes.push_back(axis.size());
    return sizes;
  }

  static Tensor marked(const at::Tensor & t)
  {
    if (!t.defined())
      return Tensor();
    NEML2_CHECK(t.dim() >= D,
                "LabeledTensor: a tensor of shape ",
                t.sizes(),
                " has fewer than ",
                D,
                " dimensions, one for each axis.");
    return Tensor(t, t.dim() - D);
  }

  template <class L>
  Tensor block(const char * where, const L & labels) const
  {
    const auto ranges = tensors::ranges_of(where, _axes, labels);
    return tensors::block_of(checked(where), ranges);
  }

  template <class L, class T>
  void put(const L & labels, const T & value)
  {
    const auto ranges = tensors::ranges_of("base_index_put_", _axes, labels);
    core::check_defined("base_index_put_", value);
    tensors::write_block(tensors::block_of(checked("base_index_put_"), ranges), value);
  }

private:
  Tensor _tensor;
  Axes _axes;
};

/// Prints a line such as `LabeledVector (1000; 7) float64 cpu`, then the values as LibTorch prints them.
template <class Derived, Size D>
std::ostream &
operator<<(std::ostream & os, const LabeledTensor<Derived, D> & t)
{
  core::Operand o = core::operand(t.tensor());
  o.type = Derived::type_name;
  return core::print(os, o);
}
} // namespace neml2

// ---- Definitions ----

#include "neml2/tensors/labeled_products.h"
