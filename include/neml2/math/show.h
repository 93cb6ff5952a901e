// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/groups.h"
#include "neml2/math/formula.h"
#include "neml2/recorded/listing.h"

/// The operations of a formula as text.
namespace neml2
{
/**
 * Lists, one per line, the operations on numbers in the recording of the formula f for arguments of these types.
 *
 *     std::cout << show([](const auto & s) { return norm(dev(s)); }, strain);
 *
 * Equal operations are listed once, and operations on constants are not listed. The values of the arguments do not matter.
 */
template <class F, class... A>
std::string
show(const F & f, const A &... a)
{
  if constexpr (engine::needs_groups<F, A...>())
    return std::apply([&](const auto &... leaf)
                      { return show(engine::Grouped<F, A...>{f}, leaf...); },
                      engine::all_leaves(a...));
  else if constexpr (engine::is_formula<F, A...>)
    return recorded::listing(
        engine::recorded_formula<std::decay_t<decltype(engine::formula_argument(a))>...>(f)
            ->value());
  else // an error has been reported already: this line avoids further ones
    return "";
}
} // namespace neml2
