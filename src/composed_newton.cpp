// SPDX-License-Identifier: MIT
#include "neml2/math/composed_newton-inl.h"
