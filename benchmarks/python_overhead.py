#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times operations of the Python package against pure PyTorch, and against the same call from C++.

    python_overhead.py build/release/benchmarks [--docs]

needs the installed package, and the benchmark `products` in that folder. One thread, float64. `--docs` puts the
tables into docs/python_speed.md.
"""
import argparse
import pathlib
import random
import sys
import time
import timeit

import neml2
import torch
from neml2.tensors import R2, SR2, SSR4, Rot

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import benchmark  # noqa: E402
import pages  # noqa: E402

SIZES = {1: "1", 100: "100", 10**4: "10⁴"}
BEGIN = "<!-- results: written by benchmarks/python_overhead.py --docs -->"

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)

# Linear maps as matrices on flat components: the deviator, Mandel components to matrices and back, and the
# products of the components of a unit quaternion to its rotation matrix.
DEV = SR2(torch.eye(6)).dev().torch()
FULL = R2(SR2(torch.eye(6))).torch().reshape(6, 9)
SYM = SR2(R2(torch.eye(9).reshape(9, 3, 3))).torch()
SQRT2 = 2**0.5


def quaternion_map():
    K = torch.zeros(4, 4, 3, 3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        K[0, 0, i, i] = K[i + 1, i + 1, i, i] = 1
        K[j + 1, j + 1, i, i] = K[k + 1, k + 1, i, i] = -1
        K[i + 1, j + 1, i, j] = K[i + 1, k + 1, i, k] = 2
        K[0, k + 1, i, j], K[0, j + 1, i, k] = -2, 2
    return K.reshape(16, 9)


QUATERNION = quaternion_map()
# Contiguous matrices, for products from the left
FULL_T, SYM_T, QUATERNION_T = (m.t().contiguous() for m in (FULL, SYM, QUATERNION))


# ---- Compositions of several calls: the obvious ones ("obvious"), and the fastest known ones ----
def obvious_dev(s):
    mean = s[..., :3].mean(-1, keepdim=True)
    return torch.cat([s[..., :3] - mean, s[..., 3:]], -1)


def obvious_full(s):
    c = s.unbind(-1)
    s12, s02, s01 = c[3] / SQRT2, c[4] / SQRT2, c[5] / SQRT2
    return torch.stack([c[0], s01, s02, s01, c[1], s12, s02, s12, c[2]], -1).reshape(-1, 3, 3)


def obvious_sym(A):
    shear = [SQRT2 * A[..., 1, 2], SQRT2 * A[..., 0, 2], SQRT2 * A[..., 0, 1]]
    return torch.stack([A[..., 0, 0], A[..., 1, 1], A[..., 2, 2], *shear], -1)


def obvious_matrix(r):
    x, y, z = r.unbind(-1)
    o = torch.zeros_like(x)
    W = torch.stack([o, -z, y, z, o, -x, -y, x, o], -1).reshape(-1, 3, 3)
    s = (r * r).sum(-1)[..., None, None]
    return torch.eye(3) + (4 * (1 - s) * W + 8 * (W @ W)) / (1 + s) ** 2


def obvious_rotate(s, R):
    return obvious_sym(R @ obvious_full(s) @ R.mT)


def obvious_rotate_by_rot(s, r):
    return obvious_rotate(s, obvious_matrix(r))


def matrix_by_mm(r):
    s = (r * r).sum(-1, True)
    q = torch.cat([1 - s, 2 * r], -1).div_(s + 1)
    return (q.unsqueeze(2) * q.unsqueeze(1)).view(-1, 16).mm(QUATERNION)


def rotate_mm(s, R):
    return torch.bmm(torch.bmm(R, s.mm(FULL).view(-1, 3, 3)), R.mT).view(-1, 9).mm(SYM)


def rotate_by_rot_mm(s, r):
    return rotate_mm(s, matrix_by_mm(r).view(-1, 3, 3))


def column_product(a, b):
    """The product with the batch as innermost dimension, over which PyTorch vectorises: (3, 3, N)."""
    r = a[:, 0:1] * b[0:1]
    for k in (1, 2):
        r.addcmul_(a[:, k : k + 1], b[k : k + 1])
    return r


def rotate_by_columns(s, R):
    a = column_product(R, FULL_T.mm(s.t()).view(3, 3, -1))
    return SYM_T.mm(column_product(a, R.transpose(0, 1)).view(9, -1)).t()


def rotate_columns(s, R):
    return rotate_by_columns(s, R.permute(1, 2, 0).contiguous())


def rotate_by_rot_columns(s, r):
    x = r.t().contiguous()
    n = (x * x).sum(0, True)
    q = torch.cat([1 - n, 2 * x], 0).div_(n + 1)
    R = QUATERNION_T.mm((q.unsqueeze(1) * q.unsqueeze(0)).view(16, -1))
    return rotate_by_columns(s, R.view(3, 3, -1))


def chunks(f, s, r, rows=2048):
    """Computes in pieces whose temporaries stay in the cache."""
    return torch.cat([f(a, b) for a, b in zip(s.split(rows), r.split(rows))])


# The first peer is this library, the second the obvious composition. Calls that write into `out` have no gradient.
CASES = {
    "C * strain": {
        "neml2": "C * strain",
        "obvious": "torch.matmul(c, s.unsqueeze(-1)).squeeze(-1)",
        "s @ c.T": "s @ c.T",
        "mm": "torch.mm(s, ct)",
        "linear": "linear(s, c)",
        "einsum": "torch.einsum('ij,nj->ni', c, s)",
        "columns": "torch.mm(c, s.t()).t()",
        "mm out=": "torch.mm(s, ct, out=out)",
    },
    "C(2) * strain": {
        "neml2": "C2 * strain2",
        "obvious": "torch.matmul(c2, s2.unsqueeze(-1)).squeeze(-1)",
        "einsum": "torch.einsum('bij,nbj->nbi', c2, s2)",
        "bmm": "torch.bmm(s2.transpose(0, 1), c2t).transpose(0, 1)",
        "bmm columns": "torch.bmm(c2, s2.permute(1, 2, 0)).permute(2, 0, 1)",
        "bmm out=": "torch.bmm(s2.transpose(0, 1), c2t, out=out2)",
    },
    "dev": {
        "neml2": "strain.dev()",
        "obvious": "obvious_dev(s)",
        "mm": "torch.mm(s, DEV)",
        "linear": "linear(s, DEV)",
        "columns": "torch.mm(DEV, s.t()).t()",
        "mm out=": "torch.mm(s, DEV, out=out)",
    },
    "norm": {
        "neml2": "strain.norm()",
        "obvious": "(s * s).sum(-1).sqrt()",
        "vector_norm": "torch.linalg.vector_norm(s, dim=-1)",
        "mul mv": "torch.mv(s * s, ones).sqrt_()",
        "vector_norm out=": "torch.linalg.vector_norm(s, dim=-1, out=out1)",
        "mul mv out=": "torch.mv(torch.mul(s, s, out=out), ones, out=out1).sqrt_()",
    },
    "rotate by R2": {
        "neml2": "strain.rotate(matrix)",
        "obvious": "obvious_rotate(s, R)",
        "mm bmm": "rotate_mm(s, R)",
        "columns": "rotate_columns(s, R)",
        "columns chunks": "chunks(rotate_columns, s, R)",
    },
    "rotate by Rot": {
        "neml2": "strain.rotate(rotation)",
        "obvious": "obvious_rotate_by_rot(s, r)",
        "mm bmm": "rotate_by_rot_mm(s, r)",
        "columns": "rotate_by_rot_columns(s, r)",
        "columns chunks": "chunks(rotate_by_rot_columns, s, r)",
    },
}
LEAVES = {"C(2) * strain": "s2", "rotate by R2": "s, R", "rotate by Rot": "s, r"}


def names(N, requires_grad):
    c, c2 = torch.rand(6, 6), torch.rand(2, 6, 6)
    s, s2, R, r = (torch.rand(N, *shape).requires_grad_(requires_grad) for shape in ((6,), (2, 6), (3, 3), (3,)))
    return globals() | {
        "c": c, "ct": c.t(), "c2": c2, "c2t": c2.mT, "s": s, "s2": s2, "R": R, "r": r,
        "C": SSR4(c), "C2": SSR4(c2), "strain": SR2(s), "strain2": SR2(s2), "matrix": R2(R), "rotation": Rot(r),
        "linear": torch.nn.functional.linear, "ones": torch.ones(6), "grad": torch.autograd.grad,
        "out": torch.empty(N, 6), "out2": torch.empty(2, N, 6), "out1": torch.empty(N),
    }  # fmt: skip


def with_backward(operation, peer, statement):
    """A statement that computes the gradients by the batched arguments, for a gradient g of the result."""
    result = f"({statement}).torch()" if peer == "neml2" else statement
    return f"grad({result}, ({LEAVES.get(operation, 's')},), g)"


def statements(operation, backward):
    for peer, statement in CASES[operation].items():
        if not backward:
            yield peer, statement
        elif not peer.endswith("out="):
            yield peer, with_backward(operation, peer, statement)


def check(operation, found, expected):
    for a, b in zip(found, expected):
        a, b = (x.torch() if isinstance(x, neml2.TensorBase) else x for x in (a, b))
        a = a.transpose(0, 1) if a.shape != b.shape else a
        if not torch.allclose(a, b, rtol=0, atol=1e-10 * float(b.abs().max())):
            sys.exit(f"{operation}: results differ")


def times(operation, N, backward, rounds):
    """µs of each peer: the fastest of many samples of 2 ms, taken in turns. It measures CPU time, which other programs on the
    machine disturb less than elapsed time."""
    scope = names(N, backward)
    if backward:
        scope["g"] = torch.rand_like(eval(CASES[operation]["obvious"], scope))
    timers, expected = {}, None
    for peer, statement in statements(operation, backward):
        result = eval(statement, scope)
        result = result if backward else (result,)
        expected = expected or result
        check(f"{operation}, {peer}, N = {N}", result, expected)
        timer = timeit.Timer(statement, globals=scope, timer=time.thread_time)
        timers[peer] = timer, max(1, int(2e-3 * 20 / timer.timeit(20)))
    found = dict.fromkeys(timers, float("inf"))
    for _ in range(rounds):
        for peer in random.sample(list(timers), len(timers)):
            timer, calls = timers[peer]
            found[peer] = min(found[peer], timer.timeit(calls) / calls * 1e6)
    return found


def speed_table(results):
    header = ["operation", "N", "neml2 µs", "obvious", "best", "best PyTorch is"]
    header += ["and backward: µs", "obvious", "best", "best PyTorch is"]
    rows = []
    for operation in CASES:
        for N, text in SIZES.items():
            row = [operation, text]
            for backward in (False, True):
                found = dict(results[operation, N, backward])
                ours = found.pop("neml2")
                best = min(found, key=found.get)
                ratios = [benchmark.number(found[peer] / ours) for peer in ("obvious", best)]
                row += [benchmark.number(ours), *ratios, best.replace("s @ c.T", "`@`")]
            rows.append(row)
    return benchmark.table(header, rows)


def call_table(results, folder):
    _, cpp = benchmark.run(folder / "products", "--benchmark_filter=^C(.2.)? . strain/1/1/neml2")
    rows = []
    for operation in ("C * strain", "C(2) * strain"):
        ours, there = results[operation, 1, False]["neml2"], cpp[f"{operation}/1/1/neml2"] / 1e3
        rows.append([operation, f"{there:.2f}", f"{ours:.2f}", f"{ours - there:.2f}"])
    return benchmark.table(["µs per call, N = 1", "C++", "Python", "Python's share"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="holds the built benchmark `products`")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--docs", action="store_true", help="put the tables into docs/python_speed.md, too")
    args = parser.parse_args()
    results = {}
    for operation in CASES:
        for N in SIZES:
            for backward in (False, True):
                results[operation, N, backward] = times(operation, N, backward, args.rounds)
                print(operation, N, backward, results[operation, N, backward], file=sys.stderr, flush=True)
    versions = f"Python {sys.version.split()[0]}; torch {torch.__version__}"
    where = f"{benchmark.cpu()}; {versions}; float64, one thread; minima."
    text = "\n\n".join([where, speed_table(results), call_table(results, args.folder.resolve())])
    print(text)
    if args.docs:
        pages.replace_results(ROOT / "docs" / "python_speed.md", BEGIN, text)


if __name__ == "__main__":
    main()
