// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/ProgramFormula.h"

#include "neml2/recorded/source.h"

namespace neml2::device
{
NEML2_BODY
ProgramFormula::ProgramFormula(std::string name, const recorded::Evaluator & program)
  : KernelFormula(std::move(name)), _program(program)
{
}

NEML2_BODY std::string
ProgramFormula::source(bool is_float) const
{
  return recorded::cuda_source(_program, is_float);
}

NEML2_BODY std::unique_ptr<const DeviceFormula>
program_formula(const std::string & name, const recorded::Evaluator & program)
{
  return std::make_unique<const ProgramFormula>(name, program);
}

/// Registers program_formula when a header-only program includes this header.
NEML2_ONE_A_PROGRAM inline const bool makes_program_formulas = []
{
  make_program_formula = program_formula;
  return true;
}();
} // namespace neml2::device
