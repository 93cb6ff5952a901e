// SPDX-License-Identifier: MIT
#pragma once

#include <c10/util/Exception.h>

#include <string>
#include <vector>

namespace neml2::test
{
/// What is warned of as long as it lives.
class Warnings : public c10::WarningHandler
{
public:
  std::vector<std::string> messages;
  void process(const c10::Warning & w) override { messages.push_back(w.msg()); }

private:
  c10::WarningUtils::WarningHandlerGuard _guard{this};
};
} // namespace neml2::test
