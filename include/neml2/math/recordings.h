// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/ProgramFormula.h"
#include "neml2/engine/TileFormula.h"
#include "neml2/recorded/interpreter.h"

/**
 * The interpreter, which runs recorded formulas in one pass, and on CUDA the kernels of formulas and operations, for programs of headers
 * alone: include this header in one source file. neml2::compiled has both. Without them LibTorch's calls run recordings.
 */
