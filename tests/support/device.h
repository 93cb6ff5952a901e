// SPDX-License-Identifier: MIT
#pragma once

#include "support/operation.h"
#include "support/stand_in.h"

/// Checks on a device other than the CPU: on the GPU, or on a stand-in if the machine has no GPU, so that no check is
/// left out. A test that uses them has the tag [cuda].
namespace neml2::test
{
/// The GPU, or the stand-in if the machine has no GPU. A test that uses the stand-in in any case has the tag [stand-in]
/// instead.
Device device();

/// The arguments on a device.
Arguments moved(const Arguments & a, Device to);

/// f gives the same results on the device as on the CPU, and on the stand-in the host waits only in these operators, apart from
/// work that is done once.
Verdict same_on_device(const std::function<Arguments(const Arguments &)> & f,
                       const Arguments & a,
                       const std::set<std::string> & waits = {});

/// The operation and its derivatives give on the device what they give on the CPU, for any layout in memory.
Verdict same_on_device(const Operation & op);

/// The operators in which the operation or its derivatives wait, apart from work that is done once.
std::set<std::string> waits(const Operation & op);
} // namespace neml2::test
