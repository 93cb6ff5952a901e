// SPDX-License-Identifier: MIT
#include "neml2/recorded/interpreter-inl.h"
