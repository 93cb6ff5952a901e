// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/options.h"
