// SPDX-License-Identifier: MIT
#pragma once

#include "support/operation.h"

/// All checks of an operation, for all operations of a table at once.
namespace neml2::test
{
/// For operations that only LibTorch computes, such as those on any base shape.
const Checks fused_path{Check::both_paths, Check::rule};
/// For operations without a derivative rule: views, and compositions of other operations.
const Checks own_rule{Check::rule};
const Checks all_derivatives{Check::rule, Check::first_derivative, Check::second_derivative};

/// Runs each check of each operation except those that the operation leaves out. Each is an assertion of
/// Catch2: a failure names the operation and the check, and the other checks still run.
void check_operations(const Table & table);

/// A table of operations at namespace scope, which the tests of every operation and the random chains also use.
/// The file has one test that checks it, with the tag [cuda]: results on the device of support/device.h are
/// compared with the CPU's.
class Battery
{
public:
  explicit Battery(std::function<Table()> table);

  void check() const { check_operations(_table()); }

private:
  std::function<Table()> _table;
};

/// The operations of all tables of this program.
Table every_operation();
} // namespace neml2::test
