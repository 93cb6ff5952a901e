// SPDX-License-Identifier: MIT
#include "support/battery.h"
#include "support/derivatives.h"
#include "support/device.h"
#include "support/gradients.h"
#include "support/parity.h"
#include "support/refusals.h"

#include "support/catch.h"

namespace neml2::test
{
namespace
{
struct NamedCheck
{
  Check check;
  const char * name;
  Verdict (*of)(const Operation &);
};

constexpr NamedCheck checks[] = {
    {Check::reference, "agrees with its reference", agrees_with_reference},
    {Check::both_paths, "is the same fused and composed", same_on_both_paths},
    {Check::rule, "has a derivative rule that is right", gradients_are_fused_and_right},
    {Check::first_derivative, "has the right first derivatives", first_derivatives_are_right},
    {Check::second_derivative, "has the right second derivatives", second_derivatives_are_right},
    {Check::meta, "gives shapes on the meta device", gives_shapes_on_meta},
    {Check::refusals, "refuses bad operands and says why", refuses_bad_operands},
    {Check::integers, "is exact on integers", is_exact_on_integers},
    {Check::device, "is the same on a device", same_on_device}};

bool
applies(Check check, const Operation & op)
{
  return op.left_out.count(check) == 0 &&
         (check != Check::integers || op.accepts != core::Accepts::floating);
}

Verdict
verdict(const NamedCheck & check, const Operation & op)
{
  try
  {
    return check.of(op);
  }
  catch (const std::exception & e)
  {
    return no("throws ", e.what());
  }
}

std::vector<std::function<Table()>> &
tables()
{
  static std::vector<std::function<Table()>> all;
  return all;
}
} // namespace

void
check_operations(const Table & table)
{
  for (size_t i = 0; i < table.size(); i++)
    for (const auto & check : checks)
      if (applies(check.check, table[i]))
      {
        if (const auto v = verdict(check, table[i]); v)
          SUCCEED();
        else
          FAIL_CHECK("Operation " << i << " of the table, " << table[i].name << ", does not pass \""
                                  << check.name << "\":\n"
                                  << v);
      }
}

Battery::Battery(std::function<Table()> table) : _table(std::move(table))
{
  tables().push_back(_table);
}

Table
every_operation()
{
  Table all;
  for (const auto & table : tables())
    for (auto & op : table())
      all.push_back(std::move(op));
  return all;
}
} // namespace neml2::test
