// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/TensorCache.h"
