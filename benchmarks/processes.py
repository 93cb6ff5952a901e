# SPDX-License-Identifier: MIT
"""One batch over several processes: the times of computation and of communication.

    MALLOC_MMAP_THRESHOLD_=4294967296 MALLOC_TRIM_THRESHOLD_=4294967296 torchrun --nproc-per-node 2 benchmarks/processes.py [POINTS]

The best of thirty runs of the slowest process, in milliseconds; one thread per process.
"""

import sys
import time
from datetime import timedelta
from math import sqrt

import neml2
import torch
from neml2 import distributed as many
from neml2.math import dev, maximum, norm, vol
from neml2.tensors import SR2, Scalar

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.distributed.init_process_group("gloo", timeout=timedelta(seconds=60))
points = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
part = many.batch_part(points)
n = part.stop - part.start


@neml2.formula(backend="interpreter")
def radial_return(strain: SR2, yield_stress: Scalar) -> SR2:
    mu, kappa, modulus = 80e3, 160e3, 2e3
    trial = 2 * mu * dev(strain)
    mises = sqrt(1.5) * norm(trial)
    multiplier = maximum(mises - yield_stress, 0.0) / (3 * mu + modulus)
    return 3 * kappa * vol(strain) + trial * (1 - 3 * mu * multiplier / maximum(mises, 1e-12))


def best(f):
    """The time of the slowest process."""
    times = []
    for _ in range(30):
        torch.distributed.barrier()
        begin = time.perf_counter()
        f()
        times.append(time.perf_counter() - begin)
    return 1e3 * many.batch_max(Scalar(torch.tensor([min(times)]))).item()


torch.manual_seed(torch.distributed.get_rank())
strain = SR2(0.01 * torch.rand(n, 6))
x = torch.tensor(5.5, requires_grad=True)
stress = radial_return(strain, Scalar(250.0)).torch()


def gradient():
    yield_stress = many.expand_batch(neml2.math.exp(Scalar(x)), n)
    s = radial_return(strain, yield_stress)
    many.batch_mean(neml2.math.inner(s, s)).torch().backward()


rows = {
    "radial return of the points": lambda: radial_return(strain, Scalar(250.0)),
    "a loss and its gradient by what the points share": gradient,
    "math.batch_sum of the part's stresses (6 numbers per point)": lambda: neml2.math.batch_sum(SR2(stress)),
    "batch_sum of all": lambda: many.batch_sum(SR2(stress)),
    "batch_max of all": lambda: many.batch_max(SR2(stress)),
    "gather_batch": lambda: many.gather_batch(SR2(stress)),
    "batch_sum of 1 point a process": lambda: many.batch_sum(SR2(stress[:1])),
}
for what, f in rows.items():
    t = best(f)
    if torch.distributed.get_rank() == 0:
        print(f"{what:60s} {t:9.2f}")
torch.distributed.destroy_process_group()
