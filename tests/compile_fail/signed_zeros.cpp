// error: neml2: -ffast-math.*-fno-signed-zeros.*add -fno-fast-math
// flags: -O2 -fno-signed-zeros -E
// SPDX-License-Identifier: MIT
#include "neml2/tensors/SR2.h"
