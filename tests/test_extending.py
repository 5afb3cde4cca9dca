#!/usr/bin/env python3
"""docs/extending.md is true: what it adds, added to a copy of the sources, builds and works.

Its blocks are the input: "```c FILE" is a new file, "```diff FILE" lines to add (+) behind a line
that is there, or before one.

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
PAGE = ROOT / "docs/extending.md"
BASKETS = "bread milk\nbread butter milk\nbeer\nbread butter\nmilk beer bread\n"
GRAPHS = """t # 0
v 0 C
v 1 C
v 2 O
e 0 1 s
e 1 2 d
t # 1
v 0 C
v 1 O
e 0 1 d
t # 2
v 0 C
v 1 C
v 2 N
e 0 1 s
e 1 2 s
"""


def blocks():
    """(language, file, text) of each block of the page that names a file."""
    return re.findall(r"^```(c|diff) (\S+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"),
                      re.M | re.S)


def apply_diff(path, text):
    """Adds the lines with + behind, or before, the lines without, which must be there once."""
    marked = text.splitlines()
    kept = [line[1:] for line in marked if not line.startswith("+")]
    wanted = [line[1:] for line in marked]
    source = path.read_text(encoding="utf-8")
    old, new = "\n".join(kept) + "\n", "\n".join(wanted) + "\n"
    if source.count(old) != 1:
        raise AssertionError(f"{path}: {source.count(old)} places look like\n{old}")
    path.write_text(source.replace(old, new), encoding="utf-8")


class Extending(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name) / "lode"
        cls.root.mkdir()
        for name in ("src", "include", "cli", "worker", "cmake"):
            shutil.copytree(ROOT / name, cls.root / name)
        for path in ROOT.iterdir():
            if path.is_file():
                shutil.copy(path, cls.root)
        for language, name, text in blocks():
            if language == "diff":
                apply_diff(cls.root / name, text)
            else:
                (cls.root / name).write_text(text, encoding="utf-8")
        build = str(cls.root / "build")
        cls.run_quietly("cmake", "-S", str(cls.root), "-B", build, "-DCMAKE_BUILD_TYPE=Debug",
                        "-DCMAKE_C_FLAGS_DEBUG=-O0", "-DLODE_WERROR=ON", "-DLODE_TESTS=OFF",
                        "-DLODE_SHARED=OFF", "-DLODE_CUDA=OFF", "-DLODE_SERVER=OFF",
                        "-DLODE_MPI=OFF", "-DLODE_PYTHON=OFF", "-DLODE_MOLECULES=OFF")
        cls.run_quietly("cmake", "--build", build, "-j", str(os.cpu_count() or 2), "--target",
                        "lode-cli")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @staticmethod
    def run_quietly(*words):
        """Runs a command, and shows what it has said if it fails."""
        # A ccache that is there finds what an earlier run has compiled in another folder.
        done = subprocess.run(words, capture_output=True, text=True, check=False,
                              env={"CCACHE_BASEDIR": tempfile.gettempdir(), **os.environ})
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")

    def run_lode(self, words, text):
        """Runs the extended command on a file with this text."""
        path = self.root / "input.txt"
        path.write_text(text, encoding="utf-8")
        words = [str(path) if word == "FILE" else word for word in words]
        done = subprocess.run([str(self.root / "build/lode"), *words], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def lode(self, *words, text=BASKETS):
        """What it writes."""
        return self.run_lode(words, text).stdout

    def errors(self, *words, text=BASKETS):
        """What it says, such as the report."""
        return self.run_lode(words, text).stderr

    def test_page_has_all(self):
        names = [name for _, name, _ in blocks()]
        self.assertIn("src/pipeline/engine/engines.def", names)
        self.assertIn("src/api/options.def", names)
        self.assertEqual(sum("formats.def" in name for name in names), 1)
        self.assertEqual(sum(language == "c" for language, _, _ in blocks()), 3)

    def test_itemset_engine(self):
        ask = ("itemsets", "FILE", "-q", "-s", "1", "--count", "--hash", "-a")
        counts = self.lode(*ask, "example")
        self.assertIn("total 11\n", counts)
        self.assertEqual(counts, self.lode(*ask, "adaptive"))
        self.assertIn("example", self.lode("algorithms"))

    def test_graph_engine(self):
        ask = ("graphs", "FILE", "-q", "-s", "1", "--max-edges", "1", "--count", "--hash", "-a")
        counts = self.lode(*ask, "edges", text=GRAPHS)
        self.assertIn("total 3\n", counts)
        self.assertEqual(counts, self.lode(*ask, "graft", text=GRAPHS))

    def test_output_format(self):
        lines = self.lode("itemsets", "FILE", "-q", "-s", "3", "-w", "markdown").splitlines()
        self.assertEqual(lines[:2], ["| itemset | count |", "|---|---|"])
        self.assertIn("| bread milk | 3 |", lines)

    def test_option(self):
        ask = ("itemsets", "FILE", "-s", "1", "--count", "--max-count", "2", "-a")
        self.assertIn("total 8\n", self.lode(*ask, "example"))
        self.assertIn("--max-count N", self.lode("itemsets", "--help"))
        self.assertIn("--max-count has no effect with adaptive", self.errors(*ask, "adaptive", "-v"))


if __name__ == "__main__":
    unittest.main()
