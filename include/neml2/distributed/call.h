// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Tensor.h"
#include "neml2/distributed/functions.h"

/// The functions below check that all processes make the same call with tensors of the library, and move the divided
/// dimension to the front for the functions of functions.h.
namespace neml2::distributed
{
/// A call: its processes, the position d of the divided dimension among all dimensions, and each process's number
/// of entries.
struct Call
{
  Processes processes;
  Size d;
  Counts counts;
};

/// Checks that the group can exchange tensors on the operand's device.
inline void
check_reach(const Processes & p, const core::Operation & op, const core::Operand & o)
{
  NEML2_CHECK(p.reach(o.tensor->device().type()),
              op.name,
              ": ",
              o,
              " is on ",
              o.tensor->device(),
              ", for which the group has no backend. Move it with .to(device).");
}

/// Checks the operand, and that all processes make the same call. If n is given, the call adds a dimension of size n.
template <class T>
Call
begin(
    const core::Operation & op, const T & a, const Group & group, Size d, const Size * n = nullptr)
{
  Processes p(op.name, group);
  const core::Operand o = core::operand(a);
  const Size at = p.checked(
      [&]
      {
        core::check_operand(op, o);
        check_reach(p, op, o);
        NEML2_CHECK(!n || *n >= 0, op.name, ": ", *n, " entries. Expected 0 or more.");
        NEML2_CHECK_AS(IndexException,
                       n || o.batch_dim > 0,
                       op.name,
                       ": ",
                       o,
                       " has no batch dimension. Add one (batch_unsqueeze).");
        return core::position(op.name, o, d, 0, o.batch_dim + (n ? 1 : 0));
      });
  std::ostringstream call;
  call << op.name << " of " << o.type << ' ' << described(a, n ? -1 : at) << ", " << o.batch_dim
       << " batch dimensions, on " << c10::DeviceTypeName(a.device().type(), /*lower_case=*/true)
       << (is_recorded(a) ? ", that requires grad," : "") << " along dimension " << at;
  return {p, at, p.agree(call.str(), n ? *n : a.size(at))};
}

/// Moves dimension d of a to the front, calls f, and moves the first dimension of the result back to d.
template <class T, class F>
T
keeping(const Call & c, const T & a, const F & f)
{
  return T(
      core::Trusted(), f(c.processes, a.movedim(c.d, 0), c.counts).movedim(0, c.d), a.batch_dim());
}

/// Moves dimension d of a to the front, and calls f, which removes that dimension.
template <class T, class F>
T
reducing(const Call & c, const T & a, const F & f)
{
  return T(core::Trusted(), f(c.processes, a.movedim(c.d, 0), c.counts), a.batch_dim() - 1);
}

/// Divides n entries among the processes: the first processes get one more if there is a remainder.
inline Counts
divided(Size n, int processes)
{
  Counts counts(static_cast<size_t>(processes));
  for (int k = 0; k < processes; k++)
    counts[size_t(k)] = n / processes + (k < n % processes);
  return counts;
}

template <class T>
T
extremum_of(const core::Operation & op, const T & a, const Group & group, Size d, bool largest)
{
  const Call c = begin(op, a, group, d);
  NEML2_CHECK(sum(c.counts) > 0,
              op.name,
              ": no process has an entry along dimension ",
              d,
              ". Expected at least one.");
  return reducing(c,
                  a,
                  [&](const Processes & p, const at::Tensor & x, const Counts & counts)
                  { return extremum(p, x, counts, largest); });
}
} // namespace neml2::distributed
