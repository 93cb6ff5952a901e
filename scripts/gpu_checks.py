#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The checks of scripts/gpu.sh on a GPU from Python: gpu_checks.py operations|concurrency|memory|processes ROWS

Each check prints ok or FAILED with its findings, and the next one runs in any case.
Needs the package, python/tests and benchmarks in PYTHONPATH."""

import os
import sys
import tempfile
import threading
import time
import traceback

import torch
from formulas_support import FORMULAS, arguments, chaboche, creep_arguments, crystal, steps_of_materials
from gpu_support import DEVICE, REHEARSED, difference, leaves, there, without_kernels
from operations import values

import neml2
from neml2 import math
from neml2.tensors import R2, SR2, SSR4, Rot, Scalar

N = int(sys.argv[2])
CHECKS = {"operations": [], "concurrency": [], "memory": [], "processes": []}


def check(group, name):
    """Adds a check: a function that returns its findings, or raises an exception."""

    def add(f):
        CHECKS[group].append((name, f))
        return f

    return add


def launches():
    return sum(k.launches for k in neml2.device_kernels())


# ---- Operations and formulas, compared with the CPU ----


def same_as_cpu(name, f, here, *, fused=True, dtype=torch.float64, tolerance=None):
    """Compares f of the arguments on the device and on the CPU; checks that it ran as a kernel if it should be fused."""

    @check("operations", f"{name}{', float32' if dtype == torch.float32 else ''}")
    def compared():
        a = tuple(type(x)(x.torch().to(dtype)) if hasattr(x, "torch") else x for x in here)
        before = launches()
        found = f(*there(a))
        kernels = launches() - before
        d = difference(found, f(*a))
        assert d <= (tolerance or (1e-11 if dtype == torch.float64 else 2e-4)), f"difference from the CPU {d:.1e}"
        assert kernels or not fused or REHEARSED, f"difference {d:.1e}, but no kernel was launched"
        return f"difference {d:.1e}, {kernels} kernels"


def gradient(f):
    """The function that returns the gradient of the sum of the first result of f by the first argument."""

    def call(x, *others):
        t = x.torch().detach().requires_grad_()
        return torch.autograd.grad(leaves(f(type(x)(t), *others))[0].sum(), t)

    return call


def operations():
    torch.manual_seed(0)
    plain = {name: (neml2.formula(f), arguments(kinds, N)) for name, (f, kinds) in FORMULAS.items()}
    materials = steps_of_materials(N)
    plain["chaboche"], plain["crystal"] = (neml2.formula(chaboche), materials[0]), (neml2.formula(crystal), materials[1])
    for name, (f, a) in plain.items():
        same_as_cpu(name, f, a, tolerance=1e-9 if name in ("chaboche", "crystal", "exponential_step") else None)
    jacobian = lambda f: lambda *a: neml2.value_and_jacobian(f, *a)
    for name in ("j2", "neo_hookean", "chaboche"):
        f, a = plain[name]
        same_as_cpu(f"{name} with tangent", jacobian(f), a, tolerance=1e-8)
    same_as_cpu("j2 and backward", gradient(plain["j2"][0]), plain["j2"][1])
    for name in ("j2", "rotated", "neo_hookean"):
        same_as_cpu(name, *plain[name], dtype=torch.float32)
    s, F, r = SR2(values(SR2, N)), R2(values(R2, N)), Rot(values(Rot, N))
    C = SSR4(values(SSR4, N))
    same_as_cpu("C * s", lambda C, s: C * s, (C, s))
    same_as_cpu("rotate", lambda s, r: s.rotate(r), (s, r))
    same_as_cpu("inv of R2", lambda F: F.inverse(), (F,))
    same_as_cpu("inv of SSR4", lambda C: C.inverse(), (C,), fused=False)
    same_as_cpu("s + s", lambda s: s + s, (s,), fused=False)
    same_as_cpu("expm of R2", math.expm, (F,), fused=False)
    same_as_cpu("sqrtm of SR2", math.sqrtm, (s,), fused=False)
    same_as_cpu("polar_rotation", math.polar_rotation, (F,), fused=False)
    same_as_cpu("eigenvalues", math.eigenvalues, (s,))
    same_as_cpu("eigenvalues, with gradient", gradient(math.eigenvalues), (s,), tolerance=1e-8)
    same_as_cpu("eigh", lambda s: math.ieigh(*math.eigh(s)), (s,), fused=False)

    def by_calls(s):
        with without_kernels():
            return math.eigenvalues(s)

    same_as_cpu("eigenvalues by LibTorch's calls", by_calls, (s,), fused=False)
    same_as_cpu("newton by LibTorch's calls", lambda *a: newton_outside(*a), creep_arguments(N)[:1], fused=False, tolerance=1e-8)


def newton_outside(s):
    return neml2.newton(lambda x, a: x * x * x - a, Scalar(1.0 + 0.0 * math.norm(s).torch()), math.norm(s))


# ---- Streams, graphs, threads ----


def j2_there():
    torch.manual_seed(0)
    f, kinds = FORMULAS["j2"]
    strain, plastic_strain, p = there(arguments(kinds[:3], N))
    return neml2.formula(f), (strain, plastic_strain, p, there(SSR4.isotropic_E_nu(200.0, 0.3, dtype=torch.float64)))


def equal(found, expected):
    assert all(torch.equal(a, b) for a, b in zip(leaves(found), leaves(expected), strict=True)), f"{difference(found, expected):.1e}"


@check("concurrency", "a CUDA graph")
def a_graph():
    if REHEARSED:
        return "left out: CUDA alone has them"
    f, a = j2_there()
    f(*a)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = f(*a)
    for factor in (1.5, 0.5, 3.0):
        a[0].torch().mul_(factor)
        graph.replay()
        torch.cuda.synchronize()
        equal(found, f(*a))
    return "three replays are the calls"


@check("concurrency", "streams")
def streams():
    """A kernel reads tensors that were just made on its stream, and its results are read immediately afterwards."""
    f, (strain, plastic_strain, p, C) = j2_there()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    for k in range(20):
        with torch.cuda.stream(side):
            x = SR2(strain.torch().repeat(8, 1) * (1.0 + k))
            found = f(x, SR2(plastic_strain.torch().repeat(8, 1)), Scalar(p.torch().repeat(8)), C)[0].torch() * 2.0
        side.synchronize()
        expected = f(SR2(strain.torch() * (1.0 + k)), plastic_strain, p, C)[0].torch() * 2.0
        equal(found, expected.repeat(8, 1))
    return "20 times"


@check("concurrency", "8 threads")
def threads():
    f, (strain, *others) = j2_there()
    torch.cuda.synchronize()
    expected = [f(SR2(strain.torch() * (1.0 + k)), *others)[0].torch() for k in range(8)]
    torch.cuda.synchronize()
    wrong = []

    def work(k):
        try:
            own = neml2.formula(lambda s, *a: f(s, *a)) if k % 2 else f  # half of the formulas need a kernel that does not exist yet
            with torch.cuda.stream(torch.cuda.Stream()):
                for _ in range(50):
                    equal(own(SR2(strain.torch() * (1.0 + k)), *others)[0], SR2(expected[k]))
        except Exception as error:
            wrong.append(f"thread {k}: {type(error).__name__} {error}")

    all_of_them = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in all_of_them:
        t.start()
    for t in all_of_them:
        t.join()
    assert not wrong, "; ".join(wrong)[:400]
    return "400 calls"


@check("concurrency", "a backward on a stream and in a thread of its own")
def backward():
    f, (strain, *others) = j2_there()
    call = gradient(f)
    expected = call(strain, *others)
    with torch.cuda.stream(torch.cuda.Stream()):
        found = call(strain, *others)
    torch.cuda.synchronize()
    equal(found, expected)
    return "as on the stream that is current"


# ---- Memory, and refused calls ----


def refused(call, *words):
    """The message of a refused call; it must contain the words."""
    try:
        call()
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        assert all(word in message for word in words), f"the message is {message[:300]}"
        return message.replace("\n", " ")[:160]
    raise AssertionError("no error")


@check("memory", "mixed devices")
def mixed():
    if REHEARSED:
        return "left out: there is one device"
    f, (strain, *others) = j2_there()
    refused(lambda: SR2(strain.torch().cpu()) + strain, "different devices")
    return refused(lambda: f(SR2(strain.torch().cpu()), *others), "device")


@check("memory", "memory that is not there, and use afterwards")
def too_much():
    f, (strain, plastic_strain, p, C) = j2_there()
    before = f(strain, plastic_strain, p, C)
    n = 2**36 if not REHEARSED else 2**52 // 6
    one = SR2(strain.torch()[:1].expand(n, 6))
    message = refused(lambda: f(one, one, Scalar(p.torch()[:1].expand(n)), C), "memory")
    refused(lambda: one * 2.0, "memory")
    equal(f(strain, plastic_strain, p, C), before)
    return message


@check("memory", "none left for a while, and use afterwards")
def none_left():
    if REHEARSED:
        return "left out: all of the memory of this machine"
    f, (strain, *others) = j2_there()
    before = f(strain, *others)
    torch.cuda.empty_cache()
    taken = []
    for size in (2**30, 2**24, 2**18):
        while True:
            try:
                taken.append(torch.empty(size, dtype=torch.uint8, device=DEVICE))
            except torch.OutOfMemoryError:
                break
    messages = []
    for call in (lambda: f(strain, *others), lambda: neml2.formula(lambda s: s * 3.25)(strain)):  # the second kernel must be loaded, too
        try:
            call()
            messages.append("it ran")
        except Exception as error:
            messages.append(f"{type(error).__name__}: {error}".replace("\n", " ")[:70])
    taken.clear()
    torch.cuda.empty_cache()
    equal(f(strain, *others), before)
    again = launches()
    neml2.formula(lambda s: s * 3.25)(strain)
    assert launches() > again, "a kernel that lacked memory does not run afterwards"
    return "; ".join(messages)


@check("memory", "2.4e9 numbers")
def many_numbers():
    n = 400_000_000 if not REHEARSED else 4_000
    if not REHEARSED and torch.cuda.mem_get_info()[0] < 45e9:
        return "left out: the GPU has not 45 GB left"
    x = torch.rand(n, 6, device=DEVICE, dtype=torch.float64)
    found = neml2.vmap(lambda s: s * 2.0 + 1.0, SR2(x)).torch()
    for part in (slice(0, 1000), slice(n // 2, n // 2 + 1000), slice(n - 1000, n), slice(None, None, 100_003)):
        equal(found[part], x[part] * 2.0 + 1.0)
    del found
    total = (SR2(x[: n // 2]) + SR2(x[: n // 2])).torch()
    equal(total[-1000:], x[: n // 2][-1000:] * 2.0)
    return f"{x.numel():.1e}, each 100,003rd row looked at"


# ---- Processes: a group of one process, with the backend for GPUs ----


@check("processes", "batches over processes, of one rank")
def one_rank():
    from neml2 import distributed as many

    engine = "gloo" if REHEARSED else "nccl"
    with tempfile.TemporaryDirectory() as folder:
        if not REHEARSED:
            torch.cuda.set_device(DEVICE)
        torch.distributed.init_process_group(engine, init_method=f"file://{folder}/store", rank=0, world_size=1)
        try:
            s = there(SR2(values(SR2, 13)))
            assert many.batch_part(13) == slice(0, 13)
            equal(many.gather_batch(many.scatter_batch(s)), s)
            equal(many.batch_max(s), SR2(s.torch().amax(0)))
            k = there(Scalar(torch.tensor(2.0, dtype=torch.float64)))
            x = k.torch().requires_grad_()
            loss = many.batch_mean(many.expand_batch(Scalar(x), 13) * math.norm(s))
            (found,) = torch.autograd.grad(loss.torch(), x)
            expected = math.norm(s).torch().mean()
            assert torch.allclose(found, expected) and torch.allclose(loss.torch(), 2.0 * expected), "another mean or gradient"
        finally:
            torch.distributed.destroy_process_group()
    return engine


def main():
    torch.set_default_dtype(torch.float64)
    print(f"{sys.argv[1]} on {DEVICE}, {N} rows", flush=True)
    if sys.argv[1] == "operations":
        operations()
    wrong = 0
    for name, f in CHECKS[sys.argv[1]]:
        start, text, traced = time.perf_counter(), "FAILED", ""
        try:
            found = f()
            torch.cuda.synchronize()
            text = "ok    "
        except Exception as error:
            wrong += 1
            found = f"{type(error).__name__}: {error}".replace("\n", " ")[:500]
            traced = "" if isinstance(error, AssertionError) else traceback.format_exc(limit=-4)
        print(f"{text} {name:48s} {time.perf_counter() - start:6.2f} s  {found}", flush=True)
        if traced:
            print(traced, file=sys.stderr, flush=True)
    print(f"{wrong} of {len(CHECKS[sys.argv[1]])} wrong, {len(neml2.device_kernels())} kernels", flush=True)
    return wrong > 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # skips the clean-up, since a broken context could change the status
