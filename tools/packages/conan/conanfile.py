"""Gnomon as a package of Conan 2, from the sources beside this recipe and Debian's packages.

`tools/setup`, then `conan create tools/packages/conan`. Nothing is fetched: what Gnomon needs are
packages of the system, as tools/setup installs them.
"""

import pathlib
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCES = ("CMakeLists.txt", "cmake/*", "codegen/*", "frontend/*", "ir/*", "passes/*", "runtime/*",
           "stdlib/*", "tools/gnomon/*", "tools/docs.cpp", ".deps/*")


class Gnomon(ConanFile):
    name = "gnomon"
    description = "Symbolic expressions over arrays, compiled to native functions"
    topics = ("autodiff", "compiler", "arrays")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "with_clang": [True, False]}
    default_options = {"shared": False, "with_clang": True}

    def set_version(self):
        text = (ROOT / "CMakeLists.txt").read_text()
        self.version = re.search(r"project\(gnomon VERSION ([\d.]+)", text)[1]

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, str(ROOT), self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({
            "GNOMON_CLANG": bool(self.options.with_clang), "GNOMON_TESTS": False,
            "GNOMON_EXAMPLES": False, "GNOMON_BENCH": False, "GNOMON_WERROR": False,
            "CMAKE_UNITY_BUILD": True,
        })
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="gnomon_package")

    def package(self):
        CMake(self).install()

    def package_info(self):
        # The files that CMake installed say what to link, as without Conan.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/gnomon"]
        self.cpp_info.set_property("pkg_config_name", "none")
        self.runenv_info.append_path("PATH", str(pathlib.Path(self.package_folder) / "bin"))
        if self.options.shared:
            self.cpp_info.libs = ["gnomon"]
            return
        floors = ("frontend", "codegen", "passes", "stdlib", "ir", "stdlib", "ir", "runtime")
        self.cpp_info.libs = [f"gnomon_{floor}" for floor in floors]
        self.cpp_info.system_libs = ["fmt", "z", "xxhash", "dl", "pthread"]
