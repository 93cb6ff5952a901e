// SPDX-License-Identifier: MIT
#include "support/device.h"
#include "support/derivatives.h"
#include "support/parity.h"

namespace neml2::test
{
Device
device()
{
  return at::hasCUDA() ? Device(kCUDA, 0) : stand_in();
}

Arguments
moved(const Arguments & a, Device to)
{
  Arguments r;
  for (const auto & t : a)
    r.push_back(t.to(to));
  return r;
}

namespace
{
/// The arguments, each in a different layout.
Arguments
laid_out(const Operation & op, Arguments a, int layout)
{
  for (size_t k = 0; k < a.size(); k++)
    a[k] = lay_out(Layout((layout + int(k)) % layouts), a[k], op.base[k].size());
  return a;
}

/// The value of the operation and, where it has derivatives, the derivatives of its weighted sum.
Arguments
value_and_derivatives(const Operation & op, const Arguments & a)
{
  Arguments r{op.call(a)};
  if (op.left_out.count(Check::first_derivative) > 0)
    return r;
  const auto x = tracked(a);
  const at::AutoGradMode grad(true);
  const at::Tensor y = op.call(x);
  const auto weight = at::arange(1, y.numel() + 1, y.options()).div(y.numel()).view(y.sizes());
  for (auto & g : gradient(project({y}, {weight}), x, false))
    r.push_back(g);
  return r;
}

/// Why results on the device are not what was expected; empty if they are.
std::string
device_difference(const Arguments & result, const Arguments & expected, double tolerance)
{
  if (result.size() != expected.size())
    return "another number of results";
  for (size_t k = 0; k < expected.size(); k++)
  {
    const std::string which = "result " + std::to_string(k) + ": ";
    if (result[k].device() != device())
      return which + "on " + result[k].device().str();
    if (const auto d = difference(result[k].cpu(), expected[k], tolerance); !d.empty())
      return which + d;
  }
  return {};
}
} // namespace

Verdict
same_on_device(const std::function<Arguments(const Arguments &)> & f,
               const Arguments & a,
               const std::set<std::string> & waits)
{
  const auto there = moved(a, device());
  if (const auto d = device_difference(f(there), f(a), 1e-11); !d.empty())
    return no("On ", device(), " and on the CPU: ", d);
  if (device().is_cuda()) // on CUDA waits are not counted
    return {};
  const auto found = waits_of([&] { f(there); });
  std::string names;
  for (const auto & name : found)
    names += " " + name;
  return found == waits ? Verdict() : no("The host waits in", names);
}

Verdict
same_on_device(const Operation & op)
{
  int layout = 0;
  for (const auto dtype : {at::kDouble, at::kFloat})
    for (const auto & batches : batches_for(op))
    {
      const auto a = arguments(op, batches, dtype), there = moved(a, device());
      const auto x = laid_out(op, a, layout), y = laid_out(op, there, layout);
      layout++;
      if (const auto d = device_difference(value_and_derivatives(op, y),
                                           value_and_derivatives(op, x),
                                           dtype == at::kDouble ? 1e-11 : 1e-4);
          !d.empty())
        return no(op.name,
                  " and its gradients on ",
                  device(),
                  " and on the CPU: ",
                  d,
                  " for",
                  describe(y));
    }
  return {};
}

std::set<std::string>
waits(const Operation & op)
{
  std::set<std::string> all;
  for (const auto & batch : {TensorShape{300}, TensorShape{}})
  {
    const auto a = moved(arguments(op, {batch}), stand_in());
    value_and_derivatives(op, a);
    all.merge(waits_of([&] { value_and_derivatives(op, a); }));
  }
  return all;
}
} // namespace neml2::test
