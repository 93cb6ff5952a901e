// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/options.h"
#include "neml2/core/shape.h"

#include <array>

/// The properties of operations and operands that checks and messages use.
namespace neml2::core
{
/// The element types for which an operation is defined.
enum class Accepts
{
  floating, ///< float16, bfloat16, float32, float64
  numbers,  ///< the floating types and integers
  any       ///< also bool and complex: every dtype that LibTorch's own operation takes
};

/// The name of an operation in error messages, and the dtypes that it accepts.
struct Operation
{
  const char * name;
  Accepts accepts;

  constexpr Operation(const char * n, Accepts a = Accepts::floating) : name(n), accepts(a) {}
};

/// The properties of an operand that operations check; its class gives the type and the base shape.
struct Operand
{
  const at::Tensor * tensor; ///< null for a plain number
  const char * type;
  Size batch_dim;
  TensorShapeRef base; ///< the base shape its class promises; for Tensor, its actual base shape
  const double * number = nullptr;

  TensorShapeRef batch() const
  {
    return tensor ? tensor->sizes().slice(0, size_t(batch_dim)) : TensorShapeRef();
  }
};

/// Type and shape in a message: SR2 (1000, 2; 6)
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

/// The name of a dtype as users write it, such as int64 or float64.
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
  case c10::kComplexHalf:
    return "complex32";
  case c10::kComplexFloat:
    return "complex64";
  case c10::kComplexDouble:
    return "complex128";
  default:
    return c10::toString(dtype);
  }
}

/// Several operands in a message: "SSR4 (2; 6, 6) and SR2 (1000; 6)"
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

/// The properties of a tensor of this library that operations check.
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
} // namespace neml2::core
