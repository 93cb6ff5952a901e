// SPDX-License-Identifier: MIT
#pragma once

/// Values of input files are not part of this library.
#include "neml2/tensors/tensors.h"
