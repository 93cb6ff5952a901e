// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/DynamicDims.h"
#include "neml2/core/operands.h"

/// Makes tensors of a given shape. Options are the last, optional argument: without them a tensor has the
/// default dtype and device.
namespace neml2::core
{
/// Tells a constructor that the caller has checked the arguments.
struct Trusted
{
};

/// Enables an overload for options or no argument. Options are a template parameter, so that a bare {} selects the
/// overload whose parameter is a shape.
template <class... O>
using if_optional =
    std::enable_if_t<(sizeof...(O) < 2) && (std::is_convertible_v<const O &, TensorOptions> && ...),
                     int>;

template <class... O>
TensorOptions
options_or_default(const O &... options)
{
  if constexpr (sizeof...(O) == 0)
    return default_tensor_options();
  else
    return TensorOptions(options...);
}

inline void
check_shape(const char * where, TensorShapeRef shape)
{
  for (const Size s : shape)
    NEML2_CHECK(
        s >= 0, where, ": a tensor cannot have the shape ", shape, ": sizes are not negative.");
}

/// The tensor f(shape, options) of a factory. It is a leaf if the options request grad, and has the
/// default dtype of the library if they name no dtype.
inline at::Tensor
make(const char * where,
     TensorShapeRef shape,
     const TensorOptions & options,
     c10::function_ref<at::Tensor(TensorShapeRef, const TensorOptions &)> f)
{
  check_shape(where, shape);
  try
  {
    return translate_errors(where,
                            [&]
                            {
                              const at::Tensor t =
                                  f(shape, with_dtype(options).requires_grad(false));
                              return options.requires_grad() ? t.set_requires_grad(true) : t;
                            });
  }
  catch (const OutOfMemoryException & e)
  {
    fail_as<OutOfMemoryException>(e.what(), ". The shape is ", shape, ".");
  }
}

inline at::Tensor
make_empty(TensorShapeRef shape, const TensorOptions & options)
{
  return make("empty", shape, options, [](auto s, const auto & o) { return at::empty(s, o); });
}
inline at::Tensor
make_zeros(TensorShapeRef shape, const TensorOptions & options)
{
  return make("zeros", shape, options, [](auto s, const auto & o) { return at::zeros(s, o); });
}
inline at::Tensor
make_ones(TensorShapeRef shape, const TensorOptions & options)
{
  return make("ones", shape, options, [](auto s, const auto & o) { return at::ones(s, o); });
}
inline at::Tensor
make_rand(TensorShapeRef shape, const TensorOptions & options)
{
  return make("rand", shape, options, [](auto s, const auto & o) { return at::rand(s, o); });
}
inline at::Tensor
make_full(TensorShapeRef shape, const CScalar & value, const TensorOptions & options)
{
  return make(
      "full", shape, options, [&](auto s, const auto & o) { return at::full(s, value, o); });
}

namespace mixins // searched by argument-dependent lookup: it contains base classes of the tensors
{
/// Factories of tensors that have the shape, the number of batch dimensions, the dtype and the device of another tensor.
template <class Derived>
class LikeFactories
{
public:
  /// Values are not initialised.
  [[nodiscard]] static Derived empty_like(const Derived & other)
  {
    return made("empty_like", other, make_empty);
  }
  [[nodiscard]] static Derived zeros_like(const Derived & other)
  {
    return made("zeros_like", other, make_zeros);
  }
  [[nodiscard]] static Derived ones_like(const Derived & other)
  {
    return made("ones_like", other, make_ones);
  }
  /// Uniform in [0, 1).
  [[nodiscard]] static Derived rand_like(const Derived & other)
  {
    return made("rand_like", other, make_rand);
  }
  [[nodiscard]] static Derived full_like(const Derived & other, const CScalar & value)
  {
    return made("full_like", other, [&](auto s, const auto & o) { return make_full(s, value, o); });
  }

private:
  static Derived made(const char * where,
                      const Derived & other,
                      c10::function_ref<at::Tensor(TensorShapeRef, const TensorOptions &)> f)
  {
    check_defined(where, other);
    return Derived(
        Trusted(), f(other.sizes(), other.options().requires_grad(false)), other.batch_dim());
  }
};

/// Factories of a type that fixes the base shape. They take no shape, or a batch shape, or a dynamic shape and an
/// intermediate shape (intmd), which must be empty. A batch shape is one argument: SR2::zeros({2, 3}), or
/// SR2::zeros(5). SR2::zeros(2, 3) throws, because it asks for the batch shape (2) and the intermediate shape (3).
template <class Derived>
class FixedBaseFactories
{
public:
  /// Values are not initialised.
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived empty(const O &... o)
  {
    return empty(TraceableTensorShape(), o...);
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived empty(const TraceableTensorShape & batch, const O &... o)
  {
    return made(batch, make_empty(shape(batch), options_or_default(o...)));
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived
  empty(const TraceableTensorShape & dynamic, TensorShapeRef intmd, const O &... o)
  {
    check_no_intmd("empty", intmd);
    return empty(dynamic, o...);
  }
  /// All 0.
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived zeros(const O &... o)
  {
    return zeros(TraceableTensorShape(), o...);
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived zeros(const TraceableTensorShape & batch, const O &... o)
  {
    return made(batch, make_zeros(shape(batch), options_or_default(o...)));
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived
  zeros(const TraceableTensorShape & dynamic, TensorShapeRef intmd, const O &... o)
  {
    check_no_intmd("zeros", intmd);
    return zeros(dynamic, o...);
  }
  /// All 1.
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived ones(const O &... o)
  {
    return ones(TraceableTensorShape(), o...);
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived ones(const TraceableTensorShape & batch, const O &... o)
  {
    return made(batch, make_ones(shape(batch), options_or_default(o...)));
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived
  ones(const TraceableTensorShape & dynamic, TensorShapeRef intmd, const O &... o)
  {
    check_no_intmd("ones", intmd);
    return ones(dynamic, o...);
  }

  /// Uniform in [0, 1), each stored component independently. The dtype must be floating.
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived rand(const O &... o)
  {
    return rand(TraceableTensorShape(), o...);
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived rand(const TraceableTensorShape & batch, const O &... o)
  {
    return made(batch, make_rand(shape(batch), options_or_default(o...)));
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived
  rand(const TraceableTensorShape & dynamic, TensorShapeRef intmd, const O &... o)
  {
    check_no_intmd("rand", intmd);
    return rand(dynamic, o...);
  }
  /// A tensor whose entries all have this value.
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived full(const CScalar & value, const O &... o)
  {
    return full(TraceableTensorShape(), value, o...);
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived
  full(const TraceableTensorShape & batch, const CScalar & value, const O &... o)
  {
    return made(batch, make_full(shape(batch), value, options_or_default(o...)));
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived full(const TraceableTensorShape & dynamic,
                                    TensorShapeRef intmd,
                                    const CScalar & value,
                                    const O &... o)
  {
    check_no_intmd("full", intmd);
    return full(dynamic, value, o...);
  }

private:
  static TensorShape shape(const TraceableTensorShape & batch)
  {
    return utils::add_shapes(batch, Derived::base_shape);
  }
  static Derived made(const TraceableTensorShape & batch, at::Tensor t)
  {
    return Derived(Trusted(), std::move(t), Size(batch.size()));
  }
};

/// Factories of a type of any base shape. They take the base shape alone, as in Tensor::zeros({3}), or a batch shape and the
/// base shape, as in Tensor::zeros({5}, {3}). They also take three shapes: dynamic, intermediate (intmd), which must be empty,
/// and base.
template <class Derived>
class AnyBaseFactories
{
public:
  /// Values are not initialised.
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived empty(TensorShapeRef base, const O &... o)
  {
    return empty(TraceableTensorShape(), base, o...);
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived
  empty(const TraceableTensorShape & batch, TensorShapeRef base, const O &... o)
  {
    return made(batch, make_empty(utils::add_shapes(batch, base), options_or_default(o...)));
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived empty(const TraceableTensorShape & dynamic,
                                     TensorShapeRef intmd,
                                     TensorShapeRef base,
                                     const O &... o)
  {
    check_no_intmd("empty", intmd);
    return empty(dynamic, base, o...);
  }
  /// All 0.
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived zeros(TensorShapeRef base, const O &... o)
  {
    return zeros(TraceableTensorShape(), base, o...);
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived
  zeros(const TraceableTensorShape & batch, TensorShapeRef base, const O &... o)
  {
    return made(batch, make_zeros(utils::add_shapes(batch, base), options_or_default(o...)));
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived zeros(const TraceableTensorShape & dynamic,
                                     TensorShapeRef intmd,
                                     TensorShapeRef base,
                                     const O &... o)
  {
    check_no_intmd("zeros", intmd);
    return zeros(dynamic, base, o...);
  }
  /// All 1.
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived ones(TensorShapeRef base, const O &... o)
  {
    return ones(TraceableTensorShape(), base, o...);
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived
  ones(const TraceableTensorShape & batch, TensorShapeRef base, const O &... o)
  {
    return made(batch, make_ones(utils::add_shapes(batch, base), options_or_default(o...)));
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived ones(const TraceableTensorShape & dynamic,
                                    TensorShapeRef intmd,
                                    TensorShapeRef base,
                                    const O &... o)
  {
    check_no_intmd("ones", intmd);
    return ones(dynamic, base, o...);
  }

  /// Uniform in [0, 1). The dtype must be floating.
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived rand(TensorShapeRef base, const O &... o)
  {
    return rand(TraceableTensorShape(), base, o...);
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived
  rand(const TraceableTensorShape & batch, TensorShapeRef base, const O &... o)
  {
    return made(batch, make_rand(utils::add_shapes(batch, base), options_or_default(o...)));
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived rand(const TraceableTensorShape & dynamic,
                                    TensorShapeRef intmd,
                                    TensorShapeRef base,
                                    const O &... o)
  {
    check_no_intmd("rand", intmd);
    return rand(dynamic, base, o...);
  }
  /// A tensor whose entries all have this value.
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived full(TensorShapeRef base, const CScalar & value, const O &... o)
  {
    return full(TraceableTensorShape(), base, value, o...);
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived full(const TraceableTensorShape & batch,
                                    TensorShapeRef base,
                                    const CScalar & value,
                                    const O &... o)
  {
    return made(batch, make_full(utils::add_shapes(batch, base), value, options_or_default(o...)));
  }
  template <class... O, if_optional<O...> = 0>
  [[nodiscard]] static Derived full(const TraceableTensorShape & dynamic,
                                    TensorShapeRef intmd,
                                    TensorShapeRef base,
                                    const CScalar & value,
                                    const O &... o)
  {
    check_no_intmd("full", intmd);
    return full(dynamic, base, value, o...);
  }

private:
  static Derived made(const TraceableTensorShape & batch, at::Tensor t)
  {
    return Derived(Trusted(), std::move(t), Size(batch.size()));
  }
};
} // namespace mixins
} // namespace neml2::core
