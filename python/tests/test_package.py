# SPDX-License-Identifier: MIT
"""The package itself: its message for a wrong torch, its files, and its stubs."""

import ast
import re
import subprocess
import sys
from importlib import import_module, metadata
from pathlib import Path
from typing import ParamSpec, TypeVar

import neml2_tensors as neml2
import pytest
import torch
from neml2_tensors._build import CXX11_ABI, TORCH

PACKAGE = Path(neml2.__file__).parent
MODULES = ["tensors", "math", "crystallography"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)


def import_with(torch_module: str) -> str:
    """The last line that `import neml2_tensors` prints with another torch."""
    code = f"import sys, types\nsys.modules['torch'] = torch = {torch_module}\n"
    code += f"if torch: torch.__version__, torch.compiled_with_cxx11_abi = torch.__doc__, lambda: {CXX11_ABI}\n"
    done = run("-c", code + "import neml2_tensors")
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]


def test_without_torch_the_import_says_which_to_install():
    said = import_with("None")
    assert said.startswith("ImportError: neml2-tensors ") and f"torch {TORCH}" in said and "there is no torch here" in said
    assert f"pip install 'torch=={'.'.join(TORCH.split('.')[:2])}.*'" in said


@pytest.mark.parametrize("version", ["1.13.1", "2.0.1+cu118", "99.0.0a0"])
def test_with_another_torch_the_import_names_both(version):
    said = import_with(f"types.ModuleType('torch', '{version}')")
    assert said.startswith("ImportError: ") and f"but here is torch {version}." in said and f"built with torch {TORCH}" in said


def test_with_another_abi_the_import_says_so():
    done = run("-c", f"import torch, sys; torch.compiled_with_cxx11_abi = lambda: {not CXX11_ABI}; import neml2_tensors")
    assert done.returncode == 1 and "CXX11 ABI, unlike this one" in done.stderr.splitlines()[-1]


def test_a_broken_torch_keeps_its_own_error(tmp_path):
    (tmp_path / "torch.py").write_text("import what_torch_needs")
    done = run("-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import neml2_tensors")
    assert done.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'what_torch_needs'"


def test_another_patch_of_the_same_torch_is_accepted():
    release = ".".join(TORCH.split(".")[:2])
    done = run("-c", f"import torch; torch.__version__ = '{release}.99+cu999'; import neml2_tensors")
    assert done.returncode == 0, done.stderr


def test_it_has_one_version():
    assert neml2.__version__ == metadata.version("neml2-tensors") == run("-m", "neml2_tensors", "--version").stdout.strip()
    header = (PACKAGE / "include/neml2/version.h").read_text()
    assert neml2.__version__ == ".".join(line.split()[-1] for line in header.splitlines() if line.startswith("#define"))


def test_it_says_what_it_is():
    said = run("-m", "neml2_tensors").stdout
    assert f"neml2-tensors {neml2.__version__} with torch {torch.__version__}" in said and "usage:" in said


def test_it_carries_the_cmake_package():
    prefix = Path(run("-m", "neml2_tensors", "--cmake-prefix").stdout.rstrip("\n"))
    assert prefix.is_absolute()
    assert (prefix / "lib/cmake/neml2/neml2Config.cmake").is_file()
    assert (prefix / "include/neml2/neml2.h").is_file()
    assert (prefix / "include/neml2-compat/neml2/misc/math.h").is_file()


def test_the_module_looks_for_torch_nowhere_but_among_what_is_loaded():
    (module,) = PACKAGE.glob("_C.*.so")
    assert not re.search(rb"torch/lib[:\0]", module.read_bytes())  # as a run path would contain it


@pytest.mark.parametrize("name", MODULES)
def test_its_modules_can_be_imported_first(name):
    done = run("-c", f"import neml2_tensors.{name} as m; print(m.__name__)")
    assert done.stdout == f"neml2_tensors.{name}\n", done.stderr


@pytest.mark.parametrize("name", MODULES)
def test_each_name_is_in_the_stubs(name):
    tree = ast.parse((PACKAGE / f"{name}.pyi").read_text())
    stubs = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    module = import_module(f"neml2_tensors.{name}")
    public = {n for n, value in vars(module).items() if callable(value) and not n.startswith("_")}
    assert public and public <= stubs | {"T"}


@pytest.mark.parametrize("name", ["", ".tensors", ".math", ".crystallography", ".distributed", ".formulas", ".plot", ".point"])
def test_its_modules_say_what_is_public(name):
    module = import_module(f"neml2_tensors{name}")
    names = {}
    exec(f"from neml2_tensors{name} import *", names)
    assert len(set(module.__all__)) == len(module.__all__) > 0
    assert {n for n in names if n != "__builtins__"} == set(module.__all__)
    here = {n for n, f in vars(module).items() if getattr(f, "__module__", "") == module.__name__ and not n.startswith("_")}
    left_out = {n for n in here - set(module.__all__) if not isinstance(vars(module)[n], (TypeVar, ParamSpec))}
    shared = {"argument_names", "by_place", "parameters_of", "names_of", "places_named", "formula_of"}
    assert left_out <= shared  # by the modules of formulas


def test_the_types_are_at_top_level_too():
    assert neml2.SR2 is neml2.tensors.SR2 and neml2.Tensor is neml2.tensors.Tensor
    assert (PACKAGE / "py.typed").is_file()
