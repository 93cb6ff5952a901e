// SPDX-License-Identifier: MIT
// A shared library that includes the headers of this version or of another one.
#include "neml2/core/types.h"
