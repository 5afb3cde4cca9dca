#!/usr/bin/env python3
"""Installs what was built into an empty place and uses it as other programs would.

LODE_BUILD is the build tree, LODE_SHARED the shared library that was made of the same objects; both
are set by tests/CMakeLists.txt. With LODE_LONG, a build with BUILD_SHARED_LIBS=ON is made, too.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("LODE_BUILD", ROOT / "build" / "test"))
SHARED = os.environ.get("LODE_SHARED", "")
BASKETS = "milk,bread\nmilk\n\nbeer,milk,bread\n"
CONSUMER = """cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES C CXX)
find_package(lode REQUIRED)
add_executable(count {root}/examples/count.c)
target_link_libraries(count PRIVATE lode::lode)
add_executable(hello {root}/examples/hello.cpp)
target_compile_features(hello PRIVATE cxx_std_17)
target_link_libraries(hello PRIVATE lode::lode)
"""


def run(*command, **options):
    """Runs a command that must succeed; returns what it printed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def exported(library):
    """The names that a shared library defines for others."""
    lines = run("nm", "-D", "--defined-only", library).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "baskets.csv").write_text(BASKETS)
        cls.prefix = cls.folder / "first"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.prefix = cls.prefix.rename(cls.folder / "moved")  # nothing may name the first place

    def check_programs(self, folder, **options):
        """The two examples, built into a folder."""
        out = run(folder / "count", self.folder / "baskets.csv", "1", **options)
        self.assertEqual(out, "7 itemsets\n")
        self.assertEqual(run(folder / "hello", **options), "hello: 5 itemsets\n")

    def compile(self, packages, folder, *more):
        """Both examples by the command that the documents give."""
        folder.mkdir()
        environment = {**os.environ, "PKG_CONFIG_PATH": str(packages)}
        flags = run("pkg-config", "--cflags", "--libs", *more, "lode", env=environment).split()
        run("cc", ROOT / "examples/count.c", *flags, "-o", folder / "count")
        run("c++", "-std=c++17", ROOT / "examples/hello.cpp", *flags, "-o", folder / "hello")

    def need(self, *programs):
        for program in programs:
            if not shutil.which(program):
                print(f"skip: {program} is not installed")
                self.skipTest(program)

    def packages(self, prefix):
        return next(prefix.rglob("lode.pc")).parent

    def test_everything_is_there(self):
        files = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*")}
        for ending in ("bin/lode", "include/lode.h", "/liblode.a", "/pkgconfig/lode.pc",
                       "/lodeConfig.cmake", "/lodeConfigVersion.cmake"):
            self.assertTrue([name for name in files if name.endswith(ending)], ending)
        self.assertIn("lode", run(self.prefix / "bin/lode", "--version"))

    def test_pkg_config(self):
        self.need("pkg-config", "c++")
        self.compile(self.packages(self.prefix), self.folder / "a")
        self.check_programs(self.folder / "a")
        self.compile(self.packages(self.prefix), self.folder / "b", "--static")
        self.check_programs(self.folder / "b")

    def test_pkg_config_of_the_build_tree(self):
        self.need("pkg-config", "c++")
        self.compile(BUILD, self.folder / "c")
        self.check_programs(self.folder / "c")

    def test_find_package(self):
        self.need("c++")
        source = self.folder / "consumer"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(CONSUMER.format(root=ROOT))
        run("cmake", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            "-DCMAKE_BUILD_TYPE=Debug")
        run("cmake", "--build", source / "build")
        self.check_programs(source / "build")

    def test_archive_goes_into_a_shared_library(self):
        """As a binding would do it: the archive must be position-independent."""
        archive = next(self.prefix.rglob("liblode.a"))
        library = self.folder / "binding.so"
        run("cc", "-shared", "-Wl,-z,text", "-Wl,--whole-archive", archive,
            "-Wl,--no-whole-archive", "-Wl,-z,lazy", "-o", library)
        self.assertIn("lode_mine", exported(library))

    def check_shared(self, library):
        """Only what lode.h declares is visible, and Python can use it."""
        header = "".join(path.read_text(encoding="utf-8")
                         for path in (ROOT / "include").rglob("*.h"))
        public = {re.search(r"(\w+)\s*\(", text)[1]
                  for text in re.findall(r"^LODE_API[^;]*;", header, re.M | re.S)}
        self.assertEqual(exported(library), public)
        script = (f"import ctypes\nlode = ctypes.CDLL({str(library)!r})\n"
                  "lode.lode_version.restype = lode.lode_job_error.restype = ctypes.c_char_p\n"
                  "job = ctypes.c_void_p()\n"
                  "assert lode.lode_job_create(ctypes.byref(job), None, None) == 0\n"
                  "assert lode.lode_mine(job, None, None, None) == 4\n"
                  "print(lode.lode_version().decode(), lode.lode_job_error(job).decode())\n")
        version = re.search(r'LODE_VERSION_TEXT\s+"(.*)"', header)[1]
        self.assertEqual(run(sys.executable, "-c", script), f"{version} data is NULL\n")

    @unittest.skipUnless(SHARED, "LODE_SHARED is not set")
    def test_shared_library(self):
        self.check_shared(SHARED)

    @unittest.skipUnless("LODE_LONG" in os.environ, "LODE_LONG is not set")
    def test_build_of_a_shared_library(self):
        build, prefix = self.folder / "build", self.folder / "so"
        run("cmake", "-S", ROOT, "-B", build, "-DBUILD_SHARED_LIBS=ON", "-DLODE_CUDA=OFF",
            "-DLODE_TESTS=OFF")
        run("cmake", "--build", build, "-j", str(os.cpu_count()))
        run("cmake", "--install", build, "--prefix", prefix)
        library = next(prefix.rglob("liblode.so"))
        self.assertFalse(list(prefix.rglob("liblode.a")))
        self.assertRegex(run("readelf", "-d", library), r"SONAME.*liblode\.so\.\d+\.\d+\]")
        self.check_shared(library)
        self.assertIn("lode", run(prefix / "bin/lode", "--version"))
        self.compile(self.packages(prefix), self.folder / "d")
        self.check_programs(self.folder / "d",
                            env={**os.environ, "LD_LIBRARY_PATH": str(library.parent)})


if __name__ == "__main__":
    unittest.main()
