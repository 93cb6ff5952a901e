// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/LabeledAxis.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"

#include <sstream>

#include <ATen/ATen.h>

/// Axes for tests, and values for labeled tensors.
namespace neml2::test::labels
{
/// The example of the reference: a 0-1, b 1-7, S 7-15 with S/w 7-13, S/x 13-14, S/t/y 14-15.
inline LabeledAxis
example()
{
  LabeledAxis axis;
  axis.add<Scalar>({"S", "x"}).add<SR2>("b").add<Scalar>({"S", "t", "y"}).add<SR2>({"S", "w"});
  axis.add<Scalar>("a");
  axis.setup_layout();
  return axis;
}

/// a 0-1, b 1-7, sub/C 7-43, sub/x 43-44
inline LabeledAxis
rows()
{
  LabeledAxis axis;
  axis.add<Scalar>("a").add<SR2>("b").add<SSR4>({"sub", "C"}).add<Scalar>({"sub", "x"});
  axis.setup_layout();
  return axis;
}

/// a 0-1, e 1-7
inline LabeledAxis
columns()
{
  LabeledAxis axis;
  axis.add<Scalar>("a").add<SR2>("e");
  axis.setup_layout();
  return axis;
}

/// The text that the axis prints.
inline std::string
text(const LabeledAxis & axis)
{
  std::ostringstream s;
  s << axis;
  return s.str();
}

/// Numbers up to 100.
inline at::Tensor
numbers(at::IntArrayRef sizes, Dtype dtype = at::kDouble)
{
  return at::rand(sizes, at::kDouble).mul(100).to(dtype);
}
} // namespace neml2::test::labels
