# SPDX-License-Identifier: MIT
"""Nothing leaks: neither memory in a loop, nor objects at the end of a program."""

import gc
import weakref

import pytest
import torch
from support import run

from neml2.tensors import R2, SR2

LOOP = """
import copy, gc, pickle, torch
from neml2 import math
from neml2.tensors import *

def memory():
    gc.collect()
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096

C, e, r = SSR4.isotropic_E_nu(1e5, 0.3), SR2.rand(100), Rot.rand(100)
leaf = SR2.rand(100, requires_grad=True)
raw = e.torch()

def refused(f, *arguments):
    try:
        f(*arguments)
    except (ValueError, TypeError, IndexError):
        return
    raise AssertionError

def work(n):
    for _ in range(n):
        s = C * e
        s += 1
        view = s.dev().rotate(r).batch
        view[0], view[1:], view[None, ..., 0], s.base[2], view.shape, view.expand(2, 100)
        s.batch[0] = 1.0
        (s + 1) * 2 - 1 / s
        s == s, -s, s.norm() > 1
        SR2(raw).torch(), Tensor(raw, 1), SR2.zeros(3), SR2.fill(1.0), R2(e), repr(s), s.dtype, s.device, s.shape
        refused(SR2.inner, e, SR2.zeros(3))
        refused(SR2, raw[0, :3])
        refused(lambda: e + "x")
        refused(lambda: view[100])
        if _ % 10 == 0:
            (C * leaf).norm_sq().torch().sum().backward()
            leaf.grad.norm()
            copy.deepcopy(e), pickle.loads(pickle.dumps(e)), copy.copy(e)
            class Mine(SR2):
                pass
            mine = Mine(raw)
            mine.self = mine

work(500)
before = memory()
work(4000)
gc.collect()
growth = memory() - before
assert growth < 2_000_000, growth
"""

EVERYTHING = """
import copy, gc, pickle, threading
import numpy as np, torch
import neml2
from neml2 import crystallography, math, tensors
from neml2.tensors import *

torch.set_default_dtype(torch.float64)
kept = []
for cls in TensorBase.__subclasses__():
    a = cls.zeros((2,), (3,)) if cls is Tensor else cls.zeros(2)
    kept += [a, a + a, 2 * a, a.batch, a.base, a.batch[0], copy.deepcopy(a), pickle.loads(pickle.dumps(a)), cls()]
    repr(a), str(a)
    for name in sorted(set(dir(cls)) - {"__init__"}):
        for arguments in ((), (a,), (1.0,), (SR2.zeros(2),), (Rot.zeros(2),)):
            try:
                kept.append(getattr(a, name)(*arguments))
            except Exception:
                pass
for module in (math, crystallography):
    for name in vars(module):
        s, R = SR2.ones(2), R2.identity()
        for arguments in ((), (s,), (R,), ("432",), (s, R), ([s],)):
            if not name.startswith("_"):
                try:
                    kept.append(getattr(module, name)(*arguments))
                except Exception:
                    pass

class Stress(SR2):
    pass

s = Stress(torch.rand(2, 6))
s.me = s
class Holder:
    tensor = SR2.zeros(2)
    view = tensor.batch
    method = tensor.norm
    @staticmethod
    def f(a: SR2 = SR2.zeros(2)):
        return a
threading.Thread(target=lambda: kept.append(SR2.zeros(2).norm())).start()
leaf = SR2.rand(2, requires_grad=True)
leaf.dev().torch().register_hook(lambda g: SR2(g).torch())
loss = leaf.norm().torch().sum()
loss.backward()
try:
    SR2.zeros(2) + SR2.zeros(3)
except ValueError as e:
    kept.append(e)
"""


def test_a_loop_needs_no_more_memory():
    r = run(LOOP)
    assert (r.returncode, r.stderr) == (0, "")


def test_a_program_ends_in_silence():
    r = run(EVERYTHING)
    assert (r.returncode, r.stderr) == (0, "")


def test_import_alone_is_silent():
    r = run("import neml2")
    assert (r.returncode, r.stdout, r.stderr) == (0, "", "")


def test_a_program_that_fails_shows_only_its_error():
    r = run("from neml2.tensors import SR2\na = SR2.zeros(2)\nv = a.batch\nv[7]")
    assert r.returncode == 1
    assert "nanobind" not in r.stderr and r.stderr.splitlines()[-1].startswith("IndexError: ")


def test_storage_is_freed():
    t = torch.rand(10, 6)
    freed = weakref.ref(t.untyped_storage())
    storage = weakref.ref(t)
    view = SR2(t).batch
    part = view[1:]
    del t
    gc.collect()
    assert storage() is not None  # the view still needs it
    del view, part
    gc.collect()
    assert storage() is None and freed() is None


@pytest.mark.parametrize(
    "link", [lambda a: a, lambda a: a.batch, lambda a: [a.base], lambda a: a.norm, lambda a: lambda: a]
)
def test_cycles_are_collected(link):
    class Stress(SR2):
        pass

    a = Stress(torch.rand(6))
    a.link = link(a)
    dead = weakref.ref(a)
    del a
    gc.collect()
    assert dead() is None


def test_subclass_objects_die_at_once():
    class Rotation(R2):
        pass

    a = Rotation(torch.eye(3))
    dead = weakref.ref(a)
    a + a, a.batch, a.torch()
    del a
    assert dead() is None
