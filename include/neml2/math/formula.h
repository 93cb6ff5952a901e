// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/KeptFormula.h"
#include "neml2/engine/TileFormula.h"
#include "neml2/math/vmap.h"

/**
 * Formulas that keep their text, so that on a CUDA device vmap runs them in one kernel, which is compiled while the program runs.
 *
 *     constexpr auto update = NEML2_FORMULA([](const auto & strain, const auto & E) { return E * dev(strain); });
 *
 * `update` is the lambda as an ordinary function object, for vmap, vmap_out, value_and_jacobian and with_gradient; for the CPU it
 * is compiled just like the lambda.
 *
 * The text may use everything that formulas may contain (the library's functions and types, numbers, std::tuple, local variables, lambdas,
 * loops); macros in it are expanded. It captures nothing: parameters are arguments. Constants and other formulas of this kind that it names
 * are listed in front:
 *
 *     constexpr auto flow = NEML2_FORMULA_USING((yield_stress, update), [](const auto & strain, const auto & E) { ... });
 *
 * These constants are constexpr variables of namespaces, or static constexpr variables of functions: numbers, std::arrays of
 * numbers, or formulas that keep their text. The text uses them by the names in the list.
 *
 * A formula that does not compile for the device runs on whole batches, and a warning says why.
 */
#define NEML2_FORMULA(...)                                                                         \
  []()                                                                                             \
  {                                                                                                \
    struct Neml2Text : neml2::engine::UsesNothing                                                  \
    {                                                                                              \
      static constexpr const char * text() { return NEML2_TEXT(__VA_ARGS__); }                     \
    };                                                                                             \
    return neml2::engine::kept_formula<Neml2Text>(__VA_ARGS__);                                    \
  }()

#define NEML2_FORMULA_USING(used, ...)                                                             \
  []()                                                                                             \
  {                                                                                                \
    struct Neml2Text                                                                               \
    {                                                                                              \
      static constexpr const char * text() { return NEML2_TEXT(__VA_ARGS__); }                     \
      static void define(neml2::recorded::Definitions & all)                                       \
      {                                                                                            \
        neml2::engine::define_used(all, NEML2_TEXT used, std::make_tuple used);                    \
      }                                                                                            \
    };                                                                                             \
    return neml2::engine::kept_formula<Neml2Text>(__VA_ARGS__);                                    \
  }()

/**
 * A struct of tensors, a template of the types of its fields, that formulas with their text may take, make and return:
 *
 *     NEML2_STRUCT(State, template <class S, class A> struct State {
 *       S plastic_strain;
 *       A alpha;
 *     });
 */
#define NEML2_STRUCT(name, ...)                                                                    \
  __VA_ARGS__;                                                                                     \
  template <class... T>                                                                            \
  constexpr neml2::engine::StructText neml2_struct_text(const name<T...> *)                        \
  {                                                                                                \
    return {#name, NEML2_TEXT(__VA_ARGS__) ";"};                                                   \
  }                                                                                                \
  static_assert(true) // so that a semicolon may follow

/// The argument as text, with macros expanded.
#define NEML2_TEXT(...) #__VA_ARGS__
