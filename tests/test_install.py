#!/usr/bin/env python3
"""Installs what was built into an empty place and uses it as other programs would.

LODE_BUILD is the build tree, which tests/CMakeLists.txt sets. With LODE_LONG, builds that leave one
of the libraries out are made, too.

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
EXAMPLES = sorted(path for path in (ROOT / "examples").glob("*.c*"))


def run(*command, **options):
    """Runs a command that must succeed; returns what it printed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def exported(library):
    """The names that a shared library defines for others, without that of its version."""
    lines = run("nm", "-D", "--defined-only", library).splitlines()
    return {line.split()[2].split("@")[0] for line in lines if line.split()[1] != "A"}


def header():
    """All of lode.h."""
    return "".join(path.read_text(encoding="utf-8") for path in (ROOT / "include").rglob("*.h"))


def public():
    """The functions that lode.h declares."""
    return {re.search(r"(\w+)\s*\(", text)[1]
            for text in re.findall(r"^LODE_API[^;]*;", header(), re.M | re.S)}


def find(prefix, name):
    return next(prefix.rglob(name))


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "first"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.prefix = cls.prefix.rename(cls.folder / "moved")  # nothing may name the first place

    def need(self, *programs):
        for program in programs:
            if not shutil.which(program):
                print(f"skip: {program} is not installed")
                self.skipTest(program)

    # ---- the examples, in a folder of their own ------------------------------------------------

    def build_examples(self, kind, prefix, build):
        """Builds them with find_package. In a folder used before, they are linked again."""
        source = self.folder / "examples"
        shutil.copytree(ROOT / "examples", source, dirs_exist_ok=True)
        run("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DLODE_KIND={kind}")
        run("cmake", "--build", build, "-j", "2")

    def run_examples(self, build, **more):
        """Runs them; examples/CMakeLists.txt says what they must print."""
        out = run("ctest", "--test-dir", build, "-j", "2", "--output-on-failure",
                  env={**os.environ, **more})
        self.assertIn(f"out of {len(EXAMPLES) + 1}\n", out)

    def flags(self, packages, *what):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(packages)}
        return run("pkg-config", *what, env=environment).split()

    def compile_examples(self, packages, folder):
        """The objects, which are the same for every library."""
        objects = {}
        for source in EXAMPLES:
            objects[source.stem] = folder / f"{source.name}.o"
            compiler = ["c++", "-std=c++17"] if source.suffix == ".cpp" else ["cc"]
            run(*compiler, "-c", source, *self.flags(packages, "--cflags", "lode"), "-o",
                objects[source.stem])
        return objects

    def link_examples(self, objects, flags, folder):
        """By the command that the documents give, in place of what is in the folder."""
        for name, file in objects.items():
            run("c++" if ".cpp" in file.name else "cc", file, *flags, "-o", folder / name)

    def needed_by(self, program):
        return set(re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", program)))

    # ---- tests ---------------------------------------------------------------------------------

    def test_everything_is_there(self):
        files = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*")}
        for ending in ("bin/lode", "include/lode.h", "/liblode.a", "/liblode.so",
                       "/pkgconfig/lode.pc", "/pkgconfig/lode-static.pc", "/lodeConfig.cmake",
                       "/lodeConfigVersion.cmake", "man/man1/lode.1", "man1/lode-itemsets.1",
                       "share/bash-completion/completions/lode",
                       "share/zsh/site-functions/_lode",
                       "share/fish/vendor_completions.d/lode.fish"):
            self.assertTrue([name for name in files if name.endswith(ending)], ending)
        self.assertIn("lode", run(self.prefix / "bin/lode", "--version"))
        needed = self.needed_by(self.prefix / "bin/lode")  # one file that can be copied
        self.assertFalse([name for name in needed if "lode" in name])

    def test_the_mpi_program(self):
        """Where it was built it is installed, and it is a component of its own."""
        if not (BUILD / "lode-mpi").exists():
            self.assertFalse((self.prefix / "bin/lode-mpi").exists())
            self.skipTest("lode-mpi was not built")
        alone = self.folder / "mpi"
        run("cmake", "--install", BUILD, "--prefix", alone, "--component", "mpi")
        files = [path for path in alone.rglob("*") if path.is_file()]
        self.assertEqual(files, [alone / "bin/lode-mpi"])
        for prefix in (self.prefix, alone):
            program = prefix / "bin/lode-mpi"
            self.assertIn("lode-mpi", run(program, "--help"))
            self.assertFalse([name for name in self.needed_by(program) if "lode" in name])

    def test_both_libraries(self):
        """Every example, with CMake and with pkg-config, with either library."""
        self.need("pkg-config", "c++")
        packages, libraries = find(self.prefix, "lode.pc").parent, find(self.prefix, "liblode.so")
        objects = self.compile_examples(packages, self.folder)
        build, path = self.folder / "programs", {"LD_LIBRARY_PATH": str(libraries.parent)}
        for kind, flags, more in (("shared", ("--libs", "lode"), path),
                                  ("static", ("--libs", "lode-static"), {})):
            self.build_examples(kind, self.prefix, build)
            for built_by in ("find_package", "pkg-config"):
                with self.subTest(kind=kind, built_by=built_by):
                    if built_by == "pkg-config":
                        self.link_examples(objects, self.flags(packages, *flags), build)
                    needed = self.needed_by(build / "count")
                    self.assertEqual("liblode.so.0.1" in needed, kind == "shared", needed)
                    # what is inside of the shared library is its own affair
                    self.assertEqual("libzstd.so.1" in needed, kind == "static", needed)
                    self.run_examples(build, **(more if built_by == "pkg-config" else {}))

    def test_programs_without_any_shared_library(self):
        self.need("pkg-config")
        flags = self.flags(find(self.prefix, "lode.pc").parent, "--static", "--cflags", "--libs",
                           "lode")
        program = self.folder / "from_arrays"
        done = subprocess.run(["cc", "-static", ROOT / "examples/from_arrays.c", *flags, "-o",
                               program], capture_output=True, text=True)
        if re.search(r"cannot find -l(c|m|z|zstd)\b", done.stderr):
            print("skip: there are no static libraries of the system")
            self.skipTest("static libraries")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 3 (2)\n", run(program))

    def test_pkg_config_of_the_build_tree(self):
        """As docs/README.md does it: the program runs as it is."""
        self.need("pkg-config")
        flags = self.flags(BUILD, "--cflags", "--libs", "lode")
        run("cc", ROOT / "examples/from_arrays.c", *flags, "-o", self.folder / "tried")
        self.assertIn("2 3 (2)\n", run(self.folder / "tried"))

    def test_a_component_that_is_not_there(self):
        source = self.folder / "consumer"
        source.mkdir()
        (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.22)\n"
                                               "project(consumer LANGUAGES NONE)\n"
                                               "find_package(lode COMPONENTS turbo)\n"
                                               "message(STATUS \"found: ${lode_FOUND}\")\n")
        out = run("cmake", "-S", source, "-B", source / "build",
                  f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertRegex(out, "found: (0|FALSE)")

    def test_versions_that_fit(self):
        """Until 1.0, a minor version may break: 0.1.x is not what a program for 0.2 or 0.0 wants."""
        source = self.folder / "versions"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.22)\nproject(consumer LANGUAGES C)\n"
            "foreach(wanted 0.1 0.1.0 0.0 0.2 1.0)\n  find_package(lode ${wanted} QUIET)\n"
            "  message(STATUS \"${wanted}: ${lode_FOUND}.\")\n  unset(lode_DIR CACHE)\nendforeach()\n")
        out = run("cmake", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        found = {wanted for wanted, answer in re.findall(r"-- ([\d.]+): (\w+)\.", out)
                 if answer in ("1", "TRUE")}
        self.assertEqual(found, {"0.1", "0.1.0"}, out)

    def test_archive_goes_into_a_shared_library(self):
        """As a binding would do it: the archive must be position-independent."""
        library = self.folder / "binding.so"
        run("cc", "-shared", "-Wl,-z,text", "-Wl,--whole-archive", find(self.prefix, "liblode.a"),
            "-Wl,--no-whole-archive", "-Wl,-z,lazy", "-o", library)
        self.assertIn("lode_mine", exported(library))

    def test_what_the_shared_library_shows(self):
        """Only what lode.h declares is visible, under a version; another language can use it."""
        library = find(self.prefix, "liblode.so")
        self.assertEqual(exported(library), public())
        names = [line.split()[-1] for line in run("nm", "-D", "--defined-only", library)
                 .splitlines()]
        self.assertEqual([name for name in names if not name.startswith("lode_")], [])
        self.assertEqual({name.split("@@")[1] for name in names if "@" in name}, {"lode_0.1"})
        self.assertRegex(run("readelf", "-d", library), r"SONAME.*\[liblode\.so\.0\.1\]")
        script = (f"import ctypes\nlode = ctypes.CDLL({str(library)!r})\n"
                  "lode.lode_version.restype = ctypes.c_char_p\n"
                  "print(lode.lode_version().decode())\n")
        version = re.search(r'LODE_VERSION_TEXT\s+"(.*)"', header())[1]
        self.assertEqual(run(sys.executable, "-c", script), f"{version}\n")

    @unittest.skipUnless("LODE_LONG" in os.environ, "LODE_LONG is not set")
    def test_builds_that_leave_a_library_out(self):
        build = self.folder / "build"
        for left_out, other in (("STATIC", "shared"), ("SHARED", "static")):
            with self.subTest(left_out=left_out):
                prefix = self.folder / f"no-{left_out}"
                run("cmake", "-S", ROOT, "-B", build, "-DLODE_CUDA=OFF", "-DLODE_TESTS=OFF",
                    "-DLODE_STATIC=ON", "-DLODE_SHARED=ON", f"-DLODE_{left_out}=OFF")
                run("cmake", "--build", build, "-j", str(os.cpu_count()), "--target",
                    "installable")
                run("cmake", "--install", build, "--prefix", prefix)
                self.assertEqual(bool(list(prefix.rglob("liblode.a"))), other == "static")
                self.assertEqual(bool(list(prefix.rglob("liblode.so*"))), other == "shared")
                self.assertIn("lode", run(prefix / "bin/lode", "--version"))
                programs = self.folder / f"programs-{other}"
                self.build_examples("", prefix, programs)
                self.run_examples(programs)
                packages = find(prefix, "lode.pc").parent
                self.link_examples(self.compile_examples(packages, self.folder),
                                   self.flags(packages, "--libs", "lode"), programs)
                self.run_examples(programs, LD_LIBRARY_PATH=str(packages.parent))


if __name__ == "__main__":
    unittest.main()
