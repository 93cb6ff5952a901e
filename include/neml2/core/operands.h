// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/options.h"
#include "neml2/core/shape.h"

#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>

/// What every operation asks of its operands, before anything is computed or written.
namespace neml2::core
{
/// Element types an operation is defined for.
enum class Accepts
{
  floating, ///< float16, bfloat16, float32, float64
  numbers,  ///< the same and integers
  any       ///< also bool and complex: whatever LibTorch's own operation takes
};

/// An operation as its error messages name it.
struct Operation
{
  const char * name;
  Accepts accepts;

  constexpr Operation(const char * n, Accepts a = Accepts::floating) : name(n), accepts(a) {}
};

/// What is checked of one operand; type and base shape are those of its class.
struct Operand
{
  const at::Tensor * tensor; ///< null for a plain number
  const char * type;
  Size batch_dim;
  TensorShapeRef base; ///< the base shape its class promises; for Tensor, the one it has
  const double * number = nullptr;

  TensorShapeRef batch() const
  {
    return tensor ? tensor->sizes().slice(0, size_t(batch_dim)) : TensorShapeRef();
  }
};

/// SR2 (1000, 2; 6)
struct ShapeText
{
  const char * type;
  TensorShapeRef batch, base;
};

inline std::ostream &
operator<<(std::ostream & os, const ShapeText & s)
{
  const auto list = [&](TensorShapeRef shape)
  {
    for (size_t i = 0; i < shape.size(); i++)
      os << (i ? ", " : "") << shape[i];
  };
  os << s.type << " (";
  list(s.batch);
  os << ';' << (s.base.empty() ? "" : " ");
  list(s.base);
  return os << ')';
}

inline std::ostream &
operator<<(std::ostream & os, const Operand & o)
{
  if (!o.tensor)
    return os << *o.number;
  if (!o.tensor->defined())
    return os << o.type << " undefined";
  const Size n = std::min<Size>(o.batch_dim, o.tensor->dim());
  return os << ShapeText{
             o.type, o.tensor->sizes().slice(0, size_t(n)), o.tensor->sizes().slice(size_t(n))};
}

/// int64, float64: dtypes as users write them.
inline const char *
dtype_name(Dtype dtype)
{
  switch (dtype)
  {
  case c10::kBool:
    return "bool";
  case kUInt8:
    return "uint8";
  case kInt8:
    return "int8";
  case kInt16:
    return "int16";
  case kInt32:
    return "int32";
  case kInt64:
    return "int64";
  case kFloat16:
    return "float16";
  case c10::kBFloat16:
    return "bfloat16";
  case kFloat32:
    return "float32";
  case kFloat64:
    return "float64";
  default:
    return c10::toString(dtype);
  }
}

/// "SSR4 (2; 6, 6) and SR2 (1000; 6)"
struct OperandsText
{
  ArrayRef<Operand> operands;
};

inline std::ostream &
operator<<(std::ostream & os, const OperandsText & text)
{
  const size_t n = text.operands.size();
  for (size_t k = 0; k < n; k++)
    os << (k == 0 ? "" : k + 1 < n ? ", " : " and ") << text.operands[k];
  return os;
}

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
       " of its type; the tensor was reshaped in place behind it.");
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

/// What is to be checked of a tensor of this library.
template <class T>
std::enable_if_t<!std::is_arithmetic_v<T>, Operand>
operand(const T & t)
{
  return {&t, t.name_in_messages(), t.batch_dim(), T::expected_base_sizes(t)};
}

inline Operand
operand(const double & number)
{
  return {nullptr, "number", 0, {}, &number};
}

/// Defined, of its type's base shape, of an accepted dtype.
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

/// Defined, and not reshaped in place behind its type.
template <class T>
void
check_defined(const char * where, const T & t)
{
  check_operand(Operation(where, Accepts::any), operand(t));
}

/// The position of component i of n, negative i counting from the end: for R2::row, SR2(i, j) and such,
/// whose name is `where`.
inline Size
component(const char * where, Size i, Size n)
{
  NEML2_CHECK_AS(IndexException,
                 -n <= i && i < n,
                 where,
                 ": the component index ",
                 i,
                 " is out of range: expected one in [",
                 -n,
                 ", ",
                 n,
                 ").");
  return i >= 0 ? i : n + i;
}

/// Position of dimension d of the group [lo, hi) of the operand's dimensions; negative d counts from hi.
inline Size
position(const char * where, const Operand & o, Size d, Size lo, Size hi)
{
  const Size n = hi - lo;
  NEML2_CHECK_AS(IndexException,
                 -n <= d && d < n,
                 where,
                 ": The dimension ",
                 d,
                 " is out of range for ",
                 o,
                 ": expected one in [",
                 -n,
                 ", ",
                 n,
                 ").");
  return d >= 0 ? lo + d : hi + d;
}
template <class T, std::enable_if_t<is_tensor<T>, int> = 0>
Size
position(const char * where, const T & t, Size d, Size lo, Size hi)
{
  check_defined(where, t);
  return position(where, operand(t), d, lo, hi);
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

/// Each operand alone, and all on one device and of one dtype (unless dtypes may mix). Numbers fit
/// any.
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

/// The batch shape all operands broadcast to; throws if they do not.
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

/// Memory that LibTorch could not allocate for an operation on these operands.
[[noreturn]] NEML2_COLD inline void
fail_out_of_memory(const char * where, const c10::Error & e, ArrayRef<Operand> o)
{
  const char * const what = e.what_without_backtrace();
  if (o.empty())
    fail_as<OutOfMemoryException>(where, ": ", what);
  fail_as<OutOfMemoryException>(where, ": ", what, ". The operands are ", OperandsText{o}, ".");
}

/// Calls an operation of LibTorch; what it refuses becomes a NEMLException that says where.
inline void
call_translated(const char * where, c10::function_ref<void()> f, ArrayRef<Operand> operands = {})
{
  try
  {
    f();
  }
  catch (const c10::OutOfMemoryError & e)
  {
    fail_out_of_memory(where, e, operands);
  }
  catch (const c10::IndexError & e)
  {
    fail_as<IndexException>(where, ": ", e.what_without_backtrace());
  }
  catch (const c10::LinAlgError & e)
  {
    fail_as<SingularException>(where, ": ", e.what_without_backtrace());
  }
  catch (const c10::Error & e)
  {
    const std::string_view what = e.what_without_backtrace();
    if (what.find("allocate memory") != what.npos || what.find("enough memory") != what.npos ||
        what.find("Storage size calculation overflowed") != what.npos)
      fail_out_of_memory(where, e, operands);
    fail(where, ": ", what);
  }
  catch (const std::runtime_error & e) // what LibTorch 1 throws for some shapes
  {
    fail(where, ": ", e.what());
  }
}

/// The result of an operation of LibTorch, with its errors translated.
template <class F>
auto
translate_errors(const char * where, const F & f, ArrayRef<Operand> operands = {})
{
  using Result = decltype(f());
  if constexpr (std::is_void_v<Result>)
    call_translated(where, f, operands);
  else
  {
    std::optional<Result> result;
    call_translated(
        where, [&] { result.emplace(f()); }, operands);
    return *std::move(result);
  }
}
} // namespace neml2::core
