// SPDX-License-Identifier: MIT
#pragma once

/**
 * Derivative rules of the library's operations, one header per type or topic in gradients/.
 *
 * If one source file of a program includes this header, operations are fused (one pass over memory) also where
 * autograd records them, and their gradients are fused, too. A program that links neml2::compiled has
 * the rules already. A rule computes the gradient with respect to each argument from the gradient g with respect to the result
 * and from all arguments. Gradients are with respect to the stored components; the map from a symmetric tensor to its Mandel
 * components is an isometry. Every rule is written with the library's own functions, mostly as one formula for
 * single tensors (rows) and for batches, so that gradients can be differentiated again.
 */
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the rules
#include "neml2/gradients/Quaternion.h"
#include "neml2/gradients/R2.h"
#include "neml2/gradients/R4.h"
#include "neml2/gradients/Rot.h"
#include "neml2/gradients/SR2.h"
#include "neml2/gradients/SSR4.h"
#include "neml2/gradients/Vec.h"
#include "neml2/gradients/WR2.h"
#include "neml2/gradients/cholesky.h"
#include "neml2/gradients/elementwise.h"
#include "neml2/gradients/exponential_map.h"
#include "neml2/gradients/invariants.h"
#include "neml2/gradients/isotropic_functions.h"
#include "neml2/gradients/kinematics.h"
#include "neml2/gradients/kronecker.h"
#include "neml2/gradients/matrix_functions.h"
#include "neml2/gradients/skew_products.h"
#include "neml2/gradients/solve.h"
#include "neml2/gradients/spectral.h"
#include "neml2/gradients/stiffness.h"
#endif
#include "neml2/math/autograd.h"
#include "neml2/tensors/tensors.h"
