// SPDX-License-Identifier: MIT
#pragma once

/// Values of input files are no part of this library.
#include "neml2/tensors/tensors.h"
