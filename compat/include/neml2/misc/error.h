// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"
#include "neml2/core/shape.h"
