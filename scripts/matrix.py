#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds and tests the library with different versions of LibTorch, compilers, standards and flags, one combination after another.

scripts/matrix.py                 lists the cells and their last results, which are in build/matrix/results.json
scripts/matrix.py run NAME...     configures, builds and tests these cells, each in build/matrix/NAME
scripts/matrix.py run --all ...   builds and tests the whole library there, not only a part that takes minutes

A torch of pip that is missing in build/matrix is installed there; for C++, only the CPU part of a torch for CUDA is. A release of
Debian other than this machine's is installed there, too, with its compiler, LibTorch and Python (as root, by debootstrap). The script
installs no packages on this machine itself. Standard library only.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
MATRIX = ROOT / "build" / "matrix"
RESULTS = MATRIX / "results.json"
HEADER = ["LibTorch", "on", "compiler", "C++", "build", "what runs", "last result", "cell"]

EXAMPLES = ["broadcasting", "j2_plasticity", "labeled_state"]
ALONE = rf"headers/(lanes|shape|outputs|logic|vmap_out|random_rotations|autograd)$|examples/({'|'.join(EXAMPLES)})$"
SAMPLES = {  # targets and the names of their tests
    "headers": (["headers_tests", *EXAMPLES], ALONE),
    "headers, library, 2.x": (["headers_tests", *EXAMPLES, "core_tests", "compat", "libraries_mixed"],
                              rf"{ALONE}|core/|compat/|libraries/mixed$"),
    "headers, kernels": (["headers_tests", "kernels_tests", *EXAMPLES], rf"{ALONE}|kernels/"),
}
HEADERS, LIBRARY, KERNELS = SAMPLES
PYTHON = "Python package"
RELEASES = {"bookworm": "Debian 12", "trixie": "Debian 13", "forky": "Debian testing"}
PACKAGES = ["ca-certificates", "catch2", "cmake", "g++", "libeigen3-dev", "libtorch-dev", "ninja-build", "pkg-config", "python3-dev", "python3-venv"]


@dataclass
class Cell:
    name: str
    libtorch: str  # the version
    layout: str  # pip, zip, system, or none
    compiler: str
    standard: int
    build: str  # CMAKE_BUILD_TYPE, then flags
    sample: str  # a key of SAMPLES, PYTHON, or a name for the tests that the command runs
    command: str = ""  # a make command to run instead
    result: str = "not run here"  # until the first run
    debian: str = "bookworm"  # the release in which it runs
    python: str = ""  # the version of Python that runs it; empty for the Python of the release


def in_ci(name, libtorch, layout, standard, build, sample, command):
    return Cell(name, libtorch, layout, "g++", standard, build, sample, command, "in each change")


CELLS = [
    in_ci("ci-pip", "2.13.0", "pip", 17, "RelWithDebInfo -O1", "everything", "make test-all LIBTORCH=private"),
    in_ci("ci-system", "1.13.1", "system", 17, "RelWithDebInfo -O0", "library, 2.x",
          "make test-all LIBTORCH=system \"FLAGS=-DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O0 -DNEML2_RECORDS'\" TARGETS='core_tests compat_every_type libraries_mixed' "
          "TESTS='^(core/|compat/every_type|libraries/mixed)'"),
    in_ci("ci-asan", "2.13.0", "pip", 20, "sanitizers", "kernels, labels",
          "make asan LIBTORCH=private TARGETS='kernels_tests labels_corpus' TESTS='^(kernels|fuzz)/'"),
    in_ci("ci-python", "2.13.0", "pip", 17, "RelWithDebInfo -O1", PYTHON, "make python-test"),
    Cell("pip-2.2", "2.2.2", "pip", "g++", 17, "RelWithDebInfo -O0", LIBRARY),
    Cell("pip-2.6", "2.6.0", "pip", "g++", 17, "Debug", LIBRARY),
    Cell("pip-2.14", "2.14.1", "pip", "g++", 23, "RelWithDebInfo -O1", HEADERS),
    Cell("pip-2.15", "2.15.0", "pip", "g++", 20, "RelWithDebInfo -O0", LIBRARY),
    Cell("zip-2.13", "2.13.0", "zip", "g++", 17, "Release", HEADERS),
    Cell("clang-system", "1.13.1", "system", "clang++-22", 17, "RelWithDebInfo -O1", HEADERS),
    Cell("clang-14", "2.13.0", "pip", "clang++-14", 17, "RelWithDebInfo -O0", HEADERS),
    Cell("clang-cxx20", "2.13.0", "pip", "clang++-22", 20, "RelWithDebInfo -O0", LIBRARY),
    Cell("clang-cxx23", "2.15.0", "pip", "clang++-22", 23, "Release", HEADERS),
    Cell("native", "2.13.0", "pip", "g++", 17, "Release -march=native", KERNELS),
    Cell("fast-math", "2.13.0", "pip", "g++", 17,
         "Release -ffast-math -fno-finite-math-only -fno-unsafe-math-optimizations -fno-trapping-math", KERNELS),
    Cell("debian-13", "2.6.0", "system", "g++", 17, "RelWithDebInfo -O0", LIBRARY, debian="trixie"),
    Cell("debian-testing", "2.14.1", "system", "g++", 23, "RelWithDebInfo -O0", LIBRARY, debian="forky"),
    Cell("gcc-16", "2.13.0", "pip", "g++", 17, "Release", KERNELS, debian="forky"),
    Cell("aarch64", "", "none", "aarch64-linux-gnu-g++", 17, "-O2", "kernels, by qemu", "make aarch64"),
    Cell("python-2.6", "2.6.0", "pip", "g++", 17, "RelWithDebInfo -O1", PYTHON),
    Cell("python-2.15", "2.15.0", "pip", "g++", 20, "RelWithDebInfo -O1", PYTHON),
    Cell("python-3.10", "2.13.0", "pip", "g++", 17, "RelWithDebInfo -O1", PYTHON, python="3.10"),
    Cell("python-3.12", "2.13.0", "pip", "g++", 17, "RelWithDebInfo -O1", PYTHON, python="3.12"),
    Cell("python-3.13", "2.13.0", "pip", "g++", 17, "RelWithDebInfo -O1", PYTHON, debian="trixie"),
    Cell("python-3.14", "2.15.0", "pip", "g++", 20, "RelWithDebInfo -O1", PYTHON, debian="forky"),
]


def run(log, *command, **options):
    """Runs a command, appends its output to a file, and says whether it succeeded."""
    print("--", shlex.join(map(str, command)), file=sys.stderr, flush=True)
    with log.open("a") as out:
        return subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, **options).returncode == 0


def cuda_libraries(metadata):
    """The packages that a torch for CUDA requires and that its libraries for CPUs are linked with."""
    toolkit = re.search(r"Requires-Dist: cuda-toolkit\[.*?\] ?\(?==([\d.]+)", metadata)
    if toolkit:
        return [f"cuda-toolkit[cudart,cupti]=={toolkit[1]}"]
    return ["==".join(found) for found in re.findall(r"Requires-Dist: (nvidia-cuda-(?:runtime|cupti)-cu\d+) ?\(?==([\d.]+)", metadata)]


def installed(folder, version, *packages):
    """The site-packages of a virtual environment with this torch; the complete torch if other packages are installed beside it."""
    venv = MATRIX / folder / version
    if not (venv / "complete").exists():
        print(f"-- torch {version} into {venv}", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
        pip = [venv / "bin" / "python", "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
        subprocess.run([*pip, f"torch=={version}", *(packages or ["--no-deps"])], check=True)
        site = next(venv.glob("lib/python3*/site-packages"))
        needed = cuda_libraries(next(site.glob("torch-*.dist-info/METADATA")).read_text(encoding="utf-8"))
        if needed and not packages:
            subprocess.run([*pip, *needed], check=True, stderr=subprocess.DEVNULL)  # pip prints what else torch lacks
        (venv / "complete").touch()
    return next(venv.glob("lib/python3*/site-packages"))


def unpacked(version):
    """A LibTorch with the layout of its archive, made from pip's torch."""
    archive = MATRIX / "zip" / version / "libtorch"
    for part in ("include", "lib", "share"):
        if not (archive / part).exists():
            shutil.copytree(installed("torch", version) / "torch" / part, archive / part)
    return archive


def cmake_options(cell):
    build_type, _, flags = cell.build.partition(" ")
    options = {"CMAKE_CXX_COMPILER": cell.compiler, "CMAKE_CXX_STANDARD": cell.standard, "CMAKE_BUILD_TYPE": build_type,
               "CMAKE_COMPILE_WARNING_AS_ERROR": "OFF"}
    start = {"Release": "-O3 -DNDEBUG ", "Debug": "-g ", "RelWithDebInfo": ""}[build_type]
    options[f"CMAKE_CXX_FLAGS_{build_type.upper()}"] = start + flags
    if "-ffast-math" in flags:  # if gcc links with it, the whole program flushes subnormal numbers to zero
        options |= {"CMAKE_EXE_LINKER_FLAGS": "-fno-fast-math", "CMAKE_SHARED_LINKER_FLAGS": "-fno-fast-math"}
    return options


def run_cpp(cell, log, everything):
    options = cmake_options(cell)
    if cell.layout == "system":
        options["NEML2_LIBTORCH"] = "system"
    else:
        options["CMAKE_PREFIX_PATH"] = unpacked(cell.libtorch) if cell.layout == "zip" else installed("torch", cell.libtorch) / "torch"
    targets, tests = ([], ".") if everything else SAMPLES[cell.sample]
    folder = MATRIX / cell.name
    return (run(log, "cmake", "--preset", "dev", "-B", folder, *(f"-D{name}={value}" for name, value in options.items()), cwd=ROOT)
            and run(log, "cmake", "--build", folder, *(["--target", *targets] if targets else []))
            and run(log, "ctest", "--test-dir", folder, "--output-on-failure", "--no-tests=error", "-j", str(os.cpu_count()),
                    "-R", f"^({tests})", "-E", "^(compile_fail|docs)/",  # which do not depend on LibTorch
                    env=os.environ | {"OMP_WAIT_POLICY": "PASSIVE"}))


def run_python(cell, log, everything):
    packages = ["scikit-build-core", "nanobind==3.1.*", "libclang", "numpy", "matplotlib", "pytest", "pytest-xdist", "hypothesis"]
    python = installed(f"python{platform.python_version()}", cell.libtorch, *packages).parents[2] / "bin" / "python"
    settings = {f"cmake.define.{name}": value for name, value in cmake_options(cell).items()} | {"build-dir": MATRIX / cell.name}
    if not run(log, python, "-m", "pip", "install", "-v", "--no-deps", "--no-build-isolation", "--force-reinstall",
               *(f"--config-settings={name}={value}" for name, value in settings.items()), ROOT):
        return False
    # Leaves out the tests that need a compiler or a device at run time.
    ignored = [] if everything else ["compiled_formulas", "cuda_sources", "device", "device_kernels", "distributed"]
    with tempfile.TemporaryDirectory() as work:
        for part in ("tests", "bindings"):  # a test reads the messages in the bindings
            shutil.copytree(ROOT / "python" / part, f"{work}/{part}")
        shutil.copy(ROOT / "tests" / "support" / "equivalent_stresses.h", f"{work}/tests")
        return run(log, python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "logical", "tests",
                   *(f"--ignore=tests/test_{name}.py" for name in ignored), cwd=work,
                   env=os.environ | {"PYTHONPATH": "tests", "NEML2_CACHE": f"{work}/cache", "OMP_WAIT_POLICY": "PASSIVE"})


def count(text):
    """The numbers of failed tests and of all tests, from the last summary of ctest, Catch2 or pytest; none if no summary exists."""
    found = [(m.start(), int(m[1]), int(m[2])) for m in re.finditer(r"(\d+) tests failed out of (\d+)", text)]
    found += [(m.start(), 0, int(m[1])) for m in re.finditer(r"All tests passed \(.* in (\d+) test cases\)", text)]
    for m in re.finditer(r"(?m)^.*\b(?:passed|failed).* in [\d.]+s.*$", text):
        failed, passed = (sum(map(int, re.findall(rf"(\d+) (?:{word})", m[0]))) for word in ("failed|error", "passed"))
        found.append((m.start(), failed, failed + passed))
    return max(found)[1:] if found else None


def release():
    return platform.freedesktop_os_release().get("VERSION_CODENAME")


def of_debian(name):
    """Installs a release of Debian in a folder, with the packages that the cells need."""
    root = MATRIX / "debian" / name
    if not (root / "complete").exists():
        print(f"-- {RELEASES[name]} into {root}", file=sys.stderr, flush=True)
        sources = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE)", "Identifier: Packages"], capture_output=True, text=True).stdout
        mirror = next((site for site in sources.split() if site.endswith("/debian")), "http://deb.debian.org/debian")
        root.mkdir(parents=True, exist_ok=True)
        log = root.with_suffix(".log")
        # The script of sid also works for releases that debootstrap does not know.
        if not (run(log, "debootstrap", "--variant=minbase", name, root, mirror, "sid")
                and run(log, "chroot", root, "apt-get", "install", "-qq", "--no-install-recommends", *PACKAGES,
                        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"})):
            sys.exit(f"{name}: {log}")
        (root / "complete").touch()
    return root


ENTER = """
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mkdir -p "$1$2"
mount --bind "$2" "$1$2"
cp /etc/resolv.conf "$1/etc"
cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs"
root=$1
shift 2
exec env -i $(env | grep ^PIP_) HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" "$@"
"""


def run_there(cell, everything):
    """Runs a cell in its release of Debian, or with its Python: a copy of this script runs there and writes the result."""
    command = [ROOT / "scripts" / "matrix.py", "run", cell.name, *(["--all"] if everything else [])]
    if cell.debian != release():
        place = ["unshare", "--mount", "sh", "-ec", ENTER, "sh", of_debian(cell.debian), ROOT]
    else:
        place = [shutil.which(f"python{cell.python}") or sys.exit(f"{cell.name}: there is no python{cell.python}")]
    return subprocess.run([*place, *command]).returncode == 0


def run_cell(cell, everything):
    """Builds and tests a cell; returns the text for the list, and whether all tests passed."""
    if not shutil.which(cell.compiler):
        sys.exit(f"{cell.name}: there is no {cell.compiler}")
    MATRIX.mkdir(parents=True, exist_ok=True)
    log = MATRIX / f"{cell.name}.log"
    log.write_text("")
    start = time.monotonic()
    if cell.command:
        passes = run(log, *shlex.split(cell.command), cwd=ROOT)
    else:
        passes = (run_python if cell.sample == PYTHON else run_cpp)(cell, log, everything)
    seconds = round(time.monotonic() - start)
    counted = count(log.read_text(errors="replace"))
    if not passes:
        print(f"-- {cell.name} fails: {log}", file=sys.stderr)
    what = "passes" if passes else "**fails**"
    if counted:
        what += f", {counted[1]} tests" if passes else f", {counted[0]} of {counted[1]} tests"
    version = subprocess.run([cell.compiler, "--version"], capture_output=True, text=True).stdout
    compiler = re.search(r"\d+\.\d+\.\d+", version)[0]
    if cell.sample == PYTHON:
        compiler += f", Python {platform.python_version()}"
    return f"{what} in {seconds} s, {compiler}, {datetime.date.today()}{', all' * everything}", passes


def results():
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}


def table(found):
    """The table that docs/install.md has on the site; without results it lacks their column."""
    columns = [k for k, name in enumerate(HEADER) if found or name != "last result"]
    yield [HEADER[k] for k in columns]
    yield ["---"] * len(columns)
    for cell in CELLS:
        libtorch = {"none": "none", "system": f"{cell.libtorch}, Debian's"}.get(cell.layout, f"{cell.libtorch}, {cell.layout}")
        cells = [libtorch, RELEASES[cell.debian], cell.compiler, str(cell.standard), cell.build, cell.sample,
                 found.get(cell.name, cell.result), f"`{cell.name}`"]
        yield [cells[k] for k in columns]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?", choices=["list", "run"], default="list")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a cell")
    parser.add_argument("--all", action="store_true", help="all targets and tests")
    args = parser.parse_args()
    cells = {cell.name: cell for cell in CELLS}
    unknown = set(args.names) - set(cells)
    if unknown:
        parser.error(f"no cell {', '.join(sorted(unknown))}; there are {', '.join(cells)}")
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # in the background of a shell; tests send interrupts
        signal.signal(signal.SIGINT, signal.default_int_handler)
    well = True
    for name in args.names:
        if cells[name].debian != release() or not f"{platform.python_version()}.".startswith(cells[name].python):
            well &= run_there(cells[name], args.all)
            continue
        result, passes = run_cell(cells[name], args.all)
        print(f"{name}: {result}", flush=True)
        RESULTS.write_text(json.dumps(results() | {name: result}, indent=0), encoding="utf-8")
        well &= passes
    if args.command == "list":
        for *axes, result, cell in list(table(results()))[2:]:
            print(f"{cell.strip('`'):14} {', '.join(axes)}: {result}")
    sys.exit(not well)


if __name__ == "__main__":
    main()
