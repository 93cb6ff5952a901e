// SPDX-License-Identifier: MIT
// Random chains of the operations of this room against references in plain ATen. NEML2_RANDOM_CASES is the
// number of cases, NEML2_RANDOM_SEED the seed of the first; the next case has the next seed.
#include "support/battery.h"
#include "support/random_chains.h"

#include <cstdlib>
#include <iostream>
#include <string>

#include "support/catch.h"

namespace random_chains_test
{
using namespace neml2;

namespace
{
uint64_t
setting(const char * name, uint64_t otherwise)
{
  const char * const text = std::getenv(name);
  return text ? std::stoull(text) : otherwise;
}

test::Verdict
run(const std::vector<test::Operation> & all, uint64_t seed, test::Tally & tally)
{
  try
  {
    return test::RandomChain(all, seed, tally).passes();
  }
  catch (const std::exception & e)
  {
    return test::no("throws ", test::message(e));
  }
}
} // namespace

TEST_CASE("Random chains of operations agree with their references", "[random]")
{
  std::vector<test::Operation> all;
  std::string others;
  for (auto & op : test::every_operation())
    if (op.expected)
      all.push_back(std::move(op));
    else
      others += " " + op.name + ",";
  const auto cases = setting("NEML2_RANDOM_CASES", 10000), first = setting("NEML2_RANDOM_SEED", 1);
  test::Tally tally;
  size_t failed = 0;
  for (uint64_t seed = first; seed < first + cases && failed < 10; seed++)
    if (const auto v = run(all, seed, tally); !v)
    {
      failed++;
      std::cout << "Case " << seed << ", " << v.problem
                << "\nThis case alone: make random SEED=" << seed << " CASES=1\n\n";
    }
  std::cout << "random chains: " << cases << " cases from seed " << first << ", "
            << tally.operations << " operations, " << tally.used.size() << " different of "
            << all.size() << ", " << tally.gradients << " times differentiated, " << tally.chains
            << " chains differentiated (" << tally.refused << " references are not), " << failed
            << " fail; without reference:" << others << std::endl;
  REQUIRE(failed == 0);
  if (cases >= 1000)
  {
    REQUIRE(tally.used.size() >= 60);
    REQUIRE(tally.refused <= cases / 1000);
  }
}
} // namespace random_chains_test
