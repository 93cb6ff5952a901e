# SPDX-License-Identifier: MIT
"""Helpers for several tests."""

import os
import re
import subprocess
import sys

import torch

from neml2 import crystallography, math, tensors
from neml2.tensors import SR2

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
    """Runs a program in a separate interpreter, which may crash; stderr also contains the messages of torch and Python."""
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


OF_CPP = (
    r"\w*::\w*|\bk[A-Z]\w*\d|\w+Exception\b|\bstd\b|\b[\w/]+\.h\b|\bNoGradGuard\b|\bnullptr\b|\bTensorOptions\b"
    r"|\bgot (?:unsigned|signed|short|int|long|float|double)\b"
)


def of_cpp(message):
    """The words of a message that do not belong in Python: words of C++, and names that do not exist in Python."""
    text = re.sub(r"(?<!\w)('[^']*'|\"[^\"]*\")", "", message)  # the user's
    words = re.findall(OF_CPP, text)
    known = {"batch_dim", "batch_shape"}  # arguments
    words += [w for w in re.findall(r"\b(?:batch|base)_\w+", text) if not hasattr(math, w) and w not in known]
    view = SR2.zeros(1).batch
    words += [f".{v}.{w}" for v, w in re.findall(r"\.(batch|base)\.(\w+)", text) if not hasattr(view, w)]
    places = {"math": math, "crystallography": crystallography, "torch": torch, **vars(tensors)}
    for place, w in re.findall(r"\b([A-Za-z]\w*)\.(\w+)", text):
        if place in places and not hasattr(places[place], w):
            words.append(f"{place}.{w}")
    return words
