# SPDX-License-Identifier: MIT
"""The operations of formulas.py with torch.compile, one thread; prints ns per call as JSON."""
import torch

import formulas

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)


def compiled(f):
    torch._dynamo.reset()
    call = torch.compile(lambda *a: f(torch, *a), dynamic=False)

    def without_gradient(*a):
        with torch.no_grad():
            return call(*a)

    return without_gradient


def compiled_gradient(f):
    torch._dynamo.reset()
    call = torch.compile(lambda *a: f(torch, *a), dynamic=False)

    def gradient(strain, plastic_strain, alpha, g):
        strain.requires_grad_(True)
        return torch.autograd.grad(call(strain, plastic_strain, alpha), strain, g)

    return gradient


formulas.main("torch.compile", torch.__version__, torch.rand, compiled, compiled_gradient)
