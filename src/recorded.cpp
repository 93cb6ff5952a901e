// SPDX-License-Identifier: MIT
/// Formulas that are recorded: their interpreter, their source, and they over batches.
#include "neml2/engine/recorded_formula-inl.h"
#include "neml2/recorded/interpreter-inl.h"
#include "neml2/recorded/listing-inl.h"
#include "neml2/recorded/source-inl.h"
