"""Names that could steer a terminal: escape sequences of items and files never reach one.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pty
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
# A title, colours by ESC and by C1, DEL, a carriage return, and letters in the wrong order.
EVIL = "x\x1b]0;owned\x07y\x9b31mz\x7f\r\u202egnp\u2066"
SHOWN = "x?]0;owned?y?31mz???gnp?"
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
BASKETS = f'"{EVIL}",milk\n"{EVIL}",bread\nmilk,bread\n"{EVIL}",milk\n'
GRAPHS = f"t # 0\nv 0 {EVIL[:5]}\nv 1 b\ne 0 1 c\n".replace("\r", "")


class Screen(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="lode-screen-")
        cls.path = Path(cls.folder.name)
        (cls.path / "b.csv").write_bytes(BASKETS.encode())
        (cls.path / "g.lg").write_bytes(GRAPHS.encode())
        for kind in ("itemsets", "rules"):
            cls.lode(kind, "b.csv", "-s", "1", "-w", "arrow", "-o", f"{kind}.arrow", "-q")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def lode(cls, *words, **options):
        return subprocess.run([LODE, *words], cwd=cls.path, capture_output=True, timeout=120, **options)

    def on_terminal(self, *words):
        """What a terminal gets from both streams."""
        main, side = pty.openpty()
        got = []

        def take():
            try:
                while piece := os.read(main, 65536):
                    got.append(piece)
            except OSError:  # the other side is closed
                pass
        reader = threading.Thread(target=take)
        reader.start()
        subprocess.run([LODE, *words], cwd=self.path, stdin=subprocess.DEVNULL, stdout=side, stderr=side, timeout=120,
                       env={**os.environ, "NO_COLOR": "1"})
        os.close(side)
        reader.join()
        os.close(main)
        text = b"".join(got).decode()
        return re.sub("\r\x1b\\[K[^\r\n]*", "", text).replace("\r\n", "\n")  # lines of progress, and of a terminal

    def test_results(self):
        for words in (["itemsets", "b.csv", "-s", "1"], ["itemsets", "b.csv", "-s", "1", "-w", "csv", "--sort"],
                      ["itemsets", "b.csv", "-s", "1", "-w", "spmf"], ["itemsets", "b.csv", "-s", "1", "-w", "jsonl"],
                      ["rules", "b.csv", "-s", "1"], ["rules", "b.csv", "-s", "1", "-w", "csv"],
                      ["query", "rules.arrow"], ["query", "itemsets.arrow", "-w", "csv"],
                      ["apply", "rules.arrow", "b.csv"], ["baskets", "b.csv"], ["baskets", "b.csv", "-w", "csv"],
                      ["clean", "b.csv", "-o", "-"], ["stats", "b.csv"], ["graphs", "g.lg", "-s", "1"],
                      ["graphs", "g.lg", "-s", "1", "-w", "csv"]):
            with self.subTest(words=words):
                shown = self.on_terminal(*words)
                self.assertIn("x?]0;" if words[0] != "graphs" else "x?]0", shown.replace("\\u001b", "?"))
                self.assertEqual(STEERS.findall(shown), [], shown)

    def test_pipes_keep_the_bytes(self):
        for words in (["itemsets", "b.csv", "-s", "1", "-q"], ["baskets", "b.csv", "-w", "basket"],
                      ["rules", "b.csv", "-s", "1", "-w", "csv", "-q"], ["query", "itemsets.arrow", "-w", "csv"]):
            self.assertIn(EVIL.encode(), self.lode(*words).stdout, words)

    def test_messages(self):
        """On any stream: files, items, columns, options and words that are not there."""
        (self.path / EVIL).write_bytes(b"a,b\n1\n2,3,4,5\n")
        for words in (["itemsets", EVIL + "!", "-s", "1"], ["itemsets", EVIL, "-s", "1", "--format", "table"],
                      ["itemsets", "b.csv", "-s", "1", "--include", EVIL + "?"], ["rules", "b.csv", "-s", EVIL],
                      ["itemsets", "b.csv", "-s", "1", "-o", f"no/{EVIL}"], [EVIL + "!"], ["stats", "b.csv", f"--{EVIL}"],
                      ["itemsets", "b.csv", "-s", "1", "--drop-rows", EVIL + "~1"],
                      ["query", "rules.arrow", "--include", EVIL[:4]], ["apply", EVIL, "b.csv"],
                      ["merge", EVIL + "1", EVIL + "2", "-o", "x"]):
            with self.subTest(words=words):
                said = self.lode(*words).stderr.decode()
                self.assertRegex(said, r"x\?\]0")
                self.assertEqual(STEERS.findall(said), [], said)

    def test_a_look_at_a_file(self):
        (self.path / EVIL).write_bytes(b"a,b\nb,c\n")
        said = self.lode(EVIL, "--format", "basket").stdout.decode()
        self.assertEqual(STEERS.findall(said), [], said)
        command = re.search(r"^  lode itemsets (.*) --format basket -s", said, re.M)[1]
        self.assertEqual(subprocess.run(["bash", "-c", f"printf %s {command}"], capture_output=True).stdout, EVIL.encode())

    def test_what_is_said_of_success(self):
        for words in (["itemsets", "b.csv", "-s", "1", "-o", EVIL + ".txt"], ["stats", EVIL, "--format", "basket"]):
            done = self.lode(*words)
            said = (done.stderr + done.stdout).decode()
            self.assertIn(SHOWN, said)
            self.assertEqual(STEERS.findall(said), [], said)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=0))
