// error: neml2: -ffast-math.*-fassociative-math.*add -fno-fast-math
// flags: -Ofast -fno-finite-math-only -E
// SPDX-License-Identifier: MIT
#include "neml2/tensors/SR2.h"
