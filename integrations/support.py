# SPDX-License-Identifier: MIT
"""The options of the programs in this folder, the checks that they print, and their times."""

import argparse
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterator


def options_of(draws: str, times: str) -> argparse.Namespace:
    """The options --plot FILE, --time and --refine N. The arguments say what the program draws and times."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--plot", metavar="FILE", help=f"draws {draws} into this file (needs matplotlib)")
    parser.add_argument("--time", action="store_true", help=f"prints how long {times} take")
    parser.add_argument("--refine", type=int, default=1, metavar="N", help="as many times the elements along each side")
    return parser.parse_args()


class Checks:
    """Prints checks, and records whether all have passed."""

    failed = False

    def within(self, what: str, error: float, limit: float) -> None:
        self.true(error < limit)
        print(f"{what}, to {limit:.0e}" if error < limit else f"{what}: NO, not to {limit:.0e}")

    def true(self, is_so: bool) -> None:
        self.failed |= not is_so


seconds: Counter[str] = Counter()  # per part of the program


@contextlib.contextmanager
def timed(part: str) -> Iterator[None]:
    """Adds the time of a block, or of the calls of the function that it decorates, to the seconds of this part."""
    begin = time.perf_counter()
    try:
        yield
    finally:
        seconds[part] += time.perf_counter() - begin


def shortest(call: Callable[[], object]) -> float:
    """The time of the fastest call in ms. Calls are repeated for 4 s, in which their formulas are compiled in the background."""
    of_calls, started = [], time.perf_counter()
    while time.perf_counter() < started + 4:
        begin = time.perf_counter()
        call()
        of_calls.append(time.perf_counter() - begin)
    return 1e3 * min(of_calls)
