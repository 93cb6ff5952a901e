// SPDX-License-Identifier: MIT
#include "neml2/math/columns-inl.h"
#include "neml2/math/formula-inl.h"
#include "neml2/math/recorded_gradient-inl.h"
