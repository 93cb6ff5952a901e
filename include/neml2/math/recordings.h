// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/ProgramFormula.h"
#include "neml2/device/TileFormula.h"
#include "neml2/recorded/interpreter.h"

/**
 * Include this header in one source file of a header-only program. It contains two things: the interpreter, which runs recordings (lists of
 * the operations of formulas) in one pass, and, for CUDA, the kernels of formulas and operations. neml2::compiled contains both. Without this header and without
 * neml2::compiled, LibTorch's calls evaluate recordings.
 */
