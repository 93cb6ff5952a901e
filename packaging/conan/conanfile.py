# SPDX-License-Identifier: MIT
"""conan create packaging/conan: the headers, or with compiled=True the library as well, for the LibTorch that CMake finds."""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

PARTS = ("CMakeLists.txt", "LICENSE", "include/*", "compat/*", "cmake/*", "src/*")


class Neml2(ConanFile):
    name = "neml2-tensors"
    description = "Batched tensors over LibTorch for constitutive models"
    license = "MIT"
    topics = ("tensors", "constitutive models", "libtorch", "header-only")
    settings = "os", "compiler", "build_type", "arch"
    options = {"compiled": [True, False]}
    default_options = {"compiled": False}
    no_copy_source = True

    def set_version(self):
        header = load(self, Path(self.recipe_folder).parents[1] / "include" / "neml2" / "version.h")
        self.version = ".".join(re.findall(r"#define NEML2_VERSION_\w+ (\d+)", header))

    def export_sources(self):
        for part in PARTS:
            copy(self, part, Path(self.recipe_folder).parents[1], self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 17)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["NEML2_BUILD_TESTS"] = False
        toolchain.cache_variables["NEML2_BUILD_EXAMPLES"] = False
        toolchain.cache_variables["NEML2_BUILD_LIBRARY"] = bool(self.options.compiled)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder) / "licenses")
        CMake(self).install()

    def package_id(self):
        if not self.info.options.compiled:
            self.info.clear()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # by its own neml2Config.cmake
        self.cpp_info.builddirs = ["lib/cmake/neml2"]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
