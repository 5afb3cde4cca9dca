"""Tests of the runner of the command-line tests: a wrong expectation must fail.

SPDX-License-Identifier: Apache-2.0
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER = Path(__file__).with_name("cli.py")
STAND_IN = """#!/bin/sh
echo "milk (2)"
echo "1 pattern" >&2
exit ${1:-0}
"""


class Runner(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.program = self.folder / "stand-in"
        self.program.write_text(STAND_IN)
        self.program.chmod(0o755)

    def run_text(self, text, **environment):
        path = self.folder / "x.test"
        path.write_text(text)
        done = subprocess.run([sys.executable, RUNNER, path], capture_output=True, text=True,
                              env={**os.environ, "LODE_BIN": str(self.program), **environment})
        return done.returncode, done.stdout

    def check(self, text, status, *words):
        code, output = self.run_text(text)
        self.assertEqual(code, status, output)
        for word in words:
            self.assertIn(word, output)

    def test_right_expectations_pass(self):
        self.check("$ lode\n> milk (2)\n! pattern\n", 0)
        self.check("$ lode 3\n>~ milk \\(\\d\\)\n!~ ^\\d pattern$\n? 3\n", 0)

    def test_wrong_line(self):
        self.check("$ lode\n> milk (3)\n", 1, "x.test:1", "-milk (3)", "+milk (2)")

    def test_missing_and_superfluous_lines(self):
        self.check("$ lode\n> milk (2)\n> beer (1)\n", 1, "-beer (1)")
        self.check("$ lode\n", 1, "+milk (2)")

    def test_pattern_must_match_the_whole_line(self):
        self.check("$ lode\n>~ milk\n", 1)

    def test_open_end_still_checks_the_first_lines(self):
        self.check("$ seq 5\n> 1\n>*\n", 0)
        self.check("$ seq 5\n> 2\n>*\n", 1)
        self.check("$ seq 1\n> 1\n> 2\n>*\n", 1)

    def test_wrong_status(self):
        self.check("$ lode 4\n> milk (2)\n", 1, "exit status 4, expected 0")
        self.check("$ lode\n> milk (2)\n? 1\n", 1)

    def test_wrong_standard_error(self):
        self.check("$ lode\n> milk (2)\n! memory\n", 1, "not on stderr: memory")
        self.check("$ lode\n> milk (2)\n!~ ^pattern\n", 1)

    def test_one_bad_case_among_good_ones(self):
        self.check("case a\n$ true\ncase b\n$ false\ncase c\n$ true\n", 1, "2 passed, 1 failed")

    def test_mistakes_in_the_file(self):
        self.check("> milk\n", 2, "not understood")
        self.check("$ true\nfoo bar\n", 2, "x.test:2")
        self.check("$ true\n? zero\n", 2)
        self.check("case empty\n", 2, "runs no command")

    def test_missing_data_skips(self):
        gone = str(self.folder / "gone")
        code, output = self.run_text("need data\n$ false\n", LODE_DATA=gone)
        self.assertEqual(code, 77, output)
        self.assertIn("skip: x.test: no real data", output)
        code, output = self.run_text('need data\n$ test -d "$DATA"\n', LODE_DATA=str(self.folder))
        self.assertEqual(code, 0, output)

    def test_missing_program_skips(self):
        code, output = self.run_text("need program no-such-program\n$ false\n")
        self.assertEqual(code, 77, output)
        self.assertIn("skip: x.test: no-such-program is not installed", output)
        self.check("need program sh\n$ true\n", 0)
        self.check("need program sh\n$ false\n", 1)


if __name__ == "__main__":
    unittest.main()
