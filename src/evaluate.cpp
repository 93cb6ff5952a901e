// SPDX-License-Identifier: MIT
/// The code that every operation runs through, the node that autograd keeps for an operation, the derivative rules of
/// elementwise functions (their loops are compiled where they are called), and the check of the version.
#include "neml2/core/only_version-inl.h"
#include "neml2/device/TileFormula-inl.h"
#include "neml2/engine/autograd.h"
#include "neml2/engine/evaluate-inl.h"
#include "neml2/engine/fused-inl.h"
#include "neml2/engine/memories-inl.h"
#include "neml2/engine/outputs-inl.h"
#include "neml2/engine/slabs-inl.h"
#include "neml2/engine/vector_jacobian-inl.h"
#include "neml2/gradients/elementwise.h"

template bool
neml2::core::check_only_version<NEML2_VERSION_MAJOR, NEML2_VERSION_MINOR, NEML2_VERSION_PATCH>();
