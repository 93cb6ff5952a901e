// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/LabeledTensor3D.h"

#include "neml2/tensors/LabeledVector-inl.h"

namespace neml2
{
NEML2_BODY void
LabeledTensor3D::fill(const LabeledTensor3D & other, bool recursive)
{
  for (const Size i : {1, 2})
    NEML2_CHECK(axis(i) == other.axis(i), "fill: the axes ", i, " of the two tensors differ.");
  tensors::fill_slices(
      tensor(), other.tensor(), tensors::fill_ranges(axis(0), other.axis(0), recursive));
}

NEML2_BODY LabeledTensor3D
LabeledTensor3D::chain(const LabeledTensor3D & other,
                       const LabeledMatrix & dself,
                       const LabeledMatrix & dother) const
{
  const core::Operation op("chain");
  const core::Operand o[] = {core::operand(tensor()),
                             core::operand(other.tensor()),
                             core::operand(dself.tensor()),
                             core::operand(dother.tensor())};
  core::check_operands(op, o);
  const LabeledAxis &i = axis(0), &p = axis(1), &j = dother.axis(1);
  NEML2_CHECK(axis(2) == p && dself.axis(0) == i && dself.axis(1) == p && dother.axis(0) == p &&
                  other.axis(0) == p && other.axis(1) == j && other.axis(2) == j,
              "chain: the axes do not fit A_ipq B_pj B_qk + C_ip D_pjk.");
  const Size n = Size(core::broadcast_batch(op, o).size());
  const at::Tensor by_first =
      at::einsum("...ipq,...pj,...qk->...ijk", {tensor(), dother.tensor(), dother.tensor()});
  const at::Tensor by_second = at::einsum("...ip,...pjk->...ijk", {dself.tensor(), other.tensor()});
  return LabeledTensor3D(Tensor(by_first + by_second, n), {&i, &j, &j});
}
} // namespace neml2
