// SPDX-License-Identifier: MIT
#include "support/battery.h"
#include "support/device.h"
#include "support/guards.h"
#include "support/memory.h"

#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
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
check_every(const char * promise,
            const std::function<test::Verdict(const test::Operation &)> & check)
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

/// Formulas of the tests, and the function in them that waits.
const std::map<std::string, std::string> formulas_with{{"Kepler", "newton"},
                                                       {"length along", "newton"},
                                                       {"plastic flow", "newton"},
                                                       {"root of a tensor", "newton"},
                                                       {"square root", "newton"}};

/// What is quoted in the first column of the table of docs/devices.md.
std::set<std::string>
functions_that_wait()
{
  std::set<std::string> names;
  std::ifstream page(NEML2_DEVICES_PAGE);
  for (std::string line; std::getline(page, line);)
    if (line.rfind("| `", 0) == 0)
    {
      std::istringstream column(line.substr(1, line.find('|', 1) - 1));
      for (std::string text, name;
           std::getline(column, text, '`') && std::getline(column, name, '`');)
        names.insert(name);
    }
  return names;
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

TEST_CASE("The host waits for a device where docs/devices.md says so", "[every][cuda]")
{
  const auto listed = functions_that_wait();
  REQUIRE(listed.size() > 5);
  check_every("waits",
              [&](const test::Operation & op)
              {
                const auto found = formulas_with.find(op.name);
                const auto & name = found == formulas_with.end() ? op.name : found->second;
                const auto waits = test::waits(op);
                if (waits.empty() != (listed.count(name) == 0))
                  return test::no(name,
                                  waits.empty() ? " does not wait" : " waits in " + *waits.begin(),
                                  ": docs/devices.md says another thing");
                return test::Verdict();
              });
}

TEST_CASE("An operation holds little more memory than what it gives", "[every]")
{
  const test::Threads one(1); // memory is counted of one thread
  check_every("little memory", test::holds_little);
}
} // namespace every_operation_test
