// SPDX-License-Identifier: MIT
#include "neml2/math/newton-inl.h"
