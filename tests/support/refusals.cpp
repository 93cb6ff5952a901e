// SPDX-License-Identifier: MIT
#include "support/refusals.h"

#include "support/device.h"
#include "support/errors.h"

namespace neml2::test
{
Verdict
refuses(const Operation & op, const Arguments & a, const std::vector<std::string> & texts)
{
  const auto message = error_of([&] { op.call(a); });
  if (message.rfind(op.name + ":", 0) != 0)
    return no(
        "The message should begin with ", op.name, ": and is '", message, "' for", describe(a));
  for (const auto & text : texts)
    if (message.find(text) == std::string::npos)
      return no("The message should say '", text, "' and is '", message, "' for", describe(a));
  return {};
}

Verdict
refuses_bad_operands(const Operation & op)
{
  using core::Accepts;
  const Batches batches{{2}};
  for (size_t k = 0; k < op.count(); k++)
  {
    auto a = arguments(op, batches);
    a[k] = at::Tensor();
    const auto message = error_of([&] { op.call(a); }); // describe() needs defined ones
    if (message.rfind(op.name + ": undefined tensor", 0) != 0)
      return no(op.name, " of an undefined operand says: ", message);
  }
  std::vector<std::pair<at::ScalarType, std::string>> bad;
  if (op.accepts == Accepts::floating)
    bad = {{at::kLong, "int64"}, {at::kInt, "int32"}};
  if (op.accepts != Accepts::any)
    bad.insert(bad.end(), {{at::kBool, "bool"}, {at::kComplexDouble, "complex"}});
  for (const auto & [dtype, dtype_name] : bad)
    if (auto v = refuses(
            op, arguments(op, batches, dtype), {"not defined for dtype " + dtype_name, "convert"});
        !v)
      return v;
  for (size_t k = 1; k < op.count(); k++)
  {
    auto a = arguments(op, batches);
    a[k] = a[k].to(at::kFloat);
    if (auto v = refuses(op, a, {"different dtypes", "float64", "float32", ".to(dtype)"}); !v)
      return v;
    for (const auto other : {Device(at::kMeta), device()})
    {
      a[k] = values({2}, op.base[k], at::kDouble).to(other);
      if (auto v = refuses(op, a, {"different devices", "cpu", other.str(), ".to(device)"}); !v)
        return v;
    }
    a[k] = values({3}, op.base[k], at::kDouble);
    if (auto v = refuses(op, a, {"[2] and [3] do not broadcast", "batch_unsqueeze"}); !v)
      return v;
    a[k] = values({6}, op.base[k], at::kDouble);
    if (auto v = refuses(op, a, {"[2] and [6] do not broadcast"}); !v)
      return v;
  }
  return {};
}
} // namespace neml2::test
