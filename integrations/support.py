# SPDX-License-Identifier: MIT
"""The options of the programs in this folder, and the checks that they print."""

import argparse


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
