// SPDX-License-Identifier: MIT
#pragma once

// Includes the library's own header of this name: the path contains the folder kernels/, which only the library has.
#include "neml2/kernels/../neml2.h"
#include "neml2/misc/error.h"
#include "neml2/misc/types.h"
#include "neml2/tensors/ConstantTensors.h"
#include "neml2/tensors/functions/dynamic.h"
#include "neml2/tensors/functions/imap.h"
#include "neml2/tensors/tensors.h"
