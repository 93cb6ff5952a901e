// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Tensor.h"
