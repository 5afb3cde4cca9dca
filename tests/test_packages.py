#!/usr/bin/env python3
"""Makes the packages of `./dev package` and uses them as somebody who has just downloaded them.

With LODE_LONG only: building takes minutes. Tests in bare roots need the rights of root.
LODE_PACKAGE_OPTIONS has options for `./dev package`, such as -DLODE_CUDA=OFF, which is much faster.
LODE_ARM64 names a folder with zlib and zstd for ARM64 (docs/packages.md); the program that is built
with it runs under qemu. LODE_UBUNTU is the address of an archive of Ubuntu, for a root of 24.04.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import unittest
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.search(r'LODE_VERSION_TEXT\s+"(.*)"', (ROOT / "include/lode/status.h").read_text())[1]
NAME = f"lode-{VERSION}-linux-{platform.machine()}"
OLDEST_GLIBC = {"lode": (2, 34), "lode-server": (2, 36)}  # as docs/packages.md says
OLDEST_WITH_CUDA = (2, 36)
DATA = "1 2\n1 3\n1 2 3\n"
FOUND = ["1 (3)", "2 (2)", "3 (2)", "1 2 (2)", "1 3 (2)"]
# What is found in the baskets of `lode demo`, by every package: see golden() for the command.
GOLDEN = "1 97\n2 985\n3 187\n4 12\n5 2\ntotal 1283\nhash dd879127c1dde33d\n"
MIB = 1 << 20


def run(*command, **options):
    """Runs a command that must succeed; returns what it printed."""
    done = ask(*command, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def ask(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, **options)


def needed(program):
    """The libraries that a program or a module loads when it starts."""
    return set(re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", "--wide", program)))


def needed_glibc(program):
    """The oldest C library that has all symbols which the program needs."""
    symbols = run("readelf", "--version-info", "--wide", program)
    return max(tuple(map(int, text.split("."))) for text in re.findall(r"GLIBC_([\d.]+)", symbols))


def is_of_glibc(name):
    return re.fullmatch(r"(lib(c|m)|ld-linux[\w-]*)\.so\.\d", name)


def make(kind, *options):
    """The files of a package that is made now."""
    options = [*os.environ.get("LODE_PACKAGE_OPTIONS", "").split(), *options]
    return [ROOT / line for line in run("./dev", "package", kind, *options, cwd=ROOT).splitlines()]


def golden(baskets):
    return ["itemsets", baskets, "-s", "1%", "--count", "--hash", "-q"]


def first_example():
    """The first example of docs/python.md."""
    guide = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    return re.search(r"```python\n(.*?)```", guide, re.S)[1]


class Package(unittest.TestCase):
    """A package that was just made, in a folder of its own."""
    kind, options = "", []

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "data.dat").write_text(DATA)
        cls.made = make(cls.kind, *cls.options)

    def check_command(self, program, *before, root=False):
        """Runs a program; root: in a root of its own."""
        self.assertEqual(run(*before, program, "--version").splitlines()[0], f"lode {VERSION}")
        data = "/data.dat" if root else self.folder / "data.dat"
        out = run(*before, program, "itemsets", data, "-s", "2", "-q").splitlines()
        self.assertEqual(out, FOUND)
        baskets = "/baskets.csv" if root else self.folder / "baskets.csv"
        self.assertIn("lift", run(*before, program, "demo", "-o", baskets))
        self.assertEqual(run(*before, program, *golden(baskets)), GOLDEN)


class Static(Package):
    kind = "static"

    def test_it_needs_nothing(self):
        program, = self.made
        self.assertEqual(program.name, f"{NAME}-static")
        self.assertLess(program.stat().st_size, 20 * MIB)
        self.assertEqual(needed(program), set())
        self.assertNotIn("INTERP", run("readelf", "-l", "--wide", program))
        self.check_command(program)

    def test_in_an_empty_root(self):
        if os.geteuid() != 0:
            self.skipTest("chroot needs the rights of root")
        root = self.folder / "root"
        root.mkdir()
        shutil.copy(self.made[0], root / "lode")
        shutil.copy(self.folder / "data.dat", root)
        self.check_command("/lode", "chroot", root, root=True)

    def test_what_it_leaves_to_the_other_program(self):
        for words in (["--device", "cuda"], ["-w", "xlsx", "-o", self.folder / "out.xlsx"]):
            done = ask(self.made[0], "itemsets", self.folder / "data.dat", "-s", "2", *words)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"^lode: [^\n]*{re.escape(NAME)}\.tar\.gz[^\n]*\n$")
        self.assertIn(f"{NAME}.tar.gz", ask(self.made[0], "serve").stderr)
        (self.folder / "book.xlsx").write_bytes((ROOT / "tests/corpus/sales.xlsx").read_bytes())
        self.assertIn(f"{NAME}.tar.gz", ask(self.made[0], "stats", self.folder / "book.xlsx").stderr)
        self.assertEqual(run(self.made[0], "doctor").count(f"{NAME}.tar.gz"), 3)

    def test_start(self):
        """A small job takes little more time than starting any program."""
        def cpu_ms(*command):
            times = []
            for _ in range(200):
                process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                usage = os.wait4(process.pid, 0)[2]
                process.returncode = 0
                times.append(1000 * (usage.ru_utime + usage.ru_stime))
            return sorted(times)[len(times) // 4]
        true = cpu_ms("/bin/true")
        lode = cpu_ms(self.made[0], "itemsets", self.folder / "data.dat", "-s", "2", "-q")
        print(f"row: start of the static lode,{lode / true:.2f} times /bin/true,{lode / 1000:.5f}")
        self.assertLess(lode, 4 * true)  # 2 on a quiet machine


class StaticForArm(Package):
    kind = "static-aarch64"

    @classmethod
    def setUpClass(cls):
        for program in ("aarch64-linux-gnu-gcc", "qemu-aarch64-static"):
            if not shutil.which(program):
                raise unittest.SkipTest(f"{program} is not installed")
        if "LODE_ARM64" not in os.environ:
            raise unittest.SkipTest("LODE_ARM64 is not set")
        cls.options = [f"-DCMAKE_PREFIX_PATH={os.environ['LODE_ARM64']}"]
        super().setUpClass()

    def test_in_an_emulator(self):
        program, = self.made
        self.assertEqual(program.name, f"lode-{VERSION}-linux-aarch64-static")
        self.assertIn("AArch64", run("readelf", "-h", program))
        self.assertEqual(needed(program), set())
        self.assertLess(program.stat().st_size, 20 * MIB)
        self.check_command(program, "qemu-aarch64-static")
        done = ask("qemu-aarch64-static", program, "itemsets", self.folder / "data.dat", "-s", "2",
                   "--device", "cuda")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"lode-{VERSION}-linux-aarch64.tar.gz", done.stderr)


class Dynamic(Package):
    kind = "dynamic"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with tarfile.open(cls.made[0]) as archive:
            archive.extractall(cls.folder)
        cls.tree = cls.folder / NAME

    def test_it_needs_only_the_c_library(self):
        with_cuda = not re.search("^CUDA +no$", run(self.tree / "bin/lode", "--version"), re.M)
        programs = [path for path in self.tree.rglob("*") if path.name in OLDEST_GLIBC
                    and path.is_file() and os.access(path, os.X_OK)]
        self.assertIn(self.tree / "bin/lode", programs)
        for program in programs:
            with self.subTest(program=program.name):
                others = [name for name in needed(program) if not is_of_glibc(name)]
                self.assertEqual(others, [])
                oldest = OLDEST_WITH_CUDA if with_cuda else OLDEST_GLIBC[program.name]
                self.assertLessEqual(needed_glibc(program), oldest)

    def test_files(self):
        for name in ("LICENSE", "share/man/man1/lode.1", "share/bash-completion/completions/lode"):
            self.assertTrue((self.tree / name).is_file(), name)
        self.assertFalse((self.tree / "include").exists())
        with tarfile.open(self.made[0]) as archive:
            self.assertEqual({(one.uid, one.gid) for one in archive}, {(0, 0)})

    def test_in_a_root_with_the_c_library_alone(self):
        if os.geteuid() != 0:
            self.skipTest("chroot needs the rights of root")
        root = self.folder / "root"
        for line in run("ldd", self.tree / "bin/lode").splitlines():
            for path in re.findall(r"(/\S+)", line):
                (root / path[1:]).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, root / path[1:])
        self.assertTrue(all(is_of_glibc(path.name) for path in root.rglob("*.so*")))
        shutil.copytree(self.tree, root / "lode")
        shutil.copy(self.folder / "data.dat", root)
        self.check_command("/lode/bin/lode", "chroot", root, root=True)

    def test_without_a_gpu(self):
        """The same program mines on the CPU where there is no driver, and says so if asked."""
        if Path("/proc/driver/nvidia/version").exists():
            self.skipTest("this machine has a GPU")
        self.check_command(self.tree / "bin/lode")
        done = ask(self.tree / "bin/lode", "itemsets", self.folder / "data.dat", "-s", "2",
                   "--device", "cuda")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^lode: the device cuda cannot be used: ")

    def test_the_server_beside_it(self):
        if not (self.tree / "libexec/lode/lode-server").exists():
            self.skipTest("lode-server was not built")
        self.assertIn("--port", run(self.tree / "bin/lode", "serve", "--help"))


class Wheel(Package):
    kind = "wheel"

    def test_names_and_sizes(self):
        wheel, sources = self.made
        self.assertEqual(sources.name, f"lode-{VERSION}.tar.gz")
        found = re.fullmatch(rf"lode-{re.escape(VERSION)}-cp311-abi3-manylinux_(\d+)_(\d+)_(\w+)\.whl",
                             wheel.name)
        self.assertTrue(found, wheel.name)
        self.assertEqual(found[3], platform.machine())
        self.assertLess(wheel.stat().st_size, 15 * MIB)
        with zipfile.ZipFile(wheel) as archive:
            binaries = [archive.extract(name, self.folder) for name in archive.namelist()
                        if name.endswith((".so", "scripts/lode"))]
        self.assertEqual(len(binaries), 2)
        newest = max(needed_glibc(path) for path in binaries)
        self.assertEqual(newest, (int(found[1]), int(found[2])))  # the tag promises no less
        for path in binaries:
            self.assertEqual([name for name in needed(path) if not is_of_glibc(name)], [])

    def test_in_a_venv(self):
        venv = self.folder / "venv"
        run("/usr/bin/python3", "-m", "venv", "--system-site-packages", venv)
        run(venv / "bin/python", "-m", "pip", "install", "--no-index", "--no-deps",
            "--disable-pip-version-check", self.made[0])
        self.check_command(venv / "bin/lode")
        example = first_example()
        packed = self.folder / "data.dat.zst"
        if shutil.which("zstd"):
            run("zstd", "-q", self.folder / "data.dat", "-o", packed)
            example += f"print(lode.Data({str(packed)!r}).count(2))\n"
        out = run(venv / "bin/python", "-c", example, cwd=self.folder,
                  env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"})
        self.assertIn("milk", out)
        if packed.exists():
            self.assertEqual(out.splitlines()[-1], str(len(FOUND)))


class Deb(Package):
    kind = "deb"
    names = ["liblode-dev", "liblode0.1", "lode", "lode-mpi", "lode-server", "python3-lode"]

    @classmethod
    def setUpClass(cls):
        for program in ("dh", "dh_python3"):
            if not shutil.which(program):
                raise unittest.SkipTest(f"{program} is not installed")
        super().setUpClass()

    def test_names_and_versions(self):
        found = sorted(path.name.split("_")[:2] for path in self.made)
        self.assertEqual(found, [[name, f"{VERSION}-1"] for name in self.names])

    def test_lintian(self):
        if not shutil.which("lintian"):
            self.skipTest("lintian is not installed")
        done = ask("lintian", "--fail-on", "error", *self.made)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_service(self):
        """It is off, and systemd rates how little it may do: 10 is everything, 0 nothing."""
        for path in self.made:
            run("dpkg", "-x", path, self.folder / "all")
        unit = self.folder / "all/lib/systemd/system/lode-server.service"
        self.assertFalse(list(self.folder.glob("all/**/*.wants")))
        if not shutil.which("systemd-analyze"):
            self.skipTest("systemd-analyze is not installed")
        out = run("systemd-analyze", "security", "--offline=yes", "--threshold=20", unit)
        print(f"row: exposure of lode-server.service,{out.splitlines()[-1]}")

    def use_in_root(self, *words, **environment):
        if os.geteuid() != 0:
            self.skipTest("a bare root needs the rights of root")
        if not shutil.which("debootstrap"):
            self.skipTest("debootstrap is not installed")
        folder = self.folder / "-".join(["packages", *words])
        folder.mkdir()
        for path in [*self.made, make("wheel")[0], ROOT / "tests/programs/use_debs.sh"]:
            shutil.copy(path, folder)
        shutil.copytree(ROOT / "examples", folder / "examples")
        (folder / "golden").write_text(GOLDEN)
        (folder / "example.py").write_text(first_example())
        run("tools/bare_root.sh", "--in", folder, "./use_debs.sh", *words, cwd=ROOT,
            env={**os.environ, **environment})

    def test_in_a_bare_root(self):
        self.use_in_root()

    def test_in_a_bare_root_of_ubuntu(self):
        if "LODE_UBUNTU" not in os.environ:
            print("not run: packages in Ubuntu 24.04; LODE_UBUNTU names no archive of packages")
            self.skipTest("LODE_UBUNTU is not set")
        self.use_in_root("foreign", LODE_ROOT=f"{os.environ['LODE_UBUNTU']} noble")


class Container(Package):
    """The image in a folder of its own, as a tree of files: programs run in it by chroot."""
    kind = "container"

    @classmethod
    def setUpClass(cls):
        for program in ("buildah", "debootstrap", "dh", "dh_python3"):
            if not shutil.which(program):
                raise unittest.SkipTest(f"{program} is not installed")
        if os.geteuid() != 0:
            raise unittest.SkipTest("a bare root needs the rights of root")
        super().setUpClass()
        cls.container = cls.buildah("from", f"oci-archive:{cls.made[0]}").strip()

    @classmethod
    def buildah(cls, *words):
        return run(*cls.command(*words))

    @classmethod
    def command(cls, *words):
        return ["buildah", "--root", str(cls.folder / "storage"), "--runroot",
                str(cls.folder / "run"), "--storage-driver", "vfs", *words]

    def inside(self, *words):
        return self.command("run", "--isolation", "chroot", self.container, "--", *words)

    def test_what_it_says_of_itself(self):
        about = json.loads(self.buildah("inspect", self.container))["OCIv1"]["config"]
        self.assertEqual(about["Entrypoint"], ["lode"])
        self.assertEqual(about["Cmd"][0], "serve")
        self.assertEqual(about["Volumes"], {"/data": {}})
        self.assertEqual(run(*self.inside("id", "-u")).strip(), about["User"])
        self.assertNotEqual(about["User"], "0")

    def test_the_command(self):
        run(*self.inside("lode", "demo", "-o", "/tmp/baskets.csv"))
        self.assertEqual(run(*self.inside("lode", *golden("/tmp/baskets.csv"))), GOLDEN)

    def test_the_server(self):
        """As the image starts it, but for the port, which may be in use on this machine."""
        about = json.loads(self.buildah("inspect", self.container))["OCIv1"]["config"]
        server = subprocess.Popen(self.inside("lode", *about["Cmd"], "--port", "0"),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  start_new_session=True)  # so that all its processes can be stopped
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(os.killpg, server.pid, signal.SIGTERM)
        said = ""
        while not (found := re.search(r"token (\w+)\n.*http://0\.0\.0\.0:(\d+)/", said, re.S)):
            line = server.stdout.readline()
            self.assertTrue(line, said)
            said += line
        request = urllib.request.Request(f"http://127.0.0.1:{found[2]}/api/v1/about",
                                         headers={"Authorization": f"Bearer {found[1]}"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            self.assertEqual(json.load(answer)["version"], VERSION)


class Readme(unittest.TestCase):
    """The install section of README.md: each line is run by a test, here or elsewhere."""
    elsewhere = {"pip install .": "python/tests/test_wheel.py"}

    def test_from_the_sources(self):
        options = os.environ.get("LODE_PACKAGE_OPTIONS", "").split()
        if options:
            run("cmake", "--preset", "release", *options, cwd=ROOT)
        self.assertIn("lift", run("./dev", "demo", cwd=ROOT))
        run("./dev", "build", cwd=ROOT)
        with tempfile.TemporaryDirectory() as folder:
            run("cmake", "--install", "build", "--prefix", folder, cwd=ROOT)
            baskets = ROOT / "build/demo/baskets.csv"
            self.assertEqual(run(f"{folder}/bin/lode", *golden(baskets)), GOLDEN)

    def test_each_line_has_a_test(self):
        section = re.search(r"^## Install\n.*?```\n(.*?)```", (ROOT / "README.md").read_text(),
                            re.M | re.S)[1]
        here = ["./dev demo", "cmake --install build",
                *(f"./dev package {one.kind}" for one in Package.__subclasses__())]
        for line in section.splitlines():
            command = line.split("#")[0].strip()
            with self.subTest(command=command):
                if command in self.elsewhere:
                    words = [*command.split()][:2]
                    text = (ROOT / self.elsewhere[command]).read_text()
                    self.assertTrue(all(f'"{word}"' in text for word in words), command)
                else:
                    self.assertIn(command, here)


if __name__ == "__main__":
    if "LODE_LONG" not in os.environ:
        print("skip: packages are made and tested with LODE_LONG=1 only")
        sys.exit(77)
    unittest.main()
