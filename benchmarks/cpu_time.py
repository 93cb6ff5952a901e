# SPDX-License-Identifier: MIT
"""CPU time of a call, for benchmarks that run in several Python environments."""

import os
import time


def timed(call, seconds=2.0):
    """CPU seconds of the first call, including its compiler's, and ns of the fastest later call."""
    start = sum(os.times()[:4])
    call()
    first = sum(os.times()[:4]) - start
    best, deadline, calls = float("inf"), time.perf_counter() + seconds, 0
    while time.perf_counter() < deadline or calls < 5:
        start = time.process_time_ns()
        call()
        best, calls = min(best, time.process_time_ns() - start), calls + 1
    return first, best
