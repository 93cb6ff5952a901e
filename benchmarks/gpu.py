#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times on a GPU, which scripts/gpu.sh asks for: formulas as kernels and by LibTorch's calls, relative to a copy, next to torch.compile,
JAX and the C++ program. The most important cases come first, and those that do not fit into --seconds are left out; all results are in the JSON file.

Needs the package, python/tests and benchmarks in PYTHONPATH."""

import argparse
import json
import os
import platform
import subprocess
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import formulas  # noqa: E402
import torch  # noqa: E402
from formulas_support import FORMULAS, arguments, chaboche, crystal, neo_hookean, steps_of_materials  # noqa: E402
from gpu_support import DEVICE, REHEARSED, difference, leaves, microseconds, size_in_bytes, there, without_kernels  # noqa: E402

import neml2  # noqa: E402
from neml2 import math  # noqa: E402
from neml2.tensors import R2, SR2, Rot, Scalar  # noqa: E402

BASE = 4096  # rows; larger batches repeat them
ROWS = []  # the rows of the results, dicts


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("--largest", type=int, default=10**7)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--program", help="of tests/gpu/gpu.cpp")
    parser.add_argument("--json", required=True)
    return parser.parse_args()


ARGUMENTS = parsed()
END = time.perf_counter() + ARGUMENTS.seconds


def left():
    return END - time.perf_counter()


def sizes(*wanted):
    return [n for n in wanted if n <= ARGUMENTS.largest]


def say(what, n, dtype="float64", **numbers):
    """Prints a line of the table, and writes the file with all rows so far."""
    ROWS.append({"what": what, "rows": n, "dtype": dtype, **numbers})
    print(f"{what} | {n} | {dtype} | " + ", ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in numbers.items()), flush=True)
    machine = {"device": "CPU" if REHEARSED else torch.cuda.get_device_name(), "torch": torch.__version__, "python": platform.python_version()}
    kernels = [{**k._asdict(), "dtype": str(k.dtype)} for k in neml2.device_kernels()]
    with open(ARGUMENTS.json, "w") as file:
        json.dump({"machine": machine, "times": ROWS, "kernels": kernels}, file, indent=1)


def tried(what, n, f, dtype="float64"):
    """Calls f if there is time left; an exception also counts as a result."""
    if left() < 5:
        return False
    try:
        f()
    except Exception as error:
        say(what, n, dtype, failed=f"{type(error).__name__}: {error}".replace("\n", " ")[:300])
    torch.cuda.empty_cache()
    return True


def first(f):
    """Seconds of the first call."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    f()
    torch.cuda.synchronize()
    return time.perf_counter() - start


# ---- A copy, and the arithmetic ----


def ceilings():
    """Bytes per microsecond of a copy."""
    x = torch.rand(min(1 << 27, 100 * ARGUMENTS.largest), device=DEVICE)
    y = torch.empty_like(x)
    y.copy_(x)
    speed = 2 * size_in_bytes(x) / microseconds(lambda: y.copy_(x))
    A = torch.rand(min(4096, ARGUMENTS.largest), 4096, device=DEVICE)
    A @ A.T
    us = microseconds(lambda: A @ A.T)
    say("copy and matrix product", x.numel(), GB_per_s=speed * 1e-3, TFLOP_per_s=2 * A.shape[0] ** 2 * A.shape[1] / us * 1e-6)
    return speed


# ---- Formulas of this library ----


def repeated(a, n, dtype):
    """The arguments on the device, with n rows each; an argument without rows is not changed."""
    moved = []
    for x in a:
        if hasattr(x, "torch"):
            t = x.torch()
            x = type(x)(t[torch.arange(n) % BASE] if t.dim() and t.shape[0] == BASE else t)
        moved.append(there(x, dtype))
    return tuple(moved)


def ours():
    torch.manual_seed(0)
    cases = {name: (f, arguments(kinds, BASE)) for name, (f, kinds) in FORMULAS.items() if name not in ("j2", "exponential_step")}
    strain, plastic_strain, p, C = arguments(FORMULAS["j2"][1], BASE)
    materials = steps_of_materials(BASE)
    return {
        "j2": (FORMULAS["j2"][0], (strain, plastic_strain, p, type(C)(C.torch()[0]))),
        **cases,
        "chaboche": (chaboche, materials[0]),
        "crystal": (crystal, materials[1]),
    }


def time_ours(name, f, a, n, dtype, copy):
    formula, kind = neml2.formula(f), str(dtype).removeprefix("torch.")
    a = repeated(a, n, dtype)
    value, tangent = lambda: formula(*a), lambda: neml2.value_and_jacobian(formula, *a)

    def timed(f):
        numbers = {"first_s": first(f)}
        us = microseconds(f)
        return {**numbers, "us": us, "share_of_copy": (size_in_bytes(a) + size_in_bytes(f())) / us / copy}

    numbers = timed(value)
    if n <= 10**5:  # the cost of a queued call on the host
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(100):
            value()
        numbers["host_us"] = (time.perf_counter() - start) * 1e4
        torch.cuda.synchronize()
    say(name, n, kind, **numbers)
    if n <= 10**6:
        say(f"{name} with tangent", n, kind, **timed(tangent))
    if dtype == torch.float64 and n in (1, 10**5, 10**6) and name not in ("chaboche", "crystal"):
        x = a[0].torch().requires_grad_()
        say(f"{name} and backward", n, kind, us=time_once(lambda: torch.autograd.grad(leaves(formula(*a))[0].sum(), x)))
        a[0].torch().requires_grad_(False)
    if dtype == torch.float64 and n in (1, 10**6) and name != "crystal":
        with without_kernels():
            say(f"{name} by LibTorch's calls", n, kind, us=time_once(value))


def time_once(f):
    f()
    return microseconds(f)


# ---- The same formulas with torch.compile and JAX ----


def return_map(strain, plastic_strain, alpha):
    """The same as formulas.radial_return."""
    elastic = strain - plastic_strain
    trial = 2 * formulas.MU * math.dev(elastic)
    mises = 1.5**0.5 * math.norm(trial)
    dp = math.macaulay(mises - (formulas.YIELD + formulas.HARDENING * alpha)) / (3 * formulas.MU + formulas.HARDENING)
    return 3 * formulas.KAPPA * math.vol(elastic) + trial - 3 * formulas.MU * dp / math.where(mises > 1e-12, mises, 1.0) * trial


PEERS = {
    "J2": (return_map, (SR2, SR2, Scalar)),
    "SR2 rotate by Rot": (lambda s, r: s.rotate(r), (SR2, Rot)),
    "R2 inverse": (lambda A: A.inverse(), (R2,)),
}


def with_peers(name, n):
    f, kinds = PEERS[name]
    theirs, make = formulas.cases(lambda *shape: torch.rand(*shape, device=DEVICE))[name]
    a = make(n)
    if name == "R2 inverse":
        a = (a[0] + 2 * torch.eye(3, device=DEVICE),)
    mine = neml2.formula(f)
    typed = tuple(kind(x) for kind, x in zip(kinds, a))
    numbers = {"first_s": first(lambda: mine(*typed)), "us": time_once(lambda: mine(*typed))}
    numbers["torch_us"] = time_once(lambda: theirs(torch, *a))
    try:
        torch._dynamo.reset()
        compiled = torch.compile(lambda *x: theirs(torch, *x), dynamic=False)
        numbers["torch_compile_first_s"] = first(lambda: compiled(*a))
        numbers["torch_compile_us"] = time_once(lambda: compiled(*a))
        numbers["difference"] = difference(mine(*typed), compiled(*a))
    except Exception as error:  # for example no known compiler
        numbers["torch_compile_failed"] = f"{type(error).__name__}: {error}"[:200]
    numbers.update(by_jax(lambda jnp: lambda *x: theirs(jnp, *x), a, mine(*typed)))
    say(f"{name}, beside others", n, **numbers)


def by_jax(made, a, expected):
    """The times of a JAX function on tensors of torch, if JAX is installed, and its difference from the result of this library."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return {"jax": "none"}
    jax.config.update("jax_enable_x64", True)
    call = jax.jit(made(jnp))
    a = tuple(jax.dlpack.from_dlpack(x.contiguous()) for x in a)
    last = []

    def queue():
        last[:] = [call(*a)]

    start = time.perf_counter()
    found = jax.block_until_ready(call(*a))
    seconds = time.perf_counter() - start
    us = microseconds(queue, lambda: jax.block_until_ready(last))
    return {"jax_first_s": seconds, "jax_us": us, "jax_difference": difference([torch.from_dlpack(found)], expected)}


def neo_hookean_by_jax(jnp):
    def one(F):
        a = lambda i, j: F[i % 3, j % 3]
        cofactors = [[a(i + 1, j + 1) * a(i + 2, j + 2) - a(i + 1, j + 2) * a(i + 2, j + 1) for j in range(3)] for i in range(3)]
        cofactors = jnp.array(cofactors)
        J = (F[0] * cofactors[0]).sum()
        return 3.0 * (F - cofactors / J) + 5.0 * jnp.log(J) * cofactors / J

    return one


def chaboche_by_jax(jnp):
    """The same as formulas_support.chaboche, with Newton's method in a loop that ends when all points of the batch have converged."""
    import jax

    G, yield_stress, Q, b, C, gamma, K, n = 80e3, 100.0, 50.0, 20.0, 20e3, 200.0, 80.0, 5.0

    def residual(x, trial, X0, p):
        s, X, dp = x[:6], x[6:12], x[12]
        mises = jnp.sqrt(1.5 * (s - X) @ (s - X))
        direction = 1.5 / mises * (s - X)
        return jnp.concatenate([
            s - trial + 2 * G * dp * direction,
            X - X0 - 2 / 3 * C * dp * direction + gamma * dp * X,
            jnp.array([mises - yield_stress - Q * (1 - jnp.exp(-b * (p + dp))) - K * dp ** (1 / n)]),
        ]) / yield_stress  # fmt: skip

    @jax.custom_jvp
    def newton(guess, *a):
        def step(state):
            x, _, k = state
            r, J = residual(x, *a), jax.jacfwd(residual)(x, *a)
            new = x - jnp.linalg.solve(J, r)
            return new.at[12].set(jnp.where(new[12] > 0, new[12], 0.1 * x[12])), jnp.abs(r).max(), k + 1

        return jax.lax.while_loop(lambda state: (state[1] > 1e-8) & (state[2] < 50), step, (guess, jnp.inf, 0))[0]

    @newton.defjvp
    def _(primals, tangents):
        x = newton(*primals)
        _, change = jax.jvp(lambda *a: residual(x, *a), primals[1:], tangents[1:])
        return x, -jnp.linalg.solve(jax.jacfwd(residual)(x, *primals[1:]), change)

    def one(strain, plastic_strain, X, p):
        elastic = strain - plastic_strain
        trial = 2 * G * (elastic - jnp.array([1.0, 1, 1, 0, 0, 0]) * elastic[:3].sum() / 3)
        mises = jnp.sqrt(1.5 * (trial - X) @ (trial - X))
        over = mises - yield_stress - Q * (1 - jnp.exp(-b * p))
        guess = jnp.where(over > 0, 0.5 * over / (3 * G + C), 1e-6)
        x = newton(jnp.concatenate([trial - 3 * G * guess / mises * (trial - X), X, guess[None]]), trial, X, p)
        return jnp.where(over > 0, x[:6], trial)

    return one


def with_jax(name, n):
    """Values and tangents of whole models."""
    try:
        import jax
    except ImportError:
        say(f"{name}, beside JAX", n, jax="none")
        return
    f, a, model = {
        "neo_hookean": (neo_hookean, (arguments((R2,), BASE)), neo_hookean_by_jax),
        "chaboche": (chaboche, steps_of_materials(BASE)[0], chaboche_by_jax),
    }[name]
    a = repeated(a, n, torch.float64)
    tensors = leaves(a)
    mine = neml2.formula(f)
    value, tangent = lambda: mine(*a), lambda: neml2.value_and_jacobian(mine, *a)
    numbers = {"first_s": first(value), "us": time_once(value)}
    say(f"{name}, beside JAX", n, **numbers, **by_jax(lambda jnp: jax.vmap(model(jnp)), tensors, leaves(value())[:1]))
    numbers = {"first_s": first(tangent), "us": time_once(tangent)}
    jacobian = leaves(tangent()[1])[0]
    say(f"{name} with tangent, beside JAX", n, **numbers, **by_jax(lambda jnp: jax.vmap(jax.jacfwd(model(jnp))), tensors, jacobian))


# ---- The C++ program ----


def of_the_program():
    if not ARGUMENTS.program:
        return
    try:
        done = subprocess.run([ARGUMENTS.program, "times", str(ARGUMENTS.largest)], stdout=subprocess.PIPE, text=True, timeout=max(5, left()))
        text = done.stdout
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode()
    for line in text.splitlines():
        what, n, us = line.split(" | ")
        say(f"C++: {what}", int(n), **({"failed": us} if us.startswith("FAILED") else {"us": float(us)}))


def main():
    torch.set_default_dtype(torch.float64)
    copy = ceilings()
    cases = ours()
    jobs = []
    for n in sizes(10**6, 1, 10**3):
        jobs += [(name, n, lambda name=name, n=n: time_ours(name, *cases[name], n, torch.float64, copy)) for name in cases]
    for n in sizes(10**6, 1):
        jobs += [(name, n, lambda name=name, n=n: with_peers(name, n)) for name in PEERS]
    jobs += [("C++", 0, of_the_program)]
    for n in sizes(10**5, 10**7):
        jobs += [(name, n, lambda name=name, n=n: time_ours(name, *cases[name], n, torch.float64, copy)) for name in cases]
    for n in sizes(10**6):
        jobs += [(name, n, lambda name=name, n=n: time_ours(name, *cases[name], n, torch.float32, copy)) for name in cases]
    for n in sizes(10**6, 10**3):
        jobs += [(name, n, lambda name=name, n=n: with_jax(name, n)) for name in ("neo_hookean", "chaboche")]
    for n in sizes(10**4, 10**7):
        jobs += [(name, n, lambda name=name, n=n: with_peers(name, n)) for name in PEERS]
    done = sum(tried(*job) for job in jobs)
    print(f"{done} of {len(jobs)} measurements, {sum('failed' in row for row in ROWS)} rows failed")
    return done < len(jobs) // 2 or any("failed" in row for row in ROWS)


if __name__ == "__main__":
    sys.exit(main())
