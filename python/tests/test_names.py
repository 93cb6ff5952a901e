# SPDX-License-Identifier: MIT
"""The two names of the package: neml2_tensors, and neml2 where no other package has it. PyPI's neml2 is NEML2 3.x."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import neml2_tensors
import pytest

SITE = Path(neml2_tensors.__file__).parent.parent
ALIAS = ("neml2_tensors.pth", "_neml2_alias.py")
WITHOUT = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}  # for environments without this package
pytestmark = pytest.mark.skipif(not all((SITE / file).is_file() for file in ALIAS), reason="not installed")


def run(code, *options, **others):
    return subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True, check=False, **others)


# ---- The package itself ----

FIRST = [
    "import neml2, neml2_tensors",
    "import neml2_tensors, neml2",
    "import neml2.math, neml2_tensors",
    "from neml2_tensors import math\nfrom neml2 import crystallography\nimport neml2, neml2_tensors",
]
SAME = """
import importlib.util, pickle, sys
import neml2.distributed, neml2.math as m, neml2.point
from neml2 import SR2, formulas
from neml2.tensors import Scalar

assert neml2 is neml2_tensors and m is neml2_tensors.math and formulas is neml2_tensors.formulas
assert SR2 is neml2_tensors.SR2 is neml2.tensors.SR2 and Scalar is neml2_tensors.Scalar
names = [n for n in sys.modules if n.startswith("neml2.")]
assert {"neml2.math", "neml2.point", "neml2.distributed"} <= {*names}
for name in names:
    assert sys.modules[name] is sys.modules["neml2_tensors" + name[len("neml2"):]], name
for name in ("neml2_tensors", "neml2_tensors.formulas", "neml2_tensors.point", "neml2_tensors.distributed"):
    module = sys.modules[name]
    assert module.__name__ == name == module.__spec__.name == importlib.util.find_spec(name).name, name
assert SR2.__module__ == "neml2_tensors.tensors" and m.dev.__module__ == "neml2_tensors.math", m.dev.__module__
kept = pickle.dumps([SR2.rand(3), neml2.vmap, m.hill])
assert b"neml2_tensors" in kept and b"neml2.tensors" not in kept
a, *functions = pickle.loads(kept)
assert type(a) is SR2 and functions == [neml2_tensors.vmap, neml2_tensors.math.hill]
assert pickle.loads(b"cneml2.tensors\\nSR2\\n.") is SR2
print("same")
"""


@pytest.mark.parametrize("first", FIRST)
def test_both_names_are_of_the_same_modules(first):
    done = run(first + SAME)
    assert done.stdout == "same\n", done.stderr


def test_a_program_that_has_one_name_reads_a_pickle_of_the_other(tmp_path):
    file = str(tmp_path / "kept")
    for writes, reads in (("neml2", "neml2_tensors"), ("neml2_tensors", "neml2")):
        done = run(f"import pickle; from {writes} import SR2; pickle.dump(SR2.zeros(2), open({file!r}, 'wb'))")
        assert done.returncode == 0, done.stderr
        done = run(f"import pickle; from {reads} import SR2; assert type(pickle.load(open({file!r}, 'rb'))) is SR2")
        assert done.returncode == 0, done.stderr


def test_without_pth_files_there_is_one_name():
    code = f"import sys; sys.path[:] = {sys.path!r}; from neml2_tensors import SR2; print(SR2.zeros().batch.dim()); import neml2"
    done = run(code, "-S")
    assert done.stdout == "0\n" and "ModuleNotFoundError: No module named 'neml2'" in done.stderr


# ---- A small package in its place, in environments without torch ----


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


THIS = {
    "neml2_tensors/__init__.py": b"from . import math\nVERSION = 'this'\n",
    "neml2_tensors/__main__.py": b"from . import VERSION\nprint('runs', VERSION)\n",
    "neml2_tensors/math.py": b"pi = 3\n",
    "neml2_tensors/plot/__init__.py": b"from ..math import pi\n",
}
OTHER = {
    "neml2/__init__.py": b"from .core import VERSION\n",
    "neml2/__main__.py": b"from . import VERSION\nprint('runs', VERSION)\n",
    "neml2/core.py": b"VERSION = 'other'\n",
    "neml2/math.py": b"pi = 4\n",
}


@pytest.fixture
def environment(tmp_path):
    """An empty virtual environment: its Python, a pip for it, and its folder of packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    python = tmp_path / "env/bin/python"
    (site,) = (tmp_path / "env/lib").glob("python*/site-packages")

    def pip(*arguments):
        quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
        subprocess.run([sys.executable, "-m", "pip", "--python", python, *arguments, *quiet], check=True)

    def says(*arguments):
        done = subprocess.run([python, *arguments], capture_output=True, text=True, check=False, cwd=tmp_path, env=WITHOUT)
        return (done.stdout or done.stderr.strip().rpartition("\n")[2]).strip()

    return says, pip, site


def small(site):
    """The small package, laid out as pip would."""
    for file, content in ({file: (SITE / file).read_bytes() for file in ALIAS} | THIS).items():
        (site / file).parent.mkdir(exist_ok=True)
        (site / file).write_bytes(content)


@pytest.mark.parametrize("order", ["+this +other -this +this -other", "+other +this -other -this"])
def test_beside_the_other_package_each_has_its_own_name(environment, tmp_path, order):
    says, pip, site = environment
    files = {"this": {file: (SITE / file).read_bytes() for file in ALIAS} | THIS, "other": OTHER}
    wheels = {"this": wheel(tmp_path, "neml2_tensors", "1.0.0", files["this"]), "other": wheel(tmp_path, "neml2", "3.0.0", OTHER)}
    here = set()
    for step in order.split():
        if step[0] == "+":
            pip("install", "--no-index", "--no-deps", wheels[step[1:]])
        else:
            pip("uninstall", "--yes", {"this": "neml2-tensors", "other": "neml2"}[step[1:]])
        here ^= {step[1:]}
        for name, of in files.items():
            found = {file: (site / file).read_bytes() for file in of if (site / file).is_file()}
            assert found == (of if name in here else {}), (step, name)
        plain = "other" if "other" in here else "this" if here else "ModuleNotFoundError: No module named 'neml2'"
        ours = "this" if "this" in here else "ModuleNotFoundError: No module named 'neml2_tensors'"
        assert says("-c", "import neml2; print(neml2.VERSION)") == plain, step
        assert says("-c", "import neml2_tensors as neml2; print(neml2.VERSION)") == ours, step
        both = "from neml2_tensors import math as a, plot; import neml2.math as b; print(a.pi, b.pi, plot.pi)"
        assert says("-c", both) == (ours if "this" not in here else "3 4 3" if "other" in here else "3 3 3"), step
        if here:
            assert says("-m", "neml2") == f"runs {plain}", step
        if "this" in here:
            assert says("-m", "neml2_tensors") == "runs this", step
        assert says("-c", "print(1)") == "1"


def test_each_module_is_loaded_once_from_any_thread(environment):
    says, _, site = environment
    small(site)
    (site / "neml2_tensors/slow.py").write_text("import time\ntime.sleep(0.2)\nprint('loaded')\n")
    code = """
import sys, threading
from importlib import import_module
at_once, found = threading.Barrier(8), set()
def load(name):
    at_once.wait()
    found.add(import_module(name))
threads = [threading.Thread(target=load, args=(f"{package}.slow",)) for package in ("neml2", "neml2_tensors") * 4]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(len(found), sys.modules["neml2"] is sys.modules["neml2_tensors"])
"""
    assert says("-c", code) == "loaded\n1 True"


def test_modules_are_looked_for_and_loaded_again(environment):
    says, _, site = environment
    small(site)
    code = """
import sys
assert not any(n.startswith(("neml2", "importlib.util", "typing", "pathlib")) for n in sys.modules)
import importlib.util
found = importlib.util.find_spec("neml2")
assert found.name == "neml2" and found.origin.endswith("__init__.py") and "neml2_tensors" not in sys.modules
import neml2.plot
assert importlib.util.find_spec("neml2.nothing") is None
assert importlib.reload(neml2) is neml2 is sys.modules["neml2_tensors"] and importlib.reload(neml2.plot) is neml2.plot
try:
    import neml2.nothing
except ModuleNotFoundError as error:
    print(error)
"""
    assert says("-c", code) == "No module named 'neml2.nothing'"
    assert says("-I", "-c", "import neml2; print(neml2.__name__)") == "neml2_tensors"
    (site / "neml2_tensors/__init__.py").write_text("raise ImportError('no torch', name='torch')\n")
    assert says("-c", "import neml2") == "ImportError: no torch"


def test_a_folder_of_that_name_is_not_the_package(environment, tmp_path):
    says, _, site = environment
    small(site)
    (tmp_path / "neml2").mkdir()  # as a clone, in the folder where Python starts
    (site / "neml2/__pycache__").mkdir(parents=True)  # as what remains of a package that was removed
    assert says("-c", "import neml2; print(neml2.VERSION)") == says("-c", "from neml2 import VERSION; print(VERSION)") == "this"
    (tmp_path / "neml2.py").write_text("VERSION = 'mine'\n")
    assert says("-c", "import neml2; print(neml2.VERSION)") == "mine"
    assert says("-c", "import neml2_tensors; print(neml2_tensors.VERSION)") == "this"


@pytest.mark.skipif("NEML2_3" not in os.environ, reason="the environment variable NEML2_3 names no Python that has NEML2 3.x")
def test_both_are_used_in_one_program():
    code = f"""
import sys
sys.path.append({str(SITE)!r})
import neml2_tensors, neml2, torch
from neml2 import types
from neml2_tensors import SR2
stress = torch.rand(3, 6, dtype=torch.float64)
assert neml2 is not neml2_tensors and types.SR2 is not SR2
assert torch.allclose(types.dev(types.SR2(stress)).data, SR2(stress).dev().torch())
print("both")
"""
    done = subprocess.run([os.environ["NEML2_3"], "-c", code], capture_output=True, text=True, env=WITHOUT)
    assert done.stdout == "both\n", done.stderr
