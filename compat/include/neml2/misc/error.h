// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/shape.h"
#include "neml2/misc/errors.h"
#include "neml2/misc/string_utils.h"

namespace neml2::internal
{
using utils::stream_all;
} // namespace neml2::internal
