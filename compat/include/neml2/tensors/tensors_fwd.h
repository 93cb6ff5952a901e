// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/fwd.h"
