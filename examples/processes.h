// SPDX-License-Identifier: MIT
// A group of the processes that torchrun or another program starts with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT set;
// they communicate by Gloo. Without these variables the group is one process. Needs Gloo's headers, which pip's LibTorch does
// not contain (Debian: libgloo-dev); their version does not matter, since only pointers to Gloo's types are passed here.
#pragma once

#include "neml2/distributed/batch.h"

#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/version.h>

#include <chrono>
#include <cstdlib>
#include <string>

/// The group of this many processes, which meet in this store. A process that waits for another one longer than the
/// limit gets an error.
inline neml2::distributed::Group
gloo_group(const c10::intrusive_ptr<c10d::Store> & store,
           int rank,
           int size,
           std::chrono::milliseconds limit)
{
  const auto options = c10d::ProcessGroupGloo::Options::create(limit);
  options->devices.push_back(c10d::ProcessGroupGloo::createDefaultDevice());
  const auto gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size, options);
#if TORCH_VERSION_MAJOR < 2
  return gloo;
#else
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, rank, size);
  constexpr auto kind = c10d::ProcessGroup::BackendType::GLOO;
  group->setBackend(c10::DeviceType::CPU, kind, gloo);
  group->setDefaultBackend(kind);
  return group;
#endif
}

/// The group that the environment variables describe.
inline neml2::distributed::Group
processes_of_environment(std::chrono::milliseconds limit)
{
  const auto value = [](const char * name, const char * otherwise)
  {
    const char * const v = std::getenv(name);
    return std::string(v ? v : otherwise);
  };
  const int rank = std::stoi(value("RANK", "0")), size = std::stoi(value("WORLD_SIZE", "1"));
  if (size == 1)
    return gloo_group(c10::make_intrusive<c10d::HashStore>(), rank, size, limit);
  c10d::TCPStoreOptions options;
  options.port = uint16_t(std::stoi(value("MASTER_PORT", "29500")));
  options.isServer =
      rank == 0 && value("TORCHELASTIC_USE_AGENT_STORE", "") != "True"; // torchrun may have a store
  options.timeout = limit;
  const auto store =
      c10::make_intrusive<c10d::TCPStore>(value("MASTER_ADDR", "127.0.0.1"), options);
  return gloo_group(store, rank, size, limit);
}
