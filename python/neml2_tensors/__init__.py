# SPDX-License-Identifier: MIT
"""Keeps apart what both is imported as neml2: the package neml2-tensors, and the package neml2 of PyPI (NEML2 3.x).

pip installs one over the other without a word. Each then has files of the other, whichever came last; where that
is neml2, nothing of neml2-tensors would run on import that could say so. So neml2_tensors.pth has Python call
watch() when it starts, which does nothing until neml2 is imported.
"""

import sys  # and nothing else: this is imported whenever Python starts


def check() -> None:
    """ImportError if both are installed here."""
    from importlib import metadata
    from pathlib import Path

    def place(d: metadata.Distribution) -> Path:
        return Path(str(d.locate_file(""))).resolve()

    here = {Path(__file__).resolve().parent.parent, *map(place, metadata.distributions(name="neml2-tensors"))}
    for other in metadata.distributions(name="neml2"):
        if place(other) in here:
            raise ImportError(
                f"neml2 {other.version} of PyPI is installed in {place(other)}, and so is neml2-tensors. They are different packages, "
                "both imported as neml2: files of one have replaced files of the other. Keep one, or give each an environment "
                "of its own: pip uninstall neml2 neml2-tensors, then install the one.",
                name="neml2",
            )


class _Watch:
    """Finds no module; looks on as neml2 is searched for."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "neml2":
            check()


def watch() -> None:
    """Has the import of neml2 check first."""
    sys.meta_path.insert(0, _Watch)
