# SPDX-License-Identifier: MIT
"""What several tests use."""

import os
import subprocess
import sys

import torch

from neml2 import tensors

FIXED = {  # base shapes
    tensors.Scalar: (),
    tensors.Vec: (3,),
    tensors.Rot: (3,),
    tensors.WR2: (3,),
    tensors.MillerIndex: (3,),
    tensors.Quaternion: (4,),
    tensors.SR2: (6,),
    tensors.R2: (3, 3),
    tensors.WWR4: (3, 3),
    tensors.SFR3: (6, 3),
    tensors.SWR4: (6, 3),
    tensors.WSR4: (3, 6),
    tensors.SSR4: (6, 6),
    tensors.R3: (3, 3, 3),
    tensors.WFR4: (3, 3, 3),
    tensors.WFFR4: (3, 3, 3),
    tensors.SFR4: (6, 3, 3),
    tensors.SFFR4: (6, 3, 3),
    tensors.SSFR5: (6, 6, 3),
    tensors.R4: (3, 3, 3, 3),
    tensors.R5: (3, 3, 3, 3, 3),
    tensors.SSSSR8: (6, 6, 6, 6),
    tensors.R8: (3, 3, 3, 3, 3, 3, 3, 3),
}
TENSOR_BASE = (2, 3)
TYPES = {**FIXED, tensors.Tensor: TENSOR_BASE}
SMALL = {cls: base for cls, base in TYPES.items() if torch.Size(base).numel() < 300}


def name(cls):
    return cls.__name__


def typed(cls, t):
    """A tensor of torch as one of this type."""
    return cls(t, t.dim() - len(TENSOR_BASE)) if cls is tensors.Tensor else cls(t)


def random(cls, *batch, dtype=None, grad=False):
    """Uniform in [-1, 1)."""
    return typed(cls, (2 * torch.rand((*batch, *TYPES[cls]), dtype=dtype) - 1).requires_grad_(grad))


def run(code, input=None, timeout=120):
    """Runs a program in an interpreter of its own, which may die; stderr is that of torch and Python, too."""
    path = os.pathsep.join(p for p in sys.path if p)
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "NEML2_LEAK_WARNINGS": "1"}
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code],
        input=input,
        capture_output=True,
        text=True,
        timeout=timeout,
        env=environment,
    )
