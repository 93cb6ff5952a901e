// SPDX-License-Identifier: MIT
#include "support/battery.h"
#include "support/device.h"
#include "support/guards.h"
#include "support/host_compiler.h"
#include "support/memory.h"
#include "support/nvrtc.h"

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
/// Promises of every operation, checked for all operations in the tables of this room.

using namespace neml2;

namespace
{
/// Requires that every operation passes, and names each one that does not.
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

/// Collects the sources of kernels without compiling them.
class Collector : public device::DeviceCompiler
{
public:
  std::set<std::string> sources;

  c10::DeviceType type() const override { return c10::DeviceType::PrivateUse1; }
  std::string version(c10::Device) override { return "of none"; }
  std::string architecture(c10::Device) override { return "none"; }
  std::string compile(const std::string & source, c10::Device) override
  {
    sources.insert(source);
    throw NEMLException("sources are only collected");
  }
  Function load(const std::string &, c10::Device) override { return nullptr; }
  void launch(const Launch &) override {}
};

/// The names in the first column of the table of docs/devices.md.
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

TEST_CASE("The host waits for a device where docs/devices.md says so", "[every][stand-in]")
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

TEST_CASE("Operations are kernels of a device, which compile and are right", "[every][stand-in]")
{
  const auto collector = std::make_shared<Collector>();
  {
    const test::TemporaryFolder folder;
    const test::Variable cache("NEML2_CACHE", folder.path());
    device::set_device_compiler(collector);
    for (const auto & op : test::every_operation())
      if (op.left_out.count(test::Check::device) == 0)
        test::same_on_device(op);
    device::set_device_compiler(nullptr);
  }
  const std::vector<std::string> sources(collector->sources.begin(), collector->sources.end());
  const test::WithHostCompiler setting(sources); // throws if a source does not compile
  std::set<std::string> composed;
  size_t fused = 0;
  check_every("kernels",
              [&](const test::Operation & op)
              {
                if (op.left_out.count(test::Check::device) > 0)
                  return test::Verdict();
                const size_t before = setting.compiler->launches;
                op.call(test::moved(test::arguments(op, {{3}}), test::stand_in()));
                if (setting.compiler->launches > before)
                  fused++;
                else
                  composed.insert(op.name);
                return test::same_on_device(op); // including its gradients
              });
  std::cout << "kernels: " << sources.size() << " sources, " << fused
            << " operations fused; composed:";
  for (const auto & name : composed)
    std::cout << " [" << name << "]";
  std::cout << "\n";
  REQUIRE(fused >= 10);
  REQUIRE(setting.compiler->sources.size() >= sources.size());
  const test::NvrtcOfTests nvrtc;
  if (!nvrtc.exists())
    std::cout << "kernels: found no NVRTC in Python's packages or in NEML2_NVRTC, so no kernel was "
                 "compiled for a GPU\n";
  for (const auto & source : sources)
    if (nvrtc.exists())
    {
      INFO(source);
      REQUIRE(nvrtc.errors(source, "sm_80") == "");
    }
}

TEST_CASE("Operations and their gradients are the same on a GPU", "[every][cuda]")
{
  if (at::hasCUDA()) // without CUDA the test above uses the stand-in
    check_every("GPU",
                [](const test::Operation & op)
                {
                  return op.left_out.count(test::Check::device) > 0 ? test::Verdict()
                                                                    : test::same_on_device(op);
                });
}

TEST_CASE("An operation holds little more memory than what it gives", "[every]")
{
  const test::Threads one(1); // memory is counted for one thread
  check_every("little memory", test::holds_little);
}
} // namespace every_operation_test
