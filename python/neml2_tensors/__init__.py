# SPDX-License-Identifier: MIT
"""Keeps two packages apart that are both imported as neml2: neml2-tensors, and neml2 of PyPI (NEML2 3.x).

pip installs one over the other without a warning, and mixes their files. If neml2 was installed last, no code of
neml2-tensors would run on import that could report it. So neml2_tensors.pth makes Python call watch() when it
starts, which does nothing until neml2 is imported.
"""

import sys  # no other imports: this module is imported whenever Python starts


def check() -> None:
    """Raises ImportError if both packages are installed here."""
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
    """A finder that finds no module, but notices the search for neml2."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "neml2":
            check()


def watch() -> None:
    """Makes the import of neml2 call check first."""
    sys.meta_path.insert(0, _Watch)
