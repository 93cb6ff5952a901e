// SPDX-License-Identifier: MIT
/// The operations that the rules differentiate, without the rules.
#include "neml2/neml2.h"
