// error: neml2: -ffast-math.*add -fno-fast-math
// flags: -ffinite-math-only -E
// SPDX-License-Identifier: MIT
#include "neml2/tensors/SR2.h"
