// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h" // refuses -ffast-math

/**
 * The only header, except device/libtorch_devices.h, that includes LibTorch's operators. Each operator has its own header: all of them
 * together take three times as long to compile as the tensor class.
 */
#ifndef AT_PER_OPERATOR_HEADERS
#define AT_PER_OPERATOR_HEADERS
#define NEML2_UNDEFINE_AT_PER_OPERATOR_HEADERS
#endif

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/Parallel.h>
#include <ATen/TensorIndexing.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Formatting.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/ScalarTypeToTypeMeta.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>
#include <c10/util/FunctionRef.h>
#include <c10/util/OptionalArrayRef.h>
#include <c10/util/SmallVector.h>

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/diag_embed.h>
#include <ATen/ops/einsum.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/lift_fresh.h>
#include <ATen/ops/linalg_cholesky_ex.h>
#include <ATen/ops/linalg_cross.h>
#include <ATen/ops/linalg_det.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/linalg_inv_ex.h>
#include <ATen/ops/linalg_lu_factor_ex.h>
#include <ATen/ops/linalg_lu_solve.h>
#include <ATen/ops/linalg_matrix_exp.h>
#include <ATen/ops/linalg_slogdet.h>
#include <ATen/ops/linalg_solve_ex.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#ifdef NEML2_UNDEFINE_AT_PER_OPERATOR_HEADERS
#undef AT_PER_OPERATOR_HEADERS
#undef NEML2_UNDEFINE_AT_PER_OPERATOR_HEADERS
#endif

#ifdef NEML2_COMPAT // programs written against NEML2 2.x call torch:: after including only our headers
#include <torch/types.h>
#endif
