// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/operands.h"

#include <algorithm>
#include <memory>
#include <type_traits>

namespace neml2
{
/**
 * Nested brace lists of numbers, the argument of the create() factories: {{1, 2}, {3, 4}}.
 *
 * All lists of one level must have the same length.
 */
class TensorDataContainer
{
public:
  TensorDataContainer() : _sizes{0} {}

  template <class N, std::enable_if_t<std::is_arithmetic_v<N>, int> = 0>
  TensorDataContainer(N value) : _values{core::number(value)}
  {
  }

  TensorDataContainer(std::initializer_list<TensorDataContainer> list)
  {
    _sizes.push_back(Size(list.size()));
    if (list.size() == 0)
      return;
    const auto & first = list.begin()->_sizes;
    _sizes.append(first.begin(), first.end());
    for (const auto & item : list)
    {
      NEML2_CHECK(item._sizes == first,
                  "create: ragged brace list: one entry has shape ",
                  TensorShapeRef(first),
                  ", another ",
                  TensorShapeRef(item._sizes),
                  ". All entries of a list must have the same shape.");
      _values.insert(_values.end(), item._values.begin(), item._values.end());
    }
  }

  /// A list of numbers of any kind.
  template <class N, std::enable_if_t<core::is_plain_number<N>, int> = 0>
  TensorDataContainer(const std::vector<N> & values) : _sizes{Size(values.size())}
  {
    _values.reserve(values.size());
    for (size_t i = 0; i < values.size(); i++)
      _values.push_back(core::number<N>(values[i]));
  }

  TensorShapeRef sizes() const { return _sizes; }

  /// A tensor of these numbers in the dtype of the options. It is a leaf of autograd's graph if the options request grad.
  at::Tensor to_tensor(const TensorOptions & options) const { return to_tensor(options, _sizes); }

  /// A tensor of these numbers in another shape, which has as many entries.
  at::Tensor to_tensor(const TensorOptions & options, TensorShapeRef shape) const
  {
    const bool integral = std::all_of(
        _values.begin(), _values.end(), [](const CScalar & v) { return v.isIntegral(true); });
    return core::translate_errors(
        "create",
        [&]
        {
          const at::Tensor t =
              integral ? copied<int64_t>(shape, [](const CScalar & v) { return v.toLong(); })
                       : copied<double>(shape, [](const CScalar & v) { return v.toDouble(); });
          const at::Tensor r = t.to(options.device(),
                                    c10::typeMetaToScalarType(core::with_dtype(options).dtype()),
                                    /*non_blocking=*/true);
          return options.requires_grad() ? r.set_requires_grad(true) : r;
        });
  }

private:
  /// Copies by an operation of LibTorch, because tensors inside torch.func have no pointer to write through. The result
  /// is lifted, as by torch.tensor, so that it is fake if a mode makes all tensors fake. The copied numbers live as
  /// long as anything, such as a recorded trace, refers to them.
  template <class Number, class F>
  at::Tensor copied(TensorShapeRef shape, const F & number) const
  {
    const auto numbers = std::make_shared<std::vector<Number>>(_values.size());
    std::transform(_values.begin(), _values.end(), numbers->begin(), number);
    const auto dtype = c10::CppTypeToScalarType<Number>::value;
    return at::lift_fresh(at::from_blob(
                              numbers->data(), shape, [numbers](void *) {}, dtype))
        .clone();
  }

  TensorShape _sizes;
  std::vector<CScalar> _values;
};
} // namespace neml2
