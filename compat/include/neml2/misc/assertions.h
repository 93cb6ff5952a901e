// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/misc/errors.h"
