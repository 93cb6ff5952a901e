// SPDX-License-Identifier: MIT
// The part of a program that is compiled from the headers alone, including the rules that it needs.
#include "mixed.h"

#include "neml2/gradients/SR2.h"
#include "neml2/gradients/elementwise.h"

Seen
headers::see(const neml2::SR2 & s)
{
  return seen_here(s);
}
