// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"

#include <mutex>
#include <set>
#include <string>

/// Warnings that are given once.
namespace neml2::engine
{
/// Whether this is the first call with this text in this program.
NEML2_ONE_A_PROGRAM inline bool
is_first_warning(const std::string & of)
{
  static std::mutex * const mutex = new std::mutex; // threads may run until exit
  static std::set<std::string> * const warned = new std::set<std::string>;
  const std::lock_guard<std::mutex> lock(*mutex);
  return warned->insert(of).second;
}
} // namespace neml2::engine
