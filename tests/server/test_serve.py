"""`lode serve` is lode-server: the words of its help are the options that the server takes.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
SERVER = os.environ.get("LODE_SERVER", str(Path(LODE).parent / "lode-server"))
OPTION = re.compile(r"^ +--([a-z-]+)(?: ([A-Z]+))? ", re.M)


def options(*command):
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return set(OPTION.findall(text))


class Serve(unittest.TestCase):
    def test_help_lists_the_options_of_the_server(self):
        of_server = options(SERVER, "--help") - {("help", "")}
        self.assertTrue(of_server)
        self.assertEqual(options(LODE, "help", "serve"), of_server)

    def test_words_reach_the_server(self):
        run = subprocess.run([LODE, "serve", "--no-such-option"], capture_output=True, text=True,
                             env={**os.environ, "LODE_SERVER": SERVER}, check=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn("no-such-option", run.stderr)


if __name__ == "__main__":
    unittest.main()
