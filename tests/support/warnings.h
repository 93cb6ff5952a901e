// SPDX-License-Identifier: MIT
#pragma once

#include <c10/util/Exception.h>
#include <torch/version.h>

#include <string>
#include <vector>

namespace neml2::test
{
/// Collects the warnings that are given during the lifetime of this object.
class Warnings : public c10::WarningHandler
{
public:
  std::vector<std::string> messages;
#if TORCH_VERSION_MAJOR < 2
  void process(const c10::SourceLocation &, const std::string & message, const bool) override
  {
    messages.push_back(message);
  }

private:
  c10::Warning::WarningHandlerGuard _guard{this};
#else
  void process(const c10::Warning & w) override
  {
    messages.push_back(w.msg());
  }

private:
  c10::WarningUtils::WarningHandlerGuard _guard{this};
#endif
};
} // namespace neml2::test
