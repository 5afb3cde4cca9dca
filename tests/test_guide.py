#!/usr/bin/env python3
"""The commands of docs/rules.md run as they are written, one after the other.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = Path(os.environ.get("LODE_BIN", ROOT / "build" / "lode")).resolve()


class Guide(unittest.TestCase):
    def test_commands_run(self):
        blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "docs/rules.md").read_text(), re.M | re.S)
        self.assertGreater(len(blocks), 8)
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        (folder / "lode").symlink_to(LODE)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        for block in blocks:
            if "| dot " in block and not shutil.which("dot"):
                print("skip: dot not installed")
                continue
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder,
                                  env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"{block}\n{done.stderr}")


if __name__ == "__main__":
    unittest.main()
