// SPDX-License-Identifier: MIT
/// Formulas that are recorded: their interpreter, their source, and they over batches, on other devices by kernels.
#include "neml2/engine/CudaCompiler-inl.h"
#include "neml2/engine/KernelCache-inl.h"
#include "neml2/engine/KernelFormula-inl.h"
#include "neml2/engine/device_compilers-inl.h"
#include "neml2/engine/device_headers-inl.h"
#include "neml2/engine/recorded_formula-inl.h"
#include "neml2/recorded/interpreter-inl.h"
#include "neml2/recorded/listing-inl.h"
#include "neml2/recorded/source-inl.h"
#include "neml2/recorded/tile_source-inl.h"
