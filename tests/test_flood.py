"""A warning before more lines than anybody reads, or more bytes than the disk holds.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pty
import random
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
TERMINAL = "will be printed to the terminal"


class Flood(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="lode-flood-")
        cls.data = Path(cls.folder.name, "dense.dat")
        draw = random.Random(5)
        cls.data.write_text("".join(" ".join(map(str, sorted(draw.sample(range(40), 20)))) + "\n"
                                    for _ in range(2000)))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def on_terminal(self, *options):
        """Runs lode with a terminal for standard output, and returns what it warned of."""
        master, slave = pty.openpty()
        process = subprocess.Popen([LODE, "itemsets", str(self.data), "-q", "-j", "1", "-w", "fimi", *options],
                                   stdout=slave, stderr=subprocess.PIPE, text=True)
        os.close(slave)

        def swallow():
            try:
                while os.read(master, 1 << 16):
                    pass
            except OSError:  # the other side is closed
                pass
        reader = threading.Thread(target=swallow)
        reader.start()
        said = process.communicate(timeout=120)[1]
        reader.join()
        os.close(master)
        return process.returncode, said

    def test_terminal(self):
        code, said = self.on_terminal("-s", "3", "--limit-patterns", "1400000")
        self.assertEqual(code, 5)
        self.assertEqual(said.count(TERMINAL), 1, said)
        self.assertIn("-o FILE", said)

    def test_few_lines_are_no_flood(self):
        code, said = self.on_terminal("-s", "400", "--max-size", "2")
        self.assertEqual((code, said), (0, ""))

    def test_pipes_are_no_terminals(self):
        done = subprocess.run([LODE, "itemsets", str(self.data), "-q", "-s", "3",
                               "--limit-patterns", "1400000"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        self.assertNotIn(TERMINAL, done.stderr)

    def test_disk(self):
        """A disk of four megabytes; only root may have it."""
        disk = Path(self.folder.name, "disk")
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
            print("skip: no tmpfs can be mounted here")
            self.skipTest("no tmpfs can be mounted here")
        try:
            target = disk / "out.txt"
            done = subprocess.run([LODE, "itemsets", str(self.data), "-q", "-j", "1", "-s", "40",
                                   "-o", str(target)], stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1, done.stderr)
            lines = done.stderr.splitlines()
            self.assertRegex(lines[0], f"'{target}' may grow to about .* MiB .* free")
            self.assertEqual(lines[1:], [f"lode: cannot write '{target}': No space left on device"])
            self.assertEqual(list(disk.iterdir()), [])
        finally:
            subprocess.run(["umount", str(disk)], check=True)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    unittest.main(verbosity=0)
