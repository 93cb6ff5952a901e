// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/KernelFormula.h"
#include "neml2/engine/recorded_formula.h"

/// Kernels for devices, made from recorded formulas.
namespace neml2::device
{
/// A program (the operations of a recorded formula) as a kernel.
class ProgramFormula : public KernelFormula
{
public:
  /// The program must live as long as this object.
  ProgramFormula(std::string name, const recorded::Evaluator & program);
  std::string source(bool is_float) const override;

private:
  const recorded::Evaluator & _program;
};
} // namespace neml2::device

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/device/ProgramFormula-inl.h"
#endif
