# SPDX-License-Identifier: MIT
"""The package itself: its message for a wrong torch, its files, and its stubs."""

import ast
import re
import subprocess
import sys
import zipfile
from importlib import import_module, metadata
from pathlib import Path
from typing import ParamSpec, TypeVar

import neml2
import pytest
import torch
from neml2._build import CXX11_ABI, TORCH

PACKAGE = Path(neml2.__file__).parent
MODULES = ["tensors", "math", "crystallography"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)


def import_with(torch_module: str) -> str:
    """The last line that `import neml2` prints with another torch."""
    code = f"import sys, types\nsys.modules['torch'] = torch = {torch_module}\n"
    code += f"if torch: torch.__version__, torch.compiled_with_cxx11_abi = torch.__doc__, lambda: {CXX11_ABI}\n"
    done = run("-c", code + "import neml2")
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]


def test_without_torch_the_import_says_which_to_install():
    said = import_with("None")
    assert said.startswith("ImportError: neml2 ") and f"torch {TORCH}" in said and "there is no torch here" in said
    assert f"pip install 'torch=={'.'.join(TORCH.split('.')[:2])}.*'" in said


@pytest.mark.parametrize("version", ["1.13.1", "2.0.1+cu118", "99.0.0a0"])
def test_with_another_torch_the_import_names_both(version):
    said = import_with(f"types.ModuleType('torch', '{version}')")
    assert said.startswith("ImportError: ") and f"but here is torch {version}." in said and f"built with torch {TORCH}" in said


def test_with_another_abi_the_import_says_so():
    done = run("-c", f"import torch, sys; torch.compiled_with_cxx11_abi = lambda: {not CXX11_ABI}; import neml2")
    assert done.returncode == 1 and "CXX11 ABI, unlike this one" in done.stderr.splitlines()[-1]


def test_a_broken_torch_keeps_its_own_error(tmp_path):
    (tmp_path / "torch.py").write_text("import what_torch_needs")
    done = run("-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import neml2")
    assert done.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'what_torch_needs'"


def test_another_patch_of_the_same_torch_is_accepted():
    release = ".".join(TORCH.split(".")[:2])
    done = run("-c", f"import torch; torch.__version__ = '{release}.99+cu999'; import neml2")
    assert done.returncode == 0, done.stderr


def test_it_has_one_version():
    assert neml2.__version__ == metadata.version("neml2-tensors") == run("-m", "neml2", "--version").stdout.strip()
    header = (PACKAGE / "include/neml2/version.h").read_text()
    assert neml2.__version__ == ".".join(line.split()[-1] for line in header.splitlines() if line.startswith("#define"))


def test_it_says_what_it_is():
    said = run("-m", "neml2").stdout
    assert f"neml2 {neml2.__version__} with torch {torch.__version__}" in said and "usage:" in said


def test_it_carries_the_cmake_package():
    prefix = Path(run("-m", "neml2", "--cmake-prefix").stdout.rstrip("\n"))
    assert prefix.is_absolute()
    assert (prefix / "lib/cmake/neml2/neml2Config.cmake").is_file()
    assert (prefix / "include/neml2/neml2.h").is_file()
    assert (prefix / "include/neml2-compat/neml2/misc/math.h").is_file()


def test_the_module_looks_for_torch_nowhere_but_among_what_is_loaded():
    (module,) = PACKAGE.glob("_C.*.so")
    assert not re.search(rb"torch/lib[:\0]", module.read_bytes())  # as a run path would contain it


@pytest.mark.parametrize("name", MODULES)
def test_its_modules_can_be_imported_first(name):
    done = run("-c", f"import neml2.{name} as m; print(m.__name__)")
    assert done.stdout == f"neml2.{name}\n", done.stderr


@pytest.mark.parametrize("name", MODULES)
def test_each_name_is_in_the_stubs(name):
    tree = ast.parse((PACKAGE / f"{name}.pyi").read_text())
    stubs = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    module = import_module(f"neml2.{name}")
    public = {n for n, value in vars(module).items() if callable(value) and not n.startswith("_")}
    assert public and public <= stubs | {"T"}


@pytest.mark.parametrize("name", ["", ".tensors", ".math", ".crystallography", ".distributed", ".formulas", ".plot", ".point"])
def test_its_modules_say_what_is_public(name):
    module = import_module(f"neml2{name}")
    names = {}
    exec(f"from neml2{name} import *", names)
    assert len(set(module.__all__)) == len(module.__all__) > 0
    assert {n for n in names if n != "__builtins__"} == set(module.__all__)
    here = {n for n, f in vars(module).items() if getattr(f, "__module__", "") == module.__name__ and not n.startswith("_")}
    left_out = {n for n in here - set(module.__all__) if not isinstance(vars(module)[n], (TypeVar, ParamSpec))}
    assert left_out <= {"argument_names", "parameters_of", "names_of", "places_named", "formula_of"}  # shared by the modules of formulas


def test_the_types_are_at_top_level_too():
    assert neml2.SR2 is neml2.tensors.SR2 and neml2.Tensor is neml2.tensors.Tensor
    assert (PACKAGE / "py.typed").is_file()


# ---- PyPI's package neml2, NEML2 3.x, which is imported by the same name ----


def wheel(folder, name, version, files):
    """Makes a wheel of these files."""
    path, info = folder / f"{name}-{version}-py3-none-any.whl", f"{name}-{version}.dist-info"
    files = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for file, content in files.items():
            archive.writestr(file, content)
        archive.writestr(f"{info}/RECORD", "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"]))
    return path


def this_one(folder):
    """A copy of the tested package without its compiled part."""
    site = PACKAGE.parent
    files = [*PACKAGE.glob("*.py"), *(site / "neml2_tensors").glob("*.py"), *site.glob("neml2_tensors.pth")]
    assert len(files) > 5
    return wheel(folder, "neml2_tensors", neml2.__version__, {str(f.relative_to(site)): f.read_bytes() for f in files})


def other_one(folder):
    files = {"neml2/__init__.py": b"from .core import VERSION\n", "neml2/core.py": b"VERSION = '3.0.0'\n"}
    return wheel(folder, "neml2", "3.0.0", files)


@pytest.fixture
def environment(tmp_path):
    """An empty virtual environment: its Python, and a pip for it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    python = tmp_path / "env/bin/python"

    def pip(*arguments):
        quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
        subprocess.run([sys.executable, "-m", "pip", "--python", python, *arguments, *quiet], check=True)

    def python_says(*arguments):
        return subprocess.run([python, *arguments], capture_output=True, text=True, check=False)

    def install(file):
        pip("install", "--no-index", "--no-deps", file)

    return install, pip, python_says


@pytest.mark.skipif(not (PACKAGE.parent / "neml2_tensors.pth").is_file(), reason="not installed")
@pytest.mark.parametrize("order", [(this_one, other_one), (other_one, this_one)], ids=["this first", "the other first"])
def test_beside_the_other_package_each_import_says_so_and_how_to_cure_it(environment, tmp_path, order):
    install, pip, python = environment
    for make in order:
        install(make(tmp_path))
    for arguments in (["-c", "import neml2"], ["-c", "from neml2.tensors import SR2"], ["-m", "neml2"]):
        said = python(*arguments)
        assert said.returncode == 1 and "ImportError: neml2 3.0.0 of PyPI is installed in" in said.stderr
        assert "so is neml2-tensors" in said.stderr and "pip uninstall neml2 neml2-tensors" in said.stderr
    said = python("-c", "print(1)")
    assert (said.stdout, said.stderr) == ("1\n", "")
    pip("uninstall", "--yes", "neml2", "neml2-tensors")
    assert "ModuleNotFoundError: No module named 'neml2'" in python("-c", "import neml2").stderr
    install(other_one(tmp_path))
    assert python("-c", "import neml2; print(neml2.VERSION)").stdout == "3.0.0\n"


@pytest.mark.skipif(not (PACKAGE.parent / "neml2_tensors.pth").is_file(), reason="not installed")
def test_alone_each_package_is_imported(environment, tmp_path):
    install, pip, python = environment
    install(this_one(tmp_path))
    assert "there is no torch here" in python("-c", "import neml2").stderr  # the first error without torch
    pip("uninstall", "--yes", "neml2-tensors")
    install(other_one(tmp_path))
    assert python("-c", "import neml2; print(neml2.VERSION)").stdout == "3.0.0\n"


def test_without_its_pth_the_import_says_so_too(tmp_path):
    (tmp_path / "neml2-3.0.0.dist-info").mkdir()
    (tmp_path / "neml2-3.0.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: neml2\nVersion: 3.0.0\n")
    for name in ("neml2", "neml2_tensors"):
        (tmp_path / name).mkdir()
        for file in (PACKAGE.parent / name).glob("*.py"):
            (tmp_path / name / file.name).write_bytes(file.read_bytes())
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import neml2"
    done = run("-S", "-c", code)
    assert done.returncode == 1 and "pip uninstall neml2 neml2-tensors" in done.stderr


def test_the_other_package_elsewhere_is_no_matter(tmp_path):
    (tmp_path / "neml2-3.0.0.dist-info").mkdir()
    (tmp_path / "neml2-3.0.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: neml2\nVersion: 3.0.0\n")
    done = run("-c", f"import sys; sys.path.append({str(tmp_path)!r}); import neml2; print('fine')")
    assert done.stdout == "fine\n", done.stderr
