// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/torch.h"

#include <c10/util/Exception.h>

#include <exception>

/// Passes warnings of LibTorch and of the library on as Python warnings.
namespace neml2::python
{
/// Collects warnings during its lifetime. Its destructor, which needs the GIL, passes them on.
class PassedWarnings
{
public:
  PassedWarnings() = default;
  PassedWarnings(const PassedWarnings &) = delete;
  PassedWarnings & operator=(const PassedWarnings &) = delete;
  ~PassedWarnings() noexcept(false)
  {
    for (const std::string & m : _handler.messages)
      if (PyErr_WarnEx(PyExc_UserWarning, m.c_str(), 1) < 0) // the user turns warnings into errors
      {
        if (std::uncaught_exceptions() == 0)
          throw nanobind::python_error();
        PyErr_Clear();
      }
  }

private:
  struct Handler : c10::WarningHandler
  {
    std::vector<std::string> messages;
    void process(const c10::Warning & w) override { messages.push_back(w.msg()); }
  };

  Handler _handler;
  c10::WarningUtils::WarningHandlerGuard _guard{&_handler};
};
} // namespace neml2::python
