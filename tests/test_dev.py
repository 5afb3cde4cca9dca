"""Tests of ./dev: its table of components, and what is set up and tested of them.

SPDX-License-Identifier: Apache-2.0
"""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# No step is taken, only named; a second component stands in for all others.
STAND_INS = """
setup() { echo "setup $*"; }
tier() { echo "tier $1"; }
summary() { echo summary; }
missing_packages() { [[ " $* " != *" loom "* ]] || echo loom-dev; }
components=("${components[0]}" 'web|loom|a stand-in')
test_web() { echo "web ${1:-all}"; }
"""


def bash(script):
    """Runs a script behind ./dev; returns the exit status and what it printed on both channels."""
    done = subprocess.run(["bash", "-c", f"source ./dev\n{script}"], cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


class Components(unittest.TestCase):
    def test_every_row_is_whole(self):
        code, names = bash("component_names")
        self.assertEqual(code, 0)
        self.assertEqual(names.split()[0], "core")
        for name in names.split():
            code, out = bash(f"declare -F test_{name} && missing_packages $(component_needs {name})")
            self.assertEqual(code, 0, out)
            self.assertIn(f"\n  {name} ", bash("usage")[1])

    def test_an_unknown_component_or_need(self):
        code, out = bash("cmd_setup core turbo")
        self.assertEqual(code, 1)
        self.assertRegex(out, "there is no component 'turbo'.*\n  core +the library")
        code, out = bash("missing_packages turbo")
        self.assertEqual(code, 1)
        self.assertIn("'turbo'", out)

    def test_setup(self):
        core = bash("component_needs core")[1].split()
        for words, needs in (("", core), ("core", core), ("web", ["loom"]),
                             ("all", [*core, "loom"]), ("core web", [*core, "loom"])):
            code, out = bash(f"{STAND_INS}\ncmd_setup {words}")
            self.assertEqual((code, out.split()), (0, ["setup", *needs]), words)

    def test_tests_are_those_of_what_is_set_up(self):
        core = "tier test\n"
        code, out = bash(f"{STAND_INS}\ncmd_test")
        self.assertEqual(code, 0)
        self.assertIn(f"{core}== web: not set up, left out; ./dev setup web\nsummary\n", out)
        self.assertNotIn("loom", out)  # nothing but the core is installed
        there = "missing_packages() { :; }\n"
        code, out = bash(f"{STAND_INS}\n{there}\ncmd_test")
        self.assertEqual(code, 0)
        self.assertIn(f"{core}web all\nsummary\n", out)
        code, out = bash(f"{STAND_INS}\n{there}\ncmd_test --long tables")
        self.assertIn("tier test\nweb tables\nsummary\n", out)

    def test_packages_of_an_unknown_kind(self):
        code, out = bash("cmd_package rpm")
        self.assertEqual(code, 1)
        self.assertRegex(out, "expected static dynamic wheel static-aarch64 or .*, not rpm")

    def test_ci_sets_up_and_tests_all(self):
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        (folder / ".ci").mkdir()
        shutil.copy(ROOT / ".ci/run", folder / ".ci/run")
        (folder / "dev").write_text("#!/bin/sh\necho \"$@\"\n")
        os.chmod(folder / "dev", 0o755)
        done = subprocess.run(["bash", folder / ".ci/run"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "setup all\ntest\nsanitize\n"))
        for broken in ("test", "sanitize"):  # the other one runs in any case
            (folder / "dev").write_text(f"#!/bin/sh\necho \"$@\"\n[ \"$1\" != {broken} ]\n")
            done = subprocess.run(["bash", folder / ".ci/run"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (1, "setup all\ntest\nsanitize\n"))


if __name__ == "__main__":
    unittest.main()
