// SPDX-License-Identifier: MIT
// The part of a program that is compiled from the headers alone, the rules it needs included.
#include "mixed.h"

#include "neml2/gradients/SR2.h"
#include "neml2/gradients/elementwise.h"

Seen
headers::see(const neml2::SR2 & s)
{
  return seen_here(s);
}
