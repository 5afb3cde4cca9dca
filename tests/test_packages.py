#!/usr/bin/env python3
"""Makes the packages of `./dev package` and uses them as somebody who has just downloaded them.

With LODE_LONG only: building takes minutes. Tests in bare roots need the rights of root.

SPDX-License-Identifier: Apache-2.0
"""
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.search(r'LODE_VERSION_TEXT\s+"(.*)"', (ROOT / "include/lode/status.h").read_text())[1]
NAME = f"lode-{VERSION}-linux-{platform.machine()}"
DATA = "1 2\n1 3\n1 2 3\n"
FOUND = ["1 (3)", "2 (2)", "3 (2)", "1 2 (2)", "1 3 (2)"]
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


class Package(unittest.TestCase):
    """A package that was just made, in a folder of its own."""
    kind = ""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "data.dat").write_text(DATA)
        cls.made = [ROOT / line for line in run("./dev", "package", cls.kind, cwd=ROOT).splitlines()]

    def check_command(self, program, *before, data=None):
        data = data or self.folder / "data.dat"
        self.assertEqual(run(*before, program, "--version").splitlines()[0], f"lode {VERSION}")
        out = run(*before, program, "itemsets", data, "-s", "2", "-q").splitlines()
        self.assertEqual(out, FOUND)


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
        self.check_command("/lode", "chroot", root, data="/data.dat")
        self.assertIn("lift", run("chroot", root, "/lode", "demo"))

    def test_what_it_leaves_to_the_other_program(self):
        for words in (["--device", "cuda"], ["-w", "xlsx", "-o", self.folder / "out.xlsx"]):
            done = ask(self.made[0], "itemsets", self.folder / "data.dat", "-s", "2", *words)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"^lode: [^\n]*{re.escape(NAME)}\.tar\.gz[^\n]*\n$")

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


if __name__ == "__main__":
    if "LODE_LONG" not in os.environ:
        print("skip: packages are made and tested with LODE_LONG=1 only")
        sys.exit(77)
    unittest.main()
