// SPDX-License-Identifier: MIT
// A shared library that hides its symbols and brings the derivative rules; built twice.
#include "library.h"

#include "neml2/tensors/gradients.h"

using namespace neml2;

namespace
{
template <class Result, class... A>
int
rules_given_twice()
{
  int n = 0;
  const engine::GradientRule * rule = engine::gradient_rules<Result, A...>;
  NEML2_CHECK(rule, "there are no rules");
  for (; rule; rule = rule->next)
    n += engine::find_rule(rule->next, rule->operation) != nullptr;
  return n;
}
} // namespace

// A list of each header of rules.
int
rules_given_twice()
{
  return rules_given_twice<engine::Numbers, engine::Numbers>() +
         rules_given_twice<Quaternion, Quaternion>() + rules_given_twice<R2, R2>() +
         rules_given_twice<Rot, Rot, Rot>() + rules_given_twice<SR2, SR2>() +
         rules_given_twice<SSR4, SSR4>() + rules_given_twice<Vec, Vec, Vec>() +
         rules_given_twice<WR2, R2>() + rules_given_twice<R4, R4, R4>() +
         rules_given_twice<SR2, SR2, WR2>();
}

const void *
rules_of_SR2()
{
  return &engine::gradient_rules<SR2, SR2>;
}
