#!/usr/bin/env python3
"""A file of some 50 MB, read by one thread and by many more than there are cores: the same data.

SPDX-License-Identifier: Apache-2.0
"""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))


def lode(*words):
    done = subprocess.run([LODE, *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class LargeFile(unittest.TestCase):
    def test_any_number_of_threads(self):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "data")
            code, _, text = lode("generate", "quest", "-n", "400000", "-l", "40", "-i", "10",
                                 "--items", "300", "--seed", "1", "-o", path)
            self.assertEqual(code, 0, text)
            runs = [lode("itemsets", path, "-s", "15%", "--count", "--hash", "--quiet",
                         "--threads", threads) for threads in ("1", "5", "64")]
            self.assertEqual(runs[0][0], 0, runs[0][2])
            self.assertEqual(runs[0], runs[1])
            self.assertEqual(runs[0], runs[2])


if __name__ == "__main__":
    unittest.main()
