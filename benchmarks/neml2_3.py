# SPDX-License-Identifier: MIT
"""The formulas of python_formulas.py with NEML2 3.x, one thread; prints ns per call as JSON.

Optional: python_formulas.py runs it in an environment that you name. This environment has the wheel `neml2` of PyPI and the torch that the
wheel was built with, 2.12 for neml2 3.1.0: with a newer torch its Newton's method fails. Its types are timed directly and
through torch.compile, the viscoplastic model directly and as compiled by neml2-compile, which takes minutes.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile
from importlib.metadata import version

import neml2
import torch
from neml2.types import MRP, SR2, Scalar, dev, euler_rodrigues, exp, macaulay, norm, pow, rotate, vol

import formulas

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)


def flow_rule(stress, n):
    return 1e-3 * pow(stress / 0.5, n) * exp(-2.0 * stress)


def radial_return(strain, plastic_strain, alpha):
    elastic = strain - plastic_strain
    trial = 2 * formulas.MU * dev(elastic)
    mises = math.sqrt(1.5) * norm(trial)
    excess = macaulay(mises - (formulas.YIELD + formulas.HARDENING * alpha))
    shrink = 1 - 3 * formulas.MU / (3 * formulas.MU + formulas.HARDENING) * excess / (mises + 1e-12)
    return 3 * formulas.KAPPA * vol(elastic) + shrink * trial


def rotated(s, r):
    return rotate(s, euler_rodrigues(r))


CASES = {
    "flow rule": (flow_rule, (Scalar, Scalar), lambda n: (0.1 + 1.9 * torch.rand(n), 1 + 5 * torch.rand(n))),
    "J2": (
        radial_return,
        (SR2, SR2, Scalar),
        lambda n: (4e-3 * (torch.rand(n, 6) - 0.5), 1e-3 * (torch.rand(n, 6) - 0.5), 0.01 * (torch.rand(n) - 0.5).abs()),
    ),
    "SR2 rotate by Rot": (rotated, (SR2, MRP), lambda n: (torch.rand(n, 6), 0.6 * torch.rand(n, 3) - 0.3)),
}

# The model of examples/viscoplasticity.h, with the flow rule solved for the rate.
MODEL = """
[Models]
  [elastic_strain]
    type = SR2LinearCombination
    from = 'strain plastic_strain'
    to = 'elastic_strain'
    weights = '1 -1'
  []
  [elasticity]
    type = LinearIsotropicElasticity
    strain = 'elastic_strain'
    stress = 'stress'
    coefficients = '205714.28571428571 0.28571428571428571'
    coefficient_types = 'YOUNGS_MODULUS POISSONS_RATIO'
  []
  [hardening]
    type = VoceIsotropicHardening
    equivalent_plastic_strain = 'p'
    saturated_hardening = 50
    saturation_rate = 20
  []
  [overstress]
    type = SR2LinearCombination
    from = 'stress X'
    to = 'overstress'
    weights = '1 -1'
  []
  [mises]
    type = SR2Invariant
    invariant_type = 'VONMISES'
    tensor = 'overstress'
    invariant = 'effective_stress'
  []
  [yielding]
    type = YieldFunction
    yield_stress = 100
    isotropic_hardening = 'isotropic_hardening'
  []
  [flow]
    type = ComposedModel
    models = 'overstress mises yielding'
  []
  [normality]
    type = Normality
    model = 'flow'
    function = 'yield_function'
    from = 'stress isotropic_hardening'
    to = 'flow_direction isotropic_hardening_direction'
  []
  [flow_rate]
    type = PerzynaPlasticFlowRate
    reference_stress = 80
    exponent = 5
  []
  [p_rate]
    type = AssociativeIsotropicPlasticHardening
    equivalent_plastic_strain_rate = 'p_rate'
  []
  [X_rate]
    type = FredrickArmstrongPlasticHardening
    back_stress = 'X'
    C = 20e3
    g = 200
  []
  [plastic_strain_rate]
    type = AssociativePlasticFlow
  []
  [integrate_plastic_strain]
    type = SR2BackwardEulerTimeIntegration
    variable = 'plastic_strain'
  []
  [integrate_X]
    type = SR2BackwardEulerTimeIntegration
    variable = 'X'
  []
  [integrate_p]
    type = ScalarBackwardEulerTimeIntegration
    variable = 'p'
  []
  [equations]
    type = ComposedModel
    models = 'elastic_strain elasticity hardening overstress mises yielding normality flow_rate p_rate X_rate
              plastic_strain_rate integrate_plastic_strain integrate_X integrate_p'
  []
  [solve]
    type = ImplicitUpdate
    equation_system = 'system'
    solver = 'newton'
  []
  [update]
    type = ComposedModel
    models = 'solve elastic_strain elasticity'
    additional_outputs = 'plastic_strain X p'
  []
[]
[EquationSystems]
  [system]
    type = NonlinearSystem
    model = 'equations'
    unknowns = 'plastic_strain X p'
  []
[]
[Solvers]
  [newton]
    type = Newton
    linear_solver = 'lu'
    max_its = 100
  []
  [lu]
    type = DenseLU
  []
[]
"""


def viscoplastic_arguments(n):
    """Arguments by name; the guess of newton, half of the elastic overstress, is computed before the timing."""
    strain, plastic = SR2(8e-3 * (torch.rand(n, 6) - 0.5)), dev(SR2(1e-4 * torch.rand(n, 6)))
    X, p = dev(SR2(40 * (torch.rand(n, 6) - 0.5))), Scalar(1e-2 * torch.rand(n))
    over = 160e3 * dev(strain - plastic) - X
    mises = math.sqrt(1.5) * norm(over)
    dp = 0.5 / 260e3 * macaulay(mises - 100 - 50 * (1 - exp(-20 * p)))
    old = {"strain": strain, "plastic_strain~1": plastic, "X~1": X, "p~1": p}
    times = {"t": Scalar(torch.ones(n)), "t~1": Scalar(torch.zeros(n))}
    return old | times | {"plastic_strain": plastic + 1.5 * dp / mises * over, "X": X, "p": p + dp}


def models(quick):
    """The viscoplastic model, not compiled and compiled."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.i"
        path.write_text(MODEL)
        yield "as it is", neml2.load_model(path, "update")
        if not quick:
            command = pathlib.Path(sys.executable).parent / "neml2-compile"
            subprocess.run([command, path, "--model", "update", "--output-dir", folder], check=True, stdout=sys.stderr)
            yield "compiled", neml2.load_model(pathlib.Path(folder) / "update_aoti.i", "update")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    times = {}
    with torch.no_grad():
        for size in (1, 10**4) if quick else (1, 100, 10**4, 10**6):
            for name, (f, types, arguments) in CASES.items():
                raw = arguments(size)

                def of_raw(*x, f=f, types=types):
                    return f(*(t(y) for t, y in zip(types, x))).data

                typed = [t(x) for t, x in zip(types, raw)]
                torch._dynamo.reset()
                times[f"{name}/{size}/as it is"] = formulas.best_ns(f, typed, quick)
                times[f"{name}/{size}/compiled"] = formulas.best_ns(torch.compile(of_raw, dynamic=False), raw, quick)
        for way, model in models(quick):
            for size in (1, 10**4) if quick else (1, 100, 10**4):
                given = viscoplastic_arguments(size)
                times[f"viscoplasticity/{size}/{way}"] = formulas.best_ns(model, [given[k] for k in model.input_spec], quick)
    print(json.dumps({"peer": "NEML2", "version": version("neml2"), "times": times}))


main()
