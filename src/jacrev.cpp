// SPDX-License-Identifier: MIT
#include "neml2/math/jacrev-inl.h"
