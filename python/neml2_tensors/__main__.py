# SPDX-License-Identifier: MIT
"""The program `python -m neml2_tensors`. It prints a description of this package, or the folder in which C++ programs find the library."""

import argparse
from pathlib import Path

import torch

import neml2_tensors


def cmake_prefix() -> Path:
    """The folder to put into CMAKE_PREFIX_PATH."""
    for folder in map(Path, neml2_tensors.__path__):  # an editable installation has several folders
        if (folder / "lib/cmake/neml2").is_dir():
            return folder
    raise SystemExit("neml2-tensors: this installation has no CMake package")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m neml2_tensors", description=__doc__.partition(": ")[2])
    parser.add_argument("--version", action="version", version=neml2_tensors.__version__)
    parser.add_argument(
        "--cmake-prefix",
        action="store_true",
        help='for C++: cmake -DCMAKE_PREFIX_PATH="$(python -m neml2_tensors --cmake-prefix)", then find_package(neml2)',
    )
    if parser.parse_args().cmake_prefix:
        print(cmake_prefix())
    else:
        print(f"neml2-tensors {neml2_tensors.__version__} with torch {torch.__version__} in {Path(neml2_tensors.__file__).parent}\n")
        parser.print_help()


if __name__ == "__main__":
    main()
