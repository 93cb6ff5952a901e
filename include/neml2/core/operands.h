// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Operand.h"
#include "neml2/core/translate.h"

/// Checks of operands, which every operation makes before it computes or writes anything.
namespace neml2::core
{
[[noreturn]] NEML2_COLD inline void
fail_undefined(const Operation & op, const Operand & o)
{
  fail(op.name,
       ": undefined tensor: an operand of type ",
       o.type,
       " has no value. Assign it first.");
}

[[noreturn]] NEML2_COLD inline void
fail_base(const Operation & op, const Operand & o)
{
  fail(op.name,
       ": base shape mismatch: ",
       o,
       " does not end in the base shape ",
       o.base,
       " of its type; the tensor was reshaped in place.");
}

[[noreturn]] NEML2_COLD inline void
fail_dtype(const Operation & op, const Operand & o)
{
  fail(op.name,
       ": not defined for dtype ",
       dtype_name(o.tensor->scalar_type()),
       " (",
       o,
       "). Expected ",
       op.accepts == Accepts::floating ? "a floating type" : "an integer or floating type",
       "; convert with .to(kFloat64).");
}

[[noreturn]] NEML2_COLD inline void
fail_mixed(const Operation & op, const Operand & a, const Operand & b)
{
  if (a.tensor->device() != b.tensor->device())
    fail(op.name,
         ": operands on different devices: ",
         a,
         " on ",
         a.tensor->device(),
         " and ",
         b,
         " on ",
         b.tensor->device(),
         ". Move one with .to(device).");
  fail(op.name,
       ": operands of different dtypes: ",
       a,
       " is ",
       dtype_name(a.tensor->scalar_type()),
       " and ",
       b,
       " is ",
       dtype_name(b.tensor->scalar_type()),
       ". Convert one with .to(dtype).");
}

[[noreturn]] NEML2_COLD inline void
fail_broadcast(const Operation & op, ArrayRef<Operand> o)
{
  for (size_t i = 0; i < o.size(); i++)
    for (size_t j = i + 1; j < o.size(); j++)
    {
      const TensorShapeRef a = o[i].batch(), b = o[j].batch();
      TensorShape r(a.begin(), a.end());
      if (const Size d = broadcast_into(r, b))
        fail(op.name,
             ": batch shapes ",
             a,
             " and ",
             b,
             " do not broadcast: dimension -",
             d,
             " is ",
             a[a.size() - size_t(d)],
             " in one and ",
             b[b.size() - size_t(d)],
             " in the other. Make them equal, or make one of them 1 (batch_unsqueeze). "
             "The operands are ",
             OperandsText{o},
             ".");
    }
  fail(op.name, ": batch shapes do not broadcast. The operands are ", OperandsText{o}, ".");
}

/// Checks that an operand is defined, and that it has its type's base shape and an accepted dtype.
inline void
check_operand(const Operation & op, const Operand & o)
{
  if (C10_UNLIKELY(!o.tensor->defined()))
    fail_undefined(op, o);
  const auto sizes = o.tensor->sizes();
  if (C10_UNLIKELY(Size(sizes.size()) != o.batch_dim + Size(o.base.size()) ||
                   sizes.slice(size_t(o.batch_dim)) != o.base))
    fail_base(op, o);
  const auto dtype = o.tensor->scalar_type();
  if (C10_UNLIKELY(op.accepts != Accepts::any && !c10::isFloatingType(dtype) &&
                   (op.accepts == Accepts::floating || !c10::isIntegralType(dtype, false))))
    fail_dtype(op, o);
}

/// Checks that t is defined, and that no in-place operation of LibTorch changed its base shape.
template <class T>
void
check_defined(const char * where, const T & t)
{
  check_operand(Operation(where, Accepts::any), operand(t));
}

/// The first tensor among operands.
inline const at::Tensor &
first_tensor(ArrayRef<Operand> operands)
{
  for (const auto & x : operands)
    if (x.tensor)
      return *x.tensor;
  fail("no tensor among the operands");
}

/// Checks each operand, and that all are on one device and of one dtype (unless dtypes may mix). Plain numbers fit
/// any device and dtype.
inline void
check_operands(const Operation & op, ArrayRef<Operand> o, bool mixed_dtypes = false)
{
  const Operand * first = nullptr;
  for (const auto & x : o)
    if (x.tensor)
    {
      check_operand(op, x);
      if (!first)
        first = &x;
      else if (C10_UNLIKELY(x.tensor->device() != first->tensor->device() ||
                            (!mixed_dtypes && x.tensor->dtype() != first->tensor->dtype())))
        fail_mixed(op, *first, x);
    }
}

/// The batch shape to which all operands broadcast; throws if they do not.
inline TensorShape
broadcast_batch(const Operation & op, ArrayRef<Operand> o)
{
  const TensorShapeRef first = o[0].batch();
  TensorShape batch(first.begin(), first.end());
  for (size_t k = 1; k < o.size(); k++)
    if (C10_UNLIKELY(broadcast_into(batch, o[k].batch()) != 0))
      fail_broadcast(op, o);
  return batch;
}
} // namespace neml2::core

// ---- Positions of dimensions, with checks. ----

#include "neml2/core/position.h"
