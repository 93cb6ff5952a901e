// SPDX-License-Identifier: MIT
/// What the rules differentiate, and no rules.
#include "neml2/neml2.h"
