// SPDX-License-Identifier: MIT
#include "support/battery.h"
#include "support/guards.h"
#include "support/memory.h"

#include <iostream>
#include <string>
#include <vector>

#include "support/catch.h"

namespace every_operation_test
{
/// Promises of every operation, checked over all that the files of this room know.

using namespace neml2;

namespace
{
/// Every operation passes; each that does not is named.
void
check_every(const char * promise, test::Verdict (*check)(const test::Operation &))
{
  const auto all = test::every_operation();
  std::vector<std::string> failed;
  for (const auto & op : all)
    try
    {
      if (const auto v = check(op); !v)
        failed.push_back(v.problem);
    }
    catch (const std::exception & e)
    {
      failed.push_back(op.name + " throws " + e.what());
    }
  std::cout << promise << ": " << all.size() << " operations, " << failed.size() << " fail\n";
  for (const auto & problem : failed)
    std::cout << problem << "\n";
  REQUIRE(all.size() > 50);
  REQUIRE(failed.empty());
}
} // namespace

TEST_CASE("A bad row leaves its neighbours as they are alone", "[every]")
{
  check_every("bad rows", test::bad_rows_stay_alone);
}

TEST_CASE("A row is bitwise the same in any batch", "[every]")
{
  check_every("rows alone", test::rows_are_alone);
}

TEST_CASE("A result is bitwise the same on any number of threads", "[every]")
{
  check_every("threads", test::same_on_all_threads);
}

TEST_CASE("Ordinary rows raise no floating-point exception", "[every]")
{
  check_every("no exceptions", test::raises_no_exception);
}

TEST_CASE("An operation holds little more memory than what it gives", "[every]")
{
  const test::Threads one(1); // memory is counted of one thread
  check_every("little memory", test::holds_little);
}
} // namespace every_operation_test
