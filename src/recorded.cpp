// SPDX-License-Identifier: MIT
/// Recorded formulas: their interpreter, their source code, and their evaluation over batches, by kernels on
/// devices other than the CPU.
#include "neml2/engine/CudaCompiler-inl.h"
#include "neml2/engine/CudaDriver-inl.h"
#include "neml2/engine/KernelCache-inl.h"
#include "neml2/engine/KernelFormula-inl.h"
#include "neml2/engine/LoadedKernel-inl.h"
#include "neml2/engine/Nvrtc-inl.h"
#include "neml2/engine/NvrtcLibraries-inl.h"
#include "neml2/engine/device_compilers-inl.h"
#include "neml2/engine/device_headers-inl.h"
#include "neml2/engine/launch_kernel-inl.h"
#include "neml2/engine/recorded_formula-inl.h"
#include "neml2/recorded/interpreter-inl.h"
#include "neml2/recorded/listing-inl.h"
#include "neml2/recorded/source-inl.h"
#include "neml2/recorded/tile_source-inl.h"
